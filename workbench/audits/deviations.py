"""`deviations`: how an audit differs from its plan, and which results lose their guarantee by it.

Three kinds of results rest on what was fixed in advance: a bound at a threshold (``THRESHOLD``), an
interval for given bins (``BINS``), and, because it assumes that the sample sizes were not chosen
by their result, every bound for fixed sizes, also the one for all thresholds at once (``SIZES``).
What voids which of them, each to the safe side:

- *Another threshold*, or *other bins*: the best of several results is not one result; the error
  probability holds for the one that was named in advance. Only what rests on it is void.
- *Another direction*, and *rows combined by clusters or not*, or *by another rule*: these make
  other scores, of which one may have been chosen by its result.
- *Another interval, another confidence*: several intervals of one sample miss the truth in
  different samples, so the largest of them exceeds it more often than each; and a level that was
  chosen after the result is not the level of the result.
- *Another δ*: limits of both error rates do not know δ, so that ε at every δ follows from one event
  of the stated probability (Clopper–Pearson, Jeffreys, Wilson). The ordering of the
  joint test, and the other intervals, depend on δ: each δ has an event of its own.
- *Other sample sizes*, when the plan fixes them: whoever stops at a good result does not have the
  stated error probability (optional stopping). This holds for every bound for fixed sizes.
- *A stopping rule "anytime"*: the plan itself lets the audit end at a result, so no bound for fixed
  sizes is valid under it, whatever the sizes turn out to be.
- *Data that were opened before the plan was stored*, at a time that is not known, or that *anybody
  can see at any time* (examples, draws from a seed): nothing shows that the threshold was not
  chosen by these scores. Data are the same in another order of rows and in other units, and so are
  data of which most rows are the same. Scores with few values may have the ranks of other data by
  chance: they count as opened, and the deviation says that only the ranks are known to agree.
- *A plan that was used for other data first*: of several audits under one plan the best can be
  reported. The first use is the one that the plan was written for.
- *A plan that was chosen among several* after the data were opened, or that follows another plan
  for the same data: who stores many plans and takes the one that suits the scores best has fixed
  nothing. A plan that is chosen in the step that opens the data was chosen before any result.
- *Data that were read in another way after results were seen*, unless the choice is one that the
  plan fixes and it now agrees with the plan.

A declared independence of rows that changes no score, and a claim, void nothing: bounds state the
first as their assumption, and a test of any claim follows from bounds at all thresholds at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from workbench._format import percent
from workbench.audits.plan import (
    Deviation,
    RegisteredPlan,
    bins_text,
    direction_text,
    number_text,
    sampling_text,
    sizes_text,
    stopping_text,
    time_text,
)
from workbench.bounds.counts.intervals import INTERVALS, interval_label
from workbench.claims.base import Claim
from workbench.claims.gdp import GDP
from workbench.claims.pair import PairClaim
from workbench.claims.parse import parse_claim
from workbench.pairs.gaussian import GaussianPair

#: Kinds of results that lose their guarantee.
THRESHOLD, BINS, SIZES = "threshold", "bins", "sizes"

#: Choices that pages mark, too, when they are changed without a plan.
CONFIDENCE, INTERVAL = "the confidence", "the confidence interval"

#: What deviates -> the kinds of results that a voiding deviation voids, and its sentence.
_ALL = (THRESHOLD, BINS, SIZES)
_FIXED = (THRESHOLD, BINS)
_FIXES = "{what} is {done}; {plan} fixed {planned}"
_FIX = "{what} are {done}; {plan} fixed {planned}"
_EFFECTS: dict[str, tuple[tuple[str, ...], str]] = {
    "the threshold": ((THRESHOLD,), _FIXES),
    "the bins": ((BINS,), _FIX),
    INTERVAL: ((THRESHOLD,), _FIXES),
    "δ": ((THRESHOLD,), _FIXES),
    CONFIDENCE: (_FIXED, _FIXES),
    "the direction of the score": (_FIXED, _FIXES),
    "the independence of rows": (_FIXED, _FIXES),
    "the cluster rule": (_FIXED, _FIXES),
    "the claim": ((), _FIXES),
    "the sample sizes": (_ALL, _FIX),
    "the stopping rule": (_ALL, "this is {done}; under {plan} {planned}"),
    "the opening of the data": (
        _FIXED,
        "the data were opened {done}; {plan} needs data that are opened {planned}",
    ),
    "the data": (_FIXED, "these are {done}; {plan} needs {planned}"),
    "the reading of the data": (_FIXED, "{done} was changed after results were seen"),
    "the use of the plan": (_FIXED, "{plan} was used first for {done}"),
    "the choice of the plan": (
        _FIXED,
        "these data could also be audited under {done}; {plan} needs {planned}",
    ),
}


@dataclass(frozen=True)
class AuditFacts:
    """What an audit did, as far as a plan may have fixed it.

    Parameters
    ----------
    larger_is_member, sampling, cluster_rule
        As of `workbench.Scores`.
    threshold : float or None
    bins : mapping or None
        Arguments of `workbench.histogram`.
    delta, confidence, interval
        As of `workbench.epsilon_lower_bound`.
    claim : str
        Text of `workbench.parse_claim`, or other words for a claim that it cannot name; "" for
        none.
    n_p, n_q : int
        Numbers of scores.
    opened : datetime or None
        When the data were opened for the first time; None where that is not known.
    known_as : str
        In words, why the data are those that were opened then, where these looked different; ""
        for the same content.
    public : str
        What the data are if anybody can see them at any time, such as "a bundled example"; "" for
        other data.
    reread : str
        The choice of how the data are read that was changed after results were shown and that no
        plan fixed; "" for none.
    used_before : str
        The data that the plan was used for first, in words, if these are others; "" otherwise.
    rivals : str
        Other plans that could have been taken for the data after looking at them; "" for none.
    """

    larger_is_member: bool
    sampling: str
    cluster_rule: str
    threshold: float | None
    bins: Mapping[str, Any] | None = field(hash=False)
    delta: float
    confidence: float
    interval: str
    claim: str
    n_p: int
    n_q: int
    opened: datetime | None
    known_as: str = ""
    public: str = ""
    reread: str = ""
    used_before: str = ""
    rivals: str = ""


def deviations(plan: RegisteredPlan, facts: AuditFacts) -> tuple[Deviation, ...]:
    """All ways in which an audit differs from its plan.

    Returns
    -------
    tuple of Deviation
        Empty where the audit follows the plan. What the plan leaves open is no deviation. See the
        docstring of the module for which of them void what.
    """
    found = [
        *_of_the_data(plan, facts),
        *_of_the_reading(plan, facts),
        *_of_the_sizes(plan, facts),
        *_of_the_bound(plan, facts),
    ]
    return tuple(found)


def voiding(found: Sequence[Deviation], result: str) -> Deviation | None:
    """The first deviation that voids a kind of results, or None.

    Parameters
    ----------
    found : sequence of Deviation
    result : {"threshold", "bins", "sizes"}
        See the docstring of the module.
    """
    # What an archive of another version calls by other names voids everything.
    return next(
        (one for one in found if one.voids and result in _EFFECTS.get(one.what, (_ALL, ""))[0]),
        None,
    )


def timely(found: Sequence[Deviation]) -> bool:
    """Whether a plan was made before the data were seen, and for these data."""
    late = ("the opening of the data", "the data", "the use of the plan", "the choice of the plan")
    return not any(one.what in late for one in found)


def deviation_text(deviation: Deviation, label: str) -> str:
    """A deviation as a clause, such as "the threshold is 0.41; plan 3fa9c1d2 fixed 0.3".

    Parameters
    ----------
    deviation : Deviation
    label : str
        See `RegisteredPlan.label`.
    """
    words = _EFFECTS.get(deviation.what, (_ALL, _FIXES))[1]
    return words.format(
        what=deviation.what, done=deviation.done, planned=deviation.planned, plan=label
    )


def _of_the_data(plan: RegisteredPlan, facts: AuditFacts) -> list[Deviation]:
    found = []
    if facts.public:
        found.append(
            Deviation("the data", "scores that nobody saw before it was stored", facts.public)
        )
    elif facts.opened is None or facts.opened <= plan.created:
        known = "at a time that is not known" if facts.opened is None else time_text(facts.opened)
        known += f" ({facts.known_as})" if facts.known_as else ""
        after = f"after it was stored, {time_text(plan.created)}"
        found.append(Deviation("the opening of the data", after, known))
    if facts.used_before:
        found.append(Deviation("the use of the plan", "one data set", facts.used_before))
    if facts.rivals:
        chosen = "to be chosen in the step that opens the data, or to be the only one"
        found.append(Deviation("the choice of the plan", chosen, facts.rivals))
    return found


def _of_the_reading(plan: RegisteredPlan, facts: AuditFacts) -> list[Deviation]:
    found = []
    if plan.larger_is_member != facts.larger_is_member:
        planned, done = map(direction_text, (plan.larger_is_member, facts.larger_is_member))
        found.append(Deviation("the direction of the score", planned, done))
    clustered = (plan.sampling == "clustered", facts.sampling == "clustered")
    if plan.sampling != facts.sampling and (plan.sampling != "unknown" or any(clustered)):
        planned, done = map(sampling_text, (plan.sampling, facts.sampling))
        found.append(Deviation("the independence of rows", planned, done, any(clustered)))
    if plan.cluster_rule != facts.cluster_rule:
        planned, done = plan.cluster_rule, facts.cluster_rule
        found.append(Deviation("the cluster rule", planned, done, any(clustered)))
    if facts.reread:
        found.append(
            Deviation("the reading of the data", "the same throughout the audit", facts.reread)
        )
    return found


def _of_the_sizes(plan: RegisteredPlan, facts: AuditFacts) -> list[Deviation]:
    found = []
    different = [
        planned is not None and planned != done
        for planned, done in ((plan.n_p, facts.n_p), (plan.n_q, facts.n_q))
    ]
    if any(different):
        planned, done = sizes_text(plan.n_p, plan.n_q), sizes_text(facts.n_p, facts.n_q)
        found.append(Deviation("the sample sizes", planned, done, plan.stopping == "fixed"))
    if plan.stopping != "fixed":
        planned, done = stopping_text(plan.stopping), "a bound for sample sizes that are fixed"
        found.append(Deviation("the stopping rule", planned, done))
    return found


def _of_the_bound(plan: RegisteredPlan, facts: AuditFacts) -> list[Deviation]:
    found = []
    if plan.threshold is not None and plan.threshold != facts.threshold:
        done = "none" if facts.threshold is None else number_text(facts.threshold)
        found.append(Deviation("the threshold", number_text(plan.threshold), done))
    if plan.bins is not None and plan.bins != _as_stored(facts.bins):
        done = "none" if facts.bins is None else bins_text(facts.bins)
        found.append(Deviation("the bins", bins_text(plan.bins), done))
    if plan.interval != facts.interval:
        planned, done = map(interval_label, (plan.interval, facts.interval))
        found.append(Deviation(INTERVAL, planned, done))
    if plan.delta != facts.delta:
        planned, done = number_text(plan.delta), number_text(facts.delta)
        found.append(Deviation("δ", planned, done, not _of_rates(facts.interval)))
    if plan.confidence != facts.confidence:
        planned, done = percent(plan.confidence), percent(facts.confidence)
        found.append(Deviation(CONFIDENCE, planned, done))
    if not _same_claim(plan.claim, facts.claim):
        found.append(
            Deviation("the claim", plan.claim or "none", facts.claim or "none", voids=False)
        )
    return found


def _of_rates(interval: str) -> bool:
    """Whether an interval consists of a limit for each rate."""
    return interval in INTERVALS and INTERVALS[interval].rate is not None


def _as_stored(bins: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Bins as a plan keeps them."""
    if bins is None:
        return None
    return {name: list(v) if isinstance(v, tuple) else v for name, v in bins.items()}


def _plain(claim: Claim) -> Claim:
    """The claim; as a μ where a Gaussian pair is claimed, whose trade-off function is the same."""
    if isinstance(claim, PairClaim) and isinstance(claim.pair, GaussianPair):
        return GDP(claim.pair.mu).with_fields(**claim.fields.given)
    return claim


def _same_claim(planned: str, done: str) -> bool:
    if planned == done or not (planned and done):
        return planned == done
    try:
        return _plain(parse_claim(planned)) == _plain(parse_claim(done))
    except ValueError:  # words for a claim that no text names
        return False
