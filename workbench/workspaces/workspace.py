"""`Workspace`: data sets and the state of pages, for pages, notebooks and the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench import _checks
from workbench.scores.layouts.guess import guess_layout
from workbench.scores.moved import moved, warn_moved
from workbench.scores.sample import Scores, require_scores
from workbench.scores.table import DataTable
from workbench.tables.table import ScoreTable
from workbench.workspaces.content import table_of_scores
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.parts.active import ActiveData
from workbench.workspaces.parts.catalog import Catalog
from workbench.workspaces.parts.changes import Changes
from workbench.workspaces.parts.data_reader import DataReader
from workbench.workspaces.parts.kept_data import KeptData, checked_reading
from workbench.workspaces.parts.openings import A_TABLE, Openings
from workbench.workspaces.parts.page_files import PageFiles
from workbench.workspaces.parts.page_states import PageStates
from workbench.workspaces.parts.storage import Storage
from workbench.workspaces.reading import Reading
from workbench.workspaces.score_tables.columns import columns_of
from workbench.workspaces.score_tables.sources import TableSource, reading_of_table
from workbench.workspaces.seen.memory import SeenData
from workbench.workspaces.shared_data import SharedData
from workbench.workspaces.sources import FileSource, reading_of, source_of
from workbench.workspaces.storing.allowance import Allowance
from workbench.workspaces.storing.store import Store
from workbench.workspaces.view import Datasets

if TYPE_CHECKING:
    from workbench.audits.archive import Archive

#: Members in version 0.1, and where they are now; each gives a FutureWarning.
MOVED = {
    "choose": "active.choose",
    "in_view": "active.key",
    "keep_file": "files.keep",
    "keep_page_state": "page_states.keep",
    "note_opening": "openings.note_tables",
    "opened": "openings.time",
    "opening": "openings.find",
    "page_state": "page_states.get",
    **{name: f"catalog.{name}" for name in ("borrow", "own", "shared")},
    **{name: f"changes.{name}" for name in ("announce", "refresh", "unwatch", "watch")},
    **{
        name: f"kept.{name}"
        for name in (
            "bring", "purge", "remove", "rename", "reread", "restore", "revert", "snapshot"
        )
    },
    **{
        name: f"storage.{name}"
        for name in (
            "flush", "may_have_audits", "require_room", "rest", "size", "waiting", "where"
        )
    },
}  # fmt: skip


class Workspace:
    """Data sets, the ones in view, and the settings of all pages.

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

    Attributes
    ----------
    kept : KeptData
        The data sets of this workspace: `rename`, `remove`, `restore`, `reread`, `purge`, and
        `snapshot` and `revert` for undo.
    active : ActiveData
        The data sets in view.
    seen : SeenData
        What was shown of which data.
    openings : Openings
        When data were opened for the first time.
    page_states : PageStates
        The settings of pages.
    files : PageFiles
        Files that pages use.
    changes : Changes
        Calls listeners after changes.
    catalog : Catalog
        Which data sets are its own, and which are those of the base.
    storage : Storage
        The store, the archive, and how much they may hold.

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
        self.storage = storage = Storage(store, open_archive, has_audits, allowance)
        self.catalog = catalog = Catalog(storage, base)
        self.changes = changes = Changes(self, storage, catalog)
        self.seen = SeenData(storage.store.seen, storage.lock) if seen is None else seen
        self._reader = reader = DataReader(storage, self.seen)
        self.openings = openings = Openings(storage, catalog, self.seen, reader)
        self.active = active = ActiveData(storage, catalog, changes)
        self.kept = KeptData(storage, catalog, reader, openings, changes, active)
        self.page_states = PageStates(storage)
        self.files = PageFiles(storage, catalog)
        self.closed = False

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return moved(self, name, MOVED)

    @property
    def problem(self) -> str:
        """What is wrong with the store, what was kept and what to do; "" if nothing is."""
        return self.storage.problem

    @property
    def datasets(self) -> Datasets:
        """The data sets that were not removed, oldest first; those of the base come first."""
        return self.catalog.datasets

    @property
    def audits(self) -> Archive:
        """The audits that were saved, with their plans and series."""
        return self.storage.archive

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
        return self.catalog.dataset(key)

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
        lender = self.catalog.lender_of(dataset.key)
        if lender is not None:
            return lender.tables(dataset.key)
        with self.storage.lock:
            return self.storage.store.datasets.tables(dataset.key)

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
        lender = self.catalog.lender_of(dataset.key)
        if lender is not None:
            return lender.scores(dataset.key)
        found = self._reader.content(dataset)
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
        lender = self.catalog.lender_of(dataset.key)
        if lender is not None:
            return lender.table(dataset.key)
        found = self._reader.content(dataset)
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
        return self.catalog.find(sha256, removed)

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
        tables = tuple(_checks.each_of(tables, DataTable, "tables", A_TABLE))
        if not 1 <= len(tables) <= 2:
            raise WorkspaceError(f"give one table, or one of each group; got {len(tables)}")
        reading = Reading() if reading is None else checked_reading(reading)
        if reading.layout is None:
            reading = replace(reading, layout=guess_layout(*tables))
        names = _checks.each_of(files, str, "files", "the name of a file")
        source = FileSource(tuple(names) or tuple(table.name for table in tables))
        return self.kept.add(tables, source, reading, _checks.text(name, "name") or tables[0].name)

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
        return self.kept.add(
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
        return self.kept.add(
            columns_of(table),
            TableSource.of(table, tuple(names)),
            reading_of_table(table),
            _checks.text(name, "name") or table.name or "score table",
            table,
        )

    @property
    def current(self) -> str | None:
        """The key of the scores in view on every page about scores; None until some are chosen."""
        return self.active.scores

    @property
    def current_table(self) -> str | None:
        """The key of the score table in view; None until one is chosen."""
        return self.active.table

    @property
    def chosen(self) -> str | None:
        """The former name of ``active.chosen("scores")``; gives a FutureWarning."""
        warn_moved("Workspace", "chosen", 'active.chosen("scores")')
        return self.active.chosen("scores")

    def chosen_here(self, kind: str) -> bool:
        """Whether ``active.chosen(kind)`` is not None, as in version 0.1; gives a FutureWarning.

        Parameters
        ----------
        kind : {"scores", "table"}
        """
        warn_moved("Workspace", "chosen_here(kind)", "active.chosen(kind) is not None")
        return self.active.chosen(kind) is not None

    def owner_of(self, key: str) -> str:
        """The name of the person who shares a data set; "" for one that nobody shares."""
        return self.catalog.owner_of(key)

    def file(self, sha256: str) -> bytes | None:
        """The content of a file that was kept, or None."""
        return self.files.get(sha256)

    def close(self) -> None:
        """Flush, and let go of the store. The workspace is not used afterwards."""
        with self.storage.lock:
            if not self.closed:
                self.closed = True
                self.changes.unwatch_all()
                self.storage.close()

    def __repr__(self) -> str:
        return f"Workspace({len(self.datasets)} data sets, {self.storage.where})"

    def _repr_html_(self) -> str:
        return self.datasets._repr_html_()
