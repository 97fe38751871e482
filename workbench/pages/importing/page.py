"""`ImportPage`: how files are read, shown and chosen before any number is drawn from them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.audits.plan import time_text
from workbench.estimators.bin_rules import RANGE_TAIL, around
from workbench.figures import importing as charts
from workbench.figures.kit.layout import empty
from workbench.pages.core.page import Page, figure, sentence
from workbench.pages.importing.acceptance import Acceptance
from workbench.pages.importing.choices import ImportChoices
from workbench.pages.importing.chosen_reading import ChosenReading
from workbench.pages.importing.opened_files import OpenedFiles
from workbench.pages.importing.preview import MOST_COLUMNS, ColumnPreview, table_words
from workbench.pages.inputs.claims.stated import StatedClaim
from workbench.pages.inputs.code import call, reading_code, script
from workbench.pages.inputs.data import same_numbers
from workbench.pages.inputs.plan_choice import KnownPlans, short_name
from workbench.scores.layouts.joined import LABELS_FROM
from workbench.scores.layouts.labels import shared_columns
from workbench.scores.layouts.senses import members_first
from workbench.scores.sample import NOBODY_DREW, Scores, ScoresError
from workbench.tables.table import ScoreTable
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.workspace import Workspace

#: Cells of a score table that the chart shows, about.
MOST_CELLS = 10**6

#: What scores are whose members nobody drew.
GIVEN = f"{NOBODY_DREW[0].upper()}{NOBODY_DREW[1:]}: every number is an estimate of it."

#: Bins of the chart of all scores.
BINS = 50


class ImportPage(Page):
    """State and sentences of the import step.

    Nothing that it shows depends on both the scores and the groups. ``accept`` adds the data set
    to the workspace and sets ``accepted`` to its key. A data set that is there already is read in
    another way instead; see `Workspace.kept.reread`.

    Parameters
    ----------
    workspace : Workspace, optional
        Where data sets are added.
    dataset : str
        Key of a data set whose reading is shown and changed; "" for new files.
    **params
        Values of the controls.
    """

    title = "Open scores"
    about = "Nothing is computed from these files before you press “Show the audit”."

    controls = ImportChoices.controls

    plans = KnownPlans()
    opened_files = OpenedFiles()
    as_read = ChosenReading()
    choosing = ImportChoices()
    promised = StatedClaim()
    accepting = Acceptance()

    def __init__(self, workspace: Workspace | None = None, dataset: str = "", **params: Any):
        self.reads_again = dataset
        super().__init__(None, workspace, **params)

    # -- in plain words --------------------------------------------------------------------------

    @sentence(needs=("missing",))
    def question(self) -> str:
        """What has to be chosen next."""
        return self.missing()

    @sentence(needs=("tables", "swapped", "score_column"))
    def tool(self) -> str:
        """The public tool that wrote the files, by what it is recognized, and what to know."""
        known = self.opened_files.recognized
        return "" if known is None else known.describe(self.score_column)

    @sentence(needs=("tables",))
    def labels(self) -> str:
        """Where the labels come from, where they have a file of their own."""
        notes = [n for table in self.tables for n in table.notes if n.startswith(LABELS_FROM)]
        return " ".join(f"{note[0].upper()}{note[1:]}." for note in notes)

    @sentence(needs=("read", "tables", "swapped"))
    def groups(self) -> str:
        """Where the scores of both groups are, and how many there are."""
        found = self.read()
        if not isinstance(found, Scores):
            return ""
        combined = ""
        if self.as_read.clustered:
            combined = f" By clusters these are {found.n_p:,} and {found.n_q:,} scores."
        p, q = f"{found.rows_p:,} scores of members", f"{found.rows_q:,} of non-members"
        layout = self.as_read.chosen.layout
        if self.opened_files.from_python or layout is None:
            return f"{p} and {q}.{combined}"
        if len(self.tables) == 1:
            return f"{p} and {q}: {layout.describe()}.{combined}"
        first, second = self.opened_files.files[::-1] if self.swapped else self.opened_files.files
        return (
            f"{p}, column “{layout.p}” of “{first}”, and {q}, column “{layout.q}” of “{second}”"
            f"{self._why_this_order}.{combined}"
        )

    @property
    def _why_this_order(self) -> str:
        """What the order of two files comes from."""
        if self.dataset is not None:
            return ""
        proposed = members_first(*self.opened_files.files)
        if proposed is None:
            return " (the names do not say which file has the members)"
        return " (the names suggest otherwise)" if proposed is self.swapped else " (by their names)"

    @sentence(needs=("read", "digest", "larger_is_member", "accepted"))
    def direction(self) -> str:
        """Which scores suggest membership, and what that was proposed from."""
        if not isinstance(self.read(), Scores) or self.larger_is_member is None:
            return ""
        size = "Larger" if self.larger_is_member else "Smaller"
        said = f"{size} scores suggest membership"
        proposed = self.choosing.proposed
        if (
            self.opened_files.known is not None
            or self.larger_is_member is not proposed.larger_is_member
        ):
            return f"{said}."
        if not proposed.reason:
            return f"{said}: this is the default, and no name suggests otherwise."
        return f"{said}: proposed from {proposed.reason}, and from nothing else."

    @sentence(needs=("read", "sampling", "cluster_column"))
    def independence(self) -> str:
        """What is assumed of the rows, and columns that may name clusters."""
        found = self.read()
        if not isinstance(found, Scores):
            return ""
        if found.sampling == "given":
            return f"{GIVEN} No bound on ε follows, and no claim is judged."
        said = f"Bounds will state the assumption “{found.assumption}”."
        if self.as_read.clustered or self.opened_files.from_python:
            return said
        for name, different in shared_columns(self.tables[0]):
            if name not in (self.score_column, self.member_column):
                return (
                    f"{said} Column “{name}” has {different:,} different values: if rows that "
                    "share one are not independent, choose it as the cluster column."
                )
        return said

    @sentence(needs=("read",))
    def odd_scores(self) -> str:
        """How many scores are not finite, and what becomes of them."""
        if not self.as_read.odd:
            return ""
        fate = "left out" if self.nonfinite == "drop" else "kept as outcomes of their own"
        return f"NaN and infinite scores: {self.as_read.odd:,}. They are {fate}."

    @sentence(needs=("read",))
    def constant(self) -> str:
        """That all scores are equal, which is rarely meant."""
        found = self.read()
        return str(found.samples.constant) if isinstance(found, Scores) else ""

    @sentence(needs=("read", "digest", "accepted"))
    def consequence(self) -> str:
        """What another reading of data that were seen before does to their bounds."""
        known, found = self.opened_files.known, self.read()
        if known is None or not isinstance(found, Scores):
            return ""
        here = "" if self.dataset is not None else f"These are the data of “{known.name}”. "
        choice = self._choice(known, found)
        if not choice:
            return f"{here}This reading changes no number."
        return (
            f"{here}Their results were shown: the bounds on every page will be marked as not "
            f"valid, because {choice} was changed after results were seen."
        )

    @sentence(needs=("plan", "read", "digest", "larger_is_member", "sampling", "cluster_rule"))
    def planned(self) -> str:
        """What the plan fixes, and what of that the reading or the data do not keep."""
        plan, found = self.plans.find(self.plan), self.read()
        if plan is None or not isinstance(found, Scores):
            return ""
        name = f"Plan “{short_name(plan)}” ({plan.label})"
        kept = {"direction", "independence of rows", "clusters", "threshold", "bins"}
        fixed = "; ".join(f"{what}: {said}" for what, said in plan.choices.items() if what in kept)
        said = f"{name} fixes {fixed}."
        opening = self.workspace.openings.find(self.digest(), found)
        if opening is not None and opening.at <= plan.created:
            how = f" ({opening.how})" if opening.how else ""
            said += (
                f" These data were opened {time_text(opening.at)}{how}, before the plan was "
                "stored: what it fixes is not fixed in advance for them."
            )
        if plan.larger_is_member != found.larger_is_member:
            said += " The direction chosen here differs from that of the plan."
        return said

    @sentence(needs=("tables", "upload"), place="foot")
    def columns(self) -> str:
        """The columns of the files, with their first values."""
        pairs = zip(self.tables, self.opened_files.files if self.tables else (), strict=True)
        words = [table_words(table, file) for table, file in pairs]
        notes = [
            f"{note[0].upper()}{note[1:]}."
            for table in self.tables
            for note in table.notes
            if not note.startswith(LABELS_FROM)
        ]
        return " ".join([*words, *notes])

    @figure(
        "Scores of both groups together",
        needs=("read", "table_read", "tables", "score_column", "member_column"),
        span=12,
        caution="The histogram pools members and non-members, and no AUC is shown. If the column "
        "were chosen by its AUC, no bound on its scores would be valid.",
        click="choose_column",
    )
    def all_scores(self) -> dict[str, Any]:
        """Histogram of the scores from their 0.1% to their 99.9% quantile.

        Where several columns may hold the scores, each is shown; click one to choose it.
        """
        found = self.read() if self.score_table is None else self._scores_of_table()
        if self.opened_files.candidates and self.score_column is None:
            return charts.columns([ColumnPreview.of(self.tables[0], c) for c in self._shown])
        if not isinstance(found, Scores):
            return empty(self.missing() or "The scores cannot be read.")
        low, high = map(float, found.quantile([RANGE_TAIL, 1 - RANGE_TAIL]))
        if low == high:
            low, high = around(low)
        if not math.isfinite(high - low):
            return empty("No float holds the range of these scores.")
        distinct = found.samples.distinct
        values = found.samples.in_score_units(distinct.values)
        inside = (values >= low) & (values <= high)
        several = (distinct.p + distinct.q)[inside]
        counts, edges = np.histogram(values[inside], BINS, (low, high), weights=several)
        return charts.all_scores(edges, counts.astype(float))

    @property
    def _shown(self) -> list[str]:
        """The columns with a preview."""
        return self.opened_files.candidates[:MOST_COLUMNS]

    def choose_column(self, x: float, y: float) -> None:
        """Choose the column of scores whose preview was clicked.

        Parameters
        ----------
        x, y : float
            The place in the chart; y is the number of the row.
        """
        if self.opened_files.candidates and self.score_column is None:
            row = min(max(int(y), 0), len(self._shown) - 1)
            self.param.update(score_column=self._shown[row])

    def _choice(self, known: DataSet, found: Scores) -> str:
        """The choice that changes numbers from what was declared before results were shown."""
        declared = known.declared or known.reading
        choice = declared.changed_choice(self.as_read.chosen)
        before = known.source.read(self.opened_files.in_order, declared) if choice else found
        same = isinstance(before, Scores) and same_numbers(before, found)
        return "" if same else choice

    def _scores_of_table(self) -> Scores | None:
        """Scores of some records of the score table, of all models together."""
        table = self.table_read()
        if not isinstance(table, ScoreTable):
            return None
        step = max(1, table.member.size // MOST_CELLS)
        try:
            return table.of_records(np.arange(0, table.n_records, step)).pooled_scores()
        except ScoresError:
            return None

    @sentence(needs=("table_read",))
    def score_table_words(self) -> str:
        """What the score table is, how it was found, and what was not used."""
        table = self.table_read()
        if not isinstance(table, ScoreTable):
            return ""
        left_out = int((~table.auditable).sum())
        cannot = f" {left_out:,} records cannot be audited." if left_out else ""
        notes = " ".join(f"{note[0].upper()}{note[1:]}." for note in table.notes)
        return (
            f"A score table of {table.n_models:,} models and {table.n_records:,} records: it is "
            f"shown on the page Records. Memberships: {table.design.name}.{cannot} {notes}"
        )

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines that read the files in this way; see `wb.read_scores`.

        Parameters
        ----------
        spec : dict
            Not used.
        """
        if not isinstance(self.read(), Scores) or self.missing() or self.opened_files.from_python:
            return script("view = wb.explore('import')")
        read = reading_code(self.opened_files.all_files, self.as_read.chosen)
        claim = {"claim": self.promised.text} if self.promised.text else {}
        return script(f"scores = {read}", f"view = {call('wb.explore', 'scores', **claim)}")
