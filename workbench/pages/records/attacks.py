"""`RecordAttacks`: several attacks on the records, where the scores are signals of the models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import percent, plain
from workbench.curves.validation import Floats
from workbench.figures.kit.layout import empty
from workbench.figures.records.overlap import overlap
from workbench.pages.core.jobs import job
from workbench.pages.core.page import Control, Section, derived, figure, sentence
from workbench.pages.core.part import Part
from workbench.pages.core.value_selector import ValueSelector
from workbench.progress import Report, part, silent
from workbench.scores.sample import ScoresError
from workbench.tables.attacks.combining import combined_limits
from workbench.tables.attacks.overlap import AttackOverlap, compare_attacks
from workbench.tables.attacks.signals import SignalTable
from workbench.tables.table import ScoreTable

#: The choice of scores that are no signals, or not known to be.
NO_SIGNALS = ""

#: What scores are, by what people read.
KINDS = {
    "scores of one attack": NO_SIGNALS,
    "log-odds": "log-odds",
    "probabilities": "probability",
    "losses": "loss",
}

#: What the chart says while nothing is computed.
SET, PRESS = "To compare attacks, set “Scores are”.", "Press “Compare attacks”."

#: The attacks, by the names that the page gives them.
SIGNAL, LIRA, RMIA = "signal itself", "LiRA", "RMIA"


@dataclass(frozen=True, eq=False)
class ComparedAttacks:
    """What the page shows of several attacks, without their tables.

    Attributes
    ----------
    of : str
        The table and the kind of its scores; see `RecordAttacks.signals_subject`.
    fpr : float
        False positive rate of each attack.
    models, records : int
        Models that are attacked, and records.
    numbers : mapping of str to int
        Records that each attack finds.
    jaccard : ndarray, shape (K, K)
    intersections : list of (tuple of str, int)
        As of `workbench.AttackOverlap`.
    together : Together or str
        Valid limits from all attacks, or why there are none.
    """

    of: str
    fpr: float
    models: int
    records: int
    numbers: Mapping[str, int]
    jaccard: Floats
    intersections: list[tuple[tuple[str, ...], int]]
    together: Together | str

    @classmethod
    def from_overlap(
        cls, of: str, overlap: AttackOverlap, together: Together | str
    ) -> ComparedAttacks:
        """What is kept of an overlap.

        Parameters
        ----------
        of, together
            See the class.
        overlap : AttackOverlap
        """
        table = overlap.tables[LIRA]
        return cls(
            of,
            overlap.fpr,
            table.n_models,
            table.n_records,
            dict(zip(overlap.names, overlap.numbers.tolist(), strict=True)),
            overlap.jaccard,
            overlap.intersections,
            together,
        )


@dataclass(frozen=True, eq=False)
class Together:
    """Lower limits on the ε of all records from all attacks, all of them valid together.

    Attributes
    ----------
    delta, confidence : float
    limits : ndarray, shape (R,)
    assumption : str
    """

    delta: float
    confidence: float
    limits: Floats
    assumption: str


def attacks_of(table: ScoreTable, kind: str, report: Report = silent) -> dict[str, ScoreTable]:
    """Scores of three attacks on the same models: the signal itself, LiRA and RMIA.

    Parameters
    ----------
    table : ScoreTable
        Its scores are the signals.
    kind : {"log-odds", "probability", "loss"}
    report : Report
        Takes the progress.

    Raises
    ------
    ScoresError
        Signals outside the range of their kind or in the other direction; too few models.
    """
    if table.larger_is_member is (kind == "loss"):
        said = "Losses are smaller" if kind == "loss" else "Log-odds and probabilities are larger"
        raise ScoresError(f"{said} for members: see “Direction of the score”")
    # Without names, models are their numbers, by which rows are chosen below.
    signals = SignalTable(
        table.scores,
        table.member,
        kind,
        records=table.records,
        present=table.present,
        sampling=table.sampling,
        seed=table.seed,
    )
    lira = signals.lira(progress=part(report, 0.0, 0.4))
    rmia = signals.rmia(progress=part(report, 0.4, 0.6))
    return {SIGNAL: signals.as_scores().of_models(lira.model_names), LIRA: lira, RMIA: rmia}


def together_of(
    attacks: Mapping[str, ScoreTable], delta: float, confidence: float, report: Report = silent
) -> Together | str:
    """Valid limits from all attacks, or why there are none.

    Parameters
    ----------
    attacks : mapping of str to ScoreTable
    delta, confidence : float
    report : Report
        Takes the progress.
    """
    if not any(table.auditable.any() for table in attacks.values()):
        return "none of the records can be audited on the attacked models alone"
    limits = combined_limits(attacks, delta, confidence, part(report, 0.6, 1.0))
    return Together(delta, confidence, limits.values, limits.assumption)


class RecordAttacks(Part):
    """Attacks on tables whose scores are outputs of the models, compared."""

    scores_are = ValueSelector(
        default=NO_SIGNALS,
        objects=KINDS,
        label="Scores are",
        doc="Scores that are outputs of the models can be attacked in several ways: log-odds of "
        "the true class, its probability, or minus the logarithm of that, the loss.",
    )
    fpr = param.Number(
        0.05,
        bounds=(0, 1),
        inclusive_bounds=(False, False),
        softbounds=(0.005, 0.2),
        step=0.005,
        label="False positive rate",
        doc="Share of scores of models without a record above the threshold of an attack.",
    )
    compared = param.Parameter(precedence=-1, doc="The ComparedAttacks of a large table.")

    attacks: ClassVar[Section] = Section(
        "Attacks",
        (
            Control("scores_are"),
            Control("fpr", when=lambda page: page.scores_are != NO_SIGNALS),
            Control(
                "compare_attacks",
                when=lambda page: page.per_record.is_large and page.scores_are != NO_SIGNALS,
            ),
        ),
    )

    def start(self, given: frozenset[str]) -> None:
        """Watch what the scores are."""
        self.page.param.watch(self._doubt_kind, "scores_are")

    def _doubt_kind(self, event: Any) -> None:
        """Mark the limits if one kind of signal was taken for another after looking."""
        chosen = NO_SIGNALS not in (event.old, event.new)
        if chosen and not self.page.quiet and not self.page.restores:
            self.page.validity.note_shown(scores_are=event.old)
            self.page.validity.recall(last=event.name)

    def choices(self) -> dict[str, Any]:
        """What the scores are, if they are signals."""
        return {"scores_are": None if self.scores_are == NO_SIGNALS else self.scores_are}

    def choice_words(self) -> Mapping[str, str]:
        """What messages call the kind of signals."""
        return {"scores_are": "what the scores are"}

    @property
    def signals_subject(self) -> str:
        """Names the table in view, how it is read, and what its scores are."""
        return f"{self.page.per_record.subject} {self.scores_are}"

    @job(
        "Compare attacks",
        needs=("table", "larger_is_member", "scores_are", "fpr", "log_delta", "confidence"),
        into="compared",
    )
    def compare_attacks(self, report: Report) -> ComparedAttacks:
        """Computes the scores of three attacks, and which records each of them finds."""
        attacks = attacks_of(self.page.table, self.scores_are, report)
        report(0.6, "which records are found")
        found = compare_attacks(attacks, self.fpr)
        together = together_of(attacks, self.page.delta.value, self.page.confidence, report)
        report(1.0, "finished")
        return ComparedAttacks.from_overlap(self.signals_subject, found, together)

    @derived(needs=("table", "larger_is_member", "scores_are"))
    def small_attacks(self) -> dict[str, ScoreTable] | str:
        """The attacks on a small table, or why there are none."""
        if self.scores_are == NO_SIGNALS:
            return SET
        if self.page.per_record.is_large:
            return PRESS
        try:
            return attacks_of(self.page.table, self.scores_are)
        except ScoresError as error:
            return f"No attacks: {error}."

    @derived(needs=("small_attacks", "log_delta", "confidence"))
    def small_together(self) -> Together | str:
        """The valid limits of the attacks on a small table, or why there are none."""
        attacks = self.small_attacks()
        if isinstance(attacks, str):
            return attacks
        return together_of(attacks, self.page.delta.value, self.page.confidence)

    @derived(
        needs=(
            "table",
            "larger_is_member",
            "scores_are",
            "small_attacks",
            "small_together",
            "compared",
            "fpr",
        )
    )
    def comparison(self) -> ComparedAttacks | str:
        """The attacks on the table in view, or why there are none."""
        attacks = self.small_attacks()
        if isinstance(attacks, str):
            kept: ComparedAttacks | None = self.compared
            ready = (
                self.page.per_record.is_large
                and kept is not None
                and kept.of == self.signals_subject
            )
            return kept if ready and kept is not None else attacks
        try:
            found = compare_attacks(attacks, self.fpr)
        except ScoresError as error:
            return f"No comparison: {error}."
        return ComparedAttacks.from_overlap(self.signals_subject, found, self.small_together())

    @figure(
        "Overlap of attacks",
        needs=("comparison", "loaded"),
        span=12,
        formula="An attack has one threshold for all records and models. It finds a record if it "
        "recognizes at least half of the models that were trained on it.",
        caution="The counts describe these models only and have no guarantee: an attack finds some "
        "records by chance. The text under the charts gives a number that is valid.",
    )
    def attack_overlap(self) -> dict[str, Any]:
        """Records that each attack finds at one false positive rate, and their overlap."""
        found = self.comparison()
        if isinstance(found, str):
            return empty(
                found if found in (SET, PRESS) else "No comparison of attacks is possible."
            )
        return overlap(found.numbers, found.intersections, found.fpr, found.records)

    @sentence(needs=("comparison", "epsilon", "looked", "loaded"))
    def attack_words(self) -> str:
        """How many records each attack finds, and their overlap, which is no guarantee."""
        found = self.comparison()
        if isinstance(found, str):
            return "" if found in (SET, PRESS) else found
        counts = ", ".join(f"{name} {count:,}" for name, count in found.numbers.items())
        pairs = [
            f"{a} with {b} {_share(found.jaccard[i, j])}"
            for (i, a), (j, b) in combinations(enumerate(found.numbers), 2)
        ]
        return (
            f"Found at a false positive rate of {percent(found.fpr)}, of {found.records:,} records "
            f"on the {found.models:,} models that serve as targets (the others are references): "
            f"{counts}. Overlap (Jaccard): {', '.join(pairs)}. This describes these models and has "
            "no guarantee."
        )

    @sentence(needs=("comparison", "epsilon", "looked", "loaded"))
    def together_words(self) -> str:
        """How many records exceed ε₀ by all attacks together, which is valid."""
        found = self.comparison()
        if isinstance(found, str):
            return ""
        t = found.together
        if isinstance(t, str):
            return f"No valid number of all attacks together: {t}."
        count = int((t.limits > self.page.epsilon).sum())
        many = "record exceeds" if count == 1 else "records exceed"
        return (
            f"By all attacks together, at least {count:,} {many} ε₀ = {plain(self.page.epsilon)} "
            f"at δ = {plain(t.delta)} ({percent(t.confidence)}, {t.assumption}): valid for all "
            "records and attacks at once, each attack with a third of the error probability. The "
            f"count above uses all models and one attack.{self.page.validity.sentence}"
        )


def _share(jaccard: float) -> str:
    return "none found" if np.isnan(jaccard) else f"{jaccard:.0%}"
