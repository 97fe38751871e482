"""`Ranks`: the rank of the true value of each canary among its candidates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._frames import to_frame
from workbench._markup import table
from workbench.curves.exposure import MOST_CANDIDATES, exposure_of_rank
from workbench.onerun.guesses import LAW_OF_VALUES, Guesses
from workbench.scores.sample import ScoresError

#: Scores that are compared at once.
_AT_ONCE = 2**21


@dataclass(frozen=True, eq=False, repr=False)
class Ranks:
    """The rank of the true value of each canary among its candidates, 1 for the most likely one.

    Each of m canaries has one of ``values`` values, drawn uniformly and independently of the others
    before the training, such as a secret that is inserted in place of its alternatives.

    Parameters
    ----------
    ranks : array_like of int, shape (m,)
        From 1 to ``values``: how many candidates the attack takes to be at least as likely as the
        true one, itself included. Equal scores count, so that ties have the largest rank.
    values : int
        Number K of candidates of each canary, the true one included, at least 2.
    ids : array_like, shape (m,), optional
        A name for each canary. Repeated names raise: two canaries with one secret have one value.
    name : str
        Shown in titles.
    condition : {"values that follow the stated law"}, optional
        Where nobody drew the values, such as identifiers that were found in a text: bounds hold if
        the true values follow the law of their alternatives.

    Raises
    ------
    ScoresError
        No ranks; ranks below 1, above ``values`` or not whole; repeated names.

    Notes
    -----
    The order of the candidates may depend on everything that was released, but not on which of them
    is the true one. With two values a canary is a pair, of which a fair coin decided which one was
    in.

    Examples
    --------
    >>> secrets = wb.Ranks([1, 3, 1, 800], values=1000)
    >>> secrets.exposures.round(1)
    array([10. ,  8.4, 10. ,  0.3])
    """

    ranks: NDArray[np.int64]
    values: int
    ids: NDArray[Any] | None = None
    name: str = ""
    condition: str | None = None

    to_frame = to_frame

    def __post_init__(self) -> None:
        values = _checks.count(self.values, "values", 2, MOST_CANDIDATES)
        object.__setattr__(self, "values", values)
        _checks.text(self.name, "name")
        if self.condition is not None:
            _checks.one_of(self.condition, "condition", (LAW_OF_VALUES,))
        ranks = _whole(self.ranks, values)
        ranks.flags.writeable = False
        object.__setattr__(self, "ranks", ranks)
        if self.ids is not None:
            object.__setattr__(self, "ids", _distinct(self.ids, ranks.size))

    @classmethod
    def of_scores(
        cls,
        candidates: ArrayLike | Iterable[ArrayLike],
        true: ArrayLike,
        larger_is_member: bool = True,
        *,
        ids: ArrayLike | None = None,
        name: str = "",
    ) -> Ranks:
        """Ranks of the true values from a score of each candidate, such as a log-probability.

        Parameters
        ----------
        candidates : array_like, shape (m, K), or iterable of m arrays of K
            The scores of the candidates of each canary. Rows are compared a few at a time: an array
            may stay on the disk, and an iterable may compute each row when it is asked for.
        true : array_like of int, shape (m,)
            The index of the true candidate of each canary, from 0 to K − 1.
        larger_is_member : bool
            True where a larger score suggests that a candidate is the true one.
        ids, name
            As in `Ranks`.

        Returns
        -------
        Ranks
            Equal scores count as ahead of the true one. So does NaN, and a true candidate with the
            score NaN is the last.

        Raises
        ------
        ScoresError
            Rows of different lengths, another number of rows than of true candidates, or all true
            candidates with the score NaN.
        ValueError
            An index of a true candidate that is no such.
        """
        larger = _checks.flag(larger_is_member, "larger_is_member")
        rows = _rows(candidates)
        found: list[NDArray[np.int64]] = []
        values: int | None = None
        given = _checks.array(true, "true")
        done = missing = 0
        for block in rows:
            if values is None:
                values = block.shape[1]
                index = _checks.indices(given, values, "true")
            if block.shape[1] != values:
                raise ScoresError(
                    f"canary {done} (counted from 0) has {block.shape[1]} scores, and those before "
                    f"it {values}; give each canary the same number of candidates"
                )
            own = index[done : done + block.shape[0]]
            if own.size < block.shape[0]:
                raise ScoresError(
                    f"{given.size} true candidates for more rows of scores; give one for each"
                )
            at = block[np.arange(own.size), own][:, None]
            behind = block < at if larger else block > at
            found.append(values - np.count_nonzero(behind, axis=1).astype(np.int64))
            missing += int(np.isnan(at).sum())
            done += own.size
        if values is None or done < given.size:
            raise ScoresError(
                f"{done} rows of scores for {given.size} true candidates; give one for each"
            )
        if missing == done:
            raise ScoresError(
                "every true candidate has the score NaN; check that the scores were computed"
            )
        return cls(np.concatenate(found), values, ids=ids, name=name)  # type: ignore[arg-type]

    @property
    def canaries(self) -> int:
        """Number m of canaries."""
        return self.ranks.size

    @property
    def exposures(self) -> NDArray[np.float64]:
        """The exposure of each secret, log₂ K − log₂ rank, in bits.

        References
        ----------
        Carlini et al. (2019), *The Secret Sharer*, Definition 3. It describes one model and is no
        bound; `workbench.exposure` has one.
        """
        return np.asarray(exposure_of_rank(self.ranks, self.values))

    def guesses(self, top: int = 1) -> Guesses:
        """Counts of guesses that name the first candidates of each canary.

        Parameters
        ----------
        top : int
            How many are named, below `values` and fixed before the ranks were seen.

        Returns
        -------
        Guesses
            On every canary; correct where the rank is at most ``top``.
        """
        top = _checks.count(top, "top", least=1)
        correct = int(np.count_nonzero(self.ranks <= top))
        m = self.canaries
        if self.values == 2:
            return Guesses(m, m, correct, design="matched-pairs", top=top, condition=self.condition)
        return Guesses(m, m, correct, values=self.values, top=top, condition=self.condition)

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        first = int(np.count_nonzero(self.ranks == 1))
        return (
            f"Ranks({name}{self.canaries:,} canaries among {self.values:,} values each, {first:,} "
            "with rank 1)"
        )

    def _repr_html_(self) -> str:
        rows = [("canaries", f"{self.canaries:,}"), ("candidates of each", f"{self.values:,}")]
        rows += [("rank 1", f"{int(np.count_nonzero(self.ranks == 1)):,}")]
        rows += [("median rank", f"{float(np.median(self.ranks)):,g}")]
        return table(f"Ranks {self.name}".strip(), rows, "1 is the most likely candidate")


def _rows(candidates: Any) -> Iterable[NDArray[np.float64]]:
    """Scores of some canaries at a time, 2-d."""
    if not (isinstance(candidates, list | tuple | str) or hasattr(candidates, "__array__")):
        for row in _checks.instance(candidates, Iterable, "candidates", _NEED):
            x = _checks.array(row, "candidates")
            if x.ndim != 1 or x.size < 2:
                raise ScoresError(f"candidates must be {_NEED}; got a row of shape {x.shape}")
            yield x[None]
        return
    x = (
        candidates
        if isinstance(candidates, np.ndarray)
        else _checks.array(candidates, "candidates")
    )
    if x.ndim != 2 or x.shape[1] < 2 or not x.shape[0]:
        raise ScoresError(f"candidates must be {_NEED}; got shape {x.shape}")
    step = max(_AT_ONCE // x.shape[1], 1)
    for start in range(0, x.shape[0], step):
        yield _checks.array(x[start : start + step], "candidates")


_NEED = (
    "an array of scores with a row for each canary and a column for each of at least 2 candidates"
)


def _whole(ranks: ArrayLike, values: int) -> NDArray[np.int64]:
    try:
        x = _checks.array(ranks, "ranks")
    except ValueError as error:
        raise ScoresError(str(error)) from None
    if x.ndim != 1 or not x.size:
        raise ScoresError(f"ranks must be 1-d with at least one canary, got shape {x.shape}")
    odd = ~(x == np.floor(x))
    if odd.any():
        i = int(odd.argmax())
        raise ScoresError(
            f"ranks must be whole numbers, got {x[i]:g} for canary {i} (counted from 0); ties have "
            "the largest rank, not a mean"
        )
    outside = (x < 1) | (x > values)
    if outside.any():
        i = int(outside.argmax())
        remedy = (
            "ranks begin at 1: add 1 to ranks that are counted from 0"
            if x[i] < 1
            else "give values= as the number of candidates, the true one included"
        )
        raise ScoresError(
            f"ranks must lie from 1 to {values:,}, got {x[i]:g} for canary {i} (counted from 0); "
            f"{remedy}"
        )
    return x.astype(np.int64)


def _distinct(ids: ArrayLike, m: int) -> NDArray[Any]:
    given = _checks.listed(ids, "ids").astype(object)
    names = np.array([str(name) for name in given.ravel()], dtype=object)
    if names.size != m:
        raise ScoresError(f"{names.size} ids for {m} ranks; give one for each")
    first: dict[str, int] = {}
    for i, name in enumerate(names):
        if name in first:
            raise ScoresError(
                f"canary {name!r} occurs twice (rows {first[name]} and {i}, counted from 0): two "
                "canaries with one secret have one value between them; keep one row, or give "
                "canaries with values of their own distinct ids"
            )
        first[name] = i
    return names
