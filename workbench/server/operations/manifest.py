"""`Manifest`: what a backup holds, with the hash of every file; and the check of all of it."""

from __future__ import annotations

import re
import sqlite3
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO, Any, Self

import workbench as wb
from workbench import _json
from workbench.audits.storing.schema import AUDITS_SCHEMA
from workbench.server.storing.schema import SERVER_SCHEMA
from workbench.storing.database_file import is_empty
from workbench.workspaces.storing.schema import WORKSPACE_SCHEMA

#: The member that is the manifest, and the version of its format.
NAME = "manifest.json"
FORMAT = 1

_PROGRAM = "dp-audit-workbench"

#: What the databases of a backup may be; they have no table of one name.
_SCHEMAS = (WORKSPACE_SCHEMA, SERVER_SCHEMA, AUDITS_SCHEMA)

#: Bytes that a manifest has at most, which is about a million files.
_LARGEST = 256 * 2**20

_HASH = re.compile("[0-9a-f]{64}")
_BLOCK = 2**20


class BackupError(ValueError):
    """Raised where a backup cannot be written, read or restored; nothing was changed then."""


@dataclass(frozen=True)
class Member:
    """A file of a backup.

    Parameters
    ----------
    size : int
        Bytes.
    sha256 : str
    """

    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a backup holds.

    Parameters
    ----------
    made : str
        Time, as ISO 8601.
    members : mapping of str to Member
        By their paths in the folder.
    missing : tuple of str
        What belongs to the server and is not in it, in words.
    version : str
        Of the program that made it.
    format : int
    """

    made: str
    members: Mapping[str, Member] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    version: str = wb.__version__
    format: int = FORMAT

    def to_json(self) -> bytes:
        """The manifest as a file."""
        return _json.dumps_ascii({"program": _PROGRAM, **asdict(self)}, indent=1).encode()

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        """The manifest of a file.

        Raises
        ------
        BackupError
            It is none, or of a newer version.
        """
        try:
            given = dict(_json.loads(text))
            if given.pop("program") != _PROGRAM:
                raise BackupError("this is no backup of the workbench")
            if given["format"] > FORMAT:
                raise BackupError(
                    f"this backup was made by version {given['version']} of the workbench, which "
                    "is newer than this one; update this program first"
                )
            members = {str(path): Member(**one) for path, one in given.pop("members").items()}
            for path, one in members.items():
                _require_path(path)
                if not _HASH.fullmatch(one.sha256) or not one.size >= 0:
                    raise BackupError("the manifest of this backup is damaged")
            missing = tuple(map(str, given.pop("missing")))
            return cls(members=members, missing=missing, **given)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, BackupError):
                raise
            raise BackupError("the manifest of this backup is damaged") from error


def copied(source: IO[bytes], to: IO[bytes] | None = None) -> Member:
    """Copy a file, and say what it is.

    Parameters
    ----------
    source : file
    to : file, optional
        None to read it only.
    """
    digest, size = sha256(), 0
    while block := source.read(_BLOCK):
        digest.update(block)
        size += len(block)
        if to is not None:
            to.write(block)
    return Member(size, digest.hexdigest())


def opened(path: Path) -> tuple[tarfile.TarFile, Manifest]:
    """A backup and its manifest, of which nothing was checked yet but the paths.

    Raises
    ------
    BackupError
        It is no backup, or one whose members are not those of its manifest.
    """
    archive = None
    try:
        archive = tarfile.open(path, "r:")  # noqa: SIM115
        infos = archive.getmembers()
        names = [one.name for one in infos]
        if len(set(names)) != len(names):
            raise BackupError(f"{path} has a file twice; it was not made by this program")
        for one in infos:
            if not one.isreg():
                raise BackupError(f"{path} has {one.name!r}, which is no plain file")
        info = next((one for one in infos if one.name == NAME), None)
        if info is None or info.size > _LARGEST:
            raise BackupError(f"{path} is no backup of the workbench, or was cut off")
        text = archive.extractfile(info)
        manifest = Manifest.from_json(b"" if text is None else text.read())
        if set(names) - {NAME} != set(manifest.members):
            raise BackupError(f"{path} does not have the files that its manifest lists")
        return archive, manifest
    except tarfile.TarError as error:
        if archive is not None:
            archive.close()
        raise BackupError(f"{path} is no backup of the workbench, or is damaged") from error
    except BackupError:
        if archive is not None:
            archive.close()
        raise


def contents(archive: tarfile.TarFile, manifest: Manifest) -> Iterator[tuple[str, Member, Any]]:
    """The path, the entry of the manifest and the open file of every member."""
    for path, one in manifest.members.items():
        file = archive.extractfile(path)
        if file is None:
            raise BackupError(f"the backup does not have {path!r}")
        with file:
            yield path, one, file


def check(path: Path) -> Manifest:
    """The manifest of a backup, all of whose files were read and are as they were.

    Raises
    ------
    BackupError
    """
    archive, manifest = opened(path)
    with archive:
        try:
            for name, member, file in contents(archive, manifest):
                require_same(name, member, copied(file))
        except (tarfile.TarError, EOFError) as error:
            raise BackupError(f"{path} is damaged") from error
    return manifest


def require_same(name: str, wanted: Member, found: Member) -> None:
    """Raise a BackupError where a file is not what the manifest says."""
    if found != wanted:
        raise BackupError(f"{name!r} in this backup is damaged: its hash is not the one it had")


def require_whole(path: Path, name: str) -> None:
    """Raise a BackupError where a database is damaged or empty.

    Parameters
    ----------
    path : Path
        The file of the database, which no program writes.
    name : str
        For the message.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as base:
            whole = not is_empty(path) and base.execute("PRAGMA quick_check").fetchone()[0] == "ok"
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        whole = False
    if not whole:
        raise BackupError(f"the database {name!r} is damaged")


def require_known(path: Path, name: str) -> None:
    """Raise a BackupError where a database is damaged, or of a newer version of the program.

    Parameters
    ----------
    path : Path
        The file of the database.
    name : str
        For the message.
    """
    require_whole(path, name)
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as base:
            tables = {row[0] for row in base.execute("SELECT name FROM sqlite_master")}
            schema = next(
                (one for one in _SCHEMAS if tables & set(one.metadata.tables)), _SCHEMAS[0]
            )
            found, known = 0, int(schema.revision)
            if schema.alone:
                found = base.execute("PRAGMA user_version").fetchone()[0]
            if "workbench_version" in tables:
                row = base.execute("SELECT version_num FROM workbench_version").fetchone()
                found = max(found, int(row[0]) if row else 0)
    except (sqlite3.DatabaseError, ValueError) as error:
        raise BackupError(f"the database {name!r} is damaged") from error
    if found > known:
        raise BackupError(
            f"the database {name!r} is of a newer version of the workbench (format {found}; this "
            f"one knows {known}); update this program first"
        )


def _require_path(path: str) -> None:
    """Raise a BackupError for a path that leads elsewhere, or is written in another way."""
    parts = PurePosixPath(path).parts
    usual = path == "/".join(parts) and path != NAME
    safe = all(one not in ("", ".", "..", "/") for one in parts)
    if not (parts and usual and safe and path.isprintable()) or "\\" in path or ":" in path:
        raise BackupError(f"the backup has a file {path!r}, which cannot be in a folder of ours")
