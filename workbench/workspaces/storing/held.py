"""`new_file` and `new_folder`: held while they are made; and `delete_left`, for all others.

A lock of ``flock`` ends with the program that holds it, however that ends. `delete_left` deletes
while it holds the lock, and whoever makes something looks, once the lock is theirs, whether it is
still there: so nothing is deleted that a program is making.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: Whether files can be held here; they can then be renamed while they are open, too.
CAN_HOLD = fcntl is not None

#: Seconds after which something was left, where nothing can be held.
_LONG = 86400.0


def new_file(folder: Path, prefix: str) -> tuple[Path, int]:
    """A new file that only its owner may read, and the descriptor that holds it until it is closed.

    Parameters
    ----------
    folder : Path
    prefix : str
        Of its name.
    """
    while True:
        path = folder / f"{prefix}{secrets.token_hex(8)}"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        if _is_held(descriptor):
            return path, descriptor
        os.close(descriptor)


def new_folder(folder: Path, prefix: str) -> tuple[Path, int | None]:
    """A new folder of its owner, and the descriptor that holds it, if that can be.

    Parameters
    ----------
    folder : Path
        Where it is made.
    prefix : str
        Of its name.
    """
    while True:
        path = folder / f"{prefix}{secrets.token_hex(8)}"
        path.mkdir(mode=0o700)
        if not CAN_HOLD:
            return path, None
        with suppress(FileNotFoundError):  # another program took it for left
            descriptor = os.open(path, os.O_RDONLY)
            if _is_held(descriptor):
                return path, descriptor
            os.close(descriptor)


@contextmanager
def held_folder(folder: Path, prefix: str) -> Iterator[Path]:
    """Context with a new folder, which is deleted at its end unless it was renamed.

    Parameters
    ----------
    folder : Path
        Where it is made.
    prefix : str
        Of its name.
    """
    path, descriptor = new_folder(folder, prefix)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def delete_left(folder: Path, prefix: str) -> None:
    """Delete the files and folders of a name that no program holds.

    Parameters
    ----------
    folder : Path
        Where they are.
    prefix : str
        Of their names.
    """
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        for name in os.listdir(folder):
            path = folder / name
            if name.startswith(prefix) and not path.is_symlink():
                with suppress(OSError):  # another program was faster
                    _delete_if_left(path)


def _delete_if_left(path: Path) -> None:
    if fcntl is None:
        if time.time() - path.stat().st_mtime > _LONG:
            _delete(path)
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _delete(path)
    finally:
        os.close(descriptor)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _is_held(descriptor: int) -> bool:
    """Whether a new file or folder is this process's now; False where it was deleted meanwhile."""
    if fcntl is not None:
        with suppress(OSError):  # the file system has no locks: then nobody deletes it
            fcntl.flock(descriptor, fcntl.LOCK_EX)  # a moment, if another program looks at it
    return os.fstat(descriptor).st_nlink > 0
