"""`ImportStep`: the page in a dialog, in which a data set is opened or read in another way."""

from __future__ import annotations

from workbench.dashboard.live_page import LivePage
from workbench.dashboard.tab import IMPORT
from workbench.dashboard.visitor.browsers import OpenBrowsers
from workbench.dashboard.visitor.data_sets import FIRST_PAGES
from workbench.dashboard.visitor.history import History
from workbench.dashboard.visitor.links import Links
from workbench.dashboard.visitor.pages import OpenPages
from workbench.pages.core.gestures import Message


class ImportStep:
    """The import step of a visitor, whose page is no part of the history."""

    def __init__(self, pages: OpenPages, links: Links, history: History, browsers: OpenBrowsers):
        self._pages, self._links = pages, links
        self._history, self._browsers = history, browsers
        self._before = pages.workspace.kept.snapshot()
        pages.import_changed = self._changed

    def begin(self, gesture: Message) -> None:
        """Begin the import of new files, or of a data set to read in another way."""
        self.end()
        self._before = self._pages.workspace.kept.snapshot()
        given = {"dataset": str(gesture["data"])} if gesture.get("data") else {}
        self._pages.begin(IMPORT, **given)

    def cancel(self, gesture: Message) -> None:
        """Close the dialog: the data of a link are no longer asked for."""
        self._links.waiting = None
        self.end()

    def end(self) -> None:
        """Let go of the page, and of the files that it holds."""
        self._pages.close(IMPORT)

    def end_without(self, live: LivePage, gone: set[str]) -> None:
        """End the step if its data set is among those that are gone."""
        dataset = getattr(live.page, "dataset", None)
        if dataset is not None and dataset.key in gone:
            self._browsers.tell(imported="")
            self.end()

    def _changed(self, live: LivePage) -> None:
        """Show the data set, once the step has ended with one."""
        key = str(getattr(live.page, "accepted", ""))
        if not key or live.ended:
            return
        workspace = self._pages.workspace
        workspace.active.choose(key)
        self._history.add_data("the data set", self._before)  # what was added or read anew
        first = {"goto": FIRST_PAGES["table"]} if workspace.dataset(key).kind == "table" else {}
        self._browsers.tell(imported=key, **{**first, **self._links.use_with(key)})
