"""DP-SGD: many steps of a Gaussian mechanism on Poisson-sampled batches."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from workbench import _checks
from workbench.curves.validation import Floats, quiet
from workbench.pairs.accounting.accounted import Accounted, AccountedPair, equal_steps
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.outcomes import log_difference
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair

NEIGHBORING = ("add-remove", "substitute")


@dataclass(frozen=True)
class DPSGDPair(AccountedPair):
    """All noisy gradients of DP-SGD, against the strongest record within the clipping norm.

    Every step takes each record with probability ``sample_rate``, independently (Poisson
    sampling), and adds Gaussian noise of ``noise_multiplier`` times the clipping norm. With
    N(x) = N(x, noise_multiplier²) and q = sample_rate, one step is::

        add-remove   P = q N(1) + (1−q) N(0)    Q = N(0)
        substitute   P = q N(1) + (1−q) N(0)    Q = q N(−1) + (1−q) N(0)

    (as in `dp_accounting`, whose relations are called ADD_OR_REMOVE_ONE and REPLACE_ONE); both
    directions of add-remove count. Composed by privacy loss distributions, see
    `workbench.pairs.accounting.pld`; with q = 1 in closed form, and a single add-remove step too.
    Scores are total privacy losses, the optimal attack of somebody who sees all steps.

    Parameters
    ----------
    noise_multiplier : float
        Noise over clipping norm, above 0.
    sample_rate : float
        In (0, 1].
    steps : int
        At least 1.
    neighboring_relation : {"add-remove", "substitute"}

    Raises
    ------
    ValueError
        An argument outside its range; steps that are no whole number.

    Notes
    -----
    Fixed-size batches, shuffling, or steps that share noise are not Poisson sampling and may leak
    more. Asking for a value raises `AccountantError` where the losses spread so far that no grid
    of bounded size describes them.
    """

    noise_multiplier: float
    sample_rate: float
    steps: int
    neighboring_relation: str = "add-remove"

    def __post_init__(self) -> None:
        sigma = _checks.positive(self.noise_multiplier, "noise_multiplier")
        if sigma < 1e-100:
            raise ValueError(
                f"noise_multiplier must be at least 1e-100, got {self.noise_multiplier!r}; "
                "add noise"
            )
        q = _checks.number(self.sample_rate, "sample_rate")
        if not 0 < q <= 1:
            raise ValueError(
                f"sample_rate must lie in (0, 1], got {self.sample_rate!r}; "
                "it is the probability that a record is in a batch"
            )
        _checks.one_of(self.neighboring_relation, "neighboring_relation", NEIGHBORING)
        object.__setattr__(self, "noise_multiplier", sigma)
        object.__setattr__(self, "sample_rate", q)
        object.__setattr__(self, "steps", _checks.count(self.steps, "steps", least=1))

    @classmethod
    def from_training(
        cls,
        *,
        batch_size: float,
        dataset_size: int,
        epochs: float,
        noise_multiplier: float,
        neighboring_relation: str = "add-remove",
    ) -> DPSGDPair:
        """From the figures that training scripts have.

        Parameters
        ----------
        batch_size : float
            Expected records in a batch; above 0 and at most ``dataset_size``.
        dataset_size : int
            Records in all.
        epochs : float
            Above 0; the steps are ``epochs · dataset_size / batch_size``, rounded up.
        noise_multiplier, neighboring_relation
            As above.

        Raises
        ------
        ValueError
            An argument outside its range.
        """
        size = _checks.count(dataset_size, "dataset_size", least=1)
        batch = _checks.positive(batch_size, "batch_size")
        if batch > size:
            raise ValueError(
                f"batch_size must be at most dataset_size = {size}, got {batch_size!r}; "
                "a record is in a batch at most once"
            )
        # 60000/256 epochs may come back as one step too many by round-off.
        passes = _checks.positive(epochs, "epochs") * (size / batch)
        steps = _checks.number(passes, "epochs · dataset_size / batch_size") * (1 - 1e-12)
        return cls(noise_multiplier, batch / size, math.ceil(steps), neighboring_relation)

    @property
    def name(self) -> str:
        kind = "" if self.neighboring_relation == "add-remove" else ", substitute"
        return (
            f"DP-SGD, σ = {self.noise_multiplier:g}, q = {self.sample_rate:g}, "
            f"{self.steps} steps{kind}"
        )

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "noise_multiplier": self.noise_multiplier,
            "sample_rate": self.sample_rate,
            "steps": self.steps,
            "neighboring_relation": self.neighboring_relation,
        }

    # -- the central limit ------------------------------------------------------------------------

    @property
    def clt_gdp_mu(self) -> float:
        """Approximate μ by the central limit theorem; a bound in neither direction.

        Dong, Roth and Su 2022, Section 5.

        q√T·√(e^{1/σ²} − 1) for add-remove, 2q√T·√sinh(1/σ²) for substitute: the standard deviation
        of the total loss, to first order in q. It is what remains for q → 0 with q√T fixed; at
        other q the truth may be far above or below, and the tails most of all.
        """
        inverse = self.noise_multiplier**-2
        # log(e^x − 1) and log(4 sinh x), which do not overflow.
        log_variance = inverse + math.log(-math.expm1(-inverse))
        if self.neighboring_relation == "substitute":
            log_variance = math.log(2) + inverse + math.log(-math.expm1(-2 * inverse))
        log_mu = math.log(self.sample_rate) + (math.log(self.steps) + log_variance) / 2
        return math.exp(log_mu) if log_mu < 700 else math.inf

    def central_limit(self) -> CentralLimitPair:
        """The Gaussian pair with μ = ``clt_gdp_mu``, whose name says that it is approximate.

        Raises
        ------
        ValueError
            A μ above 1e100.
        """
        return CentralLimitPair(self.clt_gdp_mu)

    # -- accounting -------------------------------------------------------------------------------

    @property
    def _step(self) -> SubsampledGaussianPair | SubstitutedStep:
        kind = (
            SubsampledGaussianPair if self.neighboring_relation == "add-remove" else SubstitutedStep
        )
        return kind(self.sample_rate, self.noise_multiplier)

    def _closed_form(self) -> Pair | None:
        if self.sample_rate == 1:
            distance = 1 if self.neighboring_relation == "add-remove" else 2
            return GaussianPair(distance * math.sqrt(self.steps) / self.noise_multiplier)
        step = self._step
        return step if self.steps == 1 and isinstance(step, SubsampledGaussianPair) else None

    def _composed(self, k: int) -> DPSGDPair:
        return DPSGDPair(
            self.noise_multiplier, self.sample_rate, k * self.steps, self.neighboring_relation
        )

    @property
    def _accounted(self) -> Accounted:
        return equal_steps(self._step, self.steps, self.neighboring_relation == "substitute")

    @property
    def _steps(self) -> tuple[tuple[SubsampledGaussianPair | SubstitutedStep, int]]:
        return ((self._step, self.steps),)


@dataclass(frozen=True)
class CentralLimitPair(GaussianPair):
    """A Gaussian pair in the place of DP-SGD: approximate, a bound on neither side."""

    @property
    def name(self) -> str:
        return f"Central limit, μ = {self.mu:g} (approximate)"

    @property
    def heuristic(self) -> bool:
        return True


@dataclass(frozen=True)
class SubstitutedStep:
    """One step under substitution: q N(1,σ²) + (1−q) N(0,σ²) against q N(−1,σ²) + (1−q) N(0,σ²).

    The likelihood ratio rises with x, and passes e^ε at
    x = σ² (arsinh(α sinh(ε/2)) + ε/2), α = e^{1/2σ²} (1−q)/q (dp_accounting's supplement).
    """

    q: float
    sigma: float

    @property
    def name(self) -> str:
        """For messages."""
        return f"substituted Gaussian, q = {self.q:g}, σ = {self.sigma:g}"

    @property
    def loss_unit(self) -> None:
        """None: losses are continuous."""
        return None

    @quiet()
    def log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        """Log of the hockey-stick divergence at ε ≥ 0; both directions coincide."""
        q, sigma = self.q, self.sigma
        log_factor = 0.5 / sigma / sigma + math.log1p(-q) - math.log(q)
        # log sinh(ε/2), and arsinh of what may overflow.
        log_sinh = epsilon / 2 + np.log(-np.expm1(-epsilon)) - math.log(2)
        y = log_factor + log_sinh
        arsinh = np.where(y < 50, np.arcsinh(np.exp(np.minimum(y, 50))), y + math.log(2))
        z = sigma * (arsinh + epsilon / 2)
        near, middle, far = log_ndtr(1 / sigma - z), log_ndtr(-z), log_ndtr(-1 / sigma - z)
        log_q = np.logaddexp(math.log(q) + far, math.log1p(-q) + middle)
        # (P − Q) − (e^ε − 1) Q keeps its digits where q is small.
        gain = math.log(q) + log_difference(near, far)
        return np.minimum(log_difference(gain, np.log(np.expm1(epsilon)) + log_q), 0.0)

    @quiet()
    def privacy_loss(self, score: Floats) -> Floats:
        """Log dP/dQ at a score."""
        unused, used = math.log1p(-self.q), math.log(self.q)
        center = score / self.sigma / self.sigma
        drop = 0.5 / self.sigma / self.sigma
        return np.logaddexp(unused, used + center - drop) - np.logaddexp(
            unused, used - center - drop
        )

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        """Scores with the record in."""
        used = rng.random(n) < self.q
        return rng.normal(0.0, self.sigma, n) + used

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        """Scores with the record out."""
        return -self.draw_p(n, rng)
