"""Validity of findings when searches are repeated: only the first one has its stated error."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workbench._format import percent
from workbench.bounds.bound import Bound
from workbench.claims.base import Claim
from workbench.testers.mechanism_audit import MechanismAudit
from workbench.testers.property_testers.base import Finding
from workbench.testers.replay import Replay


@dataclass(frozen=True)
class Rechecked:
    """A re-check: a replay, and the search whose strongest evidence it measured again."""

    audit: MechanismAudit
    replay: Replay


@dataclass(frozen=True)
class Looks:
    """Searches, or re-checks, whose results were seen, for each mechanism and quantity.

    The error probability of a search covers its trials, testers and directions, and watching it
    while it runs. It does not cover repeating the search with other seeds or settings until
    something is found: only the first search of a mechanism and a quantity is valid.

    Attributes
    ----------
    seen : mapping
        Mechanism and quantity -> what was seen, in order.
    """

    seen: Mapping[Hashable, tuple[Any, ...]] = field(default_factory=dict)

    def number(self, of: MechanismAudit | Rechecked) -> int:
        """Number of this search among those seen, from 1; 0 if it was not seen."""
        return next((k for k, one in enumerate(self._of(of), 1) if _same(one, of)), 0)

    def noted(self, of: MechanismAudit | Rechecked) -> Looks:
        """These and one more; a search that continues, or is repeated unchanged, counts once."""
        number, before = self.number(of), list(self._of(of))
        if number:
            before[number - 1] = of
        else:
            before.append(of)
        return Looks({**self.seen, _key(of): tuple(before)})

    def _of(self, of: MechanismAudit | Rechecked) -> tuple[Any, ...]:
        return self.seen.get(_key(of), ())


def certified(bound: Bound, number: int, what: str) -> Bound:
    """The bound, marked as not valid unless it is from the first search; see `Looks`.

    Parameters
    ----------
    bound : Bound
    number : int
        Which search it is.
    what : str
        "search" or "re-check", for the reason.
    """
    if number <= 1 or bound.void:
        return bound
    error = percent(1 - (bound.confidence or 0))
    return bound.voided(
        f"{what} no. {number} of this mechanism: the error probability of {error} covers one "
        f"{what}, not repeating it until something is found"
    )


def evidence_bound(finding: Finding, confidence: float) -> Bound:
    """Lower bound on the parameter of the claim, such as ε, implied by a finding.

    Parameters
    ----------
    finding : Finding
    confidence : float
        Of all findings of the search together.
    """
    bound = replace(finding.bound, confidence=confidence)
    if finding.parameter is None:
        return bound
    return finding.claim.parameter_bound(bound, finding.parameter)


def quantity(claim: Claim) -> str:
    """The quantity that evidence against a claim bounds, whatever its claimed value."""
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
