"""Errors of the workspace."""

from __future__ import annotations


class WorkspaceError(ValueError):
    """Raised for a data set that is not there or cannot be changed as asked."""


class LinkError(ValueError):
    """Raised for a link that was cut or changed, or that a newer version made."""
