"""Estimators of a family's parameter from scores, valid if their pair belongs to the family.

Four ideas, one class each:

- `NormalScores`: the scores themselves are normal with equal variances. The mean difference
  gives exact limits, and straight parallel lines on normal paper tell when that is not so.
- `OwnNormalScores`: normal scores whose variances may differ; the lines need not be parallel.
- `OrderedScores`: the score orders outcomes as the pair's likelihood ratio does, so that its
  thresholds attain the trade-off function, whatever the unit of the score. A point of the curve
  gives the parameter in closed form.
- `ResponseScores`: the score is the outcome, and the false answers are counted.

Parameters are such that a larger one leaks more at every ε, δ and α.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from workbench import _checks
from workbench.bounds.counts.binomial import clopper_pearson_lower, clopper_pearson_upper
from workbench.bounds.parametric.family_estimator import (
    ANY_MEMBER,
    NOTHING_FITS,
    FamilyEstimator,
    Limits,
    Misfit,
)
from workbench.bounds.parametric.laws import Law, law_of_normals
from workbench.bounds.parametric.noncentral_t import noncentrality_limit, noncentrality_limits
from workbench.bounds.parametric.own_variances import Normals, delta_limit, epsilon_limit
from workbench.bounds.parametric.rank_likelihood import likeliest
from workbench.bounds.quantities import QuantityArguments
from workbench.bounds.simultaneous.roc_band import RocLimits, roc_limits, two_outcome_limits
from workbench.curves.validation import Floats
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.laplace import LaplaceFamily
from workbench.pairs.families.randomized_response import RandomizedResponseFamily
from workbench.pairs.families.registry import family_named
from workbench.pairs.families.subsampled_gaussian import SubsampledGaussianFamily
from workbench.scores.sample import Scores

#: Below this a contradiction may be round-off.
_ROUND_OFF = 1e-9

#: A spread this small against the largest score has no meaning.
_NO_SPREAD = 1e-90


class NormalScores(FamilyEstimator):
    """P = N(m₁, s²) and Q = N(m₂, s²), all three unknown; the parameter is μ = |m₁ − m₂|/s."""

    family = GaussianFamily()
    method = "mean difference (noncentral t)"
    guarantee = "pointwise"
    own_variances: ClassVar[bool] = False

    @property
    def given(self) -> str:
        return "Gaussian with equal variances"

    @property
    def _closest(self) -> str:
        return "Gaussian pair with equal variances"

    def estimate(self, scores: Scores, within: Limits = ANY_MEMBER) -> float:
        """The median-unbiased value: where both limits of error ½ meet."""
        t, scale, degrees = self._statistic(scores)
        return noncentrality_limit(t, degrees, 0.5, "lower") / scale

    def limits(self, scores: Scores, error: float) -> Limits:
        t, scale, degrees = self._statistic(scores)
        lower, upper = noncentrality_limits(t, degrees, error)
        return Limits(lower / scale, upper / scale)

    def _statistic(self, scores: Scores) -> tuple[float, float, int]:
        """|T|, what it is divided by to give μ, and the degrees of freedom."""
        p, q = self._moments(scores)
        n_p, n_q = p.size, q.size
        degrees = n_p + n_q - 2
        deviation = math.sqrt((p.variance * n_p + q.variance * n_q) / degrees)
        scale = math.sqrt(n_p * n_q / (n_p + n_q))
        return abs(p.mean - q.mean) / deviation * scale, scale, degrees

    def normals(self, scores: Scores) -> Normals:
        """What is known of P and Q where their variances may differ.

        Raises
        ------
        ValueError
            Scores that are not finite, and equal scores on one side.
        """
        p, q = self._moments(scores)
        for side, moments in (("P", p), ("Q", q)):
            if moments.variance < _NO_SPREAD**2:
                raise ValueError(
                    f"all scores of {side} are equal, and no Gaussian has that; "
                    "take a bound that needs no family"
                )
        return Normals(
            difference=abs(p.mean - q.mean),
            variance_p=p.variance * p.size / (p.size - 1),
            variance_q=q.variance * q.size / (q.size - 1),
            n_p=p.size,
            n_q=q.size,
        )

    def _moments(self, scores: Scores) -> tuple[Any, Any]:
        """Size, mean and variance of P and of Q, in units of the largest score."""
        ends = [
            (float(group.at(0)), float(group.at(group.size - 1))) for group in scores.samples.groups
        ]
        unit = max(abs(x) for x in itertools.chain(*ends)) or 1.0
        if not all(math.isfinite(x) for x in itertools.chain(*ends)):
            raise ValueError(
                "a Gaussian pair has finite scores, and some of these are NaN or infinite; take a "
                "bound that needs no family, or leave them out (nonfinite='drop')"
            )
        p, q = scores.samples.moments(unit)
        deviation = math.sqrt((p.variance * p.size + q.variance * q.size) / (p.size + q.size - 2))
        if all(least / unit == most / unit for least, most in ends) or deviation < _NO_SPREAD:
            of_p, of_q = (scores.samples.in_score_units(least) for least, _ in ends)
            raise ValueError(
                f"all scores of P are {of_p:g} and all of Q are {of_q:g}: no "
                "Gaussian pair does that; take a bound that needs no family"
            )
        return p, q

    def law(self, parameter: float) -> Law:
        return law_of_normals(parameter, 1.0)

    def misfit(self, limits: RocLimits, estimate: float) -> Misfit | None:
        """On normal paper the error rates of a Gaussian pair are lines, parallel if s_P = s_Q.

        With a = 1/s of each side, Φ⁻¹(FPR) = b_q − a_q·t and Φ⁻¹(FNR) = a_p·t − b_p at every
        threshold t. Whether some a_p = a_q, b_p, b_q pass through all limits is a linear program:
        the least v by which they must be widened on that scale. With own variances a_p and a_q are
        two unknowns.
        """
        from scipy.optimize import linprog

        t = limits.thresholds
        x = (t - t.mean()) / (np.ptp(t) or 1.0)
        zero, one = np.zeros_like(x), np.ones_like(x)
        # Columns of a_q and a_p, or of the one a, then those of b_p and b_q.
        of_q, of_p = ([-x, zero], [zero, x]) if self.own_variances else ([-x], [x])
        q_line, p_line = np.stack([*of_q, zero, one]), np.stack([*of_p, -one, zero])
        slopes = len(of_q)
        with np.errstate(divide="ignore"):
            sides = [
                (q_line, ndtri(limits.fpr_upper)),
                (-q_line, -ndtri(limits.fpr_lower)),
                (p_line, ndtri(limits.fnr_upper)),
                (-p_line, -ndtri(limits.fnr_lower)),
            ]
        rows = np.concatenate([np.vstack([line, -one]).T for line, _ in sides])
        edges = np.concatenate([edge for _, edge in sides])
        known = np.isfinite(edges)
        free = (None, None)
        found = linprog(
            [0.0] * (slopes + 2) + [1.0],
            rows[known],
            edges[known],
            bounds=[(0, None)] * slopes + [free] * 3,
        )
        if found.fun is None or found.x is None:
            raise RuntimeError(f"the check of the Gaussian family failed: {found.message}")
        if found.fun <= _ROUND_OFF:
            return None
        # The lines are stuck between several limits; the dual tells which holds them most.
        worst = int(np.flatnonzero(known)[np.argmin(found.ineqlin.marginals)])
        kind, i = divmod(worst, t.size)
        side = "Q" if kind < 2 else "P"
        line = float(rows[worst, :-1] @ found.x[:-1]) * (1 if kind % 2 == 0 else -1)
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
            f"closest {self._closest} has {share:.3g}",
        )


@dataclass(frozen=True)
class OwnNormalScores(NormalScores):
    """P = N(m_P, v_P) and Q = N(m_Q, v_Q), all four unknown.

    The parameter is |m_P − m_Q|/√v_Q; the ratio of the deviations is known of a fitted member only.

    Parameters
    ----------
    ratio : float
        √(v_P/v_Q) of the fitted member.
    """

    method = "own variances (F and noncentral t)"
    own_variances: ClassVar[bool] = True
    ratio: float = 1.0

    @property
    def given(self) -> str:
        return "Gaussian, each side with its own variance"

    @property
    def parameter(self) -> str:
        return "difference of the means / deviation of Q"

    @property
    def _closest(self) -> str:
        return "Gaussian pair"

    def fitted_to(self, scores: Scores) -> FamilyEstimator:
        normals = self.normals(scores)
        return replace(self, ratio=math.sqrt(normals.variance_p / normals.variance_q))

    def estimate(self, scores: Scores, within: Limits = ANY_MEMBER) -> float:
        normals = self.normals(scores)
        return normals.difference / math.sqrt(normals.variance_q)

    def leak_limit(
        self, scores: Scores, quantity: str, at: QuantityArguments, error: float, side: str
    ) -> float:
        normals = self.normals(scores)
        if at.delta is not None:
            return epsilon_limit(normals, at.delta, error, side)
        return delta_limit(normals, at.epsilon or 0.0, error, side)

    def curve(self, parameter: float, fpr: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.asarray(ndtr((-ndtri(fpr) - parameter) / self.ratio))

    def law(self, parameter: float) -> Law:
        return law_of_normals(parameter, self.ratio)


@dataclass(frozen=True)
class OrderedScores(FamilyEstimator):
    """The score keeps the order of the likelihood ratio; trade-off functions do the rest."""

    family: LaplaceFamily | SubsampledGaussianFamily
    method = "family within the two-sided band"
    guarantee = "simultaneous"

    @property
    def given(self) -> str:
        return f"{self.family.name} and the score keeps the order of its likelihood ratio"

    def estimate(self, scores: Scores, within: Limits = ANY_MEMBER) -> float:
        """The likeliest member within the limits, by the ranks of the scores."""
        if self._separated(scores):
            return math.inf
        highest = min(within.upper, self.family.largest)
        return likeliest(self.curve, scores, min(within.lower, highest), highest)

    def _separated(self, scores: Scores) -> bool:
        p, q = scores.samples.groups
        return int(p.up_to(q.at(q.size - 1))) == 0

    def limits(self, scores: Scores, error: float) -> Limits:
        return self._within(roc_limits(scores, error))

    def _within(self, limits: RocLimits) -> Limits:
        """The members that agree with all limits."""
        lower = float(self.family.parameter_of_point(limits.fpr_upper, limits.fnr_upper).max())
        upper = float(self.family.parameter_of_point(limits.fpr_lower, limits.fnr_lower).min())
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
            f"false negative rate {word} {fnr:.3g}, where the fitted "
            f"{self.family.name} pair has {f:.3g}",
        )


class ResponseScores(FamilyEstimator):
    """The score is the outcome of pure randomized response, false with probability 1/(1 + e^ε)."""

    family = RandomizedResponseFamily(0.0)
    method = "pooled count of false answers"
    guarantee = "pointwise"

    @property
    def given(self) -> str:
        return "randomized response and the score its outcome"

    def estimate(self, scores: Scores, within: Limits = ANY_MEMBER) -> float:
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
        p, q = scores.samples.groups
        low = self._low_outcome(scores)
        return int(p.up_to(low)) + int(q.above(low)), p.size + q.size

    def _low_outcome(self, scores: Scores) -> float:
        """The less member-like of the two outcomes, in the order's sign."""
        groups = scores.samples.groups
        low = min(group.at(0) for group in groups)
        high = max(group.at(group.size - 1) for group in groups)
        if low == high:
            value = scores.samples.in_score_units(low)
            raise ValueError(
                f"all scores are {value:g}, and randomized response has two outcomes; take a "
                "bound that needs no family"
            )
        two = all(group.up_to(low) == group.below(high) for group in groups)
        if not two or any(scores.samples.nan_counts):
            ends = [scores.samples.in_score_units(groups[0].at(i)) for i in (0, groups[0].size - 1)]
            raise ValueError(
                "randomized response has two outcomes, and these scores take other values than "
                f"{min(ends):g} and {max(ends):g}; cut them at a threshold chosen "
                "in advance, or use another family"
            )
        return float(low)


def _log_odds(false: float) -> float:
    """The ε ≥ 0 of randomized response that answers falsely with this probability."""
    if false >= 0.5:
        return 0.0
    return math.log1p(-false) - math.log(false) if false > 0 else math.inf


def estimator_named(
    name: str, q: float | None = None, equal_variances: bool = True
) -> FamilyEstimator:
    """The estimator of the family with this name.

    Parameters
    ----------
    name : str
        A key of `workbench.pairs.families.registry.FAMILIES`.
    q : float, optional
        The sampling probability of "subsampled-gaussian".
    equal_variances : bool
        False for "gaussian" with a variance of its own on each side.

    Raises
    ------
    ValueError
        An unknown name, a missing or superfluous ``q``, unequal variances of another family.
    """
    family = family_named(name, delta=0.0, q=q)
    if not _checks.flag(equal_variances, "equal_variances"):
        if name != "gaussian":
            raise ValueError(
                f"equal_variances=False is for family='gaussian', got {name!r}; leave it out"
            )
        return OwnNormalScores()
    if isinstance(family, LaplaceFamily | SubsampledGaussianFamily):
        return OrderedScores(family)
    return NormalScores() if name == "gaussian" else ResponseScores()
