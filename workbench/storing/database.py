"""`Database`: a database of the workbench, opened when it is first used."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from workbench.storing.errors import StorageError
from workbench.storing.kind import DatabaseKind
from workbench.storing.rows import UNREADABLE
from workbench.storing.schema import DatabaseSchema
from workbench.storing.sqlite import WRITES


class Database:
    """A database, opened when it is first used.

    An older database is brought to the present version at once or not at all, after a copy of its
    file was made; a newer one is refused as it is. All methods may be called from any thread. They
    raise a `StorageError` (of the class of ``kind.words``) where the database cannot be used; the
    next call tries again.

    Parameters
    ----------
    kind : DatabaseKind
    schema : DatabaseSchema
        Its tables.
    """

    def __init__(self, kind: DatabaseKind, schema: DatabaseSchema):
        self._kind, self._schema = kind, schema
        self._engine: Engine | None = None
        self._opening = Lock()
        #: Its version, once it was opened: an older one where nothing can be written.
        self.version = ""

    @property
    def where(self) -> str:
        """The place, as people say it, without user and password."""
        return self._kind.where

    def exists(self) -> bool:
        """Whether there is a database already; nothing is made in order to know it."""
        with self.reported():
            return self._engine is not None or self._kind.exists()

    def delete(self) -> None:
        """Delete all of it, where it is the database of a single person."""
        self.close()
        with self.reported():
            self._kind.delete()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Context with a connection that sees one state of the database."""
        with (
            self._kind.turns,
            self.reported(),
            self._opened().connect() as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Context of a transaction: all of it is kept, durably, or nothing."""
        with self._kind.turns, self.reported():
            writer = _writer(self._opened())
            self._refuse_unless_writable()
            with writer.begin() as connection:
                self._schema.require_current(connection, self._kind.words)
                yield connection

    def require_writable(self) -> None:
        """Raise an error where nothing can be written."""
        with self._kind.turns, self.reported():
            self._opened()
        self._refuse_unless_writable()

    def require_known(self, connection: Connection) -> None:
        """Raise an error where another program has brought the database to a newer version."""
        self._schema.version(connection, self._kind.words)

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
        """Context in which a row is read; ``what`` it is, such as "a plan", if it is damaged."""
        try:
            yield
        except StorageError:
            raise
        except UNREADABLE as error:
            raise self._kind.words.damaged_row(what, error) from error

    @contextmanager
    def reported(self) -> Iterator[None]:
        """Context in which what goes wrong with the database or the disk is a `StorageError`."""
        words = self._kind.words
        try:
            yield
        except OSError as error:
            raise words.of_system(error) from error
        except DBAPIError as error:
            raise self._kind.error(error.orig or error, error.connection_invalidated) from error
        except sqlite3.Error as error:  # of a statement outside of all transactions
            raise self._kind.error(error, False) from error
        except UnicodeDecodeError as error:  # what SQLite says quotes the damaged text
            raise words.damaged("its list of tables is no text") from error
        except SQLAlchemyError as error:
            raise words.unusable(error) from error

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.where})"

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
        words, schema = self._kind.words, self._schema
        with engine.connect() as connection, connection.begin():
            current = schema.is_current(connection, words)
            self.version = schema.version(connection, words) or ""
        readable = schema.readable and int(self.version or 0) >= int(schema.readable)
        if not current and not (readable and not self._kind.writable):
            self._refuse_unless_writable()
            with _writer(engine).begin() as connection:
                self._kind.exclude_others(connection)
                if schema.version(connection, words) not in (None, schema.revision):
                    self._kind.keep_copy(schema.revision)
                schema.bring_up_to_date(connection, words)
            self.version = schema.revision
        self._kind.settle(engine)

    def _refuse_unless_writable(self) -> None:
        if not self._kind.writable:
            raise self._kind.words.read_only()


def _writer(engine: Engine) -> Engine:
    return engine.execution_options(**{WRITES: True})
