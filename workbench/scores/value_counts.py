"""`ValueCounts`: the scores of P and of Q as distinct values, with how many of each take them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from workbench import _checks
from workbench.scores.ordered import (
    Cells,
    CountedGroup,
    Distinct,
    Floats,
    Integers,
    Moments,
    OrderedGroup,
    Samples,
    locked,
)
from workbench.scores.refusals import ScoresError
from workbench.scores.rows import Masks, first_of_both

#: Scores, of both groups together, up to which rows are made from counts.
MOST_EXPANDED = 10**7


@dataclass(frozen=True, eq=False)
class ValueCounts(Samples):
    """Two samples of scores that are counted; answers what `ScoreRows` answers.

    Parameters
    ----------
    values : ndarray, shape (k,)
        Ascending and distinct, in score units; −∞ may be first, NaN last.
    counts_p, counts_q : ndarray of int, shape (k,)
    larger_is_member : bool
    first : pair of ndarray, optional
        The first oriented rows of P and of Q in order of arrival.
    grid : str, optional
        For which cells the values stand, where they are not exact.
    """

    values: Floats
    counts_p: Integers
    counts_q: Integers
    larger_is_member: bool
    first: tuple[Floats, Floats] | None = None
    grid: str | None = None

    is_counted: ClassVar[bool] = True

    # -- rows, which are made from the counts (ScoresError if they are more than 10⁷) -------------

    @property
    def p(self) -> Floats:
        """Scores of P in ascending order."""
        return self._rows(self.values, self.counts_p)

    @property
    def q(self) -> Floats:
        """Scores of Q in ascending order."""
        return self._rows(self.values, self.counts_q)

    @property
    def ordered(self) -> tuple[Floats, Floats]:
        """Oriented scores of P and of Q in ascending order."""
        found = self.distinct
        return self._rows(found.values, found.p), self._rows(found.values, found.q)

    def _rows(self, values: Floats, counts: Integers) -> Floats:
        n = sum(self.sizes)
        if n > MOST_EXPANDED:
            raise ScoresError(
                f"{n:,} counted scores are too many to make rows of (at most {MOST_EXPANDED:,}): "
                "use scores.samples.distinct, the values with their counts, or read fewer rows"
            )
        rows: Floats = locked(np.repeat(values, counts))
        return rows

    # -- the first rows ---------------------------------------------------------------------------

    @property
    def arrived(self) -> tuple[int, int]:
        """Number of scores of P and of Q whose order of arrival is known."""
        return (0, 0) if self.first is None else (self.first[0].size, self.first[1].size)

    def in_order(self, most: int | None = None) -> tuple[Floats, Floats]:
        """The first oriented scores of P and of Q in order of arrival, ``most`` of each or all."""
        if self.first is None:
            raise ScoresError(
                "these scores are counts of values without their order of arrival, which this "
                "needs; give the first rows as first=(rows of P, rows of Q)"
            )
        return first_of_both(self.first, most)

    @property
    def first_rows(self) -> str:
        """A sentence on how many rows `in_order` has, where these are not all; otherwise ""."""
        p, q = self.arrived
        if (p, q) in ((0, 0), self.sizes):
            return ""
        return f"Only the first {p:,} scores of P and {q:,} of Q in order of arrival were used."

    # -- counts -----------------------------------------------------------------------------------

    @cached_property
    def distinct(self) -> Distinct:
        """Distinct oriented scores in ascending order, and how many of P and of Q have each."""
        sides = self.counts_p, self.counts_q
        return Distinct(*reoriented(self.values, *sides, self.larger_is_member))

    @cached_property
    def groups(self) -> tuple[CountedGroup, CountedGroup]:
        """Oriented scores of P and of Q in ascending order, as what answers counts and ranks."""
        return self.distinct.groups

    @cached_property
    def pooled(self) -> OrderedGroup:
        """Finite scores of both groups in ascending order, in score units."""
        return CountedGroup.of(self.values, self.counts_p + self.counts_q).finite

    def moments(self, unit: float = 1.0) -> tuple[Moments, Moments]:
        """Size, mean and variance of the finite scores of P and of Q, divided by ``unit`` first."""
        finite = np.isfinite(self.values)
        values = self.values[finite] / _checks.number(unit, "unit")
        p, q = (Moments.of_counts(values, c[finite]) for c in (self.counts_p, self.counts_q))
        return p, q

    @property
    def rounding(self) -> str:
        """A sentence for fits of families, where the scores are rounded to a grid; otherwise ""."""
        if self.grid is None:
            return ""
        return (
            "The scores are rounded to the cells of a grid, for which no family allows: what is as "
            "small as a cell may be due to the rounding."
        )

    @property
    def arrays(self) -> dict[str, Cells]:
        """Arrays by name that hold the scores: values, counts and first rows, in score units."""
        found = {"value": self.values, "count_p": self.counts_p, "count_q": self.counts_q}
        if self.first is not None:
            p, q = (self.in_score_units(x) for x in self.first)
            found |= {"first_p": p, "first_q": q}
        return found

    # -- other samples ----------------------------------------------------------------------------

    def turned(self) -> ValueCounts:
        """The same scores with the other direction."""
        first = None if self.first is None else (-self.first[0], -self.first[1])
        return replace(self, larger_is_member=not self.larger_is_member, first=first)

    def part(self, masks: Masks) -> ValueCounts:
        """Those of the `ordered` scores that masks of P and of Q choose."""
        chosen = []
        for mask, group in zip(masks, self.groups, strict=True):
            before = np.concatenate([[0], np.cumsum(mask)])
            chosen.append(np.diff(before[group.ends]))
        return self._with(*chosen)

    def split(
        self, sizes: tuple[int, int], rng: np.random.Generator
    ) -> tuple[ValueCounts, ValueCounts]:
        """A random part with these numbers of scores of P and of Q, and the rest."""
        p, q = (group.drawn(k, rng) for group, k in zip(self.groups, sizes, strict=True))
        return self._with(p, q), self._with(self.distinct.p - p, self.distinct.q - q)

    def _with(self, p: Integers, q: Integers) -> ValueCounts:
        """Other counts of the `distinct` values, without an order of arrival."""
        _, of_p, of_q = reoriented(self.distinct.values, p, q, self.larger_is_member)
        return replace(self, counts_p=locked(of_p), counts_q=locked(of_q), first=None)

    def rescored(self, rule: Callable[[Floats], ArrayLike]) -> ValueCounts:
        """Scores of the same runs under another rule, larger for members."""
        ruled = _checks.array(rule(self.values), "the rule's scores")
        if ruled.shape != self.values.shape:
            raise ValueError(
                f"the rule must return one score for each of {self.values.size} values, got shape "
                f"{ruled.shape}"
            )
        values, where = np.unique(ruled, return_inverse=True)
        sides = []
        for counts in (self.counts_p, self.counts_q):
            sides.append(np.zeros(values.size, dtype=np.int64))
            np.add.at(sides[-1], where, counts)
        p, q = map(locked, sides)
        first = None
        if self.first is not None:
            first = tuple(
                locked(_checks.array(rule(self.in_score_units(x)), "the rule's scores").copy())
                for x in self.first
            )
        return ValueCounts(locked(values), p, q, True, first, self.grid)

    def __getstate__(self) -> dict[str, Any]:
        """What was given, without what is computed from it."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


def reoriented(
    values: Floats, p: Integers, q: Integers, larger_is_member: bool
) -> tuple[Floats, Integers, Integers]:
    """Ascending values and their counts in the other units, score or oriented; NaN stays last."""
    if larger_is_member:
        return values, p, q
    known = values.size - int(np.isnan(values[-1:]).sum())
    order = np.concatenate([np.arange(known)[::-1], np.arange(known, values.size)])
    return -values[order], p[order], q[order]
