"""What the largest local μ over a range of error rates shows where nothing leaks.

The fit of μ "over a range" takes the largest of many noisy values, which is positive even if P = Q.
How large it then is depends on the sizes of the samples and on the floor alone, since all orders of
the scores are equally likely.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtri

from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats, quiet

#: Random orders, and the seed that they follow from: none of it depends on any scores.
DRAWS, SEED = 200, 0

#: Ranks from either end that are all looked at; beyond them in steps of two in a hundred.
_ALL, _STEP = 50, 1.02


def mu_without_leak(n_p: int, n_q: int, floor: float) -> float:
    """Mean of the largest local μ with both error rates at least ``floor`` if P = Q.

    Parameters
    ----------
    n_p, n_q : int
        Sizes of the samples.
    floor : float
        In (0, 0.5).

    Returns
    -------
    float
        Of 200 simulated orders without ties, from a fixed seed.
    """
    largest = []
    for alpha, beta, local_mu in _curves(n_p, n_q):
        at_floor = max(float(np.interp(floor, alpha, beta)), floor)
        within = (alpha >= floor) & (beta >= floor)
        at_cut = -float(ndtri(floor) + ndtri(at_floor))  # the same at both ends, by symmetry
        largest.append(max(at_cut, float(local_mu[within].max(initial=0.0))))
    return float(np.mean(largest))


@lru_cache(maxsize=16)
def _curves(n_p: int, n_q: int) -> list[tuple[Floats, Floats, Floats]]:
    """Vertices of symmetrized curves of random orders, and the local μ at each."""
    n = n_p + n_q
    steps = int(np.log(max(n / 2 / _ALL, 1.0)) / np.log(_STEP))
    near = np.concatenate([np.arange(1, _ALL + 1), _ALL * _STEP ** np.arange(1, steps + 1)])
    near = np.unique(near[near <= n / 2].astype(np.int64))
    cuts = np.unique(np.concatenate([near, n - near]))
    sizes = np.diff(cuts, prepend=0, append=n)
    rng = np.random.default_rng(SEED)
    of_p = rng.multivariate_hypergeometric(sizes, n_p, size=DRAWS, method="marginals")
    true_positives = np.pad(np.cumsum(of_p, axis=1), ((0, 0), (1, 0)))
    false_positives = np.concatenate([[0], cuts, [n]]) - true_positives
    curves = zip(false_positives / n_q, 1 - true_positives / n_p, strict=True)
    hulls = [TradeoffCurve.hull(*curve).symmetrized() for curve in curves]
    with quiet():
        return [(f.alpha, f.beta, -ndtri(f.alpha) - ndtri(f.beta)) for f in hulls]
