"""`Links`: links that show a page with its settings and data to others."""

from __future__ import annotations

from functools import partial
from typing import Any

from workbench.dashboard.live_page import LivePage
from workbench.dashboard.tab import IMPORT
from workbench.dashboard.visitor.pages import OpenPages, Settings, data_choices
from workbench.pages.core.gestures import Message
from workbench.workspaces.errors import LinkError
from workbench.workspaces.link import DataReference, PageLink, read_link


class Links:
    """Links to pages: made and opened."""

    def __init__(self, pages: OpenPages):
        self._pages = pages
        #: The link that was opened and the data that are asked for, until there is a data set.
        self.waiting: tuple[PageLink, DataReference] | None = None

    def make(self, gesture: Message) -> Message:
        """A link to a page as it is when all that was done before is."""
        workspace, live = self._pages.workspace, self._pages.live(gesture["link"])
        try:
            settings = self._pages.ask(live.name, lambda live: live.page.settings())
        except TimeoutError:
            raise LinkError("The page is at work. Copy its link once it is done.") from None
        data = {n: workspace.dataset(settings[n]) for n in data_choices(live.page)}
        link = PageLink.of(live.name, settings, data)
        return {"link": link.text(), "needs": [_told(one) for one in link.data if not one.key]}

    def open(self, gesture: Message) -> Message:
        """Show the page of a link, or ask for its data."""
        link = read_link(str(gesture["text"]))
        if link.page not in self._pages.tabs or link.page == IMPORT:
            raise LinkError(f"The link is to a page “{link.page}”, which this version lacks.")
        for reference in link.data:
            if reference.find(self._pages.workspace) is None:
                self.waiting = (link, reference)
                words = (
                    f"The link is about the data set “{reference.name}”, which is not among "
                    "yours. A link holds settings and no data."
                )
                return {"ask": {"words": words, **_told(reference)}}
        return self._use(link)

    def use_with(self, key: str) -> dict[str, Any]:
        """Show the page of the link that waits with a data set, if one does.

        Parameters
        ----------
        key : str
            Of the data set.
        """
        waiting, self.waiting = self.waiting, None
        if waiting is None:
            return {}
        link, reference = waiting
        same = self._pages.workspace.dataset(key).sha256 == reference.sha256
        say = (
            "This is the data set of the link: the SHA-256 is the same."
            if same
            else f"This is not the data set of the link: “{reference.name}” had another "
            "SHA-256. The settings are those of the link, the numbers are not."
        )
        answer = self._use(link, instead=key)
        return {"say": answer.get("say", say) if same else say, "goto": link.page}

    def _use(self, link: PageLink, instead: str = "") -> dict[str, Any]:
        live = self._pages.live(link.page)
        found = {one.parameter: one.find(self._pages.workspace) for one in link.data}
        keys = {name: one.key if one else instead for name, one in found.items()}
        live.change("link", partial(self._set, live, {**link.settings, **keys}))
        for one in link.data:
            mine = found[one.parameter]
            if mine is not None and (choice := one.read_otherwise(mine)):
                say = (
                    f"Your “{mine.name}” has the content of “{one.name}” in the link, but is read "
                    f"in another way: {choice} differs. So do the numbers."
                )
                return {"goto": link.page, "say": say}
        return {"goto": link.page}

    def _set(self, live: LivePage, settings: Settings) -> None:
        lost = self._pages.set_all(live, "link", settings)
        if lost:
            live.page.message = f"These settings of the link could not be used: {', '.join(lost)}."


def _told(reference: DataReference) -> dict[str, Any]:
    """What people are told of data that a link names and does not hold."""
    return {"name": reference.name, "sha256": reference.sha256, "files": list(reference.files)}
