"""`Session`: the page of one visitor; carries out gestures and sends what changed.

Messages are JSON texts. The browser is sent only the parts that differ from what it has::

    {"number": 3,                                      of the message; each builds on those before
     "handled": 7,                                     the last gesture that was carried out
     "items": {"tradeoff": {"traces": 4, "3": {...}},  a figure's changed traces or layout
               "epsilon": {"all": {...}}},             anything else, whole
     "controls": {"threshold": {...}},                 the controls that changed
     "settings": {"threshold": 0.4}, "jobs": {...}, "message": "", "busy": false}

The browser sends gestures; see `workbench.pages.core.session`. Here are added ``files`` and their
``chunk``s, and ``restore``, the settings of a page whose connection was lost.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any

from workbench.assets import board as assets
from workbench.assets.controls import Controls
from workbench.dashboard.files import Receiver, UploadError
from workbench.dashboard.worker import calm, submit
from workbench.pages.core.page import Fact, Item, Page
from workbench.pages.core.session import Asked, PageSession
from workbench.pages.core.upload import Upload

logger = logging.getLogger(__name__)

#: Seconds after which the page shows that it is at work.
PATIENCE = 0.3

#: Seconds without a change after which slow items are drawn, and their content until then.
REST = 0.3
PENDING = {"number": Fact("…"), "sentence": "…"}

#: ``later(seconds, call)``: have ``call`` run on the event loop.
Later = Callable[[float, Callable[[], None]], Any]


@dataclass(frozen=True)
class FirstState:
    """The first state of a page, drawn once for all visitors.

    Attributes
    ----------
    text : str
        Its frame, items, controls and settings as JSON.
    sent : dict
        Hashes of the parts of the text.
    drawn_from : dict of str to tuple
        The values that each item was drawn from; see `Page.drawn_from`.
    """

    text: str
    sent: dict[str, Any]
    drawn_from: dict[str, tuple[Any, ...]]


def first_state(page: Page) -> FirstState:
    """The first state of a page, slow items included."""
    sent, controls = Sent(), Controls(page)
    items = {item.name: assets.parts(page.draw(item)) for item in page.items()}
    state = {
        "frame": assets.frame(type(page)),
        "sections": controls.sections(),
        **_news(page, controls, sent, None),
    }
    drawn = ",".join(f"{_key(name)}:{sent.news(name, parts)}" for name, parts in items.items())
    text = assets.content(state)
    drawn_from = {item.name: page.drawn_from(item) for item in page.items()}
    return FirstState(f'{text[:-1]},"items":{{{drawn}}}}}', sent.hashes, drawn_from)


class Sent:
    """Hashes of the parts that a browser has."""

    def __init__(self, hashes: dict[str, Any] | None = None):
        self.hashes = {name: dict(marks) for name, marks in (hashes or {}).items()}

    def news(self, name: str, parts: dict[str, str]) -> str:
        """The parts of an item that the browser does not have, as a JSON object; "" for none.

        Parameters
        ----------
        name : str
            The item.
        parts : dict of str to str
            Its present parts; see `workbench.assets.board.parts`.
        """
        known = self.hashes.get(name, {})
        self.hashes[name] = hashes = {key: hash(text) for key, text in parts.items()}
        changed = [f"{_key(key)}:{parts[key]}" for key in parts if known.get(key) != hashes[key]]
        if len(hashes) != len(known) or changed:
            head = [] if "all" in parts else [f'"traces":{len(parts) - 1}']
            return "{" + ",".join([*head, *changed]) + "}"
        return ""

    def forget(self, group: str, name: str) -> None:
        """Have an entry sent again at the next change.

        Parameters
        ----------
        group : str
            Such as ``"controls"``.
        name : str
            The entry of the group.
        """
        self.hashes.get(group, {}).pop(name, None)

    def changed(self, group: str, values: dict[str, Any]) -> dict[str, Any]:
        """The entries of a group that the browser does not have.

        Parameters
        ----------
        group : str
            Such as ``"controls"``.
        values : dict
            The present entries of the group.
        """
        known = self.hashes.setdefault(group, {})
        changed = {}
        for name, value in values.items():
            mark = hash(repr(value))
            if known.get(name) != mark:
                known[name], changed[name] = mark, value
        return changed


class Session:
    """The page of one visitor, drawn in the browser of the visitor.

    Parameters
    ----------
    page : Page
        The visitor's own page, in the first state.
    first : FirstState
        What the browser has from the document.
    send : callable
        Takes a message for the browser; called in the thread of the worker.
    later : callable
        See `Later`; may be called in any thread.
    """

    def __init__(self, page: Page, first: FirstState, send: Callable[[str], None], later: Later):
        self.page = page
        self.shared = PageSession(
            page,
            page.items(),
            draw=self._draw,
            schedule=submit,
            more={"files": self._files, "chunk": self._files, "restore": self._restoring},
            drawn_from=first.drawn_from,
            outside=lambda: self.shared.queue.post("draw", lambda: None),
        )
        self._sent = Sent(first.sent)
        self._send, self._later = send, later
        self._controls = Controls(page)
        self._receiver = Receiver()
        self._waiting: set[str] = set()  # slow items that are drawn once the page rests
        self._due: set[str] = set()
        self._moves = 0
        self._received = self._answered = 0
        self._sending = Lock()
        self._sent_so_far = 0
        self._ended = False

    def end(self) -> None:
        """Let go of everything when the visitor has left."""
        if not self._ended:
            self._ended = True
            self.shared.end()
            self._send = lambda text: None
            self._later = lambda seconds, call: None

    # -- from the visitor to the page -------------------------------------------------------------

    def receive(self, gesture: dict[str, Any]) -> None:
        """Carry out a gesture soon, unless the session has ended; see `PageSession.receive`."""
        if self._ended:
            return
        self._received = int(gesture["serial"])
        self.shared.receive(gesture)
        self._later(PATIENCE, self._show_busy)

    def _files(self, gesture: dict[str, Any]) -> Asked:
        try:
            files = self._receiver.take(gesture)
        except UploadError as error:
            return "message", partial(setattr, self.page, "message", str(error))
        if files is None:
            return "piece", lambda: None
        return self.shared.setting(gesture["name"], files)

    def _restoring(self, gesture: dict[str, Any]) -> Asked:
        return "restore", partial(self._restore, dict(gesture["settings"]))

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
                "upload it again. The page shows its initial state."
            )
            return
        lost = self.page.restore(settings)
        if lost:
            self.page.message = (
                "The connection was lost and restored. These settings could not be restored: "
                f"{', '.join(lost)}."
            )

    # -- from the page to the visitor -------------------------------------------------------------

    def _draw(self) -> None:
        """Draw what changed, and send what the browser does not have."""
        handled = self.shared.handled
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
        due, self._due = self._due, set()
        drawn: list[str] = []
        put = partial(self._put_item, drawn)
        for item in self.shared.items.values():
            moved = item.name in self.shared.stale
            if moved and item.slow:
                self._waiting.add(item.name)
                self.shared.put_off(item)
                put(item, PENDING[item.kind])
            elif moved or item.name in due:
                self.shared.draw(item, put)
        changed = self.shared.take_changed()
        for name in changed:
            self._sent.forget("controls", name)  # the browser may show what was chosen instead
        return drawn, _news(self.page, self._controls, self._sent, changed)

    def _put_item(self, drawn: list[str], item: Item, value: Any) -> None:
        news = self._sent.news(item.name, assets.parts(value))
        if news:
            drawn.append(f"{_key(item.name)}:{news}")

    def _rest(self, moves: int) -> None:
        """Draw the slow items once the page rests and no other session has work."""
        if moves != self._moves or self._ended:
            return
        if not calm():
            self._later(REST, partial(self._rest, moves))
        else:
            self._due, self._waiting = self._due | self._waiting, set()
            self.shared.queue.post("rest", lambda: None)

    def _show_busy(self) -> None:
        with self._sending:
            if self._answered < self._received:
                self._put('{"busy":true')


def _news(page: Page, controls: Controls, sent: Sent, changed: set[str] | None) -> dict[str, Any]:
    """The news besides the items; settings of the changed parameters, or of all."""
    return {
        "controls": sent.changed("controls", controls.states()),
        "settings": sent.changed("settings", page.settings(changed)),
        "jobs": sent.changed("jobs", assets.jobs(page)),
        "message": page.message,
    }


def _key(name: str) -> str:
    return json.dumps(name)
