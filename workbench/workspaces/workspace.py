"""`Workspace`: data sets and the state of pages, for pages, notebooks and the command line."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import _checks, _json
from workbench._format import percent
from workbench.scores.examples import NAMES
from workbench.scores.layouts.apply import scores_from_tables
from workbench.scores.layouts.guess import guess_layout
from workbench.scores.refusals import did_you_mean
from workbench.scores.sample import Scores, require_scores
from workbench.scores.table import DataTable
from workbench.tables.examples import TABLES
from workbench.tables.table import ScoreTable
from workbench.workspaces.cache import Content, ScoresCache
from workbench.workspaces.content import content_hash, table_of_scores
from workbench.workspaces.dataset import (
    DataSet,
    drawn_dataset,
    example_dataset,
    virtual_table_dataset,
)
from workbench.workspaces.draws import DRAW
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.reading import Reading
from workbench.workspaces.score_tables.columns import columns_of
from workbench.workspaces.score_tables.sources import (
    DRAWN_TABLE,
    DrawnTableSource,
    ExampleTableSource,
    TableSource,
    reading_of_table,
)
from workbench.workspaces.seen.memory import SeenData, Sight
from workbench.workspaces.seen.record import SeenRecord
from workbench.workspaces.shared_data import SharedData, is_shared_data
from workbench.workspaces.sources import (
    EXAMPLE,
    MADE,
    DataSource,
    DrawnSource,
    FileSource,
    GivenSource,
    reading_of,
    source_of,
)
from workbench.workspaces.storing.allowance import Allowance
from workbench.workspaces.storing.entry import Entry, file_hash, tables_size
from workbench.workspaces.storing.store import Store
from workbench.workspaces.trained.source import TrainedSource
from workbench.workspaces.view import Datasets

if TYPE_CHECKING:
    from workbench.audits.archive import Archive

_A_TABLE = "a DataTable; for scores use add_scores"

#: What the store keeps the times under at which data were opened: they outlive `Workspace.purge`.
_OPENED = "opened data"

#: What the store keeps the key of the score table in view under.
_TABLE = "score table in view"

#: Characters of a name of a data set.
LONGEST_NAME = 200


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


@dataclass(frozen=True)
class WorkspaceState:
    """What `Workspace.revert` goes back to: names, readings, what was removed, what was chosen.

    Parameters
    ----------
    entries : mapping of str to Entry
        By key.
    current, current_table : str or None
    """

    entries: Mapping[str, Entry]
    current: str | None
    current_table: str | None = None


class Workspace:
    """Data sets, the one in view, and the settings of every page.

    Keys name data sets: ``example:NAME`` a bundled example, ``draw:…`` a draw from a pair with
    known privacy loss (`workbench.workspaces.draws`), and an unguessable text any other one.
    Examples and draws are always there and are not stored. All methods may be called from any
    thread.

    Parameters
    ----------
    store : Store, optional
        Where everything is kept; in memory by default. `wb.workspace` opens the one on disk.
    base : SharedData, optional
        Data sets that are here, too, and cannot be changed here, such as a workspace of those that
        a server was given.
    open_archive : callable, optional
        Opens the archive of `audits` when it is first asked for; in memory by default.
    has_audits : callable, optional
        Whether there is such an archive already.
    allowance : Allowance, optional
        How much it may hold; as much as the store takes by default. Where it would be too much,
        methods raise what the allowance raises, and nothing is changed.
    seen : SeenData, optional
        Where it is noted what was shown of which data: that of another workspace, if its data are
        looked at here. By default this one has its own, in its store.

    See Also
    --------
    workspace : the workspace on this computer's disk.
    """

    def __init__(
        self,
        store: Store | None = None,
        base: SharedData | None = None,
        open_archive: Callable[[], Archive] | None = None,
        has_audits: Callable[[], bool] = lambda: True,
        allowance: Allowance | None = None,
        seen: SeenData | None = None,
    ):
        if seen is not None:
            _checks.instance(seen, SeenData, "seen", "the seen of another workspace")
        if allowance is not None:
            need = "an object with require_data_set and require_room"
            _checks.instance(allowance, Allowance, "allowance", need)
        for name, asked in (("open_archive", open_archive), ("has_audits", has_audits)):
            if asked is not None:
                _checks.function(asked, name, "a function without arguments")
        self._store: Store = _store(store)
        self._base = None if base is None else _shared_data(base)
        self.closed = False
        self._lock = RLock()
        #: What was shown of which data.
        self.seen = SeenData(self._store.seen, self._lock) if seen is None else seen
        self._cache = ScoresCache()
        self._watchers: list[Callable[[Workspace], None]] = []
        self._added: set[str] = set()  # what `revert` may remove: others may use the same store
        self._known: set[str] = set()  # whose rows were noted although an older version added them
        self._last_version = self._store.datasets.version()
        self._open_archive = open_archive or _archive_in_memory
        self._has_audits = (lambda: False) if open_archive is None else has_audits
        self._archive: Archive | None = None
        self._allowance = allowance

    # -- what there is ------------------------------------------------------------------------

    @property
    def where(self) -> str:
        """Where the data sets are kept, such as "in the memory of this server"."""
        return self._store.where

    @property
    def problem(self) -> str:
        """What is wrong with the store, what was kept and what to do; "" if nothing is."""
        return self._store.problem

    @property
    def waiting(self) -> bool:
        """Whether changes are in memory only, because the disk does not take them."""
        return self._store.waiting

    @property
    def datasets(self) -> Datasets:
        """The data sets that were not removed, oldest first; those of the base come first."""
        return Datasets([*self.shared, *self.own], self.where)

    @property
    def own(self) -> list[DataSet]:
        """Those of `datasets` that can be changed here."""
        with self._lock:
            return [e.dataset for e in self._store.datasets.all().values() if e.removed is None]

    @property
    def shared(self) -> list[DataSet]:
        """Those of `datasets` that are the base's."""
        return [] if self._base is None else list(self._base.datasets)

    def borrow(self, base: SharedData) -> None:
        """Show the data sets of another base from now on.

        Parameters
        ----------
        base : SharedData

        Raises
        ------
        TypeError
            It is something else.
        """
        self._base = _shared_data(base)

    def owner_of(self, key: str) -> str:
        """The name of the person who shares a data set; "" for one that nobody shares.

        Parameters
        ----------
        key : str
        """
        return self._base.owner_of(key) if self._base is not None and self._is_lent(key) else ""

    @property
    def audits(self) -> Archive:
        """The audits that were saved, with their plans and series."""
        with self._lock:
            if self._archive is None:
                self._archive = self._open_archive()
            return self._archive

    @property
    def may_have_audits(self) -> bool:
        """Whether `audits` may hold anything; False where it would be made to look."""
        return self._archive is not None or self._has_audits()

    @property
    def size(self) -> int:
        """Bytes of the data sets, files and audits, of those that were removed, too."""
        with self._lock:
            kept = self._store.size()
        return kept + (self.audits.size if self.may_have_audits else 0)

    def require_room(self, more: int) -> None:
        """Raise what the allowance raises where there is no room for further content.

        Parameters
        ----------
        more : int
            Its bytes.
        """
        if self._allowance is not None:
            self._allowance.require_room(self.size, more)

    def dataset(self, key: str) -> DataSet:
        """What is known of a data set.

        Parameters
        ----------
        key : str
            A key, also of an example, a draw, or a data set that was removed; or a name.

        Raises
        ------
        WorkspaceError
            There is none; a draw with values out of range.
        """
        _checks.text(key, "key")
        if key.startswith(EXAMPLE):
            return _example(key)
        if key.startswith(DRAWN_TABLE):
            source = DrawnTableSource.of(key)
            return virtual_table_dataset(source.key, source)
        if key.startswith(DRAW):
            return drawn_dataset(DrawnSource.of(key))
        with self._lock:
            entry = self._store.datasets.all().get(key)
        return self.datasets[key] if entry is None else entry.dataset

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set, as they came from its files.

        Parameters
        ----------
        key : str
            As of `dataset`.

        Returns
        -------
        tuple of DataTable
            Where the source is not a file: one table with the scores as arrays ``p`` and ``q``.
            Of a score table, its columns.
        """
        dataset = self.dataset(key)
        if dataset.virtual:
            if dataset.kind == "table":
                return columns_of(self.table(dataset.key))
            return (table_of_scores(self.scores(dataset.key)),)
        if self._base is not None and self._is_lent(dataset.key):
            return self._base.tables(dataset.key)
        with self._lock:
            return self._store.datasets.tables(dataset.key)

    def scores(self, key: str) -> Scores:
        """The scores of a data set, the same object as long as anybody uses it.

        Parameters
        ----------
        key : str
            As of `dataset`.

        Raises
        ------
        WorkspaceError
            There are none, or it is a score table; see `table`.
        """
        dataset = self.dataset(key)
        if self._base is not None and self._is_lent(dataset.key):
            return self._base.scores(dataset.key)
        found = self._content(dataset)
        if not isinstance(found, Scores):
            raise WorkspaceError(
                f"{dataset.name!r} is a table of {dataset.size}: open it on the page Records, or "
                "take one record with workspace.table(key).record(name)"
            )
        return found

    def table(self, key: str) -> ScoreTable:
        """The score table of a data set, the same object as long as anybody uses it.

        Parameters
        ----------
        key : str
            As of `dataset`.

        Raises
        ------
        WorkspaceError
            There is none, or it holds scores of one target; see `scores`.
        """
        dataset = self.dataset(key)
        if self._base is not None and self._is_lent(dataset.key):
            return self._base.table(dataset.key)
        found = self._content(dataset)
        if not isinstance(found, ScoreTable):
            raise WorkspaceError(
                f"{dataset.name!r} holds two samples of scores, and is no score table of models "
                "and records; its scores are workspace.scores(key)"
            )
        return found

    def find(self, sha256: str, removed: bool = False) -> DataSet | None:
        """The data set whose content has this hash, or None.

        Parameters
        ----------
        sha256 : str
        removed : bool
            True if one that was removed counts, where no other has this content.
        """
        found = list(self.datasets)
        if removed:
            with self._lock:
                found += [entry.dataset for entry in self._store.datasets.all().values()]
        return next((one for one in found if sha256 and one.sha256 == sha256), None)

    def opened(self, sha256: str) -> datetime | None:
        """When data of this content were opened for the first time; None if they never were.

        Parameters
        ----------
        sha256 : str

        Returns
        -------
        datetime or None
            Also of data that were removed, purged, or read in several ways.
        """
        _checks.text(sha256, "sha256")
        shared = self.shared
        with self._lock:
            entries = [entry.dataset for entry in self._store.datasets.all().values()]
            times = [one.created for one in (*shared, *entries) if one.sha256 == sha256]
            noted = self._store.states.get(_OPENED, sha256)
        times += [datetime.fromisoformat(noted["at"])] if noted else []
        return min(times, default=None)

    def opening(self, sha256: str, data: Scores | None = None) -> Opening | None:
        """When data were opened for the first time: as they are, or in another form.

        Parameters
        ----------
        sha256 : str
            Hash of their content.
        data : Scores, optional
            Read from it: they are recognized in another order and in other units, and so are data
            that share most of their rows.

        Returns
        -------
        Opening or None
        """
        at = self.opened(sha256)
        found = [] if at is None else [Opening(at, sha256)]
        if data is not None:
            require_scores(data, "data")
            self._know_all()
            record = self.seen.of(data)
            others = [] if record is None else self.seen.others(record)
            if record is not None:
                how = "" if record.sha256 == sha256 else _same_words(record)
                found.append(Opening(record.opened, record.sha256, how))
            found += [
                Opening(other.opened, other.sha256, _alike_words(alike.share, alike.how, other))
                for alike, other in others
            ]
        return min(found, key=lambda one: one.at, default=None)

    # -- changes ------------------------------------------------------------------------------

    def note_opening(self, tables: Sequence[DataTable]) -> None:
        """Note that tables are looked at now, before they are added; see `opened`.

        Parameters
        ----------
        tables : sequence of DataTable
        """
        tables = tuple(_checks.each_of(tables, DataTable, "tables", _A_TABLE))
        with self._lock:
            for order in {tables, tables[::-1]}:  # which are the members is not known yet
                self._note_opening(content_hash(order), datetime.now(UTC))
        with suppress(ValueError):  # which columns hold the scores may be a question
            scores, _ = scores_from_tables(tables)
            name = " and ".join(table.name for table in tables)
            self.seen.open(Sight(scores, name, content_hash(tables)))

    def add(
        self,
        tables: Sequence[DataTable],
        reading: Reading | None = None,
        name: str = "",
        files: Sequence[str] = (),
    ) -> DataSet:
        """Add the tables of one file, or of one file per group, members first.

        Parameters
        ----------
        tables : sequence of DataTable
        reading : Reading, optional
            How they are read. Its layout is guessed where it is None.
        name : str, optional
            The table's name by default. A number is appended where another data set has it.
        files : sequence of str, optional
            Names of the files; the tables' names by default.

        Returns
        -------
        DataSet
            The one that is there already, where content and reading are the same. If it was
            removed, it is there again.

        Raises
        ------
        ScoresError
            The tables cannot be read so.
        """
        tables = tuple(_checks.each_of(tables, DataTable, "tables", _A_TABLE))
        if not 1 <= len(tables) <= 2:
            raise WorkspaceError(f"give one table, or one of each group; got {len(tables)}")
        reading = Reading() if reading is None else _reading(reading)
        if reading.layout is None:
            reading = replace(reading, layout=guess_layout(*tables))
        names = _checks.each_of(files, str, "files", "the name of a file")
        source = FileSource(tuple(names) or tuple(table.name for table in tables))
        return self._add(tables, source, reading, _checks.text(name, "name") or tables[0].name)

    def add_scores(self, scores: Scores, name: str = "", chosen: str = "") -> DataSet:
        """Add scores that were made in Python.

        Parameters
        ----------
        scores : Scores
        name : str, optional
            The name of the scores by default.
        chosen : str, optional
            The record of a score table that they are of, if it was chosen after results were
            shown: bounds on every page are then marked as not valid.

        Returns
        -------
        DataSet
            As of `add`.
        """
        require_scores(scores)
        return self._add(
            (table_of_scores(scores),),
            source_of(scores, _checks.text(chosen, "chosen")),
            reading_of(scores),
            _checks.text(name, "name") or scores.name,
            scores,
        )

    def add_table(self, table: ScoreTable, name: str = "", files: Sequence[str] = ()) -> DataSet:
        """Add a score table of many records.

        Parameters
        ----------
        table : ScoreTable
        name : str, optional
            The name of the table by default.
        files : sequence of str, optional
            Names of the files that it was read from.

        Returns
        -------
        DataSet
            As of `add`; its kind is "table".
        """
        _checks.instance(
            table, ScoreTable, "table", "a ScoreTable; wb.read_score_table reads one from files"
        )
        names = _checks.each_of(files, str, "files", "the name of a file")
        return self._add(
            columns_of(table),
            TableSource.of(table, tuple(names)),
            reading_of_table(table),
            _checks.text(name, "name") or table.name or "score table",
            table,
        )

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

        Returns
        -------
        DataSet
            As of `add`.
        """
        tables = tuple(_checks.each_of(tables, DataTable, "tables", _A_TABLE))
        kinds = (FileSource, *MADE, TrainedSource, TableSource)
        _checks.instance(source, kinds, "source", "the source of a data set")
        _checks.text(name, "name"), _checks.text(reread, "reread")
        return self._add(tables, source, _reading(reading), name, reread=reread, shown=shown)

    def rename(self, key: str, name: str) -> DataSet:
        """Give a data set another name.

        Parameters
        ----------
        key : str
        name : str

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
        key = self._own_key(key)
        with self._changes() as shared:
            entry = self._entry(key)
            others = (*shared, *self.own)
            if any(one.name == name and one.key != key for one in others):
                raise WorkspaceError(f"another data set is called {name!r}; choose another name")
            return self._update(entry, name=name)

    def remove(self, key: str) -> None:
        """Take a data set out of the list; its content stays until `purge`.

        Parameters
        ----------
        key : str
        """
        key = self._own_key(key)
        with self._changes():
            self._store.datasets.update(replace(self._entry(key), removed=datetime.now(UTC)))
            if self._store.datasets.current() == key:
                self._store.datasets.choose(None)
            if self._chosen_table() == key:
                self._choose_table(None)

    def restore(self, key: str) -> DataSet:
        """Bring a removed data set back.

        Parameters
        ----------
        key : str
        """
        key = self._own_key(key)
        with self._changes() as shared:
            return self._present(self._entry(key), shared)

    def purge(self) -> None:
        """Delete removed data sets with their content, and files that no page uses."""
        with self._changes():
            for key, entry in self._store.datasets.all().items():
                if entry.removed is not None:
                    self._store.datasets.forget(key)
            self._store.files.purge()
            self._cache.clear()

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
        _reading(reading), _checks.flag(seen, "seen")
        lent = self._lent(key)
        key = self._own_key(key) if lent is None else ""
        with self._changes() as shared:
            entry = self._entry(key) if lent is None else self._copy(*lent, shared)
            dataset = entry.dataset
            if reading.layout is None:
                reading = replace(reading, layout=dataset.reading.layout)
            if reading.seed == dataset.reading.seed:  # other scores have a number of their own
                reading = replace(reading, seed=None)
            declared, mark = dataset.declared, ""
            if seen or declared is not None:
                declared = declared or dataset.reading
                mark = self._mark(dataset, declared, reading)
            mark = mark or _chosen(dataset.source)
            found = self._read(dataset, reading)
            found, reading = self._given_chance(found, reading, dataset.name, dataset.sha256)
            self._cache.get((dataset.key, reading), lambda: found)
            n_p, n_q = _group_sizes(found)
            return self._update(
                entry, reading=reading, declared=declared, reread=mark, n_p=n_p, n_q=n_q
            )

    # -- the one in view, and the settings of pages ----------------------------------------------

    @property
    def current(self) -> str | None:
        """The key of the scores in view on every page about scores; None until some are chosen.

        It is that of the base until another one is chosen here.
        """
        chosen = self.chosen
        return self._base.current if chosen is None and self._base is not None else chosen

    @property
    def current_table(self) -> str | None:
        """The key of the score table in view; None until one is chosen.

        It is that of the base until another one is chosen here.
        """
        chosen = self._there(self._chosen_table)
        return self._base.current_table if chosen is None and self._base is not None else chosen

    def chosen_here(self, kind: str) -> bool:
        """Whether a data set of this kind was chosen here, and is there.

        Parameters
        ----------
        kind : {"scores", "table"}
        """
        _checks.one_of(kind, "kind", ("scores", "table"))
        chosen = self._chosen_table if kind == "table" else self._store.datasets.current
        return self._there(chosen) is not None

    @property
    def chosen(self) -> str | None:
        """The key of the scores that were chosen here; None for none."""
        return self._there(self._store.datasets.current)

    def in_view(self, kind: str) -> str | None:
        """The key of the data set in view on pages that take this kind.

        Parameters
        ----------
        kind : {"scores", "table"}
        """
        _checks.one_of(kind, "kind", ("scores", "table"))
        return self.current_table if kind == "table" else self.current

    def choose(self, key: str | None) -> None:
        """Take a data set into view: scores on every page about scores, a table on Records.

        Parameters
        ----------
        key : str or None
            As of `dataset`.
        """
        dataset = None if key is None else self.dataset(key)
        known = None if dataset is None else dataset.key
        if dataset is not None and dataset.kind == "table":
            with self._lock:
                if changed := known != self._chosen_table():
                    self._choose_table(known)
            if changed:
                self._tell()
            return
        with self._changes():
            if known != self._store.datasets.current():
                self._store.datasets.choose(known)

    def page_state(self, page: str, key: str = "") -> dict[str, Any] | None:
        """The settings that a page had, or None.

        Parameters
        ----------
        page : str
            The page's name.
        key : str, optional
            Of the data set that they belong to.
        """
        _checks.text(page, "page"), _checks.text(key, "key")
        with self._lock:
            return self._store.states.get(page, key)

    def keep_page_state(self, page: str, settings: Mapping[str, Any], key: str = "") -> None:
        """Keep the settings of a page.

        Parameters
        ----------
        page : str
        settings : mapping
            JSON values.
        key : str, optional
            Of the data set that they belong to. Of draws, the last few are kept.

        Raises
        ------
        WorkspaceError
            Values that JSON does not hold.
        """
        _checks.text(page, "page"), _checks.text(key, "key")
        _checks.instance(settings, Mapping, "settings", "a dict of settings by name")
        try:
            _json.dumps_ascii(dict(settings))
        except (TypeError, ValueError) as error:
            raise WorkspaceError(
                f"these settings cannot be kept: {error}; give numbers, text, lists and None"
            ) from None
        with self._lock:
            self._store.states.put(page, key, dict(settings))

    def keep_file(self, name: str, content: bytes) -> str:
        """Keep an uploaded file that is no set of scores, such as canaries or a table of claims.

        Parameters
        ----------
        name : str
        content : bytes

        Returns
        -------
        str
            The SHA-256 of the content, by which `file` finds it.
        """
        _checks.text(name, "name")
        _checks.instance(content, bytes, "content", "the bytes of a file")
        digest = file_hash(content)
        with self._lock:
            if self._store.files.get(digest) is None:
                self.require_room(len(content))
            self._store.files.put(digest, name, content)
        return digest

    def file(self, sha256: str) -> bytes | None:
        """The content of a file that was kept, or None.

        Parameters
        ----------
        sha256 : str
        """
        _checks.text(sha256, "sha256")
        with self._lock:
            found = self._store.files.get(sha256)
        return self._base.file(sha256) if found is None and self._base is not None else found

    # -- watching, undo, the end ---------------------------------------------------------------

    def watch(self, callback: Callable[[Workspace], None]) -> None:
        """Call ``callback(workspace)`` after data sets or the current one changed.

        Parameters
        ----------
        callback : callable
            Called in the thread of the change.
        """
        if not callable(callback):
            raise TypeError(f"callback must be callable, got {_checks.shown(callback)}")
        with self._lock:
            self._watchers.append(callback)

    def unwatch(self, callback: Callable[[Workspace], None]) -> None:
        """Call it no longer.

        Parameters
        ----------
        callback : callable
        """
        with self._lock:
            self._watchers = [one for one in self._watchers if one != callback]

    def refresh(self) -> bool:
        """Whether another program changed the store since the last change seen here.

        If so, watchers are called. Every other method sees such changes by itself.
        """
        with self._lock:
            before, self._last_version = self._last_version, self._store.datasets.version()
            changed = before != self._last_version
        if changed:
            self._tell()
        return changed

    def announce(self) -> None:
        """Call the watchers, because something else of the workspace changed, such as its plans."""
        self._tell()

    def snapshot(self) -> WorkspaceState:
        """Names, readings, what was removed and what was chosen, for `revert`."""
        with self._lock:
            return WorkspaceState(
                self._store.datasets.all(), self._store.datasets.current(), self._chosen_table()
            )

    def revert(self, state: WorkspaceState) -> None:
        """Go back, or forward, to a `snapshot`.

        Data sets that were added here since are removed, which the way forward undoes. What another
        program added stays.

        Parameters
        ----------
        state : WorkspaceState
        """
        _checks.instance(state, WorkspaceState, "state", "what Workspace.snapshot returned")
        with self._changes():
            now = self._store.datasets.all()
            for key, entry in now.items():
                then = state.entries.get(key)
                if then is not None and then != entry:
                    self._store.datasets.update(then)
                elif then is None and entry.removed is None and key in self._added:
                    self._store.datasets.update(replace(entry, removed=datetime.now(UTC)))
            if state.current != self._store.datasets.current():
                self._store.datasets.choose(state.current)
            if another := state.current_table != self._chosen_table():
                self._choose_table(state.current_table)
        if another:
            self._tell()

    def flush(self) -> None:
        """Write what is not written yet."""
        with self._lock:
            self._store.flush()

    def rest(self) -> None:
        """Flush, and let go of all that can be read again: scores, connections to databases.

        Whoever still uses the workspace, such as a download, opens it again by that.
        """
        with self._lock:
            self._cache.clear()
            self._store.close()
            if self._archive is not None and self._open_archive is not _archive_in_memory:
                self._archive.close()

    def close(self) -> None:
        """Flush, and let go of the store. The workspace is not used afterwards."""
        with self._lock:
            if not self.closed:
                self.closed = True
                self._watchers = []
                self.rest()
                if self._archive is not None:
                    self._archive.close()

    def __repr__(self) -> str:
        return f"Workspace({len(self.datasets)} data sets, {self.where})"

    def _repr_html_(self) -> str:
        return self.datasets._repr_html_()

    # -- steps --------------------------------------------------------------------------------

    @contextmanager
    def _changes(self) -> Iterator[list[DataSet]]:
        """Context of a change: locked, and watchers are called at its end if something changed.

        It yields what the base has. Nothing is asked of the base while the lock is held: the base
        may be the workspace of another person, who borrows from this one.
        """
        shared = self.shared
        with self._lock:
            before = self._store.datasets.version()
            try:
                yield shared
            finally:
                self._last_version = self._store.datasets.version()
        if self._last_version != before:
            self._tell()

    def _tell(self) -> None:
        for callback in tuple(self._watchers):
            callback(self)

    def _there(self, chosen: Callable[[], str | None]) -> str | None:
        """The key that was chosen, unless its data set is gone."""
        with self._lock:
            key = chosen()
            entry = None if key is None else self._store.datasets.all().get(key)
        if entry is not None:
            return None if entry.removed else key
        return key if key is not None and self._is_there(key) else None

    def _is_there(self, key: str) -> bool:
        """Whether a key means a data set of others, an example or a draw."""
        with suppress(WorkspaceError):
            return self.dataset(key).key == key
        return False

    def _is_lent(self, key: str) -> bool:
        return any(one.key == key for one in self.shared)

    def _lent(self, key: str) -> tuple[DataSet, tuple[DataTable, ...]] | None:
        """A data set of the base with its tables; None for one of here."""
        dataset = self.dataset(key)
        if self._base is None or not self._is_lent(dataset.key):
            return None
        return dataset, self._base.tables(dataset.key)

    def _own_key(self, key: str) -> str:
        """The key of a data set that can be changed; its name is taken, too."""
        dataset = self.dataset(key)
        if dataset.virtual:
            why = "is always there"
        elif not self._is_lent(dataset.key):
            return dataset.key
        elif owner := self.owner_of(dataset.key):
            why = f"was shared with you by {owner}"
        else:
            why = "was given to the server, for everybody who uses it"
        raise WorkspaceError(
            f"{dataset.name!r} {why}: it cannot be changed; add the scores under another name"
        )

    def _entry(self, key: str) -> Entry:
        entry = self._store.datasets.all().get(key)
        if entry is None:
            raise WorkspaceError(f"another program has deleted the data set {key!r}")
        return entry

    def _copy(
        self, dataset: DataSet, tables: tuple[DataTable, ...], shared: Sequence[DataSet]
    ) -> Entry:
        """The entry of a copy: whoever reads the data of others in another way needs one."""
        copy = replace(dataset, key=_new_key(), name=self._free_name(dataset.name, shared))
        entry = Entry(replace(copy, created=datetime.now(UTC)))
        self._require_data_set(tables)
        self._store.datasets.add(entry, tables)
        self._added.add(copy.key)
        return entry

    def _add(
        self,
        tables: tuple[DataTable, ...],
        source: DataSource,
        reading: Reading,
        name: str,
        content: Content | None = None,
        reread: str = "",
        shown: datetime | None = None,
    ) -> DataSet:
        digest = content_hash(tables)
        facts = source if isinstance(source, MADE) else GivenSource()
        # What a person shares may be taken back: others need the same content as their own.
        given = [one for one in self.shared if not self.owner_of(one.key)]
        with self._changes() as shared:
            for one in given:
                if _is_same(one, digest, reading, facts):
                    return one
            for entry in self._store.datasets.all().values():
                if _is_same(entry.dataset, digest, reading, facts):
                    return self._present(entry, shared, tables)
            self._require_data_set(tables)
            found = source.read(tables, reading) if content is None else content
            n_p, n_q = _group_sizes(found)
            name = self._free_name(name.strip()[:LONGEST_NAME] or "scores", shared)
            now = datetime.now(UTC)
            opened = now if shown is None else min(now, shown)
            found, reading = self._given_chance(found, reading, name, digest, opened)
            dataset = DataSet(
                key=_new_key(),
                name=name,
                source=source,
                reading=reading,
                sha256=digest,
                n_p=n_p,
                n_q=n_q,
                created=now,
                reread=reread or _chosen(source),
            )
            self._store.datasets.add(Entry(dataset), tables)
            self._note_opening(digest, opened)
            self._added.add(dataset.key)
            self._cache.get((dataset.key, reading), lambda: found)
        return dataset

    def _require_data_set(self, tables: tuple[DataTable, ...]) -> None:
        """Refuse another data set where there is no place for it, or no room for its tables."""
        if self._allowance is not None:
            entries = self._store.datasets.all().values()
            removed = sum(entry.removed is not None for entry in entries)
            self._allowance.require_data_set(len(entries), removed)
            self.require_room(tables_size(tables))

    def _given_chance(
        self,
        found: Content,
        reading: Reading,
        name: str,
        sha256: str,
        at: datetime | None = None,
    ) -> tuple[Content, Reading]:
        """The scores, and their reading, with the number by chance that belongs to them."""
        record = self.seen.open(Sight(found, name, sha256), at, reading.seed)
        if not isinstance(found, Scores):
            return found, reading
        seed = record.seed if reading.seed is None else reading.seed
        if found.chance != seed:
            found = found._changed(seed=seed)
        return found, replace(reading, seed=seed)

    def _know_all(self) -> None:
        """Note the rows of data sets that an older version added."""
        with self._lock:
            entries = [one.dataset for one in self._store.datasets.all().values()]
        for one in entries:
            if one.kind == "scores" and one.reading.seed is None and one.key not in self._known:
                self._known.add(one.key)
                with suppress(ValueError):  # another program deleted it, or it is damaged
                    sight = Sight(self._read(one, one.reading), one.name, one.sha256)
                    self.seen.open(sight, at=one.created)

    def _note_opening(self, sha256: str, at: datetime) -> None:
        if self._store.states.get(_OPENED, sha256) is None:
            self._store.states.put(_OPENED, sha256, {"at": at.isoformat()})

    def _present(
        self, entry: Entry, shared: Sequence[DataSet], tables: tuple[DataTable, ...] = ()
    ) -> DataSet:
        """The data set of an entry, no longer removed, its content repaired if it was damaged."""
        if tables:
            self._store.datasets.add(entry, tables)
        if entry.removed is not None:
            name = self._free_name(entry.dataset.name, shared)
            entry = Entry(replace(entry.dataset, name=name))
            self._store.datasets.update(entry)
        return entry.dataset

    def _update(self, entry: Entry, **changes: Any) -> DataSet:
        dataset = replace(entry.dataset, **changes)
        if dataset != entry.dataset:
            self._store.datasets.update(replace(entry, dataset=dataset))
        return dataset

    def _content(self, dataset: DataSet) -> Content:
        with self._lock:
            return self._cache.get(
                (dataset.key, dataset.reading), lambda: self._read(dataset, dataset.reading)
            )

    def _chosen_table(self) -> str | None:
        kept = self._store.states.get(_TABLE, "")
        return None if kept is None else kept["key"]

    def _choose_table(self, key: str | None) -> None:
        self._store.states.put(_TABLE, "", {"key": key})

    def _read(self, dataset: DataSet, reading: Reading) -> Content:
        tables = () if dataset.virtual else self._store.datasets.tables(dataset.key)
        found = dataset.source.read(tables, reading)
        if dataset.virtual or not isinstance(found, Scores):
            return found
        return self._given_chance(found, reading, dataset.name, dataset.sha256)[0]

    def _mark(self, dataset: DataSet, declared: Reading, reading: Reading) -> str:
        """The choice that changes the scores, or the direction, from what was declared."""
        choice = declared.changed_choice(reading)
        if not choice or declared.larger_is_member != reading.larger_is_member:
            return choice
        before, after = (
            self._cache.get((dataset.key, one), lambda one=one: self._read(dataset, one))  # type: ignore[misc]
            for one in (declared, reading)
        )
        return "" if _is_equal(before, after) else choice

    def _free_name(self, name: str, shared: Sequence[DataSet]) -> str:
        taken, number, free = {one.name for one in (*shared, *self.own)}, 2, name
        while free in taken:
            free, number = f"{name} ({number})", number + 1
        return free


def _store(store: Store | None) -> Store:
    if store is None:
        return Store()
    return _checks.instance(store, Store, "store", "a store; wb.workspace(path) opens one")


def _archive_in_memory() -> Archive:
    from workbench.audits.archive import Archive
    from workbench.audits.storing.database import AuditsDatabase

    return Archive(AuditsDatabase.in_memory())


def _reading(value: Any) -> Reading:
    return _checks.instance(
        value, Reading, "reading", "a workbench.workspaces.reading.Reading, such as dataset.reading"
    )


def _new_key() -> str:
    return secrets.token_urlsafe(16)


def _shared_data(base: Any) -> SharedData:
    if not is_shared_data(base):
        raise TypeError(
            "base must be shared data, such as a workbench.Workspace; got "
            f"{_checks.shown(base)}, a {type(base).__name__}"
        )
    return base


def _example(key: str) -> DataSet:
    name = key.removeprefix(EXAMPLE)
    if name in TABLES:
        return virtual_table_dataset(key, ExampleTableSource(name))
    if name not in NAMES:
        raise WorkspaceError(
            f"there is no data set {_checks.shown(key)}{did_you_mean(name, NAMES)}; the bundled "
            f"examples are {', '.join(NAMES)}"
        )
    return example_dataset(name)


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


def _is_equal(a: Content, b: Content) -> bool:
    """Whether two readings give the same scores of members and of non-members."""
    if isinstance(a, Scores) and isinstance(b, Scores):
        return a.same_arrays(b)
    if isinstance(a, ScoreTable) and isinstance(b, ScoreTable):
        return np.array_equal(a.member, b.member) and np.array_equal(
            a.matrix, b.matrix, equal_nan=True
        )
    return False


def _chosen(source: DataSource) -> str:
    """The mark of scores of a record that was chosen after results were shown; "" for others."""
    return source.reread if isinstance(source, GivenSource) else ""


def _same_words(record: SeenRecord) -> str:
    """Why data of another content are the same as those of a record."""
    if record.is_distinctive:
        return f"as {record.called}: the same scores, in another order or in other units"
    few = "which other data with so few different scores may have"
    return f"as {record.called}: the same ranks, {few}"


def _alike_words(share: float, how: str, record: SeenRecord) -> str:
    """Why data that share rows with those of a record could be known by it."""
    if how == "exchanged":
        return f"as {record.called}: the same scores, with members and non-members exchanged"
    units = ", in other units" if how == "rescaled" else ""
    return f"as {record.called}: about {percent(round(share, 1))} of the rows are the same{units}"
