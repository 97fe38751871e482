"""`VisitorData`: what a visitor does with data sets, and what the Data menu shows of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from workbench.dashboard.live_page import LivePage
from workbench.dashboard.permissions import size_words
from workbench.dashboard.sharing import DATA, Sharing
from workbench.dashboard.tab import Tab
from workbench.dashboard.visitor.browsers import OpenBrowsers
from workbench.dashboard.visitor.history import History
from workbench.dashboard.visitor.pages import OpenPages
from workbench.pages.core.gestures import Message
from workbench.scores.examples import NAMES
from workbench.tables.examples import TABLES
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.draws import DRAW
from workbench.workspaces.followed.data import KEY as FOLLOWED
from workbench.workspaces.followed.source import following_of
from workbench.workspaces.score_tables.sources import DRAWN_TABLE, DrawnTableSource
from workbench.workspaces.sources import EXAMPLE
from workbench.workspaces.workspace import Workspace

#: The page that shows a data set of each kind, where another page is in view.
FIRST_PAGES = {"scores": "scores", "table": "records"}

#: The draw that the Data menu offers before a person has made one.
FIRST_DRAW = "draw:gaussian?mu=1.0&n=10000&seed=0"


class VisitorData:
    """What a visitor does with data sets."""

    def __init__(self, pages: OpenPages, history: History, browsers: OpenBrowsers):
        self._pages, self._history, self._browsers = pages, history, browsers
        self._workspace: Workspace = pages.workspace
        self._tabs: Mapping[str, Tab] = pages.tabs

    def changed(self, workspace: Workspace) -> None:
        """Have all pages and browsers show data sets that changed."""
        self._pages.follow()
        self._browsers.show("sets", "current", "table", "problem", "removed")

    def rows_arrived(self) -> None:
        """Have the pages of the file that is followed show rows that arrived."""
        for live in self._pages.open:
            if live.page.shows_live:
                live.change("rows", partial(self._show_rows, live))

    def _show_rows(self, live: LivePage) -> None:
        if live.page.data_key == FOLLOWED:
            live.page.refresh()
        elif self._workspace.current == FOLLOWED:  # there were too few before
            live.page.follow(FOLLOWED)

    def refresh(self, gesture: Message) -> None:
        """Read the store again as the Data menu opens: another process may have changed it."""
        self._workspace.changes.refresh()
        self._browsers.show("sets", "where", "problem", "removed")

    def choose(self, gesture: Message) -> Message:
        """Take a data set into view, on a page that takes it."""
        key, name = str(gesture["data"]), str(gesture.get("on", ""))
        self._history.change_data("the data set", partial(self._workspace.active.choose, key))
        kind = self._workspace.dataset(key).kind
        tab = self._tabs.get(name)
        shows = tab is None or (tab.kind.takes == kind if tab.data_key else kind == "scores")
        first = FIRST_PAGES[kind]
        return {} if shows or first not in self._tabs else {"goto": first}

    def rename(self, gesture: Message) -> None:
        """Give a data set another name."""
        rename = partial(self._workspace.kept.rename, str(gesture["data"]), str(gesture["to"]))
        self._history.change_data("the name of a data set", rename)

    def remove(self, gesture: Message) -> Message:
        """Remove a data set, so that undo can bring it back."""
        key = str(gesture["data"])
        name = self._workspace.dataset(key).name
        remove = partial(self._workspace.kept.remove, key)
        self._history.change_data("the removal of a data set", remove)
        return {"say": f"“{name}” was removed. Undo brings it back."}

    def purge(self, gesture: Message) -> Message:
        """Delete for good what was removed, which makes room."""
        before = self._workspace.storage.size
        self._workspace.kept.purge()
        if self._workspace.storage.may_have_audits:
            self._workspace.audits.purge()
        self._browsers.show("removed")
        free = size_words(max(0, before - self._workspace.storage.size))
        return {"say": f"Deleted for good: {free} are free again."}


def data_sets(workspace: Workspace, sharing: Sharing | None = None) -> list[Message]:
    """What the Data menu shows of the data sets of a workspace.

    Parameters
    ----------
    workspace : Workspace
    sharing : Sharing, optional
        What others read of it.
    """
    current = workspace.current or ""
    draw = current if current.startswith(DRAW) else FIRST_DRAW
    table = workspace.current_table or ""
    drawn = table if table.startswith(DRAWN_TABLE) else DrawnTableSource().key
    others = workspace.catalog.owned  # once: somebody may share more meanwhile
    owners = {one.key: owner for one, owner in others}
    shared = set() if sharing is None else set(sharing.shared(DATA))
    groups = {
        "own": workspace.catalog.own,
        "lent": [one for one, owner in others if owner],
        "shared": [one for one, owner in others if not owner],
        "example": [workspace.dataset(f"{EXAMPLE}{name}") for name in (*NAMES, *TABLES)],
        "draw": [workspace.dataset(draw), workspace.dataset(drawn)],
    }
    return [
        shown(group, one)
        | ({"owner": owners[one.key]} if group == "lent" else {})
        | ({"shared": True} if group == "own" and one.key in shared else {})
        for group, sets in groups.items()
        for one in sets
    ]


def removed(workspace: Workspace) -> int:
    """Data sets that were removed and are not yet deleted for good."""
    return sum(one.removed is not None for one in workspace.kept.snapshot().entries.values())


def first_data_set(workspace: Workspace, key: str) -> dict[str, Any]:
    """What the Data menu shows of the data set that a page begins with."""
    return shown("draw" if key.startswith(DRAW) else "example", workspace.dataset(key))


def shown(group: str, one: DataSet) -> dict[str, Any]:
    """What the Data menu shows of a data set of one of its groups."""
    personal = group in ("own", "lent")
    return {
        "key": one.key,
        "name": one.name,
        "group": group,
        "size": one.size,
        "source": one.describe() if personal else one.source.describe(),
        "when": one.created.isoformat() if personal else "",
        "sha256": "" if following_of(one) else one.sha256,
        "kind": one.kind,
    }
