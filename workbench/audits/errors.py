"""`ArchiveError`: what the archive of audits refuses, and what goes wrong with its database."""

from __future__ import annotations


class ArchiveError(ValueError):
    """Raised for an audit that is not there, and where the database of audits fails.

    Parameters
    ----------
    message : str
        What is wrong and what to do.
    lasting : bool
        Whether another attempt is useless: the database is damaged, of a newer version, or not one
        of ours.
    """

    def __init__(self, message: str, lasting: bool = False):
        super().__init__(message)
        self.lasting = lasting
