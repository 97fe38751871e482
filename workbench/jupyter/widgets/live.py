"""`Live`: the widgets of a view, its controls beside its board."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import ipywidgets as widgets

from workbench.assets import board as assets
from workbench.assets import share
from workbench.jupyter.widgets.board import VIEW, board_type
from workbench.jupyter.widgets.controls import Group
from workbench.jupyter.widgets.opener import Opener
from workbench.pages.core.page import Section
from workbench.pages.core.session import PageSession


class Live:
    """The controls and the board of a view, while the kernel lives.

    Parameters
    ----------
    session : PageSession
        Its items are shown on the board.
    sections : list of Section
        The controls beside it.
    identity : str
        Ties the board to the picture that stands in for it.
    address : callable, optional
        Returns the address at which the dashboard shows the page; its button is left out by
        default.
    """

    def __init__(
        self,
        session: PageSession,
        sections: list[Section],
        identity: str,
        address: Callable[[], str] | None = None,
    ):
        self.page = session.page
        names = tuple(session.items)
        frame = assets.frame(type(self.page))
        for kind in ("figures", "numbers", "sentences"):
            frame[kind] = [texts for texts in frame[kind] if texts["name"] in names]
        offered = [control.name for section in sections for control in section.controls]
        frame["jobs"] = [texts for texts in frame["jobs"] if texts["name"] in offered]
        self._jobs = tuple(f"job_{texts['name']}" for texts in frame["jobs"])
        fields = (*(f"item_{name}" for name in names), *self._jobs)
        self.board = board_type(fields)(frame={**frame, "view": identity})
        self.board.observe(lambda change: session.receive(change.new), "gesture")
        self.board.answer = self._answer
        self._session = session
        self.groups = [Group(session, section) for section in sections]
        opener = [] if address is None else [_opener(session, address)]
        controls = widgets.VBox([*(group.widget for group in self.groups), *opener])
        controls.add_class("wb-controls")
        self.box = widgets.HBox([controls, self.board] if sections else [self.board])
        self.box.add_class(VIEW)

    def show(self, contents: dict[str, str], handled: int) -> None:
        """Hand new contents to the board, and make the controls follow the page.

        Parameters
        ----------
        contents : dict of str to str
            Names of items, and what was drawn as JSON.
        handled : int
            Serial number of the last gesture that was carried out.
        """
        jobs = assets.jobs(self.page)
        with self.board.hold_sync():
            for name, text in contents.items():
                self.board.set_trait(f"item_{name}", text)
            for name in self._jobs:
                self.board.set_trait(name, jobs[name])
            self.board.message = self.page.message
            self.board.handled = handled
            self.board.busy = False
        for group in self.groups:
            group.show()

    def _answer(self, question: dict[str, Any]) -> None:
        """Answer what the board asks for, after what people did before."""
        self._session.queue.post(("ask", question.get("id")), partial(self._look_up, question))

    def _look_up(self, question: dict[str, Any]) -> None:
        try:
            item = self._session.items[question["item"]]
            if question["what"] == "texts":
                self.board.send_answer(question, texts=share.number_texts(self.page, item))
            else:
                kind, more = (
                    question["as"],
                    {n: question[n] for n in ("width", "family") if n in question},
                )
                content = share.figure_file(self.page, item, kind, **more)
                file = {"name": f"{item.name}.{kind}", "type": share.FIGURE_KINDS[kind]}
                self.board.send_answer(question, content, **file)
        except Exception as error:  # an answer comes whatever happens
            self.board.send_answer(question, error=str(error))

    def close(self) -> None:
        """Free the widgets, here and in the browser."""
        for widget in _all(self.box):
            widget.close()


def _opener(session: PageSession, address: Callable[[], str]) -> Opener:
    """The button that opens the page in the dashboard."""

    def look_up() -> None:
        found = ""
        try:
            found = address()
        finally:
            opener.answer(found)

    opener = Opener(lambda: session.queue.post("open", look_up))
    return opener


def _all(widget: Any) -> list[Any]:
    parts = [part for child in getattr(widget, "children", ()) for part in _all(child)]
    own = [getattr(widget, name, None) for name in ("layout", "style")]
    return [*parts, widget, *(one for one in own if one is not None)]
