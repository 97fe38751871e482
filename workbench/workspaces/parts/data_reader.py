"""`DataReader`: the scores or the score table of a data set, read from its tables."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np

from workbench.scores.sample import Scores
from workbench.tables.table import ScoreTable
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.parts.cache import Content
from workbench.workspaces.parts.storage import Storage
from workbench.workspaces.reading import Reading
from workbench.workspaces.seen.memory import SeenData, Sight


class DataReader:
    """Reads data sets, once as long as somebody uses what was read.

    Parameters
    ----------
    storage : Storage
    seen : SeenData
        Has the number that scores were given by chance.
    """

    def __init__(self, storage: Storage, seen: SeenData):
        self._storage, self._seen = storage, seen

    def content(self, dataset: DataSet, reading: Reading | None = None) -> Content:
        """The scores or the score table, under the data set's reading by default."""
        how = dataset.reading if reading is None else reading
        with self._storage.lock:
            return self._storage.cache.get((dataset.key, how), lambda: self.read(dataset, how))

    def keep(self, key: str, reading: Reading, found: Content) -> None:
        """Take what was read already as the content of the data set with this key."""
        self._storage.cache.get((key, reading), lambda: found)

    def read(self, dataset: DataSet, reading: Reading) -> Content:
        """The content of a data set under a reading, read now."""
        tables = () if dataset.virtual else self._storage.store.datasets.tables(dataset.key)
        found = dataset.source.read(tables, reading)
        if dataset.virtual or not isinstance(found, Scores):
            return found
        return self.with_chance(found, reading, dataset.name, dataset.sha256)[0]

    def with_chance(
        self,
        found: Content,
        reading: Reading,
        name: str,
        sha256: str,
        at: datetime | None = None,
    ) -> tuple[Content, Reading]:
        """The scores, and their reading, with the number by chance that belongs to them.

        Parameters
        ----------
        found : Scores or ScoreTable
        reading : Reading
        name, sha256 : str
            Of the data set.
        at : datetime, optional
            When the data were opened; now by default.
        """
        record = self._seen.open(Sight(found, name, sha256), at, reading.seed)
        if not isinstance(found, Scores):
            return found, reading
        seed = record.seed if reading.seed is None else reading.seed
        if found.chance != seed:
            found = found._changed(seed=seed)
        return found, replace(reading, seed=seed)

    def changed_choice(self, dataset: DataSet, declared: Reading, reading: Reading) -> str:
        """The choice that changes the scores, or the direction, from what was declared; or ""."""
        choice = declared.changed_choice(reading)
        if not choice or declared.larger_is_member != reading.larger_is_member:
            return choice
        before, after = (self.content(dataset, one) for one in (declared, reading))
        return "" if _is_equal(before, after) else choice


def _is_equal(a: Content, b: Content) -> bool:
    """Whether two readings give the same scores of members and of non-members."""
    if isinstance(a, Scores) and isinstance(b, Scores):
        return a.same_arrays(b)
    if isinstance(a, ScoreTable) and isinstance(b, ScoreTable):
        return np.array_equal(a.member, b.member) and np.array_equal(
            a.matrix, b.matrix, equal_nan=True
        )
    return False
