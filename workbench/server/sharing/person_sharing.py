"""`PersonSharing`: what one person lets others read, and reads of others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from workbench.audits.errors import ArchiveError
from workbench.server.people.person import OWNER, Person, Role
from workbench.server.sharing.errors import NotSharedError, SharingError
from workbench.server.sharing.lending import Lending
from workbench.server.sharing.lent_audits import LentAudit
from workbench.server.sharing.share import LENT, Grant, ShareKind, ShareTarget
from workbench.server.sharing.shares import MOST_DAYS, USUAL_DAYS
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)

#: Names that are proposed to somebody who types one.
MOST_PROPOSED = 8

#: Why things are shared by links only.
NOBODY_SIGNS_IN = (
    "Nobody signs in on this server, so it cannot tell people apart: share by a link. To share "
    "with people, whoever runs the server adds accounts with 'workbench users add'."
)

#: What is said of a link by somebody whose data are not on a disk.
_PASSING = (
    "The link works as long as the server keeps your data: until 12 hours after your last visit, "
    "or until it is stopped."
)


class PersonSharing:
    """What one person lets others read, and reads of others.

    It is the `workbench.dashboard.sharing.Sharing` of the person's session.

    Parameters
    ----------
    lending : Lending
    person : Person
    workspace : Workspace
        The person's own, which shows what others share.
    """

    def __init__(self, lending: Lending, person: Person, workspace: Workspace):
        self._lending, self._person, self._workspace = lending, person, workspace

    # -- what the person shares ----------------------------------------------------------------

    def shared(self, kind: str) -> set[str]:
        """Keys of the data sets or audits that the person lets others read.

        Parameters
        ----------
        kind : str
        """
        return {one.key for one in self._shares() if one.kind == kind}

    def access(self, kind: str, key: str) -> dict[str, Any]:
        """Who may read a data set or an audit of the person.

        Parameters
        ----------
        kind, key : str
        """
        name = self._own(ShareKind(kind), key)
        shares = [one for one in self._shares() if (one.kind, one.key) == (kind, key)]
        people = self._lending.has_people
        disk = self._person.key == OWNER or self._person.signed_in
        refused = self._refusal()
        if refused and shares:
            refused += "; until then, nobody reads what you shared"
        return {
            "kind": kind,
            "key": key,
            "name": name,
            "who": [self._shown(one) for one in sorted(shares, key=_with_their_link(shares))],
            "people": people,
            "why": "" if people else NOBODY_SIGNS_IN,
            "refused": refused,
            "days": {"usual": USUAL_DAYS, "most": MOST_DAYS},
            "note": "" if disk else _PASSING,
        }

    def people(self, text: str) -> list[str]:
        """Names of other people, for somebody who may share and types one.

        Parameters
        ----------
        text : str
            The beginning of a name, or of a word in it.
        """
        everybody = self._lending.everybody
        if self._person.key not in everybody or self._refusal():
            return []
        typed = text.strip().casefold()
        names = [name for key, (name, _) in everybody.items() if key != self._person.key]
        found = [one for one in names if f" {one.casefold()}".find(f" {typed}") >= 0]
        return sorted(found, key=str.casefold)[:MOST_PROPOSED]

    def add(self, kind: str, key: str, name: str) -> None:
        """Share with a person, or with everyone who is signed in.

        Parameters
        ----------
        kind, key : str
        name : str
            Of the person; "" for everyone.

        Raises
        ------
        SharingError
            Nobody has this name; the person may not share, or does not own it.
        """
        what = self._shareable(kind, key)
        if not self._lending.has_people:
            raise SharingError(NOBODY_SIGNS_IN)
        person = self._key_of(name) if name else None
        self._lending.shares.add(self._person.key, what, key, person)
        self._lending.changed()

    def add_link(self, kind: str, key: str, days: int) -> str:
        """Share by a link, and return the end of its address, which is shown this once.

        Parameters
        ----------
        kind, key : str
        days : int
            For how long it holds.
        """
        what = self._shareable(kind, key)
        _, token = self._lending.shares.add_link(self._person.key, what, key, days)
        self._lending.changed()
        return f"shared/{token}"

    def revoke(self, id: str) -> None:
        """End a share of the person, for everybody at once.

        Parameters
        ----------
        id : str
        """
        self._lending.shares.revoke(self._person.key, id)
        self._lending.changed()

    def changed(self) -> None:
        """Take note that audits of the person were changed."""
        if any(one.kind is ShareKind.AUDIT for one in self._shares()):
            self._lending.changed()

    # -- what others share ---------------------------------------------------------------------

    def lent(self) -> Mapping[str, tuple[str, str, DataSet]]:
        """Name, owner and state of the data sets that others share with the person, by key."""
        found = {}
        for one in self._workspace.catalog.shared:
            owner = self._workspace.catalog.owner_of(one.key)
            if owner:
                found[one.key] = (one.name.removesuffix(f" ({owner})"), owner, one)
        return found

    def lent_audits(self) -> list[LentAudit]:
        """Audits that others share with the person, newest first."""
        shares = self._lending.with_person(self._person, ShareKind.AUDIT)
        found = []
        for one in (LentAudit(self._lending, share) for share in shares):
            try:
                found.append((one.summary.saved, one))
            except ArchiveError:  # its owner removed it, or their disk cannot be read
                logger.debug("an audit that is shared cannot be read", exc_info=True)
        return [one for _, one in sorted(found, key=lambda pair: pair[0], reverse=True)]

    def lent_audit(self, key: str) -> LentAudit | None:
        """An audit of others; None for a key that is none of others.

        Parameters
        ----------
        key : str

        Raises
        ------
        NotSharedError
            It is not, or no longer, shared with the person.
        """
        if not key.startswith(LENT):
            return None
        for share in self._lending.with_person(self._person, ShareKind.AUDIT):
            if share.reference == key:
                return LentAudit(self._lending, share)
        raise NotSharedError(ShareKind.AUDIT.words)

    def leave(self, key: str) -> str:
        """No longer read something of others, and its name.

        Parameters
        ----------
        key : str
            By which it was shared.
        """
        for kind in ShareKind:
            for share in self._lending.with_person(self._person, kind):
                if share.reference == key:
                    data = kind is ShareKind.DATA
                    found = self._lending.dataset if data else self._lending.summary
                    name = str(found(share).name)
                    self._lending.shares.leave(self._person.key, share)
                    self._lending.changed()
                    return name
        raise NotSharedError()

    def accept(self, token: str) -> str:
        """Have the data set of a link among those of the person until the link ends; its key there.

        Parameters
        ----------
        token : str
            The end of the address of the link.
        """
        share = self._lending.by_token(token)
        if share is None:
            raise NotSharedError()
        self._lending.dataset(share)
        if share.owner == self._person.key:
            return share.key
        if self._person.key == OWNER:
            raise SharingError(
                "your workspace on this computer shows no data of others; download the data set, "
                "and open the file"
            )
        self._lending.shares.accept(share, self._person.key)
        self._lending.changed()
        return share.reference

    def listen(self, callback: Callable[[], None]) -> None:
        """Call ``callback()`` when something may have changed that others share."""
        self._lending.listen(callback)

    def unlisten(self, callback: Callable[[], None]) -> None:
        """Call it no longer."""
        self._lending.unlisten(callback)

    # -- steps ---------------------------------------------------------------------------------

    def _shares(self) -> list[Grant]:
        return self._lending.shares.of(self._person.key)

    def _own(self, kind: ShareKind, key: str) -> str:
        """The name of a data set or an audit of the person, who can share nothing else."""
        if kind is ShareKind.DATA:
            names = {one.key: one.name for one in self._workspace.catalog.own}
            if key in names:
                return names[key]
        else:
            try:
                found = self._workspace.audits.find(key)
            except ArchiveError:
                found = None
            if found is not None and found.key == key and not found.removed:
                return found.name
        raise SharingError(f"only its owner shares this {kind.words}, and it is not yours")

    def _shareable(self, kind: str, key: str) -> ShareKind:
        refusal = self._refusal()
        if refusal:
            raise SharingError(refusal)
        self._own(ShareKind(kind), key)
        return ShareKind(kind)

    def _refusal(self) -> str:
        """Why the person may share nothing; "" if they may."""
        name, role = self._lending.everybody.get(
            self._person.key, (self._person.name, self._person.role)
        )
        if role.edits:
            return ""
        return (
            f"your role is {Role.VIEWER.value}; an administrator can change it with "
            f"'workbench users role {name} editor'"
        )

    def _key_of(self, name: str) -> str:
        wanted = name.strip().casefold()
        for key, (known, _) in self._lending.everybody.items():
            if known.casefold() == wanted:
                if key == self._person.key:
                    raise SharingError("this is yours already; name somebody else")
                return key
        raise SharingError(f"nobody here is called “{name.strip()[:100]}”; choose one of the names")

    def _shown(self, share: Grant) -> dict[str, Any]:
        named = share.target is ShareTarget.PERSON
        accepted = self._lending.shares.accepted(share) if share.target is ShareTarget.LINK else []
        return {
            "id": share.id,
            "to": share.target.value,
            "name": self._lending.name_of(share.person) if named else "",
            "link": share.link,
            "accepted": [self._lending.name_of(one.person) for one in accepted],
            "created": share.created.isoformat(),
            "expires": "" if share.expires is None else share.expires.isoformat(),
            "opened": share.opened,
        }


def _with_their_link(shares: list[Grant]) -> Callable[[Grant], tuple[int, bool]]:
    """The key that puts what people accepted below its link, and all else in its order."""
    place = {one.id: number for number, one in enumerate(shares)}
    return lambda one: (place.get(one.link, place[one.id]), bool(one.link))
