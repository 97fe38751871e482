"""Two neighboring datasets: the records that they share, and those in one of them only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.curves.validation import Floats
from workbench.figures.kit import dot_rows
from workbench.figures.kit.axes import axis, bare_axis
from workbench.figures.kit.layout import chart, empty, margins
from workbench.figures.kit.marks import LEFT, Mark, Style, box, label, markers, targets
from workbench.figures.kit.types import Figure
from workbench.testers.finders.neighbors import Neighbors, left_over

Records = NDArray[Any]

#: Records of a vector that are drawn at most, and of a table that two datasets share.
MOST, SHARED = 1000, 10

#: Columns of a table that are drawn at most, and that have room for a number in each cell.
COLUMNS, WRITTEN = 20, 12

#: Records in both datasets, in the first one only, and in the second one only.
BOTH = Style("in both", "muted")
ONLY_P = Style("in the dataset only", "p")
ONLY_Q = Style("in the neighbor only", "q")


def split(neighbors: Neighbors) -> tuple[Records, Records, Records]:
    """The records in both datasets, only in the first, and only in the second."""
    a, b = neighbors.dataset, neighbors.neighbor
    only_a = left_over(a, b)
    return left_over(a, only_a), only_a, left_over(b, a)


def datasets(neighbors: Neighbors) -> Figure:
    """Records of both datasets, with those in one of them only in color."""
    parts = split(neighbors)
    if not all(np.issubdtype(part.dtype, np.number) for part in parts):
        return empty("The records are not numeric.")
    sizes = len(neighbors.dataset), len(neighbors.neighbor)
    summary = (
        f"The dataset (P) has {_records(sizes[0])} and its neighbor (Q) {sizes[1]:,}; "
        f"{len(parts[1])} and {len(parts[2])} are in one of them only."
    )
    if neighbors.dataset.ndim == 1 or neighbors.dataset.shape[1] == 1:
        return _vectors([part.reshape(-1).astype(float) for part in parts], sizes, summary)
    return _tables([part.astype(float) for part in parts], summary)


def _vectors(parts: Sequence[Records], sizes: tuple[int, int], summary: str) -> Figure:
    """Two rows of dots, one per record; equal ones are stacked."""
    both, only_p, only_q = (part[:MOST] for part in parts)
    drawn: list[Mark] = []
    for row, own, style in ((1.0, only_p, ONLY_P), (0.0, only_q, ONLY_Q)):
        values, up = _stacked(both, own)
        shared = values.size - own.size
        drawn += [
            _dots(BOTH, values[:shared], row + up[:shared]),
            _dots(style, values[shared:], row + up[shared:]),
        ]
    texts = [(1, f"dataset (P): {_records(sizes[0])}", "p"),
             (0, f"neighbor (Q): {_records(sizes[1])}", "q")]  # fmt: skip
    drawn += [label(LEFT, row + 0.62, text, role, ha="left", dx=6) for row, text, role in texts]
    return chart(
        drawn,
        axis("value of a record", *_room(np.concatenate([both, only_p, only_q]))),
        bare_axis(-0.25, 1.95),
        summary=summary,
        closest=True,
        margin=dot_rows.MARGIN,
    )


def _tables(parts: Sequence[Records], summary: str) -> Figure:
    """One row of cells per record: first those of both datasets, then those of one."""
    both, only_p, only_q = (part[:, :COLUMNS] for part in parts)
    shown = both[:SHARED]
    table = np.vstack([shown, only_p, only_q])
    names = [*("both" for _ in shown), *("P" for _ in only_p), *("Q" for _ in only_q)]
    roles = {"both": "muted", "P": "p", "Q": "q"}
    low, high = float(np.min(table, initial=0)), float(np.max(table, initial=0))
    cells = [
        (i, j, float(value), (value - low) / ((high - low) or 1))
        for (i, j), value in np.ndenumerate(table)
    ]
    left_out = [
        f"{len(both) - len(shown):,} more records are in both" if len(both) > len(shown) else "",
        f"{parts[0].shape[1]:,} columns in all" if parts[0].shape[1] > COLUMNS else "",
    ]
    more = f" ({', '.join(filter(None, left_out))})" if any(left_out) else ""
    columns = table.shape[1]
    written = cells if columns <= WRITTEN else []
    return chart(
        [
            targets("value", [j + 1 for _, j, _, _ in cells], [i for i, _, _, _ in cells],
                    "column {x}: {value}", [value for _, _, value, _ in cells]),
            # Darker for a larger value.
            *(box((j + 0.53, j + 1.47), (i - 0.46, i + 0.46), "muted", opacity=0.08 + 0.9 * share)
              for i, j, _, share in cells),
            *(box((0.5, columns + 0.5), (i - 0.5, i + 0.5), roles[name])
              for i, name in enumerate(names) if name != "both"),
            *(label(LEFT, i, name, roles[name], ha="right", dx=-6) for i, name in enumerate(names)),
            *(label(j + 1, i, f"{value:.2g}", "paper" if share > 0.5 else "ink", size=11, veil=None)
              for i, j, value, share in written),
        ],
        axis(f"column{more}", 0.5, columns + 0.5, step=max(1, columns // 10), grid=False),
        bare_axis(len(table) - 0.5, -0.5),
        summary=summary,
        closest=True,
        margin=margins(left=44),
    )  # fmt: skip


def _stacked(*parts: Records) -> tuple[Records, Floats]:
    """The values in order, and how far equal ones are lifted above each other."""
    values = np.concatenate(parts)
    seen: Counter[float] = Counter()
    places = []
    for value in values.tolist():
        places.append(seen[value])
        seen[value] += 1
    most = max(places, default=0)
    return values, np.array(places) * min(0.12, 0.4 / max(most, 1))


def _dots(style: Style, x: Records, y: Any) -> Mark:
    size, symbol = (9, "circle-open") if style is BOTH else (13, "diamond")
    return markers(style, x, y, size=size, symbol=symbol, outline=style.role, outline_width=1.5,
                   hover="{x} {name}")  # fmt: skip


def _records(count: int) -> str:
    return f"{count:,} record" + ("" if count == 1 else "s")


def _room(values: Floats) -> list[float]:
    """The axis for the values, with a margin."""
    values = values[np.isfinite(values)]
    if not values.size:
        return [0.0, 1.0]
    low, high = float(values.min()), float(values.max())
    margin = 0.08 * ((high - low) or max(abs(high), 1.0))
    return [low - margin, high + margin]
