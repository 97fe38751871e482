"""The two questions that most people ask: how large is ε at least, and how large is μ?"""

from __future__ import annotations

from typing import Literal

from workbench import checks
from workbench.bounds.anytime import anytime_epsilon, anytime_mu
from workbench.bounds.band import tradeoff_band
from workbench.bounds.result import Bound
from workbench.bounds.threshold import epsilon_at_threshold, mu_at_threshold
from workbench.scores.sample import Scores

GUARANTEES = ("simultaneous", "pointwise", "anytime")

DEFAULT_INTERVAL = "clopper-pearson"


def epsilon_lower_bound(
    scores: Scores,
    delta: float,
    confidence: float = 0.95,
    guarantee: Literal["simultaneous", "pointwise", "anytime"] = "simultaneous",
    threshold: float | None = None,
    interval: str | None = None,
) -> Bound:
    """Lower bound on ε at a given δ: with this confidence, no smaller ε is (ε, δ)-DP.

    Parameters
    ----------
    scores : Scores
    delta : float
        In [0, 1).
    confidence : float
        0.95 for 95 %.
    guarantee : {"simultaneous", "pointwise", "anytime"}
        "simultaneous" holds for all thresholds, all δ and both directions at once, so the
        threshold may be tuned at will. "pointwise" holds for a ``threshold`` that was chosen
        before these scores were seen. "anytime" holds at every sample size at once, for rows in
        their order of arrival, so the run may be watched and stopped.
    threshold : float, optional
        In score units; needed for "pointwise" and refused otherwise.
    interval : str, optional
        For "pointwise": "clopper-pearson" (unless stated) and "exact" keep their level; "jeffreys",
        "wilson", "katz-log" and "bayesian" make the guarantee approximate.

    Returns
    -------
    Bound
        0 where nothing is shown.

    Raises
    ------
    ValueError
        A level out of range, a missing or a superfluous threshold or interval.

    See Also
    --------
    tradeoff_band : the whole curve behind the simultaneous bound.
    AnytimeAudit : the anytime bound of scores that are still coming in.
    """
    if _pointwise(guarantee, threshold, interval):
        return epsilon_at_threshold(
            scores,
            threshold,  # type: ignore[arg-type]
            delta,
            confidence,
            interval or DEFAULT_INTERVAL,
        )
    if guarantee == "anytime":
        return anytime_epsilon(scores, delta, confidence)
    return tradeoff_band(scores, confidence).epsilon(delta)


def mu_lower_bound(
    scores: Scores,
    confidence: float = 0.95,
    guarantee: Literal["simultaneous", "pointwise", "anytime"] = "simultaneous",
    threshold: float | None = None,
    interval: str | None = None,
) -> Bound:
    """Lower bound on μ: with this confidence, the pair is not μ'-GDP for any smaller μ'.

    No Gaussian is assumed. Arguments as in `epsilon_lower_bound`.
    """
    if _pointwise(guarantee, threshold, interval):
        return mu_at_threshold(
            scores,
            threshold,  # type: ignore[arg-type]
            confidence,
            interval or DEFAULT_INTERVAL,
        )
    if guarantee == "anytime":
        return anytime_mu(scores, confidence)
    return tradeoff_band(scores, confidence).mu()


def _pointwise(guarantee: str, threshold: float | None, interval: str | None) -> bool:
    checks.one_of(guarantee, "guarantee", GUARANTEES)
    if guarantee == "pointwise" and threshold is None:
        raise ValueError("a pointwise bound needs threshold=, chosen before the scores were seen")
    if guarantee != "pointwise" and threshold is not None:
        raise ValueError(
            f"the {guarantee} bound covers all thresholds; leave out threshold={threshold!r}, "
            "or ask for guarantee='pointwise'"
        )
    if guarantee != "pointwise" and interval is not None:
        raise ValueError(
            f"interval={interval!r} belongs to guarantee='pointwise'; leave it out with "
            f"guarantee={guarantee!r}"
        )
    return guarantee == "pointwise"
