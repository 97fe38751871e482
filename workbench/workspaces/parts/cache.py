"""`ScoresCache`: the same `Scores` or `ScoreTable` for the same reading, while anybody holds it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from weakref import WeakValueDictionary

from workbench.scores.sample import Scores
from workbench.tables.table import ScoreTable

#: What the cache holds.
Content = Scores | ScoreTable

#: Scores that are held although nobody uses them.
HELD = 3


class ScoresCache:
    """Scores and tables by key: the last few are held, others only while somebody uses them.

    The results that such an object caches live as long as it does, so that another page finds
    what the first has computed.
    """

    def __init__(self) -> None:
        self._held: OrderedDict[Hashable, Content] = OrderedDict()
        self._known: WeakValueDictionary[Hashable, Content] = WeakValueDictionary()

    def get(self, key: Hashable, make: Callable[[], Content]) -> Content:
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
