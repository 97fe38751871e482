"""Where people wait: each work beside a peer that does the same, and what became slower.

python -m benchmarks report measures all and prints one table; a ratio that grew by more than
30% since it was recorded says so. python -m benchmarks.report has options:

    python -m benchmarks.report --keep                            # write docs/waits.csv
    python -m benchmarks.report --against /path/to/checkout       # before and after, in turns
    python -m benchmarks.report --only csv --repetitions 5
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from benchmarks.__main__ import aligned, table
from benchmarks.waits.measuring import ROOT
from benchmarks.waits.record import Measured, all_waits, measured, read, regressions, write

HEADING = ("work", "ours", "peer", "ratio", "goal", "date", "machine")


def main() -> list[tuple[str, ...]]:
    """Rows of `HEADING`; a ratio that grew says so."""
    return rows([measured(wait) for wait in all_waits()])


def rows(lines: list[Measured]) -> list[tuple[str, ...]]:
    """A row of `HEADING` for each line, compared with the record."""
    slower = regressions(lines, read())
    return [row(line, slower.get(line.work, "")) for line in lines]


def row(line: Measured, slower: str = "") -> tuple[str, ...]:
    peer = f"{line.peer}: {number(line.theirs)}" if line.peer else ""
    ratio = number(line.ratio) if line.peer else ""
    return (
        line.work,
        f"{number(line.ours)} {line.unit}",
        peer,
        " ".join(filter(None, (ratio, slower))),
        line.goal,
        line.date,
        line.machine,
    )


def number(figure: float) -> str:
    return "not installed" if math.isnan(figure) else f"{figure:.3g}"


def before_and_after(tree: Path, words: str, repetitions: int) -> str:
    """Each work of another checkout and of this one, measured in turns."""
    cells = [("work", "before", "after", "after / before", "goal")]
    for wait in all_waits(words):
        old, new = [], []
        for _ in range(repetitions):
            old.append(wait.measure(tree))
            new.append(wait.measure(ROOT))
        cells.append(
            (
                f"{wait.work} ({wait.unit})",
                " / ".join(map(number, old)),
                " / ".join(map(number, new)),
                number(sum(new) / sum(old)),
                wait.goal,
            )
        )
        print(*cells[-1], sep="  ", file=sys.stderr, flush=True)
    return aligned(cells)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="WORDS", help="the works with these words")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help="write the record")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    chosen = parser.parse_args()
    if chosen.against:
        print(before_and_after(chosen.against.resolve(), chosen.only, chosen.repetitions))
        sys.exit()
    lines = [measured(w, repetitions=chosen.repetitions) for w in all_waits(chosen.only)]
    print(table(rows(lines), HEADING))
    if chosen.keep:
        write(lines)
