"""`Person`: somebody who uses a server, and `Role`: what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a person may do.

    A viewer looks at what is shared with them, moves sliders and downloads. An editor also adds
    data sets, runs jobs, saves and shares. An administrator also manages people.
    """

    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"

    @property
    def edits(self) -> bool:
        """Whether the role adds data sets, runs jobs, saves and shares."""
        return self is not Role.VIEWER


@dataclass(frozen=True)
class Person:
    """Somebody who uses a server.

    Parameters
    ----------
    key : str
        Unguessable and the same in every visit; never shown to other people.
    name : str
        As saved audits state it; "" for a visitor who has not signed in.
    role : Role
    signed_in : bool
        Whether they have an account here.
    """

    key: str
    name: str = ""
    role: Role = Role.EDITOR
    signed_in: bool = False


#: Key of the owner of the workspace on disk.
OWNER = "owner"
