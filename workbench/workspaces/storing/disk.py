"""`DiskStore`: a workspace in a folder, shared by the programs of one person.

The folder holds ``workspace.sqlite``, the tables as parquet files under ``tables/`` and other files
under ``files/``, both named by the SHA-256 of their content. The database is in WAL mode: readers
never wait, and writers wait for each other for a moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select

from workbench import _json
from workbench.storing.rows import require_sound
from workbench.workspaces.draws import DRAW
from workbench.workspaces.errors import StoreError
from workbench.workspaces.seen.record import SeenRecord
from workbench.workspaces.storing.database import WorkspaceDatabase
from workbench.workspaces.storing.disk_datasets import DiskDataSets
from workbench.workspaces.storing.entry import MOST_DRAW_STATES
from workbench.workspaces.storing.files import ContentFiles
from workbench.workspaces.storing.schema import (
    FILES,
    PUT_FILE,
    PUT_SEEN,
    PUT_STATE,
    SEEN,
    STATES,
    row_of_seen,
    seen_of,
)

#: Seconds to wait for another program that is writing.
PATIENCE = 3.0

#: After this time a removed data set is deleted with its content.
KEPT_REMOVED = timedelta(days=30)

#: Seconds after which another program has finished, or never will.
_ABANDONED = 86400.0


#: Made once, because pages ask often.
_SETTINGS = select(STATES.c.settings).where(
    STATES.c.page == bindparam("page"), STATES.c.dataset == bindparam("dataset")
)


class DiskStore:
    """A store in a folder; see `workbench.workspaces.storing.store.Store` for its parts.

    Every method raises `StoreError` where the folder cannot be read or written; what was there
    before is then unchanged.

    Parameters
    ----------
    folder : Path
        Made if it is missing, readable by its owner only.
    shown : str, optional
        What messages call the folder, where those who read them do not have the disk.

    Raises
    ------
    StoreError
        The folder cannot be used, the database is damaged, of a newer version, or locked.
    """

    def __init__(self, folder: Path, shown: str = ""):
        self.database = database = WorkspaceDatabase(folder, shown, PATIENCE)
        self._tables = ContentFiles(folder / "tables", ".parquet")
        self._contents = ContentFiles(folder / "files")
        self.datasets = DiskDataSets(database, self._tables, shown)
        self.states = DiskStates(database)
        self.seen = DiskSeen(database)
        self.files = DiskFiles(database, self._contents)
        with database.reading():
            pass
        if self.read_only is None:
            with suppress(StoreError):  # another program may be writing: another time
                self._tidy()

    @property
    def problem(self) -> str:
        """Which row cannot be read, and what to do; "" if all can."""
        return self.database.problem

    @property
    def read_only(self) -> StoreError | None:
        """Why nothing can be changed, and what to do."""
        return self.database.read_only

    def size(self) -> int:
        """Bytes of all tables and files, of removed data sets, too."""
        return self._tables.size() + self._contents.size()

    def flush(self) -> None:
        """Copy all changes from the log into the database file."""
        if self.read_only is None:
            self.database.checkpoint()

    def close(self) -> None:
        """Delete what was removed long ago, flush, and close the database."""
        with suppress(StoreError):
            if self.read_only is None:
                self._tidy()
        self.database.close()

    def _tidy(self) -> None:
        long_ago = datetime.now(UTC) - KEPT_REMOVED
        for key, entry in self.datasets.all().items():
            if entry.removed is not None and entry.removed < long_ago:
                self.datasets.forget(key)
        # What a program left that was killed while it added something.
        with self.database.writing() as connection:
            used = self.datasets.used_tables(connection)
            if used is not None:
                self._tables.tidy(used, _ABANDONED)
            self._contents.tidy(set(connection.scalars(select(FILES.c.sha256))), _ABANDONED)


class DiskStates:
    """The settings of pages for data sets."""

    def __init__(self, database: WorkspaceDatabase):
        self._database = database

    def get(self, page: str, key: str) -> dict[str, Any] | None:
        """The settings of a page for a data set, or None."""
        with self._database.reading() as connection:
            kept = connection.scalar(_SETTINGS, {"page": page, "dataset": key})
        found = None
        if kept is not None:
            with self._database.unless_damaged(f"what was set on the page {page!r}"):
                require_sound([kept], [STATES.c.settings])
                found = dict(_json.loads(kept))
        return found

    def put(self, page: str, key: str, settings: dict[str, Any]) -> None:
        """Keep the settings of a page for a data set; of draws, only the last few."""
        kept = _json.dumps_ascii(settings)
        with self._database.writing() as connection:
            connection.execute(PUT_STATE, {"page": page, "dataset": key, "settings": kept})
            if key.startswith(DRAW):
                drawn = (STATES.c.page == page) & STATES.c.dataset.startswith(DRAW)
                newest = select(STATES.c.position).where(drawn)
                newest = newest.order_by(STATES.c.position.desc()).limit(MOST_DRAW_STATES)
                connection.execute(delete(STATES).where(drawn, STATES.c.position.not_in(newest)))


class DiskSeen:
    """What was shown of which data."""

    def __init__(self, database: WorkspaceDatabase):
        self._database = database

    @property
    def _there(self) -> bool:
        return self._database.version != "1"  # which nothing could be written to

    def get(self, digest: str) -> SeenRecord | None:
        """What was shown of a data set, or None."""
        with self._database.reading() as connection:
            return self._get(connection, digest) if self._there else None

    def sketched(self) -> Sequence[SeenRecord]:
        """What was shown of the data sets whose rows can be recognized."""
        with self._database.reading() as connection:
            asked = select(SEEN).where(SEEN.c.sketch.is_not(None))
            rows = list(connection.execute(asked)) if self._there else []
        kept = []
        for row in rows:
            with self._database.unless_damaged("what was shown of a data set"):
                require_sound(row, SEEN.c)
                kept.append(seen_of(row))
        return kept

    def put(self, seen: SeenRecord, make: bool = True) -> SeenRecord:
        """Add to what was shown of a data set; the disk is there, whatever ``make`` is."""
        with self._database.writing() as connection:
            known = self._get(connection, seen.digest)
            found = seen if known is None else known.merged(seen)
            if found != known:
                connection.execute(PUT_SEEN, row_of_seen(found))
        return found

    def _get(self, connection: Connection, digest: str) -> SeenRecord | None:
        row = connection.execute(select(SEEN).where(SEEN.c.digest == digest)).first()
        if row is None:
            return None
        with self._database.decoding("what was shown of a data set"):
            require_sound(row, SEEN.c)
            return seen_of(row)


class DiskFiles:
    """Files by the SHA-256 of their content."""

    def __init__(self, database: WorkspaceDatabase, contents: ContentFiles):
        self._database, self._contents = database, contents

    def get(self, digest: str) -> bytes | None:
        """The content of a file; None where there is none, or where it is damaged."""
        with self._database.reported():
            return self._contents.read(digest)

    def put(self, digest: str, name: str, content: bytes) -> None:
        """Keep a file."""
        with self._database.writing() as connection:
            self._contents.write(content)
            connection.execute(PUT_FILE, {"sha256": digest, "name": name})

    def purge(self) -> None:
        """Delete the files that no page mentions in its settings."""
        with self._database.writing() as connection:
            mentioned = "\n".join(map(str, connection.scalars(select(STATES.c.settings))))
            for digest in connection.scalars(select(FILES.c.sha256)).all():
                if digest not in mentioned:
                    connection.execute(delete(FILES).where(FILES.c.sha256 == digest))
                    self._contents.delete(digest)
