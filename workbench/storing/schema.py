"""`DatabaseSchema`: the tables of a database, which are made, or migrated from an older version.

Alembic runs the migrations; this module is its environment for every database. The version is in
the table ``workbench_version``. A file that is ours alone has it in ``PRAGMA user_version``, too:
the first programs looked for that of a workspace there, and refuse a newer one in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from threading import Lock
from typing import Any

from sqlalchemy import Column, Connection, MetaData, String, Table, insert, inspect

from workbench.software.private_names import upgrade_steps
from workbench.storing.wording import DatabaseWording

#: The table that has the version; the usual name may be another program's in a shared database.
_VERSION_TABLE = "workbench_version"

#: As Alembic makes it.
_VERSIONS = Table(
    _VERSION_TABLE, MetaData(), Column("version_num", String(32), primary_key=True, nullable=False)
)

#: Held while migrations run: what they call, `alembic.op`, is one object of the process.
_RUNNING = Lock()


@dataclass(frozen=True)
class DatabaseSchema:
    """The tables of a database, in the version of this program.

    Parameters
    ----------
    metadata : sqlalchemy.MetaData
        The tables, and what is made with them, such as triggers (``after_create``).
    revision : str
        Their version: a whole number, that of the newest migration.
    migrations : str
        The package with a module for each version. The first one was released with the first
        program, and is where the migrations begin.
    alone : bool
        Whether it is in a file of SQLite that holds nothing else.
    readable : str
        The oldest version that can be read as it is, where nothing can be written; by default, only
        the present one can.
    """

    metadata: MetaData
    revision: str
    migrations: str
    alone: bool = False
    readable: str = ""

    def version(self, connection: Connection, words: DatabaseWording) -> str | None:
        """The version of a database; None for one without our tables.

        Raises
        ------
        StorageError
            It has a newer version.
        """
        stamped = inspect(connection).has_table(_VERSION_TABLE)
        return self._known(connection, words, stamped) or None

    def is_current(self, connection: Connection, words: DatabaseWording) -> bool:
        """Whether a database has the version of this program, and has the table of it."""
        there = inspect(connection).has_table(_VERSION_TABLE)
        return self._known(connection, words, there) == self.revision and there

    def require_current(self, connection: Connection, words: DatabaseWording) -> None:
        """Raise an error where another program has changed the version since `bring_up_to_date`."""
        if self._known(connection, words) != self.revision:
            raise words.error(f"{words.title} was replaced while it was in use; try again")

    def bring_up_to_date(self, connection: Connection, words: DatabaseWording) -> None:
        """Make the tables of an empty database, or migrate those of an older version.

        The transaction of the connection excludes other programs.

        Raises
        ------
        StorageError
            It has a newer version, or tables of another program under our names.
        """
        version = self.version(connection, words)
        if version is None:
            self._make(connection, words)
        elif not inspect(connection).has_table(_VERSION_TABLE):  # only its head has the version
            _stamp(connection, version)
        if version not in (None, self.revision):
            self._migrate(connection)
        if self.alone:
            connection.exec_driver_sql(f"PRAGMA user_version={int(self.revision)}")

    def _make(self, connection: Connection, words: DatabaseWording) -> None:
        there = set(inspect(connection).get_table_names()) - {_VERSION_TABLE}
        if there and self.alone:
            raise words.damaged("it holds other tables than ours")
        if foreign := sorted(there & set(self.metadata.tables)):
            raise words.foreign(foreign[0])
        self.metadata.create_all(connection)
        _stamp(connection, self.revision)

    def _migrate(self, connection: Connection) -> None:
        from alembic.operations import Operations
        from alembic.runtime.migration import MigrationContext
        from alembic.script import ScriptDirectory

        spec = find_spec(self.migrations)
        folders = [] if spec is None else list(spec.submodule_search_locations or ())
        scripts = ScriptDirectory(folders[0], version_locations=folders)

        def steps(revision: Any, context: MigrationContext) -> Any:
            return upgrade_steps(scripts, self.revision, revision)

        options = {"version_table": _VERSION_TABLE, "script": scripts, "fn": steps}
        context = MigrationContext.configure(connection, opts=options)
        with _RUNNING, Operations.context(context):
            context.run_migrations()

    def _known(self, connection: Connection, words: DatabaseWording, stamped: bool = True) -> str:
        """The version of a database; "" for none."""
        asked = f"SELECT version_num FROM {_VERSION_TABLE}"  # often, and this is fast
        found = (connection.exec_driver_sql(asked).scalar() or "") if stamped else ""
        if self.alone:
            head = connection.exec_driver_sql("PRAGMA user_version").scalar() or 0
            if not found or (found.isdecimal() and head > int(found)):
                found = str(head) if head else ""
        if found and found not in map(str, range(1, int(self.revision) + 1)):
            raise words.newer(found, self.revision)
        return found


def _stamp(connection: Connection, version: str) -> None:
    _VERSIONS.create(connection, checkfirst=True)
    connection.execute(insert(_VERSIONS).values(version_num=version))
