"""Where score tables come from: files, Python, the bundled examples, or a draw."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np

from workbench import _checks
from workbench._json import JsonObject
from workbench.scores.chance import spawned_seed
from workbench.scores.table import DataTable
from workbench.tables.examples import TABLES, example_table
from workbench.tables.table import ScoreTable
from workbench.workspaces.draws import DRAW
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.reading import Reading
from workbench.workspaces.score_tables.columns import SCORES, shapes_of, table_of_columns

#: What a key of a drawn table begins with.
DRAWN_TABLE = f"{DRAW}table?"

#: The largest number of cells of a drawn table, and the largest μ.
MOST_CELLS, MOST_MU = 10**6, 10.0

#: Classes of the records of a drawn table.
CLASSES = ("A", "B", "C", "D")

_SHAPE = re.compile(
    r"draw:table\?leaking=(?P<leaking>\d{1,6})&models=(?P<models>\d{1,6})&mu=(?P<mu>\d+(\.\d+)?)"
    r"&records=(?P<records>\d{1,6})&seed=(?P<seed>\d{1,9})"
)
_EXAMPLE_KEY = "draw:table?leaking=5&models=128&mu=4.0&records=200&seed=0"


def reading_of_table(table: ScoreTable) -> Reading:
    """How a table is read from the columns that keep it."""
    return Reading(larger_is_member=table.larger_is_member, sampling=table.sampling)


@dataclass(frozen=True)
class TableSource:
    """A score table of files, or one that was given in Python.

    Parameters
    ----------
    shapes : mapping of str to tuple of int
        See `workbench.workspaces.score_tables.columns.shapes_of`.
    augmentations : str
        As in `ScoreTable`.
    names : tuple of str
        Names of its files; () for a table that was given in Python.
    """

    shapes: Mapping[str, tuple[int, ...]] = field(hash=False)
    augmentations: str = "mean"
    names: tuple[str, ...] = ()

    kind: ClassVar[str] = "table"
    holds: ClassVar[str] = "table"
    label: ClassVar[str] = "Score table"

    def __post_init__(self) -> None:
        try:
            shapes = {str(k): tuple(int(n) for n in v) for k, v in dict(self.shapes).items()}
            _models, _records = shapes[SCORES][:2]
        except (TypeError, ValueError, KeyError) as error:
            raise WorkspaceError(
                f"these are not the shapes of a score table: {_checks.shown(self.shapes)} ({error})"
            ) from error
        object.__setattr__(self, "shapes", shapes)
        object.__setattr__(self, "names", tuple(self.names))

    @classmethod
    def of(cls, table: ScoreTable, names: Sequence[str] = ()) -> TableSource:
        """The source of a table.

        Parameters
        ----------
        table : ScoreTable
        names : sequence of str, optional
            Names of its files.
        """
        return cls(shapes_of(table), table.augmentations, tuple(names))

    @property
    def models(self) -> int:
        """Number of models."""
        return int(self.shapes[SCORES][0])

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.shapes[SCORES][1])

    def describe(self) -> str:
        """The files, or Python."""
        if not self.names:
            return "Score table given in Python"
        names = " and ".join(f"“{name}”" for name in self.names[:2])
        more = f" and {len(self.names) - 2} more" if len(self.names) > 2 else ""
        return f"Score table of {names}{more}"

    def to_dict(self) -> JsonObject:
        """The source as JSON values."""
        return {
            "kind": self.kind,
            "shapes": {name: list(shape) for name, shape in self.shapes.items()},
            "augmentations": self.augmentations,
            "names": list(self.names),
        }

    def read(self, tables: Sequence[DataTable], reading: Reading) -> ScoreTable:
        """The score table.

        Parameters
        ----------
        tables : sequence of DataTable
            Its columns.
        reading : Reading
        """
        return table_of_columns(
            tables,
            self.shapes,
            augmentations=self.augmentations,
            larger_is_member=reading.larger_is_member,
            sampling=reading.sampling,
        )


@dataclass(frozen=True)
class ExampleTableSource:
    """A bundled score table."""

    name: str

    kind: ClassVar[str] = "example table"
    holds: ClassVar[str] = "table"
    label: ClassVar[str] = "Bundled score table"

    def __post_init__(self) -> None:
        if self.name not in TABLES:
            raise WorkspaceError(
                f"no score table {_checks.shown(self.name)} is bundled; there are "
                f"{', '.join(TABLES)}"
            )

    @property
    def table(self) -> ScoreTable:
        """The table, the same object every time."""
        return example_table(self.name)

    @property
    def models(self) -> int:
        """Number of models."""
        return self.table.n_models

    @property
    def records(self) -> int:
        """Number of records."""
        return self.table.n_records

    def describe(self) -> str:
        """How the table was made."""
        return " ".join(self.table.notes)

    def to_dict(self) -> JsonObject:
        """The source as JSON values."""
        return {"kind": self.kind, "name": self.name}

    def read(self, tables: Sequence[DataTable], reading: Reading) -> ScoreTable:
        """The score table."""
        return self.table


@dataclass(frozen=True)
class DrawnTableSource:
    """A draw of a score table in which it is known which records leak.

    Every model is trained on each record by a fair coin. The scores are N(0, 1), and N(μ, 1) where
    the model was trained on a record that leaks.

    Parameters
    ----------
    models, records, leaking : int
        Numbers of models and of records, and how many of the records leak.
    mu : float
        How far members of these are from non-members.
    seed : int

    Raises
    ------
    WorkspaceError
        Values out of range, more than `MOST_CELLS` cells.
    """

    models: int = 128
    records: int = 200
    leaking: int = 5
    mu: float = 4.0
    seed: int = 0

    kind: ClassVar[str] = "drawn table"
    holds: ClassVar[str] = "table"
    label: ClassVar[str] = "Drawn score table"

    def __post_init__(self) -> None:
        try:
            _checks.count(self.models, "models", least=8)
            _checks.count(self.records, "records", least=1)
            _checks.count(self.leaking, "leaking")
            _checks.count(self.seed, "seed")
            if self.leaking > self.records:
                raise ValueError(f"{self.leaking} of {self.records} records cannot leak")
            if self.models * self.records > MOST_CELLS:
                raise ValueError(f"more than {MOST_CELLS:,} cells; ask for fewer records")
            if not 0 <= self.mu <= MOST_MU:
                raise ValueError(f"mu must be from 0 to {MOST_MU:g}, got {self.mu!r}")
        except ValueError as error:
            raise WorkspaceError(f"this table cannot be drawn: {error}") from None
        object.__setattr__(self, "mu", float(self.mu))

    @property
    def key(self) -> str:
        """The key of the data set."""
        query = "&".join(f"{name}={value}" for name, value in sorted(asdict(self).items()))
        return f"{DRAWN_TABLE}{query}"

    @classmethod
    def of(cls, key: str) -> DrawnTableSource:
        """The source of a key.

        Raises
        ------
        WorkspaceError
            A key of another form, or values out of range.
        """
        found = _SHAPE.fullmatch(key)
        if found is None:
            raise WorkspaceError(
                f"{_checks.shown(key)} is not the key of a drawn table; write it as {_EXAMPLE_KEY}"
            )
        values = found.groupdict()
        mu = float(values.pop("mu"))
        return cls(mu=mu, **{name: int(text) for name, text in values.items()})

    @property
    def title(self) -> str:
        """What people call it."""
        return f"{self.leaking} of {self.records:,} records leak"

    def describe(self) -> str:
        """What is drawn, and what is true of it."""
        return (
            f"{self.models} simulated models, each trained on every record by a fair coin. The "
            f"scores of {self.leaking} records differ by μ = {self.mu:g} between members and "
            f"non-members, those of the other {self.records - self.leaking:,} not at all. Seed "
            f"{self.seed}."
        )

    def to_dict(self) -> JsonObject:
        """The source as JSON values."""
        return {"kind": self.kind, **asdict(self)}

    def read(self, tables: Sequence[DataTable], reading: Reading) -> ScoreTable:
        """The score table, drawn."""
        return _drawn(self)


@lru_cache(maxsize=4)
def _drawn(source: DrawnTableSource) -> ScoreTable:
    generator = np.random.default_rng(source.seed)
    shape = source.models, source.records
    member = generator.random(shape) < 0.5
    scores = generator.standard_normal(shape)
    leaks = np.zeros(source.records, dtype=bool)
    leaks[generator.choice(source.records, source.leaking, replace=False)] = True
    scores += source.mu * (member & leaks)
    return ScoreTable(
        scores,
        member,
        attributes={
            "class": np.array(CLASSES)[np.arange(source.records) % len(CLASSES)],
            "truth": np.where(leaks, "leaks", "does not leak"),
        },
        sampling="independent runs",
        name=source.title,
        seed=spawned_seed(generator),
    )
