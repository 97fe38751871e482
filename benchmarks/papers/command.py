"""The command ``python -m benchmarks papers``: tables of printed numbers beside ours."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.papers import FOLDER
from benchmarks.papers.item import Found, Item, Line
from benchmarks.papers.page import document
from benchmarks.papers.registry import PAPERS, Paper
from benchmarks.papers.run import Run, cpu

#: Columns of the lines of an item, and of the table of all items.
LINES = ("what", "printed", "ours", "verdict")
TABLE = ("item", "place", "lines", "deviation", "verdict", "CPU s")
#: Columns of a paper's table in the documentation.
ROWS = ("Item", "What", "Place", "Printed", "Ours", "Ours is", "Verdict")


@dataclass(frozen=True)
class Done:
    """An item, what was found, and the CPU seconds that it took, with those of child processes."""

    item: Item
    found: Found
    cpu: float


def made(paper: Paper, run: Run, names: Sequence[str] = ()) -> Iterator[Done]:
    """The items of a paper, or those that are named, one after another."""
    for item in paper.items:
        if not names or item.name in names:
            start, read = cpu(), run.read
            found = item.make(run)
            yield Done(item, found, cpu() - start + run.read - read)


def totals(done: Sequence[Done], run: Run) -> str:
    """Items, lines, CPU seconds, seed and the largest deviation, as a sentence or two."""
    lines = [(one.item, line) for one in done for line in one.found.lines]
    numbers = [(line.deviation, item, line) for item, line in lines if line.deviation is not None]
    said = (
        f"Items: {len(done)}; lines: {len(lines)}, of which {len(numbers)} compare numbers; "
        f"seed {run.seed}, {'full' if run.full else 'default'} scale, "
        f"{sum(one.cpu for one in done):.1f} CPU seconds. "
    )
    if not numbers:
        return said + "No line compares numbers."
    largest, item, line = max(numbers, key=lambda number: number[0])
    if largest == 0:
        return said + "All printed numbers are equal to ours, rounded as printed."
    return said + (
        f"Largest deviation {largest:.1%}: {item.name}, {line.what}, printed {line.printed}, "
        f"ours {line.ours_text} ({line.why})."
    )


def row(item: Item, found: Found, line: Line) -> list[str]:
    """The cells of a line in the documentation."""
    cells = (item.name, line.what, item.place, line.printed, line.ours_text, line.guarantee)
    return [cell.replace("|", "\\|") for cell in (*cells, found.verdict_of(line))]


def report(paper: Paper, run: Run, names: Sequence[str], *, rows: bool) -> None:
    """Make a paper's items, print their lines and the table, and write the page."""
    from benchmarks.__main__ import table

    print(f"\n{paper.key}: {paper.source}", flush=True)
    done = []
    for one in made(paper, run, names):
        print(f"\n{one.item.name}. {one.item.title}\n\n{lines_of(one)}", flush=True)
        done.append(one)
    said = totals(done, run)
    print(f"\n{table([summary(one) for one in done], TABLE)}\n\n{said}")
    if rows:
        print("\n".join(["", _markdown(ROWS), _markdown(["---"] * len(ROWS))]))
        for one in done:
            for line in one.found.lines:
                print(_markdown(row(one.item, one.found, line)))
    file = run.folder.with_suffix(".html")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(document(paper, done, run, said), encoding="utf-8")
    print(f"The charts are in {file}.", flush=True)


def lines_of(done: Done) -> str:
    """The lines of an item as a table, and below it each reason once."""
    from benchmarks.__main__ import table

    found = done.found
    cells = [
        (line.what, line.printed, line.ours_text, found.marked_word_of(line))
        for line in found.lines
    ]
    notes = [f"[{i}] {reason}." for i, reason in enumerate(found.reasons, 1)]
    return "\n".join([table(cells, LINES), *notes])


def summary(done: Done) -> list[str]:
    """The cells of an item in the table of all items."""
    deviations = [line.deviation for line in done.found.lines if line.deviation is not None]
    return [
        done.item.name,
        done.item.place,
        str(len(done.found.lines)),
        f"{max(deviations):.1%}" if deviations else "–",
        str(done.found.verdict),
        f"{done.cpu:.1f}",
    ]


def _markdown(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def command(given: Sequence[str]) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks papers",
        description="Make every numbered theorem, table and figure of the papers, beside print.",
    )
    parser.add_argument("names", nargs="*", metavar="PAPER", help=", ".join(PAPERS))
    parser.add_argument("--full", action="store_true", help="at the papers' scale; resumes")
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run kept")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--item", action="append", default=[], metavar="NAME", help='"Fig. 9"')
    parser.add_argument("--rows", action="store_true", help="also rows for the documentation")
    parser.add_argument("--out", type=Path, default=FOLDER, help=f"default: {FOLDER}")
    asked = parser.parse_args(given)
    if unknown := set(asked.names) - set(PAPERS):
        parser.error(f"no paper {', '.join(sorted(unknown))}; there are {', '.join(PAPERS)}")
    papers = [PAPERS[name] for name in asked.names or PAPERS]
    known = [item.name for paper in papers for item in paper.items]
    if unknown := set(asked.item) - set(known):
        parser.error(f"no item {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    for paper in papers:
        run = Run(asked.out / paper.name, full=asked.full, seed=asked.seed)
        if asked.fresh:
            run.forget()
        report(paper, run, asked.item, rows=asked.rows)
    return 0
