"""`Entry`: a data set in a store; and what all stores have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from workbench.scores.table import DataTable
from workbench.workspaces.dataset import DataSet

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


def tables_size(tables: Sequence[DataTable]) -> int:
    """Bytes that the columns of tables take, about: 8 for each text."""
    return sum(column.nbytes for table in tables for column in table.columns.values())


def file_hash(content: bytes) -> str:
    """The SHA-256 of a file's content, as 64 hexadecimal digits."""
    return sha256(content).hexdigest()
