"""Finder that draws datasets at random, often at the ends of the domain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.mechanisms.base import Domain
from workbench.mechanisms.table_domain import TableDomain
from workbench.testers.finders.base import Finder, FinishedTrial
from workbench.testers.finders.dataset_space import space_of
from workbench.testers.finders.neighbors import Neighbors


class RandomFinder(Finder):
    """Proposes random datasets, independent between trials.

    A quarter of the datasets have the smallest size and a quarter the largest, the others any size,
    small ones more often. A record has one value in all columns, or one up to some column and
    another behind it, or one of its own in each; every value is an end of the domain two times out
    of three. The shared records are copies of one, of two, or drawn one by one. What is put in a
    record's place is its mirror image half of the time.

    In tables a quarter of the cells are notable values of their columns: ends, zeros, floats next
    to others, missing cells. The user that is added or removed has one row, the most, or any number
    of rows, and the others have one each or as many as can be.

    Parameters
    ----------
    neighboring_relation : {"add-remove", "substitute", "user", "label", "stated"}
        By "user" and "label" differ tables only, and those that are stated are not searched.
    domain : Domain or TableDomain
    seed : int or numpy.random.Generator
    """

    name = "random"

    def __init__(
        self,
        neighboring_relation: str,
        domain: Domain | TableDomain,
        seed: int | np.random.Generator = 0,
    ) -> None:
        self.space, self.domain = space_of(domain, neighboring_relation), domain
        self._rng = _checks.random(seed)

    def propose(self, history: Sequence[FinishedTrial]) -> Neighbors:
        rng, space = self._rng, self.space
        size = self._size()
        record = self._row()
        other = space.mirror(record) if rng.random() < 0.5 else self._row()
        kinds = (1, 2, max(size, 1))[rng.integers(3)]
        rows = np.stack([self._row() for _ in range(kinds)])
        shared = rows[rng.integers(kinds, size=size)]
        at = int(rng.integers(size + 1))
        return space.neighbors(shared, record, other, at, space.arranged(rng))

    def _size(self) -> int:
        """How many records are shared."""
        u = self._rng.random()
        x = (0.0, 1.0, u, u)[self._rng.integers(4)]
        return self.space.size(x)

    def _row(self) -> NDArray[np.float64]:
        """One record, shape (width,)."""
        rng, width = self._rng, self.space.width
        ends = rng.integers(2, size=width).astype(float)
        x = np.where(rng.random(width) < 2 / 3, ends, rng.random(width))
        pattern = rng.integers(3)
        if pattern == 0:
            x[:] = x[0]
        elif pattern == 1:
            cut = rng.integers(width)
            x[:cut], x[cut:] = x[0], x[-1]
        return self.space.noted(self.space.values(x), rng)
