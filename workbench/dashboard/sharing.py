"""`Sharing`: what a person shares; `AuditLookup`: saved audits of one's own and of others.

Questions about sharing are those of `workbench.dashboard.requests`, with the kind "share" and the
entry ``shares``::

    {"kind": "share", "do": "list", "request": 3, "of": "data", "key": "…"}
    {"page": "", "shares": {"request": 3, "answer": {…}}}
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from workbench.audits.archive import Archive
from workbench.audits.attachment import Attachment
from workbench.audits.audit import Audit
from workbench.audits.summary import AuditSummary
from workbench.workspaces.dataset import DataSet

#: What can be shared.
DATA, AUDIT = "data", "audit"


class ReadableAudit(Protocol):
    """A saved audit of somebody else, which may be read and not changed."""

    @property
    def owner(self) -> str:
        """Name of its owner."""

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
    """What one person lets others read, and reads of others."""

    @property
    def dialog(self) -> object:
        """What has the methods that answer the dialog about sharing; see `GESTURES`.

        A request that is refused raises ValueError, in words for that person.
        """

    @property
    def has_people(self) -> bool:
        """Whether people have accounts here, so that something can be shared with one of them."""

    def shared(self, kind: str) -> Collection[str]:
        """Keys of the data sets or audits that the person lets others read."""

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

    The key of an audit is that of an own one, or the one by which it was shared. ArchiveError is
    raised where there is none, or it is not shared with this person.

    Parameters
    ----------
    archive : callable
        Returns the person's own archive.
    sharing : Sharing, optional
    """

    def __init__(self, archive: Callable[[], Archive], sharing: Sharing | None = None):
        self._archive, self._sharing = archive, sharing

    def audit(self, key: str) -> Audit:
        """A saved audit."""
        lent = self.lent(key)
        return self._archive()[key] if lent is None else lent.audit()

    def attachments(self, key: str) -> tuple[Attachment, ...]:
        """The scores and files that were saved with it."""
        lent = self.lent(key)
        return self._archive().attachments(key) if lent is None else lent.attachments()

    def exported(self, key: str) -> bytes:
        """The content of its file."""
        lent = self.lent(key)
        return self._archive().exported(key) if lent is None else lent.exported()

    def lent(self, key: str) -> ReadableAudit | None:
        """The audit of somebody else; None for a key that is none of others."""
        return None if self._sharing is None else self._sharing.lent_audit(key)
