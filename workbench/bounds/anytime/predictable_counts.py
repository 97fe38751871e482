"""Running counts of scores in predictable sets (chosen from earlier scores), for betting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.bounds.anytime.betting import LEVELS, ROWS, TWO_SIDED
from workbench.bounds.anytime.sets import Distance, less_than, more_than
from workbench.curves.validation import Floats

Whole = NDArray[np.int64]

#: Blocks that only place the first thresholds.
WARM_UP = 16

#: Looks while the number of blocks doubles.
LOOKS = 64

#: Blocks, at most, that the two-sided sets are placed by: their levels need no more.
RECENT = 4096

#: Octaves of a tail from which thresholds beyond the outermost score are extrapolated.
_TAIL = 4


class Tally:
    """Counts for every bet, at looks that do not depend on the scores.

    There is a look after every block up to 2·LOOKS, and then LOOKS times while the number of blocks
    doubles. Whenever it has doubled, the thresholds are placed anew. So the counts depend on the
    scores and not on how they were divided into calls.

    Parameters
    ----------
    ratio : (int, int)
        Scores of P and of Q in a block.

    Attributes
    ----------
    total : ndarray, shape (rows, 8)
        Counts at the last look, in the order of `workbench.bounds.anytime.betting.log_factors`.

    Raises
    ------
    ValueError
        A ratio that is not a pair of whole numbers.
    """

    def __init__(self, ratio: tuple[int, int]) -> None:
        self.ratio = _ratio(ratio)
        self.looked = WARM_UP
        self.columns = (_Column(), _Column())
        self.total = np.zeros((ROWS, 8))
        self._epoch = 0
        self._sets: _Sets | None = None

    @property
    def used(self) -> int:
        """Blocks at the last look; 0 before the first."""
        return self.looked if self._epoch else 0

    def add(self, p: Floats, q: Floats) -> list[tuple[Whole, Floats]]:
        """Counts at the looks that new scores make possible.

        Parameters
        ----------
        p, q : ndarray
            New scores, larger being more member-like and NaN the largest.

        Returns
        -------
        list of (ndarray, shape (looks,), ndarray, shape (rows, looks, 8))
            New looks: their numbers of blocks, and all counts since the warm-up.
        """
        for column, x in zip(self.columns, (p, q), strict=True):
            column.append(x)
        complete = min(column.size // k for column, k in zip(self.columns, self.ratio, strict=True))
        runs: list[tuple[Whole, Floats]] = []
        while True:
            epoch = WARM_UP * 2 ** ((self.looked // WARM_UP).bit_length() - 1)
            step = max(1, epoch // LOOKS)
            last = min(2 * epoch, complete) // step * step
            if last <= self.looked:
                return runs
            if self._sets is None or epoch > self._epoch:
                self._sets = self._placed(epoch)
                self._epoch = epoch
            looks = np.arange(self.looked + step, last + 1, step)
            counts = self.total + np.cumsum(self._new(self._sets, step, last), axis=0)
            self.total, self.looked = counts[-1], last
            runs.append((looks, counts.transpose(1, 0, 2)))

    def _placed(self, epoch: int) -> _Sets:
        """Sets from earlier scores; NaN is the largest, as in numpy's order."""
        p, q = (c[: epoch * k] for c, k in zip(self.columns, self.ratio, strict=True))
        recent = max(epoch - RECENT, 0)
        return _Sets.placed(p, q, p[recent * self.ratio[0] :], q[recent * self.ratio[1] :])

    def _new(self, sets: _Sets, step: int, last: int) -> Floats:
        """Counts between looks, shape (looks, rows, 8)."""
        looks = (last - self.looked) // step
        sizes = [step * k for k in self.ratio]
        new = [c[self.looked * k : last * k] for c, k in zip(self.columns, self.ratio, strict=True)]
        look = [np.arange(x.size) // n for x, n in zip(new, sizes, strict=True)]
        look[1] += looks
        # Both samples at once: for a single look, the calls are what takes time.
        cells = sets.count(np.concatenate(new), np.concatenate(look), np.repeat(sizes, looks))
        sides = cells.reshape(2, looks, ROWS, 4).transpose(1, 2, 0, 3)
        return sides.reshape(looks, ROWS, 8).astype(float)


class _Sets:
    """The sets S and S′ of each row: intervals of scores, or what is outside of them.

    Parameters
    ----------
    begin, end : ndarray, shape (2·rows,)
        Of the sets S, then of the sets S′.
    outside : ndarray of bool, shape (2·rows,)
    """

    def __init__(self, begin: Floats, end: Floats, outside: NDArray[np.bool_]) -> None:
        # One search among all ends tells in which sets a score lies.
        self._cuts, place = np.unique(np.concatenate([begin, end]), return_inverse=True)
        self._begin, self._end = np.split(place + 1, 2)
        self._outside = outside

    @classmethod
    def placed(cls, p: Floats, q: Floats, recent_p: Floats, recent_q: Floats) -> _Sets:
        """From earlier scores: all of them for the one-sided sets, recent ones for the others."""
        distance, levels = Distance.learned(recent_p, recent_q), LEVELS[:TWO_SIDED]
        found = [
            more_than(thresholds(np.sort(q)[::-1])),
            distance.more_than(thresholds(np.sort(distance(recent_q))[::-1], levels)),
            less_than(thresholds(np.sort(p))),
            distance.less_than(thresholds(np.sort(distance(recent_p)), levels)),
        ]
        begin, end, outside = zip(*found, strict=True)
        return cls(np.concatenate(begin), np.concatenate(end), np.concatenate(outside))

    def count(self, x: Floats, look: Whole, sizes: Whole) -> Whole:
        """Where the scores of each look fell, shape (looks, rows, 4), as in `log_factors`.

        Parameters
        ----------
        x : ndarray
        look : ndarray of int
            Of each score.
        sizes : ndarray of int, shape (looks,)
            Scores in each look.
        """
        looks, width = sizes.size, self._cuts.size + 1
        cell = self._cuts.searchsorted(x, side="right")
        table = np.bincount(look * width + cell, minlength=looks * width).reshape(looks, width)
        before = np.zeros((looks, width + 1), dtype=np.int64)
        table.cumsum(axis=1, out=before[:, 1:])
        inside = np.maximum(before[:, self._end] - before[:, self._begin], 0)
        n = sizes[:, None]
        found = np.where(self._outside, n - inside, inside)
        high, low = found[:, :ROWS], found[:, ROWS:]
        rest = n - high - low
        both = np.maximum(-rest, 0)
        cells = np.empty((looks, ROWS, 4), dtype=np.int64)
        for column, count in enumerate((high - both, low - both, rest + both, both)):
            cells[..., column] = count
        return cells


class _Column:
    """An array with room to grow."""

    def __init__(self) -> None:
        self._room = np.empty(1024)
        self.size = 0

    def append(self, x: Floats) -> None:
        size = self.size + x.size
        if size > self._room.size:
            room = np.empty(max(size, 2 * self._room.size))
            room[: self.size] = self._room[: self.size]
            self._room = room
        self._room[self.size : size] = x
        self.size = size

    def __getitem__(self, rows: slice) -> Floats:
        return self._room[: self.size][rows]


def thresholds(outermost: Floats, levels: Floats = LEVELS) -> Floats:
    """Quantiles at the levels, of scores sorted from the outermost inwards.

    Any threshold that depends on earlier scores only is valid. Beyond the outermost score, the tail
    is extrapolated by equal steps for each halving of the level.
    """
    n = outermost.size
    rank = np.floor(levels * n).astype(np.int64)
    inside = outermost[np.maximum(rank, 1) - 1]
    with np.errstate(invalid="ignore"):
        step = (outermost[0] - outermost[2**_TAIL - 1]) / _TAIL
    if not np.isfinite(step):
        return inside
    return np.where(rank < 1, outermost[0] - step * np.log2(levels * n), inside)


def _ratio(ratio: Sequence[int]) -> tuple[int, int]:
    try:
        a, b = ratio
    except (TypeError, ValueError):
        raise ValueError(
            f"ratio must be a pair such as (1, 4), one score of P to four of Q; got {ratio!r}"
        ) from None
    return _checks.count(a, "ratio", least=1), _checks.count(b, "ratio", least=1)
