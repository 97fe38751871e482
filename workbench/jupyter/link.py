"""Views that share the controls both have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.jupyter.view import View

#: Sets a control of a view by name, held within its bounds.
Receive = Callable[[str, Any], None]


class Link:
    """Two views that share controls; the second first takes the values of the first.

    Parameters
    ----------
    names : iterable of str
        The controls.
    a, b : pair of View and Receive
    """

    def __init__(self, names: Iterable[str], a: tuple[View, Receive], b: tuple[View, Receive]):
        self._passing = False
        self._ends: list[tuple[View, Callable[[Any], None], str]] = []
        for name in names:
            self._pass(b[1], name, getattr(a[0], name))
            for (view, _), (_, receive) in ((a, b), (b, a)):
                callback = partial(self._pass, receive, name)
                view.observe(callback, name)
                self._ends.append((view, callback, name))

    def unlink(self) -> None:
        """End the sharing; both keep their values."""
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
