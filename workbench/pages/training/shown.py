"""What the page shows of each kind of result: `ShownResult` and its kinds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np

from workbench.bounds.anytime.anytime import AnytimePath, anytime_path
from workbench.bounds.bound import Bound
from workbench.bounds.simultaneous.band import TradeoffBand, tradeoff_band
from workbench.claims.pair import PairClaim
from workbench.curves.validation import Floats
from workbench.following.evidence import ClaimEvidence, ClaimLines, evidence_by_lines
from workbench.onerun.bound import one_run_bound
from workbench.onerun.run import OneRun
from workbench.pages.inputs.code import call
from workbench.pairs.base import Pair
from workbench.scores.sample import Scores
from workbench.tables.table import ScoreTable


class ShownResult(ABC):
    """What the page shows of the result of a training audit."""

    #: The page that shows it in full, and which rule its bound after the last model follows.
    page: ClassVar[str]
    rule: ClassVar[str]

    def __init__(self, result: Any):
        self.result = result

    @property
    @abstractmethod
    def groups(self) -> tuple[Floats, Floats]:
        """Scores of what was in the training data, and of what was not."""

    @property
    def anytime(self) -> bool:
        """Whether models are independent scores of one record, so that anytime bounds hold."""
        return False

    def path(self, delta: float, confidence: float) -> AnytimePath:
        """The anytime bound after each model; see `anytime`."""
        raise NotImplementedError

    def evidence(self, pair: Pair) -> ClaimEvidence:
        """E-values against the claim to leak at most as much as a pair; see `anytime`."""
        raise NotImplementedError

    def band(self, confidence: float) -> TradeoffBand | None:
        """The certified trade-off curve of all models; None where the result has none."""
        return None

    @abstractmethod
    def last(self, delta: float, confidence: float) -> Bound:
        """The lower bound on ε for a number of models that was fixed in advance."""

    @abstractmethod
    def last_code(self, asked: Mapping[str, Any]) -> str:
        """The line that computes `last` of ``result``; ``asked`` are its arguments."""


class ShownScores(ShownResult):
    """Two samples of scores."""

    page, rule = "scores", "The bound after the last model holds for all thresholds at once."
    result: Scores

    @property
    def groups(self) -> tuple[Floats, Floats]:
        """See `ShownResult`."""
        return self.result.p, self.result.q

    @property
    def anytime(self) -> bool:
        """See `ShownResult`."""
        return bool(self.result.sampling == "independent runs")

    def path(self, delta: float, confidence: float) -> AnytimePath:
        """See `ShownResult`."""
        return anytime_path(self.result, delta, confidence)

    def evidence(self, pair: Pair) -> ClaimEvidence:
        """See `ShownResult`."""
        return evidence_by_lines(self.result, PairClaim(pair), _lines(pair))

    def band(self, confidence: float) -> TradeoffBand:
        """See `ShownResult`."""
        return tradeoff_band(self.result, confidence)

    def last(self, delta: float, confidence: float) -> Bound:
        """See `ShownResult`."""
        return self.band(confidence).epsilon(delta)

    def last_code(self, asked: Mapping[str, Any]) -> str:
        """See `ShownResult`."""
        return f"fixed = {call('wb.epsilon_lower_bound', 'result', **asked)}"


class ShownOneRun(ShownResult):
    """Canaries of one run, each guessed by whether its score lies beyond the median of all."""

    page = "onerun"
    rule = (
        "Each canary is guessed by whether its score lies beyond the median of all scores, a rule "
        "that does not depend on which canaries were in."
    )
    result: OneRun

    @property
    def groups(self) -> tuple[Floats, Floats]:
        """See `ShownResult`."""
        return self.result.scores[self.result.included], self.result.scores[~self.result.included]

    @cached_property
    def median(self) -> float:
        """Median of all scores, which does not depend on who was in."""
        return float(np.median(self.result.scores))

    def last(self, delta: float, confidence: float) -> Bound:
        """See `ShownResult`."""
        guesses = self.result.guess(threshold=self.median)
        return one_run_bound(guesses, delta=delta, confidence=confidence)

    def last_code(self, asked: Mapping[str, Any]) -> str:
        """See `ShownResult`."""
        guesses = call("result.guess", threshold=self.median)
        return f"fixed = {call('wb.one_run_bound', guesses, **asked)}"


class ShownTable(ShownResult):
    """A table of models × records."""

    page = "records"
    rule = "The bound after the last model is for the worst record, corrected for its choice."
    result: ScoreTable

    @property
    def groups(self) -> tuple[Floats, Floats]:
        """See `ShownResult`."""
        table = self.result
        return table.scores[table.member], table.scores[~table.member]

    def last(self, delta: float, confidence: float) -> Bound:
        """See `ShownResult`."""
        return self.result.worst_record(delta, confidence)

    def last_code(self, asked: Mapping[str, Any]) -> str:
        """See `ShownResult`."""
        return f"fixed = {call('result.worst_record', **asked)}"


#: By type of the result.
SHOWN: dict[type, type[ShownResult]] = {
    Scores: ShownScores,
    OneRun: ShownOneRun,
    ScoreTable: ShownTable,
}


def shown(result: Scores | OneRun | ScoreTable) -> ShownResult:
    """What the page shows of a result."""
    return SHOWN[type(result)](result)


@lru_cache(maxsize=16)
def _lines(pair: Pair) -> ClaimLines:
    """The lines that a pair implies as a claim, which take a moment."""
    return ClaimLines.of(PairClaim(pair))
