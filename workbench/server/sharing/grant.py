"""`Grant`: one row of the table of what people let each other read; and what is refused."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from workbench.audits.errors import ArchiveError
from workbench.workspaces.errors import WorkspaceError

#: How the name begins by which others know what was shared with them.
LENT = "shared-"


class ShareKind(StrEnum):
    """What is shared."""

    DATA = "data"
    AUDIT = "audit"

    @property
    def words(self) -> str:
        """What people call it."""
        return "data set" if self is ShareKind.DATA else "audit"


class ShareTarget(StrEnum):
    """With whom something is shared.

    ``LEFT`` takes back what reaches a person by the other two: they do not want to see it.
    """

    PERSON = "person"
    EVERYONE = "everyone"
    LINK = "link"
    LEFT = "left"


class SharingError(ValueError):
    """Raised where something cannot be shared, with the reason and what to do."""


class NotSharedError(WorkspaceError, ArchiveError):
    """Raised where somebody reads what is not, or no longer, shared with them."""

    def __init__(self, kind: ShareKind = ShareKind.DATA):
        super().__init__(f"this {kind.words} is not, or no longer, shared with you")


@dataclass(frozen=True)
class Grant:
    """The right to read a data set or a saved audit of somebody else.

    Parameters
    ----------
    id : str
        Names the grant for the owner; lets nobody read anything.
    owner : str
        Key of the person who shares.
    kind : ShareKind
    key : str
        Of the data set or the audit in the owner's workspace.
    target : ShareTarget
    person : str
        Key of the person who may read; "" for everyone and for links.
    created : datetime
    expires : datetime or None
        When it ends by itself.
    opened : int
        How often its link was opened.
    link : str
        Id of the link through which the person accepted it, and with which it ends; "" where the
        owner shares it with the person.
    """

    id: str
    owner: str = field(repr=False)
    kind: ShareKind
    key: str = field(repr=False)
    target: ShareTarget
    person: str = field(repr=False)
    created: datetime
    expires: datetime | None = None
    opened: int = 0
    link: str = ""

    @property
    def item(self) -> tuple[str, ShareKind, str]:
        """The owner, the kind and the key of what may be read."""
        return self.owner, self.kind, self.key

    @property
    def reference(self) -> str:
        """The name by which others know what is shared; see `reference_of`."""
        return reference_of(*self.item)

    @property
    def in_time(self) -> bool:
        """Whether it has not ended by itself."""
        return self.expires is None or self.expires.timestamp() > time.time()


def reference_of(owner: str, kind: ShareKind, key: str) -> str:
    """The name by which others know what a person shares: it shows no key, and grants nothing."""
    parts = "\0".join((owner, kind.value, key))
    return f"{LENT}{hashlib.sha256(parts.encode('utf-8', 'replace')).hexdigest()[:32]}"
