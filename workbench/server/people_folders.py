"""`PeopleFolders`: where the workspaces of people are on the disk of the server."""

from __future__ import annotations

import logging
import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Collection
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from workbench.audits.archive import Archive
from workbench.audits.storing.database import AuditsDatabase
from workbench.server.people.person import OWNER, Person
from workbench.workspaces.errors import StoreError
from workbench.workspaces.home import DATABASE
from workbench.workspaces.shared_data import SharedData
from workbench.workspaces.storing.allowance import Allowance
from workbench.workspaces.storing.disk import DiskStore
from workbench.workspaces.storing.guarded import GuardedDisk
from workbench.workspaces.storing.store import Store
from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)

#: Seconds after their last visit for which the workspace of a visitor without account is kept.
KEPT = 12 * 3600.0

#: Folders of people with an account, and of visitors without.
_PEOPLE, _VISITORS = "people", "visitors"

#: What a key of a person with an account looks like.
_KEY = re.compile("[A-Za-z0-9_-]{8,64}")

#: What the name of a folder begins with while it is deleted.
_GONE = "deleted-"

_EXPORT = "export what you want to keep"
_SHOWN = "your folder on this server"


def person_folder(home: Path, key: str) -> Path:
    """The folder of a person with an account.

    Parameters
    ----------
    home : Path
        The folder of the server.
    key : str
        Of the account.

    Raises
    ------
    ValueError
        It is no such key, and may name another folder.
    """
    if not _KEY.fullmatch(key):
        raise ValueError("this is no key of an account")
    return home / _PEOPLE / key


def schema_name(key: str) -> str:
    """The name of the database of one person's audits, from which the key cannot be told."""
    return f"workbench_{_digest(key)[:40]}"


class PeopleFolders:
    """The workspaces of the people of a server, each in a folder of its own.

    A folder is made when its person first changes something. That of a visitor without account is
    deleted 12 hours after the last visit.

    Parameters
    ----------
    folder : Path, optional
        Of the server; by default a temporary one, which is deleted by `close`.
    base : SharedData, optional
        Data sets that all people share.
    own : Workspace, optional
        The workspace of the owner of the server.
    database : str, optional
        The SQLAlchemy URL of the database in which people with an account keep their audits; see
        `workbench.audits.storing.database.AuditsDatabase.of_person`. By default it is the one that
        the environment variable ``WORKBENCH_DATABASE`` names, or a file in their folder.
    """

    def __init__(
        self,
        folder: Path | None = None,
        base: SharedData | None = None,
        own: Workspace | None = None,
        database: str | None = None,
    ):
        self.base, self.own = base, own
        self._folder = folder
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._database = os.environ.get(DATABASE, "") if database is None else database
        self._lock = Lock()

    def exists(self, person: Person) -> bool:
        """Whether a person has a workspace here."""
        if person.key == OWNER and self.own is not None:
            return True
        return self._home is not None and self._folder_of(person).is_dir()

    def person_of(self, key: str) -> Person | None:
        """Whose workspace has this key; None where there is none.

        Parameters
        ----------
        key : str
            Of a person.
        """
        if key == OWNER and self.own is not None:
            return Person(OWNER)
        kinds = (Person(key, signed_in=True), Person(key)) if _KEY.fullmatch(key) else ()
        return next((one for one in kinds if self.exists(one)), None)

    def open(
        self,
        person: Person,
        allowance: Allowance | None = None,
        shared: SharedData | None = None,
    ) -> Workspace:
        """The workspace of a person: another object in every call, but for the owner.

        Parameters
        ----------
        person : Person
        allowance : Allowance, optional
            How much it may hold; that of the owner holds as much as the disk.
        shared : SharedData, optional
            The data sets that the person sees besides their own; by default those of the server.
        """
        if person.key == OWNER and self.own is not None:
            return self.own
        folder, where = self._folder_of(person), self._where(person)
        audits = self._audits(person, folder, where)

        def exists() -> bool:
            return folder.is_dir()

        def open_disk() -> DiskStore:
            try:
                _make_private(folder)
            except OSError as error:
                why = f"{_SHOWN} cannot be made ({error.strerror})"
                raise StoreError(f"{why}; ask whoever runs it") from error
            return DiskStore(folder, _SHOWN)

        def open_archive() -> Archive:
            _make_private(folder)
            return Archive(audits)

        self.visited(person)
        return Workspace(
            Store(GuardedDisk(open_disk, where, exists)),
            self.base if shared is None else shared,
            open_archive,
            audits.exists,
            allowance,
        )

    def visited(self, person: Person) -> None:
        """Note that a person is here: from now on, a visitor's workspace is kept 12 hours."""
        if self.exists(person) and person.key != OWNER:
            with suppress(FileNotFoundError), self._lock:
                os.utime(self._folder_in(self._home, person))

    def tidy(self, here: Collection[str] = ()) -> int:
        """Delete the workspaces of visitors who have been away for long.

        Parameters
        ----------
        here : collection of str
            Keys of visitors who are here.

        Returns
        -------
        int
            The number of those that were deleted.
        """
        home = self._home
        stay, deleted = {_digest(key) for key in here}, 0
        for folder in () if home is None else (home / _VISITORS).glob("*"):
            gone = folder.with_name(f"{_GONE}{secrets.token_hex(8)}")
            with suppress(OSError):
                with self._lock:  # nobody comes back meanwhile
                    old = folder.stat().st_mtime < time.time() - KEPT
                    if not folder.name.startswith(_GONE):
                        if not old or folder.name in stay:
                            continue
                        folder.rename(gone)
                        folder, deleted = gone, deleted + 1
                shutil.rmtree(folder)
        if deleted:
            logger.info("deleted the data of %d visitors who left 12 hours ago", deleted)
        return deleted

    def forget(self, key: str) -> None:
        """Delete the workspace and the audits of a person whose account was removed.

        Parameters
        ----------
        key : str
            Of the account.
        """
        person = Person(key, signed_in=True)
        folder = self._folder_of(person)
        self._audits(person, folder, "deleted").delete()
        if folder.is_dir():
            shutil.rmtree(folder)

    def close(self) -> None:
        """Delete the folder if it is a temporary one."""
        with self._lock:
            temporary, self._temporary = self._temporary, None
        if temporary is not None:
            temporary.cleanup()

    # -- steps --------------------------------------------------------------------------------

    @property
    def _home(self) -> Path | None:
        """The folder of the server; None where it is not yet needed."""
        if self._folder is not None or self._temporary is None:
            return self._folder
        return Path(self._temporary.name)

    def _folder_of(self, person: Person) -> Path:
        with self._lock:
            if self._home is None:
                self._temporary = tempfile.TemporaryDirectory(
                    prefix="workbench-server-", ignore_cleanup_errors=True
                )
            return self._folder_in(self._home, person)

    @staticmethod
    def _folder_in(home: Any, person: Person) -> Path:
        if person.signed_in:
            return person_folder(home, person.key)
        return Path(home / _VISITORS / _digest(person.key))

    def _where(self, person: Person) -> str:
        """Where a person's data are kept, and for how long, in the words of the Data menu."""
        until = "until it is stopped" if self._folder is None else ""
        if not person.signed_in:
            until = "until 12 hours after your last visit" + (f", or {until}" if until else "")
        return f"on this server {until}".strip()

    def _audits(self, person: Person, folder: Path, where: str) -> AuditsDatabase:
        if self._database and person.signed_in:
            return AuditsDatabase.of_person(self._database, schema_name(person.key), where)
        return AuditsDatabase.in_folder(
            folder, where if person.signed_in else f"{where}: {_EXPORT}"
        )


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()


def _make_private(folder: Path) -> None:
    """Make a folder and those above it so that only the user who runs the server reads them."""
    for one in (folder.parent.parent, folder.parent, folder):
        one.mkdir(mode=0o700, parents=True, exist_ok=True)
