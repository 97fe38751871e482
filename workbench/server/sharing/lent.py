"""`Lent`: the data sets that a person may read and not change."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from workbench.scores.sample import Scores
from workbench.scores.table import DataTable
from workbench.server.people.person import Person
from workbench.server.sharing.lending import Lending
from workbench.server.sharing.share import Grant, ShareKind
from workbench.tables.table import ScoreTable
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.shared_data import SharedData
from workbench.workspaces.view import Datasets

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class LentData:
    """A data set that somebody shares with a person.

    Parameters
    ----------
    share : Grant
    owner : str
        Name of the person who shares it.
    name : str
        As its owner calls it.
    dataset : DataSet
        As the other person sees it: under the name of its owner, too, and a key of its own.
    """

    share: Grant
    owner: str
    name: str
    dataset: DataSet


class Lent:
    """The data sets that a server was given, and those that others share with a person.

    It is a `workbench.workspaces.shared_data.SharedData`. What others share is read as its owner
    reads it, and is in memory once, for everybody who uses it.

    Parameters
    ----------
    lending : Lending
    person : Person
    given : SharedData, optional
        The data sets that the server was given.
    """

    def __init__(self, lending: Lending, person: Person, given: SharedData | None = None):
        self._lending, self._person, self._given = lending, person, given
        self._seen: tuple[tuple[int, int], Mapping[str, LentData]] | None = None

    @property
    def sets(self) -> Mapping[str, LentData]:
        """What others share with the person, by the keys of the data sets here."""
        version, seen = self._lending.version, self._seen
        if seen is None or seen[0] != version:
            seen = self._seen = version, self._look()
        return seen[1]

    @property
    def datasets(self) -> Datasets:
        """All of them, those of the server first."""
        given = [] if self._given is None else list(self._given.datasets)
        return Datasets([*given, *(one.dataset for one in self.sets.values())], "on this server")

    @property
    def current(self) -> str | None:
        """The data set that the server shows first."""
        return None if self._given is None else self._given.current

    def owner_of(self, key: str) -> str:
        """The name of the person who shares a data set.

        Parameters
        ----------
        key : str
        """
        found = self.sets.get(key)
        return "" if found is None else found.owner

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set.

        Parameters
        ----------
        key : str
        """
        found = self.sets.get(key)
        if found is None:
            return self._required(key).tables(key)
        return self._lending.data_workspace(found.share).tables(found.share.key)

    def scores(self, key: str) -> Scores:
        """The scores of a data set.

        Parameters
        ----------
        key : str
        """
        found = self.sets.get(key)
        if found is None:
            return self._required(key).scores(key)
        return self._lending.data_workspace(found.share).scores(found.share.key)

    @property
    def current_table(self) -> str | None:
        """The score table that the server shows first."""
        return None if self._given is None else self._given.current_table

    def table(self, key: str) -> ScoreTable:
        """The score table of a data set.

        Parameters
        ----------
        key : str
        """
        found = self.sets.get(key)
        if found is None:
            return self._required(key).table(key)
        return self._lending.data_workspace(found.share).table(found.share.key)

    def file(self, sha256: str) -> bytes | None:
        """A file of a page that the server was given; nobody shares such files.

        Parameters
        ----------
        sha256 : str
        """
        return None if self._given is None else self._given.file(sha256)

    # -- steps ---------------------------------------------------------------------------------

    def _look(self) -> dict[str, LentData]:
        found = {}
        for share in self._lending.with_person(self._person, ShareKind.DATA):
            try:
                dataset = self._lending.dataset(share)
            except WorkspaceError:  # its owner removed it, or their disk cannot be read
                logger.debug("a data set that is shared cannot be read", exc_info=True)
                continue
            owner = self._lending.name_of(share.owner)
            here = replace(dataset, key=share.reference, name=f"{dataset.name} ({owner})")
            found[share.reference] = LentData(share, owner, dataset.name, here)
        return found

    def _required(self, key: str) -> SharedData:
        if self._given is None:
            raise WorkspaceError(f"there is no data set {key!r} that others share")
        return self._given
