"""`KeptData`: the data sets of a workspace that can be changed: added, renamed, read otherwise."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from workbench import _checks
from workbench.audits.plan import claim_text
from workbench.scores.sample import Scores
from workbench.scores.table import DataTable
from workbench.workspaces.content import content_hash
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.parts.active import ActiveData
from workbench.workspaces.parts.cache import Content
from workbench.workspaces.parts.catalog import Catalog
from workbench.workspaces.parts.changes import Changes
from workbench.workspaces.parts.data_reader import DataReader
from workbench.workspaces.parts.openings import A_TABLE, Openings
from workbench.workspaces.parts.storage import Storage
from workbench.workspaces.reading import Reading
from workbench.workspaces.score_tables.sources import TableSource
from workbench.workspaces.sources import MADE, DataSource, FileSource, GivenSource
from workbench.workspaces.storing.entry import Entry
from workbench.workspaces.trained.source import TrainedSource

#: Characters of a name of a data set.
LONGEST_NAME = 200


@dataclass(frozen=True)
class WorkspaceState:
    """What `KeptData.revert` goes back to: names, readings, what was removed, what was chosen.

    Parameters
    ----------
    entries : mapping of str to Entry
        By key.
    current, current_table : str or None
    """

    entries: Mapping[str, Entry]
    current: str | None
    current_table: str | None = None


class KeptData:
    """The data sets that a workspace keeps itself, and all changes of them."""

    def __init__(
        self,
        storage: Storage,
        catalog: Catalog,
        reader: DataReader,
        openings: Openings,
        changes: Changes,
        active: ActiveData,
    ):
        self._storage, self._catalog = storage, catalog
        self._reader, self._openings = reader, openings
        self._changes, self._active = changes, active
        self._added: set[str] = set()  # what `revert` may remove: others may use the same store

    def add(
        self,
        tables: tuple[DataTable, ...],
        source: DataSource,
        reading: Reading,
        name: str,
        content: Content | None = None,
        reread: str = "",
        shown: datetime | None = None,
    ) -> DataSet:
        """The data set of tables, the one that is there already if it is the same; see `bring`.

        Parameters
        ----------
        tables, source, reading, name, reread, shown
            As of `bring`.
        content : Scores or ScoreTable, optional
            What is read from the tables, if that is known.
        """
        digest = content_hash(tables)
        facts = source if isinstance(source, MADE) else GivenSource()
        # What a person shares may be taken back: others need the same content as their own.
        given = [one for one, owner in self._catalog.owned if not owner]
        with self._changes.change() as shared:
            for one in given:
                if _is_same(one, digest, reading, facts):
                    return one
            for entry in self._storage.store.datasets.all().values():
                if _is_same(entry.dataset, digest, reading, facts):
                    return self._present(entry, shared, tables)
            self._storage.require_data_set(tables)
            found = source.read(tables, reading) if content is None else content
            n_p, n_q = _group_sizes(found)
            name = self._catalog.free_name(name.strip()[:LONGEST_NAME] or "scores", shared)
            now = datetime.now(UTC)
            opened = now if shown is None else min(now, shown)
            found, reading = self._reader.with_chance(found, reading, name, digest, opened)
            dataset = DataSet(
                key=_new_key(),
                name=name,
                source=source,
                reading=reading,
                sha256=digest,
                n_p=n_p,
                n_q=n_q,
                created=now,
                reread=reread or _chosen_record(source),
            )
            self._store(dataset, tables)
            self._openings.note(digest, opened)
            self._reader.keep(dataset.key, reading, found)
        return dataset

    def bring(
        self,
        tables: Sequence[DataTable],
        source: DataSource,
        reading: Reading,
        name: str,
        reread: str = "",
        shown: datetime | None = None,
    ) -> DataSet:
        """Add a data set of another workspace, such as the scores of a saved audit.

        Parameters
        ----------
        tables : sequence of DataTable
        source : DataSource
            The source of a file, of something made in Python, or of a score table.
        reading : Reading
        name : str
        reread : str, optional
            As of the data set there.
        shown : datetime, optional
            Since when their results may have been seen here: a plan that was stored later does not
            come before them.
        """
        tables = tuple(_checks.each_of(tables, DataTable, "tables", A_TABLE))
        kinds = (FileSource, *MADE, TrainedSource, TableSource)
        _checks.instance(source, kinds, "source", "the source of a data set")
        _checks.text(name, "name"), _checks.text(reread, "reread")
        return self.add(tables, source, checked_reading(reading), name, None, reread, shown)

    def rename(self, key: str, name: str) -> DataSet:
        """Give a data set another name.

        Raises
        ------
        WorkspaceError
            An empty or overlong name, one that another data set has, or a data set that cannot be
            changed.
        """
        name = _checks.text(name, "name").strip()
        if not 0 < len(name) <= LONGEST_NAME:
            raise WorkspaceError(
                f"a name must have 1 to {LONGEST_NAME} characters, got {_checks.shown(name)}"
            )
        key = self._catalog.own_key(key)
        with self._changes.change() as shared:
            entry = self._entry(key)
            others = (*shared, *self._catalog.own)
            if any(one.name == name and one.key != key for one in others):
                raise WorkspaceError(f"another data set is called {name!r}; choose another name")
            return self._update(entry, name=name)

    def promise(self, key: str, claim: str) -> DataSet:
        """Keep with a data set what was promised of the mechanism.

        Parameters
        ----------
        key : str
        claim : str
            Text of `workbench.parse_claim`, such as "approx(2, 1e-5)"; "" for nothing.

        Raises
        ------
        ValueError
            Text that is no claim.
        WorkspaceError
            A data set that cannot be changed.
        """
        claim = claim_text(claim)
        key = self._catalog.own_key(key)
        with self._changes.change():
            return self._update(self._entry(key), claim=claim)

    def remove(self, key: str) -> None:
        """Take a data set out of the list; its content stays until `purge`."""
        key = self._catalog.own_key(key)
        with self._changes.change():
            self._storage.store.datasets.update(
                replace(self._entry(key), removed=datetime.now(UTC))
            )
            for kind in ("scores", "table"):
                if self._active.stored(kind) == key:
                    self._active.store(kind, None)

    def restore(self, key: str) -> DataSet:
        """Bring a removed data set back."""
        key = self._catalog.own_key(key)
        with self._changes.change() as shared:
            return self._present(self._entry(key), shared)

    def purge(self) -> None:
        """Delete removed data sets with their content, and files that no page uses."""
        with self._changes.change():
            for key, entry in self._storage.store.datasets.all().items():
                if entry.removed is not None:
                    self._storage.store.datasets.forget(key)
            self._storage.store.files.purge()
            self._storage.cache.clear()

    def reread(self, key: str, reading: Reading, seen: bool) -> DataSet:
        """Change how a data set is read.

        Parameters
        ----------
        key : str
        reading : Reading
        seen : bool
            Whether results were shown before. Then, if scores or direction differ from what was
            declared before the first results, the data set is marked with the choice that changed
            (`DataSet.reread`). A declaration that changes no number marks nothing, and going back
            to what was declared takes the mark away.

        Returns
        -------
        DataSet
            A copy with a key of its own where the data set belongs to the base.

        Raises
        ------
        ScoresError
            The tables cannot be read so; nothing is changed.
        WorkspaceError
            An example or a draw.
        """
        checked_reading(reading), _checks.flag(seen, "seen")
        before = self._catalog.dataset(key)
        lender = self._catalog.lender_of(before.key)
        tables = () if lender is None else lender.tables(before.key)
        key = self._catalog.own_key(key) if lender is None else ""
        with self._changes.change() as shared:
            entry = self._entry(key) if lender is None else self._copy(before, tables, shared)
            dataset = entry.dataset
            if reading.layout is None:
                reading = replace(reading, layout=dataset.reading.layout)
            if reading.seed == dataset.reading.seed:  # other scores have a number of their own
                reading = replace(reading, seed=None)
            declared, mark = dataset.declared, ""
            if seen or declared is not None:
                declared = declared or dataset.reading
                mark = self._reader.changed_choice(dataset, declared, reading)
            mark = mark or _chosen_record(dataset.source)
            found = self._reader.read(dataset, reading)
            found, reading = self._reader.with_chance(found, reading, dataset.name, dataset.sha256)
            self._reader.keep(dataset.key, reading, found)
            n_p, n_q = _group_sizes(found)
            return self._update(
                entry, reading=reading, declared=declared, reread=mark, n_p=n_p, n_q=n_q
            )

    def snapshot(self) -> WorkspaceState:
        """Names, readings, what was removed and what was chosen, for `revert`."""
        with self._storage.lock:
            return WorkspaceState(
                self._storage.store.datasets.all(),
                self._active.stored("scores"),
                self._active.stored("table"),
            )

    def revert(self, state: WorkspaceState) -> None:
        """Go back, or forward, to a `snapshot`.

        Data sets that were added here since are removed, which the way forward undoes. What another
        program added stays.
        """
        _checks.instance(state, WorkspaceState, "state", "what KeptData.snapshot returned")
        with self._changes.change():
            for key, entry in self._storage.store.datasets.all().items():
                then = state.entries.get(key)
                if then is not None and then != entry:
                    self._storage.store.datasets.update(then)
                elif then is None and entry.removed is None and key in self._added:
                    self._storage.store.datasets.update(replace(entry, removed=datetime.now(UTC)))
            self._active.store("scores", state.current)
            another = self._active.store("table", state.current_table)
        if another:
            self._changes.announce()

    # -- steps --------------------------------------------------------------------------------

    def _entry(self, key: str) -> Entry:
        entry = self._storage.store.datasets.all().get(key)
        if entry is None:
            raise WorkspaceError(f"another program has deleted the data set {key!r}")
        return entry

    def _store(self, dataset: DataSet, tables: tuple[DataTable, ...]) -> Entry:
        entry = Entry(dataset)
        self._storage.store.datasets.add(entry, tables)
        self._added.add(dataset.key)
        return entry

    def _copy(
        self, dataset: DataSet, tables: tuple[DataTable, ...], shared: Sequence[DataSet]
    ) -> Entry:
        """The entry of a copy: whoever reads the data of others in another way needs one."""
        name = self._catalog.free_name(dataset.name, shared)
        self._storage.require_data_set(tables)
        copy = replace(dataset, key=_new_key(), name=name, created=datetime.now(UTC))
        return self._store(copy, tables)

    def _present(
        self, entry: Entry, shared: Sequence[DataSet], tables: tuple[DataTable, ...] = ()
    ) -> DataSet:
        """The data set of an entry, no longer removed, its content repaired if it was damaged."""
        if tables:
            self._storage.store.datasets.add(entry, tables)
        if entry.removed is not None:
            name = self._catalog.free_name(entry.dataset.name, shared)
            entry = Entry(replace(entry.dataset, name=name))
            self._storage.store.datasets.update(entry)
        return entry.dataset

    def _update(self, entry: Entry, **changes: Any) -> DataSet:
        dataset = replace(entry.dataset, **changes)
        if dataset != entry.dataset:
            self._storage.store.datasets.update(replace(entry, dataset=dataset))
        return dataset


def checked_reading(value: Any) -> Reading:
    """``value``, which must be a `Reading` (TypeError)."""
    return _checks.instance(
        value, Reading, "reading", "a workbench.workspaces.reading.Reading, such as dataset.reading"
    )


def _new_key() -> str:
    return secrets.token_urlsafe(16)


def _is_same(dataset: DataSet, digest: str, reading: Reading, facts: DataSource) -> bool:
    """Whether a data set has this content and this reading; its seed, if one is stated."""
    known = dataset.source if isinstance(dataset.source, MADE) else GivenSource()
    if reading.seed is None:
        reading = replace(reading, seed=dataset.reading.seed)
    return dataset.sha256 == digest and dataset.reading == reading and known == facts


def _group_sizes(found: Content) -> tuple[int, int]:
    """Scores of P and of Q; of a table, those of all records."""
    if isinstance(found, Scores):
        return found.n_p, found.n_q
    return int(found.n_in.sum()), int(found.n_out.sum())


def _chosen_record(source: DataSource) -> str:
    """The mark of scores of a record that was chosen after results were shown; "" for others."""
    return source.reread if isinstance(source, GivenSource) else ""
