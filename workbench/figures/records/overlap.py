"""Records that several attacks find: how many each, and how many only these attacks and no others.

The second part shows what an UpSet plot shows (Alexander Lex, Nils Gehlenborg, Hendrik Strobelt,
Romain Vuillemot, Hanspeter Pfister, *UpSet: Visualization of Intersecting Sets*, IEEE TVCG 2014),
with the attacks written out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench._format import percent
from workbench.figures.kit.axes import bare_axis
from workbench.figures.kit.layout import chart, margins
from workbench.figures.kit.marks import LEFT, Mark, box, label, targets
from workbench.figures.kit.types import Figure

#: Color roles of the bars, and their opacity.
EACH, ONLY, OPACITY = "fit", "ink", 0.6

#: Pixels: of a row, of the margin that holds the names, and of the lowest such chart.
ROW, NAMES, LEAST = 26, 172, 300

#: Half of a bar's height, in rows, and the share of the width that the bars leave to the numbers.
HALF, ROOM = 0.34, 0.14

MARGIN = margins(left=NAMES, bottom=12)


def overlap(
    numbers: Mapping[str, int],
    intersections: Sequence[tuple[Sequence[str], int]],
    fpr: float,
    records: int,
) -> Figure:
    """A bar for each attack, and one for each combination of attacks that occurs.

    Parameters
    ----------
    numbers : mapping of str to int
        Records that each attack finds.
    intersections : sequence of (sequence of str, int)
        Attacks, and records that these and no others find, as of `workbench.AttackOverlap`.
    fpr : float
        False positive rate of each attack.
    records : int
    """
    some = [(names, count) for names, count in intersections if names]
    each = [(name, count, EACH) for name, count in numbers.items()]
    only = [(_words(names, len(numbers)), count, ONLY) for names, count in some]
    end = max(1, *numbers.values()) / (1 - ROOM)
    marks: list[Mark] = []
    # Short, as figures for papers cut a text that leaves the chart.
    heads = {
        0: f"Found by each at {percent(fpr)} FPR",
        len(each) + 1: "Found by these only",
    }
    for row, words in heads.items():
        marks.append(label(LEFT, row, words, "muted", ha="left", dx=8 - NAMES, size=13, veil=None))
    rows = [*enumerate(each, 1), *enumerate(only, len(each) + 2)]
    for row, (name, count, role) in rows:
        marks += [
            box((0, count), (row - HALF, row + HALF), role, opacity=OPACITY),
            label(LEFT, row, name, "ink", ha="right", dx=-8, size=13, veil=None),
            targets(name, [count], [row], f"{name}: {{x:,}} of {records:,} records", None),
            label(count, row, f"{count:,}", role, ha="left", dx=6, size=14, veil=None),
        ]
    last = len(each) + len(only) + 2
    found = sum(count for _, count in some)
    missed = f"By none: {records - found:,} of {records:,} records"
    marks.append(label(LEFT, last, missed, "muted", ha="left", dx=8 - NAMES, size=13, veil=None))
    said = "; ".join(f"{name} finds {count:,}" for name, count in numbers.items())
    combined = "; ".join(f"{name}: {count:,}" for name, count, _ in only)
    return chart(
        marks,
        bare_axis(0, end),
        bare_axis(last + 0.6, -0.6),
        summary=f"Of {records:,} records, {said}, at a false positive rate of {percent(fpr)}. "
        f"Found by these attacks and by no others: {combined or 'none'}.",
        revision=(end, last),
        closest=True,
        margin=MARGIN,
        height=max(LEAST, round((last + 1.2) * ROW + MARGIN["t"] + MARGIN["b"])),
    )


def _words(names: Sequence[str], attacks: int) -> str:
    if len(names) == attacks > 2:
        return "all three" if attacks == 3 else f"all {attacks}"
    return " + ".join(names) if len(names) > 1 else f"{names[0]} alone"
