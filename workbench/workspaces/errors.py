"""Errors of the workspace."""

from __future__ import annotations

from workbench.storing.errors import StorageError


class WorkspaceError(ValueError):
    """Raised for a data set that is not there or cannot be changed as asked."""


class StoreError(StorageError, WorkspaceError):
    """Raised where a folder on disk could not be read or written."""


class LinkError(ValueError):
    """Raised for the text of a link that was cut, changed or made by a newer version."""
