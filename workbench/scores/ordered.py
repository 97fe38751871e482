"""Scores of one group in ascending order: how many lie below a value, and which value has a rank.

`OrderedGroup` holds every score, `CountedGroup` each distinct value once with its count. Both
answer the same questions, and nothing else is asked of the scores of a group by what depends on
their order alone. `Distinct` has the values of both groups with their counts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.scores import chance

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: A column as it came: numbers, booleans, text, or objects with None in empty cells.
Cells = NDArray[Any]


@dataclass(frozen=True, eq=False)
class OrderedGroup:
    """Scores of one group in ascending order, with NaN last.

    Attributes
    ----------
    values : ndarray, shape (n,)
    """

    values: Floats

    @property
    def size(self) -> int:
        """Number of scores."""
        return self.values.size

    def below(self, t: Any) -> Any:
        """Number of scores less than t, an integer or an array in the shape of ``t``."""
        return np.searchsorted(self.values, t, side="left")

    def up_to(self, t: Any) -> Any:
        """Number of scores less than t or equal to it; NaN is equal to NaN."""
        return np.searchsorted(self.values, t, side="right")

    def above(self, t: Any) -> Any:
        """Number of scores greater than t, among which NaN counts."""
        return self.size - self.up_to(t)

    def at_least(self, t: Any) -> Any:
        """Number of scores greater than t or equal to it, among which NaN counts."""
        return self.size - self.below(t)

    def at(self, index: Any) -> Any:
        """The score at an index, from 0 for the least; negative ones count from the end."""
        return self.values[index]

    def runs(self) -> tuple[Floats, Integers]:
        """The distinct scores in ascending order, and the number of scores up to each.

        Returns
        -------
        values : ndarray, shape (k,)
        ends : ndarray of int, shape (k,)
        """
        a, b = self.values[:-1], self.values[1:]
        last = np.flatnonzero(np.append((a != b) & ~(np.isnan(a) & np.isnan(b)), True))
        return self.values[last], last + 1

    @property
    def counts(self) -> Integers:
        """How many scores have each of the group's distinct values, in ascending order."""
        return np.diff(self.runs()[1], prepend=0)

    @property
    def finite(self) -> OrderedGroup:
        """The group without NaN and ±∞."""
        return type(self)(self.values[self._finite])

    @property
    def _finite(self) -> slice:
        low = int(np.searchsorted(self.values, -np.inf, side="right"))
        return slice(low, int(np.searchsorted(self.values, np.inf)))


@dataclass(frozen=True, eq=False)
class CountedGroup(OrderedGroup):
    """Scores of one group as ascending distinct values, NaN last, and how many have each.

    Attributes
    ----------
    values : ndarray, shape (k,)
    ends : ndarray of int, shape (k + 1,)
        Number of scores up to and including each value, after a first 0.
    """

    ends: Integers

    @classmethod
    def of(cls, values: Floats, counts: Integers) -> CountedGroup:
        """The group of values and their counts."""
        return cls(values, np.concatenate([[0], np.cumsum(counts)]))

    @property
    def size(self) -> int:
        """Number of scores."""
        return int(self.ends[-1])

    def below(self, t: Any) -> Any:
        """Number of scores less than t, an integer or an array in the shape of ``t``."""
        return self.ends[super().below(t)]

    def up_to(self, t: Any) -> Any:
        """Number of scores less than t or equal to it; NaN is equal to NaN."""
        return self.ends[super().up_to(t)]

    def at(self, index: Any) -> Any:
        """The score at an index, from 0 for the least; negative ones count from the end."""
        index = np.where(np.asarray(index) < 0, self.size + np.asarray(index), index)
        return self.values[np.searchsorted(self.ends[1:], index, side="right")]

    def runs(self) -> tuple[Floats, Integers]:
        """The distinct scores in ascending order, and the number of scores up to each.

        Returns
        -------
        values : ndarray, shape (k,)
        ends : ndarray of int, shape (k,)
        """
        present = np.diff(self.ends) > 0
        return self.values[present], self.ends[1:][present]

    def drawn(self, size: int, rng: np.random.Generator) -> Integers:
        """How many scores of each value a random subset has, shape (k,).

        Parameters
        ----------
        size : int
            Of the subset.
        rng : numpy.random.Generator
        """
        counts = np.diff(self.ends)
        found = np.zeros_like(counts)
        found[counts > 0] = drawn(counts[counts > 0], size, rng)
        return found

    @property
    def finite(self) -> CountedGroup:
        """The group without NaN and ±∞."""
        kept = self._finite
        ends = self.ends[kept.start : kept.stop + 1]
        return CountedGroup(self.values[kept], ends - ends[0])


@dataclass(frozen=True, eq=False)
class Distinct:
    """Distinct scores of both groups in ascending order, and how many of each group have them.

    Attributes
    ----------
    values : ndarray, shape (k,)
        Larger is more member-like (`Samples.in_score_units` undoes this); NaN, the most
        member-like, is last.
    p, q : ndarray of int, shape (k,)
        Number of scores of P and of Q.
    """

    values: Floats
    p: Integers
    q: Integers

    @classmethod
    def of(cls, groups: tuple[OrderedGroup, OrderedGroup]) -> Distinct:
        """The distinct values of both groups."""
        p, q = groups
        both = np.concatenate([p.values, q.values])
        # Both are sorted: a stable sort merges them.
        order = np.argsort(both, kind="stable")
        x = both[order]
        first = np.flatnonzero(
            np.append(True, (x[1:] != x[:-1]) & ~(np.isnan(x[1:]) & np.isnan(x[:-1])))
        )
        values = x[first]
        if isinstance(p, CountedGroup) or isinstance(q, CountedGroup):  # counts in place of rows
            p, q = (group.up_to(values) - group.below(values) for group in (p, q))
        else:
            p = np.diff(np.append(0, np.cumsum(order < p.size))[np.append(first, x.size)])
            q = np.diff(np.append(first, x.size)) - p
        for x in (values, p, q):
            x.flags.writeable = False
        return cls(values, p, q)

    @property
    def groups(self) -> tuple[CountedGroup, CountedGroup]:
        """Both groups, counted."""
        return CountedGroup.of(self.values, self.p), CountedGroup.of(self.values, self.q)


@dataclass(frozen=True)
class Moments:
    """Size, mean and variance (with divisor n) of the finite scores of a group."""

    size: int
    mean: float
    variance: float

    @classmethod
    def of(cls, x: Floats) -> Moments:
        """Those of an array; NaN where it is empty."""
        if not x.size:
            return cls(0, np.nan, np.nan)
        return cls(x.size, float(x.mean()), float(x.var()))

    @classmethod
    def of_counts(cls, values: Floats, counts: Integers) -> Moments:
        """Those of values that occur as often as their counts."""
        size = int(counts.sum())
        if not size:
            return cls(0, np.nan, np.nan)
        share = counts / size
        mean = float(share @ values)
        return cls(size, mean, float(share @ (values - mean) ** 2))


class Samples(ABC):
    """Two samples of scores, held in one way or another, as what answers questions about them.

    Scores are *oriented* if larger ones are more member-like: they are negated where smaller ones
    are. `in_score_units` undoes this.

    Attributes
    ----------
    is_counted : bool
        Whether only the counts of values are known, and no rows.
    """

    is_counted: ClassVar[bool] = False
    larger_is_member: bool

    @property
    @abstractmethod
    def ordered(self) -> tuple[Floats, Floats]:
        """Oriented scores of P and of Q in ascending order, with NaN last."""

    @property
    @abstractmethod
    def groups(self) -> tuple[OrderedGroup, OrderedGroup]:
        """The same, as what answers counts and ranks."""

    @property
    @abstractmethod
    def distinct(self) -> Distinct:
        """Distinct oriented scores in ascending order, and how many of P and of Q have each."""

    @property
    @abstractmethod
    def pooled(self) -> OrderedGroup:
        """Finite scores of both groups in ascending order, in score units."""

    @property
    def first_rows(self) -> str:
        """A sentence on how many rows `in_order` has, where these are not all; otherwise ""."""
        return ""

    @property
    def rounding(self) -> str:
        """A sentence for fits of families, where the scores are rounded to a grid; otherwise ""."""
        return ""

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """Number of scores of P and of Q."""
        p, q = self.groups
        return p.size, q.size

    def oriented(self) -> tuple[Floats, Floats]:
        """Oriented scores of P and of Q; in order of arrival where that is known of all."""
        return self.ordered

    @property
    def nan_counts(self) -> tuple[int, int]:
        """Number of NaN of P and of Q."""
        p, q = (int(group.above(np.inf)) for group in self.groups)
        return p, q

    def in_score_units(self, t: ArrayLike) -> Any:
        """Oriented scores as scores, and back: a float for a scalar, otherwise an array."""
        t = (1.0 if self.larger_is_member else -1.0) * _checks.array(t, "thresholds")
        return float(t) if t.ndim == 0 else t

    def spreads(self) -> list[tuple[float, ...]]:
        """Least, median and largest finite score of P and of Q; empty where there is none."""
        sign = 1.0 if self.larger_is_member else -1.0
        return [_spread(group.finite, sign) for group in self.groups]

    @property
    def constant(self) -> str:
        """For readers, that all scores are one value; empty where they are not."""
        ends = [group.at(i) for group in self.groups for i in (0, group.size - 1)]
        if not all(end == ends[0] for end in ends):
            return ""
        value = self.in_score_units(ends[0])
        return (
            f"All scores equal {value:g}, so they show no leak; check that the score column is the "
            "right one."
        )

    def below_counts(self, x: ArrayLike) -> tuple[Integers, Integers]:
        """Number of scores of P and of Q less than x, whichever direction is member-like.

        Parameters
        ----------
        x : array_like
            In score units. NaN among the scores is not counted.

        Returns
        -------
        of_p, of_q : ndarray of int, the shape of ``x``
        """
        x = _checks.array(x, "x")
        sides = []
        for group, nan in zip(self.groups, self.nan_counts, strict=True):
            n = group.size - nan
            below = group.below(x) if self.larger_is_member else n - np.minimum(group.up_to(-x), n)
            sides.append(np.asarray(below))
        return sides[0], sides[1]

    def most_member_like_q(self, rank: ArrayLike) -> Floats:
        """The ``rank``-th most member-like score of Q, in score units.

        Parameters
        ----------
        rank : array_like of int
            1 is the most member-like.

        Raises
        ------
        ValueError
            A rank that is not a whole number from 1 to ``n_q``.
        """
        _, q = self.groups
        r = _checks.array(rank, "rank")
        if not ((r >= 1) & (r <= q.size) & (r == np.floor(r))).all():
            raise ValueError(
                f"rank must be whole numbers from 1 to the {q.size} scores of Q, got "
                f"{_checks.shown(rank)}"
            )
        return np.asarray(self.in_score_units(q.at(q.size - r.astype(np.int64))))

    @cached_property
    def fingerprint(self) -> chance.Fingerprint:
        """What these scores are known by: their ranks.

        It is the same in other units and the other direction, for another order of rows, and for
        counts of the values.
        """
        found = self.distinct
        return chance.Fingerprint.of_counts(found.p, found.q, bool(np.isnan(found.values[-1])))


def drawn(counts: Integers, size: int, rng: np.random.Generator) -> Integers:
    """Counts of a random subset of what is counted, multivariate hypergeometric.

    Scores that are held one by one and scores that are counted have the same subset.

    Parameters
    ----------
    counts : ndarray of int, shape (k,)
    size : int
        Of the subset.
    rng : numpy.random.Generator

    Notes
    -----
    Each element is in the subset with probability size/n; then as many as are too many or missing,
    chosen uniformly, leave or join it. Given its size a random subset is uniform before and after
    that. NumPy's own draw ends at 10⁹ elements.
    """
    chosen = rng.binomial(counts, size / int(counts.sum()))
    excess = int(chosen.sum()) - size
    if excess > 0:
        return chosen - _few_drawn(chosen, excess, rng)
    return chosen + _few_drawn(counts - chosen, -excess, rng)


def _few_drawn(counts: Integers, size: int, rng: np.random.Generator) -> Integers:
    """Counts of a random subset that is small enough to list."""
    which = rng.choice(int(counts.sum()), size, replace=False, shuffle=False)
    return np.bincount(
        np.searchsorted(np.cumsum(counts), which, side="right"), minlength=counts.size
    )


def oriented(x: Floats, larger_is_member: bool) -> Floats:
    """Scores whose larger values are more member-like: ``x``, or its negative.

    Parameters
    ----------
    x : ndarray
    larger_is_member : bool
        Of ``x``.
    """
    return x if larger_is_member else -x


def locked(x: Cells) -> Any:
    """The array, which nobody can write to."""
    x.flags.writeable = False
    return x


def sealed(x: Cells) -> Any:
    """The array, which nobody can write to, also not by the array that it is a view of."""
    part: Any = x
    while isinstance(part, np.ndarray):
        part = locked(part).base
    return x


def is_sealed(x: Cells) -> bool:
    """Whether nobody can write to an array, so that no copy of it is needed."""
    part: Any = x
    while isinstance(part, np.ndarray) and not part.flags.writeable:
        part = part.base
    return part is None


def _spread(group: OrderedGroup, sign: float) -> tuple[float, ...]:
    """Least, median and largest score of a group of finite scores, in score units."""
    n = group.size
    if not n:
        return ()
    middle = group.at(np.array([(n - 1) // 2, n // 2])).mean()
    ends = sorted((sign * group.at(0), sign * group.at(n - 1)))
    return tuple(float(x + 0.0) for x in (ends[0], sign * middle, ends[1]))  # no −0
