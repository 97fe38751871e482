"""DP-SGD whose batches are not Poisson samples: of fixed size, or cut to a largest size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from workbench import _checks
from workbench.curves.gdp import gaussian_log_profile
from workbench.curves.validation import Floats, quiet
from workbench.pairs.accounting.accounted import Accounted, AccountedPair, equal_steps
from workbench.pairs.accounting.dpsgd import SubstitutedStep
from workbench.pairs.base import Pair
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair


class BatchesPair(AccountedPair):
    """An upper limit for DP-SGD with some kind of batches: no mechanism with scores of its own."""

    noise_multiplier: float
    batch_size: int
    dataset_size: int
    steps: int

    def _check_sizes(self) -> None:
        sigma = _checks.positive(self.noise_multiplier, "noise_multiplier")
        if sigma < 1e-50:
            raise ValueError(f"noise_multiplier must be at least 1e-50, got {sigma!r}; add noise")
        size = _checks.count(self.dataset_size, "dataset_size", least=1)
        batch = _checks.count(self.batch_size, "batch_size", least=1)
        if batch > size:
            raise ValueError(
                f"batch_size must be at most dataset_size = {size}, got {batch}; "
                "a record is in a batch at most once"
            )
        object.__setattr__(self, "noise_multiplier", sigma)
        object.__setattr__(self, "dataset_size", size)
        object.__setattr__(self, "batch_size", batch)
        object.__setattr__(self, "steps", _checks.count(self.steps, "steps", least=1))

    def _closed_form(self) -> Pair | None:
        return None

    @property
    def _steps(self) -> NoReturn:
        raise self._no_scores()

    def _draw(self, n: int, rng: np.random.Generator, side: str) -> Floats:
        raise self._no_scores()

    def _privacy_loss(self, score: Floats) -> Floats:
        raise self._no_scores()

    def _no_scores(self) -> ValueError:
        return ValueError(
            f"{self.name} is an upper limit of privacy loss and has no scores of its own; sample a "
            "mechanism, such as wb.DPSGDPair"
        )


@dataclass(frozen=True)
class FixedBatchPair(BatchesPair):
    """DP-SGD on batches of a fixed size, drawn without replacement, by replacing a record.

    An upper limit: one step of m of n records, with q = m/n, has at most the profile
    q δ_{2/σ}(log(1 + (e^ε − 1)/q)) (Balle, Barthe and Gaboardi 2018, Theorem 9), as the sum changes
    by up to twice the clipping norm. The limit is a profile of its own, of a pair whose directions
    coincide, which dominates every step and is composed by privacy loss distributions (Zhu, Dong
    and Wang 2022), see `workbench.pairs.accounting.pld`. It is below the Rényi bound of
    `dp_accounting` for `SampledWithoutReplacementDpEvent`.

    Parameters
    ----------
    noise_multiplier : float
        σ, noise over clipping norm, above 0. Accountants that mean noise over the largest change
        take half of it.
    batch_size, dataset_size : int
        m and n, with 1 ≤ m ≤ n.
    steps : int
        At least 1.

    Raises
    ------
    ValueError
        An argument outside its range; scores are asked for.

    References
    ----------
    Balle, Barthe and Gaboardi, Privacy amplification by subsampling (2018), arXiv 1807.01647.
    Zhu, Dong and Wang, Optimal accounting of differential privacy via characteristic function
    (2022), arXiv 2106.08567.

    Examples
    --------
    >>> pair = wb.FixedBatchPair(noise_multiplier=2, batch_size=10, dataset_size=1000, steps=1000)
    >>> round(pair.epsilon(1e-5), 2)
    2.2
    """

    noise_multiplier: float
    batch_size: int
    dataset_size: int
    steps: int

    def __post_init__(self) -> None:
        self._check_sizes()

    @property
    def name(self) -> str:
        return (
            f"DP-SGD, σ = {self.noise_multiplier:g}, batches of {self.batch_size} out of "
            f"{self.dataset_size}, {self.steps} steps, substitute"
        )

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "noise_multiplier": self.noise_multiplier,
            "batch_size": self.batch_size,
            "dataset_size": self.dataset_size,
            "steps": self.steps,
        }

    def _composed(self, k: int) -> FixedBatchPair:
        return FixedBatchPair(
            self.noise_multiplier, self.batch_size, self.dataset_size, k * self.steps
        )

    @property
    def _accounted(self) -> Accounted:
        step = FixedBatchStep(self.batch_size / self.dataset_size, self.noise_multiplier)
        return equal_steps(step, self.steps, symmetric=True)


@dataclass(frozen=True)
class FixedBatchStep:
    """The profile of one step of a `FixedBatchPair`, for both directions."""

    q: float
    sigma: float

    @property
    def name(self) -> str:
        """For messages."""
        return f"batches of fixed size, q = {self.q:g}, σ = {self.sigma:g}"

    @property
    def loss_unit(self) -> None:
        """None: losses are continuous."""
        return None

    def log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        """Log of the hockey-stick divergence at ε ≥ 0."""
        return SubsampledGaussianPair(self.q, self.sigma / 2).log_hockey_stick(epsilon, "P‖Q")


@dataclass(frozen=True)
class TruncatedBatchPair(BatchesPair):
    """DP-SGD on Poisson samples that are cut to a largest size, by adding or removing a record.

    An upper limit. Where a batch is not cut, a step is that of `DPSGDPair`; where it is, which has
    a probability that is known, a record of the batch may take the place of another one, as if one
    was replaced. The event `TruncatedSubsampledGaussianDpEvent` of `dp_accounting`
    (arXiv 2508.15089), composed by privacy loss distributions, see
    `workbench.pairs.accounting.pld`.

    Parameters
    ----------
    noise_multiplier : float
        σ, noise over clipping norm, above 0.
    sample_rate : float
        q of the Poisson sample, in (0, 1].
    batch_size : int
        The largest size of a batch: larger samples are cut at random.
    dataset_size : int
        At least ``batch_size``.
    steps : int
        At least 1.

    Raises
    ------
    ValueError
        An argument outside its range; scores are asked for.

    Examples
    --------
    >>> pair = wb.TruncatedBatchPair(1, 0.01, batch_size=120, dataset_size=10_000, steps=1000)
    >>> round(pair.epsilon(1e-5), 2)
    5.3
    """

    noise_multiplier: float
    sample_rate: float
    batch_size: int
    dataset_size: int
    steps: int

    def __post_init__(self) -> None:
        self._check_sizes()
        q = _checks.number(self.sample_rate, "sample_rate")
        if not 0 < q <= 1:
            raise ValueError(
                f"sample_rate must lie in (0, 1], got {self.sample_rate!r}; "
                "it is the probability that a record is in a batch"
            )
        object.__setattr__(self, "sample_rate", q)

    @property
    def name(self) -> str:
        return (
            f"DP-SGD, σ = {self.noise_multiplier:g}, q = {self.sample_rate:g}, batches of at most "
            f"{self.batch_size} out of {self.dataset_size}, {self.steps} steps"
        )

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "noise_multiplier": self.noise_multiplier,
            "sample_rate": self.sample_rate,
            "batch_size": self.batch_size,
            "dataset_size": self.dataset_size,
            "steps": self.steps,
        }

    def _composed(self, k: int) -> TruncatedBatchPair:
        return TruncatedBatchPair(
            self.noise_multiplier,
            self.sample_rate,
            self.batch_size,
            self.dataset_size,
            k * self.steps,
        )

    @property
    def _accounted(self) -> Accounted:
        from scipy.stats import binom

        n, most, q = self.dataset_size, self.batch_size, self.sample_rate
        # Of a batch with the record: that it is cut, and that the record then stays in.
        cut = float(binom.sf(most - 1, n - 1, q))
        stays = float(binom.sf(most, n, q)) * most / (cut * n) if cut > 0 else 0.0
        return equal_steps(TruncatedBatchStep(q, self.noise_multiplier, cut, stays), self.steps)


@dataclass(frozen=True)
class TruncatedBatchStep:
    """One step of a `TruncatedBatchPair`: which of two cases it is can be seen."""

    q: float
    sigma: float
    cut: float
    stays: float

    @property
    def name(self) -> str:
        """For messages."""
        return f"batches cut to a largest size, q = {self.q:g}, σ = {self.sigma:g}"

    @property
    def loss_unit(self) -> None:
        """None: losses are continuous."""
        return None

    @quiet()
    def log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        """Log of the hockey-stick divergence at ε ≥ 0."""
        whole = SubsampledGaussianPair(self.q, self.sigma).log_hockey_stick(epsilon, direction)
        if self.stays == 0:
            return np.asarray(whole)
        if self.stays == 1:
            shorter = np.asarray(gaussian_log_profile(4 / self.sigma, epsilon))
        else:
            shorter = SubstitutedStep(self.stays, self.sigma / 2).log_hockey_stick(
                epsilon, direction
            )
        return np.logaddexp(np.log1p(-self.cut) + whole, math.log(self.cut) + shorter)
