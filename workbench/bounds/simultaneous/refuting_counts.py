"""`refuting_counts`: from which counts on each rank of Q refutes a trade-off function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from workbench.bounds.simultaneous.rank_tests import RankTests, Which, largest_refuted
from workbench.curves.validation import Floats, quiet


def refuting_counts(
    tests: RankTests, n_p: int, tradeoff: Callable[[Floats], Floats], level: float
) -> NDArray[np.int64]:
    """The smallest count at each rank that refutes a trade-off function, shape (J,).

    Parameters
    ----------
    tests : RankTests
        Their counts do not matter.
    n_p : int
    tradeoff : callable
        From false positive rates to the trade-off function there, elementwise.
    level : float
        Of each test.

    Returns
    -------
    ndarray of int, shape (J,)
        n_p + 1 where no count does.
    """
    fnr = np.asarray(tradeoff(tests.alpha))

    def p_values(counts: NDArray[Any], which: Which) -> Floats:
        return tests.of(which).counted(counts, n_p).p_values(fnr[which])

    def of_log_odds(x: Floats, which: Which) -> Floats:
        # A count may be any real number in between, and evidence falls as x grows.
        return p_values((n_p + 1) * expit(-x), which)

    # Where the noise of both samples is split evenly: a good guess, in logits.
    z = -float(ndtri(level)) / np.sqrt(2)
    with quiet():
        rate = np.clip(1 - tradeoff(tests.quantile(np.array([z]))[:, 0]), 1 / n_p, 1 - 1 / n_p)
    spread = 1 / np.sqrt(n_p * rate * (1 - rate))
    every = np.arange(tests.ranks.size)
    ends = -np.log(n_p), np.log(n_p)
    start = np.clip(-(logit(rate) + z * spread), *ends)
    found = largest_refuted(of_log_odds, level, start, 0.2 * spread, ends)
    limits = np.clip(np.ceil((n_p + 1) * expit(-found) - 1e-9), 1, n_p).astype(np.int64)
    refutes = p_values(limits.astype(float), every) <= level
    limits[~refutes] = n_p + 1
    # The search may end one or more counts short.
    going = every[refutes & (limits > 1)]
    while going.size:
        less = p_values(limits[going] - 1.0, going) <= level
        limits[going[less]] -= 1
        going = going[less]
        going = going[limits[going] > 1]
    return limits
