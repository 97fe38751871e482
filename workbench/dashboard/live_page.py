"""`LivePage`: a page of one visitor; carries out gestures, and sends every browser what changed.

Messages are JSON texts. A browser is sent only the parts that differ from what it has::

    {"page": "scores",
     "handled": 7,                                     the last gesture that was carried out
     "items": {"tradeoff": {"traces": 4, "3": {...}},  a figure's changed traces or layout
               "epsilon": {"all": {...}}},             anything else, whole
     "controls": {"threshold": {...}},                 the controls that changed
     "settings": {"threshold": 0.4}, "jobs": {...}, "message": "", "busy": false}

The first message about a page, and each one after a browser lost track, is whole: it has the
``frame`` and the ``sections`` of controls as well.

The browser sends gestures; see `workbench.pages.core.gestures`. Here are added ``files`` and their
``chunk``s; the answer to one that is refused has ``"refused": true``.

A step of a drag (``"done": false``) draws what it changes and moves the controls that it changes.
What else follows from it, which controls are offered, what is kept and what can be undone, comes
with the end of the drag.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, Protocol

from workbench import _json
from workbench.assets import board as assets
from workbench.assets.controls import Controls
from workbench.dashboard import files
from workbench.dashboard.drawn import DrawnItems
from workbench.dashboard.files import Outcome, Receiver
from workbench.dashboard.permissions import Permissions, RoleError
from workbench.dashboard.sent import FirstState, Sent, news, whole
from workbench.dashboard.worker import Turns, calm
from workbench.pages.core.gestures import Message
from workbench.pages.core.jobs import JobRunner
from workbench.pages.core.page import Page
from workbench.pages.core.queue import Task
from workbench.pages.core.session import PageSession
from workbench.pages.core.upload import Upload

logger = logging.getLogger(__name__)

#: Seconds after which the page shows that it is at work.
PATIENCE = 0.3

#: Seconds without a change after which slow items are drawn.
REST = 0.3

#: ``later(seconds, call)``: have ``call`` run on the event loop.
Later = Callable[[float, Callable[[], None]], Any]


class Viewer:
    """A browser that shows the page.

    Parameters
    ----------
    send : callable
        Takes the text of a message.
    sent : Sent
        What the browser has of the page.
    """

    def __init__(self, send: Callable[[str], None], sent: Sent):
        self.sent = sent
        self.handled = self.received = self.answered = 0
        self._send = send
        self._sending = Lock()
        self.lost_track = False  # whether it has nothing of the page
        self.behind = True  # whether it may lack more than the last step of a drag
        self.shown = True  # whether the page is the one that it shows
        self.drags = False  # whether its last gesture was a step of a drag

    def put(self, text: str, handled: int | None = None) -> None:
        """Send a message; it answers the gestures up to ``handled``."""
        with self._sending:
            self.answered = self.answered if handled is None else handled
            self._send(text)

    def show_busy(self, page: str) -> None:
        """Say that the page is at work, unless all gestures were answered."""
        with self._sending:
            if self.answered < self.received:
                self._send(assets.content({"page": page, "busy": True}))


@dataclass(frozen=True)
class Drag:
    """A drag that has not ended: its control, and the settings before it."""

    control: str
    before: Mapping[str, Any]


class Owner(Protocol):
    """The pages of a visitor, of which a page is one."""

    may: Permissions
    turns: Turns

    def changed(
        self, live: LivePage, control: str, before: Mapping[str, Any], now: Mapping[str, Any]
    ) -> None:
        """Take note of changed settings; ``control`` is what a person used, "" for nothing."""

    def show_jobs(self) -> None:
        """Show how the jobs of all pages stand."""

    def go(self, page: Page) -> None:
        """Have the browsers go to the page that a control of another one asked for."""

    def receiver(self) -> Receiver:
        """What puts the uploads of a page together."""


class LivePage:
    """A page of one visitor, and the browsers that show it.

    Parameters
    ----------
    name : str
        Name of the page.
    page : Page
        The visitor's own page.
    owner : Owner
        Hears of changes.
    later : callable
        See `Later`; may be called in any thread.
    first : FirstState, optional
        The page as it is drawn already; it is in this state.
    runner : JobRunner, optional
        Has the jobs of the page done; by default a thread of this process does.
    """

    def __init__(
        self,
        name: str,
        page: Page,
        owner: Owner,
        later: Later,
        first: FirstState | None = None,
        runner: JobRunner | None = None,
    ):
        self.name, self.page = name, page
        page.work.runner = runner or page.work.runner
        self.controls = Controls(page)
        self.session = PageSession(
            page,
            page.items(),
            draw=self._draw,
            schedule=owner.turns.submit,
            drawn_from=None if first is None else first.drawn_from,
            outside=lambda: self.session.queue.post("draw", lambda: None),
        )
        self.settings = page.settings()
        self.jobs = assets.jobs(page)
        self.drawn = DrawnItems(self.session, first)
        self._viewers: list[Viewer] = []
        self._owner, self._later = owner, later
        self._receiver = owner.receiver()
        self._drag: Drag | None = None
        self._lock = Lock()
        self._turns_waiting = 0  # turns with slow items that are drawn once the page rests
        self.ended = False

    def end(self) -> None:
        """Let go of everything."""
        if not self.ended:
            self.ended = True
            self.finish_drag()
            self.session.end()
            self._receiver.end()
            self._viewers.clear()
            self._later = lambda seconds, call: None

    # -- browsers ----------------------------------------------------------------------------------

    def open(self, viewer: Viewer) -> None:
        """Have a browser, which has nothing of the page, show it."""
        viewer.lost_track = True
        self.resume(viewer)

    def resume(self, viewer: Viewer) -> None:
        """Have a browser show the page, and send it what has changed meanwhile."""
        self.session.queue.post(("view", id(viewer)), partial(self._view, viewer))

    def close(self, viewer: Viewer) -> None:
        """Send a browser nothing more; a drag in it ends where it is."""
        if viewer.drags:
            self.change("drag", self._end_drag)
        self._receiver.leave(viewer)
        self._viewers = [one for one in self._viewers if one is not viewer]

    def _view(self, viewer: Viewer) -> None:
        if viewer not in self._viewers:
            self._viewers = [*self._viewers, viewer]
        viewer.behind = True
        self.drawn.rest()
        self.session.attempt(self.page.note_shown)  # also where all was drawn for everybody

    def whole(self, sent: Sent) -> str:
        """The page as JSON, with everything that a browser needs to draw it.

        Parameters
        ----------
        sent : Sent
            Notes what the browser has then.
        """
        self.drawn.draw(at_rest=True)
        return whole(self.page, self.controls, self.drawn.parts, sent)

    # -- from a person to the page -----------------------------------------------------------------

    def carry_out(self, gesture: Message, viewer: Viewer) -> None:
        """Carry out a gesture soon; see `PageSession.receive`."""
        if self.ended:
            return
        viewer.received = int(gesture["serial"])
        viewer.drags = gesture.get("done") is False
        if gesture.get("kind") in files.KINDS and self._uploads(gesture, viewer):
            return
        refusal = self._refusal(gesture)
        if refusal is not None:
            self.session.perform(("message", refusal), int(gesture["serial"]), viewer)
            return
        self.session.receive(gesture, viewer)
        self._later(PATIENCE, partial(viewer.show_busy, self.name))

    def _refusal(self, gesture: Message) -> Task | None:
        """What is done instead of what a person may not do; None if they may."""
        try:
            uploads = self.page.parameters_of_type(Upload)
            if gesture.get("kind") == "set" and gesture.get("name") in uploads:
                raise RoleError("Files are not set: upload them")
            self._owner.may.require(gesture)
        except RoleError as error:
            logger.info("a gesture was refused", extra={"event": "role_refused"})
            return partial(self._refuse, str(gesture.get("job", "")), str(error))
        return None

    def _refuse(self, job: str, words: str) -> None:
        """Say why something is refused; whoever may start no job may end one."""
        if job in self.page.jobs() and self.page.work.state(job).running:
            self.page.work.cancel(job)
        else:
            self.page.message = words

    def running(self) -> dict[str, dict[str, Any]]:
        """The jobs that are running, by name, as the browser sees them."""
        shown = {name.removeprefix("job_"): _json.loads(text) for name, text in self.jobs.items()}
        return {name: job for name, job in shown.items() if job["status"] == "running"}

    def _uploads(self, gesture: Message, viewer: Viewer) -> bool:
        """Take a gesture of an upload; False if it is none."""
        try:
            self.session.gestures.setting(gesture["name"], None)
            self._receiver.take(gesture, viewer, partial(self._uploaded, gesture, viewer))
        except (KeyError, TypeError, ValueError):
            return False
        return True

    def _uploaded(self, gesture: Message, viewer: Viewer, outcome: Outcome) -> None:
        """Answer a gesture of an upload; its files are set once all of them are there."""
        serial = int(gesture["serial"])
        if outcome is None:
            viewer.handled = serial
            viewer.put(
                assets.content({"page": self.name, "handled": serial, "busy": False}), serial
            )
        elif isinstance(outcome, ValueError):
            refusal = partial(setattr, self.page, "message", str(outcome))
            viewer.put(assets.content({"page": self.name, "refused": True}))
            self.session.perform(("message", refusal), serial, viewer)
        else:
            setting = self.session.gestures.setting(gesture["name"], outcome)
            self.session.perform(setting, serial, viewer, changes=True, blocks=True)
            self._later(PATIENCE, partial(viewer.show_busy, self.name))

    def change(self, key: str, task: Callable[[], Any]) -> None:
        """Have a task change the page soon, in the order of what people do."""
        self.session.queue.post(("change", key), task)

    # -- from the page to the browsers -------------------------------------------------------------

    def _draw(self) -> None:
        """Draw what changed, and send the browsers what they do not have."""
        changed = self.session.take_changed()
        for viewer in self._viewers:
            for name in changed:
                viewer.sent.forget("controls", name)  # it may show what was chosen instead
        handled = [(viewer, viewer.handled) for viewer in self._viewers]
        failed = ""
        try:
            self._take_note(changed)
            if any(viewer.shown for viewer in self._viewers):
                self.drawn.draw()
        except Exception as error:  # an answer comes whatever happens
            logger.exception("the page %s cannot be drawn", self.name)
            failed = f"This did not work: {error}"
        for viewer, serial in handled:
            if not viewer.shown and serial == viewer.answered:
                continue
            try:
                text = (
                    self._answer(failed, serial) if failed else self._news(viewer, changed, serial)
                )
            except Exception as error:
                logger.exception("the page %s cannot be sent", self.name)
                text = self._answer(f"This did not work: {error}", serial)
            viewer.put(text, serial)
        if self.drawn.waiting:
            self._turns_waiting += 1
            self._later(REST, partial(self._rest, self._turns_waiting))

    def _take_note(self, changed: set[str]) -> None:
        """Report settings that changed, and jobs; of a drag once it has ended."""
        before, used = self.settings, self.session.take_used()
        if self._drag and used not in ("", self._drag.control):  # its end was lost
            self.finish_drag()
        if changed:
            self.settings = {**before, **self.page.settings(changed)}
        if used and self.session.moving:
            self._drag = self._drag or Drag(used, before)
        elif self._drag and used:
            self.finish_drag()
        elif self.settings != before:
            self._owner.changed(self, used, before, self.settings)
        if self.page.goes_to:
            self._owner.go(self.page)
        jobs = assets.jobs(self.page)
        if jobs != self.jobs:
            self.jobs = jobs
            self._owner.show_jobs()

    def finish_drag(self) -> None:
        """Report what a drag has changed, if there is one that has not ended."""
        with self._lock:
            drag, self._drag = self._drag, None
        self.session.moving = False
        now = self.settings
        if drag is not None and drag.before != now:
            self._owner.changed(self, drag.control, drag.before, now)

    def _end_drag(self) -> None:
        """Have the drag end with this turn, as the end of its gesture would."""
        self.session.moving = False
        if self._drag and not self.session.used:
            self.session.used = self._drag.control

    def _answer(self, message: str, handled: int) -> str:
        return assets.content(
            {"page": self.name, "message": message, "handled": handled, "busy": False}
        )

    def _news(self, viewer: Viewer, changed: set[str], handled: int) -> str:
        state = {"page": self.name, "handled": handled, "busy": False}
        if not viewer.shown:
            return assets.content(state)
        if viewer.lost_track:
            viewer.lost_track = viewer.behind = False
            viewer.sent = Sent()
            return whole(self.page, self.controls, self.drawn.parts, viewer.sent, state)
        # What slow items show, no control depends on.
        partly = self.session.moving or self.session.tasks == [self.drawn.rest]
        names = changed if partly and not viewer.behind else None
        viewer.behind = False
        more = news(self.page, self.controls, self.settings, self.jobs, viewer.sent, names)
        text = assets.content({**state, **more})
        return f'{text[:-1]},"items":{viewer.sent.items(self.drawn.parts)}}}'

    def _rest(self, turns: int) -> None:
        """Draw the slow items once the page rests and no other session has work."""
        if turns != self._turns_waiting or self.ended:
            return
        if not calm():
            self._later(REST, partial(self._rest, turns))
        else:
            self.session.queue.post("rest", self.drawn.rest)
