"""One visitor's page: what they do reaches the page, and what changed on it goes back to them.

Messages are JSON texts. To the browser go only the parts that differ from what it has::

    {"number": 3,                                      of the message: a part builds on those before
     "handled": 7,                                     the last gesture that was answered
     "items": {"tradeoff": {"traces": 4, "3": {...}},  a figure's changed traces or layout
               "epsilon": {"all": {...}}},             anything else, whole
     "controls": {"threshold": {...}},                 the controls that changed
     "settings": {"threshold": 0.4}, "jobs": {...}, "message": "", "busy": false}

From the browser come gestures, each with a serial number: ``set`` a parameter, ``drag`` a line,
``click`` into a chart, ``job``, ``dismiss`` the message, ``files`` and their ``chunk``s, and
``restore`` the settings of a page whose connection was lost.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any

import param

from workbench.assets import board as assets
from workbench.assets.controls import Controls
from workbench.dashboard.files import Receiver, UploadError
from workbench.dashboard.worker import Worker, calm
from workbench.pages.core.page import Fact, Item, Page
from workbench.pages.core.sliders import snap, taken
from workbench.pages.core.state import same
from workbench.pages.core.upload import Upload

logger = logging.getLogger(__name__)

#: Seconds after which waiting people are told that the page is at work.
PATIENCE = 0.3

#: Seconds without a change after which slow items are drawn, and what they show until then.
REST = 0.3
PENDING = {"number": Fact("…"), "sentence": "…"}

#: ``later(seconds, call)``: have ``call`` run on the event loop.
Later = Callable[[float, Callable[[], None]], Any]


@dataclass(frozen=True)
class FirstState:
    """A page as every visitor first meets it, drawn once.

    Attributes
    ----------
    text : str
        Its frame, items, controls and settings as JSON.
    sent : dict
        Hashes of what the text holds.
    drawn_from : dict of str to tuple
        What each item was drawn from; see `workbench.pages.core.page.Page.drawn_from`.
    """

    text: str
    sent: dict[str, Any]
    drawn_from: dict[str, tuple[Any, ...]]


def first_state(page: Page) -> FirstState:
    """The page's first state, with slow items drawn as well."""
    sent, controls = Sent(), Controls(page)
    items = {item.name: assets.parts(page.draw(item)) for item in _items(page)}
    state = {
        "frame": assets.frame(type(page)),
        "sections": controls.sections(),
        **_news(page, controls, sent, None),
    }
    drawn = ",".join(f"{_key(name)}:{sent.news(name, parts)}" for name, parts in items.items())
    text = assets.content(state)
    drawn_from = {item.name: page.drawn_from(item) for item in _items(page)}
    return FirstState(f'{text[:-1]},"items":{{{drawn}}}}}', sent.hashes, drawn_from)


class Sent:
    """Hashes of the parts that a browser has."""

    def __init__(self, hashes: dict[str, Any] | None = None):
        self.hashes = {name: dict(marks) for name, marks in (hashes or {}).items()}

    def news(self, name: str, parts: dict[str, str]) -> str:
        """The parts of an item that the browser has not, as a JSON object; "" for none."""
        known = self.hashes.get(name, {})
        self.hashes[name] = hashes = {key: hash(text) for key, text in parts.items()}
        changed = [f"{_key(key)}:{parts[key]}" for key in parts if known.get(key) != hashes[key]]
        if len(hashes) != len(known) or changed:
            head = [] if "all" in parts else [f'"traces":{len(parts) - 1}']
            return "{" + ",".join([*head, *changed]) + "}"
        return ""

    def forget(self, group: str, name: str) -> None:
        """Have an entry sent again, as the browser may show something else by now."""
        self.hashes.get(group, {}).pop(name, None)

    def changed(self, group: str, values: dict[str, Any]) -> dict[str, Any]:
        """The entries of a group that the browser has not."""
        known = self.hashes.setdefault(group, {})
        changed = {}
        for name, value in values.items():
            mark = hash(repr(value))
            if known.get(name) != mark:
                known[name], changed[name] = mark, value
        return changed


class Session:
    """A page as one visitor sees it.

    Parameters
    ----------
    page : Page
        The visitor's own page, in the first state.
    first : FirstState
        What the browser has from the document.
    send : callable
        Takes a message for the browser; called in the worker's thread.
    later : callable
        See `Later`; may be called in any thread.
    """

    def __init__(self, page: Page, first: FirstState, send: Callable[[str], None], later: Later):
        self.page = page
        self._sent = Sent(first.sent)
        self._send, self._later = send, later
        self._worker = Worker(after=self._draw)
        self._items = {item.name: item for item in _items(page)}
        self._inputs = {item.name: page.inputs(item) for item in _items(page)}
        self._drawn_from = dict(first.drawn_from)
        self._controls = Controls(page)
        offered = {c.name for section in page.controls for c in section.controls}
        dragged = {name for item in page.figures() for name in item.drag.values()}
        self._settable = {name for name in offered | dragged if name in page.param}
        self._receiver = Receiver()
        self._changed: set[str] = set()
        self._waiting: set[str] = set()  # slow items that are drawn once the page rests
        self._due: set[str] = set()
        self._moves = 0
        self._received = self._handled = self._answered = 0
        self._sending = Lock()
        self._sent_so_far = 0
        self._ended = False
        self._refusal = ""
        self._watcher = page.param.watch(self._note, list(page.param))

    def end(self) -> None:
        """Let go of everything: nobody looks any more."""
        if not self._ended:
            self._ended = True
            self.page.param.unwatch(self._watcher)
            self.page.end_jobs()
            self._worker.close()
            self._send = lambda text: None
            self._later = lambda seconds, call: None

    # -- from the visitor to the page -------------------------------------------------------------

    def receive(self, gesture: dict[str, Any]) -> None:
        """Take what the visitor did; returns at once. What is no gesture changes nothing."""
        self._received = int(gesture["serial"])
        try:
            key, task = self._asked(gesture)
        except (KeyError, TypeError, ValueError, AttributeError):
            logger.warning("what is no gesture of this page was left out", exc_info=True)
            key, task = "refused", lambda: None
        handled = partial(setattr, self, "_handled", self._received)
        tasks = {key: partial(self._try, task), "handled": handled}
        self._worker.post_together(tasks, waits=gesture.get("kind") in ("files", "chunk"))
        self._later(PATIENCE, self._show_busy)

    def _asked(self, gesture: dict[str, Any]) -> tuple[Hashable, Callable[[], None]]:
        """What the gesture asks for: of two with one key, the later counts."""
        page, kind = self.page, gesture["kind"]
        if kind == "set":
            return self._setting(gesture["name"], gesture["value"])
        if kind == "drag":
            name = self._items[gesture["item"]].drag[gesture["shape"]]
            parameter: Any = page.param[name]
            return self._setting(name, snap(parameter, gesture["x"]))
        if kind == "click":
            method = getattr(page, self._items[gesture["item"]].click or "")
            return kind, partial(method, gesture["x"], gesture["y"])
        if kind == "job":
            job = page.jobs()[gesture["job"]].name
            return (kind, job), partial(page.press_job, job, self._worker.post)
        if kind == "dismiss":
            return "message", partial(setattr, page, "message", "")
        if kind == "restore":
            return kind, partial(self._restore, dict(gesture["settings"]))
        if kind in ("files", "chunk"):
            return self._files(gesture)
        raise KeyError(f"no gesture is called {kind!r}")

    def _setting(self, name: str, value: Any) -> tuple[Hashable, Callable[[], None]]:
        if name not in self._settable:
            raise KeyError(f"no control sets {name!r}")
        return name, partial(self._assign, name, value)

    def _files(self, gesture: dict[str, Any]) -> tuple[Hashable, Callable[[], None]]:
        try:
            files = self._receiver.take(gesture)
        except UploadError as error:
            return "message", partial(setattr, self.page, "message", str(error))
        if files is None:
            return "piece", lambda: None
        return self._setting(gesture["name"], files)

    def _assign(self, name: str, value: Any) -> None:
        parameter = self.page.param[name]
        self._sent.forget("controls", name)  # the browser shows what was asked for
        if isinstance(parameter, param.Event):
            self.page.param.trigger(name)
            return
        if isinstance(parameter, param.Selector):
            value = parameter.get_range()[value]
        elif isinstance(parameter, param.Number) and not isinstance(parameter, param.Boolean):
            try:
                value = taken(parameter, value)
            except ValueError as error:
                self.page.message = self._refusal = str(error)
                return
        if self._refusal and self.page.message == self._refusal:
            self.page.message = self._refusal = ""
        setattr(self.page, name, value)

    def _restore(self, settings: dict[str, Any]) -> None:
        now = self.page.settings()
        files = [
            file
            for name, parameter in self.page.param.objects().items()
            if isinstance(parameter, Upload) and settings.get(name) not in (None, now[name])
            for file, _ in settings[name]
        ]
        if files:  # without them the other settings would speak of other data
            self.page.message = (
                f"The connection was lost, and the server no longer has {' and '.join(files)}: "
                "upload it again. What is shown is the page as it starts."
            )
            return
        lost = self.page.restore(settings)
        if lost:
            self.page.message = (
                "The connection was lost and made again. These settings could not be restored: "
                f"{', '.join(lost)}."
            )

    def _try(self, task: Callable[[], Any]) -> None:
        try:
            task()
        except Exception as error:
            logger.exception("a change of the page failed")
            self.page.message = f"This did not work: {error}"

    # -- from the page to the visitor -------------------------------------------------------------

    def _note(self, *events: Any) -> None:
        self._changed.update(event.name for event in events)
        if not self._worker.here:
            self._worker.post("draw", lambda: None)

    def _draw(self) -> None:
        """In the worker's thread: draw what changed, and send what the visitor does not have."""
        handled = self._handled
        try:
            drawn, news = self._news()
        except Exception as error:  # an answer comes whatever happens
            logger.exception("the page cannot be drawn")
            drawn, news = [], {"message": f"This did not work: {error}"}
        text = assets.content({**news, "handled": handled, "busy": False})
        with self._sending:
            self._answered = handled
            self._put(f'{text[:-1]},"items":{{{",".join(drawn)}}}')
        if self._waiting:
            self._moves += 1
            self._later(REST, partial(self._rest, self._moves))

    def _put(self, text: str) -> None:
        """Send a message, but for its closing brace, under the next number."""
        self._sent_so_far += 1
        self._send(f'{text},"number":{self._sent_so_far}}}')

    def _news(self) -> tuple[list[str], dict[str, Any]]:
        changed, self._changed = self._changed, set()
        due, self._due = self._due, set()
        drawn: list[str] = []
        for item in self._items.values():
            moved = bool(self._inputs[item.name] & changed)
            if moved and item.slow:
                self._waiting.add(item.name)
                self._drawn_from.pop(item.name, None)  # what stands there now is no drawing of it
                self._add(item, PENDING[item.kind], drawn)
            elif moved or item.name in due:
                self._try(partial(self._draw_item, item, drawn))
        return drawn, _news(self.page, self._controls, self._sent, changed)

    def _draw_item(self, item: Item, drawn: list[str]) -> None:
        """Draw it if anything that it is drawn from is another than before."""
        needed = self.page.drawn_from(item)
        before = self._drawn_from.get(item.name)
        if before is None or not same(needed, before):
            self._add(item, self.page.draw(item), drawn)
            self._drawn_from[item.name] = needed

    def _add(self, item: Item, value: Any, drawn: list[str]) -> None:
        news = self._sent.news(item.name, assets.parts(value))
        if news:
            drawn.append(f"{_key(item.name)}:{news}")

    def _rest(self, moves: int) -> None:
        """Draw the slow items, unless something moved meanwhile; others' moves come first."""
        if moves != self._moves or self._ended:
            return
        if not calm():
            self._later(REST, partial(self._rest, moves))
        else:
            self._due, self._waiting = self._due | self._waiting, set()
            self._worker.post("rest", lambda: None)

    def _show_busy(self) -> None:
        with self._sending:
            if self._answered < self._received:
                self._put('{"busy":true')


def _news(page: Page, controls: Controls, sent: Sent, changed: set[str] | None) -> dict[str, Any]:
    """What the browser has not of everything but the items; settings of what changed, or of all."""
    return {
        "controls": sent.changed("controls", controls.states()),
        "settings": sent.changed("settings", page.settings(changed)),
        "jobs": sent.changed("jobs", assets.jobs(page)),
        "message": page.message,
    }


def _items(page: Page) -> list[Item]:
    return [*page.figures(), *page.numbers(), *page.sentences()]


def _key(name: str) -> str:
    return json.dumps(name)
