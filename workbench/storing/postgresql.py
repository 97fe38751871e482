"""`PostgreSQLServer`: the database on a server that several people share."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateSchema, DropSchema

from workbench.software.extras import words
from workbench.storing.errors import StorageError
from workbench.storing.kind import DatabaseKind
from workbench.storing.wording import DatabaseWording

#: Seconds to wait for an answer when a connection is made.
PATIENCE = 10

#: Number of the lock that programs hold while they make tables.
_LOCK = 0x776F726B62656E63

#: What a server says that will answer soon.
_SOON = re.compile("starting up|shutting down|recovery|too many|terminating")

_UNCHANGED = "What was saved there is unchanged"


class PostgreSQLServer(DatabaseKind):
    """A database of a PostgreSQL server.

    Parameters
    ----------
    url : sqlalchemy.URL
        Its password appears in no message.
    words : DatabaseWording
    where : str
        The place, as people say it.
    schema : str, optional
        The schema of a single person, made when it is first used; nothing outside of it is seen.
    """

    def __init__(self, url: URL, words: DatabaseWording, where: str, schema: str = ""):
        super().__init__(where, words)
        self._url, self._schema = url.set(drivername="postgresql+psycopg"), schema

    def exists(self) -> bool:
        """Whether our tables are there."""
        engine = self._engine()
        try:
            with engine.connect() as connection:
                found = connection.scalar(text("SELECT to_regclass('workbench_version')"))
        finally:
            engine.dispose()
        return found is not None

    def delete(self) -> None:
        """Delete the schema of a person with all that is in it."""
        if self._schema:
            engine = self._engine()
            with engine.begin() as connection:
                connection.execute(DropSchema(self._schema, cascade=True, if_exists=True))
            engine.dispose()

    def engine(self) -> Engine:
        """The engine of the server; a schema is made, and else it connects later.

        Raises
        ------
        StorageError
            The driver is not installed.
        """
        engine = self._engine()
        if self._schema:
            with engine.begin() as connection:
                self.exclude_others(connection)
                connection.execute(CreateSchema(self._schema, if_not_exists=True))
        return engine

    def _engine(self) -> Engine:
        pool: dict[str, Any] = {"pool_pre_ping": True}  # a restarted server is connected to again
        if self._schema:
            pool = {"poolclass": NullPool}  # many people, each for a moment
        try:
            engine = create_engine(
                self._url,
                hide_parameters=True,
                connect_args={"connect_timeout": PATIENCE},
                **pool,
            )
        except ImportError as error:
            raise self.words.error(words("psycopg", "PostgreSQL needs"), lasting=True) from error
        if self._schema:  # in every transaction: a pooler may hand out anybody's connection
            path = f'SET LOCAL search_path TO "{self._schema}"'
            event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(path))
        return engine

    def exclude_others(self, connection: Connection) -> None:
        """Wait until no other program makes tables, and let none until the transaction ends."""
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})

    def error(self, error: BaseException, lost: bool) -> StorageError:
        """The error of the driver in words; ``lost``: with the connection."""
        state = getattr(error, "sqlstate", None) or ""
        diagnosis = getattr(getattr(error, "diag", None), "message_primary", None)
        said = self._without_password(diagnosis or str(error))
        title, failure = self.words.title, self.words.error
        if state == "53100":
            return failure(
                f"the disk of {title} is full. {_UNCHANGED}; make room and try again", full=True
            )
        if state == "25006":
            return self.words.read_only()
        if state == "42501":
            return failure(f"{title} does not allow it: {said}. Ask for the right to it")
        if state in ("40001", "40P01", "55P03"):
            return failure(f"another program changes {title} now; try again")
        if "FATAL:" in said and not _SOON.search(said):
            return failure(
                f"{title} does not let this program in: {said}. Correct the user, the password or "
                "the name of the database in its URL"
            )
        if lost or not state or state.startswith(("08", "57P", "53")):
            return failure(
                f"{title} cannot be reached: {said}. {_UNCHANGED}. Try again when the server "
                "answers"
            )
        return failure(f"{title} cannot be used: {said}")

    def _without_password(self, said: str) -> str:
        said = " ".join(said.split()).rstrip(".?")
        for secret in {self._url.password, *map(str, self._url.query.values())} - {None, ""}:
            said = said.replace(str(secret), "***")
        return said
