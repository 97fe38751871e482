"""`SQLiteFile` and `SQLiteMemory`: the database of audits on a disk, and in memory.

A file is in WAL mode, so that nobody waits to read. Every commit is on the disk before it is
acknowledged (``synchronous=FULL``).
"""

from __future__ import annotations

import errno
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from threading import RLock
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import Pool, QueuePool, StaticPool

from workbench.audits.errors import ArchiveError
from workbench.audits.storing.database_file import (
    is_empty,
    is_writable,
    make_file,
    tidy_beside,
    unfinished_beside,
)
from workbench.audits.storing.kind import DatabaseKind
from workbench.audits.storing.rows import decoded

#: Seconds to wait for another program that is writing.
PATIENCE = 10.0

_NO_RIGHT = (errno.EROFS, errno.EACCES, errno.EPERM)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

#: What SQLite says where pages, the header or the text of the tables are not what they were. All
#: statements are ours, so that none is in error by itself.
DAMAGE = (
    *("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_FORMAT", "SQLITE_MISMATCH"),
    *("SQLITE_IOERR_SHORT_READ", "SQLITE_TOOBIG"),
)

_PRAGMAS = (
    "foreign_keys=ON",
    "recursive_triggers=ON",  # else REPLACE deletes rows without asking the triggers
    "synchronous=FULL",
    "cache_size=-32768",  # kB: a list of 10,000 audits reads their rows once
    "secure_delete=ON",  # what was purged does not linger
)

#: The option of a connection that says that it is going to write.
WRITES = "workbench_writes"


class _SQLite(DatabaseKind):
    def make(self, build: Callable[[Engine], None]) -> None:
        """Nothing: it begins when it is opened."""

    def exclude_others(self, connection: Connection) -> None:
        """Nothing: a transaction that writes excludes all others."""


class SQLiteMemory(_SQLite):
    """A database that ends with the program, and that one thread uses at a time."""

    def __init__(self) -> None:
        self.turns = RLock()

    @property
    def where(self) -> str:
        """The place, as people say it."""
        return "in the memory of this program"

    @property
    def title(self) -> str:
        """The database in a message."""
        return "the database in memory"

    def exists(self) -> bool:
        """False: it begins when it is opened."""
        return False

    def delete(self) -> None:
        """Nothing: it ends with the program."""

    def keep_copy(self, revision: str) -> None:
        """Nothing: it is always of this version."""

    def engine(self) -> Engine:
        """The engine, with an empty database."""
        return _engine(":memory:", StaticPool)

    def settle(self, engine: Engine) -> None:
        """Nothing: there is no file."""

    def error(self, error: DBAPIError) -> ArchiveError:
        """What went wrong, and what to do."""
        return ArchiveError(f"the database of audits in memory failed: {error.orig}")


class SQLiteFile(_SQLite):
    """A database in a file, which only its owner may read.

    Parameters
    ----------
    path : Path
        The file. It and its folder are made if they are missing.
    where : str, optional
        The place, as people say it. Messages then do not name the file: those who read them are
        not those who have the disk.
    """

    def __init__(self, path: Path, where: str = ""):
        self.path, self._where = path, where
        self._name = "the database of your audits" if where else str(path)

    @property
    def where(self) -> str:
        """The place, as people say it."""
        return self._where or f"on this computer, in {self.path}"

    @property
    def title(self) -> str:
        """The database in a message."""
        return self._name if self._where else f"the database {self.path}"

    def exists(self) -> bool:
        """Whether the file is there."""
        return self.path.exists()

    def delete(self) -> None:
        """Delete the file of a person, and what SQLite keeps beside it."""
        if self._where:
            for path in self.path.parent.glob(f"{self.path.name}*"):
                path.unlink(missing_ok=True)

    def make(self, build: Callable[[Engine], None]) -> None:
        """Make the file with its tables, unless it is there.

        Parameters
        ----------
        build : callable
            Makes the tables with an engine.

        Raises
        ------
        ArchiveError
            The file cannot be made.
        """

        def build_file(path: Path) -> None:
            engine = _engine(f"{path.as_uri()}?mode=rw")
            try:
                build(engine)
            finally:
                engine.dispose()

        try:
            make_file(self.path, build_file)
        except OSError as error:
            raise self._os_error(error) from error

    def engine(self) -> Engine:
        """The engine of the file.

        Raises
        ------
        ArchiveError
            The file cannot be read, or is empty.
        """
        try:
            self.writable = is_writable(self.path)
            empty = is_empty(self.path)
        except OSError as error:
            raise self._os_error(error) from error
        if empty:
            raise self.damaged("it is empty")
        address = self.path.absolute().as_uri()
        if self.writable:
            return _engine(f"{address}?mode=rw")
        reader = _engine(f"{address}?mode=ro")
        try:
            with reader.connect() as connection:
                connection.exec_driver_sql("SELECT count(*) FROM sqlite_master")
        except OperationalError:  # WAL needs a file beside it, which cannot be made here
            reader.dispose()
            reader = _engine(f"{address}?immutable=1")
        return reader

    def keep_copy(self, revision: str) -> None:
        """Keep a copy beside the file, unless there is one: the way back to an older program.

        Parameters
        ----------
        revision : str
            The version that the database is going to have.
        """
        copy = self.path.with_name(f"{self.path.name}.before-{revision}.sqlite")
        if copy.exists():
            return
        try:
            unfinished = unfinished_beside(self.path)
            try:
                with (
                    closing(sqlite3.connect(self.path)) as base,
                    closing(sqlite3.connect(unfinished)) as to,
                ):
                    base.backup(to)
                unfinished.rename(copy)
            finally:
                unfinished.unlink(missing_ok=True)
        except OSError as error:
            raise self._os_error(error) from error

    def settle(self, engine: Engine) -> None:
        """Switch to WAL, for which nobody else may be reading at that moment."""
        if not self.writable:
            return
        tidy_beside(self.path)
        give_up = time.monotonic() + PATIENCE
        with engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            while True:
                try:
                    driver.execute("PRAGMA journal_mode=WAL").fetchone()
                    return
                except sqlite3.OperationalError:
                    if time.monotonic() > give_up:
                        return  # it is as durable without, and slower
                time.sleep(0.01)

    def error(self, error: DBAPIError) -> ArchiveError:
        """What went wrong, and what to do."""
        code, said = getattr(error.orig, "sqlite_errorname", ""), str(error.orig)
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return ArchiveError(
                f"another program is writing to {self._name} and did not finish within "
                f"{PATIENCE:g} seconds. Nothing was changed; try again"
            )
        if code.startswith("SQLITE_FULL") or code in ("SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC"):
            return self._full()
        if code.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")):
            return self.read_only()
        if code.startswith(DAMAGE):
            return self.damaged(said)
        if code.startswith("SQLITE_CANTOPEN"):
            return ArchiveError(f"{self._name} cannot be opened: it was moved or deleted")
        return ArchiveError(f"{self._name} cannot be used: {said}")

    def _os_error(self, error: OSError) -> ArchiveError:
        if error.errno in _NO_ROOM:
            return self._full()
        if error.errno in _NO_RIGHT:
            return ArchiveError(
                f"{self._name} cannot be opened or made ({error.strerror}); change the rights of "
                "its folder, or name another database"
            )
        return ArchiveError(f"{self._name} cannot be used: {error.strerror or error}")

    def damaged(self, said: str) -> ArchiveError:
        """The error of a file that is not what was written.

        Parameters
        ----------
        said : str
            What is wrong with it.
        """
        return ArchiveError(
            f"{self._name} is damaged ({said}). It was left as it is. What stands in other parts "
            "of it may still be read; put a copy of it back, rename it to begin anew, or name "
            "another database",
            lasting=True,
        )

    def _full(self) -> ArchiveError:
        return ArchiveError(
            f"the disk of {self._name} is full. Nothing was changed; make room and try again"
        )


def _engine(address: str, pool: type[Pool] = QueuePool) -> Engine:
    """An engine whose transactions begin with their first statement, and are told to write."""

    def connect() -> sqlite3.Connection:
        made = sqlite3.connect(
            address,
            timeout=PATIENCE,
            check_same_thread=False,
            isolation_level=None,  # transactions are begun below
            uri=True,
        )
        made.text_factory = decoded
        try:
            for pragma in _PRAGMAS:
                with suppress(sqlite3.OperationalError):  # nothing that a read-only file refuses
                    made.execute(f"PRAGMA {pragma}")
        except BaseException:  # a damaged file is not held open
            made.close()
            raise
        return made

    engine = create_engine("sqlite://", creator=connect, poolclass=pool)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
