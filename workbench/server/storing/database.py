"""`ServerDatabase`: accounts, sign-ins and shares of a server."""

from __future__ import annotations

from pathlib import Path

from workbench.audits.errors import ArchiveError
from workbench.server.storing.schema import SERVER_SCHEMA
from workbench.storing.database import Database
from workbench.storing.kind import DatabaseKind
from workbench.storing.sqlite import SQLiteFile, SQLiteMemory
from workbench.storing.wording import DatabaseWording

#: The file in the folder of a server.
FILE = "server.sqlite"


class ServerDatabase(Database):
    """The database of a server, made when it is first used.

    Parameters
    ----------
    folder : Path, optional
        The folder of the server, ``HOME/server``. None for a database in memory.
    """

    def __init__(self, folder: Path | None = None):
        title = f"the database {'of the server, in memory' if folder is None else folder / FILE}"
        words = DatabaseWording(title, title, ArchiveError)
        kind: DatabaseKind
        kind = SQLiteMemory(words) if folder is None else SQLiteFile(folder / FILE, words)
        super().__init__(kind, SERVER_SCHEMA)
