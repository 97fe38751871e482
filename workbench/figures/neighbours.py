"""Two neighbouring datasets, drawn: what they share, and the record in which they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.figures.layout import base_layout, empty, label
from workbench.testers.neighbours import Neighbours
from workbench.testers.result import left_over

Records = NDArray[Any]

#: Records of a vector that are drawn at most, and of a table that two datasets share.
MOST, SHARED = 1000, 10

#: Columns of a table that have room for a number in each cell.
WRITTEN = 12


def split(neighbours: Neighbours) -> tuple[Records, Records, Records]:
    """The records in both datasets, only in the first, and only in the second."""
    a, b = neighbours.dataset, neighbours.neighbour
    only_a = left_over(a, b)
    return left_over(a, only_a), only_a, left_over(b, a)


def datasets(neighbours: Neighbours) -> dict[str, Any]:
    """The records of both datasets; those of one of them only are coloured."""
    parts = split(neighbours)
    if not all(np.issubdtype(part.dtype, np.number) for part in parts):
        return empty("The records are no numbers.")
    sizes = len(neighbours.dataset), len(neighbours.neighbour)
    summary = (
        f"The dataset (P) has {_records(sizes[0])} and its neighbour (Q) {sizes[1]:,}; "
        f"{len(parts[1])} and {len(parts[2])} are in one of them only."
    )
    if neighbours.dataset.ndim == 1 or neighbours.dataset.shape[1] == 1:
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
        for where, colour in zip(shared, ("muted", role), strict=True):
            dots.append(_dots(values[where], row + up[where], colour))
    texts = [(1, f"dataset (P): {_records(sizes[0])}", "p"),
             (0, f"neighbour (Q): {_records(sizes[1])}", "q")]  # fmt: skip
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
    """A row a record: first those of both datasets, then those of one."""
    both, only_p, only_q = parts
    shown = both[:SHARED]
    more = len(both) - len(shown)
    table = np.vstack([shown, only_p, only_q])
    names = [*("both" for _ in shown), *("P" for _ in only_p), *("Q" for _ in only_q)]
    roles = {"both": "muted", "P": "p", "Q": "q"}
    rows = range(len(table))
    written = table.shape[1] <= WRITTEN
    low, high = float(np.min(table, initial=0)), float(np.max(table, initial=0))
    return {
        "data": [
            {
                "type": "heatmap",
                "x": np.arange(1, table.shape[1] + 1),
                "y": list(rows),
                "z": table.tolist(),
                "zmin": low,
                "zmax": high if high > low else low + 1,
                "colorscale": [[0, "@page"], [1, "@muted"]],
                "showscale": False,
                "xgap": 2,
                "ygap": 2,
                "hovertemplate": "column %{x}: %{z}<extra></extra>",
            }
        ],
        "layout": base_layout(
            "column" if not more else f"column ({more:,} more records are in both)",
            "",
            summary=summary,
            x={"range": [0.5, table.shape[1] + 0.5], "dtick": max(1, table.shape[1] // 10),
               "showgrid": False},
            y={"range": [len(table) - 0.5, -0.5], "showticklabels": False, "showgrid": False,
               "ticks": "", "showline": False, "fixedrange": True},
            shapes=[_frame(i, roles[name], table.shape[1]) for i, name in enumerate(names)
                    if name != "both"],
            annotations=[
                *(label(0, i, name, roles[name], xref="paper", xanchor="right", xshift=-6)
                  for i, name in enumerate(names)),
                *([_cell(j + 1, i, table[i, j], low, high) for i in rows
                   for j in range(table.shape[1])] if written else []),
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
        "name": {"muted": "in both", "p": "in the dataset only", "q": "in the neighbour only"}[
            role
        ],
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


def _cell(x: int, y: int, value: float, low: float, high: float) -> dict[str, Any]:
    dark = high > low and (value - low) / (high - low) > 0.5
    font = {"size": 11, "color": "@paper" if dark else "@ink"}
    return label(x, y, f"{value:.2g}", "ink", font=font, bgcolor=None)


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
