"""Callbacks on the controls and numbers of a view, and views that share controls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

#: Called with the new value of what it observes.
Callback = Callable[[Any], Any]

#: Sets a control of a view by name, held within its bounds.
Receive = Callable[[str, Any], None]


class Observable(Protocol):
    """Has values that change, as attributes."""

    def __getattr__(self, name: str) -> Any:
        """The present value."""

    def observe(self, callback: Callback, name: str) -> None:
        """Call ``callback`` with the new value whenever it changes."""

    def unobserve(self, callback: Callback, name: str) -> None:
        """Undo `observe`."""


@dataclass
class Observer:
    """A callback, the name that it observes, and the last value that it was called with."""

    callback: Callback
    name: str
    last: Any


class Observers:
    """The callbacks of one view.

    Parameters
    ----------
    read : callable
        ``read(name)`` is the present value of a control or number.
    attempt : callable
        ``attempt(task)`` runs a task and shows its error.
    """

    def __init__(self, read: Callable[[str], Any], attempt: Callable[[Callable[[], Any]], None]):
        self._read, self._attempt = read, attempt
        self._all: list[Observer] = []

    def add(self, callback: Callback, name: str) -> None:
        """Call ``callback`` with every later value of ``name``.

        Parameters
        ----------
        callback : callable
            Takes the new value.
        name : str
            A control or number.
        """
        self._all.append(Observer(callback, name, self._read(name)))

    def remove(self, callback: Callback, name: str) -> None:
        """Undo `add`.

        Parameters
        ----------
        callback, name
            As in `add`.
        """
        gone = (callback, name)
        self._all = [one for one in self._all if (one.callback, one.name) != gone]

    def __len__(self) -> int:
        return len(self._all)

    def clear(self) -> None:
        """Remove all callbacks."""
        self._all = []

    def tell(self) -> bool:
        """Call those whose value has changed; True if there were any."""
        called: list[Observer] = []
        for observer in list(self._all):
            self._attempt(partial(self._tell, observer, called))
        return bool(called)

    def _tell(self, observer: Observer, called: list[Observer]) -> None:
        now = self._read(observer.name)
        if now is not observer.last and now != observer.last:
            observer.last = now
            called.append(observer)
            observer.callback(now)


class Link:
    """Two views that share controls; the second first takes the values of the first.

    Parameters
    ----------
    names : iterable of str
        The controls.
    a, b : pair of Observable and Receive
        The views, and what sets their controls.
    """

    def __init__(
        self, names: Iterable[str], a: tuple[Observable, Receive], b: tuple[Observable, Receive]
    ):
        self._passing = False
        self._ends: list[tuple[Observable, Callback, str]] = []
        for name in names:
            self._pass(b[1], name, getattr(a[0], name))
            for (view, _), (_, receive) in ((a, b), (b, a)):
                callback = partial(self._pass, receive, name)
                view.observe(callback, name)
                self._ends.append((view, callback, name))

    def unlink(self) -> None:
        """End the sharing; both views keep their values."""
        for view, callback, name in self._ends:
            view.unobserve(callback, name)
        self._ends = []

    def _pass(self, receive: Receive, name: str, value: Any) -> None:
        # A value that had to be held within the other's bounds must not come back changed.
        if self._passing:
            return
        self._passing = True
        try:
            receive(name, value)
        finally:
            self._passing = False


class WidgetLink:
    """A view and the parameters of another object, such as a widget, which take values of it.

    Parameters
    ----------
    view : Observable
        The view.
    update : callable
        ``update(**controls)`` sets controls of it.
    target : object
        What has the parameters; they first take the present values.
    fields : mapping of str to str
        Names in the view, and names of parameters.
    bidirectional : bool
        Whether the view takes later values of the parameters.
    """

    def __init__(
        self,
        view: Observable,
        update: Callable[..., None],
        target: Any,
        fields: Mapping[str, str],
        bidirectional: bool,
    ):
        self._view, self._target, self._passing = view, target, False
        self._ends: list[tuple[Callback, str]] = []
        self._watchers: list[Any] = []
        for name, field in fields.items():
            show = partial(self._pass, partial(setattr, target, field))
            view.observe(show, name)
            self._ends.append((show, name))
            show(getattr(view, name))
            if bidirectional:
                take = partial(self._take, update, name)
                self._watchers.append(target.param.watch(take, field))

    def unlink(self) -> None:
        """End the sharing; both keep their values."""
        for callback, name in self._ends:
            self._view.unobserve(callback, name)
        for watcher in self._watchers:
            self._target.param.unwatch(watcher)
        self._ends, self._watchers = [], []

    def _take(self, update: Callable[..., None], name: str, event: Any) -> None:
        self._pass(lambda value: update(**{name: value}), event.new)

    def _pass(self, receive: Callable[[Any], Any], value: Any) -> None:
        # A value that had to be rounded or held within bounds must not come back changed.
        if self._passing:
            return
        self._passing = True
        try:
            receive(value)
        finally:
            self._passing = False
