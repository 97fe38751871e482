"""Draws one page for one person: its controls, its board, and what changes on them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import panel as pn
import param
from panel.custom import AnyWidgetComponent

from workbench.assets import board as assets
from workbench.dashboard.controls import DEBOUNCE, Group
from workbench.dashboard.worker import Worker
from workbench.pages.base import Fact, Item, Page
from workbench.pages.controls import hold, snap

logger = logging.getLogger(__name__)

#: Seconds after which waiting people are told that the page is at work.
PATIENCE = 0.3

PLOTLY = "./plotly/plotly.min.js"


class Script(AnyWidgetComponent):
    """A component of our own; all are of this one kind, which Panel does not mix with others."""

    _debounce = DEBOUNCE

    __abstract = True

    @classmethod
    def _process_importmap(cls) -> dict[str, Any]:
        return {}  # the inherited one names another host


class Board(Script):
    """The board in Panel; `board_type` adds one parameter per item and job of a page."""

    frame = param.Dict({}, doc="What the page holds and never changes.")
    message = param.String("", doc="The page's message.")
    busy = param.Boolean(False, doc="Whether people have waited for `PATIENCE`.")
    handled = param.Integer(0, doc="Serial of the last gesture that was answered.")
    plotly = param.String(PLOTLY, doc="Where the browser finds plotly.js.")
    gesture = param.Dict({}, doc="What a person did last: a drag, a click, a job's button.")

    _esm = assets.SCRIPT

    __abstract = True


@cache
def board_type(page: type[Page]) -> type[Board]:
    """The board of a kind of page: every item is synced by itself, and only when it changed."""
    items = [*page.figures(), *page.numbers(), *page.sentences()]
    fields = {f"item_{item.name}": param.String("", doc=item.title) for item in items}
    fields |= {f"job_{job.name}": param.String("", doc=job.title) for job in page.jobs().values()}
    return type(f"{page.__name__}Board", (Board,), fields)


#: Seconds without a change after which slow items are drawn, and what they show until then.
REST = 0.3
PENDING = {"number": Fact("…"), "sentence": "…"}


class Drawing:
    """A page as one person sees it.

    Parameters
    ----------
    page : Page
        The person's own page.
    doc : bokeh Document
        The person's session.

    Attributes
    ----------
    board : Board
        Title, message, numbers and charts.
    groups : list of Group
        The controls under their headings.
    """

    def __init__(self, page: Page, doc: Any):
        self.page, self.doc = page, doc
        self.items = {
            item.name: item for item in (*page.figures(), *page.numbers(), *page.sentences())
        }
        self.worker = Worker(after=self._draw)
        self.board = board_type(type(page))(
            frame=assets.frame(type(page)),
            message=page.message,
            sizing_mode="stretch_width",
            stylesheets=[assets.STYLE.read_text(encoding="utf-8")],
        )
        self.groups = [Group(page, section, self._set, self._press) for section in page.controls]
        self._changed = set(page.param)
        self._waiting: set[str] = set()  # slow items that are to be drawn once the page rests
        self._due: set[str] = set()
        self._moves = 0
        self._handled = 0
        self._watcher = page.param.watch(self._note, list(page.param))
        self.board.param.watch(lambda event: self._gesture(event.new), "gesture")
        self.worker.post("draw", lambda: None)
        # What is sent to a browser that is only about to fetch its page is lost there.
        self._held: list[tuple[dict[str, Any], list[Any]]] | None = []
        doc.on_event("document_ready", self._arrived)
        doc.on_session_destroyed(self._end)

    # -- from the person to the page --------------------------------------------------------------

    def _post(self, key: Any, job: Any) -> None:
        self.worker.post(key, partial(self._try, job))
        self.doc.add_timeout_callback(self._show_busy, int(1000 * PATIENCE))

    def _set(self, name: str, value: Any, applied: Callable[[], None] = lambda: None) -> None:
        self._post(name, partial(self._assign, name, value, applied))

    def _press(self, job: str) -> None:
        self._post(("press", job), partial(self.page.press_job, job, self.worker.post))

    def _assign(self, name: str, value: Any, applied: Callable[[], None]) -> None:
        parameter = self.page.param[name]
        applied()
        if isinstance(parameter, param.Event):
            self.page.param.trigger(name)
        elif not isinstance(parameter, param.Number):
            setattr(self.page, name, value)
        elif value is not None:  # an emptied field waits for its number
            setattr(self.page, name, hold(parameter, value))  # the bounds may have moved since

    def _gesture(self, gesture: dict[str, Any]) -> None:
        kind = gesture["kind"]
        if kind == "dismiss":
            self._post("message", partial(setattr, self.page, "message", ""))
        elif kind == "job":
            self._press(gesture["job"])
        elif kind == "click":
            method = self.items[gesture["item"]].click or ""
            self._post("click", partial(getattr(self.page, method), gesture["x"], gesture["y"]))
        else:
            name = self.items[gesture["item"]].drag[gesture["shape"]]
            parameter: Any = self.page.param[name]
            self._set(name, snap(parameter, gesture["x"]))
        self.worker.post("handled", partial(setattr, self, "_handled", gesture["serial"]))

    def _end(self, session_context: Any) -> None:
        """Nobody looks any more."""
        self.page.param.unwatch(self._watcher)
        self.page.end_jobs()

    def _try(self, job: Callable[[], Any]) -> None:
        try:
            job()
        except Exception as error:
            logger.exception("a change of the page failed")
            self.page.message = f"This did not work: {error}"

    # -- from the page to the person --------------------------------------------------------------

    def _note(self, *events: Any) -> None:
        self._changed.update(event.name for event in events)
        if not self.worker.here:
            self.worker.post("draw", lambda: None)

    def _draw(self) -> None:
        """In the worker's thread: draw what changed, then hand it to the session."""
        changed, self._changed = self._changed, set()
        due, self._due = self._due, set()
        contents: dict[str, Any] = {}
        for item in self.items.values():
            moved = bool(self.page.inputs(item) & changed)
            if moved and item.slow:
                self._waiting.add(item.name)
                contents[f"item_{item.name}"] = assets.content(PENDING[item.kind])
            elif moved or item.name in due:
                self._try(partial(self._draw_item, item, contents))
        states = [group.state() for group in self.groups]
        contents |= assets.jobs(self.page)
        news = contents | {"message": self.page.message, "handled": self._handled}
        if self.doc.session_context is not None:  # the session has not ended meanwhile
            self.doc.add_next_tick_callback(partial(self._show, news, states))

    def _draw_item(self, item: Item, contents: dict[str, Any]) -> None:
        contents[f"item_{item.name}"] = assets.content(self.page.draw(item))

    def _arrived(self, event: Any) -> None:
        """The browser has the page: from now on it takes what it is sent."""
        held, self._held = self._held, None
        for news, states in held or ():
            self._show(news, states)

    def _show(self, news: dict[str, Any], states: list[Any]) -> None:
        if self._held is not None:
            self._held.append((news, states))
            return
        with pn.io.hold(self.doc):
            self.board.param.update(busy=False, **news)
            for group, state in zip(self.groups, states, strict=True):
                group.show(state)
        if self._waiting:
            self._moves += 1
            self.doc.add_timeout_callback(partial(self._rest, self._moves), int(1000 * REST))

    def _rest(self, moves: int) -> None:
        """Draw the slow items, unless something moved meanwhile."""
        if moves == self._moves:
            self._due, self._waiting = self._due | self._waiting, set()
            self._post("rest", lambda: None)

    def _show_busy(self) -> None:
        self.board.busy = self.worker.busy
