"""`back_up`: everything that a server keeps, as one file, while it runs.

What changes is in SQLite databases, of which a copy of one moment is taken. Everything else is
named by the hash of its content and never changes. It is copied before the databases and what is
new once more after them, so that all that a database names is there.
"""

from __future__ import annotations

import io
import os
import re
import sqlite3
import tarfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from workbench.server.operations.manifest import (
    NAME,
    BackupError,
    Manifest,
    Member,
    check,
    require_whole,
)
from workbench.storing.database_file import UNFINISHED, is_database, is_empty
from workbench.workspaces.storing.held import delete_left, held_folder, new_file

#: Files that are made by the minute, or again by the program itself.
_LEFT_OUT = re.compile(
    r".*-(wal|shm|journal)|check-.*|deleted-.*|unfinished-.*|.*\.before-\d+\..*|"
    rf".*{re.escape(UNFINISHED)}.*"
)

#: What the name of a folder begins with that has the copy of a database while it is added.
_COPY = ".workbench-backup-"

#: Folders, by their paths, of which the same holds.
_FOLDERS = ("server/uploads",)

#: Seconds to wait for a program that writes to a database.
_PATIENCE = 30.0


def back_up(home: Path, to: Path, missing: Sequence[str] = ()) -> Manifest:
    """The manifest of a backup of a folder, which is written to a new file and read again.

    Parameters
    ----------
    home : Path
        The folder.
    to : Path
        The file, of which nobody else may read anything: it holds what signs people in.
    missing : sequence of str
        What belongs to the server and is elsewhere, in words.

    Raises
    ------
    BackupError
        There is nothing to back up, or the file is there already.
    OSError
        It cannot be written.
    """
    home, to = home.absolute(), to.absolute()
    if not home.is_dir():
        raise BackupError(f"there is nothing to back up: {home} is no folder")
    if to.is_relative_to(home):
        raise BackupError(f"the backup must be outside of {home}, which may be lost with it")
    if to.exists():
        raise BackupError(f"{to} is there already; name another file")
    for prefix in (f"{to.name}{UNFINISHED}", _COPY):
        delete_left(to.parent, prefix)
    unfinished, descriptor = new_file(to.parent, f"{to.name}{UNFINISHED}")
    try:
        with open(descriptor, "wb") as file:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
                _Writing(home, archive, missing, to.parent).write()
            file.flush()
            os.fsync(file.fileno())
        found = check(unfinished)
        if to.exists():
            raise BackupError(f"{to} was made meanwhile; name another file")
        unfinished.rename(to)
    finally:
        with suppress(FileNotFoundError):
            unfinished.unlink()
    return found


class _Writing:
    """A backup that is being written."""

    def __init__(self, home: Path, archive: tarfile.TarFile, missing: Sequence[str], room: Path):
        self._home, self._archive, self._missing = home, archive, tuple(missing)
        self._room = room
        self._members: dict[str, Member] = {}

    def write(self) -> None:
        """Write everything, and the manifest at last."""
        made = datetime.now(UTC).isoformat(timespec="seconds")
        self._add_files()
        with held_folder(self._room, _COPY) as folder:
            copy = folder / "copy"
            for path in self._files():
                with suppress(FileNotFoundError):  # deleted meanwhile, with a person's folder
                    if _is_ours(path):
                        _copy_database(path, copy)
                        self._add(copy, self._name(path))
                        copy.unlink()
        self._add_files()
        text = Manifest(made, self._members, self._missing).to_json()
        self._archive.addfile(_info(NAME, len(text)), io.BytesIO(text))

    def _add_files(self) -> None:
        """Add all files that are no databases and were not added yet."""
        for path in self._files():
            with suppress(FileNotFoundError):  # deleted meanwhile
                if self._name(path) not in self._members and not _is_ours(path):
                    self._add(path, self._name(path))

    def _files(self) -> Iterator[Path]:
        """All files that belong to the backup."""
        for folder, folders, names in os.walk(self._home):
            here = Path(folder)
            folders[:] = sorted(
                one
                for one in folders
                if not _LEFT_OUT.fullmatch(one) and self._name(here / one) not in _FOLDERS
            )
            for name in sorted(names):
                path = here / name
                if not _LEFT_OUT.fullmatch(name) and path.is_file() and not path.is_symlink():
                    yield path

    def _name(self, path: Path) -> str:
        return path.relative_to(self._home).as_posix()

    def _add(self, path: Path, name: str) -> None:
        with open(path, "rb") as file:
            info, reader = _info(name, os.fstat(file.fileno()).st_size), _HashedReader(file)
            self._archive.addfile(info, reader)
        self._members[name] = Member(info.size, reader.digest.hexdigest())


class _HashedReader(io.RawIOBase):
    """A file whose hash is known once it was read."""

    def __init__(self, file: io.BufferedReader):
        self._file, self.digest = file, sha256()

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self.digest.update(block)
        return block


def _is_ours(path: Path) -> bool:
    """Whether a file is a database, or has to be one."""
    return path.suffix == ".sqlite" or is_database(path)


def _copy_database(source: Path, to: Path) -> None:
    """Copy a database as it is at one moment, whoever writes to it."""
    give_up = time.monotonic() + _PATIENCE
    while True:
        try:
            address = f"{source.as_uri()}?mode=ro"
            with (
                closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE)) as base,
                closing(sqlite3.connect(to)) as copy,
            ):
                base.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")
            require_whole(source if is_empty(source) else to, source.name)
            return
        except sqlite3.OperationalError as error:
            if not source.exists():
                raise FileNotFoundError(source) from error
            if time.monotonic() > give_up:
                raise BackupError(f"the database {source} cannot be read: {error}") from error
            time.sleep(0.1)
        except (sqlite3.DatabaseError, BackupError) as error:  # no restore would take it
            raise BackupError(
                f"the database {source} is damaged ({error}). Nothing was written; put a copy of "
                "it back, or move it out of the folder"
            ) from error


def _info(name: str, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = size, 0o600, int(time.time())
    return info
