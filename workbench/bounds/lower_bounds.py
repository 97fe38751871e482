"""The two questions that most people ask: how large is ε at least, and how large is μ?"""

from __future__ import annotations

from typing import Any, Literal

from workbench import _checks
from workbench.bounds.anytime.anytime import anytime_epsilon, anytime_mu
from workbench.bounds.bound import Bound
from workbench.bounds.counts.threshold import epsilon_at_threshold, mu_at_threshold
from workbench.bounds.held_out.held_out import held_out_bound
from workbench.bounds.quantities import Epsilon, Mu
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.scores.sample import Scores

GUARANTEES = ("simultaneous", "pointwise", "held-out", "anytime")

Guarantee = Literal["simultaneous", "pointwise", "held-out", "anytime"]

DEFAULT_INTERVAL = "clopper-pearson"


def epsilon_lower_bound(
    scores: Scores,
    delta: float,
    confidence: float = 0.95,
    guarantee: Guarantee = "simultaneous",
    threshold: float | None = None,
    interval: str | None = None,
    ordering: str | None = None,
    splits: int | None = None,
) -> Bound:
    """Lower bound on ε at a given δ: with this confidence, no smaller ε is (ε, δ)-DP.

    Parameters
    ----------
    scores : Scores
    delta : float
        In [0, 1).
    confidence : float
        0.95 for 95 %.
    guarantee : {"simultaneous", "pointwise", "held-out", "anytime"}
        "simultaneous" holds for all thresholds, all δ and both directions at once, so the threshold
        may be tuned at will. "pointwise" holds for a ``threshold`` that was chosen before these
        scores were seen. "held-out" tunes on a fifth of the scores, which a hash of them chooses,
        and measures on the rest. "anytime" holds at every sample size at once, for rows in their
        order of arrival, so the run may be watched and stopped.
    threshold : float, optional
        In score units; needed for "pointwise" and refused otherwise.
    interval : str, optional
        For "pointwise": "clopper-pearson" (unless stated) and "exact" keep their level; "jeffreys",
        "wilson", "katz-log" and "bayesian" make the guarantee approximate.
    ordering : {"threshold", "likelihood-ratio"}, optional
        For "held-out": thresholds of the scores as they are (unless stated), or of a likelihood
        ratio learned on the first part, for members that score both high and low.
    splits : int, optional
        For "held-out": how many splits are combined, 1 unless stated. More depend less on luck.

    Returns
    -------
    Bound
        0 where nothing is shown.

    Raises
    ------
    ValueError
        A level out of range, a missing or a superfluous threshold, interval, ordering or splits.

    See Also
    --------
    tradeoff_band : the whole curve behind the simultaneous bound.
    learn_ordering : the same for a learned ordering, for all δ at once.
    AnytimeAudit : the anytime bound of scores that are still coming in.
    """
    held_out = _held_out(guarantee, ordering, splits)
    if _pointwise(guarantee, threshold, interval):
        return epsilon_at_threshold(
            scores,
            threshold,  # type: ignore[arg-type]
            delta,
            confidence,
            interval or DEFAULT_INTERVAL,
        )
    if held_out:
        return held_out_bound(scores, Epsilon(delta), confidence, **held_out)
    if guarantee == "anytime":
        return anytime_epsilon(scores, delta, confidence)
    return tradeoff_band(scores, confidence).epsilon(delta)


def mu_lower_bound(
    scores: Scores,
    confidence: float = 0.95,
    guarantee: Guarantee = "simultaneous",
    threshold: float | None = None,
    interval: str | None = None,
    ordering: str | None = None,
    splits: int | None = None,
) -> Bound:
    """Lower bound on μ: with this confidence, the pair is not μ'-GDP for any smaller μ'.

    No Gaussian is assumed. Arguments as in `epsilon_lower_bound`.
    """
    held_out = _held_out(guarantee, ordering, splits)
    if _pointwise(guarantee, threshold, interval):
        return mu_at_threshold(
            scores,
            threshold,  # type: ignore[arg-type]
            confidence,
            interval or DEFAULT_INTERVAL,
        )
    if held_out:
        return held_out_bound(scores, Mu(), confidence, **held_out)
    if guarantee == "anytime":
        return anytime_mu(scores, confidence)
    return tradeoff_band(scores, confidence).mu()


def _held_out(guarantee: str, ordering: str | None, splits: int | None) -> dict[str, Any]:
    """Arguments of a held-out bound; empty for the other guarantees, which take none of them."""
    if guarantee == "held-out":
        return {"ordering": ordering or "threshold", "splits": 1 if splits is None else splits}
    for name, value in (("ordering", ordering), ("splits", splits)):
        if value is not None:
            raise ValueError(
                f"{name}={value!r} belongs to guarantee='held-out'; leave it out with "
                f"guarantee={guarantee!r}"
            )
    return {}


def _pointwise(guarantee: str, threshold: float | None, interval: str | None) -> bool:
    _checks.one_of(guarantee, "guarantee", GUARANTEES)
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
