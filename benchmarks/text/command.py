"""The command ``python -m benchmarks text``."""

from __future__ import annotations

import sys
from collections.abc import Callable

from benchmarks.text import audits

#: Name -> its heading and its rows.
TABLES: dict[str, tuple[tuple[str, ...], Callable[[], list[tuple[str, ...]]]]] = {
    "audits": (audits.HEADING, audits.main),
}


def command(wanted: list[str]) -> int:
    """Print the tables that are named, or all."""
    from benchmarks.__main__ import table

    for unknown in set(wanted) - set(TABLES):
        sys.stderr.write(f"no table {unknown!r}; there are {', '.join(TABLES)}\n")
        return 2
    for name in wanted or TABLES:
        heading, main = TABLES[name]
        sys.stdout.write(f"\n{name}\n\n{table(main(), heading)}\n")
        sys.stdout.flush()
    return 0
