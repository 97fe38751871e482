"""`Lending`: the only way into the workspace of another person, which checks the grant first."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import RLock

from workbench.audits.archive import Archive
from workbench.audits.errors import ArchiveError
from workbench.audits.summary import AuditSummary
from workbench.server.sharing.grant import Grant, NotSharedError, ShareKind
from workbench.server.sharing.grants import Grants
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)

#: Seconds between two times at which grants that ended long ago are deleted.
PURGE = 24 * 3600.0


class Lending:
    """What people read in the workspaces of others.

    Everything that is read of somebody else is read here: each method takes the grant, asks
    whether it still holds, and reads nothing but what is shared. Ids and keys grant nothing.

    Parameters
    ----------
    grants : Grants
    open_workspace : callable
        Returns the workspace of the person with a key; None where there is none.
    """

    def __init__(self, grants: Grants, open_workspace: Callable[[str], Workspace | None]):
        self.grants, self._open = grants, open_workspace
        self._lock = RLock()
        self._watched: dict[str, Workspace] = {}
        self._own: dict[str, tuple[DataSet, ...]] = {}
        self._generation = 0
        self._listeners: list[Callable[[], None]] = []
        self._purged = -PURGE

    @property
    def version(self) -> tuple[int, int]:
        """Another one after every change of what anybody may read of others."""
        return self.grants.version, self._generation

    # -- reading -------------------------------------------------------------------------------

    def dataset(self, grant: Grant) -> DataSet:
        """What is known of a data set that is shared, as its owner sees it."""
        for one in self._workspace(grant, ShareKind.DATA).catalog.own:
            if one.key == grant.key:
                return one
        raise NotSharedError(grant.kind)

    def data_workspace(self, grant: Grant) -> Workspace:
        """The workspace that has a shared data set, which its owner has not removed."""
        self.dataset(grant)
        return self._workspace(grant, ShareKind.DATA)

    def audit_archive(self, grant: Grant) -> Archive:
        """The archive that has a shared audit, which its owner has not removed."""
        self.summary(grant)
        return self._workspace(grant, ShareKind.AUDIT).audits

    def summary(self, grant: Grant) -> AuditSummary:
        """What a list shows of an audit that is shared."""
        archive = self._workspace(grant, ShareKind.AUDIT).audits
        try:
            found = archive.find(grant.key)
        except ArchiveError as error:
            raise NotSharedError(grant.kind) from error
        if found.key != grant.key or found.removed:
            raise NotSharedError(grant.kind)
        return found

    def _workspace(self, grant: Grant, kind: ShareKind) -> Workspace:
        """The workspace that has what is shared, once the grant was checked.

        Nothing but the data set or the audit of the grant may be read in it.

        Parameters
        ----------
        grant : Grant
        kind : ShareKind
            What is going to be read.

        Raises
        ------
        NotSharedError
            The grant does not hold, or is about something else.
        """
        if grant.kind is not kind or not self.grants.holds(grant):
            raise NotSharedError(kind)
        try:
            found = self._open(grant.owner)
        except WorkspaceError as error:  # their disk cannot be read
            raise NotSharedError(kind) from error
        if found is None:
            raise NotSharedError(kind)
        self._watch(grant.owner, found)
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
        """Call all listeners, because grants, or what is shared, changed."""
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
        if time.monotonic() - self._purged >= PURGE:
            self._purged = time.monotonic()
            self.grants.purge()
        if self.grants.refresh():
            self.changed()  # first: nobody else tells of it if something fails below
        with self._lock:
            self._watched = {o: known for o, known in self._watched.items() if not known.closed}
            watched = list(self._watched.values())
        for workspace in watched:
            try:
                workspace.changes.refresh()
            except WorkspaceError:  # it was closed just now
                pass
            except Exception:
                logger.exception("a workspace of which others read could not be looked at")

    def opened(self, owner: str, workspace: Workspace) -> None:
        """Take note of the workspace of the person with a key, which others may be reading."""
        if self.grants.given_by(owner):
            self._watch(owner, workspace)

    def _watch(self, owner: str, workspace: Workspace) -> None:
        """Listen to changes in the workspace of an owner, from now on."""
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
        """Call all listeners, if the data sets of an owner changed and not only the one in view."""
        now = tuple(workspace.catalog.own)
        with self._lock:
            before, self._own[owner] = self._own.get(owner, now), now
        if before != now:
            self.changed()
