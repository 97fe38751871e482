"""`PageComponent`: the controls and the board of a page as a component of Panel.

All views have this one class, whose changes come in messages: Panel makes a type of model for each
class of components, and sends all of them to every document.
"""

from __future__ import annotations

import gzip
from functools import cache
from typing import Any

import param

from workbench.assets.board import HERE
from workbench.assets.scripts import one_module
from workbench.pages.core.page import Section
from workbench.pages.core.session import PageSession
from workbench.software.extras import MissingPackage, require
from workbench.software.private_names import send_to_browser
from workbench.views.messages import VIEW, BoardMessages, style
from workbench.views.parts import Brief

#: The oldest Panel whose components have what this one uses.
OLDEST = (1, 9)


def _check(found: str) -> None:
    """Raise a `MissingPackage` for a version of Panel that is too old."""
    if tuple(int(part) for part in found.split(".")[:2]) < OLDEST:
        need = ".".join(map(str, OLDEST))
        raise MissingPackage(
            f"views need Panel {need} or newer, and {found} is installed; "
            f"run: pip install --upgrade 'panel>={need}'",
            name="panel",
        )


_check(require("panel", "Views in Panel and wb.dashboard need").__version__)

from panel.config import config  # noqa: E402
from panel.custom import JSComponent  # noqa: E402

#: What a component can look like, whatever Panel's theme is.
THEMES = ("light", "dark")


@cache
def _front() -> tuple[str, bytes]:
    """The style sheet, and the script with all that it imports, compressed."""
    sheet = style(dark=f'.{VIEW}[data-theme="dark"]')
    return sheet, gzip.compress(one_module(HERE / "widget.js").encode(), mtime=0)


class PageComponent(JSComponent):
    """A page, or a part of it, in a document of Panel; `page_component` makes it."""

    _esm = HERE / "panel_host.js"

    state = param.Dict({}, doc="The fields of ``widget.js``, and their version.")
    theme: Any = param.Selector(default="", objects=["", *THEMES], doc="That of Panel if empty.")

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
        rest = {"message": self._session.page.message, "handled": handled, "busy": False}
        self._change(self._messages.fields(contents) | rest)

    @property
    def busy(self) -> bool:
        """Whether the board says that the page is at work."""
        return bool(self.state["fields"]["busy"])

    @busy.setter
    def busy(self, on: bool) -> None:
        self._change({"busy": on})

    def _change(self, fields: dict[str, Any]) -> None:
        """Send the fields that changed."""
        known, version = self.state["fields"], self.state["version"] + 1
        changed = {name: value for name, value in fields.items() if known.get(name) != value}
        if changed:
            with param.discard_events(self):  # a document that is made later has all of it
                self.state = {"fields": known | changed, "version": version}
            send_to_browser(self, {"kind": "fields", "fields": changed, "version": version})

    def _receive(self, event: Any) -> None:
        message = dict(event.data)
        buffers = message.pop("buffers", ())
        if message["kind"] == "state":
            send_to_browser(self, {"kind": "fields", **self.state})
        elif message["kind"] == "front":
            sheet, script = _front()
            send_to_browser(self, {"kind": "front", "style": sheet, "buffers": [script]})
        else:
            self._messages.receive(message, buffers)


def page_component(
    session: PageSession, sections: list[Section], brief: Brief | None = None
) -> PageComponent:
    """The component of a page.

    Parameters
    ----------
    session, sections, brief
        See `BoardMessages`.
    """

    def send(content: dict[str, Any], buffers: list[bytes]) -> None:
        send_to_browser(component, {**content, "buffers": buffers})

    messages = BoardMessages(session, sections, send, brief=brief)
    fields = {
        **messages.constant,
        **messages.fields({}),
        "message": "",
        "handled": 0,
        "busy": False,
    }
    component = PageComponent(
        state={"fields": fields, "version": 0},
        theme=_theme(),
        sizing_mode="stretch_width",
        margin=(5, 10),
    )
    component._session, component._messages = session, messages
    component.on_msg(component._receive)
    return component


def _theme() -> str:
    """Dark if Panel says so; else the browser looks at the text around the component."""
    return "dark" if config.theme == "dark" else ""
