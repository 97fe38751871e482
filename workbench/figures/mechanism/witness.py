"""What a witness was measured on: outputs on both datasets, and how it takes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench._format import plain
from workbench.figures.kit.layout import base_layout
from workbench.figures.kit.legend import HEADROOM, Entry, key
from workbench.figures.mechanism.search import mark_of

if TYPE_CHECKING:
    from workbench.testers.evidence import Picture

P = Entry("P, dataset", "p")
Q = Entry("Q, neighbor", "q", "dot")

#: Bins whose widths differ by a larger factor are drawn equally wide.
UNEVEN = 50

#: Height of the strip under the outputs as a share of theirs, and half the width of a pair of bars.
STRIP, BAR = 0.18, 0.4

#: Labels of outcomes under a chart at most, characters of one, and those that a line holds.
LABELS, LETTERS, LINE = 12, 10, 34

#: What a picture's axis shows.
TITLES = {
    "outputs": "output",
    "outcomes": "output",
    "scores": "score of the output by the witness",
}


def witness(picture: Picture, tester: str, trial: int) -> dict[str, Any]:
    """Fresh outputs on both datasets, and a strip of what the witness thinks of them.

    Parameters
    ----------
    picture : Picture
    tester : str
    trial : int
        Counted from 0.
    """
    p, q = _shares(picture.counts_p), _shares(picture.counts_q)
    top = 1.08 * max(float(p.max(initial=0.0)), float(q.max(initial=0.0)), 1e-6)
    edges, axis, below = _bins(picture)
    drawn = key([P, Q])
    drawn["shapes"] += _strip(edges, np.asarray(picture.scores, dtype=float), top)
    if picture.edges is None:
        data = [_bars(P, p, picture.labels, -1), _bars(Q, q, picture.labels, 1)]
    else:
        data = [_steps(P, edges, p, 0.16), _steps(Q, edges, q, 0)]
    far = int(np.argmax(np.abs(p - q))) if p.size else 0
    return {
        "data": data,
        "layout": base_layout(
            TITLES.get(picture.of, "output"),
            "share of fresh runs",
            summary=f"Outputs of {_runs(picture)} fresh runs a side in trial {trial + 1}, "
            f"and the witness of {mark_of(tester).name}. The shares differ most where P has "
            f"{p[far]:.2%} and Q {q[far]:.2%}.",
            x={"range": [float(edges[0]), float(edges[-1])], **axis},
            y={"range": [-STRIP * top, top / (1 - HEADROOM)], **_percent(top)},
            hovermode="closest" if picture.edges is None else "x",
            revision=(tester, trial),
            margin={"l": 56, "r": 16, "t": 8, "b": below},
            **drawn,
        ),
    }  # fmt: skip


def _runs(picture: Picture) -> str:
    """How many runs a side a picture shows."""
    return f"{max(int(np.sum(picture.counts_p)), int(np.sum(picture.counts_q))):,}"


def _shares(counts: Any) -> NDArray[np.float64]:
    counts = np.asarray(counts, dtype=float)
    return counts / max(counts.sum(), 1.0)


def _bins(picture: Picture) -> tuple[NDArray[np.float64], dict[str, Any], int]:
    """The bins' edges as drawn, what the axis says of them, and the pixels that it takes."""
    if picture.edges is None:
        return _outcomes(picture.labels)
    edges = np.asarray(picture.edges, dtype=float)
    bins, widths = edges.size - 1, np.diff(edges)
    own = picture.labels[bins:]  # NaN and the like stand to the right of all numbers
    even = np.isfinite(edges).all() and 0 < widths.max() < UNEVEN * widths.min()
    if even and not own:
        return edges, {}, 44
    drawn = edges if even else np.arange(edges.size, dtype=float)
    step = drawn[-1] - drawn[-2]
    drawn = np.append(drawn, drawn[-1] + step * np.arange(1, len(own) + 1))
    places = np.unique(np.linspace(0, bins, 5).round().astype(int))
    if own:
        places = places[:-1]
    axis = {
        "tickvals": [*drawn[places], *(drawn[bins : bins + len(own)] + step / 2)],
        "ticktext": [*(_edge(float(edges[i])) for i in places), *map(_short, own)],
    }
    return drawn, axis, 44


def _outcomes(labels: Sequence[str]) -> tuple[NDArray[np.float64], dict[str, Any], int]:
    places = list(range(0, len(labels), -(-len(labels) // LABELS)))
    texts = [_short(labels[i]) for i in places]
    turned = sum(len(text) + 2 for text in texts) > LINE
    axis = {"tickvals": places, "ticktext": texts, "tickangle": -45 if turned else 0}
    edges = np.arange(len(labels) + 1, dtype=np.float64) - 0.5
    return edges, axis, 92 if turned else 44


def _short(text: str) -> str:
    """A label that has room under a chart: of several columns, (0, 1) is written 01."""
    parts = text.strip("()").split(", ")
    text = ("" if all(len(part) == 1 for part in parts) else " ").join(parts)
    return text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"


def _edge(value: float) -> str:
    return plain(value) if math.isfinite(value) else ("∞" if value > 0 else "−∞")


def _steps(
    entry: Entry, edges: NDArray[np.float64], shares: NDArray[np.float64], fill: float
) -> dict[str, Any]:
    more = {"fill": "tozeroy", "fillcolor": f"@{entry.role}/{fill}"} if fill else {}
    return {
        "type": "scatter",
        "mode": "lines",
        "name": entry.text,
        "x": edges,
        "y": np.append(shares, shares[-1:]),
        "line": {"color": f"@{entry.role}", "width": 2, "dash": entry.dash, "shape": "hv"},
        "hovertemplate": "%{y:.2%}",
        **more,
    }


def _bars(
    entry: Entry, shares: NDArray[np.float64], labels: Sequence[str], side: float
) -> dict[str, Any]:
    """A bar an outcome, left or right of its middle: one line that returns to 0 between them."""
    middle = np.arange(shares.size)[:, None]
    x = middle + side * BAR * np.array([0.0, 0.0, 1.0, 1.0])
    y = shares[:, None] * np.array([0.0, 1.0, 1.0, 0.0])
    order = slice(None) if side > 0 else slice(None, None, -1)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": entry.text,
        "x": x[:, order].ravel(),
        "y": y.ravel(),
        "customdata": [label for label in labels for _ in range(4)],
        "line": {"color": f"@{entry.role}", "width": 1.5},
        "fill": "tozeroy",
        "fillcolor": f"@{entry.role}/.5",
        "hovertemplate": f"%{{customdata}}, {entry.text}: %{{y:.2%}}<extra></extra>",
    }


def _percent(top: float) -> dict[str, Any]:
    """Ticks from 0 on, above the strip."""
    power = 10.0 ** math.floor(math.log10(top))
    step = next(m * power for m in (0.2, 0.5, 1, 2) if m * power * 5 >= top)
    places = max(0, -math.floor(math.log10(step) + 1e-9) - 2)
    values = [step * k for k in range(math.floor(top / step) + 1)]
    return {"tickvals": values, "ticktext": [f"{100 * v:.{places}f}%" for v in values]}


def _strip(
    edges: NDArray[np.float64], strength: NDArray[np.float64], top: float
) -> list[dict[str, Any]]:
    """A rectangle a bin: how far the witness takes it for an output of P, or of Q."""
    known = strength[np.isfinite(strength)]
    if known.size and (known.min() >= 0 or known.max() <= 0):
        # The witness of a tail is the output itself, which has no 0 between P and Q.
        strength = strength - (known.min() + known.max()) / 2
    finite = np.where(np.isfinite(strength), strength, 0.0)
    strongest = float(np.abs(finite).max(initial=0.0))
    if strongest == 0:
        return []
    return [
        {
            "type": "rect",
            "layer": "below",
            "x0": float(edges[i]),
            "x1": float(edges[i + 1]),
            "y0": -0.85 * STRIP * top,
            "y1": -0.2 * STRIP * top,
            "line": {"width": 0, "color": "@line"},
            "fillcolor": f"@{'p' if value > 0 else 'q'}/{0.02 + 0.97 * abs(value) / strongest:.2f}",
        }
        for i, value in enumerate(finite)
        if value != 0
    ]
