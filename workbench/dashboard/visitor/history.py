"""`History`: the changes that a person made, to undo and to redo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from workbench.dashboard.visitor.browsers import OpenBrowsers
from workbench.workspaces.parts.kept_data import WorkspaceState
from workbench.workspaces.workspace import Workspace

#: Number of changes that are kept; the oldest go first.
MOST = 500


@dataclass(frozen=True)
class Change:
    """A change that a person made.

    Attributes
    ----------
    page : str
        Name of the page; "" for a change of the data sets alone.
    label : str
        How people call what they used.
    settings : tuple of mapping
        The page's settings before and after.
    data : tuple of WorkspaceState, optional
        The data sets before and after; None if the change does not concern them.
    audits : tuple of mapping
        Whether the saved audits of these keys are there, before and after.
    kept : mapping
        The settings that the page had on data sets which it was changed to, by their keys.
    """

    page: str
    label: str
    settings: tuple[Mapping[str, Any], Mapping[str, Any]]
    data: tuple[WorkspaceState, WorkspaceState] | None = None
    audits: tuple[Mapping[str, bool], Mapping[str, bool]] = ({}, {})
    kept: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """True if nothing differs."""
        both = (self.settings, self.data, self.audits)
        return all(before == after for before, after in filter(None, both))


class History:
    """The changes of all pages, in the order in which they were made."""

    def __init__(self, workspace: Workspace, browsers: OpenBrowsers):
        self._workspace, self._browsers = workspace, browsers
        self._done: list[Change] = []
        self._undone: list[Change] = []
        self._lock = Lock()  # pages and the session change it in threads of their own
        self._shown = self.labels

    def add(self, change: Change) -> None:
        """Add a change, unless nothing differs."""
        with self._lock:
            self._undone.clear()
            if not change.empty:
                self._done.append(change)
                del self._done[:-MOST]
        self.show()

    def add_data(self, label: str, before: WorkspaceState) -> None:
        """Add a change of the data sets, which are as they are now."""
        self.add(Change("", label, ({}, {}), (before, self._workspace.kept.snapshot())))

    def change_data(self, label: str, change: Callable[[], Any]) -> None:
        """Change the data sets in a way that can be undone."""
        before = self._workspace.kept.snapshot()
        change()
        self.add_data(label, before)

    def add_audit(self, label: str, key: str, there: bool) -> None:
        """Add that a saved audit came or went.

        Parameters
        ----------
        label, key : str
        there : bool
            Whether it is there now.
        """
        self.add(Change("", label, ({}, {}), audits=({key: not there}, {key: there})))

    def show(self) -> None:
        """Have the browsers show what can be undone, unless they do already."""
        if self.labels != self._shown:
            self._shown = self.labels
            self._browsers.show("undo", "redo")

    def undo(self) -> Change | None:
        """The last change, which now counts as undone; None if there is none."""
        return self._move(self._done, self._undone)

    def redo(self) -> Change | None:
        """The change that was undone last, which now counts as done; None if there is none."""
        return self._move(self._undone, self._done)

    @property
    def labels(self) -> tuple[str, str]:
        """What `undo` and `redo` would change; empty for nothing."""
        with self._lock:
            last = [changes[-1].label if changes else "" for changes in (self._done, self._undone)]
        return last[0], last[1]

    def _move(self, source: list[Change], target: list[Change]) -> Change | None:
        with self._lock:
            if not source:
                return None
            change = source.pop()
            target.append(change)
        self.show()
        return change
