"""Families: mechanisms of which all but one number is known, as most one-run bounds assume them.

The unknown is the ``leak``: 0 for perfect privacy, growing without limit; μ of the Gaussian and the
Laplace mechanism, ε of randomized response, 1/σ of the subsampled Gaussian. A one-run bound refutes
small leaks, and reports ε(δ) of the smallest that it does not refute.

What bounds ask of a family, with f the symmetrised trade-off function:

- the *bit error* (1 − TV)/2, the smallest error rate of a guess whether a canary was in;
- the *least mass* f̄(x) = inf{a : 1 − f(a) ≥ x}: an event of probability x with the record in has
  at least this probability with it out, and the other way round (MAHLOUJIFAR24);
- the *guess error*: the smallest mean error of guesses on a share of the outcomes, which is that
  of the optimal guess on the share where it is most certain (arXiv 2509.08704). For symmetric f it
  is a/share where a + 1 − f(a) = share: guess "in" on an event that has probability a with the
  record out and 1 − f(a) with it in, and "out" on its mirror image.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr, ndtri

from workbench import _checks
from workbench.curves.elementwise import Floats, quiet

if TYPE_CHECKING:
    from workbench.pairs.base import Pair

#: No audit shows a leak beyond this: e^-1024 is no float.
LARGEST_LEAK = 1024.0

_HALVINGS = 48


class Family(ABC):
    """Mechanisms that differ in one number, the ``leak``.

    Notes
    -----
    A subclass gives ``name`` (after "if the pair is"), ``leak_name`` and ``pair``. The other
    methods follow from the pairs, and are overridden where a closed form is faster.
    """

    largest: float = LARGEST_LEAK

    #: Members that `least_mass` takes at once for little more than the price of one.
    at_once: int = 64

    @property
    @abstractmethod
    def name(self) -> str:
        """What a bound assumes: "Gaussian", "randomized response with δ = 0.01"."""

    @property
    @abstractmethod
    def leak_name(self) -> str:
        """The symbol of the unknown number."""

    @abstractmethod
    def pair(self, leak: float) -> Pair:
        """The member with this leak, above 0."""

    def epsilon(self, leak: float, delta: float) -> float:
        """ε(δ) of a member; 0 without a leak, ``inf`` where no finite ε exists."""
        if leak <= 0:
            return 0.0
        return math.inf if math.isinf(leak) else float(self.pair(leak).epsilon(delta))

    def bit_error(self, leak: float) -> float:
        """(1 − TV)/2 of a member."""
        return (1 - self.pair(leak).total_variation) / 2 if leak > 0 else 0.5

    def leak_of_bit_error(self, error: float) -> float:
        """The smallest leak whose bit error is at most ``error``; ``inf`` where there is none."""
        if self.bit_error(0.0) <= error:
            return 0.0
        if self.bit_error(self.largest) > error:
            return math.inf
        return float(brentq(lambda leak: self.bit_error(leak) - error, 0.0, self.largest))

    def least_mass(self, leaks: Floats) -> Callable[[Floats], Floats]:
        """f̄ of several members at once: a function of x, shape (k,), with values of that shape.

        It may be too small, which refutes less, and is made for calls with x that never falls from
        one call to the next.
        """
        x = np.unique(np.r_[ndtr(np.linspace(-6, 8, 1401)), 1.0])
        # f is its own inverse after symmetrising.
        mass = np.array([self.pair(v).tradeoff(1 - x) if v > 0 else x for v in leaks])
        slope = np.diff(mass) / np.diff(x)
        row = np.arange(leaks.size)

        def least(at: Floats) -> Floats:
            # Between two points a convex function lies above the chords before and after them.
            j = np.clip(np.searchsorted(x, at) - 1, 1, x.size - 3)
            before = mass[row, j] + slope[row, j - 1] * (at - x[j])
            after = mass[row, j + 1] - slope[row, j + 1] * (x[j + 1] - at)
            return np.maximum(np.maximum(before, after), 0.0)

        return least

    def guess_error(self, leak: float, share: Floats) -> Floats:
        """Smallest mean error of guesses on ``share`` of the outcomes, each in (0, 1]."""
        if leak <= 0:
            return np.full_like(share, 0.5)
        tradeoff = self.pair(leak).tradeoff
        low, high = np.zeros_like(share), np.full_like(share, self.bit_error(leak))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            enough = middle + 1 - tradeoff(middle) >= share
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        # The lower end: fewer errors than possible refute less.
        return low / share


@dataclass(frozen=True)
class GaussianFamily(Family):
    """N(μ, 1) against N(0, 1); the leak is μ."""

    @property
    def name(self) -> str:
        return "Gaussian"

    @property
    def leak_name(self) -> str:
        return "μ"

    def pair(self, leak: float) -> Pair:
        from workbench.pairs.gaussian import GaussianPair

        return GaussianPair(leak)

    def bit_error(self, leak: float) -> float:
        return float(ndtr(-leak / 2))

    def leak_of_bit_error(self, error: float) -> float:
        return max(-2 * float(ndtri(error)), 0.0)

    def least_mass(self, leaks: Floats) -> Callable[[Floats], Floats]:
        return lambda x: ndtr(ndtri(x) - leaks)

    def guess_error(self, leak: float, share: Floats) -> Floats:
        def reached(z: Floats) -> tuple[Floats, Floats]:
            return ndtr(-z) + ndtr(leak - z), -_density(z) - _density(leak - z)

        # "In" above z, "out" below μ − z.
        z = _where_falls_to(share, reached, leak / 2, leak + _FAR)
        return ndtr(-z) / share


@dataclass(frozen=True)
class LaplaceFamily(Family):
    """Lap(μ, 1) against Lap(0, 1); the leak is μ, and ε at δ = 0."""

    @property
    def name(self) -> str:
        return "Laplace"

    @property
    def leak_name(self) -> str:
        return "μ"

    def pair(self, leak: float) -> Pair:
        from workbench.pairs.laplace import LaplacePair

        return LaplacePair(leak)

    def bit_error(self, leak: float) -> float:
        return math.exp(-leak / 2) / 2

    def leak_of_bit_error(self, error: float) -> float:
        return max(-2 * math.log(2 * error), 0.0) if error > 0 else math.inf

    def least_mass(self, leaks: Floats) -> Callable[[Floats], Floats]:
        quarter = np.exp(-leaks) / 4

        def least(x: Floats) -> Floats:
            # The hyperbola e^−μ/(4y) between y = e^−μ/2 and 1/2, its tangents beyond them.
            y = 1 - x
            touch = np.clip(y, 2 * quarter, 0.5)
            return (quarter / touch) * (2 - y / touch)

        return least

    def guess_error(self, leak: float, share: Floats) -> Floats:
        decline = math.exp(-leak)
        # share = a(1 + e^μ) on f's first piece, a + 1 − e^−μ/(4a) on the hyperbola.
        rest = share - 1
        root = np.sqrt(rest**2 + decline)
        first = share <= (1 + decline) / 2
        curved = decline / np.maximum(2 * (root - rest), 1e-300)
        return np.where(first, decline / (1 + decline), curved / share)


@dataclass(frozen=True)
class RandomizedResponseFamily(Family):
    """Randomized response with a known δ; the leak is ε.

    Its trade-off function is the smallest of all (ε, δ)-DP mechanisms, so a bound on ε at this
    very δ assumes nothing about the mechanism.

    Parameters
    ----------
    delta : float
        In [0, 1).
    """

    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", _checks.delta(self.delta))

    @property
    def name(self) -> str:
        return f"randomized response with δ = {self.delta:g}"

    @property
    def leak_name(self) -> str:
        return "ε"

    def pair(self, leak: float) -> Pair:
        from workbench.pairs.randomized_response import RandomizedResponsePair

        return RandomizedResponsePair(leak, self.delta)

    def bit_error(self, leak: float) -> float:
        return (1 - self.delta) * float(expit(-leak))

    def leak_of_bit_error(self, error: float) -> float:
        if error <= 0:
            return math.inf
        return math.log(max((1 - self.delta) / error - 1, 1.0))

    def least_mass(self, leaks: Floats) -> Callable[[Floats], Floats]:
        rise, decline = np.exp(np.minimum(leaks, 700.0)), np.exp(-leaks)
        kept = 1 - self.delta

        def least(x: Floats) -> Floats:
            flat = decline * (x - self.delta)
            return np.maximum(np.maximum(flat, kept - rise * (1 - x)), 0.0)

        return least

    def guess_error(self, leak: float, share: Floats) -> Floats:
        return np.maximum(share - self.delta, 0.0) * expit(-leak) / share


@dataclass(frozen=True)
class SubsampledGaussianFamily(Family):
    """q N(1, σ²) + (1−q) N(0, σ²) against N(0, σ²), q known; the leak is 1/σ.

    Parameters
    ----------
    q : float
        The sampling probability, in (0, 1].
    """

    q: float

    def __post_init__(self) -> None:
        q = _checks.number(self.q, "q")
        if not 0 < q <= 1:
            raise ValueError(
                f"q must lie in (0, 1], got {self.q!r}; it is the probability that a record is used"
            )
        object.__setattr__(self, "q", q)

    @property
    def name(self) -> str:
        return f"subsampled Gaussian with q = {self.q:g}"

    @property
    def leak_name(self) -> str:
        return "1/σ"

    def pair(self, leak: float) -> Pair:
        from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair

        return SubsampledGaussianPair(self.q, 1 / leak)

    def bit_error(self, leak: float) -> float:
        return (1 - self.q * math.erf(leak / math.sqrt(8))) / 2

    def leak_of_bit_error(self, error: float) -> float:
        # TV = q (1 − 2Φ(−1/2σ)), below q for every σ.
        tail = (1 - (1 - 2 * error) / self.q) / 2
        return max(-2 * float(ndtri(tail)), 0.0) if tail > 0 else math.inf

    def least_mass(self, leaks: Floats) -> Callable[[Floats], Floats]:
        q, mu = self.q, leaks
        steep = ndtr(-mu / 2)  # where the slope of f is −1
        rate = q * ndtr(mu / 2) + (1 - q) * steep
        gain, mirror = rate - steep, 1 - steep
        half = mu / 2
        last: list[Floats] = []

        def least(x: Floats) -> Floats:
            target = np.minimum(x, rate)
            # Newton on a concave function ends below the root from wherever it starts, and too
            # small a mass refutes less. One step is enough from the line of the last two answers.
            if len(last) < 2:
                a = self._false_positives(mu, target)
            else:
                a = np.minimum(2 * last[1] - last.pop(0), steep)
            z = ndtri(a)
            slope = q * np.exp(-mu * (z + half)) + (1 - q)
            a = a + (target - q * ndtr(z + mu) - (1 - q) * a) / slope
            last.append(a)
            mass = np.maximum(a, x - gain)
            beyond = x >= mirror
            if beyond.any():
                mass = np.where(beyond, q * ndtr(ndtri(x) - mu) + (1 - q) * x, mass)
            return mass

        return least

    def _false_positives(self, mu: Floats, rate: Floats) -> Floats:
        """The false positive rate of the test with this true positive rate."""
        q = self.q
        low, high = ndtri(rate) - mu, ndtri(rate)
        return ndtr(-_bisect(lambda z: q * ndtr(mu - z) + (1 - q) * ndtr(-z) <= rate, -high, -low))

    def guess_error(self, leak: float, share: Floats) -> Floats:
        if leak <= 0:
            return np.full_like(share, 0.5)
        if self.q == 1:
            return GaussianFamily().guess_error(leak, share)
        # "In" above z σ, "out" below y σ. Without the record no score is likelier than 1/(1−q)
        # times, so the most certain guesses all say "in": above z₁, where these odds are reached.
        # (The symmetrised curve would let "out" be as certain as "in".)
        q, mu = self.q, leak

        def above(z: Floats) -> tuple[Floats, Floats]:
            """Share of the outcomes with scores above z, and its slope."""
            share = (2 - q) * ndtr(-z) + q * ndtr(mu - z)
            return share / 2, -((2 - q) * _density(z) + q * _density(mu - z)) / 2

        def mirrored(y: Floats) -> tuple[Floats, Floats]:
            """The z with the opposite odds, and its slope."""
            ratio = 1 - q + q * np.exp(mu * (y - mu / 2))
            excess = 1 / ratio - 1 + q
            z = np.log(excess / q) / mu + mu / 2
            return z, -(ratio - 1 + q) / (ratio * ratio * excess)

        def both(minus_y: Floats) -> tuple[Floats, Floats]:
            y = -minus_y
            z, per_y = mirrored(y)
            share_in, slope_in = above(z)
            used, unused = _density(y - mu), _density(y)
            share_out = (2 - q) * ndtr(y) + q * ndtr(y - mu)
            slope_out = (2 - q) * unused + q * used
            return share_in + share_out / 2, -(slope_in * per_y + slope_out / 2)

        first = mirrored(np.array([-np.inf]))[0]
        easy = share <= above(first)[0]
        z, y = np.empty_like(share), np.full_like(share, -np.inf)
        if easy.any():
            z[easy] = _where_falls_to(share[easy], above, mu / 2, mu + _FAR)
        if not easy.all():
            y[~easy] = -_where_falls_to(share[~easy], both, -mu / 2, _FAR)
            z[~easy] = mirrored(y[~easy])[0]
        return (ndtr(-z) + q * ndtr(y - mu) + (1 - q) * ndtr(y)) / 2 / share


@dataclass(frozen=True)
class PairFamily(Family):
    """Any family: one function from the leak to a pair.

    Parameters
    ----------
    label : str
        What a bound then assumes: "DP-SGD with 100 steps".
    make : callable
        leak -> anything with ``tradeoff``, ``epsilon`` and ``total_variation``; total variation
        must not fall, and the trade-off function not rise, as the leak grows.
    largest : float
        The largest leak to look at. A bound that refutes it says ``inf``.
    leak_label : str
        The symbol of the leak.
    """

    label: str
    make: Callable[[float], Any]
    largest: float = LARGEST_LEAK
    leak_label: str = "leak"

    #: A pair may be dear to make.
    at_once = 3

    def __post_init__(self) -> None:
        _checks.positive(self.largest, "largest")

    @property
    def name(self) -> str:
        return self.label

    @property
    def leak_name(self) -> str:
        return self.leak_label

    def pair(self, leak: float) -> Pair:
        made: Pair = self.make(float(leak))
        return made


#: Families by the name that `one_run_bound` takes; those with a parameter are made by `find`.
NAMES = ("gaussian", "laplace", "randomized-response", "subsampled-gaussian")


def find(family: str | Family, *, delta: float | None, q: float | None) -> Family:
    """The family of that name.

    Parameters
    ----------
    family : str or Family
        One of `NAMES`, or a family as it is.
    delta : float or None
        δ of randomized response.
    q : float or None
        Sampling probability of the subsampled Gaussian; superfluous otherwise.

    Raises
    ------
    ValueError
        An unknown name, a parameter that is missing or superfluous.
    """
    if isinstance(family, Family):
        if q is not None:
            raise ValueError(f"q={q!r} has no use: the family {family.name!r} is given in full")
        return family
    _checks.one_of(family, "family", NAMES)
    if family == "subsampled-gaussian":
        if q is None:
            raise ValueError(
                "family='subsampled-gaussian' needs q=, the known sampling probability"
            )
        return SubsampledGaussianFamily(q)
    if q is not None:
        raise ValueError(f"q={q!r} belongs to family='subsampled-gaussian', got family={family!r}")
    if family == "randomized-response":
        if delta is None:
            raise ValueError("family='randomized-response' needs delta=")
        return RandomizedResponseFamily(delta)
    return GaussianFamily() if family == "gaussian" else LaplaceFamily()


def _bisect(enough: Callable[[Floats], Any], low: Floats, high: Floats) -> Floats:
    """Where a condition becomes true between ``low`` (false) and ``high`` (true), elementwise."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        true = enough(middle)
        low, high = np.where(true, low, middle), np.where(true, middle, high)
    return high


@quiet()
def _where_falls_to(
    level: Floats,
    function: Callable[[Floats], tuple[Floats, Floats]],
    low: float,
    high: float,
) -> Floats:
    """The argument at which a falling function, given with its slope, is ``level``; a bit above it.

    A grid brackets each root; Newton's method on the logarithm finds it, halving the bracket where
    a step leaves it.
    """
    grid = np.linspace(low, high, _GRID)
    after = np.clip(np.searchsorted(-function(grid)[0], -level), 1, _GRID - 1)
    left, right = grid[after - 1], grid[after]
    x = right
    for _ in range(_HALVINGS):
        value, slope = function(x)
        below = value <= level
        left, right = np.where(below, left, x), np.where(below, x, right)
        ratio = np.log(value / level)
        new = x - ratio * value / slope
        new = np.where((new >= left) & (new <= right), new, (left + right) / 2)
        settled = (np.abs(new - x) <= _CLOSE) | (np.abs(ratio) <= _CLOSE)
        x = new
        if settled.all():
            break
    return x + _CLOSE


_GRID = 128
_CLOSE = 1e-10

#: Standard deviations beyond which next to nothing is left.
_FAR = 9.0


def _density(z: Floats) -> Floats:
    return np.exp(-z * z / 2) * _DENSITY


_DENSITY = 1 / math.sqrt(2 * math.pi)
