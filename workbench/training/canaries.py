"""`simulate_canaries`: one noisy release with many random canaries, and their scores.

The mechanism releases θ = Σ x_i + Z, a sum of n unit canaries x_i, uniform on the sphere in d
dimensions, and noise Z ~ N(0, σ² I). Scores are ⟨x_i, θ⟩ of the canaries that are in and ⟨z_i, θ⟩
of n fresh ones that are not. As d grows they become independent draws of N(1, σ²) and N(0, σ²);
at small d the canaries disturb each other and the scores spread by √(n/d) more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench import _checks
from workbench._frames import to_frame
from workbench.bounds.bound import Bound
from workbench.bounds.parametric.gdp_fit import gdp_fit
from workbench.onerun.simulate import random_release
from workbench.pairs.gaussian import GaussianPair
from workbench.scores.sample import Scores


@dataclass(frozen=True, eq=False)
class CanaryRun:
    """Scores of one run, and what two methods read off them.

    Attributes
    ----------
    scores : Scores
        Sampling "one run".
    dimension, canaries : int
        d, and n on each side.
    sigma : float
        Noise over canary norm.
    norm : float
        ‖θ‖, which the method of Andrew et al. knows.
    """

    scores: Scores
    dimension: int
    canaries: int
    sigma: float
    norm: float

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.positive(self.sigma, "sigma")

    @property
    def truth(self) -> GaussianPair:
        """What one canary's inclusion leaks: N(1, σ²) against N(0, σ²)."""
        return GaussianPair(1 / self.sigma)

    @property
    def histogram_mu(self) -> Bound:
        """Estimated μ from the total variation of two histograms.

        It does not use the noise level, and is biased upward, as histograms are.

        References
        ----------
        Koskela and Mohammadi (2024), §8 with Algorithm 2.
        """
        return gdp_fit(self.scores, method="tv")

    @property
    def moments_mu(self) -> Bound:
        """Estimated μ from mean and variance of the cosines (Andrew et al. 2024, Algorithm 1).

        Only the canaries that are in are looked at: their cosines ⟨x_i, θ⟩/‖θ‖ have a mean m and a
        standard deviation s, and a canary that is out has N(0, 1/d). With s² ≈ 1/d the pair is
        Gaussian with μ = m/s, which is what is given here.
        """
        cosines = self.scores.p / self.norm
        spread = float(cosines.std(ddof=1))
        value = max(float(cosines.mean()) / spread, 0.0) if spread > 0 else float("inf")
        return Bound.of_scores(
            self.scores,
            value,
            quantity="mu",
            guarantee="estimate",
            method="mean and variance of canaries",
            family="Gaussian",
        )


def simulate_canaries(
    d: int, n: int, sigma: float, seed: int | np.random.Generator = 0
) -> CanaryRun:
    """One release of n random canaries in d dimensions, and its scores.

    Parameters
    ----------
    d : int
        Dimension, at least 2.
    n : int
        Number of canaries that are in, and number that are out; at least 2.
    sigma : float
        Standard deviation of the noise in each coordinate, for canaries of norm 1.
    seed : int or numpy.random.Generator

    Returns
    -------
    CanaryRun
        Exact in distribution for every d; time and memory grow with n·min(n, d).

    Raises
    ------
    ValueError
        An argument outside its range, or n·min(n, d) above 30 million.

    References
    ----------
    Koskela and Mohammadi (2024), §8, Theorem 1; Andrew et al. (2024), Theorem 3.3.
    """
    d, n = _checks.count(d, "d", least=2), _checks.count(n, "n", least=2)
    sigma = _checks.positive(sigma, "sigma")
    if sigma > 1e150:
        raise ValueError(f"sigma must be at most 1e150, got {sigma:g}; no float holds its square")
    p, q, norm = random_release(n, n, d, sigma, _checks.random(seed), rows=n)
    name = f"{n} canaries in {d} dimensions, σ = {sigma:g}"
    return CanaryRun(Scores(p, q, True, "one run", name=name), d, n, sigma, norm)
