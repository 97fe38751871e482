"""Errors of the workspace."""

from __future__ import annotations


class WorkspaceError(ValueError):
    """Raised for a data set that is not there or cannot be changed as asked."""


class StoreError(WorkspaceError):
    """Raised where a folder on disk could not be read or written.

    Parameters
    ----------
    message : str
        What is wrong and what to do.
    lasting : bool
        Whether another attempt is useless: the store is damaged or of a newer version.
    full : bool
        Whether the disk is full: something smaller may still fit.
    """

    def __init__(self, message: str, lasting: bool = False, full: bool = False):
        super().__init__(message)
        self.lasting, self.full = lasting, full


class LinkError(ValueError):
    """Raised for the text of a link that was cut, changed or made by a newer version."""
