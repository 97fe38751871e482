"""Two-sided limits of a histogram's hockey-stick divergence, for bins fixed in advance.

They hold for bins that do not depend on the scores, and are void otherwise: for a width from a
standard deviation, quantile bins, a range read off the data, or a slider that was dragged.
"""

from __future__ import annotations

import math

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.estimators.histogram import Histogram

METHODS = {"mcdiarmid": "fixed bins (McDiarmid)", "canonne": "fixed bins (Canonne)"}

BINS_FROM_DATA = "bins derived from the data; fix range and width in advance"


def hockey_stick_limits(
    histogram: Histogram,
    epsilon: float = 0.0,
    confidence: float = 0.95,
    method: str = "mcdiarmid",
) -> tuple[Bound, Bound]:
    """Lower and upper limit of H_{e^ε}(P‖Q) over fixed bins; at ε = 0, of the total variation.

    Parameters
    ----------
    histogram : Histogram
        Its bins must not depend on its scores.
    epsilon : float
        0 for the total variation.
    confidence : float
        Of both limits together; each takes half of the error probability.
    method : {"mcdiarmid", "canonne"}
        "mcdiarmid", the sharper: with V = 1/n_p + e^{2ε}/n_q and k bins,
        Ĥ − ½√((k−1)V) − √(V·log(1/ρ)/2) ≤ H ≤ Ĥ + √(V·log(1/ρ)/2).
        "canonne": Ĥ ± (τ_p + e^ε τ_q), τ = √(max{k/n, (2/n)·log(2/ρ)}) (HIST Lemmas 4.2, 4.3,
        with n of each sample and ρ split between them).

    Returns
    -------
    lower, upper : Bound
        A pair, in place of one `Bound`, because the two limits are about different things. The
        lower one also holds for the divergence of P and Q themselves; the upper one holds for the
        *binned* pair only, which shows nothing of what happens inside a bin.

    Raises
    ------
    TypeError
        ``histogram`` is no Histogram.
    ValueError
        Unknown method, ε or confidence out of range.

    Notes
    -----
    Guarantee: pointwise, for bins fixed in advance; `Bound.void` says so when the histogram knows
    that they were not. Derivation of the sharper limit: E[D]₊ ≤ sd(D)/2 and Cauchy–Schwarz bound
    the bias, McDiarmid's inequality the deviation, and Jensen's makes the bias one-sided.

    Examples
    --------
    >>> scores = wb.GaussianPair(1).sample(10_000, seed=0)
    >>> lower, upper = wb.hockey_stick_limits(wb.histogram(scores, bins=20, range=(-4, 5)))
    >>> lower.value < wb.GaussianPair(1).total_variation < upper.value
    True
    """
    need = "a workbench.Histogram: make one with wb.histogram(scores, bins=, range=)"
    _checks.instance(histogram, Histogram, "histogram", need)
    _checks.one_of(method, "method", METHODS)
    epsilon = _checks.number(epsilon, "epsilon")
    confidence = _checks.confidence(confidence)
    s, k = histogram.scores, histogram.p.size
    a = math.exp(epsilon) if epsilon < 709 else math.inf
    error = (1 - confidence) / 2
    estimate = float(histogram.hockey_stick(epsilon))
    if method == "canonne":
        down = up = _canonne(k, s.n_p, error) + a * _canonne(k, s.n_q, error)
    else:
        variance = 1 / s.n_p + a * a / s.n_q
        up = math.sqrt(variance * math.log(1 / error) / 2)
        down = up + math.sqrt((k - 1) * variance) / 2
    values = {
        "lower": max(estimate - down, 0.0, 1 - a),  # H_{e^ε} ≥ 1 − e^ε always
        "upper": min(estimate + up, 1.0),
    }
    lower, upper = (
        Bound.of_scores(
            s,
            value,
            quantity="total variation" if epsilon == 0 else "delta",
            side=side,
            guarantee="pointwise",
            method=METHODS[method],
            confidence=confidence,
            at=QuantityArguments(epsilon=None if epsilon == 0 else epsilon),
            direction="P‖Q",
            void=BINS_FROM_DATA if histogram.from_data else None,
        )
        for side, value in values.items()
    )
    return lower, upper


def _canonne(k: int, n: int, error: float) -> float:
    """τ with TV(p, p̂) ≤ τ with probability 1 − ``error``, for one side."""
    return math.sqrt(max(k / n, 2 / n * math.log(2 / error)))
