"""Charts while models are trained: their scores so far, and the anytime bound after each."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from workbench._format import percent, plain, round_safely
from workbench.bounds.anytime.anytime import AnytimePath
from workbench.curves.validation import Floats
from workbench.figures.kit import log_n_axis
from workbench.figures.kit.axes import axis, powers_of_ten, round_up
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import Style, histogram, rule
from workbench.figures.kit.types import Figure
from workbench.figures.watch import short_e_value
from workbench.following.evidence import ClaimEvidence

INCLUDED = Style("included", "p")
LEFT_OUT = Style("not included", "q")
ANYTIME = Style("anytime bound", "good", "solid", 2.5)
CLAIM = Style("claim", "ink", "dash", 1.5)
HEURISTIC = Style("last iterate, heuristic", "muted", "dot", 1.5)

EVIDENCE = Style("evidence", "p", "solid", 2)

#: Smallest power of ten of the e-values that the chart shows, and how many ticks about.
LOWEST, TICKS = -2.0, 8

#: Bins of the histograms, at most.
BINS = 40

#: A reference beyond this ε is not drawn; the summary states it.
FAR = 50.0


def arriving(included: ArrayLike, left_out: ArrayLike) -> Figure:
    """Histograms of the scores so far, counted, so that they grow.

    Parameters
    ----------
    included, left_out : array_like, shape (k,), (m,)
        Scores of what was in the training data, and of what was not.
    """
    p, q = (_finite(side) for side in (included, left_out))
    both = np.concatenate([p, q])
    if not both.size:
        return empty("No scores yet.")
    low, high = _extent(both)
    edges = np.linspace(low, high, min(BINS, max(8, round(2 * math.sqrt(both.size)))) + 1)
    in_bins, out_bins = (np.histogram(side, edges)[0] for side in (p, q))
    top = max(int(in_bins.max(initial=0)), int(out_bins.max(initial=0)), 1)
    return chart(
        [
            histogram(LEFT_OUT, edges, out_bins, hover="{y} {name}"),
            histogram(INCLUDED, edges, in_bins, hover="{y} {name}"),
            key([INCLUDED, LEFT_OUT], columns=2),
        ],
        axis("score", low, high),
        axis("scores in a bin", 0, top / (1 - HEADROOM)),
        summary=f"Histograms of {p.size:,} scores with the record and {q.size:,} without it. "
        f"Their means are {_mean(p)} and {_mean(q)}.",
        revision=None,
    )


def bounds(
    path: AnytimePath,
    planned: int,
    delta: float,
    claim: float | None,
    heuristic: float | None,
) -> Figure:
    """The anytime lower bound against the number of models, with the references.

    Parameters
    ----------
    path : AnytimePath
        Of scores with and without what is audited, one of each at a time.
    planned : int
        Models when all are trained.
    delta : float
        Of all three.
    claim, heuristic : float, optional
        ε of the accountant, and of the last-iterate pair.
    """
    drawn = [
        (style, value)
        for style, value in ((CLAIM, claim), (HEURISTIC, heuristic))
        if value is not None and value <= FAR
    ]
    tops = [0.1, float(path.values.max(initial=0.0)), *(value for _, value in drawn)]
    top = round_up(1.05 * max(tops))
    now = path.bound
    models = path.n_p + path.n_q
    seen = models > 0
    # The bound holds from its look until the last model.
    n = np.append(models[seen], max(int(models[-1]) if models.size else 1, 1))
    values = np.append(path.values[seen], now.value)
    span = _span(planned)
    said = [f"The claim is ε ≤ {round_safely(claim, 'up')}."] if claim is not None else []
    if heuristic is not None:
        said.append(f"The last-iterate heuristic is {round_safely(heuristic, 'nearest')}.")
    return chart(
        [
            *(rule(style, y=value) for style, value in drawn),
            log_n_axis.curve(ANYTIME, n, values, True, hover="ε ≥ {y:.3g} after {value} models"),
            key([ANYTIME, *(style for style, _ in drawn)]),
        ],
        log_n_axis.axis("models trained", *span),
        axis(f"ε at δ = {plain(delta)}", 0, top / (1 - 1.5 * HEADROOM)),
        summary=" ".join(
            [f"After {int(n[-1]):,} models the anytime bound is ε ≥ {now.rounded}.", *said]
        ),
        revision=(*span, top),
    )


def evidence(found: ClaimEvidence, planned: int, confidence: float) -> Figure:
    """The e-value against the claim after each number of models, and the value that refutes it.

    Parameters
    ----------
    found : ClaimEvidence
        Of rows that are one model with what is audited, and one without it.
    planned : int
        Models when all are trained.
    confidence : float
        The claim is refuted at an e-value of 1 / (1 − confidence).
    """
    powers = found.log / math.log(10)
    goal = -math.log10(1 - confidence)
    top = max(3.0, math.ceil(1.05 * float(powers.max(initial=0.0))))
    low = max(LOWEST, min(-1.0, math.floor(float(powers.min(initial=0.0)))))
    step = max(1, math.ceil((top - low) / TICKS))
    ticks = [k for k in range(math.floor(low), math.ceil(top) + 1) if k % step == 0]
    span, times = _span(planned), round(1 / (1 - confidence))
    last = float(found.log[-1]) if found.log.size else 0.0
    return chart(
        [
            log_n_axis.curve(EVIDENCE, 2 * found.n, powers, True, hover="{value} models"),
            *log_n_axis.level(0, role="line", dash="solid"),
            *log_n_axis.level(goal, f"refuted at {times:,} ({percent(confidence)})", role="bad"),
        ],
        log_n_axis.axis("models trained", *span),
        axis("e-value", low, top, ticks=powers_of_ten(ticks, log=False)),
        summary=f"Evidence against the claim, {found.claimed}: e-value {short_e_value(last)} "
        f"after the last model; an e-value of {times:,} refutes the claim.",
        revision=(*span, low, top),
    )


def _span(planned: int) -> tuple[float, float]:
    """Ends of the axis of models, in log₁₀."""
    return 1.0, math.log10(max(planned, 20))


def _finite(scores: ArrayLike) -> Floats:
    values = np.asarray(scores, dtype=float)
    return values[np.isfinite(values)]


def _extent(values: Floats) -> tuple[float, float]:
    """All but a few far scores, which would squeeze the others into one bin."""
    low, high = float(values.min()), float(values.max())
    a, b = (float(one) for one in np.quantile(values, [0.005, 0.995]))
    room = 0.5 * (b - a)
    low, high = max(low, a - room), min(high, b + room)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _mean(values: Floats) -> str:
    return f"{values.mean():.4g}" if values.size else "not known"
