"""The probability that counts reach limits at one rank of Q at least, under a trade-off function.

Write the scores as non-increasing functions of uniform variables, V_j for Q and R_i for P. The
count T_k of P above the k-th score of Q is at most the number of R_i < 1 − f(V_(k)), at all ranks
together (`workbench.bounds.simultaneous.rank_band`), and that number reaches t exactly if
R_(t) < 1 − f(V_(k)). So the counts reach limits t_k at some rank with at most the chance

    Pr[R_(t_k) < 1 − f(V_(k)) for some k],

in which V_(k) and R_(t_k) are order statistics of uniform variables, two independent Markov
chains in k. The range of each is cut into cells at every rank, and the probability of each pair of
cells is carried from rank to rank without what has reached a limit. A transition starts in the
middle of a cell; that spreads the chain by the width of the cells and errs to the safe side, by
1–4% of a probability near 5%, and by up to 20% of one near 1e-6.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln, ndtri

from workbench.bounds.simultaneous.rank_tests import order_quantile
from workbench.curves.validation import Floats, quiet

#: Cells in a standard deviation of a normal law, and how many of these cells reach at least.
_CELLS, _REACH = 5, 5

#: Cells reach that much farther than the quantile of the tests' level.
_BEYOND = 2.2

#: Tests of a smaller level have no probability here.
LEAST = 1e-8

#: Transitions whose standard deviation is a smaller share of that of the order statistic, or over
#: fewer ranks, are integrated; the density in the middle of a cell serves for the others.
_SMOOTH, _FAR = 0.4, 4


class OrderStatistics:
    """Order statistics of n uniform variables as a Markov chain between cells.

    Parameters
    ----------
    ranks : tuple of int
        Increasing; 1 is the smallest.
    n : int
    reach : int
        Of the cells, in standard deviations of a normal law.

    Attributes
    ----------
    edges : ndarray, shape (J, cells + 1)
    centers : ndarray, shape (J, cells)
    first : ndarray, shape (cells,)
        Probability of each cell at the first rank.
    steps : list of ndarray, shape (cells, cells)
        From each rank to the next.
    """

    def __init__(self, ranks: tuple[int, ...], n: int, reach: int) -> None:
        at = np.array(ranks)
        z = np.linspace(-reach, reach, 2 * reach * _CELLS + 1)
        self.edges = order_quantile(at, n, z)
        self.centers = order_quantile(at, n, (z[1:] + z[:-1]) / 2)
        self.first = _cells(betainc(at[0], n - at[0] + 1, self.edges[0]))
        self.steps = [self._step(j, ranks[j], ranks[j + 1], n) for j in range(len(ranks) - 1)]

    def _step(self, j: int, k: int, m: int, n: int) -> Floats:
        """Transition from rank k, the j-th, to rank m: (V_m − V_k)/(1 − V_k) is a beta variable."""
        here, next_edges = self.centers[j][:, None], self.edges[j + 1]
        a, b = m - k, n - m + 1
        # Variances of V_m given V_k and of V_m, about.
        share = np.sqrt(a * (n + 1) / ((n - k + 1) * m))
        if share < _SMOOTH or a < _FAR:
            within = np.clip((next_edges - here) / (1 - here), 0, 1)
            return _cells(betainc(a, b, within))
        there = self.centers[j + 1]
        with quiet():
            log_density = (
                (a - 1) * np.log(there - here)
                + (b - 1) * np.log1p(-there)
                - (a + b - 1) * np.log1p(-here)
                - betaln(a, b)
            )
            mass = np.where(there > here, np.exp(log_density), 0.0) * np.diff(next_edges)
        # Where numbers next to 1 are all there is between cells.
        mass = np.nan_to_num(mass, posinf=0.0)
        # A center in the far right may have no cell to its right.
        total = mass.sum(axis=1, keepdims=True)
        mass[total[:, 0] == 0, -1] = 1.0
        return np.asarray(mass / np.where(total > 0, total, 1.0))


#: The chain of Q is that of the sample size, the same for all bounds.
_ranks_of_q = lru_cache(maxsize=16)(OrderStatistics)


class Crossing:
    """The event that counts reach limits; see the module.

    Parameters
    ----------
    ranks, limits : ndarray of int, shape (J,)
        Increasing ranks of Q, and the count of P that matters at each; n_p + 1 for none.
    n_p, n_q : int
    level : float
        Chance, about, of reaching one limit; at least `LEAST`.
    """

    def __init__(
        self,
        ranks: NDArray[np.int64],
        limits: NDArray[np.int64],
        n_p: int,
        n_q: int,
        level: float,
    ) -> None:
        # Counts grow with the rank: a limit is reached where a later, lower one is.
        limits = np.minimum.accumulate(limits[::-1])[::-1]
        matters = (limits <= n_p) & (np.diff(limits, append=n_p + 1) > 0)
        self._p: OrderStatistics | None = None
        if matters.any():
            reach = max(_REACH, math.ceil(_BEYOND - ndtri(max(level, LEAST))))
            self._q = _ranks_of_q(tuple(ranks[matters].tolist()), n_q, reach)
            self._p = OrderStatistics(tuple(limits[matters].tolist()), n_p, reach)

    def probability(self, tradeoff: Callable[[Floats], Floats]) -> float:
        """An upper bound of its probability if the pair's trade-off function is on or above one.

        Parameters
        ----------
        tradeoff : callable
            From false positive rates to the trade-off function there.
        """
        if self._p is None:
            return 0.0
        p, q = self._p, self._q
        reached = 1 - tradeoff(q.centers)  # by R below it
        low, high = p.edges[:, None, :-1], p.edges[:, None, 1:]
        cut = reached[:, :, None]
        with quiet():
            above = np.where(high > low, np.clip((high - cut) / (high - low), 0, 1), low >= cut)
        mass = np.outer(q.first, p.first) * above[0]
        for from_q, from_p, stays in zip(q.steps, p.steps, above[1:], strict=True):
            mass = from_q.T @ mass @ from_p * stays
        return max(1 - float(mass.sum()), 0.0)


def _cells(at_edges: Floats) -> Floats:
    """Probabilities of cells from a distribution function; the outer cells have the tails."""
    at_edges = np.array(at_edges)
    at_edges[..., 0], at_edges[..., -1] = 0.0, 1.0
    return np.diff(at_edges, axis=-1)
