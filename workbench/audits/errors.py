"""`ArchiveError`: what the archive of audits refuses, and what goes wrong with its database."""

from __future__ import annotations

from workbench.storing.errors import StorageError


class ArchiveError(StorageError):
    """Raised for an audit that is not there, and where the database of audits fails."""
