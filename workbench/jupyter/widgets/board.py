"""`Board`: the widget around ``board.js``, and plotly.js for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from workbench.assets import board as assets
from workbench.assets.packed import PLOTLY

#: CSS classes of a view's widget, of a board whose charts are drawn, and of its picture.
VIEW, LIVE, STILL = "wb-view", "wb-live", "wb-still"

#: What a board loads when it is used.
MODULES = ("chart_menu.js", "copy.js")


def style() -> str:
    """The style sheet of a view: palettes, the board, and the differences in a notebook."""
    light, dark = assets.palettes()
    own = (Path(__file__).parent / "notebook.css").read_text(encoding="utf-8")
    palettes = f'.{VIEW}{{{light}}}[data-jp-theme-light="false"] .{VIEW}{{{dark}}}'
    return palettes + assets.STYLE.read_text(encoding="utf-8") + own


class Board(anywidget.AnyWidget):
    """Widget that ``board.js`` draws; `board_type` adds a trait for each item and job of a page.

    plotly.js is not part of its state: the first board on a notebook's page asks for it in a
    message, so that it is sent once and never saved. So are files of charts and texts of numbers.

    Attributes
    ----------
    answer : callable
        ``answer(question)`` sends what the board asks for with `send_answer`.
    """

    _esm = assets.SCRIPT
    _css = style()

    frame = traitlets.Dict().tag(sync=True)
    message = traitlets.Unicode("").tag(sync=True)
    busy = traitlets.Bool(False).tag(sync=True)
    handled = traitlets.Int(0).tag(sync=True)
    gesture = traitlets.Dict().tag(sync=True)

    def __init__(self, **state: Any):
        super().__init__(**state)
        self.answer: Callable[[dict[str, Any]], None] = lambda question: None
        self.on_msg(self._hand_over)

    def send_answer(self, question: dict[str, Any], content: bytes = b"", **answer: Any) -> None:
        """Answer a question of the board.

        Parameters
        ----------
        question : dict
        content : bytes
            A file.
        **answer
            JSON values.
        """
        self.send({"kind": "answer", "id": question["id"], **answer}, [content])

    def _hand_over(self, _: Any, content: dict[str, Any], buffers: Any) -> None:
        if content.get("kind") == "plotly":
            self.send({"kind": "plotly"}, [PLOTLY.packed])
        elif content.get("kind") == "ask" and content.get("name") in MODULES:
            self.send_answer(content, (assets.HERE / content["name"]).read_bytes())
        elif content.get("kind") == "ask":
            self.answer(content)


@cache
def board_type(fields: tuple[str, ...]) -> type[Board]:
    """The `Board` class with these fields, each of which is synced when it changes."""
    traits = {field: traitlets.Unicode("").tag(sync=True) for field in fields}
    return type("Board", (Board,), traits)
