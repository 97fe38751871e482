"""`PersonSharing`: what one person lets others read, and reads of others."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from workbench.audits.errors import ArchiveError
from workbench.server.people.person import Person
from workbench.server.sharing.dialog import SharingDialog
from workbench.server.sharing.grant import LENT, NotSharedError, ShareKind
from workbench.server.sharing.lending import Lending
from workbench.server.sharing.lent import LentAudit
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)


class PersonSharing:
    """What one person lets others read, and reads of others.

    It is a `workbench.dashboard.sharing.Sharing`.

    Parameters
    ----------
    lending : Lending
    person : Person
    workspace : Workspace
        The person's own, which shows what others share.
    """

    def __init__(self, lending: Lending, person: Person, workspace: Workspace):
        self._lending, self._person, self._workspace = lending, person, workspace
        self.listen, self.unlisten = lending.listen, lending.unlisten

    @property
    def dialog(self) -> SharingDialog:
        """What answers the dialog about sharing."""
        return SharingDialog(self._lending, self._person, self._workspace)

    @property
    def has_people(self) -> bool:
        """Whether people have accounts here, so that something can be shared with one of them."""
        return self._lending.grants.has_people

    def shared(self, kind: str) -> set[str]:
        """Keys of the data sets or audits that the person lets others read."""
        given = self._lending.grants.given_by(self._person.key)
        return {one.key for one in given if one.kind == kind}

    def changed(self) -> None:
        """Take note that audits of the person were changed."""
        if self.shared(ShareKind.AUDIT):
            self._lending.changed()

    def lent(self) -> Mapping[str, tuple[str, str, DataSet]]:
        """Name, owner and state of the data sets that others share with the person, by key."""
        found = {}
        for one, owner in self._workspace.catalog.owned:
            if owner:
                found[one.key] = (one.name.removesuffix(f" ({owner})"), owner, one)
        return found

    def lent_audits(self) -> list[LentAudit]:
        """Audits that others share with the person, newest first."""
        found = []
        for one in self._audits():
            try:
                found.append((one.summary.saved, one))
            except ArchiveError:  # its owner removed it, or their disk cannot be read
                logger.debug("an audit that is shared cannot be read", exc_info=True)
        return [one for _, one in sorted(found, key=lambda pair: pair[0], reverse=True)]

    def lent_audit(self, key: str) -> LentAudit | None:
        """An audit of others; None for a key that is none of others.

        Raises
        ------
        NotSharedError
            It is not, or no longer, shared with the person.
        """
        if not key.startswith(LENT):
            return None
        for one in self._audits():
            if one.grant.reference == key:
                return one
        raise NotSharedError(ShareKind.AUDIT)

    def _audits(self) -> list[LentAudit]:
        given = self._lending.grants.given_to(self._person)
        return [LentAudit(self._lending, one) for one in given if one.kind is ShareKind.AUDIT]
