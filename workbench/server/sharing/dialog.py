"""`SharingDialog`: makes grants of what a person asks for in the dialog about sharing."""

from __future__ import annotations

from collections.abc import Callable

from workbench.audits.errors import ArchiveError
from workbench.pages.core.gestures import Message
from workbench.server.people.person import OWNER, Person, Role
from workbench.server.sharing.grant import (
    Grant,
    NotSharedError,
    ShareKind,
    ShareTarget,
    SharingError,
)
from workbench.server.sharing.grants import MOST_DAYS, USUAL_DAYS
from workbench.server.sharing.lending import Lending
from workbench.workspaces.workspace import Workspace

#: Names that are proposed to somebody who types one.
MOST_PROPOSED = 8

#: Why things are shared by links only.
NOBODY_SIGNS_IN = (
    "Nobody signs in on this server, so it cannot tell people apart: share by a link. To share "
    "with people, whoever runs the server adds accounts with 'workbench users add'."
)

#: The note about links of somebody whose data are not on a disk.
_PASSING = (
    "The link works as long as the server keeps your data: until 12 hours after your last visit, "
    "or until it is stopped."
)


class SharingDialog:
    """Makes grants of what a person asks for in the dialog about sharing.

    Each request is a gesture of `workbench.dashboard.gestures`, with the kind (``of``)
    and the ``key`` of what is shared. A request that is refused raises ValueError, in words for
    the person.

    Parameters
    ----------
    lending : Lending
    person : Person
    workspace : Workspace
        The person's own.
    """

    def __init__(self, lending: Lending, person: Person, workspace: Workspace):
        self._lending, self._grants = lending, lending.grants
        self._person, self._workspace = person, workspace

    # -- requests ------------------------------------------------------------------------------

    def access(self, gesture: Message) -> Message:
        """Who may read a data set or an audit of the person."""
        kind, key = ShareKind(gesture["of"]), str(gesture["key"])
        name = self._own(kind, key)
        item = (self._person.key, kind, key)
        grants = [one for one in self._grants.given_by(self._person.key) if one.item == item]
        disk = self._person.key == OWNER or self._person.signed_in
        refused = self._refusal()
        if refused and grants:
            refused += "; until then, nobody reads what you shared"
        return {
            "kind": kind,
            "key": key,
            "name": name,
            "who": [self._shown(one) for one in sorted(grants, key=_with_their_link(grants))],
            "people": self._grants.has_people,
            "why": "" if self._grants.has_people else NOBODY_SIGNS_IN,
            "refused": refused,
            "days": {"usual": USUAL_DAYS, "most": MOST_DAYS},
            "note": "" if disk else _PASSING,
        }

    def people(self, gesture: Message) -> Message:
        """Names of other people that begin so, or have a word that does."""
        people = self._grants.people
        if self._person.key not in people or self._refusal():
            return {"people": []}
        typed = str(gesture.get("text", "")).strip().casefold()
        names = [name for key, (name, _) in people.items() if key != self._person.key]
        found = [one for one in names if f" {one.casefold()}".find(f" {typed}") >= 0]
        return {"people": sorted(found, key=str.casefold)[:MOST_PROPOSED]}

    def add(self, gesture: Message) -> Message:
        """Share with the person of a name, or with everyone who is signed in."""
        kind, key = self._shareable(gesture)
        if not self._grants.has_people:
            raise SharingError(NOBODY_SIGNS_IN)
        person = None if gesture["do"] == "add everyone" else self._key_of(str(gesture["name"]))
        self._grants.add(self._person.key, kind, key, person)
        self._lending.changed()
        return self.access(gesture)

    def link(self, gesture: Message) -> Message:
        """Share by a link, whose address is shown this once."""
        kind, key = self._shareable(gesture)
        _, token = self._grants.add_link(self._person.key, kind, key, gesture["days"])
        self._lending.changed()
        return {"link": f"shared/{token}"} | self.access(gesture)

    def revoke(self, gesture: Message) -> Message:
        """End a grant of the person, for everybody at once."""
        self._grants.revoke(self._person.key, str(gesture["id"]))
        self._lending.changed()
        return self.access(gesture)

    def accept(self, gesture: Message) -> Message:
        """Have the data set of a link among those of the person until the link ends."""
        grant = self._grants.by_token(str(gesture["token"]))
        if grant is None:
            raise NotSharedError()
        dataset = self._lending.dataset(grant)
        if grant.owner == self._person.key:
            return {"key": grant.key, "name": "", "owner": ""}
        if self._person.key == OWNER:
            raise SharingError(
                "your workspace on this computer shows no data of others; download the data set, "
                "and open the file"
            )
        self._grants.accept(grant, self._person.key)
        self._lending.changed()
        owner = self._grants.name_of(grant.owner)
        return {"key": grant.reference, "name": dataset.name, "owner": owner}

    def leave(self, gesture: Message) -> Message:
        """No longer read something of others."""
        for grant in self._grants.given_to(self._person):
            if grant.reference == gesture["key"]:
                data = grant.kind is ShareKind.DATA
                found = (self._lending.dataset if data else self._lending.summary)(grant)
                self._grants.leave(self._person.key, grant)
                self._lending.changed()
                return {"name": str(found.name)}
        raise NotSharedError()

    # -- steps ---------------------------------------------------------------------------------

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

    def _shareable(self, gesture: Message) -> tuple[ShareKind, str]:
        """Kind and key of what the person may share."""
        refusal = self._refusal()
        if refusal:
            raise SharingError(refusal)
        kind, key = ShareKind(gesture["of"]), str(gesture["key"])
        self._own(kind, key)
        return kind, key

    def _refusal(self) -> str:
        """Why the person may share nothing; "" if they may."""
        person = self._person
        name, role = self._grants.people.get(person.key, (person.name, person.role))
        if role.edits:
            return ""
        return (
            f"your role is {Role.VIEWER.value}; an administrator can change it with "
            f"'workbench users role {name} editor'"
        )

    def _key_of(self, name: str) -> str:
        wanted = name.strip().casefold()
        for key, (known, _) in self._grants.people.items():
            if known.casefold() == wanted:
                if key == self._person.key:
                    raise SharingError("this is yours already; name somebody else")
                return key
        raise SharingError(f"nobody here is called “{name.strip()[:100]}”; choose one of the names")

    def _shown(self, grant: Grant) -> Message:
        named = grant.target is ShareTarget.PERSON
        accepted = self._grants.accepted(grant) if grant.target is ShareTarget.LINK else []
        return {
            "id": grant.id,
            "to": grant.target.value,
            "name": self._grants.name_of(grant.person) if named else "",
            "link": grant.link,
            "accepted": [self._grants.name_of(one.person) for one in accepted],
            "created": grant.created.isoformat(),
            "expires": "" if grant.expires is None else grant.expires.isoformat(),
            "opened": grant.opened,
        }


def _with_their_link(grants: list[Grant]) -> Callable[[Grant], tuple[int, bool]]:
    """The key that puts what people accepted below its link, and all else in its order."""
    place = {one.id: number for number, one in enumerate(grants)}
    return lambda one: (place.get(one.link, place[one.id]), bool(one.link))
