"""`Connection`: an open document of a visitor, and the messages to and from it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from threading import Lock
from typing import Any

from workbench.assets import board as assets
from workbench.dashboard.gestures import GESTURES
from workbench.dashboard.live_page import LivePage, Viewer
from workbench.dashboard.sent import Sent
from workbench.dashboard.tab import IMPORT, Tab
from workbench.dashboard.visitor.session import VisitorSession
from workbench.dashboard.worker import WAITING
from workbench.pages.core.gestures import Message
from workbench.server.operations import metrics

logger = logging.getLogger(__name__)

#: Gestures without an answer that are timed at most: a page answers one after the other.
_TIMED = 100


class TimedViewer(Viewer):
    """A viewer whose gestures are counted, and whose answers are timed.

    Parameters
    ----------
    send, sent
        See `Viewer`.
    """

    def __init__(self, send: Callable[[str], None], sent: Sent):
        super().__init__(send, sent)
        self.timer = GestureTimer()

    def put(self, text: str, handled: int | None = None) -> None:
        """Send a message; it answers the gestures up to ``handled``."""
        super().put(text, handled)
        if handled is not None:
            self.timer.answered(handled)


class GestureTimer:
    """Times from gestures to their answers, which may come in another thread."""

    def __init__(self) -> None:
        self._begun: dict[int, float] = {}

    def begins(self, gesture: Mapping[str, Any], page: str) -> None:
        """Note that a gesture came.

        Parameters
        ----------
        gesture : mapping
        page : str
            "" for what is not about one page.
        """
        metrics.gesture(page)
        if len(self._begun) < _TIMED:
            self._begun[int(gesture["serial"])] = time.monotonic()

    def answered(self, serial: int) -> None:
        """Note that the gestures up to this one were answered."""
        for one in [one for one in list(self._begun) if one <= serial]:
            begun = self._begun.pop(one, None)
            if begun is not None:
                metrics.answered_gesture(time.monotonic() - begun)


class Connection:
    """An open document.

    Until a new visitor does something, the document shows first states, which are the same for
    every visitor, and there is no session.

    Parameters
    ----------
    tabs : mapping of str to Tab
        All pages by name.
    send : callable
        Takes the text of a message.
    session : callable
        The session of the visitor, made if it has to be.
    known : callable
        Whether the visitor has done something, here or in another document.
    shown : str
        The page in the document; "" for none.
    sent : Sent, optional
        What the document holds of it; None if that is not known, so that it is sent again.
    hang_up : callable
        Closes the connection.

    Attributes
    ----------
    used : float
        Time of the last gesture, as of `time.monotonic`.
    """

    def __init__(
        self,
        tabs: Mapping[str, Tab],
        send: Callable[[str], None],
        session: Callable[[], VisitorSession],
        known: Callable[[], bool],
        shown: str,
        sent: Sent | None,
        hang_up: Callable[[], None] = lambda: None,
    ):
        self.used = time.monotonic()
        self.hang_up = hang_up
        self._tabs, self._put, self._session_of, self._known = tabs, send, session, known
        self._session: VisitorSession | None = None
        self._viewers: dict[str, TimedViewer] = {}
        self._timer = GestureTimer()  # of what is not about one page
        self._viewed: dict[str, LivePage] = {}
        self._sending = Lock()
        self._number = 0
        self._ended = False
        self._waiting: list[str] | None = []  # what is sent once the browser is connected
        self._shown = shown
        if shown:
            self._viewers[shown] = TimedViewer(self.send, Sent() if sent is None else sent)
            self._viewers[shown].lost_track = sent is None
        if known():
            self.attach()

    def end(self) -> None:
        """Let go of everything when the document was closed."""
        self._ended = True
        if self._session is not None:
            self._session.leave(self)
        for name in list(self._viewed):  # a page may just have been made in another thread
            self._forget(name)
        self._put = lambda text: None

    def put_away(self, words: str) -> None:
        """Say why the document is closed, and close it; may be called in any thread."""
        self.tell(away=words)
        self.end()
        self.hang_up()

    def send(self, text: str) -> None:
        """Send a message, but for its number."""
        with self._sending:
            self._number += 1
            numbered = f'{text[:-1]},"number":{self._number}}}'
            if self._waiting is None:
                self._put(numbered)
            else:
                self._waiting.append(numbered)

    def open(self) -> None:
        """Send what the browser, which is connected now, has not yet been sent."""
        with self._sending:
            waiting, self._waiting = self._waiting or [], None
            for text in waiting:
                self._put(text)

    def tell(self, **entries: Any) -> None:
        """Send a message that is not about one page."""
        if "handled" in entries:
            self._timer.answered(int(entries["handled"]))
        self.send(assets.content({"page": "", **entries}))

    def carry_out(self, gesture: Message) -> None:
        """Carry out a gesture, unless the document was closed."""
        if self._ended:
            return
        self.used = time.monotonic()
        name = str(gesture.get("page", ""))
        try:
            if isinstance(content := gesture.get("content"), bytes):
                metrics.uploaded(len(content))
            if name:
                if name not in self._viewed or self._viewed[name].ended:
                    self._view(name)
                if self._ended:  # while the page was made
                    return
                viewer = self._viewers[name]
                viewer.timer.begins(gesture, name)
                self._viewed[name].carry_out(gesture, viewer)
                return
            self._timer.begins(gesture, "")
            known = GESTURES.get(gesture["kind"])
            if known is not None and known.handler == "connection":
                if self._known():
                    self.attach()
                self._show(gesture)
            else:
                self.attach().carry_out(gesture, self)
                if gesture["kind"] in ("import", "close import"):
                    self._forget(IMPORT)  # and the files that it holds
                if gesture["kind"] == "import":
                    self.attach().after(partial(self._open, IMPORT))
        except (KeyError, TypeError, ValueError):
            logger.warning("an invalid gesture was ignored", exc_info=True)

    @property
    def backlog(self) -> int:
        """Gestures of the visitor that wait, from all documents."""
        return 0 if self._session is None else self._session.backlog

    def attach(self) -> VisitorSession:
        """The session of the visitor, of which this document hears from now on."""
        if self._session is None:
            self._session = self._session_of()
            self._session.browsers.readers.append(self)
            self.tell(bench=self._session.browsers.state())
            if self._shown:
                self._view(self._shown)
        return self._session

    def _view(self, name: str) -> None:
        """Have the live page send its changes here, unless the document was closed."""
        if self._ended:
            return
        live = self.attach().pages.live(name)  # takes a moment, in which it may be closed
        if self._ended or self._viewed.get(name) is live:
            return
        begin = live.resume if name in self._viewers else live.open
        viewer = self._viewers.setdefault(name, TimedViewer(self.send, Sent()))
        self._viewed[name] = live  # after its viewer: `end` forgets both
        begin(viewer)

    def _forget(self, name: str) -> None:
        live = self._viewed.pop(name, None)
        viewer = self._viewers.pop(name, None)
        if live is not None and viewer is not None:
            live.close(viewer)

    def _show(self, gesture: Message) -> None:
        name = str(gesture[gesture["kind"]])
        tab = self._tabs.get(name)
        before, self._shown = self._shown, name if tab else ""
        if before in self._viewers and before != name:
            self._viewers[before].shown = False
        answer = partial(self.tell, handled=int(gesture["serial"]))
        if tab is None:  # the start page
            answer()
        elif name in self._viewers:
            self._viewers[name].shown = True
            if name in self._viewed:
                self._viewed[name].resume(self._viewers[name])
            answer()
        elif self._session is None or self._session.pages.untouched(name):
            if tab.is_drawn:
                self._show_first(name, answer)
            else:  # not on the event loop
                WAITING.submit(self._show_first, name, answer)
        else:  # it has to be made, which takes a moment
            self._session.pages.turns.submit(partial(self._open, name, answer), False)

    def _show_first(self, name: str, then: Callable[[], None]) -> None:
        """Send the first state of a page."""
        try:
            first = self._tabs[name].first()
        except Exception:
            logger.exception("the page %s cannot be drawn", name)
            self.tell(say="This page cannot be shown; the log of the server says why.")
            then()
            return
        viewer = TimedViewer(self.send, Sent(first.sent))
        if not self._ended and self._viewers.setdefault(name, viewer) is viewer:
            self.send(f'{{"page":{assets.content(name)},{first.text[1:]}')
            if self._session is not None:
                self._view(name)
        then()

    def _open(self, name: str, then: Callable[[], None] = lambda: None) -> None:
        self._view(name)
        if not self._ended:
            then()
