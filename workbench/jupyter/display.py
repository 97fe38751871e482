"""`Display`: a view in the output of a cell, as live widgets and as a picture beside them."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from workbench.jupyter.snapshot import Snapshot
from workbench.pages.core.page import Item, Section
from workbench.pages.core.session import PageSession
from workbench.views.parts import Brief

_WIDGET = "application/vnd.jupyter.widget-view+json"


class Display:
    """Mixin of `View`: shows the items of a session in a notebook.

    Parameters
    ----------
    session : PageSession
        The page and its items.
    sections : list of Section
        The controls beside the board.
    address : callable, optional
        See `BoardMessages`.
    brief : Brief, optional
        What the live widget shows first; everything by default. The picture always has all.
    """

    def __init__(
        self,
        session: PageSession,
        sections: list[Section],
        address: Callable[[], str] | None = None,
        brief: Brief | None = None,
    ):
        self._session, self._sections, self._address = session, sections, address
        self._brief = brief
        self._identity = uuid.uuid4().hex[:12]
        self._snapshot = Snapshot(self._identity)
        self._live: Any = None
        #: Name of an item -> what the page drew, and its JSON for the board.
        self._contents: dict[str, tuple[Any, str]] = {}
        self._displayed, self._noted = False, self._notes()

    @property
    def widget(self) -> Any:
        """The live widget, to lay out beside others."""
        if self._live is None:
            from workbench.jupyter.widget import page_widget  # needs ipywidgets

            self._draw()
            self._live = page_widget(
                self._session, self._sections, self._identity, self._address, self._brief
            )
            self._live.present({name: text for name, (_, text) in self._contents.items()}, 0)
        return self._live

    def freeze(self) -> None:
        """Write the present state into the cell as a picture, and free the widget."""
        self._refresh()
        self.close()

    def close(self) -> None:
        """Free the widget."""
        if self._live is not None:
            self._live.close()
            self._live = None

    def _ipython_display_(self) -> None:
        # JupyterLab shows an error in place of a widget that is gone, whatever else the output
        # holds, so the picture is an output of its own; its style sheet shows one of the two.
        from IPython.display import HTML, display

        widget = {_WIDGET: self._widget_view(), "text/plain": ""}
        display(widget, raw=True)
        display(HTML(self._picture()), display_id=self._identity)
        self._displayed = True

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return {
            _WIDGET: self._widget_view(),
            "text/html": self._picture(),
            "text/plain": repr(self),
        }

    def _widget_view(self) -> dict[str, Any]:
        return {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}

    def _picture(self) -> str:
        self._draw()
        known = self._contents
        drawn = [(item, *known[item.name]) for item in self._items if item.name in known]
        return self._snapshot.html(self._session.page.message, self._notes(), drawn)

    def _refresh(self) -> None:
        """Bring the picture up to date."""
        if self._displayed:
            from IPython.display import HTML, update_display

            update_display(HTML(self._picture()), display_id=self._identity)

    @property
    def _items(self) -> list[Item]:
        return list(self._session.items.values())

    def _notes(self) -> list[str]:
        """The states of the jobs that were started."""
        page = self._session.page
        states = [(job.title, page.work.state(job.name).words) for job in page.jobs().values()]
        return [f"{title}: {words}" for title, words in states if words]

    def _draw(self) -> None:
        raise NotImplementedError
