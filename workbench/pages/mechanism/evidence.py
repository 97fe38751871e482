"""What a search's findings may claim on a page where a person can search again and again."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workbench._format import percent
from workbench.bounds.bound import Bound
from workbench.claims.base import Claim
from workbench.testers.evidence import MechanismAudit, Replay
from workbench.testers.property_testers.base import Finding


@dataclass(frozen=True)
class Rechecked:
    """A replay, and the search whose evidence it measured again."""

    audit: MechanismAudit
    replay: Replay


@dataclass(frozen=True)
class Looks:
    """Searches, or re-checks, that a person has seen of each mechanism and quantity.

    The error of a search covers its trials, testers and directions, and looking at it while it
    runs. It does not cover searching again, with another seed or other settings, until something
    shows: only the first search on a mechanism and a quantity keeps its level, whatever it shows.

    Attributes
    ----------
    seen : mapping
        Mechanism and quantity -> what was seen, in order.
    """

    seen: Mapping[Hashable, tuple[Any, ...]] = field(default_factory=dict)

    def number(self, of: MechanismAudit | Rechecked) -> int:
        """Which look it is, from 1 on; 0 for one that nobody has seen."""
        return next((k for k, one in enumerate(self._of(of), 1) if _same(one, of)), 0)

    def noted(self, of: MechanismAudit | Rechecked) -> Looks:
        """With this one; a search that goes on, or is made once more, stays the same search."""
        number, before = self.number(of), list(self._of(of))
        if number:
            before[number - 1] = of
        else:
            before.append(of)
        return Looks({**self.seen, _key(of): tuple(before)})

    def _of(self, of: MechanismAudit | Rechecked) -> tuple[Any, ...]:
        return self.seen.get(_key(of), ())


def certified(bound: Bound, number: int, what: str) -> Bound:
    """The bound, void unless this was the first look; see `Looks`."""
    if number <= 1 or bound.void:
        return bound
    error = percent(1 - (bound.confidence or 0))
    return bound.voided(
        f"{what} no. {number} on this mechanism: {error} covers one, not going on until something "
        "shows"
    )


def evidence_bound(finding: Finding, confidence: float) -> Bound:
    """The finding on the claim's own parameter, at the confidence of all findings together."""
    bound = replace(finding.bound, confidence=confidence)
    if finding.parameter is None:
        return bound
    return finding.claim.parameter_bound(bound, finding.parameter)


def quantity(claim: Claim) -> str:
    """What evidence against a claim bounds, whatever the claimed value is."""
    return claim.symbol or str(claim)


def _key(of: MechanismAudit | Rechecked) -> Hashable:
    audit = of.audit if isinstance(of, Rechecked) else of
    return audit.name, quantity(audit.claim)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Rechecked):
        return _replayed(a.replay) == _replayed(b.replay)
    ours, theirs = ({t.index: t.digest for t in one.trials} for one in (a, b))
    return _settings(a) == _settings(b) and all(
        ours[index] == theirs[index] for index in ours.keys() & theirs.keys()
    )


def _replayed(replay: Replay) -> Hashable:
    bound = replay.finding.bound
    return replay.seed, replay.samples, replay.evidence.tester, bound.value, bound.confidence


def _settings(audit: MechanismAudit) -> Hashable:
    return (
        *(str(audit.claim), audit.testers, audit.planned, audit.samples),
        *(audit.confidence, audit.seed, audit.neighboring_relation, audit.finder, audit.anytime),
    )
