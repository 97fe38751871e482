"""Errors of the workspace."""

from __future__ import annotations


class WorkspaceError(ValueError):
    """Raised for a data set that is not there or cannot be changed as asked."""
