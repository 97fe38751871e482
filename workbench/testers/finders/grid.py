"""Finder that proposes datasets from a grid of sizes and values, refined in rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product, zip_longest

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.base import Domain
from workbench.mechanisms.table_domain import TableDomain
from workbench.testers.finders.base import Finder, FinishedTrial
from workbench.testers.finders.dataset_space import content, space_of
from workbench.testers.finders.neighbors import Neighbors

#: The values of the last round are 2^ROUNDS apart, as a share of the domain.
ROUNDS = 3


class GridFinder(Finder):
    """Proposes datasets in a deterministic order: first the ends of the domain, then between.

    Round 0 knows the two ends, and every later round also the middles between the values of the
    one before. Within a round, sizes go from small to large, doubling; for each, the shared records
    are all alike at each value (from round 1 on, also evenly spread over the domain), and for each
    of these the record changes: one value in all its columns, or one value in the first column or
    the first half of them and another in the rest. What is put in its place is its mirror image in
    round 0, and each other such record later. It ends when all are done.

    In tables every other proposal has a row with one notable value of a column, such as -0.0 or a
    missing cell, among rows of the ends, or the other way around; and all are made for a user with
    the most rows and with one, among users with one row each and with as many as can be.

    Parameters
    ----------
    neighboring_relation : {"add-remove", "substitute", "user", "label", "stated"}
        By "user" and "label" differ tables only, and those that are stated are not searched.
    domain : Domain or TableDomain
    """

    name = "grid"

    def __init__(self, neighboring_relation: str, domain: Domain | TableDomain) -> None:
        self.space, self.domain = space_of(domain, neighboring_relation), domain
        self._rest = self._proposals()

    def propose(self, history: Sequence[FinishedTrial]) -> Neighbors | None:
        return next(self._rest, None)

    def _proposals(self) -> Iterator[Neighbors]:
        """Those of both sweeps in turn, each once."""
        seen = set()
        for several in zip_longest(self._sweep(), self._notable_sweep()):
            for proposal in several:
                if proposal is not None and (key := content(proposal)) not in seen:
                    seen.add(key)
                    yield proposal

    def _sweep(self) -> Iterator[Neighbors]:
        for fineness in range(ROUNDS + 1):
            values = np.unique(self.space.values(np.linspace(0, 1, 2**fineness + 1)))
            changes = self._changes(self._rows(values), mirrored=fineness == 0)
            changes = self.space.distinct(changes)
            for size in self._sizes():
                for shared in self._shared(values, size, spread=fineness > 0):
                    for record, other in changes:
                        for loose in self.space.arrangements():
                            yield self.space.neighbors(shared, record, other, None, loose)

    def _notable_sweep(self) -> Iterator[Neighbors]:
        """Rows with a notable value among others of the ends, and the other way around."""
        width = self.space.width
        sizes = list(dict.fromkeys((self.space.size(0.5), self.space.most, self.space.fewest)))
        notable = self.space.notable_rows()
        for turn, loose in product(range(len(sizes)), self.space.arrangements()):
            for is_shared, low in product((False, True), (0.0, 1.0)):
                end = np.full(width, low)
                for place, row in enumerate(notable):
                    shared, record, other = (row, end, row) if is_shared else (end, row, end)
                    size = sizes[(turn + place) % len(sizes)]
                    all_shared = np.tile(shared, (size, 1))
                    yield self.space.neighbors(all_shared, record, other, None, loose)

    def _sizes(self) -> list[int]:
        fewest, most = self.space.fewest, self.space.most
        doubling = (fewest + 2**i for i in range((most - fewest).bit_length()))
        return sorted({fewest, most, *doubling})

    def _shared(
        self, values: NDArray[np.float64], size: int, spread: bool
    ) -> Iterator[NDArray[np.float64]]:
        width = self.space.width
        constant = [np.full(width, value) for value in values]
        for row, _ in self.space.distinct([(row, row) for row in constant]):
            yield np.tile(row, (size, 1))
        if spread and size > 1:
            evenly = self.space.values(np.linspace(0, 1, size))
            yield np.repeat(evenly[:, None], width, axis=1)

    def _rows(self, values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        width = self.space.width
        rows = [np.full(width, value) for value in values]
        for cut in sorted({width // 2, 1} & set(range(1, width)), reverse=True):
            for a in values:
                rows += [np.repeat([a, b], [cut, width - cut]) for b in values if b != a]
        return [row for row, _ in self.space.distinct([(row, row) for row in rows])]

    def _changes(
        self, rows: list[NDArray[np.float64]], mirrored: bool
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The record that differs, and what is in its place (no matter to "add-remove")."""
        if not self.space.substitute:
            return [(row, row) for row in rows]
        if mirrored:
            both = [(row, self.space.mirror(row)) for row in rows]
            return [(a, b) for a, b in both if tuple(a) < tuple(b)]
        return list(combinations(rows, 2))
