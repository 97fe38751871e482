"""`PageGestures`: what a gesture asks of a page, as a task.

A gesture is a dict with its ``kind`` and its ``serial`` number::

    {"kind": "set", "name": "threshold", "value": 0.5}    a control; a selector by its label
    {"kind": "set", "name": "threshold", "value": 7, "typed": true}    a number that was typed
    {"kind": "drag", "item": "roc", "shape": "line", "x": 0.3}
    {"kind": "click", "item": "roc", "x": 0.3, "y": 0.7}
    {"kind": "job", "job": "simulate"}                    the button of a job
    {"kind": "dismiss"}                                   the message was read
    {"kind": "risk"}                                      what could an attacker do?

``"done": false`` marks the steps of a slider or a line that is still held.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any

import param

from workbench.pages.core.page import Item, Page
from workbench.pages.core.queue import Task
from workbench.pages.core.sliders import snap
from workbench.pages.core.value_selector import DataSelector

#: A JSON object on its way between a browser and a page.
Message = dict[str, Any]

#: Kinds of gestures that change the settings of a page.
CHANGING = ("set", "drag", "click")

#: The key of a task, and the task; of the tasks with one key, the latest is carried out.
Asked = tuple[Hashable, Task]


class PageGestures:
    """What gestures ask of a page.

    Parameters
    ----------
    page : Page
    items : mapping of str to Item
        The items that can be dragged and clicked.
    assign, press : callable
        ``assign(name, value, typed)`` sets a parameter, ``press(job)`` starts or cancels a job.
    """

    def __init__(
        self,
        page: Page,
        items: Mapping[str, Item],
        assign: Callable[[str, Any, bool], None],
        press: Callable[[str], None],
    ):
        self._page, self._items, self._assign, self._press = page, items, assign, press
        dragged = {name for item in items.values() for name in item.drag.values()}
        self._settable = {name for name in {*page.control_names(), *dragged} if name in page.param}
        self._kinds: dict[str, Callable[[Message], Asked]] = {
            "set": self._set,
            "drag": self._drag,
            "click": self._click,
            "job": self._job,
            "dismiss": self._dismiss,
            "risk": self._risk,
        }

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of gestures."""
        return frozenset(self._kinds)

    def end(self) -> None:
        """Let go of the page."""
        self._kinds.clear()

    def asked(self, gesture: Message) -> Asked:
        """The key and the task of a gesture.

        Raises
        ------
        KeyError, TypeError, ValueError, AttributeError
            It is no gesture of this page.
        """
        return self._kinds[gesture["kind"]](gesture)

    def setting(self, name: str, value: Any, typed: bool = False) -> Asked:
        """The key and the task that set a control; a KeyError if no control sets ``name``."""
        if name not in self._settable:
            raise KeyError(f"no control sets {name!r}")
        return name, partial(self._assign, name, value, typed)

    def _set(self, gesture: Message) -> Asked:
        name, value = gesture["name"], gesture["value"]
        key, task = self.setting(name, value, gesture.get("typed") is True)
        if isinstance(self._page.param[name], param.Selector):
            task = partial(self._assign_label, name, value)
        return key, task

    def _assign_label(self, name: str, label: str) -> None:
        parameter: Any = self._page.param[name]
        restricted = isinstance(parameter, DataSelector)  # which says why it refuses a choice
        named = parameter.every() if restricted else parameter.get_range()
        self._assign(name, named[label], False)

    def _drag(self, gesture: Message) -> Asked:
        item = self._items[gesture["item"]]
        name = item.drag[gesture["shape"]]
        parameter: Any = self._page.param[name]
        return self.setting(name, snap(parameter, self._page.dragged(item, gesture["x"])))

    def _click(self, gesture: Message) -> Asked:
        method = getattr(self._page, self._items[gesture["item"]].click or "")
        return "click", partial(method, gesture["x"], gesture["y"])

    def _job(self, gesture: Message) -> Asked:
        job = self._page.jobs()[gesture["job"]].name
        return ("press", job), partial(self._press, job)

    def _dismiss(self, gesture: Message) -> Asked:
        return "message", partial(setattr, self._page, "message", "")

    def _risk(self, gesture: Message) -> Asked:
        return "risk", self._page.ask_risk
