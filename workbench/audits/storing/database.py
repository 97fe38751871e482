"""`Database`: a database of the workbench, opened when it is first used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Self

from sqlalchemy import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from workbench.audits.errors import ArchiveError
from workbench.audits.storing.kind import DatabaseKind
from workbench.audits.storing.migrating import (
    DatabaseSchema,
    is_current,
    is_older,
    migrate,
    require_current,
)
from workbench.audits.storing.postgresql import PostgreSQLServer
from workbench.audits.storing.rows import UNREADABLE
from workbench.audits.storing.schema import AUDITS_SCHEMA
from workbench.audits.storing.sqlite import WRITES, SQLiteFile, SQLiteMemory

#: The file in the folder of a workspace.
FILE = "audits.sqlite"

_NAME = re.compile("[a-z0-9_]{1,60}")

_FORMS = "sqlite:////folder/audits.sqlite or postgresql://user:password@host/database"


class Database:
    """A database, of audits unless another schema is given, opened when it is first used.

    An older database is brought to the present version at once or not at all, after a copy of its
    file was made; a newer one is refused as it is. All methods may be called from any thread. They
    raise `ArchiveError` where the database cannot be used; the next call tries again.

    Parameters
    ----------
    kind : DatabaseKind
    schema : DatabaseSchema, optional
        Its tables.
    """

    def __init__(self, kind: DatabaseKind, schema: DatabaseSchema = AUDITS_SCHEMA):
        self._kind, self._schema = kind, schema
        self._engine: Engine | None = None
        self._opening = Lock()

    @classmethod
    def in_folder(cls, folder: Path, where: str = "") -> Self:
        """The database in the file ``audits.sqlite`` of a folder.

        Parameters
        ----------
        folder : Path
        where : str, optional
            The place in words; by default, it is the path.
        """
        return cls(SQLiteFile(folder / FILE, where))

    @classmethod
    def in_memory(cls) -> Self:
        """A database that ends with the program."""
        return cls(SQLiteMemory())

    @classmethod
    def at(cls, address: str) -> Self:
        """The database of a URL.

        Parameters
        ----------
        address : str
            As of SQLAlchemy, of SQLite or PostgreSQL.

        Raises
        ------
        ArchiveError
            It is none.
        """
        url = _url(address)
        if url.get_backend_name() == "sqlite":
            if url.database in (None, "", ":memory:"):
                return cls.in_memory()
            return cls(SQLiteFile(Path(url.database).expanduser().resolve()))
        return cls(PostgreSQLServer(url.set(drivername="postgresql+psycopg")))

    @classmethod
    def of_person(cls, address: str, name: str, where: str) -> Self:
        """The database of one person, beside those of other people.

        In PostgreSQL it is a schema of the database: no query of this person reaches another one.
        In SQLite it is a file in a folder beside the file of the URL.

        Parameters
        ----------
        address : str
            As of `at`.
        name : str
            Lower-case letters, digits and ``_``; different for every person.
        where : str
            The place, as people say it.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"name must have 1 to 60 characters of a-z, 0-9 and _, got {name!r}")
        url = _url(address)
        if url.get_backend_name() != "sqlite":
            return cls(PostgreSQLServer(url.set(drivername="postgresql+psycopg"), name, where))
        if url.database in (None, "", ":memory:"):
            return cls.in_memory()
        path = Path(url.database).expanduser().resolve()
        return cls(SQLiteFile(path.with_name(f"{path.name}-people") / f"{name}.sqlite", where))

    @property
    def where(self) -> str:
        """The place, as people say it, without user and password."""
        return self._kind.where

    @property
    def title(self) -> str:
        """The database in a message."""
        return self._kind.title

    def exists(self) -> bool:
        """Whether there is a database already; nothing is made in order to know it."""
        with self._reported():
            return self._engine is not None or self._kind.exists()

    def delete(self) -> None:
        """Delete all of it, where it is the database of a person; see `of_person`."""
        self.close()
        with self._reported():
            self._kind.delete()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Context with a connection that sees one state of the database."""
        with (
            self._kind.turns,
            self._reported(),
            self._opened().connect() as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Context of a transaction: all of it is kept, durably, or nothing."""
        with self._kind.turns, self._reported():
            engine = self._opened()
            if not self._kind.writable:
                raise self._kind.read_only()
            with _writer(engine).begin() as connection:
                require_current(connection, self.title, self._schema)
                yield connection

    def exclude_others(self, connection: Connection) -> None:
        """Let no other program come here before the transaction of ``connection`` ends."""
        self._kind.exclude_others(connection)

    def close(self) -> None:
        """Let go of the database. It is opened again when it is used again."""
        with self._opening:
            engine, self._engine = self._engine, None
        if engine is not None:
            engine.dispose()

    @contextmanager
    def decoding(self, what: str) -> Iterator[None]:
        """Context in which a row is read: where it is damaged, an `ArchiveError` says so.

        Parameters
        ----------
        what : str
            What the row is, such as "a plan".
        """
        try:
            yield
        except ArchiveError:
            raise
        except UNREADABLE as error:
            raise ArchiveError(
                f"{what} in {self.title} is damaged ({error}). It was left as it is, and the rest "
                "can be read; put a copy of the database back"
            ) from error

    def __repr__(self) -> str:
        return f"Database({self.where})"

    # -- steps --------------------------------------------------------------------------------

    def _opened(self) -> Engine:
        with self._opening:
            if self._engine is None:
                self._kind.make(self._bring_up_to_date)
                engine = self._kind.engine()
                try:
                    self._bring_up_to_date(engine)
                except BaseException:
                    engine.dispose()
                    raise
                self._engine = engine
            return self._engine

    def _bring_up_to_date(self, engine: Engine) -> None:
        with engine.connect() as connection, connection.begin():
            current = is_current(connection, self.title, self._schema)
        if not current:
            if not self._kind.writable:
                raise self._kind.read_only()
            with _writer(engine).begin() as connection:
                self._kind.exclude_others(connection)
                if is_older(connection, self.title, self._schema):
                    self._kind.keep_copy(self._schema.revision)
                migrate(connection, self.title, self._schema)
        self._kind.settle(engine)

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Context in which what goes wrong with the database is an `ArchiveError`."""
        try:
            yield
        except DBAPIError as error:
            raise self._kind.error(error) from error
        except UnicodeDecodeError as error:  # what SQLite says quotes the damaged text
            raise self._kind.damaged("its list of tables is no text") from error
        except SQLAlchemyError as error:
            raise ArchiveError(f"{self.title} cannot be used: {error}") from error


def _writer(engine: Engine) -> Any:
    return engine.execution_options(**{WRITES: True})


def _url(address: str) -> URL:
    """A URL of SQLite or PostgreSQL; messages do not quote it, for it may hold a password."""
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise ArchiveError(f"the database must be a URL such as {_FORMS}") from None
    if "@" in (url.host or ""):
        raise ArchiveError("the URL of the database has more than one @; write %40 in a password")
    kind = url.get_backend_name()
    if kind == "postgres":  # as other programs write it
        return url.set(drivername="postgresql")
    if kind not in ("sqlite", "postgresql"):
        raise ArchiveError(f"a database of {kind!r} is not supported; use one such as {_FORMS}")
    return url
