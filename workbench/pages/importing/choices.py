"""`ImportChoices`: what is opened in the import step, and the choices of how it is read."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, ClassVar

import param

from workbench.pages.core.page import Control, Section, derived
from workbench.pages.core.part import Part
from workbench.pages.core.upload import Upload
from workbench.pages.importing.proposals import has_labels
from workbench.pages.importing.score_tables import read_table_upload
from workbench.pages.importing.uploads import UploadedTables
from workbench.pages.inputs.plan_choice import PlanChoice
from workbench.scores.layouts.apply import scores_from_tables
from workbench.scores.layouts.direction import Direction, proposed_direction
from workbench.scores.layouts.guess import choices, guess_layout, score_columns
from workbench.scores.layouts.layout import Layout
from workbench.scores.layouts.repeats import Repeats, repeats_in
from workbench.scores.layouts.senses import members_first, why_open
from workbench.scores.layouts.tools import Recognized, recognized
from workbench.scores.opening import Opened
from workbench.scores.sample import CLUSTER_RULES, SAMPLINGS, Scores
from workbench.scores.statement import ScoreStatement
from workbench.scores.table import DataTable
from workbench.tables.table import ScoreTable
from workbench.workspaces.content import content_hash
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.followed.data import require_kept
from workbench.workspaces.reading import Reading
from workbench.workspaces.sources import MADE, FileSource
from workbench.workspaces.trained.source import TrainedSource

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

#: What the menu calls the values of ``sampling``, where it is not by their own names.
SAMPLING_LABELS = {"unknown": "not stated"}

AWAITED = "Open one file with both groups, or two files: one per group, or scores and labels."

#: Asked where several columns may hold the scores.
SEVERAL = (
    "{} columns may hold the scores. Click one above or choose it under “Score”, before any result "
    "is shown: the best of several, chosen after looking, has no valid bound. No AUC is shown here "
    "for that reason."
)

#: What is asked of arrays whose shapes do not show which axis is that of the models.
ASK_AXES = "It is open which axis of the arrays is that of the models: choose “Axes of the arrays”."

#: What is asked of scores whose last axis may be one of classes.
ASK_LAST_AXIS = (
    "It is open whether several values of a record are of augmentations or of classes: choose "
    "“Last axis of the scores”, or add an array “labels” with the class of each record."
)

#: Arguments of Python in refusals, and what the page says instead.
IN_WORDS = {
    "the file of the other side with path_q=": "both files at once",
    "another column with member=": "another column under “Label”",
    "with wb.read_score_table": "as a table of records",
    "state what you assume with sampling='independent runs' or sampling='one run'": "state what "
    "you assume under “Independence of rows”",
}


def _of_layout(*kinds: str) -> Any:
    return lambda page: (
        bool(page.tables) and not page.choosing.from_python and page.choosing.kind in kinds
    )


def _open(page: Any) -> bool:
    return bool(page.tables) or page.score_table is not None


class ImportChoices(Part):
    """What is opened, and how it is read: proposed from names, then chosen by a person."""

    upload = Upload(
        default=(),
        label="Files",
        doc="csv, tsv, parquet, feather, arrow, npy, npz or json: one file with both groups, or "
        "two files, one per group or the scores and their labels.",
    )
    data_name = param.String("", label="Name")
    labels_apart = param.Boolean(
        False,
        label="One file holds the labels",
        doc="The labels of a file of their own belong to the scores in the order of the rows. "
        "Otherwise each file holds the scores of one group.",
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
        doc="Rows and columns of the arrays, where their shapes do not show which are the models.",
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
        doc="Several values of a record under a model are of augmentations of the record, or of "
        "classes. The score of classes is the log-odds of the true one: add an array “labels” with "
        "the class of each record to the file.",
    )
    rows = param.Selector(
        default=None,
        objects={"all": None},
        label="Rows",
        doc="Where a file has several rows of each record, as one for each attack or epoch: the "
        "rows that are used. Choose them before any result is shown.",
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
                Control("plan", when=lambda page: page.choosing.takes_plan),
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
                Control("sampling", when=lambda page: _open(page) and not page.choosing.clustered),
                Control("rows", when=lambda page: len(page.param.rows.objects) > 1),
                Control(
                    "cluster_column",
                    when=lambda page: page.choosing.open and not page.choosing.from_python,
                ),
                Control("cluster_rule", when=lambda page: page.cluster_column is not None),
                Control("nonfinite", when=lambda page: page.choosing.has_nonfinite),
                Control("accept", when=_open),
            ),
        ),
    )

    def start(self, given: frozenset[str]) -> None:
        """Open what was uploaded, or the data set that is read again."""
        page = self.page
        #: When this step began, before anything was opened in it.
        self.began = datetime.now(UTC)
        self._labels: dict[str, tuple[str, ...]] = {}
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
    def takes_plan(self) -> bool:
        """Whether there are plans that these new data could be opened under."""
        return self.open and self.dataset is None and bool(self.page.plans.known)

    @property
    def kind(self) -> str:
        """The kind of the layout."""
        return "one file per group" if len(self.tables) == 2 else str(self.table_kind)

    @property
    def from_python(self) -> bool:
        """Whether the scores were given in Python, so that their columns are known."""
        return self.dataset is not None and isinstance(self.dataset.source, (*MADE, TrainedSource))

    @property
    def clustered(self) -> bool:
        """Whether the scores are combined by clusters."""
        known = self.dataset is not None and self.dataset.reading.sampling == "clustered"
        return self.cluster_column is not None or known

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

    @property
    def files(self) -> list[str]:
        """The names of the files, in the order of the tables, without one of labels."""
        if self.dataset is None:
            return list(self.opened.files[: len(self.tables)])
        source = self.dataset.source
        known = source.names if isinstance(source, FileSource) else ()
        return list(known[: len(self.tables)]) or [self.dataset.name for _ in self.tables]

    @property
    def all_files(self) -> list[str]:
        """The names of all files, that of the members first, that of labels last."""
        if self.dataset is not None:
            source = self.dataset.source
            return list(source.names) if isinstance(source, FileSource) else self.files
        files = list(self.opened.files)
        return files[::-1] if self.swapped else files

    @property
    def recognized(self) -> Recognized | None:
        """What is known of the files of a public tool; None where no tool is recognized."""
        return recognized(self.in_order) if self.tables and not self.from_python else None

    @property
    def stated(self) -> ScoreStatement:
        """What the file states of its scores."""
        return ScoreStatement.of(self.in_order) if self.tables else ScoreStatement()

    @property
    def candidates(self) -> list[str]:
        """The columns that may hold the scores, where one of several has to be chosen."""
        if len(self.tables) != 1 or self.from_python or self.kind != "score and label":
            return []
        found = score_columns(self.tables[0], self.member_column)
        return found if len(found) > 1 else []

    @property
    def in_order(self) -> tuple[DataTable, ...]:
        """The tables, that of the members first."""
        tables: tuple[DataTable, ...] = self.tables
        return tables[::-1] if self.swapped else tables

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
            self.page.set_quietly(swapped=members_first(*self.files) is False)
        self._offer()
        known = self.known
        if known is not None:  # what was declared once is remembered
            self.page.set_quietly(data_name=known.name)
            self._show(known.reading)
            return
        names = [table.name or "scores" for table in self.in_order]
        stated = self.stated
        name = stated.name or " and ".join(names)
        self.page.set_quietly(data_name=name, sampling=stated.sampling, nonfinite="keep")
        try:
            self._show_layout(guess_layout(*self.in_order, member=self.opened.member))
        except ValueError:  # people choose the columns
            kind = "score and label" if has_labels(self.tables[0]) else "two columns"
            self.page.set_quietly(table_kind=kind, **dict.fromkeys(COLUMNS))
            self._propose_but_score()
        self.page.set_quietly(
            larger_is_member=self.proposed.larger_is_member, direction_chosen=False
        )

    def _propose_but_score(self) -> None:
        """Choose the labels, where only the column of scores has to be chosen by a person."""
        for score in self.candidates[:1]:
            with suppress(ValueError):
                found = guess_layout(self.tables[0], score=score, member=self.opened.member)
                self._show_layout(replace(found, score=None))

    def _offer(self) -> None:
        """Fill the dropdowns with what the tables have."""
        first, *rest = map(choices, self.in_order)
        second = rest[0] if rest else first
        self._labels = dict(first.labels)
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
        found = self.repeats()
        values = () if found is None or found.key is None else found.values
        offered = {f"{found.key} = {v}": f"{found.key}={v}" for v in values} if found else {}
        if chosen is not None:
            offered.setdefault(chosen.replace("=", " = ", 1), chosen)
        chosen = self.rows if chosen is None and self.rows in offered.values() else chosen
        self.page.set_quietly(rows=None)
        self.page.param.rows.objects = {"all": None} | offered
        self.page.set_quietly(rows=chosen)

    @derived(needs=("tables", "swapped", *COLUMNS))
    def repeats(self) -> Repeats | None:
        """What shows that rows repeat, whichever of them are chosen."""
        if not self.tables or self.from_python or self._open_choices:
            return None
        layout = self.chosen.layout
        if layout is None:
            return None
        with suppress(ValueError):
            return repeats_in(self.in_order, replace(layout, rows=None))
        return None

    def _offer_labels(self, column: str | None) -> None:
        self.page.set_quietly(member_value=None)
        self.page.param.member_value.objects = [None, *self._labels.get(column or "", ())]

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
        self._check()

    def _swap(self) -> None:
        columns = self.q_column, self.p_column
        cluster = self.cluster_column
        self._offer()
        self.page.set_quietly(p_column=columns[0], q_column=columns[1], cluster_column=cluster)

    def _follow_score(self) -> None:
        """Choose the labels that the tool keeps for the column of scores, as of one of its runs."""
        known = self.recognized
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
        found = self.read() if self.score_table is None else self.table_read()
        self.page.message = found if isinstance(found, str) else ""

    # -- what was found --------------------------------------------------------------------------

    @property
    def proposed(self) -> Direction:
        """The direction that the names suggest, or that the tool writes."""
        known, stated = self.recognized, self.stated.larger_is_member
        if stated is not None:
            return Direction(stated, "what the file states of itself")
        if known is not None:
            return Direction(True, f"the layout of the {known.tool}")
        columns = [self.p_column, self.q_column]
        if self.kind == "score and label":
            columns = [self.score_column]
        return proposed_direction([name for name in columns if name is not None], self.files)

    @property
    def chosen(self) -> Reading:
        """The reading as it is chosen; see `missing` for what is not chosen yet."""
        if self.from_python:
            reading: Reading = self.dataset.reading
        else:
            named = {name: getattr(self.page, name) for name in LAYOUTS[self.kind]}
            fields = {name.removesuffix("_column"): value for name, value in named.items()}
            layout = Layout(
                self.kind,  # type: ignore[arg-type]
                cluster=self.cluster_column,
                rows=self.rows,
                **fields,
            )
            reading = Reading(layout, cluster_rule=self.cluster_rule)
        sampling = reading.sampling if self.clustered else self.sampling
        return replace(
            reading,
            larger_is_member=self.larger_is_member is not False,
            sampling=sampling,
            nonfinite=self.nonfinite,
        )

    @derived(needs=("tables", "score_table", *READING))
    def missing(self) -> str:
        """What has to be chosen next; empty once everything is."""
        if self.score_table is not None:
            label = self.page.param.larger_is_member.label
            return f"Choose “{label}”." if self.larger_is_member is None else ""
        if not self.tables:
            return AWAITED
        if self.from_python:
            return ""
        open_choices = self._open_choices
        if set(LAYOUTS[self.kind]) - {"member_value"} <= set(open_choices):
            if len(self.page.param.score_column.objects) == 2 and self.kind == "two columns":
                return (
                    "This file has one column of numbers and nothing that says which are the "
                    "scores of members. Open it together with the file of the other group."
                )
            return "Which columns hold the scores of members and of non-members? Choose them."
        if "score_column" in open_choices and self.candidates:
            return SEVERAL.format(len(self.candidates))
        labels = list(self._labels.get(self.member_column or "", ()))
        if open_choices == ["member_value"] and len(labels) == 2:
            why = why_open(labels, self.member_column)
            return (
                f"“{self.member_column}” holds {' and '.join(f'“{x}”' for x in labels)}, {why}: "
                f"choose “{self.page.param.member_value.label}”."
            )
        if open_choices:
            return f"Now choose “{self.page.param[open_choices[0]].label}”."
        if self._rows_repeat:
            return self._ask_rows
        if self.larger_is_member is None:
            label = self.page.param.larger_is_member.label
            return f"Choose “{label}”: {self.proposed.reason} may mean either."
        return ""

    @property
    def _rows_repeat(self) -> bool:
        """Whether rows repeat, and nobody has chosen what to do about it."""
        found = self.repeats()
        if found is None or self.cluster_column is not None or self.sampling != "unknown":
            return False
        return self.rows is None or found.key is None

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
        choosable: Any = {name: self.page.param[name].objects for name in LAYOUTS[self.kind]}
        return [
            name
            for name, offered in choosable.items()
            if getattr(self.page, name) is None and (name != "member_value" or len(offered) > 1)
        ]

    @derived(needs=("tables", "dataset", *READING))
    def read(self) -> Scores | str | None:
        """The scores as they are read, why they cannot be, or None while something is missing."""
        if not self.tables or (not self.from_python and (self._open_choices or self._rows_repeat)):
            return None
        try:
            if self.dataset is not None:
                found: Scores = self.dataset.source.read(self.tables, self.chosen)
                return found
            reading = self.chosen
            return scores_from_tables(self.in_order, reading.layout, **reading.arguments)[0]
        except ValueError as error:
            text = str(error)
            for python, words in IN_WORDS.items():
                text = text.replace(python, words)
            return text

    @derived(needs=("score_table", "larger_is_member", "sampling"))
    def table_read(self) -> ScoreTable | str | None:
        """The score table as it is read, why it cannot be, or None where there is none."""
        if self.score_table is None:
            return None
        try:
            return replace(
                self.score_table,
                larger_is_member=self.larger_is_member is not False,
                sampling=self.sampling,
            )
        except ValueError as error:
            return str(error)

    @derived(needs=("tables", "swapped"))
    def digest(self) -> str:
        """The SHA-256 of the content."""
        return content_hash(self.in_order)

    @property
    def known(self) -> DataSet | None:
        """The data set of the workspace with this content, as it is now.

        One that was removed counts: its results were seen.
        """
        if self.dataset is not None:
            return self.page.workspace.dataset(self.dataset.key)
        return self.page.workspace.find(self.digest(), removed=True) if self.tables else None
