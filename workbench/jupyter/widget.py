"""`PageWidget`: the controls and the board of a page in a notebook, while the kernel lives.

``widget.js`` draws it. What people do comes in messages, not in fields, so that nothing is lost
while a cell runs. plotly.js is not part of the state either: the first widget of a notebook's page
asks for it, so that it is sent once and never saved. So are files of charts, texts of numbers, and
the address at which the dashboard shows the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from workbench import _json
from workbench.assets import board as assets
from workbench.assets import share
from workbench.assets.controls import Controls
from workbench.assets.packed import PLOTLY
from workbench.assets.scripts import one_module
from workbench.jupyter.parts import Brief
from workbench.pages.core.page import Section
from workbench.pages.core.session import PageSession

#: CSS classes of a view's widget, of a board whose charts are drawn, and of its snapshot.
VIEW, LIVE, STILL = "wb-view", "wb-live", "wb-still"

#: What a board loads when it is used.
MODULES = ("chart_menu.js", "copy.js")


def style() -> str:
    """The style sheet of a view: palettes, controls, the board, what differs in a notebook."""
    light, dark = assets.palettes()
    files = (assets.HERE / "controls.css", assets.STYLE, Path(__file__).parent / "notebook.css")
    palettes = f'.{VIEW}{{{light}}}[data-jp-theme-light="false"] .{VIEW}{{{dark}}}'
    return palettes + "".join(file.read_text(encoding="utf-8") for file in files)


class PageWidget(anywidget.AnyWidget):
    """A page in a notebook; `page_widget` adds a field for each item, job and control.

    Parameters
    ----------
    session : PageSession
        Its items are shown on the board.
    controls : Controls
        The controls beside it.
    address : callable, optional
        Returns the address at which the dashboard shows the page; its button is left out by
        default.
    **state
        The constant fields.
    """

    _esm = one_module(assets.HERE / "widget.js")
    _css = style()

    frame = traitlets.Dict().tag(sync=True)
    sections: Any = traitlets.List().tag(sync=True)
    opens = traitlets.Bool(False).tag(sync=True)
    message = traitlets.Unicode("").tag(sync=True)
    busy = traitlets.Bool(False).tag(sync=True)
    handled = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        session: PageSession,
        controls: Controls,
        address: Callable[[], str] | None = None,
        **state: Any,
    ):
        self._session, self._controls, self._address = session, controls, address or str
        self._uploads: dict[str, list[tuple[str, int, bytearray]]] = {}
        super().__init__(
            sections=controls.sections(), opens=address is not None, **state, **self._states()
        )
        self.on_msg(self._receive)

    def show(self, contents: dict[str, str], handled: int) -> None:
        """Show new contents of items, and the state of the page in all else.

        Parameters
        ----------
        contents : dict of str to str
            Names of items, and what was drawn as JSON.
        handled : int
            Serial number of the last gesture that was carried out.
        """
        with self.hold_sync():
            for name, text in contents.items():
                self.set_trait(f"item_{name}", text)
            for field, text in self._states().items():
                self.set_trait(field, text)
            self.message = self._session.page.message
            self.handled = handled
            self.busy = False

    def close(self) -> None:
        """Free the widget, here and in the browser."""
        self.layout.close()
        super().close()

    def _states(self) -> dict[str, str]:
        """The fields of jobs and controls."""
        jobs = assets.jobs(self._session.page)
        return {name: text for name, text in jobs.items() if self.has_trait(name)} | {
            f"control_{name}": _json.dumps(state) for name, state in self._controls.states().items()
        }

    def _receive(self, _: Any, content: dict[str, Any], buffers: list[Any]) -> None:
        kind = content.get("kind")
        if kind == "plotly":
            self.send({"kind": "plotly"}, [PLOTLY.packed])
        elif kind == "gesture":
            self._take(content["gesture"], buffers)
        elif kind == "ask" and content.get("name") in MODULES:
            self._answer(content, (assets.HERE / content["name"]).read_bytes())
        elif kind == "ask":  # after what people did before
            question = ("ask", content.get("id"))
            self._session.queue.post(question, partial(self._look_up, content))

    # -- gestures ----------------------------------------------------------------------------------

    def _take(self, gesture: dict[str, Any], buffers: list[Any]) -> None:
        if gesture["kind"] == "files" and gesture["name"] in self._controls.names():
            files = [(name, size, bytearray()) for name, size in gesture["files"]]
            self._uploads[gesture["name"]] = files
        elif gesture["kind"] == "chunk":
            self._uploads[gesture["name"]][gesture["file"]][2].extend(buffers[0])
        else:
            self._session.receive(gesture)
            return
        name = gesture["name"]
        asked: tuple[Any, Callable[[], None]] = ("chunk", gesture["serial"]), lambda: None
        if all(len(content) >= size for _, size, content in self._uploads[name]):
            files = self._uploads.pop(name)
            value = tuple((file, bytes(content)) for file, _, content in files)
            asked = name, partial(self._session.assign, name, value)
        self._session.perform(asked, gesture["serial"])

    # -- questions ---------------------------------------------------------------------------------

    def _answer(self, question: dict[str, Any], content: bytes = b"", **answer: Any) -> None:
        self.send({"kind": "answer", "id": question["id"], **answer}, [content])

    def _look_up(self, question: dict[str, Any]) -> None:
        if question.get("what") == "address":
            found = ""
            try:
                found = self._address()
            finally:  # the tab that waits for it is closed; the page says why
                self._answer(question, address=found)
            return
        try:
            item = self._session.items[question["item"]]
            if question["what"] == "texts":
                self._answer(question, texts=share.number_texts(self._session.page, item))
                return
            kind = question["as"]
            more = {name: question[name] for name in ("width", "family") if name in question}
            content = share.figure_file(self._session.page, item, kind, **more)
            file = {"name": f"{item.name}.{kind}", "type": share.FIGURE_KINDS[kind]}
            self._answer(question, content, **file)
        except Exception as error:  # an answer comes whatever happens
            self._answer(question, error=str(error))


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
    session : PageSession
        Its items are shown on the board.
    sections : list of Section
        The controls beside it.
    identity : str
        Ties the board to the snapshot that stands in for it.
    address : callable, optional
        See `PageWidget`.
    brief : Brief, optional
        What is shown first; everything by default.
    """
    controls = Controls(session.page, sections)
    frame = assets.frame(type(session.page))
    for kind in ("figures", "numbers", "sentences"):
        frame[kind] = [texts for texts in frame[kind] if texts["name"] in session.items]
    offered = controls.names()
    frame["jobs"] = [texts for texts in frame["jobs"] if texts["name"] in offered]
    fields = (
        *(f"item_{name}" for name in session.items),
        *(f"job_{texts['name']}" for texts in frame["jobs"]),
        *(f"control_{name}" for name in controls.states()),
    )
    frame |= {"view": identity} | ({"brief": asdict(brief)} if brief else {})
    return _with_fields(fields)(session, controls, address, frame=frame)


@cache
def _with_fields(fields: tuple[str, ...]) -> type[PageWidget]:
    """The type of widget with these fields, each of which is synced when it changes."""
    traits = {field: traitlets.Unicode("").tag(sync=True) for field in fields}
    return type("PageWidget", (PageWidget,), traits)
