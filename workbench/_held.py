"""`hold` and `delete_left`: what a killed program was making, told from what one makes now.

A lock of ``flock`` ends with the program that holds it, however that ends.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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


def hold_folder(path: Path) -> int | None:
    """A descriptor by which this process holds a folder; None where that cannot be.

    Parameters
    ----------
    path : Path
    """
    if not CAN_HOLD:
        return None
    descriptor = os.open(path, os.O_RDONLY)
    hold(descriptor)
    return descriptor


@contextmanager
def held_folder(path: Path) -> Iterator[None]:
    """Context in which this process holds a new folder, which is deleted with all that is in it.

    Parameters
    ----------
    path : Path
        Made here, for its owner only.
    """
    path.mkdir(mode=0o700)
    descriptor = hold_folder(path)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)
        shutil.rmtree(path, ignore_errors=True)


def delete_left(folder: Path, name: re.Pattern[str]) -> None:
    """Delete files and folders of a name that no program holds.

    Parameters
    ----------
    folder : Path
        Where they are.
    name : re.Pattern
        Of the whole name.
    """
    with suppress(OSError):
        for one in os.listdir(folder):
            path = folder / one
            if not name.fullmatch(one) or path.is_symlink():
                continue
            with suppress(OSError):  # another program was faster
                if was_left(path):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
