"""`SQLiteFile` and `SQLiteMemory`: a database of SQLite on a disk, and in memory.

A file is in WAL mode, so that nobody waits to read. Every commit is on the disk before it is
acknowledged (``synchronous=FULL``), unless a file is asked for that is not ``durable``.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from threading import RLock
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import Pool, QueuePool, StaticPool

from workbench.storing.database_file import (
    is_empty,
    is_writable,
    make_file,
    tidy_beside,
    unfinished_beside,
)
from workbench.storing.errors import StorageError
from workbench.storing.kind import DatabaseKind
from workbench.storing.rows import decoded
from workbench.storing.wording import DatabaseWording

#: Seconds to wait for another program that is writing.
PATIENCE = 10.0

#: What SQLite says where pages, the header or the text of the tables are not what they were. All
#: statements are ours, so that none is in error by itself.
DAMAGE = (
    *("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_FORMAT", "SQLITE_MISMATCH"),
    *("SQLITE_IOERR_SHORT_READ", "SQLITE_TOOBIG"),
)

_NO_ROOM = ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_SHMSIZE")

_PRAGMAS = (
    "foreign_keys=ON",
    "recursive_triggers=ON",  # else REPLACE deletes rows without asking the triggers
    "synchronous=FULL",
    "cache_size=-32768",  # kB: a list of 10,000 audits reads their rows once
    "secure_delete=ON",  # what was deleted does not linger
)

#: The option of a connection that says that it is going to write.
WRITES = "workbench_writes"


class SQLiteMemory(DatabaseKind):
    """A database that ends with the program, and that one thread uses at a time."""

    def __init__(self, words: DatabaseWording):
        super().__init__("in the memory of this program", words)
        self.turns = RLock()

    def engine(self) -> Engine:
        """The engine, with an empty database."""
        return _engine(":memory:", PATIENCE, StaticPool)

    def exists(self) -> bool:
        """False: it begins when it is opened."""
        return False

    def error(self, error: BaseException, lost: bool) -> StorageError:
        """The error of the driver in words."""
        return self.words.unusable(error)


class SQLiteFile(DatabaseKind):
    """A database in a file, which only its owner may read.

    Parameters
    ----------
    path : Path
        The file. It and its folder are made if they are missing.
    words : DatabaseWording
    where : str, optional
        The place of the database of a single person, as people say it.
    patience : float, optional
        Seconds to wait for another program that is writing; `PATIENCE` by default.
    single : bool
        Whether one connection does everything, by whose ``PRAGMA data_version`` the changes of
        others are seen. Its commits are in order on the disk, the last ones perhaps a moment later,
        and all pages are checked when it is opened.
    """

    def __init__(
        self,
        path: Path,
        words: DatabaseWording,
        where: str = "",
        patience: float | None = None,
        single: bool = False,
    ):
        super().__init__(where or f"on this computer, in {path}", words)
        self.path, self._of_a_person, self._single = path, bool(where), single
        self._own_patience = patience
        if single:
            self.turns = RLock()

    @property
    def _patience(self) -> float:
        return PATIENCE if self._own_patience is None else self._own_patience

    def exists(self) -> bool:
        """Whether the file is there."""
        return self.path.exists()

    def delete(self) -> None:
        """Delete the file of a person, and what SQLite keeps beside it."""
        if self._of_a_person:
            for path in self.path.parent.glob(f"{self.path.name}*"):
                path.unlink(missing_ok=True)

    def make(self, build: Callable[[Engine], None]) -> None:
        """Make the file with its tables, unless it is there; ``build`` makes them with an engine.

        Raises
        ------
        OSError
            The file cannot be made.
        """

        def build_file(path: Path) -> None:
            engine = self._engine(path, "mode=rw")
            try:
                build(engine)
            finally:
                engine.dispose()

        make_file(self.path, build_file)

    def engine(self) -> Engine:
        """The engine of the file.

        Raises
        ------
        OSError
            The file cannot be read.
        StorageError
            It is empty, or damaged.
        """
        self.writable = is_writable(self.path)
        if is_empty(self.path):
            raise self.words.damaged("it is empty")
        engine = self._engine(self.path, "mode=rw" if self.writable else "mode=ro")
        try:
            if not self.writable:
                with engine.connect() as connection:
                    connection.exec_driver_sql("SELECT count(*) FROM sqlite_master")
            self._check(engine)
        except OperationalError:
            engine.dispose()
            if self.writable:
                raise
            # WAL needs a file beside it, which cannot be made here.
            engine = self._engine(self.path, "immutable=1")
            self._check(engine)
        except BaseException:
            engine.dispose()
            raise
        return engine

    def _check(self, engine: Engine) -> None:
        """Look through all pages, where a file is small enough for that."""
        if self._single:
            with engine.connect() as connection, connection.begin():
                found = connection.exec_driver_sql("PRAGMA quick_check").scalar()
            if found != "ok":
                raise self.words.damaged(str(found))

    def _engine(self, path: Path, options: str) -> Engine:
        address = f"{path.absolute().as_uri()}?{options}"
        return _engine(address, self._patience, StaticPool if self._single else QueuePool)

    def keep_copy(self, revision: str) -> None:
        """Keep a copy beside the file, unless there is one: the way back to an older program."""
        copy = self.path.with_name(f"{self.path.name}.before-{revision}.sqlite")
        if copy.exists():
            return
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

    def settle(self, engine: Engine) -> None:
        """Switch to WAL, for which nobody else may be reading at that moment."""
        if not self.writable:
            return
        tidy_beside(self.path)
        give_up = time.monotonic() + self._patience
        with engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            while True:
                try:
                    mode = driver.execute("PRAGMA journal_mode=WAL").fetchone()[0]
                    if self._single and mode == "wal":  # else a commit must wait for the disk
                        driver.execute("PRAGMA synchronous=NORMAL")
                    return
                except sqlite3.OperationalError:
                    if time.monotonic() > give_up:
                        return  # it is as durable without, and slower
                time.sleep(0.01)

    def error(self, error: BaseException, lost: bool) -> StorageError:
        """The error of the driver in words."""
        code, said = getattr(error, "sqlite_errorname", ""), str(error)
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return self.words.busy(self._patience)
        if code in _NO_ROOM:
            return self.words.full()
        if code.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")):
            return self.words.read_only()
        if code.startswith(DAMAGE):
            return self.words.damaged(said)
        if code.startswith("SQLITE_CANTOPEN"):
            return self.words.moved()
        return self.words.unusable(said)


def _engine(address: str, patience: float, pool: type[Pool]) -> Engine:
    """An engine whose transactions begin with their first statement, and are told to write."""

    def connect() -> sqlite3.Connection:
        made = sqlite3.connect(
            address,
            timeout=patience,
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
