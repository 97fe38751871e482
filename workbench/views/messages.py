"""`BoardMessages`: what a browser and a page say to each other, whoever carries it.

``widget.js`` draws the controls and the board from fields. What people do comes in messages, so
that nothing is lost while a cell runs. plotly.js is no field either: the first board of a document
asks for it, so that it is sent once and never saved. So are the scripts that a board loads when it
is used, files of charts, texts of numbers, and the address at which the dashboard shows the page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

from workbench import _json
from workbench.assets import board as assets
from workbench.assets import share
from workbench.assets.controls import Controls
from workbench.assets.packed import PLOTLY
from workbench.assets.scripts import one_module
from workbench.pages.core.page import Section
from workbench.pages.core.session import PageSession
from workbench.pages.core.upload import offered_file
from workbench.views.parts import Brief

#: CSS classes of a view, of a board whose charts are drawn, and of the picture that stands in.
VIEW, LIVE, STILL = "wb-view", "wb-live", "wb-still"

#: What may be asked for by name: what a host loads first, and what a board loads when it is used.
MODULES = ("widget.js", "chart_menu.js", "copy.js")

#: ``send(content, buffers)`` sends a message to the browser.
Send = Callable[[dict[str, Any], list[bytes]], Any]


@cache
def style(dark: str) -> str:
    """The style sheet of a view: palettes, controls, the board, what differs beside other things.

    Parameters
    ----------
    dark : str
        The selector of a view that is dark.
    """
    light_palette, dark_palette = assets.palettes()
    files = (assets.HERE / "controls.css", assets.STYLE, Path(__file__).parent / "view.css")
    palettes = f".{VIEW}{{{light_palette}}}{dark}{{{dark_palette}}}"
    return palettes + "".join(file.read_text(encoding="utf-8") for file in files)


class BoardMessages:
    """The fields of a board and its controls, and the answers to what a browser sends.

    Parameters
    ----------
    session : PageSession
        Its items are shown on the board.
    sections : list of Section
        The controls beside it.
    send : callable
        See `Send`.
    identity : str
        Ties the board to the picture that stands in for it.
    address : callable, optional
        Returns the address at which the dashboard shows the page; its button is left out by
        default.
    brief : Brief, optional
        What is shown first; everything by default.
    """

    def __init__(
        self,
        session: PageSession,
        sections: list[Section],
        send: Send,
        identity: str = "",
        address: Callable[[], str] | None = None,
        brief: Brief | None = None,
    ):
        self._session, self._send, self._address = session, send, address or str
        self._controls = Controls(session.page, sections)
        self._uploads: dict[str, list[tuple[str, int, bytearray]]] = {}
        frame = assets.frame(type(session.page))
        for kind in ("figures", "numbers", "sentences"):
            frame[kind] = [texts for texts in frame[kind] if texts["name"] in session.items]
        offered = self._controls.names()
        frame["jobs"] = [texts for texts in frame["jobs"] if texts["name"] in offered]
        frame |= {"view": identity} | ({"brief": asdict(brief)} if brief else {})
        self._jobs = {f"job_{texts['name']}" for texts in frame["jobs"]}
        #: The fields that never change.
        self.constant: dict[str, Any] = {
            "frame": frame,
            "sections": self._controls.sections(),
            "opens": address is not None,
        }

    def fields(self, contents: dict[str, str]) -> dict[str, str]:
        """The fields of jobs and controls, after those of new contents of items.

        Parameters
        ----------
        contents : dict of str to str
            Names of items, and what was drawn as JSON.
        """
        jobs = assets.jobs(self._session.page)
        return (
            {f"item_{name}": text for name, text in contents.items()}
            | {name: text for name, text in jobs.items() if name in self._jobs}
            | {f"control_{n}": _json.dumps(s) for n, s in self._controls.states().items()}
        )

    def receive(self, content: dict[str, Any], buffers: Sequence[bytes | memoryview]) -> None:
        """Take a message of the browser.

        Parameters
        ----------
        content : dict
            The message.
        buffers : sequence of bytes
            Files that came with it.
        """
        kind = content.get("kind")
        if kind == "plotly":
            self._send({"kind": "plotly"}, [PLOTLY.packed])
        elif kind == "gesture":
            self._take(content["gesture"], buffers)
        elif kind == "ask" and content.get("name") in MODULES:
            self._answer(content, one_module(assets.HERE / content["name"]).encode())
        elif kind == "ask":  # after what people did before
            question = ("ask", content.get("id"))
            self._session.queue.post(question, partial(self._look_up, content))

    # -- gestures ----------------------------------------------------------------------------------

    def _take(self, gesture: dict[str, Any], buffers: Sequence[bytes | memoryview]) -> None:
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
        self._send({"kind": "answer", "id": question["id"], **answer}, [content])

    def _look_up(self, question: dict[str, Any]) -> None:
        if question.get("what") == "address":
            found = ""
            try:
                found = self._address()
            finally:  # the tab that waits for it is closed; the page says why
                self._answer(question, address=found)
            return
        try:
            if question["what"] == "offered":
                self._offer(question)
                return
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

    def _offer(self, question: dict[str, Any]) -> None:
        """Answer with a file of the page; a KeyError or ValueError where there is none."""
        page, control = self._session.page, question["control"]
        made = offered_file(page, control)
        found: Any = page.param[control]
        self._answer(question, made.content, name=made.name, type=found.media_type)
