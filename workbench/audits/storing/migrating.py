"""`migrate`: the tables of a database brought to the version of this program."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Connection, MetaData, Table, Text, inspect, select

from workbench.audits.errors import ArchiveError
from workbench.audits.storing.schema import METADATA, REVISION

#: The table that has the version; the usual name may be another program's in a shared database.
_VERSION_TABLE = "workbench_version"

_VERSIONS = Table(_VERSION_TABLE, MetaData(), Column("version_num", Text))

#: Where Alembic finds `migrations`.
_SCRIPTS = "workbench.audits.storing:migrations"


def is_current(connection: Connection, where: str) -> bool:
    """Whether a database has the version of this program.

    Parameters
    ----------
    connection : Connection
    where : str
        The database, for the message.

    Returns
    -------
    bool
        False for an older version, and for a database without our tables.

    Raises
    ------
    ArchiveError
        It has a newer version.
    """
    return _version(connection, where) == REVISION


def migrate(connection: Connection, where: str) -> None:
    """Bring the tables of a database to the version of this program.

    Parameters
    ----------
    connection : Connection
        In a transaction that excludes other programs.
    where : str
        The database, for the message.

    Raises
    ------
    ArchiveError
        It has a newer version, or tables of another program under our names.
    """
    version = _version(connection, where)
    if version == REVISION:  # another program was faster
        return
    if version is None:
        foreign = sorted(set(inspect(connection).get_table_names()) & set(METADATA.tables))
        if foreign:
            raise ArchiveError(
                f"{where} holds a table {foreign[0]!r} that is not of the workbench. It was not "
                "touched; name another database",
                lasting=True,
            )
    _run(connection)


def require_current(connection: Connection, where: str) -> None:
    """Raise an ArchiveError where another program has changed the version meanwhile."""
    if not is_current(connection, where):
        raise ArchiveError(f"{where} was replaced while it was in use; try again")


def _version(connection: Connection, where: str) -> str | None:
    if not inspect(connection).has_table(_VERSION_TABLE):
        return None
    found = connection.scalar(select(_VERSIONS.c.version_num))
    if found is not None and found not in map(str, range(1, int(REVISION) + 1)):
        raise ArchiveError(
            f"{where} was made by a newer version of the workbench (format {found}; this one knows "
            f"{REVISION}). It was not touched. Update this program, or name another database",
            lasting=True,
        )
    return found


def _run(connection: Connection) -> None:
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", _SCRIPTS)
    scripts = ScriptDirectory.from_config(config)

    def steps(revision: Any, context: Any) -> Any:
        return scripts._upgrade_revs(REVISION, revision)

    with EnvironmentContext(config, scripts, fn=steps) as environment:
        environment.configure(connection=connection, version_table=_VERSION_TABLE)
        environment.run_migrations()
