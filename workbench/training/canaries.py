"""`simulate_canaries`: one noisy release with many random canaries, and their scores.

The mechanism releases θ = Σ x_i + Z, a sum of n unit canaries x_i, uniform on the sphere in d
dimensions, and noise Z ~ N(0, σ² I). Scores are ⟨x_i, θ⟩ of the canaries that are in and ⟨z_i, θ⟩
of n fresh ones that are not. As d grows they become independent draws of N(1, σ²) and N(0, σ²);
at small d the canaries disturb each other and the scores spread by √(n/d) more.

The d-dimensional vectors are never made when d > n. Gaussian vectors, written in the coordinates
of their own QR decomposition, have independent normals below the diagonal and √χ²_{d−i} on it
(Bartlett), and what does not lie in their span only adds to ‖θ‖. A fresh canary is uniform given
θ, so that ⟨z, θ⟩/‖θ‖ is the first coordinate of a point on the sphere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench import _checks
from workbench._frames import to_frame
from workbench.bounds.bound import Bound
from workbench.bounds.parametric.gdp_fit import gdp_fit
from workbench.curves.validation import Floats
from workbench.pairs.gaussian import GaussianPair
from workbench.scores.sample import Scores

#: Numbers in the largest matrix that is made, 240 MB.
MOST_NUMBERS = 30_000_000


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
    if n * min(n, d) > MOST_NUMBERS:
        raise ValueError(
            f"n · min(n, d) must be at most {MOST_NUMBERS}, got {n} canaries in {d} dimensions; "
            "take fewer canaries"
        )
    rng = _checks.random(seed)
    x = _unit_vectors(n, d, rng)
    theta = x.sum(axis=0) + sigma * rng.standard_normal(x.shape[1])
    outside = sigma**2 * rng.chisquare(d - x.shape[1]) if d > x.shape[1] else 0.0
    norm = float(np.sqrt(theta @ theta + outside))
    # The first coordinate of a point on the sphere.
    first = rng.standard_normal(n)
    cosines = first / np.sqrt(first**2 + rng.chisquare(d - 1, n))
    name = f"{n} canaries in {d} dimensions, σ = {sigma:g}"
    scores = Scores(x @ theta, norm * cosines, True, "one run", name=name)
    return CanaryRun(scores, d, n, sigma, norm)


def _unit_vectors(n: int, d: int, rng: np.random.Generator) -> Floats:
    """Uniform points on the sphere in d dimensions, as rows of min(n, d) coordinates."""
    if d <= n:
        x = rng.standard_normal((n, d))
    else:
        x = np.tril(rng.standard_normal((n, n)), -1)
        np.fill_diagonal(x, np.sqrt(rng.chisquare(d - np.arange(n))))
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))
