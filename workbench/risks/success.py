"""The largest success that a pair allows at a baseline: 1 − f(κ), never below the truth.

The symmetrized trade-off function f of a pair with privacy profile δ satisfies

    1 − f(κ) = min over real ε of δ(ε) + e^ε κ                                                 (1)

(Dong, Roth and Su 2022, Proposition 2.12). There is no difference in it, so that a κ of 1e-9 keeps
its digits, and each ε gives an upper limit: a minimum that is missed by a little errs to the safe
side. Pairs with a closed form give log(1 − f) themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from workbench.curves.validation import Floats, quiet
from workbench.pairs.base import Pair, SymmetricPair

Success = Callable[[Floats], Floats]

#: Records of a group, at most.
MOST_RECORDS = 1000

#: What round-off may take from a success, of itself.
ROUND_OFF = 1e-12

#: Lines of formula (1) that are tried first, from the largest ε to its mirror image.
_LINES = 4001

#: Lines beside the best of them that are tried next, again and again until ε is this exact.
_NEAR, _EXACT = 33, 1e-10

#: Baseline from which on the lines may end at a δ, by which they miss a success at most; the first
#: takes compositions a second, as nothing on their grid is as small. They end at the ε, too.
_ENDS = ((0.0, 1e-15), (1e-6, 1e-10), (1e-3, 1e-7))
_MOST_EPSILON = 300.0


def success(pair: Pair, baseline: Floats) -> Floats:
    """1 − f at each baseline, up to `ROUND_OFF`.

    Parameters
    ----------
    pair : Pair
    baseline : ndarray
        In [0, 1].
    """
    pair = pair.closed_form or pair
    if isinstance(pair, SymmetricPair):
        return np.exp(np.asarray(pair.log_rates(baseline)[1]))
    least = float(np.min(baseline, initial=1.0))
    epsilon, log_delta = _lines(pair, next(end for above, end in _ENDS[::-1] if least >= above))
    with quiet():
        log_baseline = np.log(baseline)[..., None]
        found = np.logaddexp(log_delta, epsilon + log_baseline)
        near, step = epsilon[np.argmin(found, axis=-1)], epsilon[1] - epsilon[0]
        best = found.min(axis=-1)
        while step > _EXACT:
            at = near[..., None] + np.linspace(-step, step, _NEAR)
            found = np.logaddexp(np.asarray(pair.log_profile(at)), at + log_baseline)
            here = np.argmin(found, axis=-1)[..., None]
            near, step = np.take_along_axis(at, here, -1)[..., 0], 2 * step / (_NEAR - 1)
            best = np.minimum(best, found.min(axis=-1))
    return np.minimum(np.exp(best), 1.0)


def upper_success(success_of_one: Success, baseline: Floats, group: int) -> Floats:
    """The success against a group of records, never below the truth.

    Parameters
    ----------
    success_of_one : callable
        From baselines to 1 − f, up to `ROUND_OFF`.
    baseline : ndarray
        In [0, 1].
    group : int
        Of how many records, at least 1: g(g(… κ)) with g = 1 − f (Dong, Roth and Su 2022, Theorem
        2.14).
    """
    reached = np.asarray(baseline, dtype=float)
    for _ in range(group):
        found = success_of_one(reached) * (1 + ROUND_OFF)
        reached = np.minimum(np.maximum(found, reached), 1.0)
        if (reached == 1).all():
            break
    return reached


@lru_cache(maxsize=32)
def _lines(pair: Pair, delta: float) -> tuple[Floats, Floats]:
    """ε of the lines of formula (1), to where δ is this, and log δ there."""
    end = min(float(pair.epsilon(delta)), _MOST_EPSILON)
    epsilon = np.linspace(-1, 1, _LINES) * max(end, 1e-3)
    return epsilon, np.asarray(pair.log_profile(epsilon), dtype=float)
