"""`ShareRequests`: questions about sharing; `AuditLookup`: saved audits of one's own and of others.

The messages are those of `workbench.dashboard.requests`, with the kind "share" and the entry
``shares``::

    {"kind": "share", "do": "list", "request": 3, "of": "data", "key": "…"}
    {"page": "", "shares": {"request": 3, "answer": {…}}}
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from workbench.audits.archive import Archive
from workbench.audits.attachment import Attachment
from workbench.audits.audit import Audit
from workbench.audits.summary import AuditSummary
from workbench.dashboard.requests import Requests
from workbench.pages.core.gestures import Message
from workbench.workspaces.dataset import DataSet

#: What can be shared.
DATA, AUDIT = "data", "audit"


class ReadableAudit(Protocol):
    """A saved audit of somebody else, which may be read and not changed."""

    @property
    def owner(self) -> str:
        """Name of the person whose it is."""

    @property
    def summary(self) -> AuditSummary:
        """What a list shows of it, under its key here."""

    def audit(self) -> Audit:
        """The audit, under its key here."""

    def attachments(self) -> tuple[Attachment, ...]:
        """The scores and files that were saved with it."""

    def exported(self) -> bytes:
        """The content of its file."""


class Sharing(Protocol):
    """What one person lets others read, and reads of others.

    Methods that change something raise ValueError, in words for that person.
    """

    def shared(self, kind: str) -> Collection[str]:
        """Keys of the data sets or audits that the person lets others read."""

    def access(self, kind: str, key: str) -> dict[str, Any]:
        """Who may read a data set or an audit of the person."""

    def people(self, text: str) -> list[str]:
        """Names of people, for somebody who types one."""

    def add(self, kind: str, key: str, name: str) -> None:
        """Share with the person of a name; "" for everyone who is signed in."""

    def add_link(self, kind: str, key: str, days: int) -> str:
        """Share by a link, and return the end of its address."""

    def revoke(self, id: str) -> None:
        """End a share."""

    def leave(self, key: str) -> str:
        """No longer read something of others; its name."""

    def accept(self, token: str) -> str:
        """Have the data set of a link among those of the person; its key."""

    def lent(self) -> Mapping[str, tuple[str, str, DataSet]]:
        """Name, owner and state of the data sets that others share with the person, by key."""

    def lent_audits(self) -> Sequence[ReadableAudit]:
        """Audits that others share with the person, newest first."""

    def lent_audit(self, key: str) -> ReadableAudit | None:
        """An audit of others; None for a key that is none of others (ArchiveError: not shared)."""

    def changed(self) -> None:
        """Take note that audits of the person were changed."""

    def listen(self, callback: Callable[[], None]) -> None:
        """Call ``callback()`` when something may have changed that others share."""

    def unlisten(self, callback: Callable[[], None]) -> None:
        """Call it no longer."""


class AuditLookup:
    """The saved audits that a person may read: their own, and those that others share with them.

    Parameters
    ----------
    archive : callable
        Returns the person's own archive.
    sharing : Sharing, optional
    """

    def __init__(self, archive: Callable[[], Archive], sharing: Sharing | None = None):
        self._archive, self._sharing = archive, sharing

    def audit(self, key: str) -> Audit:
        """A saved audit.

        Parameters
        ----------
        key : str
            Of an own one, or by which it was shared.

        Raises
        ------
        ArchiveError
            There is none, or it is not shared with this person.
        """
        lent = self.lent(key)
        return self._archive()[key] if lent is None else lent.audit()

    def attachments(self, key: str) -> tuple[Attachment, ...]:
        """The scores and files that were saved with it.

        Parameters
        ----------
        key : str
            As of `audit`.
        """
        lent = self.lent(key)
        return self._archive().attachments(key) if lent is None else lent.attachments()

    def exported(self, key: str) -> bytes:
        """The content of its file.

        Parameters
        ----------
        key : str
            As of `audit`.
        """
        lent = self.lent(key)
        return self._archive().exported(key) if lent is None else lent.exported()

    def lent(self, key: str) -> ReadableAudit | None:
        """The audit of somebody else; None for a key that is none of others.

        Parameters
        ----------
        key : str
            As of `audit`.
        """
        return None if self._sharing is None else self._sharing.lent_audit(key)


class ShareRequests(Requests):
    """What a visitor asks about sharing."""

    def __init__(self, sharing: Sharing):
        super().__init__("shares")
        self._sharing = sharing

    def access(self, gesture: Message) -> Message:
        """Who may read something."""
        return self._sharing.access(*_what(gesture))

    def people(self, gesture: Message) -> Message:
        """Names of people that begin with a text."""
        return {"people": self._sharing.people(str(gesture.get("text", "")))}

    def add(self, gesture: Message) -> Message:
        """Share with a person."""
        self._sharing.add(*_what(gesture), str(gesture["name"]))
        return self.access(gesture)

    def add_everyone(self, gesture: Message) -> Message:
        """Share with everyone who is signed in."""
        self._sharing.add(*_what(gesture), "")
        return self.access(gesture)

    def link(self, gesture: Message) -> Message:
        """Share by a link."""
        days = gesture["days"]
        return {"link": self._sharing.add_link(*_what(gesture), days)} | self.access(gesture)

    def revoke(self, gesture: Message) -> Message:
        """End a share."""
        self._sharing.revoke(str(gesture["id"]))
        return self.access(gesture)

    def accept(self, gesture: Message) -> Message:
        """Have the data set of a link among one's own."""
        key = self._sharing.accept(str(gesture["token"]))
        name, owner = self._sharing.lent().get(key, ("", ""))[:2]
        return {"key": key, "name": name, "owner": owner}

    def leave(self, gesture: Message) -> Message:
        """No longer read something of others."""
        return {"name": self._sharing.leave(str(gesture["key"]))}


def _what(gesture: Message) -> tuple[str, str]:
    """Kind and key of what a gesture is about."""
    return str(gesture["of"]), str(gesture["key"])
