"""DP-SGD whose noise is correlated over the steps: banded matrix factorization."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench import _checks
from workbench.pairs.accounting.accounted import Accounted, AccountedPair
from workbench.pairs.accounting.pld import Steps
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair
from workbench.pairs.trainings.participation import (
    MOST_STEPS,
    checked_coefficients,
    participation_sensitivity,
)


@dataclass(frozen=True)
class BandedMatrixPair(AccountedPair):
    """DP-FTRL by a banded matrix: C x + z is released, or x + C⁻¹ z, which says the same.

    x has a row for each step, the sum of its clipped gradients, z has independent entries of
    deviation σ times the clipping norm, and C is the lower triangular Toeplitz matrix of
    ``coefficients`` (Choquette-Choo et al. 2023, arXiv 2306.08153). By adding or removing a record:

    - ``sample_rate=1``: the record is in at most ``participations`` steps, any two at least
      ``separation`` apart, whichever ones. Gaussian with μ = :attr:`sensitivity` / σ, in closed
      form; no sampling, and no amplification.
    - ``sample_rate=q`` below 1: the data are cut beforehand into as many parts as ``separation``
      says, which take turns, and of the part whose turn it is each record is in the batch with
      probability q. With a separation of at least the number of bands, the steps of one part touch
      rows of C x that no other of its steps touches, and each is a Gaussian mechanism with Poisson
      sampling whose sensitivity is the norm of a column: T / ``separation`` steps of DP-SGD (their
      Theorem 4), composed by privacy loss distributions, with their error bar, as `DPSGDPair`.

    Parameters
    ----------
    noise_multiplier : float
        σ, deviation of an entry of z over the clipping norm, above 0. Coefficients are not
        normalized; accountants that mean noise over sensitivity take σ / :attr:`sensitivity`.
    coefficients : sequence of float
        The first column of C up to its last band: ``(1.0,)`` is DP-SGD, and
        `square_root_coefficients` gives more bands.
    steps : int
        T, at most 10⁶.
    separation : int, optional
        Steps from one participation to the next, at least; by default the number of bands.
    sample_rate : float
        In (0, 1]: of the part whose turn it is. A batch of B out of n records has the rate
        B ``separation`` / n.
    participations : int, optional
        The most steps that a record is in, where it is not sampled; by default as many as the
        separation allows.

    Raises
    ------
    ValueError
        An argument outside its range; a separation below the number of bands with sampling, or of
        coefficients that rise or are negative; ``participations`` with sampling.

    Notes
    -----
    No Monte Carlo: batches that are drawn with a least separation (b-min-sep sampling, arXiv
    2602.09338) may need less noise, and are not what this accounts for.

    Examples
    --------
    >>> coefficients = wb.square_root_coefficients(4)
    >>> pair = wb.BandedMatrixPair(2.0, coefficients, steps=400, sample_rate=0.04)
    >>> round(pair.epsilon(1e-5), 2), round(wb.DPSGDPair(2.0, 0.01, 400).epsilon(1e-5), 2)
    (1.14, 0.38)
    >>> independent = wb.BandedMatrixPair(2.0, (1.0,), steps=400, sample_rate=0.01)
    >>> round(pair.prefix_error, 1), round(independent.prefix_error, 1)
    (13.1, 28.3)
    """

    noise_multiplier: float
    coefficients: tuple[float, ...]
    steps: int
    separation: int | None = None
    sample_rate: float = 1.0
    participations: int | None = None

    def __post_init__(self) -> None:
        column = checked_coefficients(self.coefficients)
        noise = _checks.positive(self.noise_multiplier, "noise_multiplier")
        if not 1e-50 <= noise / float(np.linalg.norm(column)) <= 1e50:
            raise ValueError(
                "noise_multiplier must be 1e-50 to 1e50 times the norm of the coefficients, got "
                f"{self.noise_multiplier!r}"
            )
        steps = _checks.count(self.steps, "steps", 1, MOST_STEPS)
        apart = len(column) if self.separation is None else self.separation
        apart = _checks.count(apart, "separation", least=1)
        rate = _checks.number(self.sample_rate, "sample_rate")
        if not 0 < rate <= 1:
            raise ValueError(
                f"sample_rate must lie in (0, 1], got {self.sample_rate!r}; it is the probability "
                "that a record of the part whose turn it is is in the batch"
            )
        if rate < 1 and apart < len(column):
            raise ValueError(
                f"separation must be at least the {len(column)} bands where batches are sampled, "
                f"got {apart}; take fewer bands, or sample_rate=1"
            )
        if self.participations is not None:
            most = _checks.count(self.participations, "participations", least=1)
            if rate < 1:
                raise ValueError(
                    f"participations are those that sampling gives, got {most} with sample_rate="
                    f"{rate:g}; leave them out"
                )
            object.__setattr__(self, "participations", most)
        for name, value in (
            ("noise_multiplier", noise),
            ("coefficients", column),
            ("steps", steps),
            ("separation", apart),
            ("sample_rate", rate),
        ):
            object.__setattr__(self, name, value)
        _ = self.sensitivity

    @property
    def name(self) -> str:
        return (
            f"DP-FTRL, σ = {self.noise_multiplier:g}, {len(self.coefficients)} bands, "
            f"q = {self.sample_rate:g}, {self.steps} steps, {self.separation} apart"
        )

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "noise_multiplier": self.noise_multiplier,
            "coefficients": self.coefficients,
            "steps": self.steps,
            "separation": self.separation,
            "sample_rate": self.sample_rate,
            "participations": self.participations,
        }

    @cached_property
    def sensitivity(self) -> float:
        """The largest norm of C x over what one record contributes, in clipping norms."""
        rounds = self._rounds
        most = rounds if self.participations is None else min(self.participations, rounds)
        return participation_sensitivity(self.coefficients, self.steps, self._apart, most)

    @cached_property
    def prefix_error(self) -> float:
        """Root mean square error of the sums of the first 1, 2, …, T gradients.

        σ ‖A C⁻¹‖ / √T with A the lower triangular matrix of ones and the Frobenius norm, in
        clipping norms, for each coordinate.
        """
        from scipy.signal import lfilter

        start = np.zeros(self.steps)
        start[0] = 1.0
        noise = np.cumsum(lfilter([1.0], np.array(self.coefficients), start))
        times = np.arange(self.steps, 0, -1)
        return self.noise_multiplier * math.sqrt(float(times @ noise**2) / self.steps)

    @property
    def _apart(self) -> int:
        return self.separation or len(self.coefficients)

    @property
    def _rounds(self) -> int:
        """Steps of the first of the parts that take turns, which has most."""
        return -(-self.steps // self._apart)

    @property
    def _parts(self) -> tuple[tuple[SubsampledGaussianPair, int], ...]:
        """Steps of one part by the norm of their columns: the last one may be cut off."""
        column, rounds = np.array(self.coefficients), self._rounds
        last = column[: self.steps - (rounds - 1) * self._apart]
        counts = [(column, rounds - 1), (last, 1)]
        if last.size == column.size:
            counts = [(column, rounds)]
        return tuple((self._step(float(np.linalg.norm(part))), k) for part, k in counts if k > 0)

    def _step(self, norm: float) -> SubsampledGaussianPair:
        return SubsampledGaussianPair(self.sample_rate, self.noise_multiplier / norm)

    def _closed_form(self) -> Pair | None:
        if self.sample_rate == 1:
            return GaussianPair(self.sensitivity / self.noise_multiplier)
        return self._parts[0][0] if self._rounds == 1 else None

    @property
    def _accounted(self) -> Accounted:
        return Accounted(tuple(Steps(step, k) for step, k in self._parts))

    @property
    def _steps(self) -> tuple[tuple[SubsampledGaussianPair, int], ...]:
        return self._parts
