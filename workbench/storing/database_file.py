"""The file of a SQLite database, which nothing but SQLite opens.

POSIX drops all locks of a process on a file when the process closes any descriptor of that file
(https://sqlite.org/howtocorrupt.html, section 2.2). A plain handle on a database in use would take
SQLite's locks away, and the next program would delete the write-ahead log under this one. So a new
database is made under another name and moved into place, and what a file is, SQLite says.
"""

from __future__ import annotations

import errno
import os
import secrets
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

#: What stands between the name of a database and a random text while a file is made beside it.
UNFINISHED = ".unfinished-"

#: What `os.link` fails with where a file system has no hard links.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def make_file(path: Path, build: Callable[[Path], None]) -> None:
    """Make a database unless it is there: all of it at once, or nothing.

    Parameters
    ----------
    path : Path
        The file, which only its owner may read; its folder is made, too.
    build : callable
        Makes the tables in an empty file, whose path it is given, and closes it.

    Raises
    ------
    OSError
        The file cannot be made.
    """
    path = Path(os.path.realpath(path))
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = unfinished_beside(path)
    try:
        build(unfinished)
        _move(unfinished, path)
    except Exception:
        if not path.exists():  # else another program was faster, and may have tidied this one away
            raise
    finally:
        _delete(unfinished)


def unfinished_beside(path: Path) -> Path:
    """A new, empty file beside a database, which only its owner may read.

    Parameters
    ----------
    path : Path
        The database.
    """
    unfinished = path.with_name(f"{path.name}{UNFINISHED}{secrets.token_hex(8)}")
    # Before SQLite would make it, with the rights of any other file.
    os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    return unfinished


def tidy_beside(path: Path) -> None:
    """Delete what programs left that were killed while they made a file beside a database.

    Parameters
    ----------
    path : Path
        The database, of the present version: once it is there, nobody needs such a file.
    """
    path = Path(os.path.realpath(path))
    if not path.exists():
        return
    with suppress(OSError):
        for name in os.listdir(path.parent):
            if name.startswith(f"{path.name}{UNFINISHED}"):
                (path.parent / name).unlink(missing_ok=True)


def is_empty(path: Path) -> bool:
    """Whether a file has no bytes, or one: SQLite would take it for a new database."""
    return path.stat().st_size <= 1


def is_writable(path: Path) -> bool:
    """Whether a database can be written: its file, and its folder, where SQLite keeps more."""
    path = Path(os.path.realpath(path))
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)


def is_database(path: Path) -> bool:
    """Whether a file is a database of SQLite, perhaps a damaged one.

    Raises
    ------
    FileNotFoundError
        It is not there any more.
    """
    if is_empty(path):
        return False
    address = f"{path.absolute().as_uri()}?immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as file:
            file.execute("PRAGMA schema_version").fetchone()
    except sqlite3.DatabaseError as error:
        return getattr(error, "sqlite_errorname", "") == "SQLITE_CORRUPT"
    return True


def _move(unfinished: Path, path: Path) -> None:
    """Give a new file its name, unless another file has it."""
    try:
        os.link(unfinished, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # The name is taken first, which one program succeeds in, and then gets its content.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            os.replace(unfinished, path)
        except OSError:
            path.unlink()
            raise
    with suppress(OSError):  # not where a folder cannot be opened
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # else the name could be gone after a power failure
        finally:
            os.close(folder)


def _delete(unfinished: Path) -> None:
    """Delete a file that was not finished, with what SQLite keeps beside it."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        with suppress(OSError):
            os.unlink(f"{unfinished}{suffix}")
