"""Where data sets come from; each source reads its tables as scores, and goes to JSON and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

from workbench import _checks
from workbench._json import JsonObject
from workbench.scores.counting.counted import CountedScores
from workbench.scores.examples import card, example
from workbench.scores.input_checks import NonFiniteCounts
from workbench.scores.layouts.apply import scores_from_tables
from workbench.scores.layouts.layout import Layout
from workbench.scores.ordered import oriented
from workbench.scores.sample import Scores
from workbench.scores.table import DataTable
from workbench.tables.table import ScoreTable
from workbench.workspaces.draws import Recipe
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.reading import Reading
from workbench.workspaces.score_tables.sources import (
    DrawnTableSource,
    ExampleTableSource,
    TableSource,
)
from workbench.workspaces.trained.source import TrainedSource

#: What a key of a bundled example begins with.
EXAMPLE = "example:"

#: The columns of scores that were given in Python.
GIVEN_LAYOUT = Layout("two columns", p="p", q="q")


def reading_of(scores: Scores) -> Reading:
    """How scores that were given in Python are read from the table that keeps them."""
    return Reading(
        None if scores.samples.is_counted else GIVEN_LAYOUT,
        scores.larger_is_member,
        scores.sampling,
        scores.cluster_rule,
        scores.nonfinite,
        None if scores.seed is None else int(scores.seed),  # type: ignore[arg-type]
    )


@runtime_checkable
class DataSource(Protocol):
    """Where a data set comes from."""

    kind: ClassVar[str]  #: of the source, such as "example", "pair" or "file"
    holds: ClassVar[str]  #: "scores" or "table", which pages take
    label: ClassVar[str]  #: what people call it

    def describe(self) -> str:
        """The source as a sentence."""

    def to_dict(self) -> JsonObject:
        """The source as JSON values, with its ``kind``."""

    def read(self, tables: Sequence[DataTable], reading: Reading) -> Scores | ScoreTable:
        """What it holds, of these tables; ScoresError where they cannot be read so."""


@dataclass(frozen=True)
class ExampleSource:
    """A bundled example."""

    name: str

    kind: ClassVar[str] = "example"
    holds: ClassVar[str] = "scores"
    label: ClassVar[str] = "Bundled example"

    def describe(self) -> str:
        """The example's title, what to look at, and its true values."""
        about = card(self.name)
        return f"{about.title}. {about.look} True values: {about.truth}."

    def to_dict(self) -> JsonObject:
        """The source as JSON values."""
        return {"kind": self.kind, **asdict(self)}

    def read(self, tables: Sequence[DataTable], reading: Reading) -> Scores:
        """The scores of the example, the same object every time."""
        return example(self.name)


@dataclass(frozen=True)
class DrawnSource:
    """A draw from a pair with known privacy loss.

    Parameters
    ----------
    pair : str
        A key of `workbench.pairs.own.kinds.PAIR_KINDS`.
    arguments : mapping of str to float
    n, seed : int
        Samples of each group, and what the generator starts from.

    Raises
    ------
    WorkspaceError
        As of `Recipe`.
    """

    pair: str
    arguments: Mapping[str, float] = field(hash=False)
    n: int
    seed: int
    recipe: Recipe = field(init=False, repr=False, compare=False)

    kind: ClassVar[str] = "pair"
    holds: ClassVar[str] = "scores"
    label: ClassVar[str] = "Sampled from a pair"

    def __post_init__(self) -> None:
        recipe = Recipe(self.pair, self.arguments, self.n, self.seed)
        object.__setattr__(self, "arguments", recipe.arguments)
        object.__setattr__(self, "recipe", recipe)

    @property
    def key(self) -> str:
        """The key of the data set."""
        return self.recipe.key

    @classmethod
    def of(cls, key: str) -> DrawnSource:
        """The source of a key that begins with ``draw:`` (WorkspaceError if it is malformed)."""
        recipe = Recipe.of(key)
        return cls(recipe.kind, recipe.arguments, recipe.n, recipe.seed)

    def describe(self) -> str:
        """The size, the pair and the seed."""
        return f"{self.n:,} samples per group from {self.recipe.pair.name}, seed {self.seed}."

    def to_dict(self) -> JsonObject:
        """The source as JSON values."""
        return {
            "kind": self.kind,
            "pair": self.pair,
            "arguments": dict(self.arguments),
            "n": self.n,
            "seed": self.seed,
        }

    def read(self, tables: Sequence[DataTable], reading: Reading) -> Scores:
        """The scores, drawn."""
        return self.recipe.draw()


@dataclass(frozen=True)
class FileSource:
    """One file with both groups, or one file per group, members first.

    Parameters
    ----------
    names : tuple of str
        Names of the files.
    """

    names: tuple[str, ...]

    kind: ClassVar[str] = "file"
    holds: ClassVar[str] = "scores"
    label: ClassVar[str] = "File"

    def describe(self) -> str:
        """The names of the files."""
        return f"File{'s' * (len(self.names) > 1)} " + " and ".join(f"“{n}”" for n in self.names)

    def to_dict(self) -> JsonObject:
        """The source as JSON values."""
        return {"kind": self.kind, "names": list(self.names)}

    def read(self, tables: Sequence[DataTable], reading: Reading) -> Scores:
        """The scores in the tables of the files."""
        return scores_from_tables(tables, reading.layout, **reading.arguments)[0]


@dataclass(frozen=True)
class GivenSource:
    """Scores that were given in Python.

    Parameters
    ----------
    held_out : str
        As in `Scores`.
    clustered : bool
        Whether each score is a cluster of rows.
    rows : pair of int, optional
        Rows of P and of Q; None where there were as many as scores.
    dropped : pair of tuple of int, optional
        NaN, +∞ and −∞ among the rows of P and of Q, where these were left out; else None.
    chosen : str
        The record of a score table that they are of, if it was chosen after results were shown;
        bounds on every page are then marked as not valid.
    stated : bool
        Whether their direction was stated.
    """

    held_out: str = ""
    clustered: bool = False
    rows: tuple[int, int] | None = None
    dropped: tuple[tuple[int, int, int], tuple[int, int, int]] | None = None
    chosen: str = ""
    stated: bool = True

    kind: ClassVar[str] = "given"
    holds: ClassVar[str] = "scores"
    label: ClassVar[str] = "Given in Python"

    @classmethod
    def of(cls, scores: Scores, chosen: str = "") -> GivenSource:
        """What is known of scores besides their values and their reading.

        Parameters
        ----------
        scores : Scores
        chosen : str, optional
            See the class.
        """
        rows = (scores.rows_p, scores.rows_q)
        return cls(
            scores.held_out,
            scores.sampling == "clustered",
            rows if rows != (scores.n_p, scores.n_q) else None,
            _odd_rows(scores)
            if scores.nonfinite == "drop" or scores.sampling == "clustered"
            else None,
            chosen,
            scores.direction_stated,
        )

    @property
    def reread(self) -> str:
        """What such a data set is marked with from the start; see `DataSet.reread`."""
        return "the record, which was chosen by its rank," if self.chosen else ""

    def describe(self) -> str:
        """Where the scores come from."""
        if self.chosen:
            return self.chosen
        return f"Given in Python{f', {self.held_out}' if self.held_out else ''}"

    def to_dict(self) -> JsonObject:
        """The source as JSON values."""
        return {"kind": self.kind, **asdict(self)}

    def read(self, tables: Sequence[DataTable], reading: Reading) -> Scores:
        """The scores as they were given, in the direction and with the sampling of the reading.

        Parameters
        ----------
        tables : sequence of DataTable
            One, with the columns ``p`` and ``q``.
        reading : Reading
        """
        table = tables[0]
        scores = Scores(
            table.numbers("p"),
            table.numbers("q"),
            **{**reading.arguments, "sampling": "unknown" if self.clustered else reading.sampling},
            name=table.name,
            held_out=self.held_out,
        )
        known: dict[str, Any] = {"sampling": "clustered"} if self.clustered else {}
        if not self.stated and reading.larger_is_member:
            known["direction_stated"] = False
        if self.rows is not None:
            known |= {"rows_p": self.rows[0], "rows_q": self.rows[1]}
        if self.dropped is not None:
            p, q = map(_non_finite, self.dropped)
            known |= {"nonfinite_p": p, "nonfinite_q": q}
        return scores._changed(**known) if known else scores


@dataclass(frozen=True)
class CountedSource:
    """Scores that are known by their counts.

    Parameters
    ----------
    held_out : str
        As in `Scores`.
    grid : str or None
        As in `CountedScores`.
    dropped : pair of tuple of int, optional
    stated : bool
        As in `GivenSource`.
    """

    held_out: str = ""
    grid: str | None = None
    dropped: tuple[tuple[int, int, int], tuple[int, int, int]] | None = None
    stated: bool = True

    kind: ClassVar[str] = "counted"
    holds: ClassVar[str] = "scores"
    label: ClassVar[str] = "Counted scores"

    @classmethod
    def of(cls, scores: CountedScores) -> CountedSource:
        """What is known of counted scores besides their counts and their reading."""
        dropped = _odd_rows(scores) if scores.nonfinite == "drop" else None
        return cls(scores.held_out, scores.grid, dropped, scores.direction_stated)

    def describe(self) -> str:
        """What is known of each score."""
        held_out = f", {self.held_out}" if self.held_out else ""
        grid = self.grid or "Each value with its count"
        known = f"{grid[0].lower()}{grid[1:]}".rstrip(".")
        return f"Counted scores ({known}){held_out}"

    def to_dict(self) -> JsonObject:
        """The source as JSON values."""
        return {"kind": self.kind, **asdict(self)}

    def read(self, tables: Sequence[DataTable], reading: Reading) -> Scores:
        """The scores as they were counted, in the direction and with the sampling of the reading.

        Parameters
        ----------
        tables : sequence of DataTable
            One, with the columns ``value``, ``count_p``, ``count_q``, and ``first_p`` and
            ``first_q`` where the first rows are known.
        reading : Reading
        """
        table, larger = tables[0], reading.larger_is_member
        p, q = (None, None) if self.dropped is None else map(_non_finite, self.dropped)
        first = None
        if "first_p" in table.columns:
            rows = table.numbers("first_p"), table.numbers("first_q")
            first = tuple(oriented(x, reading.larger_is_member) for x in rows)
        scores = CountedScores(
            table.numbers("value"),
            table.column("count_p"),
            table.column("count_q"),
            larger_is_member=None if not self.stated and larger else larger,
            sampling=reading.sampling,
            name=table.name,
            held_out=self.held_out,
            seed=reading.seed,
            nonfinite_p=p,
            nonfinite_q=q,
            first=first,  # type: ignore[arg-type]
            grid=self.grid,
            notes=table.notes,
        )
        leave_out = reading.nonfinite == "drop" and self.dropped is None
        return scores.without_nonfinite() if leave_out else scores


#: Sources of scores that came as an object of Python.
MADE = (GivenSource, CountedSource)


def source_of(scores: Scores, chosen: str = "") -> DataSource:
    """The source of scores that are given in Python.

    Parameters
    ----------
    scores : Scores
    chosen : str, optional
        As in `GivenSource`.
    """
    if isinstance(scores, CountedScores):
        return CountedSource.of(scores)
    return GivenSource.of(scores, chosen)


def _odd_rows(scores: Scores) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    p, q = scores.nonfinite_p, scores.nonfinite_q
    return (p.nan, p.plus_inf, p.minus_inf), (q.nan, q.plus_inf, q.minus_inf)


def _non_finite(counts: tuple[int, int, int]) -> NonFiniteCounts:
    return NonFiniteCounts(*counts)


def source_from_dict(values: Mapping[str, Any]) -> DataSource:
    """The source of a ``to_dict``.

    Raises
    ------
    WorkspaceError
        It is none.
    """
    fields = dict(values)
    try:
        kind = fields.pop("kind")
        if kind == "given":
            for name in ("rows", "dropped"):
                fields[name] = _tuples(fields[name])
        elif kind == "counted":
            fields["dropped"] = _tuples(fields["dropped"])
        elif kind == "file":
            fields["names"] = tuple(fields["names"])
        source: DataSource = _SOURCES[kind](**fields)
    except (TypeError, KeyError) as error:
        raise WorkspaceError(
            f"this is no source of a data set: {_checks.shown(values)} ({error})"
        ) from error
    return source


_SOURCES: dict[str, Any] = {
    source.kind: source
    for source in (
        ExampleSource,
        DrawnSource,
        FileSource,
        *MADE,
        TrainedSource,
        TableSource,
        DrawnTableSource,
        ExampleTableSource,
    )
}


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value
