"""`WaitingFolder`: entries wait here, a file each, until the tracker has them.

An entry is written whole before it is sent and deleted once the tracker has it; a program that is
killed in between loses nothing. Several programs may use one folder: who sends an entry holds a
lock on its file, which ends with the program. "tried" in its name says that the tracker may have
it already, though no answer came.
"""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from workbench.trackers.entries import LogEntry

log = logging.getLogger(__name__)

#: Where entries wait by default, in the folder where the program runs.
FOLDER = "workbench-waiting"

_ENDING, _TRIED, _UNFINISHED = ".entry.json", ".tried.entry.json", ".unfinished-"


class WaitingFolder:
    """A folder of entries for trackers.

    Parameters
    ----------
    path : Path
        Made when the first entry comes, and removed when it is empty.
    """

    def __init__(self, path: Path):
        self.path = path

    def add(self, entry: LogEntry) -> None:
        """Keep an entry.

        Raises
        ------
        OSError
            It cannot be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        unfinished = self.path / f"{_UNFINISHED}{secrets.token_hex(8)}"
        try:
            with unfinished.open("x", encoding="ascii") as file:
                file.write(entry.to_json())
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, self.path / f"{entry.key}{_ENDING}")
        except OSError:
            with suppress(OSError):
                unfinished.unlink()
            raise

    def has(self, key: str) -> bool:
        """Whether an entry waits.

        Parameters
        ----------
        key : str
        """
        return any((self.path / f"{key}{ending}").exists() for ending in (_ENDING, _TRIED))

    def entries(self, kind: str, where: str) -> list[tuple[Path, LogEntry]]:
        """The entries for a tracker, the oldest first.

        Parameters
        ----------
        kind, where : str
            As of `LogEntry`.
        """
        found = []
        with suppress(FileNotFoundError):
            for path in sorted(self.path.iterdir()):
                if path.name.endswith(_ENDING):
                    entry = _read(path)
                    if entry is not None and (entry.kind, entry.where) == (kind, where):
                        found.append((path, entry))
        return found

    @contextmanager
    def taken(self, path: Path) -> Iterator[Sending | None]:
        """An entry while it is sent; None where another program sends it, or has sent it.

        Parameters
        ----------
        path : Path
            Of `entries`.
        """
        try:
            file = path.open("r+", encoding="ascii")
        except FileNotFoundError:
            yield None
            return
        with file:
            yield Sending(path) if _locked(file) and path.exists() else None

    def tidy(self) -> None:
        """Remove the folder if nothing waits."""
        with suppress(OSError):
            self.path.rmdir()


class Sending:
    """The file of an entry that is being sent.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path):
        self.path = path
        self.tried = path.name.endswith(_TRIED)

    def begins(self) -> None:
        """From now on the tracker may have it."""
        if not self.tried:
            name = self.path.name.removesuffix(_ENDING) + _TRIED
            os.replace(self.path, self.path.with_name(name))
            self.path = self.path.with_name(name)

    def done(self) -> None:
        """The tracker has it."""
        self.path.unlink(missing_ok=True)


def _read(path: Path) -> LogEntry | None:
    """The entry of a file; None where another program has just sent it, or it is damaged."""
    try:
        return LogEntry.from_json(path.read_text(encoding="ascii"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        log.warning("%s cannot be read, and is left where it is", path, exc_info=True)
        return None


def _locked(file: IO[str]) -> bool:
    """Whether this program alone has the file; True where the system has no locks."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
