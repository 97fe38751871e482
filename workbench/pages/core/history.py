"""`History`: the changes that a person made, to undo and to redo."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

#: Number of changes that are kept; the oldest go first.
MOST = 500

#: Seconds within which changes of the same control count as one, such as the steps of a drag.
TOGETHER = 1.0


@dataclass(frozen=True)
class Change:
    """A change that a person made.

    Attributes
    ----------
    page : str
        Name of the page; "" for a change of the data sets alone.
    control : str
        What the person used.
    label : str
        How people call it.
    settings : tuple of mapping
        The page's settings before and after.
    data : tuple
        The `workbench.workspaces.parts.kept_data.WorkspaceState` before and after.
    audits : tuple of mapping
        Whether the saved audits of these keys are there, before and after.
    kept : mapping
        The settings that the page had on data sets which it was changed to, by their keys.
    """

    page: str
    control: str
    label: str
    settings: tuple[Mapping[str, Any], Mapping[str, Any]]
    data: tuple[Any, Any]
    audits: tuple[Mapping[str, bool], Mapping[str, bool]] = ({}, {})
    kept: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """True if nothing differs."""
        both = (self.settings, self.data, self.audits)
        return all(before == after for before, after in both)


class History:
    """The changes of all pages, in the order in which they were made.

    Parameters
    ----------
    clock : callable
        The time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._done: list[Change] = []
        self._undone: list[Change] = []
        self._last = -TOGETHER

    def add(self, change: Change) -> None:
        """Add a change; it continues the last one if that is recent and of the same control."""
        now, recent = self._clock(), self._done[-1] if self._done else None
        continued = (
            recent is not None
            and not self._undone
            and (recent.page, recent.control) == (change.page, change.control)
            and now - self._last < TOGETHER
        )
        self._last = now
        if recent is not None and continued:
            change = replace(
                change,
                settings=(recent.settings[0], change.settings[1]),
                data=(recent.data[0], change.data[1]),
                kept={**change.kept, **recent.kept},
            )
            self._done.pop()
        self._undone.clear()
        if not change.empty:
            self._done.append(change)
            del self._done[:-MOST]

    def undo(self) -> Change | None:
        """The last change, which now counts as undone; None if there is none."""
        return self._move(self._done, self._undone)

    def redo(self) -> Change | None:
        """The change that was undone last, which now counts as done; None if there is none."""
        return self._move(self._undone, self._done)

    @property
    def labels(self) -> tuple[str, str]:
        """What `undo` and `redo` would change; empty for nothing."""
        last = [changes[-1].label if changes else "" for changes in (self._done, self._undone)]
        return last[0], last[1]

    def _move(self, source: list[Change], target: list[Change]) -> Change | None:
        self._last = -TOGETHER  # what follows is a change of its own
        if not source:
            return None
        target.append(source.pop())
        return target[-1]
