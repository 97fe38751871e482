"""`ChosenReading`: how the files are read as it is chosen, and what comes of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from workbench.pages.core.page import derived
from workbench.pages.core.part import Part
from workbench.scores.layouts.apply import scores_from_tables
from workbench.scores.layouts.layout import Layout
from workbench.scores.layouts.repeats import Repeats, repeats_in
from workbench.scores.layouts.senses import why_open
from workbench.scores.sample import Scores
from workbench.tables.table import ScoreTable
from workbench.workspaces.reading import Reading

#: Parameters that name the columns of each layout.
LAYOUTS = {
    "two columns": ("p_column", "q_column"),
    "score and label": ("score_column", "member_column", "member_value"),
    "one file per group": ("p_column", "q_column"),
}

COLUMNS = ("p_column", "q_column", "score_column", "member_column", "member_value")

#: Parameters that say how the tables are read.
READING = (
    "labels_apart",
    "swapped",
    "table_kind",
    *COLUMNS,
    "rows",
    "cluster_column",
    "cluster_rule",
    "larger_is_member",
    "sampling",
    "nonfinite",
)

AWAITED = "Open one file with both groups, or two files: one per group, or scores and labels."

#: Asked where several columns may hold the scores.
SEVERAL = (
    "{} columns may hold the scores. Click one above or choose it under “Score”, before any result "
    "is shown: the best of several, chosen after looking, has no valid bound. No AUC is shown here "
    "for that reason."
)

#: Arguments of Python in refusals, and what the page says instead.
IN_WORDS = {
    "the file of the other side with path_q=": "both files at once",
    "another column with member=": "another column under “Label”",
    "with wb.read_score_table": "as a table of records",
    "state what you assume with sampling='independent runs' or sampling='one run'": "state what "
    "you assume under “Independence of rows”",
}


class ChosenReading(Part):
    """How the files are read as it is chosen, and what comes of it."""

    @property
    def clustered(self) -> bool:
        """Whether the scores are combined by clusters."""
        known = self.page.dataset is not None and self.page.dataset.reading.sampling == "clustered"
        return self.page.cluster_column is not None or known

    @property
    def has_nonfinite(self) -> bool:
        """Whether there are NaN or infinite scores to keep or drop."""
        return self.odd > 0

    @property
    def odd(self) -> int:
        """Number of NaN and infinite scores of both groups together."""
        found = self.read()
        if not isinstance(found, Scores):
            return 0
        return found.nonfinite_p.total + found.nonfinite_q.total

    @derived(needs=("tables", "swapped", *COLUMNS))
    def repeats(self) -> Repeats | None:
        """What shows that rows repeat, whichever of them are chosen."""
        if not self.page.tables or self.page.opened_files.from_python or self._open_choices:
            return None
        layout = self.chosen.layout
        if layout is None:
            return None
        with suppress(ValueError):
            return repeats_in(self.page.opened_files.in_order, replace(layout, rows=None))
        return None

    @property
    def chosen(self) -> Reading:
        """The reading as it is chosen; see `missing` for what is not chosen yet."""
        if self.page.opened_files.from_python:
            reading: Reading = self.page.dataset.reading
        else:
            named = {name: getattr(self.page, name) for name in LAYOUTS[self.page.choosing.kind]}
            fields = {name.removesuffix("_column"): value for name, value in named.items()}
            layout = Layout(
                self.page.choosing.kind,
                cluster=self.page.cluster_column,
                rows=self.page.rows,
                **fields,
            )
            reading = Reading(layout, cluster_rule=self.page.cluster_rule)
        sampling = reading.sampling if self.clustered else self.page.sampling
        return replace(
            reading,
            larger_is_member=self.page.larger_is_member is not False,
            sampling=sampling,
            nonfinite=self.page.nonfinite,
        )

    @derived(needs=("tables", "score_table", *READING))
    def missing(self) -> str:
        """What has to be chosen next; empty once everything is."""
        if self.page.score_table is not None:
            label = self.page.param.larger_is_member.label
            return f"Choose “{label}”." if self.page.larger_is_member is None else ""
        if not self.page.tables:
            return AWAITED
        if self.page.opened_files.from_python:
            return ""
        open_choices = self._open_choices
        if set(LAYOUTS[self.page.choosing.kind]) - {"member_value"} <= set(open_choices):
            if (
                len(self.page.param.score_column.objects) == 2
                and self.page.choosing.kind == "two columns"
            ):
                return (
                    "This file has one column of numbers and nothing that says which are the "
                    "scores of members. Open it together with the file of the other group."
                )
            return "Which columns hold the scores of members and of non-members? Choose them."
        if "score_column" in open_choices and self.page.opened_files.candidates:
            return SEVERAL.format(len(self.page.opened_files.candidates))
        labels = list(self.page.choosing.labels_by_column.get(self.page.member_column or "", ()))
        if open_choices == ["member_value"] and len(labels) == 2:
            why = why_open(labels, self.page.member_column)
            return (
                f"“{self.page.member_column}” holds {' and '.join(f'“{x}”' for x in labels)}, "
                f"{why}: choose “{self.page.param.member_value.label}”."
            )
        if open_choices:
            return f"Now choose “{self.page.param[open_choices[0]].label}”."
        if self._rows_repeat:
            return self._ask_rows
        if self.page.larger_is_member is None:
            label = self.page.param.larger_is_member.label
            return f"Choose “{label}”: {self.page.choosing.proposed.reason} may mean either."
        return ""

    @property
    def _rows_repeat(self) -> bool:
        """Whether rows repeat, and nobody has chosen what to do about it."""
        found = self.repeats()
        if found is None or self.page.cluster_column is not None or self.page.sampling != "unknown":
            return False
        return self.page.rows is None or found.key is None

    @property
    def _ask_rows(self) -> str:
        """The question about rows that repeat."""
        found = self.repeats()
        if found is None:
            return ""
        offers = []
        if found.key is not None:
            offers.append(f"choose the “{found.key}” under “{self.page.param.rows.label}”")
        if found.cluster is not None:
            label = self.page.param.cluster_column.label
            offers.append(f"choose “{found.cluster}” as “{label}”")
        offers.append(f"state what you assume under “{self.page.param.sampling.label}”")
        return (
            f"{found.why}. Rows that belong together are not independent: {', or '.join(offers)}."
        )

    @property
    def _open_choices(self) -> list[str]:
        """The columns and labels that are not chosen; nobody can choose among no labels."""
        choosable: Any = {
            name: self.page.param[name].objects for name in LAYOUTS[self.page.choosing.kind]
        }
        return [
            name
            for name, offered in choosable.items()
            if getattr(self.page, name) is None and (name != "member_value" or len(offered) > 1)
        ]

    @derived(needs=("tables", "dataset", *READING))
    def read(self) -> Scores | str | None:
        """The scores as they are read, why they cannot be, or None while something is missing."""
        if not self.page.tables or (
            not self.page.opened_files.from_python and (self._open_choices or self._rows_repeat)
        ):
            return None
        try:
            if self.page.dataset is not None:
                found: Scores = self.page.dataset.source.read(self.page.tables, self.chosen)
                return found
            reading = self.chosen
            return scores_from_tables(
                self.page.opened_files.in_order, reading.layout, **reading.arguments
            )[0]
        except ValueError as error:
            text = str(error)
            for python, words in IN_WORDS.items():
                text = text.replace(python, words)
            return text

    @derived(needs=("score_table", "larger_is_member", "sampling"))
    def table_read(self) -> ScoreTable | str | None:
        """The score table as it is read, why it cannot be, or None where there is none."""
        if self.page.score_table is None:
            return None
        try:
            return replace(
                self.page.score_table,
                larger_is_member=self.page.larger_is_member is not False,
                sampling=self.page.sampling,
            )
        except ValueError as error:
            return str(error)
