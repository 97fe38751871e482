"""`ScoreRows`: the scores of P and of Q, held one by one in their order of arrival."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.scores.ordered import (
    Cells,
    Distinct,
    Floats,
    Integers,
    Moments,
    OrderedGroup,
    Samples,
    drawn,
    locked,
    oriented,
)

#: Masks of the scores of P and of Q.
Masks = tuple[NDArray[np.bool_], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class ScoreRows(Samples):
    """Two samples of scores. `ValueCounts` answers the same questions.

    Parameters
    ----------
    p, q : ndarray, shape (n_p,), (n_q,)
        In score units.
    larger_is_member : bool

    """

    p: Floats
    q: Floats
    larger_is_member: bool

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """Number of scores of P and of Q."""
        return self.p.size, self.q.size

    # -- in order ---------------------------------------------------------------------------------

    def oriented(self) -> tuple[Floats, Floats]:
        """Oriented scores of P and of Q in order of arrival."""
        return oriented(self.p, self.larger_is_member), oriented(self.q, self.larger_is_member)

    @property
    def arrived(self) -> tuple[int, int]:
        """Number of scores of P and of Q whose order of arrival is known."""
        return self.sizes

    def in_order(self, most: int | None = None) -> tuple[Floats, Floats]:
        """The first oriented scores of P and of Q in order of arrival, ``most`` of each or all."""
        return first_of_both(self.oriented(), most)

    @cached_property
    def ordered(self) -> tuple[Floats, Floats]:
        """Oriented scores of P and of Q, each sorted in increasing order with NaN last."""
        p, q = self.oriented()
        return _sorted(locked(p)), _sorted(locked(q))

    @cached_property
    def groups(self) -> tuple[OrderedGroup, OrderedGroup]:
        """Oriented scores of P and of Q in ascending order, as what answers counts and ranks."""
        p, q = self.ordered
        return OrderedGroup(p), OrderedGroup(q)

    @property
    def distinct(self) -> Distinct:
        """Distinct oriented scores in ascending order, and how many of P and of Q have each."""
        # Held as long as somebody uses it: it is larger than all else that is held of the scores.
        known: Callable[[], Distinct | None] = self.__dict__.get("_distinct", lambda: None)
        found = known()
        if found is None:
            found = Distinct.of(self.groups)
            object.__setattr__(self, "_distinct", ref(found))
        return found

    @cached_property
    def pooled(self) -> OrderedGroup:
        """Finite scores of both groups in ascending order, in score units."""
        pooled = np.concatenate([self.p, self.q])
        return OrderedGroup(locked(np.sort(pooled[np.isfinite(pooled)])))

    # -- numbers ----------------------------------------------------------------------------------

    def moments(self, unit: float = 1.0) -> tuple[Moments, Moments]:
        """Size, mean and variance of the finite scores of P and of Q, divided by ``unit`` first."""
        unit = _checks.number(unit, "unit")
        p, q = (Moments.of(x[np.isfinite(x)] / unit) for x in (self.p, self.q))
        return p, q

    @property
    def arrays(self) -> dict[str, Cells]:
        """Arrays by name that hold the scores, as files and workspaces keep them."""
        return {"p": self.p, "q": self.q}

    # -- other samples ----------------------------------------------------------------------------

    def turned(self) -> ScoreRows:
        """The same scores with the other direction."""
        return ScoreRows(self.p, self.q, not self.larger_is_member)

    def part(self, masks: Masks) -> ScoreRows:
        """Those of the `ordered` scores that masks of P and of Q choose, sorted."""
        p, q = (side[mask] for side, mask in zip(self.ordered, masks, strict=True))
        direction = self.larger_is_member
        return ScoreRows(locked(oriented(p, direction)), locked(oriented(q, direction)), direction)

    def split(
        self, sizes: tuple[int, int], rng: np.random.Generator
    ) -> tuple[ScoreRows, ScoreRows]:
        """A random part with these numbers of scores of P and of Q, and the rest."""
        p, q = (
            _first_of_each(group.counts, drawn(group.counts, k, rng))
            for group, k in zip(self.groups, sizes, strict=True)
        )
        return self.part((p, q)), self.part((~p, ~q))

    def rescored(self, rule: Callable[[Floats], ArrayLike]) -> ScoreRows:
        """Scores of the same runs under another rule, larger for members."""
        p, q = (_checks.array(rule(x), "the rule's scores").copy() for x in (self.p, self.q))
        if (p.shape, q.shape) != (self.p.shape, self.q.shape):
            raise ValueError(
                f"the rule must return one score for each of {self.p.size} and {self.q.size}, got "
                f"shapes {p.shape} and {q.shape}"
            )
        return ScoreRows(locked(p), locked(q), True)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_distinct"}


#: Scores that are looked at before the others, to see whether they are in order.
_HEAD = 1024


def _sorted(x: Floats) -> Floats:
    """Locked scores in increasing order with NaN last; those that are so already as they are."""
    if all((part[1:] >= part[:-1]).all() for part in (x[:_HEAD], x)):
        return x
    found: Floats = locked(np.sort(x))
    return found


def first_of_both(rows: tuple[Floats, Floats], most: int | None) -> tuple[Floats, Floats]:
    """The first rows of P and of Q, ``most`` of each or all."""
    if most is not None:
        most = _checks.count(most, "most")
    return rows[0][:most], rows[1][:most]


def _first_of_each(counts: Integers, chosen: Integers) -> NDArray[np.bool_]:
    """Mask of the first chosen ones of each value, for sorted scores."""
    place = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(place < np.repeat(chosen, counts))
