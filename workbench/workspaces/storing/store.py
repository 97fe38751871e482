"""Where a workspace keeps what it holds: `Store`, and the parts that every store has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Protocol, runtime_checkable

from workbench.scores.table import DataTable
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.seen.memory import StoredSeen

#: Draws of each page whose settings are kept: every move of a slider makes another draw.
MOST_DRAW_STATES = 20


@dataclass(frozen=True)
class Entry:
    """A data set, and when it was removed.

    Parameters
    ----------
    dataset : DataSet
    removed : datetime or None
        None while it is there.
    """

    dataset: DataSet
    removed: datetime | None = None


class StoredDataSets(Protocol):
    """The data sets of a store, and which of them is the current one."""

    def version(self) -> object:
        """A value that changes with every change of data sets or of the current one."""

    def all(self) -> dict[str, Entry]:
        """All data sets by key, oldest first, removed ones included."""

    def add(self, entry: Entry, tables: Sequence[DataTable]) -> None:
        """Keep a data set with its tables; if it is there, only content that is damaged."""

    def update(self, entry: Entry) -> None:
        """Keep what is now known of a data set."""

    def forget(self, key: str) -> None:
        """Delete a data set, its tables and the settings of pages for it."""

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set."""

    def current(self) -> str | None:
        """The key that was chosen last."""

    def choose(self, key: str | None) -> None:
        """Keep the choice."""


class StoredStates(Protocol):
    """The settings of pages for data sets; of draws, only the last few."""

    def get(self, page: str, key: str) -> dict[str, Any] | None:
        """The settings of a page for a data set."""

    def put(self, page: str, key: str, settings: dict[str, Any]) -> None:
        """Keep the settings of a page, which are JSON values, for a data set."""


class StoredFiles(Protocol):
    """Files, each under the SHA-256 of its content."""

    def get(self, digest: str) -> bytes | None:
        """The content of a file."""

    def put(self, digest: str, name: str, content: bytes) -> None:
        """Keep a file; its name is for people who look into a folder."""

    def purge(self) -> None:
        """Delete the files that no page mentions in its settings."""


@runtime_checkable
class Store(Protocol):
    """The place where a `Workspace` keeps things."""

    @property
    def datasets(self) -> StoredDataSets:
        """The data sets."""

    @property
    def states(self) -> StoredStates:
        """The settings of pages."""

    @property
    def seen(self) -> StoredSeen:
        """What was shown of which data."""

    @property
    def files(self) -> StoredFiles:
        """Other files."""

    @property
    def where(self) -> str:
        """The place, as people say it."""

    @property
    def problem(self) -> str:
        """What is wrong, what was kept and what to do; "" if nothing is."""

    @property
    def waiting(self) -> bool:
        """Whether changes are in memory only that belong on a disk."""

    def size(self) -> int:
        """Bytes of all tables and files, of removed data sets, too."""

    def flush(self) -> None:
        """Write what is not written yet."""

    def close(self) -> None:
        """Flush, and let go of the place, which is opened again when it is used again."""


def tables_size(tables: Sequence[DataTable]) -> int:
    """Bytes that the columns of tables take, about: 8 for each text."""
    return sum(column.nbytes for table in tables for column in table.columns.values())


def file_hash(content: bytes) -> str:
    """The SHA-256 of a file's content, as 64 hexadecimal digits."""
    return sha256(content).hexdigest()
