"""Run the benchmarks, all or those that are named, and print what they found.

python -m benchmarks [NAME ...]
python -m benchmarks papers [hist | tv | auditorium | bits | select ...] [--full]
python -m benchmarks synthetic [level | power | peers | generators | size ...]
python -m benchmarks text [audits]

A benchmark is a module of this package with ``main() -> list[(what, measured, target)]``, or with
other columns, which it names in ``HEADING``. `papers`, `synthetic` and `text` have command lines of
their own.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Sequence

import benchmarks

Row = tuple[str, str, str]

HEADING = ("what", "measured", "target")


def table(rows: Sequence[Sequence[str]], heading: Sequence[str] = HEADING) -> str:
    return aligned([heading, *rows])


def print_tables(
    tables: dict[str, tuple[tuple[str, ...], Callable[[], list[tuple[str, ...]]]]],
    wanted: list[str],
) -> int:
    """The exit status, after the tables that are named, or all, were made and printed."""
    for unknown in set(wanted) - set(tables):
        sys.stderr.write(f"no table {unknown!r}; there are {', '.join(tables)}\n")
        return 2
    for name in wanted or tables:
        heading, main = tables[name]
        sys.stdout.write(f"\n{name}\n\n{table(main(), heading)}\n")
        sys.stdout.flush()
    return 0


def aligned(cells: Sequence[Sequence[str]]) -> str:
    """Rows of texts in columns, the first of them the heading."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def main(wanted: list[str]) -> int:
    if wanted[:1] == ["papers"]:
        from benchmarks.papers.command import command

        return command(wanted[1:])
    if wanted[:1] == ["synthetic"]:
        from benchmarks.synthetic.command import command as synthetic

        return synthetic(wanted[1:])
    if wanted[:1] == ["text"]:
        from benchmarks.text.command import command as text

        return text(wanted[1:])
    names = [found.name for found in pkgutil.iter_modules(benchmarks.__path__)]
    for unknown in set(wanted) - set(names):
        print(f"no benchmark {unknown!r}; there are {', '.join(names)}", file=sys.stderr)
        return 2
    for name in wanted or [name for name in names if not name.startswith("_")]:
        module = importlib.import_module(f"benchmarks.{name}")
        if hasattr(module, "main"):
            print(f"\n{name}: {(module.__doc__ or '').splitlines()[0]}\n", flush=True)
            print(table(module.main(), getattr(module, "HEADING", HEADING)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
