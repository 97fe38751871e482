"""Estimators of a family's parameter from scores, valid if their pair belongs to the family.

Three ideas, one class each:

- `NormalScores`: the scores themselves are normal with equal variances. The mean difference
  gives exact limits, and straight parallel lines on normal paper tell when that is not so.
- `OrderedScores`: the score orders outcomes as the pair's likelihood ratio does, so that its
  thresholds attain the trade-off function, whatever the unit of the score. A point of the curve
  gives the parameter in closed form.
- `ResponseScores`: the score is the outcome, and the false answers are counted.

Parameters are such that a larger one leaks more at every ε, δ and α.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from workbench.bounds.counts.binomial import clopper_pearson_lower, clopper_pearson_upper
from workbench.bounds.parametric.noncentral_t import noncentrality_limits
from workbench.bounds.parametric.own_variances import Normals
from workbench.bounds.simultaneous.roc_band import RocLimits, roc_limits, two_outcome_limits
from workbench.curves.validation import Floats
from workbench.estimators.roc import roc
from workbench.pairs.base import Pair
from workbench.pairs.families.base import Family
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.laplace import LaplaceFamily
from workbench.pairs.families.randomized_response import RandomizedResponseFamily
from workbench.pairs.families.registry import family_named
from workbench.pairs.families.subsampled_gaussian import SubsampledGaussianFamily
from workbench.scores.sample import Scores

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


class FamilyEstimator(ABC):
    """A family, and how scores tell its parameter."""

    family: Family
    method: str
    guarantee: str

    @property
    @abstractmethod
    def given(self) -> str:
        """What is assumed, after "if the pair is"."""

    @property
    def parameter(self) -> str:
        """The parameter's name: "mu"."""
        return self.family.parameter_name

    def pair(self, parameter: float) -> Pair:
        """The member with this finite parameter."""
        return self.family.pair(parameter)

    @abstractmethod
    def estimate(self, scores: Scores) -> float:
        """The parameter as these scores show it; ``inf`` where they are perfectly separated."""

    @abstractmethod
    def limits(self, scores: Scores, error: float) -> Limits:
        """Confidence limits of the parameter.

        Parameters
        ----------
        scores : Scores
        error : float
            Probability, at most, that the lower limit is wrong, and that the upper one is.
        """

    def roc_limits(self, scores: Scores, error: float) -> RocLimits:
        """Confidence limits of both error rates, valid for any pair.

        Parameters
        ----------
        scores : Scores
        error : float
            As for :meth:`limits`.
        """
        return roc_limits(scores, error)

    def curve(self, parameter: float, fpr: Floats) -> Floats:
        """False negative rates of a member.

        Parameters
        ----------
        parameter : float
            May be infinite.
        fpr : ndarray
            False positive rates in [0, 1].
        """
        pair = self.pair(min(parameter, _AS_GOOD_AS_INFINITE))
        return np.asarray(pair.tradeoff(fpr, symmetric=False))

    @abstractmethod
    def misfit(self, limits: RocLimits, estimate: float) -> Misfit | None:
        """The contradiction between limits and the family; None where some member agrees with them.

        Parameters
        ----------
        limits : RocLimits
            Of both error rates.
        estimate : float
            The parameter of the member that the explanation names.
        """


class NormalScores(FamilyEstimator):
    """P = N(m₁, s²) and Q = N(m₂, s²), all three unknown; the parameter is μ = |m₁ − m₂|/s."""

    family = GaussianFamily()
    method = "mean difference (noncentral t)"
    guarantee = "pointwise"

    @property
    def given(self) -> str:
        return "Gaussian with equal variances"

    def estimate(self, scores: Scores) -> float:
        t, scale, _ = self._statistic(scores)
        return t / scale

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
        ends = [(float(group.at(0)), float(group.at(group.size - 1))) for group in scores.groups]
        unit = max(abs(x) for x in itertools.chain(*ends)) or 1.0
        if not all(math.isfinite(x) for x in itertools.chain(*ends)):
            raise ValueError(
                "a Gaussian pair has finite scores, and some of these are NaN or infinite; take a "
                "bound that needs no family, or leave them out (nonfinite='drop')"
            )
        p, q = scores.moments(unit)
        deviation = math.sqrt((p.variance * p.size + q.variance * q.size) / (p.size + q.size - 2))
        if all(least / unit == most / unit for least, most in ends) or deviation < _NO_SPREAD:
            of_p, of_q = (scores.in_score_units(least) for least, _ in ends)
            raise ValueError(
                f"all scores of P are {of_p:g} and all of Q are {of_q:g}: no "
                "Gaussian pair does that; take a bound that needs no family"
            )
        return p, q

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
        known = np.isfinite(edges)
        free = (None, None)
        found = linprog(
            [0, 0, 0, 1], rows[known], edges[known], bounds=[(0, None), free, free, free]
        )
        if found.fun is None or found.x is None:
            raise RuntimeError(f"the check of the Gaussian family failed: {found.message}")
        if found.fun <= _ROUND_OFF:
            return None
        # The lines are stuck between several limits; the dual tells which holds them most.
        worst = int(np.flatnonzero(known)[np.argmin(found.ineqlin.marginals)])
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
class OrderedScores(FamilyEstimator):
    """The score keeps the order of the likelihood ratio; trade-off functions do the rest.

    Parameters
    ----------
    family : LaplaceFamily or SubsampledGaussianFamily
    """

    family: LaplaceFamily | SubsampledGaussianFamily
    method = "family within the two-sided band"
    guarantee = "simultaneous"

    @property
    def given(self) -> str:
        return f"{self.family.name} and the score keeps the order of its likelihood ratio"

    def estimate(self, scores: Scores) -> float:
        return self.family.parameter_of_auc(roc(scores).auc)

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
        p, q = scores.groups
        low = self._low_outcome(scores)
        return int(p.up_to(low)) + int(q.above(low)), p.size + q.size

    def _low_outcome(self, scores: Scores) -> float:
        """The less member-like of the two outcomes, in the order's sign."""
        groups = scores.groups
        low = min(group.at(0) for group in groups)
        high = max(group.at(group.size - 1) for group in groups)
        if low == high:
            raise ValueError(
                f"all scores are {scores.in_score_units(low):g}, and randomized response has two "
                "outcomes; take a bound that needs no family"
            )
        two = all(group.up_to(low) == group.below(high) for group in groups)
        if not two or any(scores.nan_counts):
            ends = [scores.in_score_units(groups[0].at(i)) for i in (0, groups[0].size - 1)]
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


def estimator_named(name: str, q: float | None = None) -> FamilyEstimator:
    """The estimator of the family with this name.

    Parameters
    ----------
    name : str
        A key of `workbench.pairs.families.registry.FAMILIES`.
    q : float, optional
        The sampling probability of "subsampled-gaussian".

    Raises
    ------
    ValueError
        An unknown name, a missing or superfluous ``q``.
    """
    family = family_named(name, delta=0.0, q=q)
    if isinstance(family, LaplaceFamily | SubsampledGaussianFamily):
        return OrderedScores(family)
    return NormalScores() if name == "gaussian" else ResponseScores()
