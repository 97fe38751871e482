"""`RecordView`: groups of records, the ranking in view, and the record in view."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import param
from numpy.typing import NDArray

from workbench._format import round_safely
from workbench.figures.kit.layout import empty
from workbench.figures.records.distribution import distribution, reach_of
from workbench.figures.records.groups import RecordGroup, groups
from workbench.figures.records.ranking import Row, ranking
from workbench.figures.records.record import record
from workbench.pages.core.page import Control, Section, derived, figure, sentence
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import IntegerField
from workbench.pages.records.attributes import ALL, AttributeChoice, GroupChoice, groupings, texts
from workbench.scores.sample import Scores, ScoresError
from workbench.tables.table import ScoreTable

#: Rows of the ranking that are shown at a time, and of the chart of groups.
ROWS, MOST_ROWS = 30, 15

#: Characters of a record's text.
LONGEST_TEXT = 600


class RecordView(Part):
    """Groups of records, the ranking in view, and the record in view."""

    by = AttributeChoice(
        default=ALL,
        objects=[ALL],
        label="Group by",
        doc="An attribute of the records. The limits of all records hold together, so that groups "
        "may be chosen after looking.",
    )
    group = GroupChoice(default=ALL, objects=[ALL], label="Records in view")
    rank = IntegerField(
        1,
        (1, 10**9),
        label="Rank of the record in view",
        doc="1 is the record with the largest lower limit. A click in the ranking sets it.",
    )

    records: ClassVar[Section] = Section(
        "Records",
        (
            Control("by", when=lambda page: bool(page.groupings())),
            Control("group", when=lambda page: page.by != ALL),
            Control("rank"),
            Control("open_on_scores", when=lambda page: page.selected() is not None),
        ),
    )
    open_on_scores = param.Event(
        label="Open on Scores",
        doc="Adds the scores of this record as a data set, and shows them on the page Scores. The "
        "record was chosen by its rank: its bounds there are marked as not valid.",
    )

    def start(self, given: frozenset[str]) -> None:
        """Watch the choice of groups."""
        self.page.param.watch(self._regroup, "by")
        self.page.param.watch(self._restart_ranks, ["group", "rank"])

    def _regroup(self, *events: Any) -> None:
        if not self.page.quiet:
            self.page.param.update(group=ALL, rank=1)

    def _restart_ranks(self, *events: Any) -> None:
        if not self.page.quiet and {event.name for event in events} == {"group"}:
            self.rank = 1

    # -- what is in view ---------------------------------------------------------------------------

    @derived(needs=("table",))
    def groupings(self) -> dict[str, list[str]]:
        """The attributes that group records, and their groups."""
        return groupings(self.page.table)

    @derived(needs=("table", "by"))
    def labels(self) -> NDArray[Any] | None:
        """The group of each record, or None."""
        return texts(self.page.table.attributes[self.by]) if self.by != ALL else None

    @derived(needs=("ranking", "labels", "group"))
    def in_view(self) -> NDArray[np.intp]:
        """Columns of the records in view, from the largest limit down; empty before the ranking."""
        found, labels = self.page.ranking(), self.labels()
        if isinstance(found, str):
            return np.zeros(0, dtype=np.intp)
        if labels is None or self.group == ALL:
            return found.order
        return found.order[labels[found.order] == self.group]

    @derived(needs=("in_view", "rank"))
    def selected(self) -> int | None:
        """Column of the record in view; None where there is none of this rank."""
        order = self.in_view()
        return int(order[self.rank - 1]) if self.rank <= order.size else None

    @derived(needs=("table", "selected", "ranking", "in_view"))
    def record_scores(self) -> Scores | str:
        """The scores of the record in view, or why there are none."""
        column, found = self.selected(), self.page.ranking()
        if column is None:
            few = f"Only {self.in_view().size:,} records are in view: choose a lower rank."
            return found if isinstance(found, str) else few
        try:
            return self.page.table.record(self.page.table.record_names[column])
        except ScoresError as error:
            return str(error)

    def name_of(self, column: int) -> str:
        """What a record is called: its name, or its number."""
        name = self.page.table.record_names[column]
        return f"record {name}" if isinstance(name, int | np.integer) else str(name)

    # -- charts ------------------------------------------------------------------------------------

    @figure(
        "How many records leak",
        needs=("in_view", "epsilon", "loaded"),
        span=6,
        formula="Solid: the number of records whose lower limit exceeds ε. The limits share the "
        "error probability 1 − confidence (Bonferroni), so the curve holds at every ε at once.",
        caution="An estimate may lie above or below the true ε of its record. The dashed curve is "
        "no evidence: it lies far above the solid curve even if no record leaks.",
        drag={"epsilon": "epsilon"},
    )
    def leaking(self) -> dict[str, Any]:
        """Number of records whose ε exceeds each value: lower limit and estimate. Drag ε₀."""
        found, order = self.page.ranking(), self.in_view()
        if isinstance(found, str):
            return empty(found)
        return distribution(
            found.limits[order], found.estimates[order], self.page.epsilon, self._records_in_view()
        )

    def _records_in_view(self) -> int:
        labels = self.labels()
        if labels is None or self.group == ALL:
            return int(self.page.table.n_records)
        return int((labels == self.group).sum())

    @figure(
        "The record in view",
        needs=("record_scores", "selected", "ranking", "loaded"),
        span=6,
        caution="The record was selected by its rank. Looked at alone, its scores tend to "
        "overstate its leak.",
    )
    def scores_of_record(self) -> dict[str, Any]:
        """Scores of one record under the models that were trained on it, and under the others."""
        scores, column = self.record_scores(), self.selected()
        if isinstance(scores, str) or column is None:
            return empty(str(scores))
        images = self.page.table.attributes.get("image")
        shown = images is not None and np.ndim(images) in (3, 4)
        return record(scores, self.name_of(column), images[column] if shown else None)

    @figure(
        "Ranking",
        needs=("in_view", "rank", "by", "epsilon", "loaded"),
        span=6,
        formula="Dot: lower limit of the record. Circle: estimate, ε of the Gaussian pair with the "
        "same area under the ROC curve.",
        caution="All lower limits hold together; no record needs a correction for having been "
        "chosen by its rank.",
        click="select",
    )
    def ranks(self) -> dict[str, Any]:
        """The records with the largest limits. Click one to see its scores."""
        found, order = self.page.ranking(), self.in_view()
        if isinstance(found, str):
            return empty(found)
        start = self._first_row()
        labels = self.labels()
        rows = [
            Row(
                start + k + 1,
                self.name_of(c) + ("" if labels is None else f" · {labels[c]}"),
                float(found.limits[c]),
                float(found.estimates[c]),
            )
            for k, c in enumerate(order[start : start + ROWS].tolist())
        ]
        reach = reach_of(found.limits, found.estimates[found.order], self.page.epsilon)
        return ranking(rows, self.rank, reach)

    def _first_row(self) -> int:
        """The first row of the ranking in view, from 0."""
        return (self.rank - 1) // ROWS * ROWS if self.rank <= self.in_view().size else 0

    def select(self, x: float, y: float) -> None:
        """Take the record of a row of the ranking into view.

        Parameters
        ----------
        x, y : float
            Where the chart was clicked.
        """
        rank = self._first_row() + max(round(y), 0) + 1
        if rank <= self.in_view().size:
            self.rank = rank

    @figure(
        "Groups",
        needs=("ranking", "labels", "epsilon", "loaded"),
        span=6,
        formula="For each group the largest lower limit of its records, and how many exceed ε₀.",
        caution="All groups share one error budget: all limits hold simultaneously.",
    )
    def by_group(self) -> dict[str, Any]:
        """Largest lower limit on ε, and number of records above ε₀, in each group of records."""
        found, labels = self.page.ranking(), self.labels()
        if isinstance(found, str):
            return empty(found)
        if labels is None:
            offered = " or ".join(f"“{name}”" for name in list(self.groupings())[:3])
            return empty(f"Group the records by {offered}." if offered else NO_ATTRIBUTES)
        names, which = np.unique(labels, return_inverse=True)
        sizes = np.bincount(which)
        above = np.bincount(which, found.limits > self.page.epsilon).astype(int)
        largest = np.zeros(names.size)
        np.maximum.at(largest, which, found.limits)
        order = np.lexsort((-sizes, -above, -largest))
        shown = [
            RecordGroup(str(names[k]), int(sizes[k]), int(above[k]), float(largest[k]))
            for k in order[:MOST_ROWS].tolist()
        ]
        return groups(shown, self.page.epsilon, self.by, names.size - len(shown))

    # -- in words ----------------------------------------------------------------------------------

    @sentence(needs=("selected", "ranking", "by", "looked", "loaded"))
    def record_words(self) -> str:
        """The record in view, with its limit and what is known of it."""
        column, found = self.selected(), self.page.ranking()
        if column is None or isinstance(found, str):
            return ""
        t: ScoreTable = self.page.table
        known = [
            f"{name}: {values[column]}"
            for name, values in t.attributes.items()
            if np.ndim(values) == 1 and name not in ("text", "image")
        ]
        more = f" ({', '.join(known[:6])})" if known else ""
        text = t.attributes.get("text")
        said = "" if text is None else f" Text: “{_cut(str(text[column]))}”"
        return (
            f"Rank {self.rank:,}: {self.name_of(column)}{more}, in {t.n_in[column]} of "
            f"{t.n_in[column] + t.n_out[column]} models. ε ≥ "
            f"{round_safely(float(found.limits[column]), 'down')}, valid together with the limits "
            f"of all records; estimate "
            f"{round_safely(float(found.estimates[column]), 'nearest')}."
            f"{self.page.validity.sentence}{said}"
        )


NO_ATTRIBUTES = "The table has no attributes, such as a class, by which records could be grouped."


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"
