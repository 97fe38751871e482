"""The level of a method, summed over count tables of scores with two or three values.

A bound on a pair with few values depends on the counts of each value alone. It is false for some
count tables, and the level is their probability under the pair: a sum, not a simulation. Tables so
rare that they are left out count as false, so the level is an upper bound of the true one.

A bound can only rise when a score of P moves up or one of Q moves down. So for each count of Q
there is a least count of P that makes the bound false; only its neighborhood is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, gammaln, xlog1py, xlogy

from workbench.curves.validation import Floats

#: Probability of the counts that are left out, on each side of each of them.
LEFT_OUT = 1e-7

#: (scores of P above, scores of Q above the only cut) -> whether the bound is false.
FalseOfTwo = Callable[[int, int], bool]

#: The same for two cuts: above the upper cut and above the lower one, for P and then for Q.
FalseOfThree = Callable[[int, int, int, int], bool]


def least_false(is_false: FalseOfTwo, n_p: int, columns: Sequence[int]) -> NDArray[np.int64]:
    """The least count of P that makes a bound false, for some counts of Q.

    Parameters
    ----------
    is_false : callable
    n_p : int
    columns : sequence of int
        Counts of Q, ascending.

    Returns
    -------
    ndarray of int, shape (columns,)
        n_p + 1 where no count does.
    """
    found, least = [], 0
    for b in columns:
        low, high, step = least - 1, least, 1  # a count below the least one is not false
        while high <= n_p and not is_false(high, b):
            low, high, step = high, high + step, 2 * step
        high = min(high, n_p + 1)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_false(middle, b) else (middle, high)
        least = high
        found.append(least)
    return np.array(found, dtype=np.int64)


def level_of_two(
    least: NDArray[np.int64],
    columns: NDArray[np.int64],
    sizes: tuple[int, int],
    p: Floats,
    q: Floats,
) -> Floats:
    """Probability of a false bound for pairs of Bernoulli distributions, shape (k,).

    Parameters
    ----------
    least, columns : ndarray of int
        As of `least_false`.
    sizes : (int, int)
        Scores of P and of Q.
    p, q : ndarray, shape (k,)
        Probabilities of the larger value.
    """
    n_p, n_q = sizes
    of_q = binomial(columns, n_q, q[:, None])
    exceeded = tail(least, n_p, p[:, None])
    left_out = np.maximum(1 - of_q.sum(axis=1), 0)
    return np.asarray((of_q * exceeded).sum(axis=1) + left_out)


def level_of_three(
    is_false: FalseOfThree, sizes: tuple[int, int], p: Sequence[float], q: Sequence[float]
) -> float:
    """Probability of a false bound for a pair of distributions on three values.

    Parameters
    ----------
    is_false : callable
    sizes : (int, int)
    p, q : sequence of float, length 3
        Probabilities of the values, from the largest to the least.
    """
    (n_p, n_q), level, looked_at = sizes, 0.0, 0.0
    upper_p, upper_q = p[0] + p[1], q[0] + q[1]
    for b12 in likely(n_q, upper_q):
        for b1 in likely(b12, q[0] / upper_q if upper_q else 0.0):
            of_q = float(
                binomial(b12, n_q, np.array(upper_q))
                * binomial(b1, b12, np.array(q[0] / upper_q if upper_q else 0.0))
            )
            rows = likely(n_p, upper_p)
            least = _staircase(is_false, rows, b1, b12)
            of_row = binomial(rows, n_p, np.array(upper_p))
            share = np.array(p[0] / upper_p if upper_p else 0.0)
            level += of_q * float((of_row * tail(least, rows, share)).sum())
            looked_at += of_q * float(of_row.sum())
    return level + max(1 - looked_at, 0.0)


def _staircase(
    is_false: FalseOfThree, rows: NDArray[np.int64], b1: int, b12: int
) -> NDArray[np.int64]:
    """The least count above the upper cut that makes the bound false, for counts above the lower.

    It falls from row to row; one more than the row where there is none.
    """
    found, least = np.empty_like(rows), int(rows[-1]) + 1
    for i, a12 in enumerate(rows.tolist()):
        if least > a12:
            if not is_false(a12, a12, b1, b12):
                found[i] = a12 + 1
                continue
            least = a12
        step = 1
        while least > 0 and is_false(max(least - step, 0), a12, b1, b12):
            least, step = max(least - step, 0), 2 * step
        low = max(least - step, -1)
        while least - low > 1:
            middle = (low + least) // 2
            low, least = (low, middle) if is_false(middle, a12, b1, b12) else (middle, least)
        found[i] = least
    return found


def likely(n: int, rate: float) -> NDArray[np.int64]:
    """Counts of n trials, but for `LEFT_OUT` on both sides."""
    every = np.arange(n + 1)
    below = bdtr(every, n, rate)
    return every[(below > LEFT_OUT) & (1 - below + binomial(every, n, np.array(rate)) > LEFT_OUT)]


def binomial(k: NDArray[np.int64] | int, n: NDArray[np.int64] | int, rate: Floats) -> Floats:
    """Probability of k successes in n trials."""
    k, n = np.asarray(k, float), np.asarray(n, float)
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.asarray(np.exp(ways + xlogy(k, rate) + xlog1py(n - k, -rate)))


def tail(k: NDArray[np.int64], n: NDArray[np.int64] | int, rate: Floats) -> Floats:
    """Probability of at least k successes in n trials; 0 for more than n."""
    k, n = np.broadcast_arrays(np.asarray(k, np.int64), np.asarray(n, np.int64))
    found = bdtrc(np.minimum(k, n) - 1.0, n.astype(np.int64), np.asarray(rate))
    return np.where(k > n, 0.0, np.where(k <= 0, 1.0, found))
