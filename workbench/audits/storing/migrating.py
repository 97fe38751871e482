"""`DatabaseSchema`: the tables of a database, and `migrate`, which brings them up to date."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any

from sqlalchemy import Column, Connection, MetaData, Table, Text, inspect, select

from workbench.audits.errors import ArchiveError

#: The table that has the version; the usual name may be another program's in a shared database.
_VERSION_TABLE = "workbench_version"

#: Held while migrations run: what they call, `alembic.op`, is one object of the process.
_RUNNING = Lock()

_VERSIONS = Table(_VERSION_TABLE, MetaData(), Column("version_num", Text))


@dataclass(frozen=True)
class DatabaseSchema:
    """The tables of a database, in the version of this program.

    Parameters
    ----------
    metadata : sqlalchemy.MetaData
        The tables.
    revision : str
        Their version: a whole number, that of the newest migration.
    scripts : str
        Where Alembic finds the migrations, as ``"package:folder"``.
    """

    metadata: MetaData
    revision: str
    scripts: str


def is_current(connection: Connection, where: str, schema: DatabaseSchema) -> bool:
    """Whether a database has the version of this program.

    Parameters
    ----------
    connection : Connection
    where : str
        The database, for the message.
    schema : DatabaseSchema

    Returns
    -------
    bool
        False for an older version, and for a database without our tables.

    Raises
    ------
    ArchiveError
        It has a newer version.
    """
    return _version(connection, where, schema) == schema.revision


def is_older(connection: Connection, where: str, schema: DatabaseSchema) -> bool:
    """Whether a database has our tables in an older version.

    Parameters
    ----------
    connection : Connection
    where : str
        The database, for the message.
    schema : DatabaseSchema
    """
    return _version(connection, where, schema) not in (None, schema.revision)


def migrate(connection: Connection, where: str, schema: DatabaseSchema) -> None:
    """Bring the tables of a database to the version of this program.

    Parameters
    ----------
    connection : Connection
        In a transaction that excludes other programs.
    where : str
        The database, for the message.
    schema : DatabaseSchema

    Raises
    ------
    ArchiveError
        It has a newer version, or tables of another program under our names.
    """
    version = _version(connection, where, schema)
    if version == schema.revision:  # another program was faster
        return
    if version is None:
        foreign = sorted(set(inspect(connection).get_table_names()) & set(schema.metadata.tables))
        if foreign:
            raise ArchiveError(
                f"{where} holds a table {foreign[0]!r} that is not of the workbench. It was not "
                "touched; name another database",
                lasting=True,
            )
    _run(connection, schema)


def require_current(connection: Connection, where: str, schema: DatabaseSchema) -> None:
    """Raise an ArchiveError where another program has changed the version meanwhile."""
    if not is_current(connection, where, schema):
        raise ArchiveError(f"{where} was replaced while it was in use; try again")


def _version(connection: Connection, where: str, schema: DatabaseSchema) -> str | None:
    if not inspect(connection).has_table(_VERSION_TABLE):
        return None
    found = connection.scalar(select(_VERSIONS.c.version_num))
    if found is not None and found not in map(str, range(1, int(schema.revision) + 1)):
        raise ArchiveError(
            f"{where} was made by a newer version of the workbench (format {found}; this one knows "
            f"{schema.revision}). It was not touched. Update this program, or name another "
            "database",
            lasting=True,
        )
    return found


def _run(connection: Connection, schema: DatabaseSchema) -> None:
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", schema.scripts)
    scripts = ScriptDirectory.from_config(config)

    def steps(revision: Any, context: Any) -> Any:
        return scripts._upgrade_revs(schema.revision, revision)

    with _RUNNING, EnvironmentContext(config, scripts, fn=steps) as environment:
        environment.configure(connection=connection, version_table=_VERSION_TABLE)
        environment.run_migrations()
