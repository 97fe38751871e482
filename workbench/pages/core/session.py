"""`PageSession`: a page as one person uses it, the part that all front ends share.

A front end hands over gestures, and draws when it is asked to; see `workbench.pages.core.gestures`.
The dashboard takes uploads besides, which end in `PageSession.perform`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, Protocol

import param

from workbench.pages.core.gestures import CHANGING, Asked, Message, PageGestures
from workbench.pages.core.page import Item, Page
from workbench.pages.core.queue import LatestWins, Schedule, Task
from workbench.pages.core.sliders import TextField, taken
from workbench.pages.core.state import same

logger = logging.getLogger(__name__)

INTERRUPTED = "Interrupted: the results shown may be older than the controls."


class Taker(Protocol):
    """Who sent gestures, and has an attribute for the serial number of the last one handled."""

    handled: int


class PageSession:
    """Takes gestures, sets parameters, and knows which items have to be drawn again.

    Errors of a task or of a drawing become the message of the page.

    Parameters
    ----------
    page : Page
        The person's own page.
    items : collection of Item
        The items that the front end shows.
    draw : callable
        Called at the end of every turn, in its thread: draws what changed.
    schedule : callable
        Decides when and in which thread turns run; see `workbench.pages.core.queue.Schedule`.
    drawn_from : mapping of str to tuple, optional
        What each item that is drawn already was drawn from; see `Page.drawn_from`.
    outside : callable, optional
        Called when something other than a task changes the page.
    log_level : int
        Level at which errors are logged.
    """

    def __init__(
        self,
        page: Page,
        items: Collection[Item],
        draw: Callable[[], None],
        schedule: Schedule,
        drawn_from: Mapping[str, tuple[Any, ...]] | None = None,
        outside: Callable[[], None] = lambda: None,
        log_level: int = logging.ERROR,
    ):
        self.page = page
        self.items = {item.name: item for item in items}
        self.queue = LatestWins(self._turn, schedule)
        #: Names of the items whose inputs changed, and of the parameters that changed or were set.
        self.stale: set[str] = set()
        self.changed: set[str] = set()
        #: The control that a person used since `take_used`; "" for none.
        self.used = ""
        #: Whether a person is dragging: the last step was not the end of a gesture.
        self.moving = False
        #: The tasks of the present turn.
        self.tasks: list[Task] = []
        #: Serial number of the last gesture that was carried out.
        self.handled = 0
        self._draw, self._outside, self._log_level = draw, outside, log_level
        self.gestures = PageGestures(page, self.items, self.assign, self._press_now)
        self._inputs = {name: page.inputs(item) for name, item in self.items.items()}
        self._drawn_from = dict(drawn_from or {})
        #: Values that items need, until a parameter changes that they depend on.
        self._values: dict[str, Any] = {}
        needs = {need for item in self.items.values() for need in item.needs}
        self._behind = {need: page.parameters_of((need,)) for need in needs}
        self._refusal = ""
        self._watcher = page.param.watch(self._note, list(page.param))

    def end(self) -> None:
        """Let go of the page: cancel its jobs, and run nothing from now on."""
        self.page.param.unwatch(self._watcher)
        self.page.work.end()
        self.queue.close()
        self._draw = self._outside = lambda: None
        self.gestures.end()

    # -- from the person to the page ---------------------------------------------------------------

    def receive(self, gesture: Message, sender: Taker | None = None) -> None:
        """Carry out a gesture soon; of several that set the same thing, only the latest.

        An invalid gesture is logged and changes nothing, but counts as handled.

        Parameters
        ----------
        gesture : dict
            See `workbench.pages.core.gestures`.
        sender : object, optional
            Takes the serial number as its ``handled``; this session by default.
        """
        try:
            asked = self.gestures.asked(gesture)
        except (KeyError, TypeError, ValueError, AttributeError):
            logger.warning("an invalid gesture was ignored", exc_info=True)
            asked = "invalid", lambda: None
        moving = gesture.get("done") is False
        changes = gesture.get("kind") in CHANGING
        self.perform(asked, int(gesture["serial"]), sender, changes, moving=moving)

    def perform(
        self,
        asked: Asked,
        serial: int,
        sender: Taker | None = None,
        changes: bool = False,
        blocks: bool = False,
        moving: bool = False,
    ) -> None:
        """Carry out what a person asked for, soon; see `receive`.

        Parameters
        ----------
        asked : tuple
            The key of a task, and the task; see `PageGestures`.
        serial : int
            Of the gesture that asked for it.
        sender : object, optional
            See `receive`.
        changes : bool
            Whether it changes the settings of the page.
        blocks : bool
            Whether it waits for another process, such as the one that parses files.
        moving : bool
            Whether it is a step of a drag, and not its end.
        """
        key, task = asked
        sender = sender or self
        if changes:
            task = partial(self._use, str(key), task, moving)
        handled = partial(setattr, sender, "handled", serial)
        self.queue.post_together({key: task, ("handled", id(sender)): handled}, blocks)

    def _press_now(self, job: str) -> None:
        self.page.work.press(job, self.queue.post)

    def assign(self, name: str, value: Any, typed: bool = False) -> None:
        """Set a parameter now; a number that it does not take becomes the message of the page.

        Parameters
        ----------
        name : str
            The parameter. An event happens, whatever the value.
        value : object
            A slider's number is held within the range of the slider.
        typed : bool
            Whether a number was typed: it may lie beyond the slider, whose range then widens.
        """
        parameter = self.page.param[name]
        self.changed.add(name)  # a control may have to show another value than what was chosen
        if isinstance(parameter, param.Event):
            self.fire(name)
            return
        try:
            if isinstance(parameter, param.Number) and not isinstance(parameter, param.Boolean):
                value = taken(parameter, value, typed)
            elif isinstance(parameter, TextField):
                parameter.check(value)
        except ValueError as error:
            self.page.message = self._refusal = str(error)
            return
        if self._refusal and self.page.message == self._refusal:
            self.page.message = self._refusal = ""
        setattr(self.page, name, value)

    def fire(self, event: str) -> None:
        """Trigger an event parameter."""
        try:
            setattr(self.page, event, True)
        finally:  # param leaves an event on when what it triggered was interrupted
            with param.discard_events(self.page):
                setattr(self.page, event, False)

    # -- from the page to the person ---------------------------------------------------------------

    def attempt(self, task: Task) -> None:
        """Run a task; its error becomes the message of the page."""
        try:
            task()
        except Exception as error:
            logger.log(self._log_level, "a change of the page failed", exc_info=True)
            self.page.message = f"This did not work: {error}"

    def draw(self, item: Item, put: Callable[[Item, Any], None]) -> None:
        """Draw an item if it has to be, and call ``put(item, drawn)``; see `attempt` for errors.

        It is drawn only if a value that it needs is another one than at its last drawing.

        Parameters
        ----------
        item : Item
            The item, which counts as drawn afterwards.
        put : callable
            Takes the item, and what `Page.draw` returned.
        """
        self.stale.discard(item.name)  # first: another thread may change the page meanwhile
        try:
            self.attempt(partial(self._draw_item, item, put))
        except BaseException:  # it was interrupted
            self.stale.add(item.name)
            raise

    def put_off(self, item: Item) -> None:
        """Count an item as not drawn, because something else is shown in its place."""
        self.stale.discard(item.name)
        self._drawn_from.pop(item.name, None)

    def take_changed(self) -> set[str]:
        """Names of the parameters that changed or were set since the last call."""
        changed, self.changed = self.changed, set()
        return changed

    def take_used(self) -> str:
        """The control that a person used since the last call; "" for none."""
        used, self.used = self.used, ""
        return used

    def _use(self, control: str, task: Task, moving: bool) -> None:
        self.used, self.moving = control, moving
        task()

    def _draw_item(self, item: Item, put: Callable[[Item, Any], None]) -> None:
        needed = tuple(map(self._value, item.needs))
        before = self._drawn_from.get(item.name)
        if before is None or not same(needed, before):
            put(item, self.page.draw(item))
            self._drawn_from[item.name] = needed

    def _value(self, need: str) -> Any:
        known = self._values
        try:
            return known[need]
        except KeyError:
            (value,) = self.page.values_of((need,))
            known[need] = value
            return value

    def _note(self, *events: Any) -> None:
        names = {event.name for event in events}
        self.changed |= names
        self.stale |= {name for name, inputs in self._inputs.items() if inputs & names}
        gone = {need for need, behind in self._behind.items() if behind & names}
        if gone:
            # Another dict: a value that another thread computes now, from before, goes to the old.
            self._values = {n: value for n, value in self._values.items() if n not in gone}
        if not self.queue.here:
            self._outside()

    def _turn(self, tasks: list[Task]) -> None:
        self.tasks = tasks
        for task in (*tasks, self._draw):
            try:
                self.attempt(task)
            except KeyboardInterrupt:
                self.page.message = INTERRUPTED
