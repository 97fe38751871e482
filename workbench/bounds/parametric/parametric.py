"""Bounds that hold if the pair is of a stated family, and a check that can refute the family.

A family turns a few counts into ε at any δ, which no sample shows by itself; that is its use and
its danger. A Gaussian bound on Laplace scores lies far above the truth, with any confidence. So the
bound names its family, and `family_check` looks for a contradiction between family and scores. A
check that finds none does not show that the family is right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from workbench import _checks
from workbench._format import percent
from workbench._html import table
from workbench.bounds.bound import Bound
from workbench.bounds.parametric.estimators import (
    FamilyEstimator,
    NormalScores,
    estimator_named,
)
from workbench.bounds.parametric.own_variances import delta_limit, epsilon_limit
from workbench.bounds.quantities import QuantityArguments
from workbench.scores.sample import Scores, require_scores

QUANTITIES = ("epsilon", "delta", "mu", "total variation")
SIDES = ("lower", "two")

#: False positive rates at which a check keeps its curves, besides those of its limits.
_GRID = np.concatenate([[0.0], ndtr(np.linspace(-6, 6, 401)), [1.0]])


@dataclass(frozen=True, eq=False, repr=False)
class FamilyFit:
    """Estimate of a family's parameter, and two-sided limits that hold if the family is right.

    Attributes
    ----------
    scores : Scores
    family : FamilyEstimator
        ``family.given`` says what is assumed.
    estimate, lower, upper : float
        Of ``parameter``: "mu" (Gaussian, Laplace), "1/sigma" (subsampled Gaussian), "epsilon"
        (randomized response). A larger one leaks more. The upper limit may be infinite.
    confidence : float
        Of both limits together.
    fits : bool
        False where no member of the family agrees with these scores; the limits are then 0 and
        infinite.
    """

    scores: Scores
    family: FamilyEstimator
    estimate: float
    lower: float
    upper: float
    confidence: float
    fits: bool

    @property
    def parameter(self) -> str:
        """The parameter's name."""
        return self.family.parameter

    def __repr__(self) -> str:
        limits = f"{self.lower:.4g} to {self.upper:.4g}" if self.fits else "no member fits"
        return (
            f"FamilyFit(if the pair is {self.family.given}: {self.parameter} ≈ {self.estimate:.4g},"
            f" {percent(self.confidence)} two-sided: {limits}; {self.scores!r})"
        )

    def _repr_html_(self) -> str:
        limits = f"{self.lower:.4g} to {self.upper:.4g}" if self.fits else "no member fits"
        rows = [
            (self.parameter, f"≈ {self.estimate:.4g}"),
            (f"{percent(self.confidence)} two-sided", limits),
            ("scores", f"{self.scores.n_p:,} + {self.scores.n_q:,}"),
        ]
        note = f"{self.family.guarantee} · {self.scores.assumption}"
        return table(f"If the pair is {self.family.given}", rows, note)


def family_fit(
    scores: Scores,
    family: Literal["gaussian", "laplace", "subsampled-gaussian", "randomized-response"],
    confidence: float = 0.95,
    q: float | None = None,
) -> FamilyFit:
    """Estimate and two-sided limits of a family's parameter.

    Parameters
    ----------
    scores : Scores
    family : {"gaussian", "laplace", "subsampled-gaussian", "randomized-response"}
        "gaussian": normal scores with equal variances; exact limits of μ = |m₁ − m₂|/s by the
        noncentral t distribution. "laplace", "subsampled-gaussian": the score keeps the order of
        the pair's likelihood ratio, in any unit; the parameters whose whole trade-off function
        stays within simultaneous limits of both error rates. "randomized-response": the score is
        the outcome, one of two; Clopper–Pearson limits of the pooled false answers.
    confidence : float
        Of both limits together.
    q : float, optional
        The known sampling probability of "subsampled-gaussian".

    Returns
    -------
    FamilyFit

    Raises
    ------
    ValueError
        Unknown family, a missing or superfluous ``q``, scores that no member of the family can
        give: non-finite ones or two constants (Gaussian), more than two outcomes (randomized
        response).

    Examples
    --------
    >>> fit = wb.family_fit(wb.GaussianPair(1).sample(1000, seed=0), "gaussian")
    >>> fit.lower < 1 < fit.upper
    True
    """
    require_scores(scores)
    member = estimator_named(family, q)
    confidence = _checks.confidence(confidence)
    found = member.limits(scores, (1 - confidence) / 2)
    return FamilyFit(
        scores=scores,
        family=member,
        estimate=member.estimate(scores),
        lower=found.lower,
        upper=found.upper,
        confidence=confidence,
        fits=found.fits,
    )


def parametric_bound(
    scores: Scores,
    family: Literal[
        "gaussian", "laplace", "subsampled-gaussian", "randomized-response"
    ] = "gaussian",
    quantity: Literal["epsilon", "delta", "mu", "total variation"] = "epsilon",
    *,
    delta: float | None = None,
    epsilon: float | None = None,
    confidence: float = 0.95,
    side: Literal["lower", "two"] = "lower",
    q: float | None = None,
    equal_variances: bool = True,
) -> Bound:
    """Bound on ε at δ, δ at ε, μ or total variation that holds if the pair is of a family.

    Parameters
    ----------
    scores : Scores
    family, q
        As in `family_fit`.
    quantity : {"epsilon", "delta", "mu", "total variation"}
        "epsilon" needs ``delta``, "delta" needs ``epsilon``; "mu" is for the Gaussian family.
    delta, epsilon : float, optional
        In [0, 1), and any finite number.
    confidence : float
        In (0.5, 1); of the lower bound, or of both ends together.
    side : {"lower", "two"}
        A lower bound, or an interval.
    equal_variances : bool
        Of "gaussian". False assumes normal scores only, each side with a variance of its own: a
        little less sharp where the variances are equal, and far sharper where they are not. There
        is no μ then: a Gaussian pair with two variances is μ-GDP for no μ.

    Returns
    -------
    Bound
        With ``family`` set: it says nothing about other pairs. Trivial and void where no member of
        the family fits; the full check is `family_check`.

    Raises
    ------
    ValueError
        As `family_fit`; a missing or superfluous δ or ε, a μ of another family, unequal variances
        of another family.

    Notes
    -----
    Guarantee: pointwise for "gaussian", whose level is exact, and "randomized-response";
    simultaneous for the others, over all thresholds. Every quantity increases with the parameter,
    so one limit of it serves all δ and ε at once. With own variances the least (and largest) value
    over a confidence region of variance ratio and standardized difference, from an F and a
    noncentral t distribution, serves all δ and ε at once too
    (`workbench.bounds.parametric.own_variances` has the proof). The box of four limits of arXiv
    2606.12733 is wider.

    Examples
    --------
    >>> scores = wb.GaussianPair(1).sample(1000, seed=0)
    >>> bound = wb.parametric_bound(scores, "gaussian", delta=1e-5, side="two")
    >>> bound.low < wb.GaussianPair(1).epsilon(1e-5) < bound.high
    True
    """
    require_scores(scores)
    _checks.one_of(quantity, "quantity", QUANTITIES)
    _checks.one_of(side, "side", SIDES)
    member = estimator_named(family, q)
    confidence = _checks.confidence(confidence)
    for name, value, needed in (
        ("delta", delta, quantity == "epsilon"),
        ("epsilon", epsilon, quantity == "delta"),
    ):
        if needed and value is None:
            raise ValueError(f"quantity={quantity!r} needs {name}=")
        if value is not None and not needed:
            raise ValueError(f"quantity={quantity!r} takes no {name}=, got {value!r}")
    at = QuantityArguments(
        delta=None if delta is None else _checks.delta(delta),
        epsilon=None if epsilon is None else _checks.number(epsilon, "epsilon"),
    )
    if quantity == "mu" and family != "gaussian":
        raise ValueError(
            f"μ is the parameter of the Gaussian family, not of {family!r}; ask for "
            "quantity='epsilon', or family_fit for the parameter"
        )
    error = (1 - confidence) / 2 if side == "two" else 1 - confidence

    def again(confidence: float) -> Bound:
        return parametric_bound(
            scores,
            family,
            quantity,
            delta=delta,
            epsilon=epsilon,
            confidence=confidence,
            side=side,
            q=q,
            equal_variances=equal_variances,
        )

    def bound(low: float, high: float, **stated: Any) -> Bound:
        return Bound.of_scores(
            scores,
            low,
            quantity=quantity,
            high=high if side == "two" else None,
            side=side,
            guarantee=member.guarantee,
            confidence=confidence,
            note=scores.rounding or None,
            at=at,
            recompute=again,
            **stated,
        )

    if not _checks.flag(equal_variances, "equal_variances"):
        if not isinstance(member, NormalScores) or quantity == "mu":
            raise ValueError(
                "equal_variances=False is for ε, δ and total variation of family='gaussian', got "
                f"quantity={quantity!r} of {family!r}; leave it out"
            )
        normals = member.normals(scores)

        def limit(end: str) -> float:
            if at.delta is not None:
                return epsilon_limit(normals, at.delta, error, end)
            return delta_limit(normals, at.epsilon or 0.0, error, end)

        return bound(
            limit("lower"),
            limit("upper") if side == "two" else math.inf,
            family="Gaussian, each side with its own variance",
            method="own variances (F and noncentral t)",
        )
    found = member.limits(scores, error)

    def leak(parameter: float) -> float:
        if quantity == "mu":
            return parameter
        if math.isinf(parameter):
            return math.inf if quantity == "epsilon" else 1.0
        pair = member.pair(parameter)
        if at.delta is not None:
            return float(pair.epsilon(at.delta))
        if at.epsilon is not None:
            return float(pair.profile(at.epsilon))
        return pair.total_variation

    return bound(
        leak(found.lower),
        leak(found.upper) if side == "two" else math.inf,
        family=member.given,
        method=member.method,
        void=None if found.fits else f"no member of the family {family!r} fits these scores",
    )


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
        The fitted member's parameter, as in `FamilyFit`.
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

    @cached_property
    def verdict(self) -> str:
        """The result as one sentence."""
        if self.refuted:
            rounding = f" {self.scores.rounding}" if self.scores.rounding else ""
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
        found = "refuted" if self.refuted else "not refuted"
        return (
            f"FamilyCheck({self.family.given}: {found} at {percent(self.confidence)}"
            f"{self.reason and f', {self.reason}'}; {self.scores!r})"
        )

    def _repr_html_(self) -> str:
        rows = [
            ("family", self.family.given),
            ("verdict", "refuted" if self.refuted else "not refuted"),
            (f"fitted {self.family.parameter}", f"≈ {self.estimate:.4g}"),
        ]
        rows += [("where", self.reason)] if self.refuted else []
        note = f"{percent(self.confidence)} · {self.scores.assumption}"
        return table("Does the family fit?", rows, note)


def family_check(
    scores: Scores,
    family: Literal["gaussian", "laplace", "subsampled-gaussian", "randomized-response"],
    confidence: float = 0.95,
    q: float | None = None,
) -> FamilyCheck:
    """Test of whether any member of a family agrees with the scores.

    Parameters
    ----------
    scores, family, q
        As in `family_fit`; its assumptions are checked here.
    confidence : float
        One minus the probability, at most, of refuting a family that is right.

    Returns
    -------
    FamilyCheck

    Raises
    ------
    ValueError
        As `family_fit`.

    Notes
    -----
    Limits of both error rates at all thresholds hold at once with this confidence, for any pair.
    The family is refuted when none of its members respects them all. For the Gaussian family the
    limits are compared with normal distributions of the scores themselves, so that a score that
    is merely a monotone function of Gaussian ones is refuted too; the others are compared as
    trade-off functions. The method is the workbench's own.

    Examples
    --------
    >>> scores = wb.LaplacePair(2).sample(5000, seed=0)
    >>> wb.family_check(scores, "gaussian").refuted
    True
    """
    require_scores(scores)
    member = estimator_named(family, q)
    confidence = _checks.confidence(confidence)
    estimate = member.estimate(scores)
    limits = member.roc_limits(scores, (1 - confidence) / 2)

    fpr = np.unique(np.concatenate([_GRID, limits.fpr_lower, limits.fpr_upper]))
    misfit = member.misfit(limits, estimate)
    reason, threshold, fpr_there, fnr_there = "", None, None, None
    if misfit is not None:
        threshold = scores.in_score_units(misfit.threshold)
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
