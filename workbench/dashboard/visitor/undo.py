"""`Undo`: pages and data sets as they were before."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from workbench.assets.audits import NAME as AUDITS
from workbench.dashboard.audits import AuditRequests
from workbench.dashboard.live_page import LivePage
from workbench.dashboard.tab import IMPORT
from workbench.dashboard.visitor.history import Change, History
from workbench.dashboard.visitor.pages import OpenPages
from workbench.pages.core.gestures import Message
from workbench.workspaces.errors import WorkspaceError


class Undo:
    """The gestures that set pages and data sets as they were."""

    def __init__(self, history: History, pages: OpenPages, audits: AuditRequests):
        self._history, self._pages, self._audits = history, pages, audits

    def undo(self, gesture: Message) -> Message:
        """Undo the last change."""
        return self._go_back(self._history.undo(), 0)

    def redo(self, gesture: Message) -> Message:
        """Redo the change that was undone last."""
        return self._go_back(self._history.redo(), 1)

    def _go_back(self, change: Change | None, which: int) -> Message:
        if change is None:
            return {}
        pages = self._pages
        if change.data is not None and change.data[0] != change.data[1]:
            pages.workspace.kept.revert(change.data[which])
        if change.page:
            live = pages.live(change.page)
            kept = {} if which else change.kept
            live.change("restore", partial(pages.restore, live, change.settings[which], kept))
        if change.audits[0] != change.audits[1]:
            self._audits.bring(change.audits[which])
        page = change.page or (AUDITS if change.audits[which] else "")
        return {"goto": page} if page else {}

    def reset(self, gesture: Message) -> None:
        """Set a page as it is first seen."""
        pages = self._pages
        live = pages.live(gesture["reset"])
        fresh = pages.tabs[live.name].make(pages.workspace)
        fresh.follow(pages.workspace.active.key(fresh.takes))
        live.change("reset", partial(pages.set_all, live, "reset", fresh.settings()))

    def bring_back(self, gesture: Message) -> None:
        """Restore the pages that a browser had when the server lost them."""
        for name, settings in dict(gesture["settings"]).items():
            if name in self._pages.tabs and name != IMPORT:
                live = self._pages.live(name)
                live.change("restore", partial(self._bring_back, live, dict(settings)))

    def _bring_back(self, live: LivePage, settings: Mapping[str, Any]) -> None:
        page, workspace = live.page, self._pages.workspace
        key = settings.get("data", page.data_key)
        if page.data_key and key != page.data_key:
            try:
                workspace.dataset(str(key))
            except WorkspaceError:
                page.message = (
                    "The connection was lost, and the server no longer has your data set: open it "
                    "again. The page shows its initial state."
                )
                return
        lost = page.restore(settings, workspace.file)
        if lost:
            page.message = (
                "The connection was lost and restored. These settings could not be restored: "
                f"{', '.join(lost)}."
            )
