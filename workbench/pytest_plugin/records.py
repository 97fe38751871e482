"""`Record`: an audit of a test run as it is reported, and the `budget_in_words` of several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Self

from workbench import _checks, _json
from workbench._format import percent


@dataclass(frozen=True)
class Record:
    """An audit of a test run.

    Attributes
    ----------
    test : str
        The test, as pytest names it.
    subject : str
        What was audited: the name of a mechanism or of scores.
    claim, verdict : str
    passed : bool
        Whether the assertion held.
    confidence : float
        Of this audit.
    seed : int, optional
        None for scores, which are given.
    summary : str
        The evidence in half a sentence.
    explanation : str
        In full.
    """

    test: str
    subject: str
    claim: str
    verdict: str
    passed: bool
    confidence: float
    seed: int | None
    summary: str
    explanation: str

    def __post_init__(self) -> None:
        _checks.fields(self)

    def to_json(self) -> str:
        """The record as a line of text."""
        return _json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The record of a line of text."""
        return cls(**_json.loads(text))

    @property
    def level(self) -> str:
        """The confidence, and the seed if there is one."""
        of = percent(self.confidence)
        return of if self.seed is None else f"{of}, seed {self.seed}"


def budget_in_words(records: Sequence[Record]) -> str:
    """By which probability a test run with these audits refutes a true claim, at most.

    By the union bound, so for any dependence between the audits.
    """
    spent = math.fsum(1 - one.confidence for one in records)
    many = f"{len(records)} privacy audit{'s' if len(records) > 1 else ''}"
    if spent >= 1:
        return (
            f"{many}: their error probabilities add up to {spent:.3g}, so that a refuted claim "
            "says nothing any more; give a higher confidence"
        )
    return (
        f"{many}: if all claims are true, the probability that any of them is refuted is at most "
        f"{percent(spent)}"
    )
