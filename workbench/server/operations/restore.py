"""`restore`: a folder as it was when it was backed up; all of it, or nothing."""

from __future__ import annotations

import os
import secrets
import shutil
import tarfile
from datetime import UTC, datetime
from pathlib import Path

from workbench.server.operations.manifest import (
    BackupError,
    Manifest,
    contents,
    copied,
    opened,
    require_known,
    require_same,
)
from workbench.storing.database_file import is_database
from workbench.workspaces.storing.held import delete_left, held_folder

#: Bytes that must be left on the disk.
_ROOM = 100 * 2**20


def restore(backup: Path, home: Path, replace: bool = False) -> tuple[Manifest, Path | None]:
    """The manifest of a backup that is now the folder, and where the folder before is.

    Everything is read, checked and written beside the folder first.

    Parameters
    ----------
    backup : Path
    home : Path
        The folder. No program may use it.
    replace : bool
        Whether a folder that is not empty is moved aside.

    Raises
    ------
    BackupError
        The folder is not empty, or the backup is damaged, of a newer version, or not ours.
    OSError
        The folder cannot be written.
    """
    home = home.absolute()
    filled = home.exists() and (not home.is_dir() or any(home.iterdir()))
    if filled and not replace:
        raise BackupError(
            f"{home} is not empty, and nothing was changed; stop the server, and say --replace to "
            "move it aside"
        )
    if home.is_symlink():
        raise BackupError(f"{home} is a link; name the folder itself by WORKBENCH_HOME")
    archive, manifest = opened(backup)
    with archive:
        _require_room(manifest, home)
        home.parent.mkdir(parents=True, exist_ok=True)
        prefix = f"{home.name}.restored-"
        delete_left(home.parent, prefix)
        with held_folder(home.parent, prefix) as fresh:
            _extract(archive, manifest, fresh)
            return manifest, _put_in_place(fresh, home, filled)


def _extract(archive: tarfile.TarFile, manifest: Manifest, folder: Path) -> None:
    """Write all files, readable for the owner only, and check them."""
    try:
        for name, member, file in contents(archive, manifest):
            path = folder / name
            for above in reversed(path.relative_to(folder).parents):
                (folder / above).mkdir(mode=0o700, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "wb") as to:
                require_same(name, member, copied(file, to))
                to.flush()
                os.fsync(to.fileno())
            if is_database(path) or path.suffix == ".sqlite":
                require_known(path, name)
    except (tarfile.TarError, EOFError, FileExistsError, NotADirectoryError) as error:
        raise BackupError("the backup is damaged; nothing was changed") from error


def _put_in_place(fresh: Path, home: Path, filled: bool) -> Path | None:
    """Have the new folder be the folder; the old one is moved aside, or was empty."""
    before = None
    if filled:
        now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        before = home.with_name(f"{home.name}.before-{now}-{secrets.token_hex(2)}")
        home.rename(before)
    elif home.exists():
        home.rmdir()
    try:
        fresh.rename(home)
    except OSError:
        if before is not None:
            before.rename(home)
        raise
    return before


def _require_room(manifest: Manifest, home: Path) -> None:
    """Raise a BackupError where the disk has no room for the files."""
    place = next(one for one in (home, *home.parents) if one.exists())
    needed = sum(member.size for member in manifest.members.values()) + _ROOM
    free = shutil.disk_usage(place).free
    if free < needed:
        raise BackupError(
            f"the backup needs {needed / 2**20:,.0f} MB, and the disk of {home} has "
            f"{free / 2**20:,.0f} MB; make room"
        )
