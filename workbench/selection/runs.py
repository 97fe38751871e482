"""Distributions of the number of runs from which the best is released.

Everything about a selection follows from the generating function G(z) = Σ_k ξ(k) z^k of its run
count: if a run falls below a score with probability z, the best of all runs does with probability
G(z). Near z = 1, where long selections are decided, 1 − G(z) has no digits left; so the functions
here take log z, and differences G(z) − G(z − gap) are sums of positive terms.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, exprel, gammaln, xlogy

from workbench import _checks
from workbench.curves.validation import Floats, Values, quiet, rates, reals, shaped

_LOG_LARGEST = math.log(np.finfo(float).max)

#: Run counts whose probabilities are summed one by one; those in blocks of one; and the relative
#: lengths of longer blocks, up to the first number and beyond.
_SUMMED, _SINGLE = 2**16, 2**10
_SHORT, _LONG = 1 / 512, 1 / 64
#: Where a distribution is searched for its tail.
_FARTHEST = np.r_[np.arange(1.0, 64.0), np.geomspace(64, 1e60, 2000).round()]
#: Above this many runs, log Γ(k) has too few digits for differences.
_MANY = 1e6


@dataclass(frozen=True, eq=False)
class RunBlocks:
    """Run counts in blocks, each taken at its largest: what bounds all of them from above.

    Attributes
    ----------
    last : ndarray, shape (n,)
        The largest run count of each block, increasing, at least 1.
    mass : ndarray, shape (n,)
        Upper limits of the blocks' probabilities.
    rest : float
        Upper limit of the probability of more runs than the last block has.
    """

    last: Floats
    mass: Floats
    rest: float

    def merged(self, most: int) -> RunBlocks:
        """At most ``most`` blocks, evenly spaced in the root of the run count."""
        if self.last.size <= most:
            return self
        least, largest = np.sqrt(self.last[[0, -1]])
        wanted = np.linspace(least, largest, most) ** 2
        ends = np.unique(np.searchsorted(self.last, wanted * (1 - 1e-12)))
        mass = np.add.reduceat(self.mass, np.r_[0, ends[:-1] + 1])
        return RunBlocks(self.last[ends], mass, self.rest)

    def first(self, n: int) -> RunBlocks:
        """The first ``n`` blocks; the others are counted with the rest."""
        return RunBlocks(self.last[:n], self.mass[:n], self.rest + float(self.mass[n:].sum()))


class RunCount(ABC):
    """A distribution ξ of the number of runs, on 0, 1, 2, …; 0 means that nothing is released.

    Notes
    -----
    A subclass gives ``name``, ``mean``, ``nothing`` and the underscored methods, which see checked
    arrays.
    """

    # -- what a distribution is -------------------------------------------------------------------

    @property
    @abstractmethod
    def name(self) -> str:
        """For titles and legends: "geometric, ν = 0.01"."""

    #: Expected number of runs, finite.
    mean: float

    @property
    def nothing(self) -> float:
        """ξ(0), the probability that nothing is released."""
        return 0.0

    @property
    def terms(self) -> int:
        """Number of terms of the generating function; 1 for a closed form."""
        return 1

    # -- probabilities ----------------------------------------------------------------------------

    def pmf(self, k: ArrayLike) -> Values:
        """Probability ξ(k) of k runs.

        Parameters
        ----------
        k : array_like
            Numbers of runs: integers, at least 0.

        Returns
        -------
        float or ndarray, the shape of ``k``

        Raises
        ------
        ValueError
            A k that is negative or not an integer.
        """
        return shaped(np.exp(self._log_pmf(run_counts(k))))

    def log_pmf(self, k: ArrayLike) -> Values:
        """Log ξ(k), which does not underflow; −inf where ξ(k) is 0. See :meth:`pmf`."""
        return shaped(self._log_pmf(run_counts(k)))

    # -- generating function ----------------------------------------------------------------------

    def generating_function(self, z: ArrayLike) -> Values:
        """Generating function G(z) = Σ_k ξ(k) z^k.

        It is the probability that all runs have a property that one has with probability z.

        Parameters
        ----------
        z : array_like
            In [0, 1].

        Returns
        -------
        float or ndarray, the shape of ``z``

        Raises
        ------
        ValueError
            A z outside [0, 1].
        """
        with quiet():
            return shaped(np.exp(self._log_generating_function(np.log(rates(z, "z")))))

    def log_generating_function(self, log_z: ArrayLike) -> Values:
        """Log G as a function of log z ≤ 0, accurate where z rounds to 0 or to 1."""
        return shaped(self._log_generating_function(log_rates(log_z, "log_z")))

    def derivative(self, z: ArrayLike) -> Values:
        """Derivative G'(z) = Σ_k k ξ(k) z^(k−1).

        It is the ratio of the densities of the best run and of one run; G'(1) is the mean. For the
        argument see :meth:`generating_function`.
        """
        with quiet():
            return shaped(np.exp(self._log_derivative(np.log(rates(z, "z")))))

    def log_derivative(self, log_z: ArrayLike) -> Values:
        """Log G' as a function of log z ≤ 0."""
        return shaped(self._log_derivative(log_rates(log_z, "log_z")))

    # -- sampling ---------------------------------------------------------------------------------

    def sample(self, n: int, seed: int | np.random.Generator = 0) -> Floats:
        """Independent numbers of runs.

        Returns
        -------
        ndarray of float, shape (n,)
            Integers as floats, because heavy tails exceed the largest integer type.

        Raises
        ------
        ValueError
            An n that is not an integer of at least 1.
        """
        return self._draw(_checks.count(n, "n", 1, _checks.DRAWN), _checks.random(seed))

    # -- what a subclass gives --------------------------------------------------------------------

    @abstractmethod
    def _log_pmf(self, k: Floats) -> Floats:
        """Log ξ(k)."""

    @abstractmethod
    def _log_derivative(self, log_z: Floats) -> Floats:
        """Log G'(z)."""

    @abstractmethod
    def _elasticity(self, log_z: Floats) -> Floats:
        """Slope of log G' in log z, z G''(z)/G'(z) ≥ 0; it grows with z."""

    @abstractmethod
    def _log_increase(self, log_z: Floats, log_gap: Floats) -> Floats:
        """Log of G(z) − G(z − gap), accurate however small the gap; 0 < gap ≤ z."""

    @abstractmethod
    def _draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Numbers of runs."""

    @abstractmethod
    def _blocks(self, rest: float) -> RunBlocks:
        """Run counts from 1 on in blocks, beyond which there is at most ``rest`` if possible."""

    @quiet()
    def _log_generating_function(self, log_z: Floats) -> Floats:
        some = np.where(log_z > -np.inf, self._log_increase(log_z, log_z), -np.inf)
        return np.logaddexp(np.log(self.nothing), some)


def require_runs(value: Any) -> RunCount:
    """``value`` when it is a `RunCount` (TypeError that says how to make one otherwise)."""
    need = "a run count such as wb.selection.NegativeBinomial(1, 0.01)"
    return _checks.instance(value, RunCount, "runs", need)


@dataclass(frozen=True)
class NegativeBinomial(RunCount):
    """Truncated negative binomial; η = 1 is geometric, η = 0 logarithmic.

    Papernot and Steinke (2022), Definition 1.

    With w = 1 − (1−ν)z and H(y) = (e^{ηy} − 1)/η (y itself for η = 0)::

        G(z) = H(−log w) / H(−log ν)        ξ(k) = (1−ν)^k Γ(k+η) / (k! Γ(1+η) H(−log ν))

    Parameters
    ----------
    eta : float
        Shape, above −1.
    nu : float
        In (0, 1); the smaller, the more runs.

    Raises
    ------
    ValueError
        A parameter outside its range, or a mean that no float holds.
    """

    eta: float
    nu: float

    def __post_init__(self) -> None:
        eta = _checks.number(self.eta, "eta")
        if eta <= -1:
            raise ValueError(
                f"eta must be above -1, got {self.eta!r}; at -1 and below there is no such "
                "distribution with a finite mean"
            )
        object.__setattr__(self, "eta", eta)
        hint = "toward 0 the mean number of runs becomes infinite"
        object.__setattr__(self, "nu", _checks.open_unit(self.nu, "nu", hint))
        if not self._log_mean < _LOG_LARGEST:
            raise ValueError(
                f"the mean must be finite, but eta = {eta:g} with nu = {self.nu:g} gives e^"
                f"{self._log_mean:.0f}; take a larger nu"
            )

    @classmethod
    def from_mean(cls, eta: float, mean: float) -> NegativeBinomial:
        """The distribution of this shape with this mean.

        Parameters
        ----------
        eta : float
            Above −1.
        mean : float
            Above 1.

        Raises
        ------
        ValueError
            A mean of 1 or below, an infinite one, or one that needs a ν below 1e-300.
        """
        from scipy.optimize import brentq

        eta, mean = cls(eta, 0.5).eta, _checks.number(mean, "mean")
        if mean <= 1:
            raise ValueError(
                f"mean must be above 1, got {mean!r}; the distribution starts at 1: "
                "PointMass(1) is one run for certain"
            )
        low, high = 1e-15, 300 * math.log(10)

        def excess(t: float) -> float:
            return _negative_binomial_log_mean(eta, t) - math.log(mean)

        if excess(high) < 0 or excess(low) > 0:
            raise ValueError(
                f"no nu gives eta = {eta:g} a mean of {mean:g}; "
                + ("take a larger eta" if excess(high) < 0 else "take PointMass(1)")
            )
        return cls(eta, math.exp(-brentq(excess, low, high, xtol=1e-300, rtol=1e-14)))

    @property
    def name(self) -> str:
        if self.eta == 1:
            return f"geometric, ν = {self.nu:g}"
        if self.eta == 0:
            return f"logarithmic, ν = {self.nu:g}"
        return f"negative binomial, η = {self.eta:g}, ν = {self.nu:g}"

    @property
    def mean(self) -> float:  # type: ignore[override]
        return math.exp(self._log_mean)

    @property
    def _log_mean(self) -> float:
        return _negative_binomial_log_mean(self.eta, -math.log(self.nu))

    @property
    def _log_whole(self) -> float:
        """Log H(−log ν)."""
        return float(_log_h(self.eta, np.log(-math.log(self.nu))))

    def _log_pmf(self, k: Floats) -> Floats:
        eta = self.eta
        at_least_one = np.maximum(k, 1.0)
        log_pmf = (
            at_least_one * math.log1p(-self.nu)
            + gammaln(at_least_one + eta)
            - gammaln(at_least_one + 1)
            - gammaln(1 + eta)
            - self._log_whole
        )
        if (many := at_least_one > _MANY).any():
            far = at_least_one * math.log1p(-self.nu) + _log_gamma_ratio(at_least_one, eta)
            log_pmf = np.where(many, far - gammaln(1 + eta) - self._log_whole, log_pmf)
        return np.where(k >= 1, log_pmf, -np.inf)

    def _blocks(self, rest: float) -> RunBlocks:
        def log_growth(k: Floats) -> Floats:
            return math.log1p(-self.nu) + np.maximum(np.log1p((self.eta - 1) / (k + 1)), 0.0)

        return _tail_blocks(self._log_pmf, log_growth, rest)

    def _below(self, log_z: Floats) -> Floats:
        """W = 1 − (1−ν)z, without cancellation near z = 1."""
        return -np.expm1(log_z) + self.nu * np.exp(log_z)

    def _log_derivative(self, log_z: Floats) -> Floats:
        slope = -(1 + self.eta) * np.log(self._below(log_z))
        return slope + (math.log1p(-self.nu) - self._log_whole)

    def _elasticity(self, log_z: Floats) -> Floats:
        return (1 + self.eta) * (1 - self.nu) * np.exp(log_z) / self._below(log_z)

    @quiet()
    def _log_increase(self, log_z: Floats, log_gap: Floats) -> Floats:
        # H(y₂) − H(y₁) = e^{ηy₁} H(y₂ − y₁), and y₂ − y₁ = log(w₁/w₂).
        w = self._below(log_z)
        log_step = math.log1p(-self.nu) + log_gap
        log_growth = np.log(np.logaddexp(0.0, log_step - np.log(w)))
        start = -np.log(np.minimum(w + np.exp(log_step), 1.0))
        return self.eta * start + _log_h(self.eta, log_growth) - self._log_whole

    def _draw(self, n: int, rng: np.random.Generator) -> Floats:
        # Given that the best of the runs has rank V, of which G is the distribution function, the
        # other runs are NB(η+1, w(V)): their generating function is z ↦ ∫ G'(zv) dv. NB is a
        # Poisson number with a Gamma mean, which has no trouble with a tiny w.
        t, u = -math.log(self.nu), rng.random(n)
        share = np.log1p(u * math.expm1(-self.eta * t)) / -self.eta if self.eta else u * t
        odds = np.expm1(t - np.minimum(share, t))
        others = rng.gamma(self.eta + 1, size=n) * odds
        # Beyond 1e15 a Poisson number is its mean in all digits but the last few.
        small = rng.poisson(np.minimum(others, 1e15)).astype(float)
        return 1 + np.where(others < 1e15, small, np.floor(others))


@dataclass(frozen=True)
class Poisson(RunCount):
    """A Poisson number of runs; with probability e^−mean there is none and nothing is released.

    Parameters
    ----------
    mean : float
        Above 0.

    Raises
    ------
    ValueError
        A mean that is not positive and finite.
    """

    mean: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", _checks.positive(self.mean, "mean"))

    @property
    def name(self) -> str:
        return f"Poisson, mean {self.mean:g}"

    @property
    def nothing(self) -> float:
        return math.exp(-self.mean)

    def _log_pmf(self, k: Floats) -> Floats:
        return xlogy(k, self.mean) - self.mean - gammaln(k + 1)

    def _blocks(self, rest: float) -> RunBlocks:
        def log_growth(k: Floats) -> Floats:
            return math.log(self.mean) - np.log(k + 1)

        return _tail_blocks(self._log_pmf, log_growth, rest)

    def _log_derivative(self, log_z: Floats) -> Floats:
        return math.log(self.mean) + self.mean * np.expm1(log_z)

    def _elasticity(self, log_z: Floats) -> Floats:
        return self.mean * np.exp(log_z)

    @quiet()
    def _log_increase(self, log_z: Floats, log_gap: Floats) -> Floats:
        fall = -np.expm1(-self.mean * np.exp(log_gap))
        return self.mean * np.expm1(log_z) + np.log(fall)

    def _draw(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.poisson(self.mean, n).astype(float)


# -- parts ----------------------------------------------------------------------------------------


def run_counts(k: ArrayLike) -> Floats:
    """``k`` as floats that are whole, finite and at least 0 (ValueError otherwise)."""
    x = reals(k, "the number of runs")
    bad = ~(np.isfinite(x) & (x >= 0) & (x == np.floor(x)))
    if bad.any():
        raise ValueError(
            f"the number of runs must be a whole finite number of at least 0, got "
            f"{float(x[bad].flat[0])!r}; an infinite number of runs has no mean"
        )
    return x


def log_rates(values: ArrayLike, name: str) -> Floats:
    """Logs of numbers in [0, 1], checked.

    Parameters
    ----------
    values : array_like
        At most 0.
    name : str
        What error messages call them.
    """
    x = reals(values, name)
    if (x > 0).any():
        raise ValueError(f"{name} must be at most 0, got {float(x.max())!r}; give log z, z ≤ 1")
    return x


def _negative_binomial_log_mean(eta: float, t: float) -> float:
    """Log of the mean for ν = e^−t: G'(1) = (1−ν) ν^(−1−η) / H(t)."""
    return math.log(-math.expm1(-t)) + (1 + eta) * t - float(_log_h(eta, np.log(t)))


@quiet()
def _log_h(eta: float, log_y: Floats) -> Floats:
    """Log of H(y) = (e^{ηy} − 1)/η = y·exprel(ηy), from log y."""
    x = eta * np.exp(log_y)
    # e^x/x is exprel(x) in all digits long before it overflows.
    return log_y + np.where(x < 100, np.log(exprel(np.minimum(x, 100.0))), x - np.log(x))


def _log_gamma_ratio(k: Floats, eta: float) -> Floats:
    """Log of Γ(k+η)/Γ(k+1), however large k is."""
    if eta < 1:
        return betaln(k + eta, 1 - eta) - gammaln(1 - eta)
    return gammaln(eta - 1) - betaln(k + 1, eta - 1) if eta > 1 else np.zeros_like(k)


def _spaced(low: float, high: float, length: float) -> Floats:
    """Whole numbers from low to high at steps of a relative length; none if low is higher."""
    if low >= high:
        return np.empty(0)
    steps = math.ceil(math.log(high / low) / length)
    return np.r_[np.geomspace(low, high, steps + 1).round()[:-1], high]


@quiet()
def _tail_blocks(
    log_pmf: Callable[[Floats], Floats], log_growth: Callable[[Floats], Floats], rest: float
) -> RunBlocks:
    """Blocks of a distribution on 1, 2, … with a tail that falls at least geometrically.

    Parameters
    ----------
    log_pmf : callable
        k -> log ξ(k).
    log_growth : callable
        k -> upper limit of log ξ(j+1)/ξ(j) for all j ≥ k; negative in the end.
    rest : float
        Wanted probability beyond the blocks.

    Notes
    -----
    Beyond k there is at most ξ(k+1)/(1 − r) with r the largest ratio from k + 1 on; a block from
    a on has at most its length times ξ(a) max(1, r)^length.
    """
    growth = log_growth(_FARTHEST + 1)
    tail = log_pmf(_FARTHEST + 1) - np.log(-np.expm1(np.minimum(growth, 0.0)))
    enough = np.flatnonzero(tail <= math.log(rest))
    end = _FARTHEST[enough[0] if enough.size else -1]
    beyond = float(np.exp(min(tail[enough[0]], 0.0))) if enough.size else 1.0
    single = np.arange(1.0, min(end, _SINGLE) + 1)
    ends = np.unique(
        np.r_[single, _spaced(_SINGLE, min(end, _SUMMED), _SHORT), _spaced(_SUMMED, end, _LONG)]
    )
    first = np.r_[1.0, ends[:-1] + 1]
    near = ends <= _SUMMED
    summed = np.exp(log_pmf(np.arange(1.0, ends[near][-1] + 1)))
    mass = np.empty_like(ends)
    mass[near] = np.add.reduceat(summed, first[near].astype(int) - 1)
    start, length = first[~near], ends[~near] - first[~near] + 1
    rise = np.maximum(log_growth(start), 0.0) * length
    mass[~near] = np.exp(log_pmf(start) + np.log(length) + rise)
    return RunBlocks(ends, np.minimum(mass, 1.0), beyond)
