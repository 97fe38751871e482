"""`Lending`: the only way into the workspace of another person, which checks the share first."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import RLock
from typing import Protocol

from workbench.audits.archive import Archive
from workbench.audits.errors import ArchiveError
from workbench.audits.summary import AuditSummary
from workbench.server.people.accounts import Accounts
from workbench.server.people.person import Person, Role
from workbench.server.sharing.errors import NotSharedError
from workbench.server.sharing.share import Grant, ShareKind, ShareTarget
from workbench.server.sharing.shares import Shares
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)

#: Seconds between two times at which shares that ended long ago are deleted.
PURGE = 24 * 3600.0

#: What people call the owner of what is shared on a server where nobody signs in.
SOMEBODY = "somebody"


class KnownPeople(Protocol):
    """The people who have accounts."""

    def everybody(self) -> Mapping[str, tuple[str, Role]]:
        """Names and roles by the keys of people."""


class AccountHolders:
    """The people who have accounts, as `Lending` asks for them.

    Parameters
    ----------
    accounts : Accounts
    """

    def __init__(self, accounts: Accounts):
        self._accounts = accounts

    def everybody(self) -> dict[str, tuple[str, Role]]:
        """Names and roles by the keys of people."""
        return {one.key: (one.name, one.role) for one in self._accounts.list()}


class Lending:
    """What people let each other read.

    Everything that is read of somebody else is read here: each method takes the share, asks
    whether it still holds, and reads nothing but what is shared. Ids and keys grant nothing.

    Parameters
    ----------
    shares : Shares
    people : KnownPeople or None
        None for a server where nobody signs in.
    open_workspace : callable
        Returns the workspace of the person with a key; None where there is none.
    """

    def __init__(
        self,
        shares: Shares,
        people: KnownPeople | None,
        open_workspace: Callable[[str], Workspace | None],
    ):
        self.shares = shares
        self._people, self._open = people, open_workspace
        self._lock = RLock()
        self._watched: dict[str, Workspace] = {}
        self._own: dict[str, tuple[DataSet, ...]] = {}
        self._generation = 0
        self._listeners: list[Callable[[], None]] = []
        self._everybody = self._look_for_people()
        self._purged = -PURGE

    # -- people --------------------------------------------------------------------------------

    @property
    def has_people(self) -> bool:
        """Whether people sign in on this server."""
        return self._people is not None

    @property
    def everybody(self) -> Mapping[str, tuple[str, Role]]:
        """Names and roles of the people who have accounts, by their keys."""
        return self._everybody

    def name_of(self, key: str) -> str:
        """The name of a person; that of nobody for a visitor without an account.

        Parameters
        ----------
        key : str
        """
        name, _ = self._everybody.get(key, (SOMEBODY, Role.EDITOR))
        return name

    # -- what is shared with a person ----------------------------------------------------------

    @property
    def version(self) -> tuple[int, int]:
        """Another one after every change of what anybody may read of others."""
        return self.shares.version, self._generation

    def with_person(self, person: Person, kind: ShareKind) -> list[Grant]:
        """What others share with a person, oldest first.

        Parameters
        ----------
        person : Person
        kind : ShareKind
        """
        found = self.shares.with_person(person.key, person.key in self._everybody)
        return [one for one in found if one.kind is kind and self._holds(one)]

    def by_token(self, token: str) -> Grant | None:
        """The share of a link, if it holds.

        Parameters
        ----------
        token : str
        """
        share = self.shares.by_token(token)
        return share if share is not None and self._holds(share) else None

    # -- reading -------------------------------------------------------------------------------

    def dataset(self, share: Grant) -> DataSet:
        """What is known of a data set that is shared, as its owner sees it.

        Parameters
        ----------
        share : Grant
        """
        for one in self._workspace(share, ShareKind.DATA).catalog.own:
            if one.key == share.key:
                return one
        raise NotSharedError(share.kind.words)

    def data_workspace(self, share: Grant) -> Workspace:
        """The workspace that has a shared data set, which its owner has not removed.

        Parameters
        ----------
        share : Grant
        """
        self.dataset(share)
        return self._workspace(share, ShareKind.DATA)

    def audit_archive(self, share: Grant) -> Archive:
        """The archive that has a shared audit, which its owner has not removed.

        Parameters
        ----------
        share : Grant
        """
        self.summary(share)
        return self._workspace(share, ShareKind.AUDIT).audits

    def summary(self, share: Grant) -> AuditSummary:
        """What a list shows of an audit that is shared.

        Parameters
        ----------
        share : Grant
        """
        archive = self._workspace(share, ShareKind.AUDIT).audits
        try:
            found = archive.find(share.key)
        except ArchiveError as error:
            raise NotSharedError(share.kind.words) from error
        if found.key != share.key or found.removed:
            raise NotSharedError(share.kind.words)
        return found

    # -- changes -------------------------------------------------------------------------------

    def listen(self, callback: Callable[[], None]) -> None:
        """Call ``callback()`` after anything changed in what people may read of others."""
        with self._lock:
            self._listeners.append(callback)

    def unlisten(self, callback: Callable[[], None]) -> None:
        """Call it no longer."""
        with self._lock:
            self._listeners = [one for one in self._listeners if one != callback]

    def changed(self) -> None:
        """Have everybody look again, because shares, or what is shared, changed."""
        with self._lock:
            self._generation += 1
            listeners = tuple(self._listeners)
        for callback in listeners:
            try:
                callback()
            except Exception:
                logger.exception("somebody could not be told of a change of what is shared")

    def look_again(self) -> None:
        """Notice what ended by itself, and what another program changed; takes a moment."""
        everybody = self._look_for_people()
        if time.monotonic() - self._purged >= PURGE:
            self._purged = time.monotonic()
            self.shares.purge()
        ended, others = self.shares.refresh(), everybody != self._everybody
        self._everybody = everybody
        with self._lock:
            self._watched = {o: known for o, known in self._watched.items() if not known.closed}
            watched = list(self._watched.values())
        for workspace in watched:
            with suppress(WorkspaceError):  # it was closed just now
                workspace.changes.refresh()
        if ended or others:
            self.changed()

    def opened(self, owner: str, workspace: Workspace) -> None:
        """Take note of the workspace of a person, which others may be reading.

        Parameters
        ----------
        owner : str
            Key of the person.
        workspace : Workspace
        """
        if self.shares.of(owner):
            self._watch(owner, workspace)

    # -- steps ---------------------------------------------------------------------------------

    def _workspace(self, share: Grant, kind: ShareKind) -> Workspace:
        """The workspace that has what is shared, once the share was checked.

        Nothing but the data set or the audit of the share may be read in it.

        Parameters
        ----------
        share : Grant
        kind : ShareKind
            What is going to be read.

        Raises
        ------
        NotSharedError
            The share does not hold, or is about something else.
        """
        if share.kind is not kind or not self._holds(share):
            raise NotSharedError(kind.words)
        try:
            found = self._open(share.owner)
        except WorkspaceError as error:  # their disk cannot be read
            raise NotSharedError(kind.words) from error
        if found is None:
            raise NotSharedError(kind.words)
        self._watch(share.owner, found)
        return found

    def _look_for_people(self) -> dict[str, tuple[str, Role]]:
        return {} if self._people is None else dict(self._people.everybody())

    def _holds(self, share: Grant) -> bool:
        """Whether a share holds, of a person who may still share, with one who is still here."""
        if not self.shares.holds(share):
            return False
        if not self.has_people:
            return True
        there = share.target is not ShareTarget.PERSON or share.person in self._everybody
        _, role = self._everybody.get(share.owner, ("", Role.VIEWER))
        return there and role.edits

    def _watch(self, owner: str, workspace: Workspace) -> None:
        """Hear of changes in the workspace of an owner, from now on."""
        with self._lock:
            if self._watched.get(owner) is workspace:
                return
            self._watched[owner] = workspace
        workspace.changes.watch(self._owner_changed)
        self._compare(owner, workspace)

    def _owner_changed(self, workspace: Workspace) -> None:
        with self._lock:
            owner = next((o for o, known in self._watched.items() if known is workspace), None)
        if owner is not None:
            self._compare(owner, workspace)

    def _compare(self, owner: str, workspace: Workspace) -> None:
        """Tell the others, if the data sets of an owner changed and not only the one in view."""
        now = tuple(workspace.catalog.own)
        with self._lock:
            before, self._own[owner] = self._own.get(owner, now), now
        if before != now:
            self.changed()
