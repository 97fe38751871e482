"""`DiskStore`: a workspace in a folder, shared by the programs of one person.

The folder holds ``workspace.sqlite``, the tables as parquet files under ``tables/`` and other files
under ``files/``, both named by the SHA-256 of their content. The database is in WAL mode: readers
never wait, and writers wait for each other for a moment.
"""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, delete, insert, select, text, update
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DatabaseError, DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from workbench.audits.storing.database_file import (
    is_empty,
    is_writable,
    make_file,
    tidy_beside,
)
from workbench.audits.storing.rows import UNREADABLE, decoded, require_sound
from workbench.audits.storing.sqlite import DAMAGE
from workbench.scores.table import DataTable
from workbench.workspaces.draws import DRAW
from workbench.workspaces.errors import StoreError, WorkspaceError
from workbench.workspaces.seen.record import SeenRecord
from workbench.workspaces.storing.files import ContentFiles, is_hash
from workbench.workspaces.storing.parquet import from_parquet, to_parquet
from workbench.workspaces.storing.schema import (
    DATASETS,
    FILES,
    METADATA,
    SEEN,
    SETTINGS,
    STATES,
    VERSION,
    entry_of,
    row_of,
    row_of_seen,
    seen_of,
)
from workbench.workspaces.storing.store import MOST_DRAW_STATES, Entry

#: Seconds to wait for another program that is writing.
PATIENCE = 3.0

#: After this time a removed data set is deleted with its content.
KEPT_REMOVED = timedelta(days=30)

#: Seconds after which another program has finished, or never will.
_ABANDONED = 86400.0

_DATABASE = "workspace.sqlite"
_ASK = "or ask whoever runs this server"
_ELSEWHERE = "or name another folder by the environment variable WORKBENCH_HOME"


class DiskStore:
    """A store in a folder; see `workbench.workspaces.storing.store.Store` for its methods.

    Every method raises `StoreError` where the folder cannot be read or written; what was there
    before is then unchanged.

    Parameters
    ----------
    folder : Path
        Made if it is missing, readable by its owner only.
    shown : str, optional
        What messages call the folder, where those who read them do not have the disk.

    Raises
    ------
    StoreError
        The folder cannot be used, the database is damaged, of a newer version, or locked.
    """

    problem = ""

    def __init__(self, folder: Path, shown: str = ""):
        self._folder, self._shown = folder, shown or str(folder)
        self._shown_database = f"the database in {shown}" if shown else str(self._database)
        self._shown_tables = shown or str(folder / "tables")
        self._elsewhere = _ASK if shown else _ELSEWHERE
        self._tables = ContentFiles(folder / "tables", ".parquet")
        self._files = ContentFiles(folder / "files")
        self._count = 0
        self._known: tuple[dict[str, Entry], str | None] = ({}, None)
        self._read_at: object = None
        with self._reported():
            make_file(self._database, self._build)
            self._writable = is_writable(self._database)
            if is_empty(self._database):
                raise self._damaged("it is empty")
            self._connection = self._connect()
        try:
            with self._reported():
                self._check_database()
        except StoreError:
            _close(self._connection)
            raise
        if self._writable:
            tidy_beside(self._database)
            with suppress(StoreError):  # another program may be writing: another time
                self._tidy()

    @property
    def read_only(self) -> str:
        """Why nothing can be changed, and what to do; "" if it can."""
        return "" if self._writable else self._read_only()

    # -- opening ------------------------------------------------------------------------------

    @property
    def _database(self) -> Path:
        return self._folder / _DATABASE

    def _build(self, path: Path) -> None:
        """Make the tables in an empty file."""
        connection = _opened(path, "mode=rw")
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            _make_tables(connection)
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        finally:
            _close(connection)

    def _check_version(self, version: int) -> None:
        if version > VERSION:
            raise StoreError(
                f"{self._shown_database} was made by a newer version of the workbench (format "
                f"{version}; this one knows {VERSION}). It was not touched. Update this program, "
                f"{self._elsewhere}",
                lasting=True,
            )

    def _connect(self) -> Connection:
        if self._writable:
            return _opened(self._database, "mode=rw")
        connection = _opened(self._database, "mode=ro")
        try:
            connection.execute(text("SELECT count(*) FROM sqlite_master"))
        except OperationalError:  # WAL needs a file beside it, which cannot be made here
            _close(connection)
            connection = _opened(self._database, "immutable=1")
        return connection

    def _check_database(self) -> None:
        version = self._pragma("user_version")
        self._check_version(version)
        if version:
            said = self._pragma("quick_check")
            if said != "ok":
                raise self._damaged(said)
        self._knows_seen = version == VERSION
        if version < VERSION and (self._writable or not version):
            with self._transaction():
                self._bring_up_to_date()
            self._knows_seen = True
        self._pragma("secure_delete=ON")  # names and settings of what was deleted do not linger
        # Where the file system has no WAL, a commit must wait until it is on the disk.
        if self._writable and self._pragma("journal_mode=WAL") == "wal":
            self._pragma("synchronous=NORMAL")

    def _bring_up_to_date(self) -> None:
        version = self._pragma("user_version")
        if version == VERSION:  # another program was faster
            return
        if not version and self._connection.scalar(text("SELECT count(*) FROM sqlite_master")):
            raise self._damaged("it holds other tables than a workspace")
        _make_tables(self._connection)  # of version 1, those that it lacks

    # -- data sets ----------------------------------------------------------------------------

    def version(self) -> object:
        """A number that changes with data sets and the current one, whoever changes them."""
        with self._reported():
            self._refresh()
        return self._count

    def entries(self) -> dict[str, Entry]:
        """All data sets by key, oldest first."""
        with self._reported():
            self._refresh()
        return dict(self._known[0])

    def add(self, entry: Entry, tables: Sequence[DataTable]) -> None:
        """Keep a data set with its tables; if it is there, only content that is damaged.

        Parameters
        ----------
        entry : Entry
        tables : sequence of DataTable
        """
        self.add_contents(entry, [to_parquet(table) for table in tables])

    def add_contents(self, entry: Entry, contents: Sequence[bytes]) -> None:
        """Keep a data set with its tables, as `to_parquet` makes them; see `add`.

        Parameters
        ----------
        entry : Entry
        contents : sequence of bytes
        """
        with self._reported():
            self._require_writable()
            for content in contents:  # now, because others wait while a transaction is open
                self._tables.write(content)
        with self._reported(), self._transaction():
            row = self._row(entry.dataset.key)
            if row is not None and self._whole(row.files):
                files = row.files
            else:  # again, in case another program has deleted them meanwhile
                files = json.dumps([self._tables.write(content) for content in contents])
            self._put(entry, files)

    def update(self, entry: Entry) -> None:
        """Keep what is now known of a data set."""
        with self._reported(), self._transaction():
            row = self._row(entry.dataset.key)
            if row is not None:  # else another program has deleted it
                self._put(entry, row.files)

    def forget(self, key: str) -> None:
        """Delete a data set, its tables and the settings of pages for it."""
        with self._reported(), self._transaction():
            row = self._row(key)
            self._connection.execute(delete(DATASETS).where(DATASETS.c.key == key))
            self._connection.execute(delete(STATES).where(STATES.c.dataset == key))
            self._read_at = None
            if row is not None:
                others = self._used_tables()
                with suppress(*UNREADABLE):
                    for digest in _digests(row.files):
                        if others is not None and digest not in others:
                            self._tables.delete(digest)

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set.

        Raises
        ------
        WorkspaceError
            A file of it is missing or damaged.
        """
        with self._reported():
            row = self._row(key)
        if row is None:
            raise WorkspaceError(
                f"there is no data set {key!r} in {self._shown} any more: another program has "
                "deleted it"
            )
        try:
            require_sound(row, DATASETS.c)
            digests = _digests(row.files)
        except UNREADABLE as error:
            raise WorkspaceError(self._unreadable(f"the data set {key!a}", error)) from error
        found = []
        for digest in digests:
            with self._reported():
                content = self._tables.read(digest)
            if content is None:
                raise WorkspaceError(
                    f"the scores of {row.name!r} cannot be read: {self._shown_table(digest)} is "
                    "missing or damaged. Nothing else is lost: add the same file again to repair "
                    "it, or remove the data set"
                )
            found.append(from_parquet(content))
        return tuple(found)

    def _shown_table(self, digest: str) -> str:
        place = self._tables.path(digest)
        return str(place) if self._shown == str(self._folder) else f"a file in {self._shown}"

    def _put(self, entry: Entry, files: str) -> None:
        values = {**row_of(entry), "files": files}
        changed = self._connection.execute(
            update(DATASETS).where(DATASETS.c.key == entry.dataset.key).values(values)
        )
        if not changed.rowcount:
            self._connection.execute(insert(DATASETS).values(values))
        self._read_at = None

    def _row(self, key: str) -> Any:
        return self._connection.execute(select(DATASETS).where(DATASETS.c.key == key)).first()

    def _whole(self, files: object) -> bool:
        """Whether the column of a data set names files that are all there."""
        try:
            digests = _digests(files)
        except UNREADABLE:
            return False
        return all(self._tables.read(digest) is not None for digest in digests)

    def _refresh(self) -> None:
        """Read data sets and the current one again, if somebody may have changed them."""
        version = self._pragma("data_version")
        if version == self._read_at:
            return
        self._check_version(self._pragma("user_version"))
        entries = {}
        self.problem = ""
        for row in self._connection.execute(select(DATASETS).order_by(DATASETS.c.position)):
            with self._unless_damaged(f"the data set {row.name!a}"):
                require_sound(row, DATASETS.c)
                entries[row.key] = entry_of(row)
        known = (entries, self._setting("current"))
        if known != self._known:
            self._known = known
            self._count += 1
        self._read_at = version

    # -- the current one, pages, files --------------------------------------------------------

    def current(self) -> str | None:
        """The key that was chosen last."""
        with self._reported():
            self._refresh()
        return self._known[1]

    def choose(self, key: str | None) -> None:
        """Keep the choice."""
        with self._reported(), self._transaction():
            self._connection.execute(
                insert(SETTINGS).prefix_with("OR REPLACE").values(name="current", value=key)
            )
            self._read_at = None

    def state(self, page: str, key: str) -> dict[str, Any] | None:
        """The settings of a page for a data set, or None.

        Parameters
        ----------
        page, key : str
        """
        with self._reported():
            kept = self._connection.scalar(
                select(STATES.c.settings).where(STATES.c.page == page, STATES.c.dataset == key)
            )
        found = None
        if kept is not None:
            with self._unless_damaged(f"what was set on the page {page!r}"):
                require_sound([kept], [STATES.c.settings])
                found = dict(json.loads(kept))
        return found

    def keep_state(self, page: str, key: str, settings: dict[str, Any]) -> None:
        """Keep the settings of a page for a data set; of draws, only the last few.

        Parameters
        ----------
        page, key : str
        settings : dict
            Of JSON values.
        """
        with self._reported(), self._transaction():
            self._connection.execute(
                insert(STATES)
                .prefix_with("OR REPLACE")
                .values(page=page, dataset=key, settings=json.dumps(settings))
            )
            if key.startswith(DRAW):
                drawn = (STATES.c.page == page) & STATES.c.dataset.startswith(DRAW)
                newest = select(STATES.c.position).where(drawn)
                newest = newest.order_by(STATES.c.position.desc()).limit(MOST_DRAW_STATES)
                self._connection.execute(
                    delete(STATES).where(drawn, STATES.c.position.not_in(newest))
                )

    def seen(self, digest: str) -> SeenRecord | None:
        """What was shown of a data set, or None.

        Parameters
        ----------
        digest : str
        """
        with self._reported():
            return self._seen(digest)

    def sketched(self) -> Sequence[SeenRecord]:
        """What was shown of the data sets whose rows can be recognized."""
        if not self._knows_seen:
            return []
        with self._reported():
            found = self._connection.execute(select(SEEN).where(SEEN.c.sketch.is_not(None)))
            rows = list(found)
        kept = []
        for row in rows:
            with self._unless_damaged("what was shown of a data set"):
                require_sound(row, SEEN.c)
                kept.append(seen_of(row))
        return kept

    def keep_seen(self, seen: SeenRecord, make: bool = True) -> SeenRecord:
        """Add to what was shown of a data set.

        Parameters
        ----------
        seen : SeenRecord
        make : bool
            Not used: the disk is there.
        """
        with self._reported(), self._transaction():
            known = self._seen(seen.digest)
            found = seen if known is None else known.merged(seen)
            if found != known:
                self._connection.execute(
                    insert(SEEN).prefix_with("OR REPLACE").values(row_of_seen(found))
                )
        return found

    def _seen(self, digest: str) -> SeenRecord | None:
        if not self._knows_seen:  # of version 1, and read-only
            return None
        row = self._connection.execute(select(SEEN).where(SEEN.c.digest == digest)).first()
        if row is None:
            return None
        try:
            require_sound(row, SEEN.c)
            return seen_of(row)
        except UNREADABLE as error:
            raise StoreError(self._unreadable("what was shown of a data set", error)) from error

    def keep_file(self, digest: str, name: str, content: bytes) -> None:
        """Keep a file.

        Parameters
        ----------
        digest : str
            SHA-256 of the content.
        name : str
        content : bytes
        """
        with self._reported(), self._transaction():
            self._files.write(content)
            self._connection.execute(
                insert(FILES).prefix_with("OR REPLACE").values(sha256=digest, name=name)
            )

    def file(self, digest: str) -> bytes | None:
        """The content of a file; None where there is none, or where it is damaged."""
        with self._reported():
            return self._files.read(digest)

    def purge_files(self) -> None:
        """Delete the files that no page mentions in its settings."""
        with self._reported(), self._transaction():
            said = "\n".join(map(str, self._connection.scalars(select(STATES.c.settings))))
            for digest in self._connection.scalars(select(FILES.c.sha256)).all():
                if digest not in said:
                    self._connection.execute(delete(FILES).where(FILES.c.sha256 == digest))
                    self._files.delete(digest)

    # -- the end ------------------------------------------------------------------------------

    def size(self) -> int:
        """Bytes of all tables and files, of removed data sets, too."""
        return self._tables.size() + self._files.size()

    def flush(self) -> None:
        """Copy all changes from the log into the database file."""
        if self._writable:
            with self._reported():
                self._pragma("wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Delete what was removed long ago, flush, and close the database."""
        with suppress(StoreError):
            if self._writable:
                self._tidy()
        _close(self._connection)

    def _tidy(self) -> None:
        long_ago = datetime.now(UTC) - KEPT_REMOVED
        for key, entry in self.entries().items():
            if entry.removed is not None and entry.removed < long_ago:
                self.forget(key)
        # What a program left that was killed while it added something.
        with self._reported(), self._transaction():
            used = self._used_tables()
            if used is not None:
                self._tables.tidy(used, _ABANDONED)
            self._files.tidy(set(self._connection.scalars(select(FILES.c.sha256))), _ABANDONED)

    # -- steps --------------------------------------------------------------------------------

    def _used_tables(self) -> set[str] | None:
        """Hashes of the tables of all data sets; None where a damaged row may name more."""
        used: set[str] = set()
        try:
            for files in self._connection.scalars(select(DATASETS.c.files)):
                used.update(_digests(files))
        except UNREADABLE:
            return None
        return used

    @contextmanager
    def _unless_damaged(self, what: str) -> Iterator[None]:
        """Context in which a row is read: a damaged one is a problem that is told, and no error."""
        try:
            yield
        except UNREADABLE as error:
            self.problem = self._unreadable(what, error)

    def _unreadable(self, what: str, error: Exception) -> str:
        return (
            f"{what} in {self._shown_database} cannot be read ({error}); the others can. It was "
            "left as it is; put a copy of the database back"
        )

    def _pragma(self, asked: str) -> Any:
        found = self._connection.exec_driver_sql(f"PRAGMA {asked}")
        return found.scalar() if found.returns_rows else None

    def _setting(self, name: str) -> str | None:
        return self._connection.scalar(select(SETTINGS.c.value).where(SETTINGS.c.name == name))

    def _require_writable(self) -> None:
        if not self._writable:
            raise StoreError(self._read_only())

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Context of a change: all of it is kept, or nothing."""
        self._require_writable()
        self._connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            self._check_version(self._pragma("user_version"))
            yield
            self._connection.exec_driver_sql("COMMIT")
        except BaseException:
            with suppress(SQLAlchemyError):  # SQLite may have ended it already
                self._connection.exec_driver_sql("ROLLBACK")
            self._read_at = None
            raise

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Context in which what goes wrong with disk and database is a `StoreError`."""
        try:
            yield
        except OSError as error:
            raise self._os_error(error) from error
        except DBAPIError as error:
            raise self._database_error(error) from error
        except UnicodeDecodeError as error:  # what SQLite says quotes the damaged text
            raise self._damaged("its list of tables is no text") from error

    def _os_error(self, error: OSError) -> StoreError:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return self._full()
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            return StoreError(self._read_only())
        why = error if self._shown == str(self._folder) else error.strerror
        return StoreError(f"{self._shown} cannot be used ({why}); mend that, {self._elsewhere}")

    def _database_error(self, error: DBAPIError) -> StoreError:
        code = getattr(error.orig, "sqlite_errorname", "")
        said = str(error.orig)
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return StoreError(
                f"another program is writing to {self._shown_database} and did not finish within "
                f"{PATIENCE:g} seconds"
            )
        if code.startswith("SQLITE_FULL") or code in ("SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE"):
            return self._full()
        if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
            return StoreError(self._read_only())
        if code.startswith(DAMAGE):
            return self._damaged(said)
        if isinstance(error, DatabaseError):
            return StoreError(
                f"{self._shown_database} cannot be used: {said}; mend that, {self._elsewhere}"
            )
        return self._damaged(said)

    def _damaged(self, said: str) -> StoreError:
        return StoreError(
            f"{self._shown_database} is damaged ({said}). It was left as it is, as were the scores "
            f"in {self._shown_tables}. Put a copy of it back, rename it to begin anew, "
            f"{self._elsewhere}",
            lasting=True,
        )

    def _full(self) -> StoreError:
        return StoreError(f"the disk of {self._shown} is full; make room", full=True)

    def _read_only(self) -> str:
        return (
            f"{self._shown} cannot be written; what is in it can be used. Make it writable, "
            f"{self._elsewhere}"
        )


def _opened(path: Path, options: str) -> Connection:
    """A connection of its own: `PRAGMA data_version` counts the changes of all others."""
    address = f"{path.absolute().as_uri()}?{options}"

    def connect() -> sqlite3.Connection:
        made = sqlite3.connect(address, timeout=PATIENCE, check_same_thread=False, uri=True)
        made.text_factory = decoded
        return made

    engine = create_engine(
        "sqlite://",
        creator=connect,
        poolclass=StaticPool,
        isolation_level="AUTOCOMMIT",  # transactions are begun by hand, before the first read
    )
    return engine.connect()


def _digests(files: object) -> list[str]:
    """The hashes that a row names."""
    found = json.loads(files) if isinstance(files, str) else None
    if not isinstance(found, list) or not all(map(is_hash, found)):
        raise ValueError("it names no files")
    return found


def _close(connection: Connection) -> None:
    connection.close()
    connection.engine.dispose()


def _make_tables(connection: Connection) -> None:
    """Make the tables that are missing, in a transaction."""
    METADATA.create_all(connection)
    connection.exec_driver_sql(f"PRAGMA user_version={VERSION}")
