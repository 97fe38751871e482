"""`ScoresCache`: the same `Scores` object for the same reading, as long as anybody holds it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from weakref import WeakValueDictionary

from workbench.scores.sample import Scores

#: Scores that are held although nobody uses them.
HELD = 3


class ScoresCache:
    """Scores by key: the last few are held, others only while somebody else holds them.

    The results that a `Scores` object caches live as long as it does, so that another page finds
    what the first has computed.
    """

    def __init__(self) -> None:
        self._held: OrderedDict[Hashable, Scores] = OrderedDict()
        self._known: WeakValueDictionary[Hashable, Scores] = WeakValueDictionary()

    def get(self, key: Hashable, make: Callable[[], Scores]) -> Scores:
        """The scores of a key.

        Parameters
        ----------
        key : hashable
        make : callable
            Returns them if they are not here.
        """
        scores = self._known.get(key)
        if scores is None:
            scores = self._known[key] = make()
        self._held[key] = scores
        self._held.move_to_end(key)
        while len(self._held) > HELD:
            self._held.popitem(last=False)
        return scores

    def clear(self) -> None:
        """Hold nothing."""
        self._held.clear()
