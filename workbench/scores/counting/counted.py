"""`CountedScores`: scores that are known by how many of P and of Q take each value.

What bounds, curves and histograms ask of scores are numbers of scores above thresholds, so that
counts of distinct values answer them exactly, in memory that does not grow with the number of rows.
Where the values are cells of a grid, the scores are those that the grid makes of the rows: a
monotone function of a score is post-processing, so that bounds from it hold for the mechanism.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench import _checks
from workbench._markup import escape_html
from workbench.scores import chance
from workbench.scores.input_checks import NonFiniteCounts, require_usable
from workbench.scores.ordered import Floats, Integers, locked
from workbench.scores.sample import SAMPLINGS, Scores, require_scores, stated_direction
from workbench.scores.value_counts import ValueCounts, reoriented

#: Rows of a group, in order of arrival, that are kept beside the counts.
MOST_FIRST = 10**6


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
    sampling : {"independent runs", "one run", "given", "unknown"}
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

    samples: ValueCounts

    @property
    def values(self) -> Floats:
        """Ascending distinct values, in score units."""
        return self.samples.values

    @property
    def counts_p(self) -> Integers:
        """Number of scores of P with each value."""
        return self.samples.counts_p

    @property
    def counts_q(self) -> Integers:
        """Number of scores of Q with each value."""
        return self.samples.counts_q

    @property
    def grid(self) -> str | None:
        """For which cells the values stand, where they are not exact."""
        return self.samples.grid

    @property
    def first(self) -> tuple[Floats, Floats] | None:
        """The first rows of P and of Q in order of arrival, larger being more member-like."""
        return self.samples.first

    @property
    def p(self) -> Floats:
        """Scores of P in ascending order, made from their counts.

        Raises
        ------
        ScoresError
            There are more than 10⁷ scores.
        """
        return self.samples.p

    @property
    def q(self) -> Floats:
        """Scores of Q in ascending order, made from their counts; errors as of `p`."""
        return self.samples.q

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
        none = NonFiniteCounts(0, 0, 0)
        odd = {"P": nonfinite_p or none, "Q": nonfinite_q or none}
        if not dropped:
            odd = {"P": NonFiniteCounts.of(at, p), "Q": NonFiniteCounts.of(at, q)}
        elif not np.isfinite(at).all():
            raise ValueError(
                "values must be finite where nonfinite_p or nonfinite_q say that NaN and ±∞ were "
                "left out; leave these out to keep NaN and ±∞"
            )
        for side, counts in (("P", p), ("Q", q)):
            require_usable(side, int(counts.sum()), bool(counts[~np.isnan(at)].any()))
        grid = None if grid is None else _checks.text(grid, "grid") or None
        held: dict[str, Any] = dict(
            samples=ValueCounts(locked(at), locked(p), locked(q), direction, _first(first), grid),
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
            notes=tuple(_checks.text(note, "notes") for note in notes),
        )
        for field, value in held.items():
            object.__setattr__(self, field, value)

    @classmethod
    def of(cls, scores: Scores) -> CountedScores:
        """The counts of scores whose rows are known, with their first rows."""
        require_scores(scores)
        if isinstance(scores, cls):
            return scores
        found = scores.samples.distinct
        values, p, q = reoriented(found.values, found.p, found.q, scores.larger_is_member)
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
            first=scores.samples.in_order(MOST_FIRST),
        )
        return counted._changed(yes_no=scores.yes_no)

    def __repr__(self) -> str:
        cells = f"{self.values.size} {'values' if self.grid is None else 'cells'}"
        return f"Counted{super().__repr__()[:-1]}, {cells})"

    def _repr_html_(self) -> str:
        words = ("counted: values are exact" if self.grid is None else self.grid, *self.notes)
        return f"{super()._repr_html_()}<small>{escape_html(' · '.join(words))}</small>"

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


#: What describes scores besides their numbers.
_DESCRIBED = ("sampling", "name", "held_out", "seed", "grid", "notes")


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
        rows.append(locked(np.array(x[:MOST_FIRST])))
    return rows[0], rows[1]
