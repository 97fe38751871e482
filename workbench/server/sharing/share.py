"""`Grant`: a data set or a saved audit that its owner lets others read."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

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


@dataclass(frozen=True)
class Grant:
    """A data set or a saved audit that its owner lets others read.

    Parameters
    ----------
    id : str
        Names the share for its owner; grants nothing.
    owner : str
        Key of the person whose it is.
    kind : ShareKind
    key : str
        Of the data set or the audit in the owner's workspace.
    target : ShareTarget
    person : str
        Key of the person with whom it is shared; "" for everyone and for links.
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
    def reference(self) -> str:
        """The name by which others know what is shared; see `reference_of`."""
        return reference_of(self.owner, self.kind, self.key)


def reference_of(owner: str, kind: ShareKind, key: str) -> str:
    """The name by which others know what a person shares: it tells neither key, and grants nothing.

    Parameters
    ----------
    owner : str
        Key of the person.
    kind : ShareKind
    key : str
        Of the data set or the audit.
    """
    parts = "\0".join((owner, kind.value, key))
    return f"{LENT}{hashlib.sha256(parts.encode('utf-8', 'replace')).hexdigest()[:32]}"
