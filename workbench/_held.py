"""`hold` and `was_left`: what a killed program was making, told from what one makes now.

A lock of ``flock`` ends with the program that holds it, however that ends.
"""

from __future__ import annotations

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: Whether files can be held here; they can then be renamed while they are open, too.
CAN_HOLD = fcntl is not None


def hold(descriptor: int) -> bool:
    """Whether this process holds a file or folder from now on, until it closes the descriptor.

    Parameters
    ----------
    descriptor : int
        Of the open file or folder, which is no database: SQLite has locks of its own.
    """
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another process does, or the file system has no locks
        return False
    return True


def was_left(path: Path) -> bool:
    """Whether no program holds a file or folder; OSError where it is gone.

    Parameters
    ----------
    path : Path
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return hold(descriptor)
    finally:
        os.close(descriptor)
