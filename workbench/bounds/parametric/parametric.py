"""Bounds that hold if the pair is of a stated family.

A family turns a few counts into ε at any δ, which no sample shows by itself; that is its use and
its danger. A Gaussian bound on Laplace scores lies far above the truth, with any confidence. So the
bound names its family and says what the check of exactly this family found; a refuted family voids
it. A check that finds no contradiction does not show that the family is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from workbench import _checks
from workbench._format import percent
from workbench._frames import to_frame
from workbench._markup import table
from workbench.bounds.bound import Bound, Side
from workbench.bounds.parametric.checks import REFUTED, refutation
from workbench.bounds.parametric.estimators import estimator_named
from workbench.bounds.parametric.family_estimator import FamilyEstimator
from workbench.bounds.quantities import QuantityArguments
from workbench.pairs.families.registry import FamilyName
from workbench.scores.sample import Scores, require_scores

Quantity = Literal["epsilon", "delta", "mu", "total variation"]


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
    void : str, optional
        Why the limits do not hold: `family_check` at this confidence refutes the family.
    """

    scores: Scores
    family: FamilyEstimator
    estimate: float
    lower: float
    upper: float
    confidence: float
    fits: bool
    void: str | None = None

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def parameter(self) -> str:
        """The parameter's name."""
        return self.family.parameter

    def __repr__(self) -> str:
        limits = f"{self.lower:.4g} to {self.upper:.4g}" if self.fits else "no member fits"
        return (
            f"FamilyFit(if the pair is {self.family.given}: {self.parameter} ≈ {self.estimate:.4g},"
            f" {percent(self.confidence)} two-sided: {limits}{self._void}; {self.scores!r})"
        )

    def _repr_html_(self) -> str:
        limits = f"{self.lower:.4g} to {self.upper:.4g}" if self.fits else "no member fits"
        rows = [
            (self.parameter, f"≈ {self.estimate:.4g}"),
            (f"{percent(self.confidence)} two-sided", limits),
            ("scores", f"{self.scores.n_p:,} + {self.scores.n_q:,}"),
        ]
        note = f"{self.family.guarantee} · {self.scores.assumption}{self._void}"
        return table(f"If the pair is {self.family.given}", rows, note)

    @property
    def _void(self) -> str:
        return f", not valid: {self.void}" if self.void else ""


def family_fit(
    scores: Scores,
    family: FamilyName,
    confidence: float = 0.95,
    q: float | None = None,
) -> FamilyFit:
    """Estimate and two-sided limits of a family's parameter, the estimate within the limits.

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

    Notes
    -----
    The estimate lies within the limits unless no member fits. "gaussian": the median-unbiased value
    of the same noncentral t. "laplace", "subsampled-gaussian": the member within the limits that
    is likeliest by the ranks of the scores (`workbench.bounds.parametric.rank_likelihood`).
    "randomized-response": the share of false answers.

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
    refuted = refutation(member, scores, confidence) is not None
    return FamilyFit(
        scores=scores,
        family=member,
        estimate=member.estimate(scores, found),
        lower=found.lower,
        upper=found.upper,
        confidence=confidence,
        fits=found.fits,
        void=REFUTED if refuted else None,
    )


def parametric_bound(
    scores: Scores,
    family: FamilyName = "gaussian",
    quantity: Quantity = "epsilon",
    *,
    delta: float | None = None,
    epsilon: float | None = None,
    confidence: float = 0.95,
    side: Side = "lower",
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
        With ``family`` set: it says nothing about other pairs. `family_check` of exactly this
        family, with the same variances and confidence, is part of it: where the scores refute the
        family, the bound is void. ``checked`` has the result.

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
    _checks.one_of(quantity, "quantity", get_args(Quantity))
    _checks.one_of(side, "side", get_args(Side))
    member = estimator_named(family, q, equal_variances)
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
    if not equal_variances and quantity == "mu":
        raise ValueError(
            "equal_variances=False is for ε, δ and total variation, got quantity='mu'; a Gaussian "
            "pair with two variances is μ-GDP for no μ"
        )
    error = (1 - confidence) / 2 if side == "two" else 1 - confidence
    low = member.leak_limit(scores, quantity, at, error, "lower")
    high = member.leak_limit(scores, quantity, at, error, "upper") if side == "two" else None
    refuted = refutation(member, scores, confidence) is not None

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

    return Bound.of_scores(
        scores,
        low,
        quantity=quantity,
        high=high,
        side=side,
        guarantee=member.guarantee,
        confidence=confidence,
        family=member.given,
        checked="refuted" if refuted else "not refuted",
        void=REFUTED if refuted else None,
        method=member.method,
        note=scores.samples.rounding or None,
        at=at,
        recompute=again,
    )
