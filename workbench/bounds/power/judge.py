"""The verdict on a claim: refuted, not refuted, or too few samples to tell.

A claim is a trade-off function f that the pair's own does not pass below. The band, whose one event
is in `workbench.bounds.simultaneous.rank_band`, refutes f at a rank of Q when p_k(f) ≤ c there, so
the claim is refuted exactly if

    p = 1 − (1 − min_k p_k(f))^J ≤ 1 − confidence,

and p is a p-value of the claim that is corrected for all J ranks (J is a little more than their
number, for the share of the error budget that ties take). All verdicts on the same scores
rest on the same event: with the stated confidence, none of them refutes a true claim. Where one
claim is fixed before the scores are seen, p is its exact value instead
(`workbench.bounds.one_question.one_question`).

The verdict is "too few samples" for a claim that is not refuted where a mechanism that leaks twice
as much would have been refuted with a probability below one half
(the claim's
`Claim.alternatives` are the mechanisms, `workbench.bounds.power.power` the
probability).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.one_question.one_question import claim_counts, claim_p_value
from workbench.bounds.power.power import (
    Detector,
    Mechanisms,
    Tradeoff,
    detector,
    scores_needed,
    simulated,
)
from workbench.bounds.power.verdict import (
    CAUGHT,
    EVEN,
    NOT_REFUTED,
    REFUTED,
    ROUND_OFF,
    TOO_FEW,
    Detectable,
    RefutingPoint,
    Verdict,
)
from workbench.bounds.simultaneous.band import TradeoffBand, tradeoff_band
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.curves.validation import Floats
from workbench.estimators.direction import direction_doubt
from workbench.pairs.base import Pair
from workbench.scores.sample import NOBODY_DREW, Scores, ScoresError, require_scores

#: What a verdict may promise.
Guarantee = Literal["simultaneous", "one question"]


def judge(
    scores: Scores,
    claim: Claim | Pair | str,
    confidence: float = 0.95,
    seed: int | np.random.Generator = 0,
    guarantee: Guarantee = "simultaneous",
) -> Verdict:
    """The verdict on a claim about a mechanism: refuted, not refuted, or too few samples.

    Parameters
    ----------
    scores : Scores
    claim : Claim, Pair or str
        What is promised. A pair claims that the mechanism leaks at most like it, in either
        direction: its symmetrised trade-off function. Text is read by `parse_claim`.
    confidence : float
        Probability, at least, with which no true claim is refuted, all simultaneous verdicts on
        these scores taken together.
    seed : int or numpy.random.Generator
        For the power; the verdict on the claim itself has no chance in it.
    guarantee : {"simultaneous", "one question"}
        "one question" is sharper, for one claim that was fixed before the scores were seen: no
        other claim, and no bound of that kind, may be asked of the same scores.

    Returns
    -------
    Verdict
        "refuted", with a witness; "too few samples" where a mechanism at twice the claim (twice ε,
        twice μ, twice the pair's privacy losses) would have been refuted with a probability below
        one half, with the sizes that would do; "not refuted" otherwise. A claim of no leak at all
        has no double: samples are too few for it where they would refute no leak.

    Raises
    ------
    ScoresError
        Nobody stated the direction of the scores, and members score significantly less member-like
        than non-members; a claim that is refuted all the same is returned. Scores of members and
        non-members that nobody drew (``sampling="given"``).
    ValueError
        Text that is no claim, something else that is none, a confidence out of range, an unknown
        guarantee, a pair that its accountant cannot describe.

    Notes
    -----
    Guarantee: as chosen, distribution-free, for independent scores; ties included. A simultaneous
    verdict rests on the same event as `tradeoff_band`, one on a single claim on
    `workbench.bounds.one_question.one_question`. Power is that of the mechanisms that
    `Claim.alternatives` lists, under the best attack on scores without ties; it is simulated
    (4000 draws). Scores with ties have less power.

    Examples
    --------
    >>> import workbench as wb
    >>> scores = wb.GaussianPair(1).sample(10_000, seed=0)
    >>> print(wb.judge(scores, "gdp(0.8)"))
    gdp(0.8): refuted, μ ≥ 0.969 (simultaneous, 95%, independent runs)
    >>> print(wb.judge(scores, "approx(5, 1e-5)").verdict)
    not refuted
    """
    verdict = verdict_on(scores, claim, confidence, seed, guarantee)
    if not verdict.refuted and (doubt := direction_doubt(scores)):
        raise ScoresError(f"“{verdict.claimed}” is not judged. {doubt}")
    return verdict


def verdict_on(
    scores: Scores,
    claim: Claim | Pair | str,
    confidence: float = 0.95,
    seed: int | np.random.Generator = 0,
    guarantee: Guarantee = "simultaneous",
) -> Verdict:
    """The verdict as of `judge`, whatever the direction: for callers that ask for it themselves.

    Parameters
    ----------
    scores, claim, confidence, seed, guarantee
        As of `judge`.
    """
    claim = as_claim(claim)
    if require_scores(scores).sampling == "given":
        raise ScoresError(
            f"“{claim}” is not judged: sampling='given' means that {NOBODY_DREW}; "
            "wb.epsilon_lower_bound has an estimate"
        )
    band = tradeoff_band(scores, _checks.confidence(confidence))
    claimed, sizes = claim.min_tradeoff, (scores.n_p, scores.n_q)
    at_ranks = _p_values(band, claimed)
    p_value = band.ranks.joint_p_value(float(at_ranks.min()))
    refuted = bool(at_ranks.min() <= band.level)
    alone = _checks.one_of(guarantee, "guarantee", get_args(Guarantee)) == "one question"
    if alone:
        p_value = min(claim_p_value(band.ranks, claimed), p_value)
        refuted = p_value <= 1 - band.confidence
        caught = simulated(claim_counts(band.ranks, claimed), *sizes, seed)
    else:
        caught = detector(claimed, *sizes, band.confidence, seed)
    witness = _witness(band, at_ranks, claimed)
    families = claim.alternatives()
    power = tuple(_detectable(caught, family) for family in families)
    verdict, enough = REFUTED if refuted else NOT_REFUTED, None
    if not refuted and power[0].too_weak:
        verdict = TOO_FEW
        twice = families[0].at(power[0].twice)
        if power[0].twice > families[0].claimed:
            enough = scores_needed(claimed, twice, EVEN, sizes, band.confidence, seed)
    bounds = _bounds(band, claim, refuted, witness, guarantee)
    return Verdict(
        *(scores, claim, verdict, band.confidence, p_value, bounds, witness, power, enough),
        guarantee=guarantee,
    )


def refuting_point(
    scores: Scores, claim: Claim | Pair | str, confidence: float = 0.95
) -> RefutingPoint | None:
    """The witness of a simultaneous verdict that refutes a claim; None where it does not.

    It costs no simulation, in contrast to the whole verdict.

    Parameters
    ----------
    scores, claim, confidence
        As of `judge`.
    """
    band = tradeoff_band(scores, _checks.confidence(confidence))
    claimed = as_claim(claim).min_tradeoff
    at_ranks = _p_values(band, claimed)
    refuted = bool(at_ranks.min() <= band.level)
    return _witness(band, at_ranks, claimed) if refuted else None


def _p_values(band: TradeoffBand, claimed: Tradeoff) -> Floats:
    return band.tests.p_values(np.asarray(claimed(band.tests.alpha)))


def _witness(band: TradeoffBand, p_values: Floats, claimed: Tradeoff) -> RefutingPoint | None:
    """Among the ranks with the smallest p-values, the point that contradicts the claim most."""
    ranks, alpha, beta = band.points
    if not ranks.size:
        return None
    p = p_values[ranks]
    alpha, beta, ranks, p = (v[p <= max(p.min(), ROUND_OFF)] for v in (alpha, beta, ranks, p))
    fnr = np.asarray(claimed(alpha))
    j, best = np.unravel_index(np.argmax(fnr - beta), fnr.shape)
    threshold = float(band.thresholds[ranks[j]])
    true, false = band.scores.tail_counts(threshold)
    return RefutingPoint(
        threshold=threshold,
        true_positives=int(true),
        false_positives=int(false),
        fpr_upper=float(alpha[j, best]),
        fnr_upper=float(beta[j, best]),
        claimed_fnr=float(fnr[j, best]),
        p_value=float(p[j]),
    )


def _bounds(
    band: TradeoffBand,
    claim: Claim,
    refuted: bool,
    witness: RefutingPoint | None,
    guarantee: str,
) -> tuple[Bound, ...]:
    bound, claimed = claim.lower_bound(band), claim.parameter
    bounds = []
    if bound is not None and claimed is not None:
        if refuted and bound.value < claimed and witness is not None:
            # The claim's own test refutes more: a hair, where the bound's search ends short of
            # it, and what one question gains.
            kind = bound.guarantee if guarantee == "simultaneous" else guarantee
            bound = replace(bound, value=claimed, threshold=witness.threshold, guarantee=kind)
        bounds.append(bound)
    if witness is not None:
        bounds.append(band.tpr(witness.fpr_upper))
    return tuple(bounds)


def _detectable(caught: Detector, family: Mechanisms) -> Detectable:
    twice = 2 * family.claimed
    return Detectable(
        mechanism=family.name,
        symbol=family.symbol,
        caught=caught.least(family, CAUGHT),
        twice=twice,
        power_at_twice=caught.power(family.at(twice)),
    )
