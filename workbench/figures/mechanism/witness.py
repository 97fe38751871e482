"""Outputs on both datasets on which a witness was measured, and its value at each of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench._format import plain
from workbench.curves.validation import Floats
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart, margins
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import Mark, Style, bars, box, histogram
from workbench.figures.kit.types import Figure
from workbench.figures.mechanism.search import mark_of

if TYPE_CHECKING:
    from workbench.testers.evidence import Picture

P = Style("P, dataset", "p")
Q = Style("Q, neighbor", "q", "dot")

#: Bins whose widths differ by a larger factor are drawn equally wide.
UNEVEN = 50

#: Height of the strip under the outputs as a share of theirs.
STRIP = 0.18

#: Labels of outcomes under a chart at most, characters of one, and those that a line holds.
LABELS, LETTERS, LINE = 12, 10, 34

#: What a picture's axis shows.
TITLES = {
    "outputs": "output",
    "outcomes": "output",
    "scores": "value of the witness at the output",
}


def witness(picture: Picture, tester: str, trial: int) -> Figure:
    """Fresh outputs on both datasets, over a strip colored by the value of the witness.

    Parameters
    ----------
    picture : Picture
    tester : str
    trial : int
        Counted from 0.
    """
    p, q = _shares(picture.counts_p), _shares(picture.counts_q)
    top = 1.08 * max(float(p.max(initial=0.0)), float(q.max(initial=0.0)), 1e-6)
    edges, ticks, turned, below = _bins(picture)
    if picture.edges is None:
        drawn = [
            bars(replace(style, dash="solid", width=1.5), shares, picture.labels, side)
            for style, shares, side in ((P, p, -1), (Q, q, 1))
        ]
    else:
        drawn = [
            histogram(style, edges, shares, opacity=opacity, hover="{y:.2%} {name}")
            for style, shares, opacity in ((P, p, 0.16), (Q, q, 0))
        ]
    far = int(np.argmax(np.abs(p - q))) if p.size else 0
    return chart(
        [
            *drawn,
            key([P, Q]),
            *_strip(edges, np.asarray(picture.scores, dtype=float), top),
        ],
        axis(TITLES.get(picture.of, "output"), float(edges[0]), float(edges[-1]), ticks=ticks,
             turned=turned),
        axis("share of fresh runs", -STRIP * top, top / (1 - HEADROOM), ticks=_percent(top)),
        summary=f"Outputs of {_runs(picture)} fresh runs per dataset in trial {trial + 1}, "
        f"and the witness of {mark_of(tester).name}. The shares differ most where P has "
        f"{p[far]:.2%} and Q {q[far]:.2%}.",
        closest=picture.edges is None,
        revision=(tester, trial),
        margin=margins(bottom=below),
    )  # fmt: skip


def _runs(picture: Picture) -> str:
    """Number of runs per dataset."""
    return f"{max(int(np.sum(picture.counts_p)), int(np.sum(picture.counts_q))):,}"


def _shares(counts: Any) -> Floats:
    counts = np.asarray(counts, dtype=float)
    return counts / max(counts.sum(), 1.0)


def _bins(picture: Picture) -> tuple[Floats, dict[float, str] | None, float | None, int]:
    """The bins' edges as drawn, the axis' ticks and their angle, and the pixels that they take."""
    if picture.edges is None:
        return _outcomes(picture.labels)
    edges = np.asarray(picture.edges, dtype=float)
    bins, widths = edges.size - 1, np.diff(edges)
    own = picture.labels[bins:]  # NaN and the like stand to the right of all numbers
    even = np.isfinite(edges).all() and 0 < widths.max() < UNEVEN * widths.min()
    if even and not own:
        return edges, None, None, 44
    drawn = edges if even else np.arange(edges.size, dtype=float)
    step = drawn[-1] - drawn[-2]
    drawn = np.append(drawn, drawn[-1] + step * np.arange(1, len(own) + 1))
    places = np.unique(np.linspace(0, bins, 5).round().astype(int))
    if own:
        places = places[:-1]
    ticks = {float(drawn[i]): _edge(float(edges[i])) for i in places}
    middles = drawn[bins : bins + len(own)] + step / 2
    ticks |= {float(at): _short(text) for at, text in zip(middles, own, strict=True)}
    return drawn, ticks, None, 44


def _outcomes(
    labels: Sequence[str],
) -> tuple[Floats, dict[float, str] | None, float | None, int]:
    places = range(0, len(labels), -(-len(labels) // LABELS))
    ticks = {float(i): _short(labels[i]) for i in places}
    turned = sum(len(text) + 2 for text in ticks.values()) > LINE
    edges = np.arange(len(labels) + 1, dtype=np.float64) - 0.5
    return edges, ticks, -45 if turned else 0, 92 if turned else 44


def _short(text: str) -> str:
    """A label that has room under a chart: of several columns, (0, 1) is written 01."""
    parts = text.strip("()").split(", ")
    text = ("" if all(len(part) == 1 for part in parts) else " ").join(parts)
    return text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"


def _edge(value: float) -> str:
    return plain(value) if math.isfinite(value) else ("∞" if value > 0 else "−∞")


def _percent(top: float) -> dict[float, str]:
    """Ticks from 0 on, above the strip."""
    power = 10.0 ** math.floor(math.log10(top))
    step = next(m * power for m in (0.2, 0.5, 1, 2) if m * power * 5 >= top)
    places = max(0, -math.floor(math.log10(step) + 1e-9) - 2)
    values = [step * k for k in range(math.floor(top / step) + 1)]
    return {value: f"{100 * value:.{places}f}%" for value in values}


def _strip(edges: Floats, strength: Floats, top: float) -> list[Mark]:
    """One rectangle per bin, colored by the evidence of the witness for P or for Q."""
    known = strength[np.isfinite(strength)]
    if known.size and (known.min() >= 0 or known.max() <= 0):
        # The witness of a tail is the output itself, which has no 0 between P and Q.
        strength = strength - (known.min() + known.max()) / 2
    finite = np.where(np.isfinite(strength), strength, 0.0)
    strongest = float(np.abs(finite).max(initial=0.0))
    if strongest == 0:
        return []
    height = (-0.85 * STRIP * top, -0.2 * STRIP * top)
    return [
        box(
            (float(edges[i]), float(edges[i + 1])),
            height,
            "p" if value > 0 else "q",
            opacity=0.02 + 0.97 * abs(value) / strongest,
        )
        for i, value in enumerate(finite)
        if value != 0
    ]
