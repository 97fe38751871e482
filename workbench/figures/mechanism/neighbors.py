"""Two neighboring datasets, drawn: what they share, and the record in which they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.figures.kit.layout import base_layout, empty, label
from workbench.testers.finders.neighbors import Neighbors, left_over

Records = NDArray[Any]

#: Records of a vector that are drawn at most, and of a table that two datasets share.
MOST, SHARED = 1000, 10

#: Columns of a table that are drawn at most, and that have room for a number in each cell.
COLUMNS, WRITTEN = 20, 12


def split(neighbors: Neighbors) -> tuple[Records, Records, Records]:
    """The records in both datasets, only in the first, and only in the second."""
    a, b = neighbors.dataset, neighbors.neighbor
    only_a = left_over(a, b)
    return left_over(a, only_a), only_a, left_over(b, a)


def datasets(neighbors: Neighbors) -> dict[str, Any]:
    """The records of both datasets; those of one of them only are colored."""
    parts = split(neighbors)
    if not all(np.issubdtype(part.dtype, np.number) for part in parts):
        return empty("The records are no numbers.")
    sizes = len(neighbors.dataset), len(neighbors.neighbor)
    summary = (
        f"The dataset (P) has {_records(sizes[0])} and its neighbor (Q) {sizes[1]:,}; "
        f"{len(parts[1])} and {len(parts[2])} are in one of them only."
    )
    if neighbors.dataset.ndim == 1 or neighbors.dataset.shape[1] == 1:
        return _vectors([part.reshape(-1).astype(float) for part in parts], sizes, summary)
    return _tables([part.astype(float) for part in parts], summary)


def _vectors(parts: Sequence[Records], sizes: tuple[int, int], summary: str) -> dict[str, Any]:
    """Two rows of dots, a dot a record; equal ones are stacked."""
    both, only_p, only_q = (part[:MOST] for part in parts)
    stacks = {1.0: _stacked(both, only_p), 0.0: _stacked(both, only_q)}
    dots = []
    for (row, (values, up)), own, role in zip(
        stacks.items(), (only_p, only_q), ("p", "q"), strict=True
    ):
        shared = slice(None, values.size - own.size), slice(values.size - own.size, None)
        for where, color in zip(shared, ("muted", role), strict=True):
            dots.append(_dots(values[where], row + up[where], color))
    texts = [(1, f"dataset (P): {_records(sizes[0])}", "p"),
             (0, f"neighbor (Q): {_records(sizes[1])}", "q")]  # fmt: skip
    return {
        "data": dots,
        "layout": base_layout(
            "value of a record",
            "",
            summary=summary,
            x={"range": _room(np.concatenate([both, only_p, only_q]))},
            y={"range": [-0.25, 1.95], "showticklabels": False, "showgrid": False, "ticks": "",
               "showline": False, "fixedrange": True},
            annotations=[
                label(0, row + 0.62, text, role, xref="paper", xanchor="left", xshift=6)
                for row, text, role in texts
            ],
            hovermode="closest",
            margin={"l": 16, "r": 16, "t": 8, "b": 44},
        ),
    }  # fmt: skip


def _tables(parts: Sequence[Records], summary: str) -> dict[str, Any]:
    """A row of cells a record: first those of both datasets, then those of one."""
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
    return {
        "data": [_values(cells)],
        "layout": base_layout(
            f"column{more}",
            "",
            summary=summary,
            x={"range": [0.5, table.shape[1] + 0.5], "dtick": max(1, table.shape[1] // 10),
               "showgrid": False},
            y={"range": [len(table) - 0.5, -0.5], "showticklabels": False, "showgrid": False,
               "ticks": "", "showline": False, "fixedrange": True},
            shapes=[
                *(_cell(i, j, share) for i, j, _, share in cells),
                *(_frame(i, roles[name], table.shape[1]) for i, name in enumerate(names)
                  if name != "both"),
            ],
            annotations=[
                *(label(0, i, name, roles[name], xref="paper", xanchor="right", xshift=-6)
                  for i, name in enumerate(names)),
                *(_written(*cell) for cell in cells if table.shape[1] <= WRITTEN),
            ],
            hovermode="closest",
            margin={"l": 44, "r": 16, "t": 8, "b": 44},
        ),
    }  # fmt: skip


def _stacked(*parts: Records) -> tuple[Records, NDArray[np.float64]]:
    """The values in order, and how far equal ones are lifted above each other."""
    values = np.concatenate(parts)
    seen: Counter[float] = Counter()
    places = []
    for value in values.tolist():
        places.append(seen[value])
        seen[value] += 1
    most = max(places, default=0)
    return values, np.array(places) * min(0.12, 0.4 / max(most, 1))


def _dots(x: Records, y: Any, role: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": {"muted": "in both", "p": "in the dataset only", "q": "in the neighbor only"}[role],
        "x": x,
        "y": y,
        "hovertemplate": "%{x}",
        "cliponaxis": False,
        "marker": {
            "size": 9 if role == "muted" else 13,
            "symbol": "circle-open" if role == "muted" else "diamond",
            "color": f"@{role}",
            "line": {"width": 1.5, "color": f"@{role}"},
        },
    }


def _frame(row: int, role: str, columns: int) -> dict[str, Any]:
    """Around a record that only one dataset has."""
    ends = {"x0": 0.5, "x1": columns + 0.5, "y0": row - 0.5, "y1": row + 0.5}
    return {"type": "rect", "line": {"color": f"@{role}", "width": 2}, **ends}


def _values(cells: Sequence[tuple[int, int, float, float]]) -> dict[str, Any]:
    """What a pointer finds in the cells."""
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "value",
        "x": [j + 1 for _, j, _, _ in cells],
        "y": [i for i, _, _, _ in cells],
        "customdata": [value for _, _, value, _ in cells],
        "hovertemplate": "column %{x}: %{customdata}<extra></extra>",
        "marker": {"size": 12, "color": "rgba(0,0,0,0)"},
    }


def _cell(row: int, column: int, share: float) -> dict[str, Any]:
    """Darker for a larger value."""
    return {
        "type": "rect",
        "layer": "below",
        **{"x0": column + 0.53, "x1": column + 1.47, "y0": row - 0.46, "y1": row + 0.46},
        "line": {"width": 0, "color": "@line"},
        "fillcolor": f"@muted/{0.08 + 0.9 * share:.2f}",
    }


def _written(row: int, column: int, value: float, share: float) -> dict[str, Any]:
    font = {"size": 11, "color": "@paper" if share > 0.5 else "@ink"}
    return label(column + 1, row, f"{value:.2g}", "ink", font=font, bgcolor=None)


def _records(count: int) -> str:
    return f"{count:,} record" + ("" if count == 1 else "s")


def _room(values: NDArray[np.float64]) -> list[float]:
    """The axis for the values, with a margin."""
    values = values[np.isfinite(values)]
    if not values.size:
        return [0.0, 1.0]
    low, high = float(values.min()), float(values.max())
    margin = 0.08 * ((high - low) or max(abs(high), 1.0))
    return [low - margin, high + margin]
