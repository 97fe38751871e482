"""`ImportChoices`: what is opened in the import step, and the choices of how it is read."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, ClassVar

import param

from workbench.pages.core.page import Control, Section
from workbench.pages.core.part import Part
from workbench.pages.core.upload import Upload
from workbench.pages.importing.chosen_reading import COLUMNS, READING
from workbench.pages.importing.proposals import has_labels
from workbench.pages.importing.score_tables import read_table_upload
from workbench.pages.importing.uploads import UploadedTables
from workbench.pages.inputs.claims.stated import stated_controls
from workbench.pages.inputs.plan_choice import PlanChoice
from workbench.scores.layouts.confusion import counts_in
from workbench.scores.layouts.direction import Direction, proposed_direction
from workbench.scores.layouts.guess import choices, guess_layout
from workbench.scores.layouts.layout import Layout
from workbench.scores.layouts.senses import members_first
from workbench.scores.opening import Opened
from workbench.scores.sample import CLUSTER_RULES, SAMPLINGS
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.followed.data import require_kept
from workbench.workspaces.reading import Reading

#: What the menu calls the values of ``sampling``, where it is not by their own names.
SAMPLING_LABELS = {"unknown": "not stated", "given": "nobody drew who was in"}


#: What is asked of arrays whose shapes do not show which axis is that of the models.
ASK_AXES = "Which axis of the arrays holds the models? Choose “Axes of the arrays”."

#: What is asked of scores whose last axis may be one of classes.
ASK_LAST_AXIS = (
    "Do the several values of a record belong to augmentations or to classes? Choose "
    "“Last axis of the scores”, or add an array “labels” with the class of each record."
)


def _of_layout(*kinds: str) -> Any:
    return lambda page: (
        bool(page.tables) and not page.opened_files.from_python and page.choosing.kind in kinds
    )


def _open(page: Any) -> bool:
    return bool(page.tables) or page.score_table is not None


class ImportChoices(Part):
    """What is opened, and how it is read: proposed from names, then chosen by a person."""

    upload = Upload(
        default=(),
        label="Choose files …",
        doc="csv, tsv, parquet, feather, arrow, npy, npz, json or jsonl, also compressed: one file "
        "with both groups, or two files, one per group or the scores and their labels.",
    )
    data_name = param.String("", label="Name")
    labels_apart = param.Boolean(
        False,
        label="One file holds the labels",
        doc="If one file holds the labels, its row i labels score i of the other file. Otherwise "
        "each file holds the scores of one group.",
    )
    swapped = param.Boolean(
        False,
        label="Swap the files",
        doc="By default the members are in the first file, unless the names of the files say "
        "otherwise.",
    )
    table_kind = param.Selector(
        default="two columns", objects=["two columns", "score and label"], label="Layout"
    )
    p_column = param.Selector(default=None, objects=[None], label="Members (P)")
    q_column = param.Selector(default=None, objects=[None], label="Non-members (Q)")
    score_column = param.Selector(default=None, objects=[None], label="Score")
    member_column = param.Selector(default=None, objects=[None], label="Label")
    member_value = param.Selector(default=None, objects=[None], label="Label of members")
    transposed = param.Selector(
        default=None,
        objects={
            "by their shapes": None,
            "models × records": "neither",
            "records × models": "both",
            "scores: records × models, memberships: models × records": "scores",
            "scores: models × records, memberships: records × models": "member",
        },
        label="Axes of the arrays",
        doc="The axis of the arrays that holds the models, if the shapes do not show it.",
    )
    last_axis = param.Selector(
        default=None,
        objects={
            "choose …": None,
            "augmentations: their mean": "mean",
            "augmentations: the largest": "max",
            "augmentations: the first": "first",
        },
        label="Last axis of the scores",
        doc="What the several values per record and model are: augmentations of the record, or "
        "classes. For classes, the score is the log-odds of the true class: add an array “labels” "
        "with the class of each record to the file.",
    )
    rows = param.Selector(
        default=None,
        objects={"all": None},
        label="Rows",
        doc="The rows to use, if the file has several rows per record, such as one per attack or "
        "epoch. Choose them before any result is shown.",
    )
    larger_is_member = param.Selector(
        default=None,
        objects={"choose …": None, "larger = member": True, "smaller = member": False},
        label="Direction of the score",
        doc="A loss is smaller for members, a similarity to the record is larger. It is proposed "
        "from names such as “loss” and from nothing else.",
    )
    sampling = param.Selector(
        default="unknown",
        objects={SAMPLING_LABELS.get(s, s): s for s in SAMPLINGS if s != "clustered"},
        label="Independence of rows",
        doc="Bounds hold for independent scores. Each bound repeats this assumption.",
    )
    cluster_column = param.Selector(
        default=None,
        objects={"none": None},
        label="Cluster column",
        doc="The subject or run of each row: rows of one cluster are combined into one score.",
    )
    cluster_rule = param.Selector(
        default="mean", objects=list(CLUSTER_RULES), label="Combine clusters by"
    )
    nonfinite = param.Selector(
        default="keep",
        objects={"kept as outcomes": "keep", "dropped": "drop"},
        label="NaN and infinite scores",
    )
    plan = PlanChoice(
        label="Plan",
        doc="A plan that was stored before. Choosing it sets the direction, the independence of "
        "rows and the cluster rule that it fixes; the page of the scores is then under the plan.",
    )
    accept = param.Event(label="Show the audit", doc="Adds the data set and shows it.")
    accepted = param.String("", precedence=-1, doc="Key of the data set that was accepted.")

    tables = param.Parameter((), precedence=-1, doc="The tables of the files, in their order.")
    score_table = param.Parameter(None, precedence=-1, doc="The ScoreTable of the files, or None.")
    dataset = param.Parameter(None, precedence=-1, doc="The data set that is read again, or None.")
    direction_chosen = param.Boolean(False, precedence=-1)
    axes_asked = param.Boolean(False, precedence=-1)
    last_axis_asked = param.Boolean(False, precedence=-1)

    controls: ClassVar[tuple[Section, ...]] = (
        Section("Files", (Control("upload", when=lambda page: page.dataset is None),)),
        Section(
            "How they are read",
            (
                Control("transposed", when=lambda page: page.axes_asked),
                Control("last_axis", when=lambda page: page.last_axis_asked),
                Control("data_name", when=_open),
                Control("plan", when=lambda page: page.opened_files.takes_plan),
                Control(
                    "labels_apart",
                    when=lambda page: (
                        page.dataset is None and page.choosing.uploaded.may_have_labels
                    ),
                ),
                Control(
                    "swapped",
                    when=lambda page: (
                        page.dataset is None and page.choosing.kind == "one file per group"
                    ),
                ),
                Control("table_kind", when=_of_layout("two columns", "score and label")),
                Control("p_column", when=_of_layout("two columns", "one file per group")),
                Control("q_column", when=_of_layout("two columns", "one file per group")),
                Control("score_column", when=_of_layout("score and label")),
                Control("member_column", when=_of_layout("score and label")),
                Control("member_value", when=_of_layout("score and label")),
                Control("larger_is_member", when=_open),
                Control("sampling", when=lambda page: _open(page) and not page.as_read.clustered),
                Control("rows", when=lambda page: len(page.param.rows.objects) > 1),
                Control(
                    "cluster_column",
                    when=lambda page: page.choosing.open and not page.opened_files.from_python,
                ),
                Control("cluster_rule", when=lambda page: page.cluster_column is not None),
                Control("nonfinite", when=lambda page: page.as_read.has_nonfinite),
                *stated_controls(when=lambda page: bool(page.tables)),
                Control("accept", when=_open),
            ),
        ),
    )

    def start(self, given: frozenset[str]) -> None:
        """Open what was uploaded, or the data set that is read again."""
        page = self.page
        #: When this step began, before anything was opened in it.
        self.began = datetime.now(UTC)
        self.labels_by_column: dict[str, tuple[str, ...]] = {}
        #: The files as they were uploaded, and as they are opened.
        self.uploaded, self.opened = UploadedTables(), Opened(())
        page.param.watch(self._read_upload, ["upload", "transposed", "last_axis"])
        page.param.watch(self._changed, list(READING))
        page.param.watch(self._follow_plan, "plan")
        if page.reads_again:
            self.open_dataset(page.reads_again)
        else:
            self._read_upload()

    @property
    def open(self) -> bool:
        """Whether there are tables."""
        return bool(self.tables)

    @property
    def kind(self) -> str:
        """The kind of the layout."""
        return "one file per group" if len(self.tables) == 2 else str(self.table_kind)

    def open_dataset(self, key: str) -> None:
        """Show how a data set is read, to change it.

        Raises
        ------
        WorkspaceError
            No such data set, an example or a draw.
        """
        dataset = self.page.workspace.dataset(key)
        if dataset.virtual:
            raise WorkspaceError(f"“{dataset.name}” has no file that could be read in another way")
        require_kept(dataset)
        self.page.set_quietly(
            dataset=dataset, tables=self.page.workspace.tables(key), data_name=dataset.name
        )
        self._offer()
        self._show(dataset.reading)
        self.page.promised.show(dataset.claim)
        self.page.message = ""

    # -- what was opened, and what is chosen -----------------------------------------------------

    def _read_upload(self, *events: Any) -> None:
        try:
            table = read_table_upload(self.upload or (), self.transposed, self.last_axis)
            self.uploaded = (
                UploadedTables() if table is not None else UploadedTables.read(self.upload or ())
            )
        except ValueError as error:
            axes, last = ("transposed=" in str(error), "augmentations=" in str(error))
            self.page.set_quietly(
                axes_asked=axes, last_axis_asked=last or self.last_axis is not None
            )
            why = ASK_AXES if axes else ASK_LAST_AXIS if last else str(error)
            if counts := counts_in(why):
                self.page.goes_to, self.page.goes_with = "counts", dict(counts)
            self.page.param.update(tables=(), score_table=None, message=why)
            return
        known = table is not None
        self.page.set_quietly(
            score_table=table,
            axes_asked=self.axes_asked and known,
            last_axis_asked=self.last_axis_asked and known,
        )
        if table is not None:
            self.page.set_quietly(
                tables=(),
                larger_is_member=table.larger_is_member,
                sampling=table.sampling,
                data_name=table.name,
                accepted="",
                message="",
            )
            return
        self.page.set_quietly(labels_apart=self.uploaded.labels is not None)
        self._open()

    def _open(self) -> None:
        """Open what was uploaded, with the labels of a file of their own if one holds them."""
        try:
            self.opened = self.uploaded.arranged(self.labels_apart)
        except ValueError as error:
            self.page.param.update(tables=(), message=str(error))
            return
        tables = self.opened.tables
        self.page.set_quietly(
            swapped=False, tables=tables, cluster_column=None, accepted="", message=""
        )
        if tables:
            self.page.workspace.openings.note_tables(tables)
            self._propose()
            self._follow_plan()
            self._check()

    def _propose(self) -> None:
        """Choose what names suggest, and offer the columns that there are."""
        if len(self.tables) == 2:
            self.page.set_quietly(swapped=members_first(*self.page.opened_files.files) is False)
        self._offer()
        known = self.page.opened_files.known
        if known is not None:  # what was declared once is remembered
            self.page.set_quietly(data_name=known.name)
            self._show(known.reading)
            self.page.promised.show(known.claim)
            return
        names = [table.name or "scores" for table in self.page.opened_files.in_order]
        stated = self.page.opened_files.stated
        name = stated.name or " and ".join(names)
        self.page.set_quietly(data_name=name, sampling=stated.sampling, nonfinite="keep")
        try:
            self._show_layout(
                guess_layout(*self.page.opened_files.in_order, member=self.opened.member)
            )
        except ValueError:  # people choose the columns
            kind = "score and label" if has_labels(self.tables[0]) else "two columns"
            self.page.set_quietly(table_kind=kind, **dict.fromkeys(COLUMNS))
            self._propose_but_score()
        self.page.set_quietly(
            larger_is_member=self.proposed.larger_is_member, direction_chosen=False
        )

    def _propose_but_score(self) -> None:
        """Choose the labels, where only the column of scores has to be chosen by a person."""
        for score in self.page.opened_files.candidates[:1]:
            with suppress(ValueError):
                found = guess_layout(self.tables[0], score=score, member=self.opened.member)
                self._show_layout(replace(found, score=None))

    def _offer(self) -> None:
        """Fill the dropdowns with what the tables have."""
        first, *rest = map(choices, self.page.opened_files.in_order)
        second = rest[0] if rest else first
        self.labels_by_column = dict(first.labels)
        shared = [name for name in first.clusters if name in second.clusters]
        self.page.set_quietly(cluster_column=None, **dict.fromkeys(COLUMNS))
        self.page.param.p_column.objects = [None, *first.scores]
        self.page.param.q_column.objects = [None, *second.scores]
        self.page.param.score_column.objects = [None, *first.scores]
        self.page.param.member_column.objects = [None, *first.labels]
        self.page.param.cluster_column.objects = {"none": None} | {name: name for name in shared}

    def _show(self, reading: Reading) -> None:
        if reading.layout is not None:
            self._show_layout(reading.layout)
        sampling = "unknown" if reading.sampling == "clustered" else reading.sampling
        self.page.set_quietly(
            larger_is_member=reading.larger_is_member,
            sampling=sampling,
            cluster_rule=reading.cluster_rule,
            nonfinite=reading.nonfinite,
            direction_chosen=True,
        )

    def _show_layout(self, layout: Layout) -> None:
        known: Any = self.page.param.member_column
        if layout.member is not None and layout.member not in known.objects:  # a single label
            known.objects = [*known.objects, layout.member]
        self._offer_labels(layout.member)
        if layout.kind != "one file per group":
            self.page.set_quietly(table_kind=layout.kind)
        self.page.set_quietly(
            p_column=layout.p,
            q_column=layout.q,
            score_column=layout.score,
            member_column=layout.member,
            member_value=layout.member_value,
            cluster_column=layout.cluster,
        )
        self._offer_rows(layout.rows)

    def _offer_rows(self, chosen: str | None = None) -> None:
        """Offer the values of the column that tells rows of one record apart, if there is one."""
        found = self.page.repeats()
        values = () if found is None or found.key is None else found.values
        offered = {f"{found.key} = {v}": f"{found.key}={v}" for v in values} if found else {}
        if chosen is not None:
            offered.setdefault(chosen.replace("=", " = ", 1), chosen)
        chosen = self.rows if chosen is None and self.rows in offered.values() else chosen
        self.page.set_quietly(rows=None)
        self.page.param.rows.objects = {"all": None} | offered
        self.page.set_quietly(rows=chosen)

    def _offer_labels(self, column: str | None) -> None:
        self.page.set_quietly(member_value=None)
        self.page.param.member_value.objects = [None, *self.labels_by_column.get(column or "", ())]

    def _changed(self, *events: Any) -> None:
        if self.score_table is not None:
            self._check()
        if self.page.quiet or not self.tables:
            return
        changed = {event.name for event in events}
        if "labels_apart" in changed:
            self._open()
            return
        if "score_column" in changed and "member_column" not in changed:
            self._follow_score()
        if "swapped" in changed:
            self._swap()
        if "member_column" in changed and "member_value" not in changed:
            self._offer_labels(self.member_column)
            self._propose_label()
        if "larger_is_member" in changed:
            self.direction_chosen = True
        elif not self.direction_chosen:
            self.page.set_quietly(larger_is_member=self.proposed.larger_is_member)
        if changed - {"rows", "cluster_column", "cluster_rule", "sampling", "larger_is_member"}:
            self._offer_rows()
        self._check()

    def _follow_plan(self, *events: Any) -> None:
        """Choose what the plan fixes of how the data are read."""
        plan = self.page.plans.find(self.plan)
        if plan is None or self.dataset is not None or self.page.quiet:
            return
        sampling = self.sampling if plan.sampling == "clustered" else plan.sampling
        self.page.set_quietly(
            larger_is_member=plan.larger_is_member,
            direction_chosen=True,
            sampling=sampling,
            cluster_rule=plan.cluster_rule,
        )
        if plan.claim:
            self.page.promised.show(plan.claim)
        self._check()

    def _swap(self) -> None:
        columns = self.q_column, self.p_column
        cluster = self.cluster_column
        self._offer()
        self.page.set_quietly(p_column=columns[0], q_column=columns[1], cluster_column=cluster)

    def _follow_score(self) -> None:
        """Choose the labels that the tool keeps for the column of scores, as of one of its runs."""
        known = self.page.opened_files.recognized
        label = known.labeled.get(self.score_column) if known is not None else None
        if label is not None and label != self.member_column:
            self.page.set_quietly(member_column=label)
            self._offer_labels(label)
            self._propose_label()

    def _propose_label(self) -> None:
        """The label that means "member", if that is plain."""
        if self.member_column is not None and self.score_column is not None:
            layout = guess_layout(
                self.tables[0], score=self.score_column, member=self.member_column
            )
            self.page.set_quietly(member_value=layout.member_value)

    def _check(self) -> None:
        """Say what is wrong with what is chosen; what is only half chosen is not wrong."""
        found = self.page.read() if self.score_table is None else self.page.table_read()
        self.page.message = found if isinstance(found, str) else ""

    # -- what was found --------------------------------------------------------------------------

    @property
    def proposed(self) -> Direction:
        """The direction that the names suggest, or that the tool writes."""
        known, stated = (
            self.page.opened_files.recognized,
            self.page.opened_files.stated.larger_is_member,
        )
        if stated is not None:
            return Direction(stated, "what the file states of itself")
        if known is not None:
            return Direction(True, f"the layout of the {known.tool}")
        columns = [self.p_column, self.q_column]
        if self.kind == "score and label":
            columns = [self.score_column]
        return proposed_direction(
            [name for name in columns if name is not None], self.page.opened_files.files
        )
