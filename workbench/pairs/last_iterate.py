"""The pair of the final model of DP-SGD with linear losses: a heuristic reference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln, log_ndtr, logsumexp, ndtr, ndtri, xlog1py, xlogy

from workbench import _checks
from workbench._roots import falling_root
from workbench.curves.gdp import epsilon_from_mu
from workbench.curves.validation import Floats, quiet
from workbench.pairs.base import Pair
from workbench.pairs.functions import PrivacyFunctions
from workbench.pairs.gaussian_mixture import GaussianMixture

#: Counts of steps are left out whose probability over the largest has a log below this.
_LEAST_LOG = -800.0

#: The most steps, of which √steps matter.
MOST_STEPS = 1_000_000


@dataclass(frozen=True)
class LastIteratePair(GaussianMixture, PrivacyFunctions, Pair):
    """P = Bin(T, q) + N(0, σ²T) against Q = N(0, σ²T): the final model of a linear-loss DP-SGD.

    It is heuristic: what the final model leaks if all gradients stay the same during the training,
    as those of linear losses do. Real losses may leak more or less, so it is never a claim; a claim
    for any loss is `DPSGDPair`, whose auditor sees every step.

    Parameters
    ----------
    noise_multiplier : float
        σ, noise over clipping norm, above 0.
    sample_rate : float
        q, in (0, 1].
    steps : int
        T, from 1 to 10⁶.

    Raises
    ------
    ValueError
        An argument outside its range.

    Notes
    -----
    P is a mixture of N(k, s²) with s = σ√T and binomial weights, see
    `workbench.pairs.gaussian_mixture`. For ε ≥ 0 the divergence H_{e^ε}(P‖Q) is the larger one;
    that is checked numerically, not proven.

    References
    ----------
    Steinke et al., The last iterate advantage (2024), arXiv 2410.06186.

    Examples
    --------
    >>> round(wb.LastIteratePair(noise_multiplier=1, sample_rate=0.05, steps=100).epsilon(1e-5), 2)
    2.44
    """

    noise_multiplier: float
    sample_rate: float
    steps: int

    def __post_init__(self) -> None:
        sigma = _checks.positive(self.noise_multiplier, "noise_multiplier")
        if not 1e-90 <= sigma <= 1e90:
            raise ValueError(
                f"noise_multiplier must lie between 1e-90 and 1e90, got {self.noise_multiplier!r}"
            )
        q = _checks.number(self.sample_rate, "sample_rate")
        if not 0 < q <= 1:
            raise ValueError(
                f"sample_rate must lie in (0, 1], got {self.sample_rate!r}; "
                "it is the probability that a record is in a batch"
            )
        steps = _checks.count(self.steps, "steps", least=1)
        if steps > MOST_STEPS:
            raise ValueError(f"steps must be at most {MOST_STEPS:,}, got {steps}")
        object.__setattr__(self, "noise_multiplier", sigma)
        object.__setattr__(self, "sample_rate", q)
        object.__setattr__(self, "steps", steps)

    @property
    def name(self) -> str:
        return (
            f"Last iterate, σ = {self.noise_multiplier:g}, q = {self.sample_rate:g}, "
            f"{self.steps} steps (heuristic)"
        )

    @property
    def heuristic(self) -> bool:
        return True

    @property
    def parameters(self) -> dict[str, float]:
        return {
            "noise_multiplier": self.noise_multiplier,
            "sample_rate": self.sample_rate,
            "steps": self.steps,
        }

    # -- the mixture ------------------------------------------------------------------------------

    @property
    def _scale(self) -> float:
        return float(self.noise_multiplier * np.sqrt(self.steps))

    @cached_property
    def _counts(self) -> tuple[Floats, Floats]:
        """The positive counts k of a record's steps over s, and the logs of their weights."""
        k, steps, q = np.arange(1.0, self.steps + 1), self.steps, self.sample_rate
        ways = gammaln(steps + 1) - gammaln(k + 1) - gammaln(steps - k + 1)
        log_w = ways + xlogy(k, q) + xlog1py(steps - k, -q)
        kept = log_w > log_w.max() + _LEAST_LOG
        log_w = log_w[kept] - logsumexp(log_w[kept]) + np.log(-np.expm1(self._log_unused))
        return k[kept] / self._scale, log_w

    @property
    def _log_unused(self) -> float:
        """Log of the probability that no step uses the record."""
        return float(xlog1py(self.steps, -self.sample_rate))

    # -- divergences ------------------------------------------------------------------------------

    def _log_profile(self, epsilon: Floats) -> Floats:
        log_h = np.empty_like(epsilon)
        above = epsilon >= 0
        log_h[above] = self._log_hockey_stick(epsilon[above], "P‖Q")
        log_h[~above] = self._log_hockey_stick(epsilon[~above], "Q‖P")
        return log_h

    @quiet()
    def _epsilon(self, delta: Floats) -> Floats:
        log_delta = np.log(delta)
        above = delta >= self.total_variation
        low = self._middle
        # A record that is used in all steps leaks more.
        most = epsilon_from_mu(self.steps / self._scale, np.maximum(delta, 1e-320))
        high = np.maximum(self._threshold(np.asarray(most)), low)
        _, z = falling_root(lambda z, log_d: self._log_forward(z) - log_d, low, high, log_delta)
        epsilon = np.where(above, 0.0, np.maximum(self._log_ratio(z), 0.0))
        return np.where(delta == 0, np.inf, epsilon)

    @cached_property
    def _middle(self) -> float:
        """The threshold at which both densities are equal, over s."""
        return float(self._threshold(np.zeros(())))

    @cached_property
    def total_variation(self) -> float:
        """sup_E |P(E) − Q(E)|."""
        return float(np.exp(self._log_forward(np.asarray(self._middle))))

    # -- trade-off function -----------------------------------------------------------------------

    @quiet()
    def _log_rates(self, alpha: Floats) -> tuple[Floats, Floats]:
        return self._log_rates_at(-ndtri(alpha), np.log1p(-alpha), np.log(alpha))

    def _log_rates_at(self, z: Floats, log_tnr: Floats, log_fpr: Floats) -> tuple[Floats, Floats]:
        log_fnr = self._summed(lambda mu, z: log_ndtr(z - mu), z)
        log_tpr = self._summed(lambda mu, z: log_ndtr(mu - z), z)
        unused = self._log_unused
        return np.logaddexp(log_fnr, unused + log_tnr), np.logaddexp(log_tpr, unused + log_fpr)

    def _symmetric_tradeoff(self, alpha: Floats) -> Floats:
        # As of a subsampled Gaussian: f, a segment of slope −1, and the inverse of f.
        x = float(ndtr(-self._middle))
        y = float(np.exp(self._log_rates(np.asarray(x))[0]))
        beta = np.asarray(np.maximum(x + y - alpha, x))
        left, right = alpha <= x, alpha > y
        beta[left] = np.exp(self._log_rates(alpha[left])[0])
        beta[right] = self._inverse_tradeoff(alpha[right])
        return beta

    @quiet()
    def _inverse_tradeoff(self, beta: Floats) -> Floats:
        """The false positive rate of a false negative rate."""
        inner = beta < 1
        log_tpr = np.log1p(-beta[inner])

        def above(z: Floats, log_tpr: Floats) -> Floats:
            return self._log_rates_at(z, log_ndtr(z), log_ndtr(-z))[1] - log_tpr

        low = -ndtri(np.exp(log_tpr))
        z, _ = falling_root(above, low, low + self._counts[0].max(), log_tpr)
        alpha = np.zeros_like(beta)
        alpha[inner] = ndtr(-z)
        return alpha

    def _symmetric_local_mu(self, alpha: Floats) -> Floats:
        # On the segment TPR − FPR = TV; beyond it one rate is below α, so no floor of α allows it.
        segment = ndtri(np.minimum(self.total_variation + alpha, 1.0)) - ndtri(alpha)
        return np.where(alpha <= ndtr(-self._middle), self.local_mu(alpha), segment)

    def _revealing_alphas(self, floor: float) -> Floats:
        # Local μ of a mixture falls as α grows, because φ(Φ⁻¹(·)) is concave.
        return np.array([floor])

    # -- scores -----------------------------------------------------------------------------------

    @quiet()
    def _privacy_loss(self, score: Floats) -> Floats:
        finite = np.isfinite(score)
        ends = np.where(score > 0, np.inf, self._log_unused)
        return np.where(finite, self._log_ratio(np.where(finite, score, 0.0) / self._scale), ends)

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.binomial(self.steps, self.sample_rate, n) + self.draw_q(n, rng)

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.normal(0.0, self._scale, n)
