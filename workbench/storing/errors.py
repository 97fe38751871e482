"""`StorageError`: what goes wrong where something is stored."""

from __future__ import annotations


class StorageError(ValueError):
    """Raised where a database, or a folder, cannot be used.

    Parameters
    ----------
    message : str
        What is wrong and what to do.
    lasting : bool
        Whether another attempt is useless: it is damaged, of a newer version, or not one of ours.
    full : bool
        Whether the disk is full: something smaller may still fit.
    """

    def __init__(self, message: str, lasting: bool = False, full: bool = False):
        super().__init__(message)
        self.lasting, self.full = lasting, full
