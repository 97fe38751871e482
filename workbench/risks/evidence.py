"""`RiskEvidence`: the success that scores, counts or a bound demonstrate, rounded down.

An *event* is demonstrated where scores or counts show that an attack with a false positive rate of
at most κ has at least some true positive rate. A lower bound on ε or μ shows no event, since it
does not say at which rate it is attained. It shows which claim of its form is false: *every* true
(ε, δ)-claim has at least this ε, and so allows at least this success.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.counts.binomial import clopper_pearson_upper
from workbench.bounds.counts.counts import Counts
from workbench.bounds.simultaneous.band import TradeoffBand, tradeoff_band
from workbench.claims.approx import ApproxDP
from workbench.claims.base import Claim
from workbench.claims.gdp import GDP
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats
from workbench.risks.promise import allowed_success
from workbench.risks.success import ROUND_OFF
from workbench.scores.sample import Scores

#: Stands for an infinite parameter of a claim.
MOST_EPSILON = 1e100


@dataclass(frozen=True, eq=False)
class RiskEvidence:
    """What was measured, as a function of the baseline.

    Attributes
    ----------
    bound : Bound
        One of its statements: guarantee, confidence, assumptions, and why it is void.
    advantage : float
        The largest difference of success and baseline that is demonstrated, 0 for none.
    curve : TradeoffCurve, optional
        On or above the trade-off function of the pair: an event at each rate.
    form : Claim, optional
        Where no event is known: the strongest claim of its form that is not refuted. Without
        either, nothing is known at a single baseline.
    """

    bound: Bound
    advantage: float
    curve: TradeoffCurve | None = None
    form: Claim | None = None

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def silent(self) -> bool:
        """Whether it says nothing at a single baseline."""
        return self.curve is None and self.form is None

    def success(self, baseline: Floats) -> Floats:
        """The demonstrated success at each baseline, never above the truth.

        Parameters
        ----------
        baseline : ndarray
            In [0, 1].

        Returns
        -------
        ndarray
            NaN where the evidence is :attr:`silent`.
        """
        baseline = np.asarray(baseline, dtype=float)
        if self.form is not None and self.advantage == 0:
            return baseline
        if self.form is not None:
            found = allowed_success(self.form, baseline)
        elif self.curve is not None:
            found = np.interp(baseline, self.curve.alpha, 1 - self.curve.beta)
        else:
            return np.full(baseline.shape, np.nan)
        return np.maximum(found * (1 - ROUND_OFF), baseline)

    def beside(self, claim: Claim) -> RiskEvidence:
        """The evidence in the form of a claim that it is compared with.

        Parameters
        ----------
        claim : Claim

        Returns
        -------
        RiskEvidence
            An event is one beside any claim. Of a bound on a number, the strongest claim of the
            same kind that it does not refute; of a pair as claim, which has no parameter, nothing
            at a single baseline.
        """
        if self.curve is not None:
            return self
        parameter = _least_parameter(self.bound, claim)
        if parameter is not None:
            return _of_form(self.bound, claim.with_parameter(parameter), parameter > 0)
        known = self.bound.quantity == "total variation"  # which is an advantage, of some event
        return replace(self, form=None, advantage=max(self.bound.value, 0.0) if known else 0.0)

    def refutes(self, claim: Claim) -> bool:
        """Whether a bound on a number refutes a claim; events are compared at each baseline.

        Parameters
        ----------
        claim : Claim
        """
        value, at = self.bound.value, self.bound.at
        if value <= 0:
            return False
        if self.bound.quantity == "epsilon" and at.delta is not None:
            return float(claim.epsilon(at.delta)) < value
        if self.bound.quantity == "delta" and at.epsilon is not None:
            return claim.max_delta(at.epsilon) < value
        if self.bound.quantity == "total variation":
            return claim.max_total_variation() < value
        return isinstance(claim, GDP) and self.bound.quantity == "mu" and claim.mu < value


def _least_parameter(bound: Bound, claim: Claim) -> float | None:
    """The parameter below which a bound refutes every claim of a kind; None where there is none."""
    value, at = max(bound.value, 0.0), bound.at
    if bound.quantity == "mu":
        return min(value, MOST_EPSILON) if isinstance(claim, GDP) else None
    if bound.quantity == "epsilon" and isinstance(claim, ApproxDP) and claim.delta_0 == at.delta:
        return min(value, MOST_EPSILON)
    if bound.quantity == "epsilon" and at.delta is not None:
        known = (at.delta if value > 0 else 0.0, min(value, MOST_EPSILON))
    elif bound.quantity == "delta" and at.epsilon is not None:
        known = (value, at.epsilon)
    else:
        known = (value, 0.0)
    found = claim.parameter_refuted_by_delta(*known)
    return None if found is None else min(found, MOST_EPSILON)


def evidence_of(of: Scores | TradeoffBand | Counts | Bound, confidence: float) -> RiskEvidence:
    """What scores, a band, counts or a bound demonstrate.

    Parameters
    ----------
    of : Scores, TradeoffBand, Counts or Bound
    confidence : float
        Of scores and counts; a band and a bound have their own.

    Raises
    ------
    ValueError
        A bound that shows nothing of the kind: an estimate, an upper limit, one that is not valid,
        or one of another quantity.
    """
    if isinstance(of, Scores):
        of = tradeoff_band(of, confidence)
    if isinstance(of, TradeoffBand):
        bound = of.total_variation()
        if bound.guarantee == "estimate":
            return _of_bound(bound)
        return RiskEvidence(bound, bound.value, curve=of.curve)
    if isinstance(of, Counts):
        error = (1 - confidence) / 2
        fpr = float(clopper_pearson_upper(of.fp, of.n_q, error))
        fnr = float(clopper_pearson_upper(of.fn, of.n_p, error))
        bound = of.total_variation(confidence=confidence)
        return RiskEvidence(bound, max(1 - fpr - fnr, 0.0), curve=TradeoffCurve.hull([fpr], [fnr]))
    return _of_bound(of)


def _of_bound(bound: Bound) -> RiskEvidence:
    if bound.void or bound.guarantee == "estimate" or bound.side == "upper":
        why = bound.void or ("an estimate" if bound.guarantee == "estimate" else "an upper limit")
        raise ValueError(
            f"{bound.symbol} {bound.relation} {bound.rounded} demonstrates no risk: it is {why}; "
            "give a lower bound, or the claim for what is promised"
        )
    value, at = max(bound.value, 0.0), bound.at
    if bound.quantity == "tpr" and at.fpr is not None:
        curve = TradeoffCurve.hull([at.fpr], [1 - min(value, 1.0)])
        return RiskEvidence(bound, curve.total_variation, curve=curve)
    form: Claim | None = None
    if bound.quantity == "epsilon" and at.delta is not None:
        form = ApproxDP(min(value, MOST_EPSILON), at.delta)
    elif bound.quantity == "mu":
        form = GDP(min(value, MOST_EPSILON))
    elif bound.quantity == "delta" and at.epsilon is not None and at.epsilon >= 0 and value < 1:
        form = ApproxDP(at.epsilon, value)
    elif bound.quantity == "total variation" and value < 1:
        form = ApproxDP(0.0, value)
    if form is None:
        raise ValueError(
            f"a bound on {bound.symbol} says nothing about success at a baseline; give scores, or "
            "a bound on ε, μ, δ, the total variation or a true positive rate"
        )
    return _of_form(bound, form, value > 0)


def _of_form(bound: Bound, form: Claim, refutes: bool) -> RiskEvidence:
    """Evidence against all stronger claims of a form, if the bound refutes any."""
    advantage = form.max_total_variation() * (1 - ROUND_OFF) if refutes else 0.0
    return RiskEvidence(bound, advantage, form=form)
