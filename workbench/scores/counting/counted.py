"""`CountedScores`: scores that are known by how many of P and of Q take each value.

What bounds, curves and histograms ask of scores are numbers of scores above thresholds, so that
counts of distinct values answer them exactly, in memory that does not grow with the number of rows.
Where the values are cells of a grid, the scores are those that the grid makes of the rows: a
monotone function of a score is post-processing, so that bounds from it hold for the mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._markup import escape_html
from workbench.scores import chance
from workbench.scores.ordered import (
    CountedGroup,
    Distinct,
    Floats,
    Integers,
    Moments,
    OrderedGroup,
)
from workbench.scores.sample import (
    SAMPLINGS,
    NonFiniteCounts,
    Scores,
    ScoresError,
    require_scores,
    stated_direction,
)

#: Scores, of both groups together, up to which rows are made from counts.
MOST_EXPANDED = 10**7

#: Rows of a group, in order of arrival, that are kept beside the counts.
MOST_FIRST = 10**6

_NO_ODD = NonFiniteCounts(0, 0, 0)


class CountedScores(Scores):
    """Scores as distinct values, with how many of P and of Q take each.

    Everything that takes a `Scores` takes these. Only what needs the rows themselves refuses them
    beyond 10⁷ scores, and says so.

    Parameters
    ----------
    values : array_like, shape (k,)
        Ascending and distinct, in score units; −∞ may be first, NaN last.
    counts_p, counts_q : array_like of int, shape (k,)
        Number of scores of P and of Q with each value.
    larger_is_member : bool, optional
        As of `Scores`.
    sampling : {"independent runs", "one run", "unknown"}
        As of `Scores`.
    name, held_out, seed
        As of `Scores`.
    nonfinite_p, nonfinite_q : NonFiniteCounts, optional
        NaN and ±∞ among the rows of P and of Q that were left out. By default none were, and those
        among ``values`` are kept.
    first : pair of array_like, optional
        The first rows of P and of Q in order of arrival, at most 10⁶ of each, larger being more
        member-like (negated where a smaller score is). Anytime bounds use these.
    grid : str, optional
        What the values are where they are not exact: a description of the cells for which they
        stand. None if they are exact.
    notes : sequence of str
        Sentences on how the counts were made, for readers.

    Raises
    ------
    ScoresError
        Fewer than two scores of P or of Q, nothing but NaN in one of them, one and the same value
        everywhere.
    ValueError
        Values that are not in ascending order, counts that are not whole numbers of at least 0,
        arrays of different shapes.

    Examples
    --------
    >>> scores = wb.CountedScores(
    ...     [0, 1], counts_p=[269_000_000, 731_000_000], counts_q=[731_000_000, 269_000_000]
    ... )
    >>> scores.n_p
    1000000000
    >>> 0.99 < wb.tradeoff_band(scores).epsilon(delta=1e-5).value < 1
    True
    """

    values: Floats
    counts_p: Integers
    counts_q: Integers
    grid: str | None
    first: tuple[Floats, Floats] | None
    _notes: tuple[str, ...]

    def __init__(
        self,
        values: ArrayLike,
        counts_p: ArrayLike,
        counts_q: ArrayLike,
        *,
        larger_is_member: bool | None = None,
        sampling: str = "unknown",
        name: str = "",
        held_out: str = "",
        seed: int | np.random.Generator | None = None,
        nonfinite_p: NonFiniteCounts | None = None,
        nonfinite_q: NonFiniteCounts | None = None,
        first: tuple[ArrayLike, ArrayLike] | None = None,
        grid: str | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        direction, stated = stated_direction(larger_is_member)
        _checks.one_of(sampling, "sampling", tuple(x for x in SAMPLINGS if x != "clustered"))
        at = _ascending(values)
        p, q = (_counts(x, f"counts_{g}", at) for g, x in (("p", counts_p), ("q", counts_q)))
        used = (p > 0) | (q > 0)
        if not used.all():
            at, p, q = at[used], p[used], q[used]
        left_out = {"nonfinite_p": nonfinite_p, "nonfinite_q": nonfinite_q}
        for argument, given in left_out.items():
            if given is not None:
                _checks.instance(given, NonFiniteCounts, argument, "the counts of NaN, +∞ and −∞")
        dropped = any(given is not None for given in left_out.values())
        odd = {"P": nonfinite_p or _NO_ODD, "Q": nonfinite_q or _NO_ODD}
        if not dropped:
            odd = {"P": _odd_among(at, p), "Q": _odd_among(at, q)}
        elif not np.isfinite(at).all():
            raise ValueError(
                "values must be finite where nonfinite_p or nonfinite_q say that NaN and ±∞ were "
                "left out; leave these out to keep NaN and ±∞"
            )
        for side, counts in (("P", p), ("Q", q)):
            _check_group(side, at, counts)
        self._set(
            values=_locked(at),
            counts_p=_locked(p),
            counts_q=_locked(q),
            larger_is_member=direction,
            direction_stated=stated,
            sampling=sampling,
            clusters=None,
            cluster_rule="mean",
            nonfinite="drop" if dropped else "keep",
            name=_checks.text(name, "name"),
            held_out=_checks.text(held_out, "held_out"),
            yes_no=False,
            seed=chance.checked_seed(seed),
            nonfinite_p=odd["P"],
            nonfinite_q=odd["Q"],
            rows_p=int(p.sum()) + (odd["P"].total if dropped else 0),
            rows_q=int(q.sum()) + (odd["Q"].total if dropped else 0),
            first=_first(first),
            grid=None if grid is None else _checks.text(grid, "grid") or None,
            _notes=tuple(_checks.text(note, "notes") for note in notes),
        )

    @classmethod
    def of(cls, scores: Scores) -> CountedScores:
        """The counts of scores whose rows are known, with their first rows."""
        require_scores(scores)
        if isinstance(scores, cls):
            return scores
        found = scores.distinct
        values, p, q = _reoriented(found.values, found.p, found.q, scores.larger_is_member)
        dropped = scores.nonfinite == "drop"
        counted = cls(
            values,
            p,
            q,
            larger_is_member=scores.larger_is_member if scores.direction_stated else None,
            sampling="unknown" if scores.sampling == "clustered" else scores.sampling,
            name=scores.name,
            held_out=scores.held_out,
            seed=scores.seed,
            nonfinite_p=scores.nonfinite_p if dropped else None,
            nonfinite_q=scores.nonfinite_q if dropped else None,
            first=scores.in_order(MOST_FIRST),
        )
        return counted._changed(yes_no=scores.yes_no)

    # -- size and description ---------------------------------------------------------------

    @property
    def n_p(self) -> int:
        """Number of scores of P."""
        return self.groups[0].size

    @property
    def n_q(self) -> int:
        """Number of scores of Q."""
        return self.groups[1].size

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on how the counts were made, for readers."""
        return self._notes

    @property
    def is_counted(self) -> bool:
        """True: only the counts of values are known."""
        return True

    def __repr__(self) -> str:
        cells = f"{self.values.size} {'values' if self.grid is None else 'cells'}"
        return f"Counted{super().__repr__()[:-1]}, {cells})"

    def _repr_html_(self) -> str:
        said = ("counted: values are exact" if self.grid is None else self.grid, *self.notes)
        return f"{super()._repr_html_()}<small>{escape_html(' · '.join(said))}</small>"

    def _spreads(self) -> list[tuple[float, ...]]:
        return [_spread(group.finite, self._sign) for group in self.groups]

    # -- rows ---------------------------------------------------------------------------------

    @property
    def p(self) -> Floats:
        """Scores of P in ascending order, made from their counts.

        Raises
        ------
        ScoresError
            There are more than 10⁷ scores.
        """
        return self._rows(self.counts_p)

    @property
    def q(self) -> Floats:
        """Scores of Q in ascending order, made from their counts; errors as of `p`."""
        return self._rows(self.counts_q)

    @property
    def ordered(self) -> tuple[Floats, Floats]:
        """`oriented` scores of P and of Q in ascending order; errors as of `p`."""
        found = self.distinct
        return self._rows(found.p, found.values), self._rows(found.q, found.values)

    def oriented(self) -> tuple[Floats, Floats]:
        """Same as `ordered`: the order of arrival is known of the first rows only (`in_order`)."""
        return self.ordered

    def _arrived(self) -> tuple[Floats, Floats]:
        if self.first is None:
            raise ScoresError(
                "these scores are counts of values without their order of arrival, which this "
                "needs; give the first rows as first=(rows of P, rows of Q)"
            )
        return self.first

    @property
    def arrived(self) -> tuple[int, int]:
        """Number of scores of P and of Q whose order of arrival is known."""
        if self.first is None:
            return 0, 0
        return self.first[0].size, self.first[1].size

    @property
    def first_rows(self) -> str:
        """A sentence on how many rows `in_order` has, where these are not all; otherwise ""."""
        p, q = self.arrived
        if (p, q) in ((0, 0), (self.n_p, self.n_q)):
            return ""
        return f"Only the first {p:,} scores of P and {q:,} of Q in order of arrival were used."

    def _rows(self, counts: Integers, values: Floats | None = None) -> Floats:
        n = self.n_p + self.n_q
        if n > MOST_EXPANDED:
            raise ScoresError(
                f"{n:,} counted scores are too many to make rows of (at most {MOST_EXPANDED:,}): "
                "use scores.distinct, the values with their counts, or read fewer rows"
            )
        return _locked(np.repeat(self.values if values is None else values, counts))

    # -- the one question ---------------------------------------------------------------------

    @cached_property
    def distinct(self) -> Distinct:
        """Distinct `oriented` scores in ascending order, and how many of P and of Q have each."""
        return Distinct(
            *_reoriented(self.values, self.counts_p, self.counts_q, self.larger_is_member)
        )

    @cached_property
    def groups(self) -> tuple[CountedGroup, CountedGroup]:
        """`oriented` scores of P and of Q in ascending order, as what answers counts and ranks."""
        return self.distinct.groups

    @cached_property
    def nan_counts(self) -> tuple[int, int]:
        """Number of NaN among the scores in use, of P and of Q."""
        p, q = (int(counts[np.isnan(self.values)].sum()) for counts in self._sides)
        return p, q

    @cached_property
    def pooled(self) -> OrderedGroup:
        """Finite scores of both groups in ascending order, in score units."""
        return CountedGroup.of(self.values, self.counts_p + self.counts_q).finite

    def moments(self, unit: float = 1.0) -> tuple[Moments, Moments]:
        """Size, mean and variance of the finite scores of P and of Q.

        Parameters
        ----------
        unit : float
            What the scores are divided by first, above 0.
        """
        finite = np.isfinite(self.values)
        values = self.values[finite] / _checks.number(unit, "unit")
        p, q = (Moments.of_counts(values, counts[finite]) for counts in self._sides)
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
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays by name that hold the scores: values, counts and first rows, in score units."""
        found = {"value": self.values, "count_p": self.counts_p, "count_q": self.counts_q}
        if self.first is not None:
            p, q = (self.in_score_units(x) for x in self.first)
            found |= {"first_p": p, "first_q": q}
        return found

    @property
    def _sides(self) -> tuple[Integers, Integers]:
        return self.counts_p, self.counts_q

    # -- other scores ---------------------------------------------------------------------------

    def with_direction(self, larger_is_member: bool) -> CountedScores:
        """The same scores with another direction.

        Parameters
        ----------
        larger_is_member : bool
        """
        larger_is_member = _checks.flag(larger_is_member, "larger_is_member")
        if larger_is_member == self.larger_is_member:
            return self if self.direction_stated else self._changed(direction_stated=True)
        first = None if self.first is None else (-self.first[0], -self.first[1])
        return self._changed(larger_is_member=larger_is_member, direction_stated=True, first=first)

    def _split(self, sizes: tuple[int, int], rng: np.random.Generator) -> tuple[Scores, Scores]:
        p, q = (
            self._in_score_order(group.drawn(k, rng))
            for group, k in zip(self.groups, sizes, strict=True)
        )
        return (
            self._changed(counts_p=_locked(p), counts_q=_locked(q), first=None),
            self._changed(
                counts_p=_locked(self.counts_p - p),
                counts_q=_locked(self.counts_q - q),
                first=None,
            ),
        )

    def _in_score_order(self, counts: Integers) -> Integers:
        """Counts of the `distinct` values in the order of ``values``."""
        return _reoriented(self.distinct.values, counts, counts, self.larger_is_member)[1]

    def part_of_sorted(self, p: NDArray[np.bool_], q: NDArray[np.bool_]) -> Scores:
        """A subset of the scores, counted.

        Parameters
        ----------
        p, q : ndarray of bool, shape (n_p,), (n_q,)
            Which of the `ordered` scores to keep.

        Raises
        ------
        ValueError
            A mask of another length or type.
        """
        masks = _checks.mask(p, self.n_p, "p"), _checks.mask(q, self.n_q, "q")
        chosen = []
        for mask, group in zip(masks, self.groups, strict=True):
            before = np.concatenate([[0], np.cumsum(mask)])
            chosen.append(np.diff(before[group.ends]))
        _, of_p, of_q = _reoriented(
            self.distinct.values, chosen[0], chosen[1], self.larger_is_member
        )
        return self._changed(counts_p=_locked(of_p), counts_q=_locked(of_q), first=None)

    def without_nonfinite(self) -> CountedScores:
        """The same scores, NaN and ±∞ left out."""
        kept = np.isfinite(self.values)
        if kept.all():
            return self._changed(nonfinite="drop")
        first = None if self.first is None else tuple(x[np.isfinite(x)] for x in self.first)
        return CountedScores(
            self.values[kept],
            self.counts_p[kept],
            self.counts_q[kept],
            nonfinite_p=self.nonfinite_p,
            nonfinite_q=self.nonfinite_q,
            first=first,  # type: ignore[arg-type]
            larger_is_member=self.larger_is_member if self.direction_stated else None,
            **{name: getattr(self, name) for name in _DESCRIBED},
        )

    def rescored(self, rule: Callable[[Floats], ArrayLike], held_out: str) -> CountedScores:
        """Scores of the same runs under another rule, larger for members.

        Parameters
        ----------
        rule : callable
            Old scores -> new ones, elementwise; chosen without these scores in view.
        held_out : str
            How the rule was made, as of `Scores`.

        Raises
        ------
        ValueError
            A rule that does not return one score for each.
        """
        _checks.text(held_out, "held_out")
        ruled = _checks.array(rule(self.values), "the rule's scores")
        if ruled.shape != self.values.shape:
            raise ValueError(
                f"the rule must return one score for each of {self.values.size} values, got shape "
                f"{ruled.shape}"
            )
        values, where = np.unique(ruled, return_inverse=True)
        p, q = (_summed(counts, where, values.size) for counts in self._sides)
        first = None if self.first is None else self._ruled_first(rule)
        return self._changed(
            values=_locked(values),
            counts_p=_locked(p),
            counts_q=_locked(q),
            larger_is_member=True,
            direction_stated=True,
            held_out=held_out,
            first=first,
        )

    def _ruled_first(self, rule: Callable[[Floats], ArrayLike]) -> tuple[Floats, Floats]:
        p, q = (
            _locked(_checks.array(rule(self.in_score_units(x)), "the rule's scores").copy())
            for x in self._arrived()
        )
        return p, q

    def __getstate__(self) -> dict[str, Any]:
        """What was given, without what is computed from it."""
        return {name: getattr(self, name) for name in _FIELDS}

    def _changed(self, **values: Any) -> CountedScores:
        """A copy with some fields changed."""
        changed = object.__new__(type(self))
        changed._set(**{name: getattr(self, name) for name in _FIELDS} | values)
        return changed

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


#: What describes scores besides their numbers.
_DESCRIBED = ("sampling", "name", "held_out", "seed", "grid", "notes")

#: What a `CountedScores` holds; the rest is computed.
_FIELDS = (
    "values",
    "counts_p",
    "counts_q",
    "larger_is_member",
    "direction_stated",
    "sampling",
    "clusters",
    "cluster_rule",
    "nonfinite",
    "name",
    "held_out",
    "yes_no",
    "seed",
    "nonfinite_p",
    "nonfinite_q",
    "rows_p",
    "rows_q",
    "first",
    "grid",
    "_notes",
)


def _reoriented(
    values: Floats, p: Integers, q: Integers, larger_is_member: bool
) -> tuple[Floats, Integers, Integers]:
    """Ascending values and their counts in the other units, score or oriented; NaN stays last."""
    if larger_is_member:
        return values, p, q
    known = values.size - int(np.isnan(values[-1:]).sum())
    order = np.concatenate([np.arange(known)[::-1], np.arange(known, values.size)])
    return -values[order], p[order], q[order]


def _ascending(values: ArrayLike) -> Floats:
    x = np.array(_checks.array(values, "values"))
    if x.ndim != 1 or not x.size:
        raise ValueError(f"values must be a 1-d array with an entry at least, got shape {x.shape}")
    bad = np.flatnonzero(~((x[:-1] < x[1:]) | (np.isnan(x[1:]) & ~np.isnan(x[:-1]))))
    if bad.size:
        i = int(bad[0])
        raise ValueError(
            f"values must be distinct and ascending, with NaN last; got {x[i]:g} before "
            f"{x[i + 1]:g} at {i}"
        )
    return x


def _counts(counts: ArrayLike, name: str, values: Floats) -> Integers:
    x = _checks.array(counts, name)
    if x.shape != values.shape:
        raise ValueError(
            f"{name} must be a count for each of {values.size} values, got shape {x.shape}"
        )
    bad = x[~((x >= 0) & (x == np.floor(x)) & (x <= 2.0**53))]
    if bad.size:
        raise ValueError(
            f"{name} must be whole numbers from 0 to 2**53, got {_checks.shown(bad[0])}"
        )
    return x.astype(np.int64)


def _check_group(side: str, values: Floats, counts: Integers) -> None:
    n = int(counts.sum())
    if n < 2:
        raise ScoresError(
            f"side {side} has {n} usable score{'' if n == 1 else 's'}; an audit needs at least 2 "
            "on each side"
        )
    if not counts[~np.isnan(values)].any():
        raise ScoresError(
            f"side {side} holds nothing but NaN; check that the column is the right one and that "
            "its scores were computed"
        )


def _odd_among(values: Floats, counts: Integers) -> NonFiniteCounts:
    nan, plus, minus = (
        int(counts[is_it(values)].sum()) for is_it in (np.isnan, np.isposinf, np.isneginf)
    )
    return NonFiniteCounts(nan, plus, minus)


def _first(first: tuple[ArrayLike, ArrayLike] | None) -> tuple[Floats, Floats] | None:
    if first is None:
        return None
    try:
        p, q = first
    except (TypeError, ValueError):
        raise ValueError("first must be a pair: (first rows of P, first rows of Q)") from None
    rows = []
    for x, name in ((p, "first[0]"), (q, "first[1]")):
        x = _checks.array(x, name)
        if x.ndim != 1:
            raise ValueError(f"{name} must be a 1-d array, got shape {x.shape}")
        rows.append(_locked(np.array(x[:MOST_FIRST])))
    return rows[0], rows[1]


def _spread(group: OrderedGroup, sign: float) -> tuple[float, ...]:
    """Least, median and largest score of a group of finite scores, in score units."""
    n = group.size
    if not n:
        return ()
    middle = group.at(np.array([(n - 1) // 2, n // 2])).mean()
    least, median, largest = sign * group.at(0), sign * middle, sign * group.at(n - 1)
    return float(min(least, largest)), float(median), float(max(least, largest))


def _summed(counts: Integers, where: NDArray[np.int64], size: int) -> Integers:
    summed = np.zeros(size, dtype=np.int64)
    np.add.at(summed, where, counts)
    return summed


def _locked(x: Any) -> Any:
    x.flags.writeable = False
    return x
