"""`Scores`: two score samples, with counts above a threshold in logarithmic time.

Histogram, threshold, ROC, trade-off curve and band are all built on one query: how many scores of P
and of Q lie above t. Sorted arrays answer it in microseconds, so a slider does not touch the
samples again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._markup import table
from workbench.scores import chance
from workbench.scores.input_checks import (
    NonFiniteCounts,
    cluster_labels,
    column,
    usable,
)
from workbench.scores.layouts.direction import warn_of_names
from workbench.scores.moved import moved
from workbench.scores.ordered import Floats, Integers
from workbench.scores.refusals import ScoresError as ScoresError
from workbench.scores.rows import ScoreRows
from workbench.scores.value_counts import ValueCounts

if TYPE_CHECKING:
    import pandas as pd

SAMPLINGS = ("independent runs", "clustered", "one run", "given", "unknown")

#: What numbers from records that nobody drew assume, and why they are estimates.
ALIKE = "members and non-members of one population"
NOBODY_DREW = (
    "nobody drew at random who was in, so a difference of the two populations counts as a leak"
)
CLUSTER_RULES = ("mean", "max", "first")
NON_FINITE = ("keep", "drop")

#: Members of `Scores` in version 0.1 that are those of its samples now.
MOVED = {
    name: f"samples.{name}"
    for name in (
        "arrays", "arrived", "below_counts", "constant", "distinct", "first_rows",
        "groups", "in_order", "in_score_units", "is_counted", "moments", "most_member_like_q",
        "nan_counts", "ordered", "oriented", "pooled", "rounding",
    )
}  # fmt: skip


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
        as if they were read the wrong way, and Series with names such as ``loss`` warn.
    sampling : {"independent runs", "clustered", "one run", "given", "unknown"}
        How the scores were sampled; every bound states it as its assumption. "given": members and
        non-members are of different origins and nobody drew who was in; numbers are estimates then.
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

    p: Floats
    q: Floats = None  # type: ignore[assignment]  # missing, which is refused below
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
    notes: tuple[str, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        if self.q is None:
            raise TypeError(
                f"q is missing, the scores without the record: give wb.Scores(p, q), or the table "
                f"that holds both to wb.read_scores(...); got p={_checks.shown(self.p)}"
            )
        direction, stated = stated_direction(self.larger_is_member)
        object.__setattr__(self, "larger_is_member", direction)
        object.__setattr__(self, "direction_stated", stated)
        if not stated:
            warn_of_names(self.p, self.q)
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
        given = {"p": column(self.p, "P"), "q": column(self.q, "Q")}
        declared = self.yes_no
        if declared is None:
            declared = all(np.asarray(x).dtype == bool for x in (self.p, self.q))
        object.__setattr__(self, "yes_no", _checks.flag(declared, "yes_no"))
        labels = cluster_labels(self.clusters, given["p"].size, given["q"].size)
        drop = self.nonfinite == "drop"
        for side, x in given.items():
            object.__setattr__(self, f"nonfinite_{side}", NonFiniteCounts.of(x))
            object.__setattr__(self, f"rows_{side}", x.size)
            object.__setattr__(
                self, side, usable(side.upper(), x, labels[side], drop, self.cluster_rule)
            )
        if self.yes_no:
            answers = np.unique(np.concatenate([self.p, self.q]))
            if answers.size > 2 or not np.isfinite(answers).all():
                raise ScoresError(
                    f"yes_no=True means two finite values, got {_checks.shown(answers)}; leave it "
                    "out, or give the answers as booleans"
                )
        if self.clusters is not None:
            object.__setattr__(self, "sampling", "clustered")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return moved(self, name, MOVED)

    @cached_property
    def samples(self) -> ScoreRows | ValueCounts:
        """Both samples as what answers questions about order, ranks and counts."""
        return ScoreRows(self.p, self.q, self.larger_is_member)

    # -- size and description ---------------------------------------------------------------

    @property
    def n_p(self) -> int:
        """Number of scores of P that the bounds use (clusters count once)."""
        return self.samples.sizes[0]

    @property
    def n_q(self) -> int:
        """Number of scores of Q that the bounds use (clusters count once)."""
        return self.samples.sizes[1]

    @property
    def discarded(self) -> int:
        """Non-finite scores left out of both sides."""
        kept = self.nonfinite == "keep"
        return 0 if kept else self.nonfinite_p.total + self.nonfinite_q.total

    @property
    def assumption(self) -> str:
        """The assumption about sampling that every bound from these scores states."""
        return assumption_of(self.sampling)

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
        for (side, n, odd), spread in zip(sides, self.samples.spreads(), strict=True):
            rows.append((side, f"{n:,}", *([f"{x:.4g}" for x in spread] or ["–"] * 3), odd))
        below = f"{member} is member-like · {self.assumption} · non-finite: {self.nonfinite}"
        below += f" · {self.held_out}" if self.held_out else ""
        return table(f"Scores {self.name}".strip(), rows, below)

    def to_frame(self) -> pd.DataFrame:
        """A row for each score, with the columns ``score`` and ``member`` (1 for P, 0 for Q)."""
        import pandas as pd

        score = np.concatenate([self.p, self.q])
        return pd.DataFrame({"score": score, "member": np.repeat([1, 0], [self.n_p, self.n_q])})

    def __iter__(self) -> Iterator[NDArray[np.float64]]:
        """Iterator over the scores of P and of Q: ``p, q = pair.sample(1000)``."""
        return iter((self.p, self.q))

    @property
    def only_threshold(self) -> float | None:
        """The threshold between the two answers of an attack that says yes or no; else None."""
        if not self.yes_no:
            return None
        return float(self.samples.pooled.at(0) + self.samples.pooled.at(-1)) / 2

    @cached_property
    def results(self) -> dict[Any, Any]:
        """Cache of results computed from these scores."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """The fields without the cached results."""
        return {name: value for name, value in vars(self).items() if name != "results"}

    def tail_counts(self, t: ArrayLike) -> tuple[Integers, Integers]:
        """Number of scores of P and of Q strictly on the member side of t.

        Parameters
        ----------
        t : array_like
            Thresholds in score units. No score lies above NaN.

        Returns
        -------
        true_positives, false_positives : ndarray of int, the shape of ``t``
        """
        t = np.asarray(self.samples.in_score_units(t))
        p, q = self.samples.groups
        return np.asarray(p.above(t)), np.asarray(q.above(t))

    def quantile(self, level: ArrayLike) -> Floats:
        """Lower quantiles of the pooled finite scores of P and Q, in score units.

        Parameters
        ----------
        level : array_like
            In [0, 1].
        """
        pooled = self.samples.pooled
        if not pooled.size:
            raise ScoresError("no finite score on either side; check the score column")
        level = _checks.array(level, "level")
        if not ((level >= 0) & (level <= 1)).all():
            raise ValueError(f"level must lie in [0, 1], got {_checks.shown(level)}")
        return np.asarray(
            pooled.at(np.clip((level * pooled.size).astype(np.int64), 0, pooled.size - 1))
        )

    @property
    def fingerprint(self) -> chance.Fingerprint:
        """What these scores are known by: their ranks; see `Samples.fingerprint`."""
        return self.samples.fingerprint

    @cached_property
    def chance(self) -> int:
        """The number from which splits of these scores follow: `seed`, or one that is drawn now.

        It is drawn from the operating system once for the same `fingerprint`.
        """
        given = None if self.seed is None else int(self.seed)  # type: ignore[arg-type]
        return chance.seed_of(self.samples.fingerprint, given)

    def same_arrays(self, other: Scores) -> bool:
        """Whether other scores are held in equal `arrays`, whatever their direction."""
        mine, others = self.samples.arrays, require_scores(other, "other").samples.arrays
        return mine.keys() == others.keys() and all(
            np.array_equal(x, others[name], equal_nan=True) for name, x in mine.items()
        )

    # -- a choice of the reader ----------------------------------------------------------------

    def with_direction(self, larger_is_member: bool) -> Self:
        """The same scores with another direction."""
        larger_is_member = _checks.flag(larger_is_member, "larger_is_member")
        if larger_is_member == self.larger_is_member:
            return self if self.direction_stated else self._changed(direction_stated=True)
        return self._changed(self.samples.turned(), direction_stated=True)

    def with_seed(self, seed: int | np.random.Generator) -> Self:
        """The same scores with a number that was drawn for them before."""
        return self._changed(seed=chance.checked_seed(seed))

    def as_given(self) -> Self:
        """The same scores with the statement that nobody drew who was in: estimates follow."""
        return self._changed(sampling="given")

    def part_of_sorted(self, p: NDArray[np.bool_], q: NDArray[np.bool_]) -> Self:
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
        return self._changed(self.samples.part(masks))

    def split_at_random(
        self, sizes: tuple[int, int], rng: np.random.Generator
    ) -> tuple[Self, Self]:
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
        part, rest = self.samples.split((known[0], known[1]), rng)
        return self._changed(part), self._changed(rest)

    def rescored(self, rule: Callable[[Floats], ArrayLike], held_out: str) -> Self:
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
        return self._changed(self.samples.rescored(rule), direction_stated=True, held_out=held_out)

    def _changed(self, samples: ScoreRows | ValueCounts | None = None, **values: Any) -> Self:
        """A copy with other samples, or some other fields; nothing is checked or dropped again."""
        held = self.samples if samples is None else samples
        values |= {"samples": held, "larger_is_member": held.larger_is_member}
        if not held.is_counted:
            values |= {"p": held.p, "q": held.q}
        changed = object.__new__(type(self))
        for f in fields(self):
            if f.name not in ("p", "q"):
                values.setdefault(f.name, getattr(self, f.name))
        for name, value in values.items():
            object.__setattr__(changed, name, value)
        return changed


def assumption_of(sampling: str) -> str:
    """The assumption that bounds from scores of this sampling state."""
    return {"unknown": "if rows are independent", "given": ALIKE}.get(sampling, sampling)


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
