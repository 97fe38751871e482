"""Families of pairs with one parameter: what scores say about it if the pair is of the family.

Three ideas, one class each:

- `GaussianFamily`: the scores themselves are normal with equal variances. The mean difference
  gives exact limits, and straight parallel lines on normal paper tell when that is not so.
- `OrderedFamily`: the score orders outcomes as the pair's likelihood ratio does, so that its
  thresholds attain the trade-off function, whatever the unit of the score. A point of the curve
  gives the parameter in closed form.
- `RandomizedResponseFamily`: the score is the outcome, and the false answers are counted.

Parameters are such that a larger one leaks more at every ε, δ and α.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from workbench import _checks
from workbench.bounds.counts.binomial import clopper_pearson_lower, clopper_pearson_upper
from workbench.bounds.parametric.noncentral_t import noncentrality_limits
from workbench.bounds.simultaneous.roc_band import RocLimits, roc_limits, two_outcome_limits
from workbench.curves.elementwise import Floats
from workbench.curves.error_rates import mu_of_point
from workbench.estimators.roc import roc
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.laplace import LaplacePair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair
from workbench.scores.sample import Scores

FAMILIES = ("gaussian", "laplace", "subsampled-gaussian", "randomized-response")


#: Below this a contradiction may be round-off.
_ROUND_OFF = 1e-9

#: A spread this small against the largest score, and parameters this large, have no meaning.
_NO_SPREAD = 1e-90
_AS_GOOD_AS_INFINITE = 1e99


@dataclass(frozen=True)
class Limits:
    """A parameter's limits; where no member fits they are 0 and ``inf``, and ``fits`` is False."""

    lower: float
    upper: float
    fits: bool = True


NOTHING_FITS = Limits(0.0, math.inf, fits=False)


@dataclass(frozen=True)
class Misfit:
    """Where no member of a family agrees with the limits of both error rates, and how."""

    threshold: float
    says: str


class Family(ABC):
    """What `workbench.bounds.parametric.parametric` asks of a family."""

    #: The parameter's name.
    parameter: str
    method: str
    guarantee: str

    @property
    @abstractmethod
    def given(self) -> str:
        """What is assumed, after "if the pair is"."""

    @abstractmethod
    def pair(self, parameter: float) -> Pair:
        """The member with this finite parameter."""

    @abstractmethod
    def estimate(self, scores: Scores) -> float:
        """The parameter as these scores show it; ``inf`` where they are perfectly separated."""

    @abstractmethod
    def limits(self, scores: Scores, error: float) -> Limits:
        """Limits of the parameter, each wrong with probability ``error`` at most."""

    def roc_limits(self, scores: Scores, error: float) -> RocLimits:
        """Limits of both error rates that hold for any pair of which these are scores."""
        return roc_limits(scores, error)

    def curve(self, parameter: float, fpr: Floats) -> Floats:
        """The member's trade-off function; its limit where the parameter is infinite."""
        pair = self.pair(min(parameter, _AS_GOOD_AS_INFINITE))
        return np.asarray(pair.tradeoff(fpr, symmetric=False))

    @abstractmethod
    def misfit(self, limits: RocLimits, estimate: float) -> Misfit | None:
        """Why no member agrees with the limits, told for the estimated one; None where one does."""


class GaussianFamily(Family):
    """P = N(m₁, s²) and Q = N(m₂, s²), all three unknown; the parameter is μ = |m₁ − m₂|/s."""

    parameter = "mu"
    method = "mean difference (noncentral t)"
    guarantee = "pointwise"

    @property
    def given(self) -> str:
        return "Gaussian with equal variances"

    def pair(self, parameter: float) -> Pair:
        return GaussianPair(parameter)

    def estimate(self, scores: Scores) -> float:
        t, scale, _ = self._statistic(scores)
        return t / scale

    def limits(self, scores: Scores, error: float) -> Limits:
        t, scale, degrees = self._statistic(scores)
        lower, upper = noncentrality_limits(t, degrees, error)
        return Limits(lower / scale, upper / scale)

    def _statistic(self, scores: Scores) -> tuple[float, float, int]:
        """|T|, what it is divided by to give μ, and the degrees of freedom."""
        unit = max(float(np.abs(x).max()) for x in scores)
        if not math.isfinite(unit):
            raise ValueError(
                "a Gaussian pair has finite scores, and some of these are NaN or infinite; take a "
                "bound that needs no family, or leave them out (nonfinite='drop')"
            )
        p, q = (x / unit for x in scores)
        n_p, n_q = p.size, q.size
        degrees = n_p + n_q - 2
        deviation = math.sqrt((p.var() * n_p + q.var() * n_q) / degrees)
        if np.ptp(p) == np.ptp(q) == 0 or deviation < _NO_SPREAD:
            raise ValueError(
                f"all scores of P are {scores.p[0]:g} and all of Q are {scores.q[0]:g}: no "
                "Gaussian pair does that; take a bound that needs no family"
            )
        scale = math.sqrt(n_p * n_q / (n_p + n_q))
        return abs(float(p.mean() - q.mean())) / deviation * scale, scale, degrees

    def misfit(self, limits: RocLimits, estimate: float) -> Misfit | None:
        """On normal paper the error rates of a Gaussian pair are parallel lines.

        With a = 1/s, Φ⁻¹(FPR) = b_q − a·t and Φ⁻¹(FNR) = a·t − b_p at every threshold t. Whether
        some a, b_p, b_q pass through all limits is a linear program: the least v by which they
        must be widened on that scale.
        """
        from scipy.optimize import linprog

        t = limits.thresholds
        x = (t - t.mean()) / (np.ptp(t) or 1.0)
        zero, one = np.zeros_like(x), np.ones_like(x)
        q_line, p_line = np.stack([-x, zero, one]), np.stack([x, -one, zero])  # of (a, b_p, b_q)
        with np.errstate(divide="ignore"):
            sides = [
                (q_line, ndtri(limits.fpr_upper)),
                (-q_line, -ndtri(limits.fpr_lower)),
                (p_line, ndtri(limits.fnr_upper)),
                (-p_line, -ndtri(limits.fnr_lower)),
            ]
        rows = np.concatenate([np.vstack([line, -one]).T for line, _ in sides])
        edges = np.concatenate([edge for _, edge in sides])
        told = np.isfinite(edges)
        free = (None, None)
        found = linprog([0, 0, 0, 1], rows[told], edges[told], bounds=[(0, None), free, free, free])
        if found.fun is None or found.x is None:
            raise RuntimeError(f"the check of the Gaussian family failed: {found.message}")
        if found.fun <= _ROUND_OFF:
            return None
        # The lines are stuck between several limits; the dual tells which holds them most.
        worst = int(np.flatnonzero(told)[np.argmin(found.ineqlin.marginals)])
        kind, i = divmod(worst, t.size)
        side = "Q" if kind < 2 else "P"
        line = float(rows[worst, :3] @ found.x[:3]) * (1 if kind % 2 == 0 else -1)
        share = ndtr(line)
        low, high = (
            (limits.fpr_lower[i], limits.fpr_upper[i])
            if side == "Q"
            else (limits.fnr_lower[i], limits.fnr_upper[i])
        )
        rate = "false positive" if side == "Q" else "false negative"
        return Misfit(
            float(t[i]),
            f"at threshold {{threshold:.4g}} the {rate} rate is {low:.3g} to {high:.3g}, where the "
            f"closest Gaussian pair with equal variances has {share:.3g}",
        )


@dataclass(frozen=True)
class OrderedFamily(Family):
    """A family by its trade-off functions, for a score that keeps the likelihood ratio's order.

    ``of_point(alpha, beta)`` is the parameter whose curve passes through (α, β), 0 above the
    diagonal; ``of_auc`` the one with this area under the receiver operating curve.
    """

    name: str
    parameter: str
    member: Callable[[float], Pair]
    of_point: Callable[[Floats, Floats], Floats]
    of_auc: Callable[[float], float]
    method = "family within the two-sided band"
    guarantee = "simultaneous"

    @property
    def given(self) -> str:
        return f"{self.name} and the score keeps the order of its likelihood ratio"

    def pair(self, parameter: float) -> Pair:
        return self.member(parameter)

    def estimate(self, scores: Scores) -> float:
        return self.of_auc(roc(scores).auc)

    def limits(self, scores: Scores, error: float) -> Limits:
        return self._within(roc_limits(scores, error))

    def _within(self, limits: RocLimits) -> Limits:
        """The members that agree with all limits."""
        lower = float(self.of_point(limits.fpr_upper, limits.fnr_upper).max())
        upper = float(self.of_point(limits.fpr_lower, limits.fnr_lower).min())
        reversed_order = bool((limits.fpr_lower + limits.fnr_lower > 1).any())
        # Beyond what the leakiest members reach, no parameter passes through the point.
        out_of_reach = math.isinf(lower)
        if reversed_order or out_of_reach or lower > upper * (1 + _ROUND_OFF) + _ROUND_OFF:
            return NOTHING_FITS
        return Limits(lower, upper)

    def misfit(self, limits: RocLimits, estimate: float) -> Misfit | None:
        if self._within(limits).fits:
            return None
        f_upper = self.curve(estimate, limits.fpr_upper)
        f_lower = self.curve(estimate, limits.fpr_lower)
        over, under = f_upper - limits.fnr_upper, limits.fnr_lower - f_lower
        if over.max() >= under.max():
            i = int(np.argmax(over))
            fpr, fnr, f, word = limits.fpr_upper[i], limits.fnr_upper[i], f_upper[i], "at most"
        else:
            i = int(np.argmax(under))
            fpr, fnr, f, word = limits.fpr_lower[i], limits.fnr_lower[i], f_lower[i], "at least"
        return Misfit(
            float(limits.thresholds[i]),
            f"at threshold {{threshold:.4g}} the false positive rate is {word} {fpr:.3g} and the "
            f"false negative rate {word} {fnr:.3g}, where the fitted {self.name} pair has {f:.3g}",
        )


class RandomizedResponseFamily(Family):
    """The score is the outcome of pure randomized response, false with probability 1/(1 + e^ε)."""

    parameter = "epsilon"
    method = "pooled count of false answers"
    guarantee = "pointwise"

    @property
    def given(self) -> str:
        return "randomized response and the score its outcome"

    def pair(self, parameter: float) -> Pair:
        return RandomizedResponsePair(parameter, 0.0)

    def estimate(self, scores: Scores) -> float:
        false, n = self._false_answers(scores)
        return _log_odds(false / n)

    def limits(self, scores: Scores, error: float) -> Limits:
        false, n = self._false_answers(scores)
        least = float(clopper_pearson_lower(false, n, error))
        most = float(clopper_pearson_upper(false, n, error))
        return Limits(_log_odds(most), _log_odds(least)) if least <= 0.5 else NOTHING_FITS

    def roc_limits(self, scores: Scores, error: float) -> RocLimits:
        return two_outcome_limits(scores, self._low_outcome(scores), error)

    def misfit(self, limits: RocLimits, estimate: float) -> Misfit | None:
        """Both error rates are the one probability of a false answer, at most one half."""
        low_q, high_q = float(limits.fpr_lower[0]), float(limits.fpr_upper[0])
        low_p, high_p = float(limits.fnr_lower[0]), float(limits.fnr_upper[0])
        if max(low_p, low_q) <= min(high_p, high_q, 0.5):
            return None
        return Misfit(
            float(limits.thresholds[0]),
            f"the false positive rate is {low_q:.3g} to {high_q:.3g} and the false negative rate "
            f"{low_p:.3g} to {high_p:.3g}, where randomized response has one rate of at most 0.5",
        )

    def _false_answers(self, scores: Scores) -> tuple[int, int]:
        p, q = scores.ordered
        low = self._low_outcome(scores)
        false = int(np.sum(p == low)) + int(np.sum(q != low))
        return false, p.size + q.size

    def _low_outcome(self, scores: Scores) -> float:
        """The less member-like of the two outcomes, in the order's sign."""
        p, q = scores.ordered
        low, high = min(p[0], q[0]), max(p[-1], q[-1])
        if not all(np.all((x == low) | (x == high)) for x in (p, q)):
            raise ValueError(
                "randomized response has two outcomes, and these scores take other values than "
                f"{scores.p.min():g} and {scores.p.max():g}; cut them at a threshold chosen "
                "beforehand, or take another family"
            )
        return float(low)


def _log_odds(false: float) -> float:
    """The ε ≥ 0 of randomized response that answers falsely with this probability."""
    if false >= 0.5:
        return 0.0
    return math.log1p(-false) - math.log(false) if false > 0 else math.inf


def family_named(name: str, q: float | None = None) -> Family:
    """The family with this name; ``q`` is the sampling probability of "subsampled-gaussian"."""
    _checks.one_of(name, "family", FAMILIES)
    if (q is not None) != (name == "subsampled-gaussian"):
        raise ValueError(
            f"family={name!r} takes no q=, got {q!r}"
            if q is not None
            else "family='subsampled-gaussian' needs q=, the known sampling probability"
        )
    if name == "gaussian":
        return GaussianFamily()
    if name == "laplace":
        return OrderedFamily("Laplace", "mu", LaplacePair, laplace_mu_of_point, laplace_mu_of_auc)
    if q is None:
        return RandomizedResponseFamily()
    share = SubsampledGaussianPair(q, 1.0).q

    def of_point(alpha: Floats, beta: Floats) -> Floats:
        # f = q G_μ + (1 − q)(1 − α)
        rest = (beta - (1 - share) * (1 - alpha)) / share
        return np.asarray(mu_of_point(alpha, np.clip(rest, 0.0, 1.0)))

    def of_auc(auc: float) -> float:
        # AUC = q Φ(μ/√2) + (1 − q)/2
        return math.sqrt(2) * float(ndtri(np.clip(0.5 + (auc - 0.5) / share, 0.5, 1.0)))

    def member(parameter: float) -> Pair:
        # σ is infinite where the parameter is 0; P = Q is a Gaussian pair, too.
        return SubsampledGaussianPair(share, 1 / parameter) if parameter > 0 else GaussianPair(0.0)

    return OrderedFamily(
        f"subsampled Gaussian with q = {share:g}", "1/sigma", member, of_point, of_auc
    )


def laplace_mu_of_point(alpha: Floats, beta: Floats) -> Floats:
    """The μ ≥ 0 whose Laplace trade-off function passes through (α, β)."""
    with np.errstate(divide="ignore"):
        log_alpha, log_beta = np.log(alpha), np.log(beta)
        mu = np.where(
            beta >= 0.5,
            np.log1p(-beta) - log_alpha,
            np.where(
                alpha >= 0.5, np.log1p(-alpha) - log_beta, -math.log(4) - log_alpha - log_beta
            ),
        )
    return np.where(alpha + beta < 1, np.maximum(mu, 0.0), 0.0)


def laplace_mu_of_auc(auc: float) -> float:
    """The μ with AUC = 1 − e^{−μ}(1 + μ/2)/2, by Lambert's function."""
    from scipy.special import lambertw

    if auc >= 1:
        return math.inf
    # −(2 + μ) e^{−(2 + μ)} = −4 (1 − AUC) e^{−2}
    return max(-2 - float(lambertw(-4 * (1 - max(auc, 0.5)) * math.exp(-2), -1).real), 0.0)
