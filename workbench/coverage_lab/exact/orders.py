"""The level of a method on distinct scores, by counting orders of P and Q.

If P = Q, all orders of n_p scores of P and n_q of Q are equally likely. A bound from ranks is false
if the count T_k of P above the k-th score of Q reaches a limit at some rank k. The orders in which
it never does are paths of a lattice that avoid some points, and are counted by a recursion
(Steck 1969). If the pair has two blocks of scores, each with a constant density ratio, the orders
within each block are equally likely given the numbers in it, so the level at the edge of a pure
claim is a sum over these numbers.

None of this uses the tests of `workbench.bounds.simultaneous`, nor their approximations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from workbench.coverage_lab.exact.tables import binomial, least_false
from workbench.curves.validation import Floats

#: Numbers of paths stay below the largest number up to this many scores of both groups.
MOST = 1000


def least_at_ranks(is_false: Callable[[int, int], bool], n_p: int, n_q: int) -> NDArray[np.int64]:
    """The least count of P above each rank of Q that makes a bound false, shape (n_q,).

    Parameters
    ----------
    is_false : callable
        (count, rank) -> whether the bound is false if this many of P lie right above the rank-th
        score of Q and all others below all of Q; see `ordered`.
    n_p, n_q : int
    """
    return least_false(is_false, n_p, range(1, n_q + 1))


def ordered(count: int, rank: int, n_p: int, n_q: int) -> tuple[Floats, Floats]:
    """Distinct scores with this count of P right above the rank-th largest of Q.

    Returns
    -------
    p : ndarray, shape (n_p,)
    q : ndarray, shape (n_q,)
    """
    above = n_q - rank + np.arange(1, count + 1) / (count + 1)
    below = -1 - np.arange(n_p - count)
    return np.concatenate([above, below]), np.arange(n_q, dtype=float)


def level_of_equal(limits: NDArray[np.int64], n_p: int) -> float:
    """Probability that a limit is reached at some rank if P = Q.

    Parameters
    ----------
    limits : ndarray of int, shape (n_q,)
    n_p : int
    """
    paths = _paths(limits, n_p)[-1, -1]
    return float(1 - paths * np.exp(-_log_orders(n_p, limits.size)))


def level_of_blocks(limits: NDArray[np.int64], n_p: int, p: float, q: float) -> float:
    """Probability that a limit is reached if an upper block has a share p of P and q of Q.

    Parameters
    ----------
    limits : ndarray of int, shape (n_q,)
    n_p : int
    p, q : float
    """
    n_q = limits.size
    a, b = np.arange(n_p + 1), np.arange(n_q + 1)[:, None]
    upper = _paths(limits, n_p) * np.exp(-_log_orders(a, b))
    lower = _paths_on(limits, n_p) * np.exp(-_log_orders(n_p - a, n_q - b))
    chance = binomial(a, n_p, np.array(p)) * binomial(b, n_q, np.array(q))
    return float(1 - (chance * upper * lower).sum())


def _paths(limits: NDArray[np.int64], n_p: int) -> Floats:
    """Numbers of orders of the first a of P and b of Q below limits, shape (n_q + 1, n_p + 1)."""
    _few(limits, n_p)
    a, found = np.arange(n_p + 1), [np.ones(n_p + 1)]
    for limit in limits:
        found.append(np.cumsum(np.where(a < limit, found[-1], 0.0)))
    return np.array(found)


def _paths_on(limits: NDArray[np.int64], n_p: int) -> Floats:
    """Numbers of orders of the scores after the first a of P and b of Q that reach no limit."""
    a, found = np.arange(n_p + 1), [np.ones(n_p + 1)]
    for limit in limits[::-1]:
        found.append(np.cumsum(np.where(a < limit, found[-1], 0.0)[::-1])[::-1])
    return np.array(found[::-1])


def _few(limits: NDArray[np.int64], n_p: int) -> None:
    if n_p + limits.size > MOST:
        raise ValueError(
            f"orders of {n_p} + {limits.size} scores are too many to count; use at most {MOST}"
        )


def _log_orders(a: NDArray[np.int64] | int, b: NDArray[np.int64] | int) -> Floats:
    a, b = np.asarray(a, float), np.asarray(b, float)
    return np.asarray(gammaln(a + b + 1) - gammaln(a + 1) - gammaln(b + 1))
