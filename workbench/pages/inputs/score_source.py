"""`ScoreSource`: the choice of a bundled example, uploaded files, or a pair to sample from."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar

import param

from workbench.pages.core.page import Control, Page, Section
from workbench.pages.core.upload import Upload
from workbench.pages.inputs.pair import SamplePair, chosen_pair, pair_controls, pair_parameters
from workbench.pages.inputs.settings import ResetSetting
from workbench.pairs.base import Pair
from workbench.scores.examples import card, example, examples
from workbench.scores.layouts.apply import scores_from_tables
from workbench.scores.layouts.guess import choices, guess_layout
from workbench.scores.layouts.layout import Layout
from workbench.scores.parsing.source import read_table
from workbench.scores.sample import CLUSTER_RULES, SAMPLINGS, Scores
from workbench.scores.table import DataTable

FIRST_EXAMPLE = "subsampled-gaussian"

#: Samples up to this size are drawn once for all visitors.
SHARED_N = 10_000

#: Parameters that name the columns of each layout of a single file.
LAYOUTS = {
    "two columns": ("p_column", "q_column"),
    "score and label": ("score_column", "member_column", "member_value"),
}

#: What the menu calls the values of ``sampling``, where it is not by their own names.
SAMPLING_LABELS = {"unknown": "not stated"}

SAMPLE_SIZES = (200, 500, 1000, 5000, 10_000, 100_000, 1_000_000)

#: Parameters that say how the data are read, and how messages call them. A change marks the bounds
#: if others of the same data were seen before.
REINTERPRETS = {
    "larger_is_member": "the direction of the score",
    "nonfinite": "the treatment of non-finite scores",
    "sampling": "the sampling assumption",
    "cluster_rule": "the cluster rule",
    "table_kind": "the layout",
    "p_column": "the column",
    "q_column": "the column",
    "score_column": "the column",
    "member_column": "the column",
    "member_value": "the label",
    "cluster_column": "the cluster column",
}


def _from(source: str) -> Any:
    return lambda page: page.source == source


def _column_of(kind: str) -> Any:
    return lambda page: page.source == "file" and page.table_kind == kind


def _sample(pair: Pair, n: int, seed: int) -> Scores:
    return pair.sample(n, seed=seed)


_shared_sample = lru_cache(maxsize=8)(_sample)


def read_files(upload: tuple[tuple[str, bytes | DataTable], ...]) -> list[DataTable]:
    """The tables of one or two files; a `DataTable` is taken as it is.

    Raises
    ------
    ValueError
        More than two files, or one that cannot be read.
    """
    if len(upload) > 2:
        raise ValueError(
            f"{len(upload)} files were given; give one file with both groups, or two files: "
            "members first, then non-members"
        )
    return [
        content if isinstance(content, DataTable) else read_table(content, filename=name)
        for name, content in upload
    ]


def _scores(
    tables: tuple[DataTable, ...],
    layout: Layout,
    larger_is_member: bool,
    sampling: str,
    cluster_rule: str,
    nonfinite: str,
) -> Scores:
    scores, _ = scores_from_tables(
        tables,
        layout,
        larger_is_member=larger_is_member,
        sampling=sampling,
        cluster_rule=cluster_rule,
        nonfinite=nonfinite,
    )
    return scores


#: For tables that all visitors share. A visitor's own data must not outlive the session.
_shared_scores = lru_cache(maxsize=4)(_scores)


def _guess_columns(tables: list[DataTable]) -> Layout:
    """The layout of one or two files; ValueError with the remedy where people must choose it."""
    try:
        return guess_layout(*tables)
    except ValueError as error:
        if len(tables) > 1 or len(tables[0].columns) < 2:
            raise
        raise ValueError(
            f"File “{tables[0].name}”: which columns hold the scores of members and of "
            "non-members? Choose them under “How the file is read”."
        ) from error


def score_upload() -> Upload:
    """One or two files of scores."""
    return Upload(
        default=(),
        label="Upload scores",
        doc="csv, tsv, parquet, feather, npy, npz or json: one file with both groups, or two "
        "files: members first, then non-members. Files stay in this server's memory, for this "
        "session only.",
    )


def direction_selector() -> param.Selector:
    """Whether larger or smaller scores suggest membership."""
    return param.Selector(
        default=True,
        objects={"larger = member": True, "smaller = member": False},
        label="Direction of the score",
        doc="A loss is smaller for members, a similarity to the record is larger. The direction is "
        "never changed automatically.",
    )


class ScoreSource(ResetSetting, SamplePair, Page):
    """Base of the pages about one set of scores.

    Provides ``scores``, ``loaded`` (what they are), ``source_controls`` and ``adopt``, which pages
    extend to set what depends on new scores. If loading fails, ``scores`` stay as they were and
    ``message`` says why.
    """

    source = param.Selector(
        default="example",
        objects={"Bundled example": "example", "My file": "file", "Sampled from a pair": "pair"},
        label="Scores from",
    )
    example_name = param.Selector(default=FIRST_EXAMPLE, objects=[FIRST_EXAMPLE], label="Example")
    upload = score_upload()
    table_kind = param.Selector(
        default="two columns",
        objects=list(LAYOUTS),
        label="Layout",
    )
    p_column = param.Selector(default=None, objects=[None], label="Members (P)")
    q_column = param.Selector(default=None, objects=[None], label="Non-members (Q)")
    score_column = param.Selector(default=None, objects=[None], label="Score")
    member_column = param.Selector(default=None, objects=[None], label="Label")
    member_value = param.Selector(default=None, objects=[None], label="Label of members")
    cluster_column = param.Selector(
        default=None,
        objects={"none": None},
        label="Cluster column",
        doc="The subject or run of each row: rows of one cluster are combined into one score.",
    )
    cluster_rule = param.Selector(
        default="mean", objects=list(CLUSTER_RULES), label="Combine clusters by"
    )
    sample_n = param.Selector(
        default=10_000, objects={f"{n:,}": n for n in SAMPLE_SIZES}, label="Samples per group"
    )
    seed = param.Integer(default=0, precedence=-1, doc="Seed of the sample.")
    draw_again = param.Event(label="Draw again", doc="A new sample from the same pair.")
    larger_is_member = direction_selector()
    sampling = param.Selector(
        default="unknown",
        objects={SAMPLING_LABELS.get(s, s): s for s in SAMPLINGS if s != "clustered"},
        label="Independence of rows",
        doc="Bounds hold for independent scores. Each bound repeats this assumption.",
    )
    nonfinite = param.Selector(
        default="keep",
        objects={"kept as outcomes": "keep", "dropped": "drop"},
        label="NaN and infinite scores",
    )

    scores = param.Parameter(precedence=-1, doc="The Scores in view.")
    loaded = param.String("", precedence=-1, doc="What was loaded, and how it was read.")

    source_controls: ClassVar[tuple[Section, ...]] = (
        Section(
            "Data",
            (
                Control("source"),
                Control("example_name", when=_from("example")),
                Control("upload", when=_from("file")),
                *pair_controls("sample", when=_from("pair")),
                Control("sample_n", when=_from("pair")),
                Control("draw_again", when=_from("pair")),
            ),
        ),
        Section(
            "How the file is read",
            (
                Control("table_kind", when=lambda page: page.has_table),
                Control("p_column", when=_column_of("two columns")),
                Control("q_column", when=_column_of("two columns")),
                Control("score_column", when=_column_of("score and label")),
                Control("member_column", when=_column_of("score and label")),
                Control("member_value", when=_column_of("score and label")),
                Control("cluster_column", when=lambda page: page.has_table),
                Control("cluster_rule", when=lambda page: page.cluster_column is not None),
                Control("sampling", when=_from("file")),
                Control("larger_is_member", when=lambda page: page.source != "pair"),
                Control("nonfinite", when=lambda page: page.has_nonfinite),
            ),
        ),
    )

    def __init__(self, file_layout: Layout | None = None, **params: Any):
        # Of the files in ``upload`` that the page is made with; guessed where it is None.
        self._given_layout = file_layout
        self._tables: list[DataTable] = []
        self._as_loaded: dict[str, Any] = {}
        self._seen_upload: tuple[tuple[str, bytes | DataTable], ...] | None = None
        self.reference_hint: dict[str, Any] = {}
        super().__init__(**params)
        self._given_upload = self.upload
        self.param.example_name.objects = dict(
            zip(examples()["title"], examples()["name"], strict=True)
        )
        loads = ("source", "example_name", "upload", "draw_again", "sample_n")
        self.param.watch(self._load, [*loads, *pair_parameters("sample")])
        self.param.watch(self._reread, list(REINTERPRETS))
        if self.scores is None:
            self._load()

    @property
    def has_table(self) -> bool:
        """Whether a single uploaded file is open, whose layout can be chosen."""
        return self.source == "file" and len(self._tables) == 1

    @property
    def has_nonfinite(self) -> bool:
        """Whether there are NaN or infinite scores to keep or drop."""
        s: Scores | None = self.scores
        return s is not None and s.nonfinite_p.total + s.nonfinite_q.total > 0

    # -- a new set of scores -----------------------------------------------------------------

    def _load(self, *events: Any) -> None:
        changed = {event.name for event in events}
        if self._quiet:
            return
        if "source" in changed and self.source == "file":
            # The settings of an example do not apply to an uploaded file.
            self._set_quietly(larger_is_member=True, sampling="unknown", nonfinite="keep")
        if self.source == "file" and not self.upload:
            return
        if "draw_again" in changed:
            self.seed += 1
        try:
            if self.source == "example":
                self._load_example()
            elif self.source == "file":
                self._load_files()
            else:
                self._draw()
        except ValueError as error:
            self.message = str(error)

    def _load_example(self) -> None:
        about, scores = card(self.example_name), example(self.example_name)
        self._set_quietly(
            larger_is_member=scores.larger_is_member,
            sampling="unknown" if scores.sampling == "clustered" else scores.sampling,
            nonfinite=scores.nonfinite,
        )
        self.reference_hint, self.looked = dict(about.reference), ""
        self.adopt(scores, f"{about.title}. {about.look} True values: {about.truth}.")

    def _draw(self) -> None:
        pair = chosen_pair(self, "sample")
        draw = _shared_sample if self.sample_n <= SHARED_N else _sample
        scores = draw(pair, self.sample_n, self.seed)
        self._set_quietly(larger_is_member=True, sampling=scores.sampling, nonfinite="keep")
        self.looked = ""
        self.adopt(
            scores, f"{self.sample_n:,} samples per group from {pair.name}, seed {self.seed}."
        )

    def _load_files(self) -> None:
        tables = read_files(self.upload)
        if len(tables) == 1:
            # Columns are offered first: where the layout cannot be guessed, people choose it.
            self._tables, self._as_loaded = tables, {}
            self._offer_columns(tables[0])
            layout = self._starting_layout(tables)
            self._choose_columns(layout)
        else:
            layout = self._starting_layout(tables)
        scores, said = self._interpret(tables, layout)
        self._tables = tables
        self._adopt_file(scores, said)

    def _starting_layout(self, tables: list[DataTable]) -> Layout:
        """The layout that came with the files that the page was made with, or a guess."""
        if self._given_layout is not None and self.upload is self._given_upload:
            return self._given_layout
        return _guess_columns(tables)

    def _adopt_file(self, scores: Scores, said: str) -> None:
        """Take scores of a newly uploaded file into view."""
        self.looked = "" if self._seen_upload in (None, self.upload) else "the file"
        self._seen_upload = self.upload
        self._as_loaded = {name: getattr(self, name) for name in REINTERPRETS}
        self.adopt(scores, said)

    # -- the same scores, read differently ---------------------------------------------------

    def _reread(self, *events: Any) -> None:
        awaits_file = self.source == "file" and not self._tables
        if self._quiet or self.scores is None or awaits_file:
            return
        changed = [event.name for event in events]
        try:
            if "member_column" in changed and "member_value" not in changed:
                self._offer_labels()
            scores, said = self._read_again()
        except ValueError as error:
            self.message = str(error)
            return
        if self.source == "file" and not self._as_loaded:
            self._adopt_file(scores, said)
        else:
            self.looked = REINTERPRETS[changed[0]]
            self.adopt(scores, said)

    def _read_again(self) -> tuple[Scores, str]:
        if self.source == "file":
            layout = self._layout() if self.has_table else self._starting_layout(self._tables)
            return self._interpret(self._tables, layout)
        # Rows that were combined or dropped are only in the example's file.
        scores = example(self.example_name) if self.source == "example" else self.scores
        again = Scores(
            scores.p,
            scores.q,
            larger_is_member=self.larger_is_member,
            sampling=self.sampling,
            nonfinite=self.nonfinite,
            name=scores.name,
        )
        return again, self.loaded

    def restart(self) -> None:
        """Read the scores as they were first read."""
        self.read_as_loaded()

    def adopt(self, scores: Scores, said: str) -> None:
        """Take new scores into view; pages extend it to set what depends on them.

        Parameters
        ----------
        scores : Scores
        said : str
            What they are and how they were read.
        """
        self.param.update(scores=scores, loaded=said, message="")

    def read_as_loaded(self) -> None:
        """Undo all changes of how the present scores are read, and remove the mark of them."""
        if self._as_loaded:
            self._set_quietly(**self._as_loaded)
            self.adopt(*self._read_again())
        else:
            self._load()
        self.looked = ""

    def _interpret(self, tables: list[DataTable], layout: Layout) -> tuple[Scores, str]:
        served = all(isinstance(content, DataTable) for _, content in self.upload)
        scores = (_shared_scores if served else _scores)(
            tuple(tables),
            layout,
            self.larger_is_member,
            self.sampling,
            self.cluster_rule,
            self.nonfinite,
        )
        notes = [f"File “{tables[0].name}”: {layout.describe()}"]
        notes += [note for table in tables for note in table.notes]
        return scores, " · ".join(notes)

    def _layout(self) -> Layout:
        for name in LAYOUTS[self.table_kind]:
            if getattr(self, name) is None:
                raise ValueError(f"Now choose “{self.param[name].label}”.")
        if self.table_kind == "two columns":
            return Layout(
                "two columns", p=self.p_column, q=self.q_column, cluster=self.cluster_column
            )
        return Layout(
            "score and label",
            score=self.score_column,
            member=self.member_column,
            member_value=self.member_value,
            cluster=self.cluster_column,
        )

    def _offer_columns(self, table: DataTable) -> None:
        """Fill the dropdowns with what this table has."""
        offered = choices(table)
        numeric = [None, *offered.scores]
        for name in ("p_column", "q_column", "score_column"):
            self._offer(name, numeric)
        self._offer("member_column", [None, *offered.labels])
        self._offer("member_value", [None])
        self._offer("cluster_column", {"none": None} | {c: c for c in offered.clusters})
        self._labels = offered.labels

    def _offer_labels(self) -> None:
        """The labels of the chosen column, and the one that means "member" if that is plain."""
        self._offer("member_value", [None, *self._labels.get(self.member_column, ())])
        layout = guess_layout(self._tables[0], score=self.score_column, member=self.member_column)
        self._set_quietly(member_value=layout.member_value)

    def _choose_columns(self, layout: Layout) -> None:
        if layout.member not in self.param.member_column.objects:  # it holds a single label
            self.param.member_column.objects = [*self.param.member_column.objects, layout.member]
        self._offer("member_value", [None, *self._labels.get(layout.member or "", ())])
        self._set_quietly(
            table_kind=layout.kind,
            p_column=layout.p,
            q_column=layout.q,
            score_column=layout.score,
            member_column=layout.member,
            member_value=layout.member_value,
            cluster_column=layout.cluster,
        )

    def _offer(self, name: str, objects: Any) -> None:
        self._set_quietly(**{name: None})
        self.param[name].objects = objects
