"""`AuditsDatabase`: the database of audits, plans and series."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Self

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from workbench.audits.errors import ArchiveError
from workbench.audits.storing.schema import AUDITS_SCHEMA
from workbench.storing.database import Database
from workbench.storing.postgresql import PostgreSQLServer
from workbench.storing.sqlite import SQLiteFile, SQLiteMemory
from workbench.storing.wording import DatabaseWording

#: The file in the folder of a workspace.
FILE = "audits.sqlite"

_NAME = re.compile("[a-z0-9_]{1,60}")

_FORMS = "sqlite:////folder/audits.sqlite or postgresql://user:password@host/database"

_OF_A_PERSON = "the database of your audits"


class AuditsDatabase(Database):
    """The database of audits, plans and series; its failures are `ArchiveError`."""

    @classmethod
    def in_folder(cls, folder: Path, where: str = "") -> Self:
        """The database in the file ``audits.sqlite`` of a folder.

        Parameters
        ----------
        folder : Path
        where : str, optional
            The place of the database of a single person. Messages then do not name the file: those
            who read them are not those who have the disk.
        """
        return cls._in_file(folder / FILE, where)

    @classmethod
    def in_memory(cls) -> Self:
        """A database that ends with the program."""
        return cls(SQLiteMemory(_words("the database of audits in memory")), AUDITS_SCHEMA)

    @classmethod
    def at(cls, address: str) -> Self:
        """The database of a SQLAlchemy URL, of SQLite or PostgreSQL.

        Raises
        ------
        ArchiveError
            It is none.
        """
        url = _url(address)
        if path := _path(url):
            return cls._in_file(path)
        return cls.in_memory() if url.get_backend_name() == "sqlite" else cls._on_server(url)

    @classmethod
    def of_person(cls, address: str, name: str, where: str) -> Self:
        """The database of one person, beside those of other people.

        In PostgreSQL it is a schema of the database: no query of this person reaches another one.
        In SQLite it is a file in a folder beside the file of the URL.

        Parameters
        ----------
        address : str
            As of `at`.
        name : str
            Lower-case letters, digits and ``_``; different for every person.
        where : str
            The place, as people say it.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"name must have 1 to 60 characters of a-z, 0-9 and _, got {name!r}")
        url = _url(address)
        if path := _path(url):
            people = path.with_name(f"{path.name}-people")
            return cls._in_file(people / f"{name}.sqlite", where)
        if url.get_backend_name() == "sqlite":
            return cls.in_memory()
        return cls._on_server(url, name, where)

    @classmethod
    def _in_file(cls, path: Path, where: str = "") -> Self:
        words = _words(_OF_A_PERSON if where else f"the database {path}")
        return cls(SQLiteFile(path, words, where), AUDITS_SCHEMA)

    @classmethod
    def _on_server(cls, url: URL, name: str = "", where: str = "") -> Self:
        host = f"{url.host or 'this computer'}{f':{url.port}' if url.port else ''}"
        words = _words(_OF_A_PERSON if where else f"the database {url.database or ''!r} on {host}")
        where = where or f"in the PostgreSQL database {url.database or ''!r} on {host}"
        return cls(PostgreSQLServer(url, words, where, name), AUDITS_SCHEMA)


def _words(title: str) -> DatabaseWording:
    return DatabaseWording(title, title, ArchiveError)


def _path(url: URL) -> Path | None:
    """The file of a URL of SQLite; None in memory, and of PostgreSQL."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database)).expanduser().resolve()


def _url(address: str) -> URL:
    """A URL of SQLite or PostgreSQL; messages do not quote it, for it may hold a password."""
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise ArchiveError(f"the database must be a URL such as {_FORMS}") from None
    if "@" in (url.host or ""):
        raise ArchiveError("the URL of the database has more than one @; write %40 in a password")
    kind = url.get_backend_name()
    if kind == "postgres":  # as other programs write it
        return url.set(drivername="postgresql")
    if kind not in ("sqlite", "postgresql"):
        raise ArchiveError(f"a database of {kind!r} is not supported; use one such as {_FORMS}")
    return url
