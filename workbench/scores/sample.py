"""`Scores`: two score samples, with counts above a threshold in logarithmic time.

Histogram, threshold, ROC, trade-off curve and band are all built on one query: how many scores of P
and of Q lie above t. Sorted arrays answer it in microseconds, so a slider does not touch the
samples again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._markup import table
from workbench.scores import chance
from workbench.scores.ordered import Distinct, Moments, OrderedGroup, drawn

if TYPE_CHECKING:
    import pandas as pd

SAMPLINGS = ("independent runs", "clustered", "one run", "unknown")
CLUSTER_RULES = ("mean", "max", "first")
NON_FINITE = ("keep", "drop")

#: Kinds of arrays that NumPy converts to numbers, and that are not scores.
_NO_SCORES = {"c": "complex numbers", "m": "durations", "M": "dates"}


class ScoresError(ValueError):
    """Scores that cannot be audited; the message says what is wrong and what to do."""


@dataclass(frozen=True)
class NonFiniteCounts:
    """Number of NaN, +∞ and −∞ among the scores of P or of Q."""

    nan: int
    plus_inf: int
    minus_inf: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.nan + self.plus_inf + self.minus_inf

    def __str__(self) -> str:
        parts = ((self.nan, "NaN"), (self.plus_inf, "+∞"), (self.minus_inf, "−∞"))
        return ", ".join(f"{n} {what}" for n, what in parts if n) or "none"


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Scores of runs with the record in the data (P) and without it (Q).

    Parameters
    ----------
    p, q : array_like, shape (n_p,), (n_q,)
        Scores with the record in, and with the record out. The two sizes may differ.
    larger_is_member : bool, optional
        True when a larger score indicates membership (an inner product with a canary), False
        when a smaller one does (a loss). Never inferred from the data. Where it is not stated, it
        is True, and ``direction_stated`` is False: bounds and verdicts then say if the scores look
        as if they were read the wrong way.
    sampling : {"independent runs", "clustered", "one run", "unknown"}
        How the scores were sampled; every bound states it as its assumption.
    clusters : pair of array_like, shape (n_p,), (n_q,), optional
        A label for each score of P and of Q (its subject or its run). Scores that share a label
        are reduced to one, so that the bounds see independent values; sets ``sampling`` to
        "clustered".
    cluster_rule : {"mean", "max", "first"}
        How a cluster becomes one score; to be chosen before the bounds are seen.
    nonfinite : {"keep", "drop"}
        ±∞ keep their place in the order and NaN is an outcome of its own, the most member-like of
        all ("keep"), or all of them are left out ("drop"). Either way they are counted in
        ``nonfinite_p`` and ``nonfinite_q``.
    name : str
        Shown in titles.
    held_out : str
        How these scores were computed by a rule that was tuned on other data ("a classifier
        trained on other runs"); "" where nothing was tuned. Bounds over all their thresholds have
        the guarantee "held-out" and carry this as a note.
    yes_no : bool, optional
        Whether the attack answers yes or no, which must be known before the scores are seen. There
        is one threshold then, and nothing to tune. By default true of boolean arrays only.
    seed : int or numpy.random.Generator, optional
        A number that was drawn by chance for these scores, whatever they are: splits follow from
        it. By default one from the operating system, the same for the same scores; see `chance`.

    Raises
    ------
    ScoresError
        Fewer than two scores of P or of Q, nothing but NaN in one of them, a 2-d array, text, a
        cluster label in both, one and the same value everywhere.
    TypeError
        ``q`` is missing.

    Notes
    -----
    "Above t" means strictly on the member side of t, ties excluded, which keeps the order
    statistic argument of the simultaneous band valid for discrete scores.

    See Also
    --------
    read_scores : scores from a file.

    Examples
    --------
    >>> scores = wb.Scores([2.1, 0.3, 1.7], [0.2, -0.4, 1.1, 0.9], sampling="independent runs")
    >>> scores.n_p, scores.n_q
    (3, 4)
    >>> true_positives, false_positives = scores.tail_counts(1.0)
    >>> int(true_positives), int(false_positives)
    (2, 1)
    """

    p: NDArray[np.float64]
    q: NDArray[np.float64] = None  # type: ignore[assignment]  # missing, which is refused below
    larger_is_member: bool = None  # type: ignore[assignment]  # not stated: True
    sampling: str = "unknown"
    clusters: tuple[ArrayLike, ArrayLike] | None = None
    cluster_rule: str = "mean"
    nonfinite: str = "keep"
    name: str = ""
    held_out: str = ""
    yes_no: bool | None = None
    seed: int | np.random.Generator | None = None
    nonfinite_p: NonFiniteCounts = field(init=False)
    nonfinite_q: NonFiniteCounts = field(init=False)
    rows_p: int = field(init=False)
    rows_q: int = field(init=False)
    direction_stated: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        if self.q is None:
            raise TypeError(
                f"q is missing, the scores without the record: give wb.Scores(p, q), or the table "
                f"that holds both to wb.read_scores(...); got p={_checks.shown(self.p)}"
            )
        direction, stated = stated_direction(self.larger_is_member)
        object.__setattr__(self, "larger_is_member", direction)
        object.__setattr__(self, "direction_stated", stated)
        _checks.text(self.name, "name")
        _checks.text(self.held_out, "held_out")
        object.__setattr__(self, "seed", chance.checked_seed(self.seed))
        _checks.one_of(self.sampling, "sampling", SAMPLINGS)
        _checks.one_of(self.cluster_rule, "cluster_rule", CLUSTER_RULES)
        _checks.one_of(self.nonfinite, "nonfinite", NON_FINITE)
        if self.sampling == "clustered" and self.clusters is None:
            raise ScoresError(
                "sampling='clustered' needs clusters=(labels of P, labels of Q), one label a score"
            )
        if self.clusters is not None and self.sampling == "one run":
            raise ScoresError(
                "clusters cannot make the scores of one run independent: leave out one of "
                "clusters= and sampling='one run'"
            )
        sides = {"p": _column(self.p, "P"), "q": _column(self.q, "Q")}
        declared = self.yes_no
        if declared is None:
            declared = all(np.asarray(x).dtype == bool for x in (self.p, self.q))
        object.__setattr__(self, "yes_no", _checks.flag(declared, "yes_no"))
        labels = _cluster_labels(self.clusters, sides["p"].size, sides["q"].size)
        for side, x in sides.items():
            object.__setattr__(self, f"nonfinite_{side}", _count_nonfinite(x))
            object.__setattr__(self, f"rows_{side}", x.size)
            label = labels[side]
            if self.nonfinite == "drop":
                finite = np.isfinite(x)
                x, label = x[finite], label[finite] if label is not None else None
            if label is not None:
                x = _reduce(x, label, self.cluster_rule)
            if x.size < 2:
                raise ScoresError(
                    f"side {side.upper()} has {x.size} usable score{'' if x.size == 1 else 's'}; "
                    "an audit needs at least 2 on each side"
                    + (", check the labels or the file" if x.size == 0 else "")
                )
            if np.isnan(x).all():
                raise ScoresError(
                    f"side {side.upper()} holds nothing but NaN; check that the column is the "
                    "right one and that its scores were computed"
                )
            x.flags.writeable = False
            sides[side] = x
        p, q = sides["p"], sides["q"]
        object.__setattr__(self, "p", p)
        object.__setattr__(self, "q", q)
        if self.yes_no:
            answers = np.unique(np.concatenate([p, q]))
            if answers.size > 2 or not np.isfinite(answers).all():
                raise ScoresError(
                    f"yes_no=True means two finite values, got {_checks.shown(answers)}; leave it "
                    "out, or give the answers as booleans"
                )
        if self.clusters is not None:
            object.__setattr__(self, "sampling", "clustered")

    # -- size and description ---------------------------------------------------------------

    @property
    def n_p(self) -> int:
        """Number of scores of P that the bounds use (clusters count once)."""
        return self.p.size

    @property
    def n_q(self) -> int:
        """Number of scores of Q that the bounds use (clusters count once)."""
        return self.q.size

    @property
    def discarded(self) -> int:
        """Non-finite scores left out of both sides."""
        kept = self.nonfinite == "keep"
        return 0 if kept else self.nonfinite_p.total + self.nonfinite_q.total

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on how the scores were made, for readers."""
        return ()

    @property
    def assumption(self) -> str:
        """The assumption about sampling that every bound from these scores states."""
        return "if rows are independent" if self.sampling == "unknown" else self.sampling

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

    def __repr__(self) -> str:
        member = "larger" if self.larger_is_member else "smaller"
        name = f"{self.name!r}, " if self.name else ""
        odd = [
            f", {side} non-finite {'dropped' if self.nonfinite == 'drop' else 'kept'}: {counts}"
            for side, counts in (("P", self.nonfinite_p), ("Q", self.nonfinite_q))
            if counts.total
        ]
        return (
            f"Scores({name}n_p={self.n_p}, n_q={self.n_q}, {member} is member-like, "
            f"sampling={self.sampling!r}{''.join(odd)})"
        )

    def _repr_html_(self) -> str:
        member = "larger" if self.larger_is_member else "smaller"
        rows: list[tuple[object, ...]] = [
            ("", "scores", "least", "median", "largest", "not finite")
        ]
        sides = (
            ("members (P)", self.n_p, self.nonfinite_p),
            ("non-members (Q)", self.n_q, self.nonfinite_q),
        )
        for (side, n, odd), spread in zip(sides, self._spreads(), strict=True):
            rows.append((side, f"{n:,}", *([f"{x:.4g}" for x in spread] or ["–"] * 3), odd))
        said = f"{member} is member-like · {self.assumption} · non-finite: {self.nonfinite}"
        said += f" · {self.held_out}" if self.held_out else ""
        return table(f"Scores {self.name}".strip(), rows, said)

    def _spreads(self) -> list[tuple[float, ...]]:
        """Least, median and largest finite score of P and of Q; empty where there is none."""
        groups = (x[np.isfinite(x)] for x in self)
        return [tuple(f(x) for f in (np.min, np.median, np.max)) if x.size else () for x in groups]

    def to_frame(self) -> pd.DataFrame:
        """A row for each score, with the columns ``score`` and ``member`` (1 for P, 0 for Q)."""
        import pandas as pd

        score = np.concatenate([self.p, self.q])
        return pd.DataFrame({"score": score, "member": np.repeat([1, 0], [self.n_p, self.n_q])})

    def __iter__(self) -> Iterator[NDArray[np.float64]]:
        """Iterator over the scores of P and of Q: ``p, q = pair.sample(1000)``."""
        return iter((self.p, self.q))

    # -- the one question ---------------------------------------------------------------------

    @cached_property
    def ordered(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """`oriented` scores of P and of Q, each sorted in increasing order with NaN last."""
        p, q = self.oriented()
        return _locked(np.sort(p)), _locked(np.sort(q))

    @cached_property
    def groups(self) -> tuple[OrderedGroup, OrderedGroup]:
        """`oriented` scores of P and of Q in ascending order, as what answers counts and ranks."""
        p, q = self.ordered
        return OrderedGroup(p), OrderedGroup(q)

    @property
    def distinct(self) -> Distinct:
        """Distinct `oriented` scores in ascending order, and how many of P and of Q have each."""
        # Held as long as somebody uses it: it is larger than all else that is held of the scores.
        known: Callable[[], Distinct | None] = self.__dict__.get("_distinct", lambda: None)
        found = known()
        if found is None:
            found = Distinct.of(self.groups)
            object.__setattr__(self, "_distinct", ref(found))
        return found

    def oriented(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores of P and of Q in order of arrival, negated where smaller is member-like.

        Returns
        -------
        p, q : ndarray, shape (n_p,), (n_q,)
            Larger is more member-like; `in_score_units` undoes the change.
        """
        return oriented(self.p, self.larger_is_member), oriented(self.q, self.larger_is_member)

    def in_order(self, most: int | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The first `oriented` scores of P and of Q in order of arrival.

        Parameters
        ----------
        most : int, optional
            Number of each, at most; all that are known by default.

        Returns
        -------
        p, q : ndarray

        Raises
        ------
        ScoresError
            Counted scores without their first rows.
        """
        if most is not None:
            most = _checks.count(most, "most")
        p, q = self._arrived()
        return p[:most], q[:most]

    def _arrived(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.oriented()

    @property
    def arrived(self) -> tuple[int, int]:
        """Number of scores of P and of Q whose order of arrival is known."""
        return self.n_p, self.n_q

    @property
    def first_rows(self) -> str:
        """A sentence on how many rows `in_order` has, where these are not all; otherwise ""."""
        return ""

    def in_score_units(self, t: ArrayLike) -> Any:
        """Thresholds for `oriented` scores as thresholds for the scores themselves, and back.

        Parameters
        ----------
        t : array_like

        Returns
        -------
        float or ndarray
            A float for a scalar ``t``, otherwise an array of the same shape.
        """
        t = self._sign * _checks.array(t, "thresholds")
        return float(t) if t.ndim == 0 else t

    @property
    def only_threshold(self) -> float | None:
        """The threshold between the two answers of an attack that says yes or no; else None."""
        if not self.yes_no:
            return None
        return float(self.pooled.at(0) + self.pooled.at(-1)) / 2

    @cached_property
    def results(self) -> dict[Any, Any]:
        """Cache of results computed from these scores."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """The fields without the cached results."""
        left = ("results", "_distinct")
        return {name: value for name, value in vars(self).items() if name not in left}

    @property
    def _sign(self) -> float:
        return 1.0 if self.larger_is_member else -1.0

    @cached_property
    def nan_counts(self) -> tuple[int, int]:
        """Number of NaN among the scores in use, of P and of Q."""
        return int(np.isnan(self.p).sum()), int(np.isnan(self.q).sum())

    def tail_counts(self, t: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Number of scores of P and of Q strictly on the member side of t.

        Parameters
        ----------
        t : array_like
            Thresholds in score units. No score lies above NaN.

        Returns
        -------
        true_positives, false_positives : ndarray of int, the shape of ``t``
        """
        t = self._sign * _checks.array(t, "thresholds")
        p, q = self.groups
        return np.asarray(p.above(t)), np.asarray(q.above(t))

    def below_counts(self, x: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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

    def most_member_like_q(self, rank: ArrayLike) -> NDArray[np.float64]:
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
        return np.asarray(self._sign * q.at(q.size - r.astype(np.int64)))

    def quantile(self, level: ArrayLike) -> NDArray[np.float64]:
        """Lower quantiles of the pooled finite scores of P and Q, in score units.

        Parameters
        ----------
        level : array_like
            In [0, 1].
        """
        pooled = self.pooled
        if not pooled.size:
            raise ScoresError("no finite score on either side; check the score column")
        level = _checks.array(level, "level")
        if not ((level >= 0) & (level <= 1)).all():
            raise ValueError(f"level must lie in [0, 1], got {_checks.shown(level)}")
        return np.asarray(
            pooled.at(np.clip((level * pooled.size).astype(np.int64), 0, pooled.size - 1))
        )

    @cached_property
    def pooled(self) -> OrderedGroup:
        """Finite scores of both groups in ascending order, in score units."""
        pooled = np.concatenate([self.p, self.q])
        return OrderedGroup(_locked(np.sort(pooled[np.isfinite(pooled)])))

    def moments(self, unit: float = 1.0) -> tuple[Moments, Moments]:
        """Size, mean and variance of the finite scores of P and of Q.

        Parameters
        ----------
        unit : float
            What the scores are divided by first, above 0.
        """
        unit = _checks.number(unit, "unit")
        p, q = (Moments.of(x[np.isfinite(x)] / unit) for x in (self.p, self.q))
        return p, q

    @cached_property
    def fingerprint(self) -> chance.Fingerprint:
        """What these scores are known by: their ranks.

        It is the same in other units and the other direction, for another order of rows, and for
        counts of the values.
        """
        found = self.distinct
        return chance.Fingerprint.of_counts(found.p, found.q, bool(np.isnan(found.values[-1])))

    @cached_property
    def chance(self) -> int:
        """The number from which splits of these scores follow: `seed`, or one that is drawn now.

        It is drawn from the operating system once for the same `fingerprint`.
        """
        given = None if self.seed is None else int(self.seed)  # type: ignore[arg-type]
        return chance.seed_of(self.fingerprint, given)

    @property
    def rounding(self) -> str:
        """A sentence for fits of families, where the scores are rounded to a grid; otherwise ""."""
        return ""

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays by name that hold the scores, as files and workspaces keep them."""
        return {"p": self.p, "q": self.q}

    def same_arrays(self, other: Scores) -> bool:
        """Whether other scores are held in equal `arrays`, whatever their direction."""
        mine, others = self.arrays, require_scores(other, "other").arrays
        return mine.keys() == others.keys() and all(
            np.array_equal(x, others[name], equal_nan=True) for name, x in mine.items()
        )

    @property
    def is_counted(self) -> bool:
        """Whether only the counts of values are known, as of `CountedScores`, and no rows."""
        return False

    # -- a choice of the reader ----------------------------------------------------------------

    def with_direction(self, larger_is_member: bool) -> Scores:
        """The same scores with another direction.

        Parameters
        ----------
        larger_is_member : bool
        """
        larger_is_member = _checks.flag(larger_is_member, "larger_is_member")
        if self.direction_stated and larger_is_member == self.larger_is_member:
            return self
        return self._changed(larger_is_member=larger_is_member, direction_stated=True)

    def with_seed(self, seed: int | np.random.Generator) -> Scores:
        """The same scores with a number that was drawn for them before.

        Parameters
        ----------
        seed : int or numpy.random.Generator
        """
        return self._changed(seed=chance.checked_seed(seed))

    def part_of_sorted(self, p: NDArray[np.bool_], q: NDArray[np.bool_]) -> Scores:
        """A subset of the scores, sorted: the order of arrival is lost.

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
        chosen = (side[mask] for side, mask in zip(self.ordered, masks, strict=True))
        p_part, q_part = (self._sign * x for x in chosen)
        return self._changed(p=_locked(p_part), q=_locked(q_part))

    def split_at_random(
        self, sizes: tuple[int, int], rng: np.random.Generator
    ) -> tuple[Scores, Scores]:
        """Two parts of the scores, drawn at random without regard to the scores.

        Parameters
        ----------
        sizes : pair of int
            Number of scores of P and of Q in the first part.
        rng : numpy.random.Generator

        Returns
        -------
        first, rest : Scores
            The order of arrival is lost.

        Raises
        ------
        ValueError
            More scores than there are.
        """
        generator = "a numpy.random.Generator, such as numpy.random.default_rng(0)"
        _checks.instance(rng, np.random.Generator, "rng", generator)
        known = []
        for size, n, side in zip(sizes, (self.n_p, self.n_q), "PQ", strict=True):
            known.append(_checks.count(size, f"the size of the part of {side}"))
            if known[-1] > n:
                raise ValueError(f"a part cannot have {size} scores of the {n} of {side}")
        return self._split((known[0], known[1]), rng)

    def _split(self, sizes: tuple[int, int], rng: np.random.Generator) -> tuple[Scores, Scores]:
        p, q = (
            _first_of_each(group.counts, drawn(group.counts, k, rng))
            for group, k in zip(self.groups, sizes, strict=True)
        )
        return self.part_of_sorted(p, q), self.part_of_sorted(~p, ~q)

    def rescored(self, rule: Callable[[NDArray[np.float64]], ArrayLike], held_out: str) -> Scores:
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
        p, q = (_checks.array(rule(x), "the rule's scores").copy() for x in (self.p, self.q))
        if (p.shape, q.shape) != (self.p.shape, self.q.shape):
            raise ValueError(
                f"the rule must return one score for each of {self.n_p} and {self.n_q}, got shapes "
                f"{p.shape} and {q.shape}"
            )
        p, q = _locked(p), _locked(q)
        return self._changed(
            p=p, q=q, larger_is_member=True, direction_stated=True, held_out=held_out
        )

    def _changed(self, **values: Any) -> Scores:
        """A copy with some fields changed; a new construction would drop and cluster once more."""
        changed = object.__new__(type(self))
        for f in fields(self):
            object.__setattr__(changed, f.name, values.get(f.name, getattr(self, f.name)))
        return changed


def oriented(x: NDArray[np.float64], larger_is_member: bool) -> NDArray[np.float64]:
    """Scores whose larger values are more member-like: ``x``, or its negative.

    Parameters
    ----------
    x : ndarray
    larger_is_member : bool
        Of ``x``.
    """
    return x if larger_is_member else -x


def _first_of_each(counts: NDArray[np.int64], chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mask of the first chosen ones of each value, for sorted scores."""
    place = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(place < np.repeat(chosen, counts))


def stated_direction(larger_is_member: bool | None) -> tuple[bool, bool]:
    """The direction of scores, and whether it was stated; ValueError where it is no direction."""
    if larger_is_member is None:
        return True, False
    return _checks.flag(larger_is_member, "larger_is_member"), True


def require_scores(value: Any, name: str = "scores") -> Scores:
    """``value``, which must be a `Scores`.

    Parameters
    ----------
    value : Any
    name : str
        Of the argument, for the message.

    Raises
    ------
    TypeError
        It is something else; the message says how to make one.
    """
    need = "a workbench.Scores: make one with wb.Scores(p, q) or wb.read_scores(...)"
    return _checks.instance(value, Scores, name, need)


def _column(values: ArrayLike, side: str) -> NDArray[np.float64]:
    """One side as a fresh 1-d float array."""
    try:
        _checks.convertible(values, side)
    except ValueError as error:
        raise ScoresError(str(error)) from None
    try:
        raw = np.asarray(values)
    except ValueError:
        raise ScoresError(f"{side} is ragged: give one number a run, as a 1-d array") from None
    if raw.ndim != 1:
        hint = "ravel it, or choose one column" if raw.ndim > 1 else "give a 1-d array"
        raise ScoresError(f"{side} has shape {raw.shape}; scores must be 1-dimensional: {hint}")
    if raw.size == 0:
        raise ScoresError(f"side {side} is empty; an audit needs at least 2 scores on each side")
    if raw.dtype.kind in _NO_SCORES:
        raise ScoresError(f"{side} holds {_NO_SCORES[raw.dtype.kind]}; give one real score a run")
    try:
        return np.array(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        row, bad = next((i, v) for i, v in enumerate(raw.tolist()) if not _is_number(v))
        raise ScoresError(
            f"{side} is not numeric: entry {row} is {_checks.shown(bad)}; scores must be numbers, "
            "at most 1.8e308"
        ) from None


def _locked(x: NDArray[np.float64]) -> NDArray[np.float64]:
    x.flags.writeable = False
    return x


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _count_nonfinite(x: NDArray[np.float64]) -> NonFiniteCounts:
    if np.isfinite(x).all():
        return NonFiniteCounts(0, 0, 0)
    return NonFiniteCounts(
        int(np.isnan(x).sum()), int(np.isposinf(x).sum()), int(np.isneginf(x).sum())
    )


def _cluster_labels(
    clusters: Sequence[ArrayLike] | None, n_p: int, n_q: int
) -> dict[str, NDArray[Any] | None]:
    if clusters is None:
        return {"p": None, "q": None}
    for labels in clusters if isinstance(clusters, list | tuple) else ():
        try:
            _checks.convertible(labels, "a side of clusters")
        except ValueError as error:
            raise ScoresError(str(error)) from None
    try:
        p, q = (np.asarray(c) for c in clusters)
    except (TypeError, ValueError):
        raise ScoresError("clusters must be a pair: (labels of P, labels of Q)") from None
    for side, labels, n in (("P", p, n_p), ("Q", q, n_q)):
        if labels.shape != (n,):
            raise ScoresError(
                f"{side} has {n} scores but its cluster labels have shape {labels.shape}; "
                "give one label a score"
            )
    shared = np.intersect1d(p.astype(str), q.astype(str))
    if shared.size:
        shown = ", ".join(shared[:3]) + (", …" if shared.size > 3 else "")
        raise ScoresError(
            f"{shared.size} cluster label{'s' * (shared.size > 1)} on both sides ({shown}): the "
            "two sides must be independent. Keep each such cluster on one side; if different runs "
            "merely share a number, make the labels distinct ('in-0', 'out-0')"
        )
    return {"p": p, "q": q}


def _reduce(x: NDArray[np.float64], labels: NDArray[Any], rule: str) -> NDArray[np.float64]:
    """One score for each cluster, in the order in which the clusters first appear."""
    _, first, index, size = np.unique(
        labels.astype(str), return_index=True, return_inverse=True, return_counts=True
    )
    if rule == "first":
        reduced = x[first]
    elif rule == "max":
        reduced = np.full(first.size, -np.inf)
        np.maximum.at(reduced, index, x)
    else:
        with np.errstate(invalid="ignore"):  # +∞ and −∞ in one cluster make NaN, an outcome
            reduced = np.bincount(index, weights=x, minlength=first.size) / size
    return reduced[np.argsort(first)]
