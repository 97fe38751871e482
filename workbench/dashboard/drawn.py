"""`DrawnItems`: the items of a live page as JSON, drawn again when they have to be."""

from __future__ import annotations

from typing import Any

from workbench.assets import board as assets
from workbench.dashboard.sent import FirstState, Parts
from workbench.pages.core.page import Answer, Fact, Item
from workbench.pages.core.session import PageSession

#: Content of slow items until they are drawn.
PENDING = {"number": Fact("…"), "sentence": "…"}
PENDING_ANSWER = Answer("…")


class DrawnItems:
    """The items of a page as JSON; slow ones are drawn once the page rests.

    Parameters
    ----------
    session : PageSession
        Of the page.
    first : FirstState, optional
        The items as they are drawn already.

    Attributes
    ----------
    parts : dict
        What is drawn; see `Parts`.
    waiting : set of str
        Names of slow items that are not drawn yet.
    """

    def __init__(self, session: PageSession, first: FirstState | None = None):
        self.parts: Parts = {} if first is None else dict(first.parts)
        self.waiting: set[str] = set()
        self._session = session
        self._due: set[str] = set()
        if first is None:
            session.stale |= session.items.keys()

    def rest(self) -> None:
        """Have the slow items drawn at the next drawing."""
        self._due, self.waiting = self._due | self.waiting, set()

    def draw(self, at_rest: bool = False) -> None:
        """Draw the items that have to be.

        Parameters
        ----------
        at_rest : bool
            Slow ones as well.
        """
        due, self._due = self._due, set()
        for item in self._session.items.values():
            moved = item.name in self._session.stale
            if moved and item.slow and not at_rest and item.name in self.parts:
                self._session.put_off(item)
                # What waits already says so, and a figure says itself what it was drawn of.
                if item.kind != "figure" and item.name not in self.waiting:
                    pending = PENDING[item.kind] if item.place != "answer" else PENDING_ANSWER
                    self._put(item, pending)
                self.waiting.add(item.name)
            elif moved or item.name in due or (at_rest and item.name in self.waiting):
                self._session.draw(item, self._put)
                self.waiting.discard(item.name)

    def _put(self, item: Item, value: Any) -> None:
        self.parts[item.name] = assets.parts(value)
