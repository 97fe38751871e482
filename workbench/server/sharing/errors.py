"""What goes wrong with sharing."""

from __future__ import annotations

from workbench.audits.errors import ArchiveError
from workbench.workspaces.errors import WorkspaceError


class SharingError(ValueError):
    """Raised where something cannot be shared, with the reason and what to do."""


class NotSharedError(WorkspaceError, ArchiveError):
    """Raised where somebody reads what is not, or no longer, shared with them.

    Parameters
    ----------
    what : str
        "data set" or "audit".
    """

    def __init__(self, what: str = "data set"):
        super().__init__(f"this {what} is not, or no longer, shared with you")
