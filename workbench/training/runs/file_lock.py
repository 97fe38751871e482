"""`locked`: a lock that ends with the program that holds it, however that ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl

    def _take(number: int) -> None:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)

except ImportError:  # Windows
    import msvcrt

    def _take(number: int) -> None:
        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]


class InUseError(OSError):
    """Another program holds the lock."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Context in which this program alone holds the lock.

    Parameters
    ----------
    path : Path
        A file, which is made and stays.

    Raises
    ------
    InUseError
        Another program holds it.
    """
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            _take(number)
        except (BlockingIOError, PermissionError) as error:
            raise InUseError(f"'{path}' is locked") from error
        yield
    finally:
        os.close(number)
