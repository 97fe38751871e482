"""The largest success that a pair allows at a baseline: 1 − f(κ), never below the truth.

The symmetrized trade-off function f of a pair with privacy profile δ satisfies

    1 − f(κ) = min over real ε of δ(ε) + e^ε κ                                                 (1)

(Dong, Roth and Su 2022, Proposition 2.12). There is no difference in it, so that a κ of 1e-9 keeps
its digits, and each ε gives an upper limit: a minimum that is missed by a little errs to the safe
side. Pairs with a closed form give log(1 − f) themselves.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from workbench.claims.base import Claim
from workbench.curves.validation import Floats, quiet
from workbench.pairs.base import Pair, SymmetricPair

#: What round-off may take from a success, of itself.
ROUND_OFF = 1e-12

#: Lines of formula (1) that are tried first, from the largest ε to its mirror image.
_LINES = 4001

#: Lines beside the best of them that are tried next, and how often.
_NEAR, _TIMES = 33, 2

#: Absolute round-off of 1 − f where f is known as a float.
_OF_A_FLOAT = 1e-15

#: The lines end where δ is this, or at this ε.
_LEAST_DELTA, _MOST_EPSILON = 1e-15, 300.0


def success(pair: Pair, baseline: Floats) -> Floats:
    """1 − f at each baseline, up to `ROUND_OFF`.

    Parameters
    ----------
    pair : Pair
    baseline : ndarray
        In [0, 1].
    """
    if isinstance(pair, SymmetricPair):
        return np.exp(np.asarray(pair.log_rates(baseline)[1]))
    epsilon, log_delta = _lines(pair)
    with quiet():
        log_baseline = np.log(baseline)[..., None]
        found = np.logaddexp(log_delta, epsilon + log_baseline)
        near, step = epsilon[np.argmin(found, axis=-1)], epsilon[1] - epsilon[0]
        best = found.min(axis=-1)
        for _ in range(_TIMES):
            at = near[..., None] + np.linspace(-step, step, _NEAR)
            found = np.logaddexp(np.asarray(pair.log_profile(at)), at + log_baseline)
            here = np.argmin(found, axis=-1)[..., None]
            near, step = np.take_along_axis(at, here, -1)[..., 0], 2 * step / (_NEAR - 1)
            best = np.minimum(best, found.min(axis=-1))
    return np.minimum(np.exp(best), 1.0)


def allowed_success(claim: Claim, baseline: Floats) -> Floats:
    """1 − f of a claim at each baseline, up to `ROUND_OFF`.

    Parameters
    ----------
    claim : Claim
    baseline : ndarray
        In [0, 1].
    """
    found = success(claim.dominating_pair, baseline)
    if type(claim).min_tradeoff is not Claim.min_tradeoff:  # its pair leaks more than it allows
        tighter = 1 - np.asarray(claim.min_tradeoff(np.ravel(baseline)), dtype=float)
        found = np.minimum(found, tighter.reshape(np.shape(baseline)) + _OF_A_FLOAT)
    return found


@lru_cache(maxsize=32)
def _lines(pair: Pair) -> tuple[Floats, Floats]:
    """ε of the lines of formula (1), and log δ there."""
    end = min(float(pair.epsilon(_LEAST_DELTA)), _MOST_EPSILON)
    epsilon = np.linspace(-1, 1, _LINES) * max(end, 1e-3)
    return epsilon, np.asarray(pair.log_profile(epsilon), dtype=float)
