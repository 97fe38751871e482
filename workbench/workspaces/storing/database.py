"""`WorkspaceDatabase`: the database of a workspace on disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from workbench.storing.database import Database
from workbench.storing.sqlite import SQLiteFile
from workbench.storing.wording import DatabaseWording
from workbench.workspaces.errors import StoreError
from workbench.workspaces.storing.schema import WORKSPACE_SCHEMA

#: The file in the folder of a workspace.
FILE = "workspace.sqlite"


class WorkspaceDatabase(Database):
    """The database of a workspace; its failures are `StoreError`.

    Parameters
    ----------
    folder : Path
    shown : str
        What messages call the folder, where those who read them do not have the disk; else "".
    patience : float
        Seconds to wait for another program that is writing.
    """

    def __init__(self, folder: Path, shown: str, patience: float):
        home = "name another folder by the environment variable WORKBENCH_HOME"
        words = DatabaseWording(
            f"the database in {shown}" if shown else f"the database {folder / FILE}",
            shown or str(folder),
            StoreError,
            f"or {'ask whoever runs this server' if shown else home}",
            f", as were the scores in {shown or folder / 'tables'}",
            "",  # what waits is written by itself
        )
        kind = SQLiteFile(folder / FILE, words, shown, patience, single=True)
        super().__init__(kind, WORKSPACE_SCHEMA)
        #: Which row cannot be read, in words; "" if all can.
        self.problem = ""

    @property
    def read_only(self) -> StoreError | None:
        """The error of a change, where nothing can be changed."""
        found = None if self._kind.writable else self._kind.words.read_only()
        return found if isinstance(found, StoreError) else None

    def data_version(self) -> object:
        """Another number after every commit of another program."""
        return self._pragma("data_version")

    def checkpoint(self) -> None:
        """Copy all changes from the log into the file."""
        self._pragma("wal_checkpoint(PASSIVE)")

    def _pragma(self, asked: str) -> object:
        """The answer of the driver outside of all transactions."""
        with self._kind.turns, self.reported(), closing(self._opened().raw_connection()) as one:
            driver: Any = one.driver_connection
            with closing(driver.execute(f"PRAGMA {asked}")) as found:
                return found.fetchone()[0]

    @contextmanager
    def unless_damaged(self, what: str) -> Iterator[None]:
        """Context in which a row is read: a damaged one is a `problem`, and no error."""
        try:
            with self.decoding(what):
                yield
        except StoreError as error:
            self.problem = str(error)
