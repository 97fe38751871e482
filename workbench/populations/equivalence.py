"""Equivalence of two samples of scores: at no threshold do their laws differ by more than (ε, δ).

Let A and B be two laws of a score. They are *equivalent to (ε, δ)* for threshold tests if, for each
threshold t and both ways round, A(> t) ≤ δ + e^ε B(> t) and A(≤ t) ≤ δ + e^ε B(≤ t). A test says
"equivalent" only if it refutes the contrary at *every* threshold, each at the whole error
probability α: if the laws are not equivalent, one of these inequalities is false at some t*, which
the scores had no part in choosing, and at t* the contrary is refuted with a probability of at most
α. Nothing is paid for the number of thresholds (intersection–union test; Berger 1982).

**At one threshold**, with x of n scores of A and y of m of B above it, a = A(> t) and b = B(> t),
the contrary is a ≥ δ + e^ε b. It is refuted if each b is, with a = δ + e^ε b, by one of these:

- the lower tail P₁ = P[X ≤ x] is at most κα, or the upper tail P₂ = P[Y ≥ y] is;
- Φ⁻¹(1 − P₁) cos φ + Φ⁻¹(1 − P₂) sin φ ≥ Φ⁻¹(1 − (1 − 2κ)α), by Stouffer's method, where
  tan φ = e^(ε/2) √(n/m), and φ = 0 for b below 3/m, where y is mostly 0.

P₁ and P₂ are p-values, and independent if the samples are; so each b is refuted with a probability
of at most α if it is the truth. κ is 1/10. Between the points of a grid of b, P₁ is taken at the
lower end and P₂ at the upper one, as both are monotone, so that the grid costs power alone.

**Samples that may depend on each other**, such as the scores of the same records under two models:
κ is 1/2, so that the second line falls away. That is Clopper–Pearson at α/2 for each of the rates.

**Between ranks.** Not all thresholds are tried of a large sample: x is taken at the lower of two
thresholds and y at the upper one, which holds for all between them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv, ndtri

from workbench.bounds.counts.binomial import clopper_pearson_upper

#: κ: the part of the error probability for each sample on its own.
_ALONE = 1 / 10

#: Points of the grid of b, and thresholds that are tried at most.
_POINTS, _THRESHOLDS = 65, 400

#: Below b = 3/m the second sample has no say.
_FEW = 3.0

#: No larger ε is looked for.
_MOST = 50.0


@dataclass(frozen=True, eq=False)
class TailCounts:
    """How many of two samples are on one side of thresholds: at most of A, and at least of B.

    Attributes
    ----------
    a, b : ndarray of int, shape (J,)
        Largest number of A, and smallest of B, at any threshold of a range; the ranges cover all.
    n, m : int
        Sizes of the samples.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    n: int
    m: int


def tail_counts(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[TailCounts, TailCounts]:
    """The counts above all thresholds, and those up to them.

    Parameters
    ----------
    a, b : ndarray, shape (n,), (m,)
        Finite, or infinite.
    """
    a, b = np.sort(a), np.sort(b)
    at = np.unique(np.concatenate([a, b]))
    if at.size > _THRESHOLDS:
        ranks = np.unique(np.round(_spread(at.size, _THRESHOLDS)).astype(np.int64))
        at = at[ranks]
    # Thresholds lie in the ranges (−∞, first), [first, second), …, [last, ∞).
    below_a = np.concatenate([[0], np.searchsorted(a, at, "right"), [a.size]])
    below_b = np.concatenate([[0], np.searchsorted(b, at, "right"), [b.size]])
    before_a = np.concatenate([np.searchsorted(a, at, "left"), [a.size]])
    before_b = np.concatenate([np.searchsorted(b, at, "left"), [b.size]])
    low_a, low_b = below_a[:-1], below_b[:-1]  # up to t at the lower end of each range
    above = TailCounts(a.size - low_a, b.size - before_b, a.size, b.size)
    up_to = TailCounts(before_a, low_b, a.size, b.size)
    return above, up_to


def _spread(size: int, most: int) -> NDArray[np.float64]:
    """Ranks that are denser at both ends."""
    return (size - 1) * (1 - np.cos(np.linspace(0, math.pi, most))) / 2


def equivalent(
    counts: TailCounts, epsilon: float, delta: float, error: float, *, independent: bool
) -> NDArray[np.bool_]:
    """Whether the contrary, a ≥ δ + e^ε b, is refuted in each range of thresholds, shape (J,).

    Parameters
    ----------
    counts : TailCounts
    epsilon, delta : float
    error : float
        α.
    independent : bool
        Whether the two samples are independent of each other.

    References
    ----------
    The proof is in the head of the module; Berger (1982), Theorem 1; Stouffer et al. (1949).
    """
    alone = (_ALONE if independent else 0.5) * error
    x, y = counts.a.astype(float), counts.b.astype(float)
    # b outside (low, high) is refuted by one of the samples alone.
    low = np.where(y > 0, betaincinv(np.maximum(y, 1), counts.m - y + 1, alone), 0.0)
    most = clopper_pearson_upper(x, counts.n, alone)
    high = np.minimum((most - delta) * math.exp(-epsilon), (1 - delta) * math.exp(-epsilon))
    # a is at least δ: of no b where A shows less.
    done = (most <= delta) | (high <= low)
    if not independent or done.all():
        return done
    found = done.copy()
    left = np.flatnonzero(~done)
    found[left] = _together(
        x[left], y[left], low[left], high[left], counts.n, counts.m, epsilon, delta,
        (1 - 2 * _ALONE) * error,
    )  # fmt: skip
    return found


def _together(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    n: int,
    m: int,
    epsilon: float,
    delta: float,
    error: float,
) -> NDArray[np.bool_]:
    """Whether every b between ``low`` and ``high`` is refuted by both samples together."""
    few = _FEW / m
    goal = -ndtri(error)
    angle = math.atan(math.exp(epsilon / 2) * math.sqrt(n / m))
    # Where the second sample has no say, P₁ is largest at the lowest b.
    alone = _z_lower(x, n, delta + math.exp(epsilon) * low)
    refuted = (low >= few) | (alone >= goal)
    start = np.minimum(np.maximum(low, few), high)
    grid = start[:, None] + (high - start)[:, None] * np.linspace(0, 1, _POINTS)
    z_a = _z_lower(x[:, None], n, delta + math.exp(epsilon) * grid[:, :-1])
    z_b = _z_upper(y[:, None], m, grid[:, 1:])
    with np.errstate(invalid="ignore"):
        both = z_a * math.cos(angle) + z_b * math.sin(angle)
    ok = np.where(np.isnan(both), False, both >= goal).all(axis=1)
    return np.asarray(refuted & (ok | (high <= few)))


def _z_lower(x: NDArray[np.float64], n: int, rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Φ⁻¹(1 − P[X ≤ x]) of binomial X."""
    return np.asarray(-ndtri(bdtr(x, n, np.clip(rate, 0.0, 1.0))), dtype=float)


def _z_upper(y: NDArray[np.float64], m: int, rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Φ⁻¹(1 − P[Y ≥ y]) of binomial Y, from the complement P[Y ≤ y − 1]."""
    below = np.where(y > 0, bdtr(np.maximum(y - 1, 0), m, np.clip(rate, 0.0, 1.0)), 0.0)
    return np.asarray(ndtri(below))


def upper_limit(
    tails: tuple[TailCounts, TailCounts],
    epsilon: float,
    delta: float,
    error: float,
    *,
    independent: bool,
) -> float:
    """The smallest ε at which all contraries are refuted, from A to B; ∞ where there is none.

    Parameters
    ----------
    tails : pair of TailCounts
        As of `tail_counts`.
    epsilon : float
        The one that is asked for: the limit is at most this exactly if it is shown.
    delta, error : float
    independent : bool
        As in `equivalent`.

    Returns
    -------
    float
        Rounded up to 1e-4.
    """

    def shown(epsilon: float) -> bool:
        return all(
            bool(equivalent(one, epsilon, delta, error, independent=independent).all())
            for one in tails
        )

    if shown(0.0):
        return 0.0
    low, high = 0.0, max(_MOST, epsilon)
    if shown(epsilon):
        high = epsilon
    elif not shown(high):
        return math.inf
    else:
        low = epsilon
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high


def sizes_needed(
    epsilon: float, delta: float, error: float, *, independent: bool, most: int = 10**8
) -> int | None:
    """Scores of each sample that show equal laws to be equivalent, in about every second audit.

    Parameters
    ----------
    epsilon, delta, error : float
    independent : bool
        As in `equivalent`.
    most : int
        No more are considered; None is returned then.
    """

    def enough(n: int) -> bool:
        ranks = np.unique(np.round(_spread(n + 1, _THRESHOLDS)).astype(np.int64))
        # Typical of the largest difference of two samples over all thresholds.
        off = _FLUCTUATION * np.sqrt(2 * ranks * (n - ranks) / n)
        a = np.minimum(np.ceil(ranks + off / 2), n).astype(np.int64)
        b = np.maximum(np.floor(ranks - off / 2), 0).astype(np.int64)
        counts = TailCounts(a, b, n, n)
        return bool(equivalent(counts, epsilon, delta, error, independent=independent).all())

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


#: Standard deviations by which two samples of one law differ at the threshold that matters most.
_FLUCTUATION = 1.5
