"""The family of subsampled Gaussian pairs with a known sampling probability."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from workbench import _checks
from workbench.curves.error_rates import mu_of_point
from workbench.curves.gdp import mu_from_total_variation
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair
from workbench.pairs.families.base import Family
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.roots import FAR, bisect, density, where_falls_to
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair


@dataclass(frozen=True)
class SubsampledGaussianFamily(Family):
    """q N(1, σ²) + (1−q) N(0, σ²) against N(0, σ²), q known; the parameter is 1/σ.

    Parameters
    ----------
    q : float
        The sampling probability, in (0, 1].
    """

    title = "Subsampled Gaussian"
    parameter_name = "1/sigma"

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
    def symbol(self) -> str:
        return "1/σ"

    def pair(self, parameter: float) -> Pair:
        # σ is infinite where the parameter is 0; P = Q is a Gaussian pair, too.
        if parameter == 0:
            return GaussianPair(0.0)
        return SubsampledGaussianPair(self.q, 1 / parameter)

    def parameter_of_point(self, alpha: Floats, beta: Floats) -> Floats:
        """The parameter whose trade-off function passes through (α, β).

        Parameters
        ----------
        alpha, beta : ndarray
            Error rates in [0, 1].

        Returns
        -------
        ndarray, of their common shape
            0 on and above the diagonal α + β = 1.
        """
        # f = q G_μ + (1 − q)(1 − α)
        rest = (beta - (1 - self.q) * (1 - alpha)) / self.q
        return np.asarray(mu_of_point(alpha, np.clip(rest, 0.0, 1.0)))

    def parameter_of_auc(self, auc: float) -> float:
        """The parameter with this area under the ROC, q Φ(μ/√2) + (1 − q)/2."""
        return math.sqrt(2) * float(ndtri(np.clip(0.5 + (auc - 0.5) / self.q, 0.5, 1.0)))

    def bit_error(self, parameter: float) -> float:
        return (1 - self.q * math.erf(parameter / math.sqrt(8))) / 2

    def parameter_of_bit_error(self, error: float) -> float:
        # TV = q (1 − 2Φ(−1/2σ)), below q for every σ.
        tail = (1 - (1 - 2 * error) / self.q) / 2
        return max(-2 * float(ndtri(tail)), 0.0) if tail > 0 else math.inf

    def parameter_of_total_variation(self, total_variation: float) -> float:
        share = total_variation / self.q
        return float(mu_from_total_variation(share)) if share < 1 else math.inf

    def least_mass(self, parameters: Floats) -> Callable[[Floats], Floats]:
        q, mu = self.q, parameters
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
        return ndtr(-bisect(lambda z: q * ndtr(mu - z) + (1 - q) * ndtr(-z) <= rate, -high, -low))

    def guess_error(self, parameter: float, share: Floats) -> Floats:
        if parameter <= 0:
            return np.full_like(share, 0.5)
        if self.q == 1:
            return GaussianFamily().guess_error(parameter, share)
        # "In" above z σ, "out" below y σ. Without the record no score is likelier than 1/(1−q)
        # times, so the most certain guesses all say "in": above z₁, where these odds are reached.
        # (The symmetrized curve would let "out" be as certain as "in".)
        q, mu = self.q, parameter

        def above(z: Floats) -> tuple[Floats, Floats]:
            """Share of the outcomes with scores above z, and its slope."""
            share = (2 - q) * ndtr(-z) + q * ndtr(mu - z)
            return share / 2, -((2 - q) * density(z) + q * density(mu - z)) / 2

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
            used, unused = density(y - mu), density(y)
            share_out = (2 - q) * ndtr(y) + q * ndtr(y - mu)
            slope_out = (2 - q) * unused + q * used
            return share_in + share_out / 2, -(slope_in * per_y + slope_out / 2)

        first = mirrored(np.array([-np.inf]))[0]
        easy = share <= above(first)[0]
        z, y = np.empty_like(share), np.full_like(share, -np.inf)
        if easy.any():
            z[easy] = where_falls_to(share[easy], above, mu / 2, mu + FAR)
        if not easy.all():
            y[~easy] = -where_falls_to(share[~easy], both, -mu / 2, FAR)
            z[~easy] = mirrored(y[~easy])[0]
        return (ndtr(-z) + q * ndtr(y - mu) + (1 - q) * ndtr(y)) / 2 / share
