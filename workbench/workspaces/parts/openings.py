"""`Openings`: when data were opened for the first time, in whatever form."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from workbench import _checks
from workbench._format import percent
from workbench.scores.layouts.apply import scores_from_tables
from workbench.scores.sample import Scores, require_scores
from workbench.scores.table import DataTable
from workbench.workspaces.content import content_hash
from workbench.workspaces.parts.catalog import Catalog
from workbench.workspaces.parts.data_reader import DataReader
from workbench.workspaces.parts.storage import Storage
from workbench.workspaces.seen.memory import SeenData, Sight
from workbench.workspaces.seen.record import Alike, SeenRecord

#: What the store keeps the times under: they outlive `KeptData.purge`.
_OPENED = "opened data"

#: What a list of tables holds, for messages.
A_TABLE = "a DataTable; for scores use add_scores"


@dataclass(frozen=True)
class Opening:
    """When data were opened for the first time, in whatever form.

    Parameters
    ----------
    at : datetime
    sha256 : str
        Hash of the content that they had then.
    how : str
        In words, why these are the same data, where that content was another one; else "".
    """

    at: datetime
    sha256: str
    how: str = ""


class Openings:
    """When data were opened for the first time; also data that were removed since."""

    def __init__(self, storage: Storage, catalog: Catalog, seen: SeenData, reader: DataReader):
        self._storage, self._catalog = storage, catalog
        self._seen, self._reader = seen, reader
        self._known: set[str] = set()  # whose rows were noted although an older version added them

    def time(self, sha256: str) -> datetime | None:
        """When data of this content were opened for the first time; None if they never were."""
        _checks.text(sha256, "sha256")
        shared = self._catalog.shared
        with self._storage.lock:
            entries = [entry.dataset for entry in self._storage.store.datasets.all().values()]
            noted = self._storage.store.states.get(_OPENED, sha256)
        times = [one.created for one in (*shared, *entries) if one.sha256 == sha256]
        times += [datetime.fromisoformat(noted["at"])] if noted else []
        return min(times, default=None)

    def find(self, sha256: str, data: Scores | None = None) -> Opening | None:
        """When data were opened for the first time: as they are, or in another form.

        Parameters
        ----------
        sha256 : str
            Hash of their content.
        data : Scores, optional
            Read from it: they are recognized in another order and in other units, and so are data
            that share most of their rows.
        """
        at = self.time(sha256)
        found = [] if at is None else [Opening(at, sha256)]
        if data is not None:
            require_scores(data, "data")
            self._note_rows_of_all()
            record = self._seen.of(data)
            if record is not None:
                how = "" if record.sha256 == sha256 else _why_same(record)
                found.append(Opening(record.opened, record.sha256, how))
                found += [
                    Opening(other.opened, other.sha256, _why_alike(alike, other))
                    for alike, other in self._seen.others(record)
                ]
        return min(found, key=lambda one: one.at, default=None)

    def note(self, sha256: str, at: datetime) -> None:
        """Note that data of this content were opened, unless that was noted before."""
        if self._storage.store.states.get(_OPENED, sha256) is None:
            self._storage.store.states.put(_OPENED, sha256, {"at": at.isoformat()})

    def note_tables(self, tables: Sequence[DataTable]) -> None:
        """Note that tables are opened now, before they are added."""
        tables = tuple(_checks.each_of(tables, DataTable, "tables", A_TABLE))
        with self._storage.lock:
            for order in {tables, tables[::-1]}:  # which are the members is not known yet
                self.note(content_hash(order), datetime.now(UTC))
        with suppress(ValueError):  # which columns hold the scores may be a question
            scores, _ = scores_from_tables(tables)
            name = " and ".join(table.name for table in tables)
            self._seen.open(Sight(scores, name, content_hash(tables)))

    def _note_rows_of_all(self) -> None:
        """Note the rows of data sets that an older version added."""
        with self._storage.lock:
            entries = [one.dataset for one in self._storage.store.datasets.all().values()]
        for one in entries:
            if one.kind == "scores" and one.reading.seed is None and one.key not in self._known:
                self._known.add(one.key)
                with suppress(ValueError):  # another program deleted it, or it is damaged
                    sight = Sight(self._reader.read(one, one.reading), one.name, one.sha256)
                    self._seen.open(sight, at=one.created)


def _why_same(record: SeenRecord) -> str:
    """Why data of another content are the same as those of a record."""
    if record.is_distinctive:
        return f"as {record.called}: the same scores, in another order or in other units"
    few = "which other data with so few different scores may have"
    return f"as {record.called}: the same ranks, {few}"


def _why_alike(alike: Alike, record: SeenRecord) -> str:
    """Why data that share rows with those of a record could be known by it."""
    if alike.how == "exchanged":
        return f"as {record.called}: the same scores, with members and non-members exchanged"
    units = ", in other units" if alike.how == "rescaled" else ""
    rows = f"about {percent(round(alike.share, 1))} of the rows are the same{units}"
    return f"as {record.called}: {rows}"
