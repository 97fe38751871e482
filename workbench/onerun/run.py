"""`OneRun`: scores and inclusions of the canaries of one training run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.onerun.guesses import DESIGNS, Ends, Guesses, Rule, Threshold, coins_p_value
from workbench.scores import chance
from workbench.scores.ordered import oriented
from workbench.scores.sample import Scores, ScoresError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class OneRun:
    """Scores and inclusions of the canaries of one training run.

    Parameters
    ----------
    scores : array_like, shape (m,)
        One score for each canary, from the one trained model.
    included : array_like of 0 and 1, shape (m,)
        Whether the canary was in the training data.
    larger_is_member : bool
        True when a larger score suggests membership, False when a smaller one does (a loss).
    ids : array_like, shape (m,), optional
        A name for each canary. Repeated names raise, since their coins would not be independent.
    design : {"fair-coins", "fixed-half", "fixed-size", "matched-pairs", "given"}
        How inclusion was decided, which the data cannot show. "fair-coins": by an independent coin
        for each canary. "fixed-half" and "fixed-size": a random half of them, or a random part of
        another size that was fixed; the inclusions depend on each other, and `matched_pairs` makes
        pairs of which they do not. "matched-pairs": a canary is a pair of records, of which a fair
        coin decided which one was in; its score is that of the first minus that of the second, and
        it is "included" if the first was in. "given": nobody drew it, such as members and
        non-members of different origins; numbers are estimates then, see `shift_check`.
    name : str
        Shown in titles.
    seed : int or numpy.random.Generator, optional
        A number that was drawn by chance for this run, whatever its scores are: the order of equal
        scores and splits of the canaries follow from it. By default one from the operating system,
        the same for the same scores and inclusions; see `chance`.

    Raises
    ------
    ScoresError
        Sizes that differ, inclusions other than 0 and 1, all in or all out, repeated names, or
        "fixed-half" where not half of the canaries were in.

    See Also
    --------
    matched_pairs : of a run whose members are a random part of the audited records.

    Notes
    -----
    Scores that are not finite are kept: ±∞ in their order, NaN as the most member-like, as in
    `Scores`. Dropping canaries because of their scores would invalidate the bounds.
    """

    scores: NDArray[np.float64]
    included: NDArray[np.bool_]
    larger_is_member: bool = True
    ids: NDArray[Any] | None = None
    design: str = "fair-coins"
    name: str = ""
    seed: int | np.random.Generator | None = None

    plot = plot
    figure = figure

    #: Whether the sides of pairs were drawn after the training, so that all may be the same.
    _drew_sides: ClassVar[bool] = False

    def __post_init__(self) -> None:
        direction = _checks.flag(self.larger_is_member, "larger_is_member")
        object.__setattr__(self, "larger_is_member", direction)
        _checks.text(self.name, "name")
        object.__setattr__(self, "seed", chance.checked_seed(self.seed))
        _checks.one_of(self.design, "design", DESIGNS)
        scores, included = _numbers(self.scores, "scores"), _coins(self.included)
        if scores.size != included.size:
            raise ScoresError(
                f"{scores.size} scores and {included.size} inclusions; give one of each "
                "for every canary"
            )
        m, members = included.size, int(included.sum())
        if members in (0, m) and not self._drew_sides:
            raise ScoresError(
                f"all {m} canaries were {'in' if members else 'out'}, so nothing can be guessed; "
                "each must be put in by its own fair coin"
                + (", and both sides are needed" if m < 10 else "")
            )
        for side, where in ((included, "in"), (~included, "out")):
            if side.any() and np.isnan(scores[side]).all():
                raise ScoresError(
                    f"every canary that was {where} has the score NaN; check that the column is "
                    "the right one and that its scores were computed"
                )
        if self.design == "fixed-half" and 2 * members != m:
            raise ScoresError(
                f"design='fixed-half' means that half were in, got {members} of {m}; state "
                "design='fair-coins' if each canary had its own coin, 'fixed-size' if a "
                "random part of another size was in"
            )
        if self.ids is not None:
            object.__setattr__(self, "ids", _names(self.ids, m))
        for field, array in (("scores", scores), ("included", included)):
            array.flags.writeable = False
            object.__setattr__(self, field, array)

    # -- description ------------------------------------------------------------------------------

    @property
    def canaries(self) -> int:
        """Number m of canaries."""
        return self.scores.size

    @property
    def members(self) -> int:
        """Number of canaries that were in."""
        return int(self.included.sum())

    @property
    def coins_p_value(self) -> float:
        """Two-sided p-value of this many members under fair coins."""
        return coins_p_value(self.members, self.canaries)

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        member = "larger" if self.larger_is_member else "smaller"
        return (
            f"OneRun({name}{self.canaries} canaries, {self.members} in, {member} is member-like, "
            f"design={self.design!r})"
        )

    def _repr_html_(self) -> str:
        rows = [("canaries", f"{self.canaries:,}"), ("in", f"{self.members:,}")]
        rows += [("p-value of fair coins", f"{self.coins_p_value:.3g}")]
        if not np.isfinite(self.scores).all():
            rows += [("not finite, kept", str(int((~np.isfinite(self.scores)).sum())))]
        words = table(f"One run {self.name}".strip(), rows, f"design: {self.design}")
        return beside(words, self)

    def to_frame(self) -> pd.DataFrame:
        """One row for each canary: ``score``, ``included`` and, where given, ``id``."""
        import pandas as pd

        columns = {"score": self.scores, "included": self.included.astype(int)}
        if self.ids is not None:
            columns["id"] = self.ids
        return pd.DataFrame(columns)

    # -- what follows from the scores -------------------------------------------------------------

    def as_scores(self) -> Scores:
        """The scores of included (P) and excluded (Q) canaries, for methods that take samples.

        Returns
        -------
        Scores
            With ``sampling="one run"``: each bound states the assumption that the records of this
            run behave like independent ones, which canaries that share a model may violate. With
            ``sampling="given"`` where nobody drew who was in.
        """
        return Scores(
            self.scores[self.included],
            self.scores[~self.included],
            larger_is_member=self.larger_is_member,
            sampling="given" if self.design == "given" else "one run",
            name=self.name,
            seed=self.seed,
        )

    @cached_property
    def fingerprint(self) -> chance.Fingerprint:
        """What this run is known by: the ranks of its scores, in any order of the canaries."""
        x = self._oriented
        values, where = np.unique(x, return_inverse=True)
        p, q = (np.bincount(where[side], minlength=values.size) for side in self._sides)
        return chance.Fingerprint.of_counts(p, q, bool(np.isnan(values[-1])))

    @property
    def _sides(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        return self.included, ~self.included

    @cached_property
    def chance(self) -> int:
        """The random number of this run: `seed`, or one that is drawn now.

        It is drawn from the operating system once for the same `fingerprint`.
        """
        given = None if self.seed is None else int(self.seed)  # type: ignore[arg-type]
        return chance.seed_of(self.fingerprint, given)

    def random_order(self, use: str) -> NDArray[np.int64]:
        """A random number from 0 to m − 1 of each canary, shape (m,); all differ.

        Parameters
        ----------
        use : str
            As of `workbench.scores.chance.generator`; each use has numbers of its own.

        Notes
        -----
        They follow from `chance`, and depend neither on the scores nor on the inclusions nor on the
        order of the rows, which may be sorted by these.
        """
        order = np.lexsort((self.included, self._oriented))
        keys = np.empty(self.canaries, np.int64)
        keys[order] = chance.generator(self.chance, use).permutation(self.canaries)
        return keys

    def guess(
        self,
        *,
        threshold: float | None = None,
        k_in: int | None = None,
        k_out: int | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> Guesses:
        """Counts of the guesses that a rule makes from the scores.

        Parameters
        ----------
        threshold : float, optional
            In score units: guess every canary, "in" strictly on the member side and else "out".
        k_in, k_out : int, optional
            Guess "in" for the ``k_in`` most member-like canaries and "out" for the ``k_out`` least
            member-like, and abstain on the rest.
        seed : int or numpy.random.Generator, optional
            Breaks ties, by default by `chance`. A second seed, tried because of what the first one
            showed, makes the guarantee false.

        Returns
        -------
        Guesses

        Raises
        ------
        ValueError
            Not exactly one rule, or more guesses than canaries.
        """
        if threshold is not None:
            if k_in is not None or k_out is not None:
                raise ValueError(
                    "give threshold= (guesses all) or k_in= and k_out= (the most and the "
                    "least member-like), not both"
                )
            return self._guess_by_threshold(_checks.number(threshold, "threshold"))
        if k_in is None and k_out is None:
            raise ValueError("a guess needs a rule: threshold=, or k_in= and k_out=")
        k_in, k_out = _checks.count(k_in or 0, "k_in"), _checks.count(k_out or 0, "k_out")
        if k_in + k_out > self.canaries:
            raise ValueError(
                f"k_in + k_out must be at most the {self.canaries} canaries, got {k_in} + {k_out}"
            )
        order = self._order(seed)
        guessed_in, guessed_out = order[self.canaries - k_in :], order[:k_out]
        correct = self.included[guessed_in].sum() + (~self.included[guessed_out]).sum()
        return self._counted(k_in + k_out, int(correct), Ends(k_in, k_out))

    def _guess_by_threshold(self, threshold: float) -> Guesses:
        t = oriented(np.asarray(threshold), self.larger_is_member)
        guessed_in = (self._oriented > t) | np.isnan(self.scores)
        correct = int((guessed_in == self.included).sum())
        return self._counted(self.canaries, correct, Threshold(threshold))

    def _counted(self, guesses: int, correct: int, rule: Rule) -> Guesses:
        return Guesses(
            canaries=self.canaries,
            guesses=guesses,
            correct=correct,
            included=None if self.design == "matched-pairs" else self.members,
            design=self.design,
            rule=rule,
        )

    def _order(self, seed: int | np.random.Generator | None) -> NDArray[np.intp]:
        """Canaries from the least to the most member-like, equal scores in random order."""
        if seed is None:
            return self._ordered
        x = self._oriented
        return np.lexsort((_checks.random(seed).permutation(x.size), x))

    @cached_property
    def _ordered(self) -> NDArray[np.intp]:
        return np.lexsort((self.random_order("ties"), self._oriented))

    @cached_property
    def _oriented(self) -> NDArray[np.float64]:
        # NaN sorts after everything: the most member-like.
        return oriented(self.scores, self.larger_is_member)

    def part(self, rows: NDArray[np.bool_]) -> OneRun:
        """A run with some of the canaries; the others count as other training data.

        Parameters
        ----------
        rows : array_like of bool, shape (m,)
        """
        rows = _checks.mask(rows, self.canaries, "rows")
        return OneRun(
            self.scores[rows],
            self.included[rows],
            larger_is_member=self.larger_is_member,
            ids=None if self.ids is None else self.ids[rows],
            design=self.design,
            name=self.name,
            seed=self.seed,
        )


def _numbers(values: ArrayLike, name: str) -> NDArray[np.float64]:
    try:
        _checks.convertible(values, name)
    except ValueError as error:
        raise ScoresError(str(error)) from None
    try:
        x = _checks.array(values, name).copy()
    except ValueError:
        raise ScoresError(
            f"{name} must be numbers, one for each canary, got {_checks.shown(values)}"
        ) from None
    if x.ndim != 1 or x.size < 2:
        raise ScoresError(f"{name} must be 1-d with at least 2 canaries, got shape {x.shape}")
    return x


def _coins(values: ArrayLike) -> NDArray[np.bool_]:
    x = _numbers(values, "included")
    odd = ~np.isin(x, (0.0, 1.0))
    if odd.any():
        raise ScoresError(
            f"included must be 1 (in) or 0 (out), got {x[odd][0]:g} for canary {int(odd.argmax())}"
        )
    return x == 1


def _names(ids: ArrayLike, m: int) -> NDArray[Any]:
    given = _checks.listed(ids, "ids").astype(object)
    names = np.array([str(name) for name in given.ravel()], dtype=object)
    if names.size != m:
        raise ScoresError(f"{names.size} ids for {m} canaries; give one for each")
    first: dict[str, int] = {}
    for i, name in enumerate(names):
        if name in first:
            raise ScoresError(
                f"canary {name!r} occurs twice (rows {first[name]} and {i}, counted from 0): each "
                "canary has one coin and one score; keep one row, or give the copies distinct ids "
                "if they had coins of their own"
            )
        first[name] = i
    return names
