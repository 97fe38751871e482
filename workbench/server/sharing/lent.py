"""`LentData` and `LentAudit`: what a person may read of others, and not change."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from workbench.audits.attachment import Attachment
from workbench.audits.audit import Audit
from workbench.audits.summary import AuditSummary
from workbench.scores.sample import Scores
from workbench.scores.table import DataTable
from workbench.server.people.person import Person
from workbench.server.sharing.grant import Grant, ShareKind
from workbench.server.sharing.lending import Lending
from workbench.tables.table import ScoreTable
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.shared_data import SharedData
from workbench.workspaces.view import Datasets

logger = logging.getLogger(__name__)


class LentData:
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
        self._seen: tuple[tuple[int, int], Mapping[str, tuple[Grant, str, DataSet]]] | None = None

    @property
    def sets(self) -> Mapping[str, tuple[Grant, str, DataSet]]:
        """The grant, the owner and the state of what others share, by the keys of data sets here.

        A person sees it under the name of its owner, too.
        """
        version, seen = self._lending.version, self._seen
        if seen is None or seen[0] != version:
            seen = self._seen = version, self._read()
        return seen[1]

    @property
    def datasets(self) -> Datasets:
        """All of them, those of the server first."""
        given = [] if self._given is None else list(self._given.datasets)
        return Datasets([*given, *(one for _, _, one in self.sets.values())], "on this server")

    @property
    def current(self) -> str | None:
        """The data set that the server shows first."""
        return None if self._given is None else self._given.current

    @property
    def current_table(self) -> str | None:
        """The score table that the server shows first."""
        return None if self._given is None else self._given.current_table

    def owner_of(self, key: str) -> str:
        """The name of the person who shares a data set."""
        found = self.sets.get(key)  # asked once: another thread may end the grant in between
        return "" if found is None else found[1]

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set."""
        source, there = self._source(key)
        return source.tables(there)

    def scores(self, key: str) -> Scores:
        """The scores of a data set."""
        source, there = self._source(key)
        return source.scores(there)

    def table(self, key: str) -> ScoreTable:
        """The score table of a data set."""
        source, there = self._source(key)
        return source.table(there)

    def file(self, sha256: str) -> bytes | None:
        """A file of a page that the server was given; nobody shares such files."""
        return None if self._given is None else self._given.file(sha256)

    def _read(self) -> dict[str, tuple[Grant, str, DataSet]]:
        found, grants = {}, self._lending.grants
        for grant in grants.given_to(self._person):
            if grant.kind is not ShareKind.DATA:
                continue
            try:
                dataset = self._lending.dataset(grant)
            except WorkspaceError:  # its owner removed it, or their disk cannot be read
                logger.debug("a data set that is shared cannot be read", exc_info=True)
                continue
            owner, key = grants.name_of(grant.owner), grant.reference
            found[key] = (grant, owner, replace(dataset, key=key, name=f"{dataset.name} ({owner})"))
        return found

    def _source(self, key: str) -> tuple[SharedData, str]:
        """The workspace that has a data set, and its key there."""
        found = self.sets.get(key)
        if found is not None:
            return self._lending.data_workspace(found[0]), found[0].key
        if self._given is None:
            raise WorkspaceError(f"there is no data set {key!r} that others share")
        return self._given, key


@dataclass(frozen=True)
class LentAudit:
    """A saved audit that somebody shares; every method asks whether they still do.

    NotSharedError is raised where they do not.
    """

    lending: Lending
    grant: Grant

    @property
    def owner(self) -> str:
        """Name of the owner."""
        return self.lending.grants.name_of(self.grant.owner)

    @cached_property
    def summary(self) -> AuditSummary:
        """What a list shows of it, without what belongs to the owner's archive."""
        found = self.lending.summary(self.grant)
        return replace(found, key=self.grant.reference, previous="", versions=1)

    def audit(self) -> Audit:
        """The audit, under the key that it has for others."""
        found = self.lending.audit_archive(self.grant)[self.grant.key]
        return replace(found, key=self.grant.reference)

    def attachments(self) -> tuple[Attachment, ...]:
        """The scores and files that were saved with it."""
        return self.lending.audit_archive(self.grant).attachments(self.grant.key)

    def exported(self) -> bytes:
        """The content of its file, as its owner exports it."""
        return self.lending.audit_archive(self.grant).exported(self.grant.key)
