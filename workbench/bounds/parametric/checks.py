"""`family_check`: whether scores contradict a family, where, and what the check would miss.

Limits of both error rates at about 4·log₂(n) thresholds (`workbench.bounds.simultaneous.roc_band`)
hold at once with the stated confidence, for any pair. A family is refuted where none of its members
respects all of them. Proof of the level: if the scores are of the family, their own member respects
all limits whenever all limits hold. A refutation therefore needs a limit that fails, whatever the
member's parameters are, which has probability at most 1 − confidence; nothing is lost by looking at
all members. Normal scores with one or two unknown variances are such a family, in which the member
is two lines on normal paper, and whether any two lines pass through all limits is a linear program.

Equal scores, as of rounded ones, only widen limits: the one from above is taken for the attack
"above t", the one from below for "at least t". A family of continuous scores is then refuted where
a block of equal scores has more mass than the limits leave room for, and rightly: it is no family
of these scores.

A bound that assumes a family is void where the check of exactly this family refutes it. That does
not change the level of the bound, since the check can only take bounds away.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from workbench import _checks
from workbench._format import percent
from workbench._frames import to_frame
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.bounds.parametric.departures import CheckPower, Departures, departures
from workbench.bounds.parametric.estimators import estimator_named
from workbench.bounds.parametric.family_estimator import FamilyEstimator, Misfit
from workbench.pairs.families.registry import FamilyName
from workbench.scores.sample import Scores, require_scores

#: False positive rates at which a check keeps its curves, besides those of its limits.
_GRID = np.concatenate([[0.0], ndtr(np.linspace(-6, 6, 401)), [1.0]])

#: Why a bound that assumes a family is void.
REFUTED = "the scores rule out this family"


@dataclass(frozen=True, eq=False, repr=False)
class FamilyCheck:
    """Whether scores contradict a family, and where.

    Attributes
    ----------
    scores : Scores
    family : FamilyEstimator
    confidence : float
        A family that is right is refuted with probability at most 1 − ``confidence``.
    refuted : bool
        True where no member of the family agrees with limits that hold for the true pair. False
        does not show that the family is right.
    reason : str
        What contradicts the family; empty where nothing does.
    estimate : float
        The fitted member's parameter, as in `FamilyFit`; with own variances the difference of the
        means in deviations of Q.
    fpr, fnr_fitted, fnr_lower, fnr_upper : ndarray, all of one shape
        The fitted member's trade-off function, and the two-sided simultaneous band of the
        threshold attacks, a step function.
    threshold : float, optional
        In score units: where the contradiction is largest.
    fpr_there, fnr_there : float, optional
        The error rates observed at that threshold.
    """

    scores: Scores
    family: FamilyEstimator
    confidence: float
    refuted: bool
    reason: str
    estimate: float
    fpr: NDArray[np.float64]
    fnr_fitted: NDArray[np.float64]
    fnr_lower: NDArray[np.float64]
    fnr_upper: NDArray[np.float64]
    threshold: float | None = None
    fpr_there: float | None = None
    fnr_there: float | None = None

    plot = plot
    figure = figure
    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)

    def power(self, delta: float = 1e-5) -> CheckPower:
        """What a check of this size would have found, and what it can miss does to ε at δ.

        Parameters
        ----------
        delta : float
            In [0, 1).

        Returns
        -------
        CheckPower
            ``str`` of it is a sentence. It depends on the numbers of scores, the confidence and the
            fitted member alone.

        Examples
        --------
        >>> check = wb.family_check(wb.GaussianPair(1).sample(200, seed=0), "gaussian")
        >>> check.refuted, check.power(1e-5).adds > 1
        (False, True)
        """
        return self._departures.power(self.family, _checks.delta(delta), self.confidence)

    @cached_property
    def _departures(self) -> Departures:
        s, error = self.scores, (1 - self.confidence) / 2
        return departures(self.family, self.estimate, s.n_p, s.n_q, error)

    @cached_property
    def verdict(self) -> str:
        """The result as one sentence."""
        if self.refuted:
            rounding = f" {self.scores.samples.rounding}" if self.scores.samples.rounding else ""
            return (
                f"The scores rule out that the pair is {self.family.given} "
                f"({percent(self.confidence)} confidence, {self.scores.assumption}): {self.reason}."
                f"{rounding}"
            )
        return (
            f"These scores do not contradict that the pair is {self.family.given}; that does not "
            "show that it is so."
        )

    def __repr__(self) -> str:
        found = f"refuted at {percent(self.confidence)}, {self.reason}"
        if not self.refuted:
            found = f"not refuted at {percent(self.confidence)}. {self.power()}"
        return f"FamilyCheck({self.family.given}: {found}; {self.scores!r})"

    def _repr_html_(self) -> str:
        rows = [
            ("family", self.family.given),
            ("verdict", "refuted" if self.refuted else "not refuted"),
            (f"fitted {self.family.parameter}", f"≈ {self.estimate:.4g}"),
        ]
        rows += [("where", self.reason)] if self.refuted else [("power", str(self.power()))]
        note = f"{percent(self.confidence)} · {self.scores.assumption}"
        return beside(table("Does the family fit?", rows, note), self)


def family_check(
    scores: Scores,
    family: FamilyName,
    confidence: float = 0.95,
    q: float | None = None,
    equal_variances: bool = True,
) -> FamilyCheck:
    """Test of whether any member of a family agrees with the scores.

    Parameters
    ----------
    scores, family, q
        As in `family_fit`; its assumptions are checked here.
    confidence : float
        One minus the probability, at most, of refuting a family that is right.
    equal_variances : bool
        Of "gaussian". False checks what `parametric_bound` assumes with False: normal scores, each
        side with a variance of its own.

    Returns
    -------
    FamilyCheck

    Raises
    ------
    ValueError
        As `family_fit`; unequal variances of another family, equal scores on one side where each
        has its own variance.

    Notes
    -----
    Limits of both error rates at all thresholds hold at once with this confidence, for any pair.
    The family is refuted when none of its members respects them all. For the Gaussian family the
    limits are compared with normal distributions of the scores themselves, so that a score that
    is merely a monotone function of Gaussian ones is refuted too; the others are compared as
    trade-off functions. The method is the workbench's own.

    Level: at most 1 − ``confidence``, for every member of the family, since the right member is
    refuted only if some limit fails (`workbench.bounds.parametric.checks` has the proof). The level
    is not exact, and the check has little power in tails beyond 1/n: `FamilyCheck.power` says how
    much a bound may suffer from what it misses.

    Examples
    --------
    >>> scores = wb.LaplacePair(2).sample(5000, seed=0)
    >>> wb.family_check(scores, "gaussian").refuted
    True
    """
    require_scores(scores)
    member = estimator_named(family, q, equal_variances).fitted_to(scores)
    confidence = _checks.confidence(confidence)
    error = (1 - confidence) / 2
    estimate = member.estimate(scores, member.limits(scores, error))
    limits = member.roc_limits(scores, error)
    misfit = member.misfit(limits, estimate)

    fpr = np.unique(np.concatenate([_GRID, limits.fpr_lower, limits.fpr_upper]))
    reason, threshold, fpr_there, fnr_there = "", None, None, None
    if misfit is not None:
        threshold = scores.samples.in_score_units(misfit.threshold)
        reason = misfit.says.format(threshold=threshold)
        tp, fp = scores.tail_counts(threshold)
        fpr_there, fnr_there = float(fp / scores.n_q), float(1 - tp / scores.n_p)
    return FamilyCheck(
        scores=scores,
        family=member,
        confidence=confidence,
        refuted=misfit is not None,
        reason=reason,
        estimate=estimate,
        fpr=fpr,
        fnr_fitted=member.curve(estimate, fpr),
        fnr_lower=limits.lowest_fnr(fpr),
        fnr_upper=limits.highest_fnr(fpr),
        threshold=threshold,
        fpr_there=fpr_there,
        fnr_there=fnr_there,
    )


def refutation(member: FamilyEstimator, scores: Scores, confidence: float) -> Misfit | None:
    """The contradiction that `family_check` finds, without what explains it."""
    limits = member.roc_limits(scores, (1 - confidence) / 2)
    return member.misfit(limits, 0.0)
