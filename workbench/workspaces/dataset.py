"""`DataSet`: what is known of a set of scores or of a score table, without the scores."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from workbench import _checks
from workbench._markup import table
from workbench.pairs.own.kinds import PAIR_KINDS
from workbench.scores.examples import card
from workbench.workspaces.reading import Reading
from workbench.workspaces.score_tables.sources import (
    DrawnTableSource,
    ExampleTableSource,
    TableSource,
)
from workbench.workspaces.sources import EXAMPLE, DataSource, DrawnSource, ExampleSource

#: Bundled examples and draws are older than anything that people add.
_EVER = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class DataSet:
    """A set of scores, or a score table, in a workspace: its name, source and reading.

    Parameters
    ----------
    key : str
        Names it for programs, in this workspace only.
    name : str
        For people; no other data set of the workspace has it.
    source : DataSource
        Where it comes from; see `workbench.workspaces.sources`.
    reading : Reading
    sha256 : str
        Hash of the content (see `workbench.workspaces.content`); "" for examples and draws.
    n_p, n_q : int
        Scores of P and of Q that the bounds use; of a table, those of all records.
    created : datetime
        When it was added.
    reread : str
        The choice of the reading that was changed after results were shown, such as "the direction
        of the score"; "" if there is none.
    declared : Reading or None
        The reading under which the first results were shown; None before.
    claim : str
        What was promised of the mechanism, as text of `workbench.parse_claim`; "" for nothing.
    """

    key: str
    name: str
    source: DataSource
    reading: Reading
    sha256: str
    n_p: int
    n_q: int
    created: datetime
    reread: str = ""
    declared: Reading | None = None
    claim: str = ""

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def kind(self) -> str:
        """What it holds: "scores" or "table"."""
        return self.source.holds

    @property
    def size(self) -> str:
        """How large it is, in words: "5,000 + 5,000" or "128 models × 500 records"."""
        if isinstance(self.source, TableSource | DrawnTableSource | ExampleTableSource):
            return f"{self.source.models:,} models × {self.source.records:,} records"
        return f"{self.n_p:,} + {self.n_q:,}"

    @property
    def virtual(self) -> bool:
        """Whether it is an example or a draw, which everybody has."""
        return self.sha256 == ""

    def describe(self) -> str:
        """Its source and its reading as a sentence."""
        if self.virtual:
            return self.source.describe()
        return f"{self.source.describe()}: {self.reading.describe()}"

    def _repr_html_(self) -> str:
        return table(
            self.name,
            [
                ("source", self.source.describe()),
                ("read as", self.reading.describe()),
                ("size" if self.kind == "table" else "scores", self.size),
                ("added", f"{self.created:%Y-%m-%d %H:%M} UTC"),
                *([("promised", self.claim)] if self.claim else []),
            ],
            f"{self.reread} changed after results were shown" if self.reread else "",
        )


def example_dataset(name: str) -> DataSet:
    """A bundled example as a data set.

    Raises
    ------
    ValueError
        No example of that name.
    """
    about = card(name)
    reading = Reading(larger_is_member=about.larger_is_member, sampling=about.sampling)
    source = ExampleSource(name)
    return DataSet(
        f"{EXAMPLE}{name}",
        about.title,
        source,
        reading,
        "",
        about.n_p,
        about.n_q,
        _EVER,
        claim=about.claim,
    )


def drawn_dataset(source: DrawnSource) -> DataSet:
    """A draw as a data set."""
    name = f"{PAIR_KINDS[source.pair].label}, {source.n:,} per group"
    reading = Reading(sampling="independent runs")
    return DataSet(source.key, name, source, reading, "", source.n, source.n, _EVER)


def virtual_table_dataset(key: str, source: DrawnTableSource | ExampleTableSource) -> DataSet:
    """A draw of a score table, or a bundled one, as a data set."""
    table = source.read((), Reading())
    n_p, n_q = int(table.n_in.sum()), int(table.n_out.sum())
    reading = Reading(larger_is_member=table.larger_is_member, sampling=table.sampling)
    return DataSet(key, table.name, source, reading, "", n_p, n_q, _EVER)
