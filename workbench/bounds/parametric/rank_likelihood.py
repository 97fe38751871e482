"""The likeliest member of a family of trade-off functions by ranks of the scores (`likeliest`).

A score that keeps the order of the likelihood ratio has no unit, so that only ranks tell the
parameter. Cut the pooled scores at some of their ranks. Under a member with trade-off function f,
the cut with pooled share s above it lies near the false positive rate α at which
w_q·α + w_p·(1 − f(α)) = s, with w the shares of the sides. That gives the masses of P and of Q
between cuts, and the likelihood of the counts there is multinomial. It takes the pooled ranks of
the cuts as if they had been fixed, and so is a pseudo-likelihood: its maximum is an estimate,
without a guarantee of its own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, xlogy

from workbench.curves.validation import Floats
from workbench.scores.sample import Scores

#: Cuts at even ranks, and toward either end at geometric ones.
_EVEN, _GEOMETRIC = 100, 24

#: False positive rates at which a curve is known, down to those that no sample shows.
_RATES = np.concatenate([[0.0], ndtr(np.linspace(-37, 8, 1201)), [1.0]])

#: Members in the first look, relative precision of the maximum.
_MEMBERS, _PRECISION = 25, 1e-5

_LEAST_MASS = 1e-300


def likeliest(
    curve: Callable[[float, Floats], Floats], scores: Scores, low: float, high: float
) -> float:
    """The parameter with the largest likelihood among those between two limits.

    Parameters
    ----------
    curve : callable
        Parameter and false positive rates -> false negative rates, smaller for a larger parameter.
    scores : Scores
    low, high : float
        Finite, 0 ≤ low ≤ high.
    """
    from scipy.optimize import minimize_scalar

    counts_p, counts_q = _counts(scores)
    n_p, n_q = counts_p.sum(), counts_q.sum()
    share_p, share_q = n_p / (n_p + n_q), n_q / (n_p + n_q)
    above = 1 - np.cumsum(counts_p + counts_q)[:-1] / (n_p + n_q)

    def cost(x: float) -> float:
        tpr = 1 - curve(_parameter(x), _RATES)
        fpr_cut = np.interp(above, share_q * _RATES + share_p * tpr, _RATES)
        tpr_cut = np.clip((above - share_q * fpr_cut) / share_p, 0.0, 1.0)
        mass_p, mass_q = (
            np.maximum(-np.diff(np.concatenate([[1.0], cut, [0.0]])), _LEAST_MASS)
            for cut in (tpr_cut, fpr_cut)
        )
        return -float(xlogy(counts_p, mass_p).sum() + xlogy(counts_q, mass_q).sum())

    # On the scale of x = log(1 + parameter) one step serves small and large parameters.
    first = np.linspace(np.log1p(low), np.log1p(high), _MEMBERS)
    costs = [cost(x) for x in first]
    i = int(np.argmin(costs))
    ends = float(first[max(i - 1, 0)]), float(first[min(i + 1, _MEMBERS - 1)])
    best = float(first[i])
    if ends[0] < ends[1]:
        found = minimize_scalar(
            cost, bounds=ends, method="bounded", options={"xatol": _PRECISION * (1 + ends[1])}
        )
        best = float(found.x) if found.fun < costs[i] else best
    return float(np.clip(_parameter(best), low, high))


def _parameter(x: float) -> float:
    return float(np.expm1(x))


def _counts(scores: Scores) -> tuple[Floats, Floats]:
    """Scores of P and of Q between cuts, from the least; a cut does not part equal scores."""
    p, q = scores.samples.groups
    n = p.size + q.size
    near = np.geomspace(1, max(n // 2, 1), _GEOMETRIC)
    ranks = np.concatenate([near, np.linspace(1, n - 1, _EVEN), n - near]).astype(np.int64)
    distinct = scores.samples.distinct
    upto = np.cumsum(distinct.p + distinct.q)
    at = np.unique(np.searchsorted(upto, np.unique(ranks)))
    cuts = distinct.values[at[at < upto.size - 1]]
    return tuple(  # type: ignore[return-value]
        np.diff(np.concatenate([[0], group.up_to(cuts), [group.size]])).astype(float)
        for group in (p, q)
    )
