"""`PageWidget`: the controls and the board of a page in a notebook, while the kernel lives."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from workbench.assets.board import HERE
from workbench.assets.scripts import one_module
from workbench.pages.core.page import Section
from workbench.pages.core.session import PageSession
from workbench.software.extras import require
from workbench.views.messages import VIEW, BoardMessages, style
from workbench.views.parts import Brief

for _package in ("ipywidgets", "anywidget"):
    require(_package, "Live widgets in a notebook need")

import anywidget  # noqa: E402
import traitlets  # noqa: E402


class PageWidget(anywidget.AnyWidget):
    """A page in a notebook; `page_widget` adds a field for each item, job and control."""

    _esm = one_module(HERE / "widget.js")
    _css = style(dark=f'[data-jp-theme-light="false"] .{VIEW}')

    frame = traitlets.Dict().tag(sync=True)
    sections: Any = traitlets.List().tag(sync=True)
    opens = traitlets.Bool(False).tag(sync=True)
    message = traitlets.Unicode("").tag(sync=True)
    busy = traitlets.Bool(False).tag(sync=True)
    handled = traitlets.Int(0).tag(sync=True)

    _session: PageSession
    _messages: BoardMessages

    def present(self, contents: dict[str, str], handled: int) -> None:
        """Show new contents of items, and the state of the page in all else.

        Parameters
        ----------
        contents : dict of str to str
            Names of items, and what was drawn as JSON.
        handled : int
            Serial number of the last gesture that was carried out.
        """
        with self.hold_sync():
            for field, text in self._messages.fields(contents).items():
                self.set_trait(field, text)
            self.message = self._session.page.message
            self.handled = handled
            self.busy = False

    def close(self) -> None:
        """Free the widget, here and in the browser."""
        self.layout.close()
        super().close()

    def _receive(self, _: Any, content: dict[str, Any], buffers: list[Any]) -> None:
        self._messages.receive(content, buffers)


def page_widget(
    session: PageSession,
    sections: list[Section],
    identity: str,
    address: Callable[[], str] | None = None,
    brief: Brief | None = None,
) -> PageWidget:
    """The widget of a page.

    Parameters
    ----------
    session, sections, identity, address, brief
        See `BoardMessages`.
    """

    def send(content: dict[str, Any], buffers: list[bytes]) -> None:
        widget.send(content, buffers)

    messages = BoardMessages(session, sections, send, identity, address, brief)
    items = (f"item_{name}" for name in session.items)
    state = messages.fields({})
    widget = _with_fields((*items, *state))(**messages.constant, **state)
    widget._session, widget._messages = session, messages
    widget.on_msg(widget._receive)
    return widget


@cache
def _with_fields(fields: tuple[str, ...]) -> type[PageWidget]:
    """The type of widget with these fields, each of which is synced when it changes."""
    traits = {field: traitlets.Unicode("").tag(sync=True) for field in fields}
    return type("PageWidget", (PageWidget,), traits)
