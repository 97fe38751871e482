"""Two neighboring datasets: the records that they share, and those in one of them only."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.curves.validation import Floats
from workbench.figures.kit import dot_rows
from workbench.figures.kit.axes import axis, bare_axis
from workbench.figures.kit.layout import chart, empty, margins
from workbench.figures.kit.marks import LEFT, Mark, Style, box, label, markers, targets
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.types import Axis, Figure
from workbench.testers.finders.neighbors import Neighbors
from workbench.testers.finders.records import is_frame, keys, left_over

Records = NDArray[Any]

#: Records of a vector that are drawn at most, and of a table that two datasets share.
MOST, SHARED = 1000, 10

#: Columns of a table that are drawn at most, and that have room for a number in each cell.
COLUMNS, WRITTEN = 20, 12

#: Records in both datasets, in the first one only, and in the second one only.
BOTH = Style("in both", "muted")
ONLY_P = Style("in the dataset only", "p")
ONLY_Q = Style("in the neighbor only", "q")


def split(neighbors: Neighbors) -> tuple[Any, Any, Any]:
    """The records in both datasets, only in the first, and only in the second."""
    a, b = neighbors.dataset, neighbors.neighbor
    only_a = left_over(a, b)
    return left_over(a, only_a), only_a, left_over(b, a)


def datasets(neighbors: Neighbors) -> Figure:
    """Records of both datasets, with those in one of them only in color."""
    a, b = neighbors.dataset, neighbors.neighbor
    if neighbors.neighboring_relation == "stated" and not _are_tables(a, b):
        return _stated(a, b)
    if neighbors.only_text:
        return empty("The file has only the text of these datasets.")
    parts = split(neighbors)
    sizes = len(a), len(b)
    summary = (
        f"The dataset (P) has {_records(sizes[0])} and its neighbor (Q) {sizes[1]:,}; "
        f"{len(parts[1])} and {len(parts[2])} are in one of them only."
    )
    if is_frame(a):
        return _frames(parts, summary)
    if not all(_numeric(part) for part in parts):
        return empty("The records are not numeric.")
    if a.ndim == 1 or a.shape[1] == 1:
        return _vectors([part.reshape(-1).astype(float) for part in parts], sizes, summary)
    return _tables([part.astype(float) for part in parts], summary)


def _numeric(array: Any) -> bool:
    return isinstance(array, np.ndarray) and bool(np.issubdtype(array.dtype, np.number))


def _are_tables(a: Any, b: Any) -> bool:
    """Whether datasets consist of rows of the same columns."""
    if is_frame(a) and is_frame(b):
        return list(a.columns) == list(b.columns)
    if not (_numeric(a) and _numeric(b)):
        return False
    return bool(a.ndim == b.ndim == 2 and a.shape[1:] == b.shape[1:])


def _stated(a: Any, b: Any) -> Figure:
    """Two vectors in one row of cells each; other datasets are not drawn."""
    if not (_numeric(a) and _numeric(b) and a.ndim == b.ndim == 1 and a.shape == b.shape):
        return empty("Stated datasets of this kind are not drawn.")
    differ = int(np.sum(~((a == b) | ((a != a) & (b != b)))))
    summary = (
        f"The dataset (P) and its neighbor (Q), as stated, have {len(a):,} values each, of which "
        f"{differ:,} differ."
    )
    none = np.empty((0, len(a)))
    return _tables([none, a[None].astype(float), b[None].astype(float)], summary)


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
    low, high = float(np.min(table, initial=0)), float(np.max(table, initial=0))
    cells = [
        Cell(i, j, float(value), f"{value:.2g}", (value - low) / ((high - low) or 1))
        for (i, j), value in np.ndenumerate(table)
    ]
    names = _names(len(shown), len(only_p), len(only_q))
    more = _left_out(len(both) - len(shown), parts[0].shape[1])
    columns = table.shape[1]
    return _drawn(
        cells,
        names,
        axis(f"column{more}", 0.5, columns + 0.5, step=max(1, columns // 10), grid=False),
        "column {x}: {value}",
        summary,
    )


def _frames(parts: Sequence[Any], summary: str) -> Figure:
    """As `_tables`, of columns with names, whose cells may be text."""
    shown, only_p, only_q = (part.iloc[:SHARED, :COLUMNS] for part in parts)
    names = _names(len(shown), len(only_p), len(only_q))
    if not names or not shown.shape[1]:
        return empty("The datasets are empty.")
    rows = [*keys(shown), *keys(only_p), *keys(only_q)]
    columns = [plain_name(str(name), 12) for name in shown.columns]
    cells = []
    for j, column in enumerate(zip(*rows, strict=True)):
        shares = _shares(column)
        cells += [
            Cell(i, j, f"{columns[j]}: {plain_name(str(x))}", _short(x), share)
            for i, (x, share) in enumerate(zip(column, shares, strict=True))
        ]
    cells.sort(key=lambda cell: (cell.row, cell.column))
    more = [len(parts[0]) - len(shown), parts[0].shape[1]]
    in_one = sum(max(len(part) - SHARED, 0) for part in parts[1:])
    beyond = f"{_left_out(*more)}{f', {in_one:,} more in one of them' if in_one else ''}"
    return _drawn(
        cells,
        names,
        axis(
            f"column{beyond}",
            0.5,
            len(columns) + 0.5,
            ticks={j + 1.0: name for j, name in enumerate(columns)},
            grid=False,
        ),
        "{value}",
        summary,
    )


class Cell(NamedTuple):
    """A cell of a table: where it is, its value and its text, and how dark it is (0 to 1)."""

    row: int
    column: int
    value: Any
    text: str
    share: float


def _names(both: int, only_p: int, only_q: int) -> list[str]:
    """In which of the datasets each row is."""
    return [*["both"] * both, *["P"] * only_p, *["Q"] * only_q]


def _left_out(records: int, columns: int) -> str:
    """What of a table is not drawn, in brackets."""
    left_out = [
        f"{records:,} more records are in both" if records else "",
        f"{columns:,} columns in all" if columns > COLUMNS else "",
    ]
    return f" ({', '.join(filter(None, left_out))})" if any(left_out) else ""


def _shares(column: Sequence[Any]) -> list[float]:
    """How dark cells of a column are: larger numbers darker, and other values not at all."""
    numbers = [float(x) for x in column if _finite(x)]
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    spread = (high / 2 - low / 2) or 1.0
    return [float((x / 2 - low / 2) / spread) if _finite(x) else 0.0 for x in column]


def _finite(x: Any) -> bool:
    return isinstance(x, int | float) and math.isfinite(x)


def _short(x: Any) -> str:
    return f"{x:.3g}" if isinstance(x, float) else plain_name(str(x), 8)


def _drawn(
    cells: Sequence[Cell], names: Sequence[str], columns: Axis, hover: str, summary: str
) -> Figure:
    """Rows of cells, framed where a record is in one of the datasets only."""
    roles = {"both": "muted", "P": "p", "Q": "q"}
    count = max((cell.column for cell in cells), default=0) + 1
    written = cells if count <= WRITTEN else []
    return chart(
        [
            targets("value", [cell.column + 1 for cell in cells], [cell.row for cell in cells],
                    hover, [cell.value for cell in cells]),
            # Darker for a larger value.
            *(box((cell.column + 0.53, cell.column + 1.47), (cell.row - 0.46, cell.row + 0.46),
                  "muted", opacity=0.08 + 0.9 * cell.share)
              for cell in cells),
            *(box((0.5, count + 0.5), (i - 0.5, i + 0.5), roles[name])
              for i, name in enumerate(names) if name != "both"),
            *(label(LEFT, i, name, roles[name], ha="right", dx=-6) for i, name in enumerate(names)),
            *(label(cell.column + 1, cell.row, cell.text, "paper" if cell.share > 0.5 else "ink",
                    size=11, veil=None)
              for cell in written),
        ],
        columns,
        bare_axis(len(names) - 0.5, -0.5),
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
