"""DP-SGD in whose epochs each record draws the one batch that it is in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import logsumexp, ndtr

from workbench import _checks
from workbench.curves.validation import Floats, quiet
from workbench.pairs.accounting.accounted import Accounted, equal_steps
from workbench.pairs.accounting.composed import ComposedPair
from workbench.pairs.accounting.pld import AccountantError, convolve
from workbench.pairs.base import Pair
from workbench.pairs.functions import PrivacyFunctions
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.outcomes import Outcomes, OutcomesPair
from workbench.pairs.trainings.largest_sum import LargestSumPair
from workbench.pairs.trainings.limits import LimitsPair

#: Grid points of one likelihood ratio, and of that many deviations of a sum of them.
_POINTS, _DEVIATIONS = 400_000, 24.0

#: Deviations that the grid reaches beyond the mean under P, at least and at most: as many as leave
#: its points this near. What is beyond counts as infinite loss, 1e-9 of P or less.
_LEAST_REACH, _REACH, _NEAR = 6.0, 8.0, 0.1

#: The widest cell of their mean: on a coarser grid it would often be 0, which only Q can be.
_COARSEST = 0.02

MOST_BATCHES, MOST_EPOCHS = 1_000_000, 100_000

#: Sums of an epoch that are drawn at once.
_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class BallsInBinsPair(LimitsPair):
    """DP-SGD in whose epochs each record falls into one of T batches, by a die of its own.

    With n records, batches have n/T of them on average. Of one epoch this pair is::

        P = (1/T) Σ_t N(e_t, σ² I)        Q = N(0, σ² I)        in T dimensions

    of adding or removing a record, which dominates every adaptive choice of gradients and is
    reached (Chua et al. 2024). Its likelihood ratio is the mean of T independent numbers
    Y = exp(x/σ² − 1/2σ²), whose law is put on a grid by splitting what lies between two points so
    that the mean stays: a spread that can only raise the hockey-stick divergences. Values are
    therefore upper limits, and near ones where the grid is fine. The lower curve of
    :meth:`profile_interval` is that of :attr:`attack`, the largest sum of each epoch.

    Parameters
    ----------
    noise_multiplier : float
        σ, noise over clipping norm, above 0.
    batches : int
        T, at most 10⁶.
    epochs : int
        E; records draw anew in each. If one draw serves all, it is one epoch with σ/√E.

    Raises
    ------
    ValueError
        An argument outside its range.

    Notes
    -----
    Asking for a value raises `AccountantError` where the noise is so small that no grid of bounded
    size holds the likelihood ratios. What lies beyond the grid, less than 2e-9, counts as infinite
    loss: ε at a smaller δ, and Rényi divergences, may be ``inf``. Scores are total privacy losses,
    as of `DPSGDPair`.

    References
    ----------
    Chua, Ghazi, Harrison, Leeman, Kamath, Kumar, Manurangsi, Sinha and Zhang, Balls-and-bins
    sampling for DP-SGD (2024), arXiv 2412.16802. Choquette-Choo, Ganesh, Haque, Steinke and
    Thakurta, Near exact privacy amplification for matrix mechanisms (2024), arXiv 2410.06266.

    Examples
    --------
    >>> pair = wb.BallsInBinsPair(noise_multiplier=1, batches=100)
    >>> round(pair.epsilon(1e-5), 2), round(wb.DPSGDPair(1, 1 / 100, 100).epsilon(1e-5), 2)
    (0.62, 0.72)
    """

    noise_multiplier: float
    batches: int
    epochs: int = 1

    def __post_init__(self) -> None:
        noise = _checks.positive(self.noise_multiplier, "noise_multiplier")
        if not 0.01 <= noise <= 1e6:
            raise ValueError(
                f"noise_multiplier must lie between 0.01 and 1e6, got {self.noise_multiplier!r}"
            )
        object.__setattr__(self, "noise_multiplier", noise)
        object.__setattr__(self, "batches", _checks.count(self.batches, "batches", 1, MOST_BATCHES))
        object.__setattr__(self, "epochs", _checks.count(self.epochs, "epochs", 1, MOST_EPOCHS))

    @property
    def name(self) -> str:
        epochs = "1 epoch" if self.epochs == 1 else f"{self.epochs:,} epochs"
        return f"DP-SGD, σ = {self.noise_multiplier:g}, balls in {self.batches:,} bins, {epochs}"

    @property
    def parameters(self) -> dict[str, float]:
        return {
            "noise_multiplier": self.noise_multiplier,
            "batches": self.batches,
            "epochs": self.epochs,
        }

    @property
    def attack(self) -> Pair:
        """The pair of the largest sum of each epoch."""
        one = LargestSumPair(self.batches, 1.0, 0.0, self.noise_multiplier)
        return one if self.epochs == 1 else ComposedPair(one, self.epochs)

    @property
    def _epoch(self) -> BinsPair:
        return BinsPair(self.noise_multiplier, self.batches)

    def _closed_form(self) -> Pair | None:
        if self.batches > 1:
            return None
        return GaussianPair(math.sqrt(self.epochs) / self.noise_multiplier)

    @property
    def _functions(self) -> PrivacyFunctions:
        if self.batches > 1:
            self._epoch.check()
        return super()._functions

    def _composed(self, k: int) -> BallsInBinsPair:
        return BallsInBinsPair(self.noise_multiplier, self.batches, k * self.epochs)

    @property
    def _accounted(self) -> Accounted:
        return equal_steps(self._epoch, self.epochs)

    @property
    def _steps(self) -> tuple[tuple[BinsPair, int]]:
        return ((self._epoch, self.epochs),)


@dataclass(frozen=True)
class BinsPair(OutcomesPair):
    """One epoch of a `BallsInBinsPair`, whose outcomes are likelihood ratios on a grid.

    Scores are privacy losses.
    """

    sigma: float
    batches: int

    @property
    def name(self) -> str:
        return f"balls in {self.batches:,} bins, σ = {self.sigma:g}"

    @property
    def parameters(self) -> dict[str, float]:
        return {"sigma": self.sigma, "batches": self.batches}

    @property
    def _width(self) -> float:
        """Distance of two grid points of Y."""
        mu = 1 / self.sigma
        near = (math.log(_NEAR * _POINTS) - mu**2 / 2) / mu
        reach = min(max(near, _LEAST_REACH), _REACH)
        one = math.exp(min(mu * (mu / 2 + reach), 700.0)) / _POINTS
        # Of many batches, the sum has to fit.
        deviation = math.sqrt(self.batches * math.expm1(min(mu**2, 700.0)))
        return max(one, _DEVIATIONS * deviation / _POINTS)

    def check(self) -> None:
        """Refuse what no grid of bounded size holds.

        Raises
        ------
        AccountantError
            The grid would be too coarse.
        """
        if self._width / self.batches > _COARSEST:
            raise AccountantError(
                f"σ = {self.sigma:g} is too small a noise for likelihood ratios of "
                f"{self.batches:,} batches on a grid; take more noise or more batches, or the "
                "limit without amplification, wb.GaussianPair(epochs**0.5 / noise_multiplier)"
            )

    @cached_property
    @quiet()
    def outcomes(self) -> Outcomes:
        self.check()
        mu, width, t = 1 / self.sigma, self._width, self.batches
        # Where the sum decides on the width, one ratio needs no more than reach 8.
        top = min(_POINTS, math.ceil(math.exp(min(mu * (mu / 2 + _REACH), 700.0)) / width))
        y = width * np.arange(top + 1)
        z = np.log(y) / mu + mu / 2
        # E[Y; Y ≤ y] = Φ(z − μ), since E[Y] = 1.
        q, mean = _between(z), _between(z - mu)
        right = np.clip((mean - y[:-1] * q) / width, 0.0, q)
        masses = np.r_[q - right, 0.0] + np.r_[0.0, right]
        # What lies beyond the grid goes to 0 and to ∞, which has mass under P alone.
        masses[0] += ndtr(-z[-1])
        tilted = y * masses
        lost = float(ndtr(mu - z[-1])) + abs(1.0 - float(ndtr(mu - z[-1])) - tilted.sum())
        first_p, p, noise_p = convolve([(tilted, 0, 1), (masses, 0, t - 1)])
        first_q, sums, noise_q = convolve([(masses, 0, t)])
        # Each side is accurate where its own mass is.
        over, under = first_p + np.arange(p.size), first_q + np.arange(sums.size)
        ratio_p, ratio_q = over * width / t, under * width / t
        above, below = (ratio_p >= 1) & (p > 0), (ratio_q < 1) & (ratio_q > 0) & (sums > 0)
        loss = np.log(np.r_[ratio_p[above], ratio_q[below]])
        log_p = np.r_[np.log(p[above]), np.log(sums[below]) + loss[int(above.sum()) :]]
        p_only = lost + noise_p
        q_only = noise_q + float(sums[under == 0].sum())
        return Outcomes(
            np.r_[np.inf, loss, -np.inf],
            np.r_[math.log(p_only), log_p, -np.inf],
            np.r_[-np.inf, log_p - loss, math.log(q_only)],
        )

    def _privacy_loss(self, score: Floats) -> Floats:
        return score

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        return self._drawn(n, rng, 1.0)

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        return self._drawn(n, rng, 0.0)

    def _drawn(self, n: int, rng: np.random.Generator, shift: float) -> Floats:
        """Log likelihood ratios of all sums; by symmetry the first is the record's."""
        found, rows = np.empty(n), max(_AT_ONCE // self.batches, 1)
        for start in range(0, n, rows):
            sums = rng.normal(0.0, self.sigma, (min(rows, n - start), self.batches))
            sums[:, 0] += shift
            exponents = (2 * sums - 1) / (2 * self.sigma**2)
            found[start : start + rows] = logsumexp(exponents, axis=1) - math.log(self.batches)
        return found


def _between(z: Floats) -> Floats:
    """Normal probabilities of cells, each from the smaller tail."""
    return np.where(z[1:] < 0, np.diff(ndtr(z)), -np.diff(ndtr(-z)))
