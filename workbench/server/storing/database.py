"""`ServerDatabase`: accounts, sign-ins and shares of a server."""

from __future__ import annotations

from pathlib import Path

from workbench.audits.storing.database import Database
from workbench.audits.storing.sqlite import SQLiteFile, SQLiteMemory
from workbench.server.storing.schema import SERVER_SCHEMA

#: The file in the folder of a server.
FILE = "server.sqlite"


class ServerDatabase(Database):
    """The database of a server, used as `Database`.

    The file and the folder are made when the database is first used; only the user of the server
    may read them.

    Parameters
    ----------
    folder : Path, optional
        The folder of the server, ``HOME/server``. None for a database in memory.
    """

    def __init__(self, folder: Path | None = None):
        super().__init__(
            SQLiteMemory() if folder is None else SQLiteFile(folder / FILE), SERVER_SCHEMA
        )
