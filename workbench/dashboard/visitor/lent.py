"""`LentDataSets`: what others share with a visitor, and what happens when they no longer do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from workbench.dashboard.live_page import LivePage
from workbench.dashboard.sharing import Sharing
from workbench.dashboard.tab import IMPORT
from workbench.dashboard.visitor.browsers import OpenBrowsers
from workbench.dashboard.visitor.import_step import ImportStep
from workbench.dashboard.visitor.pages import OpenPages, data_choices
from workbench.pages.core.page import Page
from workbench.workspaces.dataset import DataSet


class LentDataSets:
    """The data sets that others share with a visitor."""

    def __init__(
        self,
        sharing: Sharing,
        pages: OpenPages,
        importing: ImportStep,
        browsers: OpenBrowsers,
        after: Callable[[Callable[[], None]], None],
    ):
        self._sharing, self._pages, self._importing = sharing, pages, importing
        self._browsers, self._after = browsers, after
        self._lent: Mapping[str, tuple[str, str, DataSet]] = {}
        sharing.listen(self._refresh_soon)
        after(self._begin)

    def end(self) -> None:
        """Hear of no more changes."""
        self._sharing.unlisten(self._refresh_soon)

    def _begin(self) -> None:
        self._lent = self._sharing.lent()

    def _refresh_soon(self) -> None:
        self._after(self._refresh)

    def _refresh(self) -> None:
        """Show what is shared now; pages let go of what is not."""
        before, self._lent = self._lent, self._sharing.lent()
        gone = set(before) - set(self._lent)
        pages = self._pages.open if gone else []
        for live in pages:
            live.change("end jobs", partial(_end_jobs, live.page, gone))
        if before != self._lent:
            self._pages.workspace.changes.announce()  # pages follow to what they begin with
        else:
            self._browsers.show("sets")
        for live in pages:
            live.change("let go", partial(self._let_go, live, gone))
        news = [
            *(f"“{before[key][0]}” is no longer shared with you." for key in sorted(gone)),
            *(
                f"{owner} shares “{name}” with you."
                for key, (name, owner, _) in self._lent.items()
                if key not in before
            ),
        ]
        more = {"say": " ".join(news)} if news else {}
        self._browsers.tell(audits={"changed": True}, **more)

    def _let_go(self, live: LivePage, gone: set[str]) -> None:
        """Have a page show what it begins with, instead of data sets that are gone."""
        if live.name == IMPORT:
            self._importing.end_without(live, gone)
            return
        page = live.page
        lost = {n: page.param[n].default for n in data_choices(page) if getattr(page, n) in gone}
        if lost:
            page.param.update(**lost)
            page.message = ""


def _end_jobs(page: Page, gone: set[str]) -> None:
    """End the jobs of a page that shows data sets that are gone: they hold the data."""
    if any(getattr(page, name) in gone for name in data_choices(page)):
        page.work.end()
