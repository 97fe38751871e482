"""`RowSketch`: a few numbers by which most rows of a data set are recognized.

It holds the smallest hashes of two sets (bottom-k sketches: Cohen & Kaplan 2007, "Summarizing data
using bottom-k sketches"):

- of the rows, each a value and its side;
- of four neighbors in the order of the scores: the ratios of the gaps between them, and their
  sides. These are the same in other units, and where the order is reversed. A row that is added or
  left out changes four of them at most.

Scores that repeat, or that lie on a grid, are shared by unrelated data, too: they have no sketch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.sample import Scores

#: Hashes that are kept of each set.
KEPT = 256

#: Fewer rows have no sketch, and neither have rows of which a smaller share has a value of its own.
FEWEST, DISTINCT = 40, 0.95

#: Share of the rows from which on most of them are shared.
MOST = 0.5

#: Binary digits of a value, and of the ratio of two gaps.
_DIGITS, _RATIO = 36, 16

_WORD = np.uint64


@dataclass(frozen=True)
class RowSketch:
    """A few numbers by which most rows of a data set are recognized.

    Parameters
    ----------
    sizes : pair of int
        Number of different rows, and of different neighborhoods.
    rows, gaps : tuple of int
        The smallest hashes of both.
    """

    sizes: tuple[int, int]
    rows: tuple[int, ...]
    gaps: tuple[int, ...]

    @classmethod
    def of(cls, scores: Scores) -> RowSketch | None:
        """The sketch of scores; None where rows of unrelated data may be the same.

        Parameters
        ----------
        scores : Scores
        """
        found = scores.distinct
        values = scores.in_score_units(found.values)
        single = (found.p + found.q == 1) & np.isfinite(values)
        n = scores.n_p + scores.n_q
        if int(single.sum()) < max(FEWEST, DISTINCT * n):
            return None
        order = np.argsort(values[single])
        x, side = values[single][order], found.p[single][order].astype(_WORD)
        gaps = _gap_hashes(x, side)
        if gaps.size < DISTINCT * (x.size - 3):
            return None  # a grid, or ranks
        rows = _row_hashes(x, side)
        kept = (tuple(map(int, one[:KEPT])) for one in (rows, gaps))
        return cls((rows.size, gaps.size), *kept)

    def shared(self, other: RowSketch) -> tuple[float, bool]:
        """The estimated share of these rows that other data have, and whether in other units.

        Parameters
        ----------
        other : RowSketch
        """
        same = _share(self.rows, self.sizes[0], other.rows, other.sizes[0])
        # Four neighbors stay neighbors if none of them is left out.
        rescaled = _share(self.gaps, self.sizes[1], other.gaps, other.sizes[1]) ** 0.25
        return (same, False) if same >= MOST or same >= rescaled else (rescaled, True)

    def to_json(self) -> list[Any]:
        """The sketch as JSON values."""
        return [list(self.sizes), list(self.rows), list(self.gaps)]

    @classmethod
    def from_json(cls, values: Any) -> RowSketch:
        """The sketch of `to_json`."""
        (rows, gaps), *hashes = values
        return cls((int(rows), int(gaps)), *(tuple(map(int, one)) for one in hashes))


def _row_hashes(x: NDArray[np.float64], side: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mantissa, exponent = np.frexp(x)
    digits = np.rint(mantissa * 2.0**_DIGITS).astype(np.int64).view(_WORD)
    place = (exponent.astype(np.int64).view(_WORD) << _WORD(1)) | side
    return np.unique(_mixed(_mixed(digits) ^ place))


def _gap_hashes(x: NDArray[np.float64], side: NDArray[np.uint64]) -> NDArray[np.uint64]:
    with np.errstate(over="ignore", invalid="ignore"):
        gap = np.diff(x)
        up = [a / (a + b) for a, b in ((gap[:-2], gap[1:-1]), (gap[1:-1], gap[2:]))]
        down = [b / (a + b) for a, b in ((gap[1:-1], gap[2:]), (gap[:-2], gap[1:-1]))]
    sides = [side[k : side.size - 3 + k] for k in range(4)]
    return np.unique(np.minimum(_hashed(up, sides), _hashed(down, sides[::-1])))


def _hashed(
    ratios: list[NDArray[np.float64]], sides: list[NDArray[np.uint64]]
) -> NDArray[np.uint64]:
    found = np.zeros(sides[0].size, _WORD)
    for ratio in ratios:
        found = (found << _WORD(_RATIO)) | (np.nan_to_num(ratio) * (2**_RATIO - 1)).astype(_WORD)
    for side in sides:
        found = (found << _WORD(1)) | side
    return _mixed(found)


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A permutation of 64-bit numbers without visible order (Steele, Lea & Flood 2014)."""
    x = x + _WORD(0x9E3779B97F4A7C15)
    x = (x ^ (x >> _WORD(30))) * _WORD(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> _WORD(27))) * _WORD(0x94D049BB133111EB)
    return x ^ (x >> _WORD(31))


def _share(a: tuple[int, ...], n_a: int, b: tuple[int, ...], n_b: int) -> float:
    """The estimated share of one set that is in another one, from their smallest hashes."""
    if not a or not b:
        return 0.0
    union = sorted({*a, *b})
    if max(n_a, n_b) > KEPT:  # beyond them a hash may be of either set and not be known
        union = union[:KEPT]
    both = {*a} & {*b}
    jaccard = sum(one in both for one in union) / len(union)
    return min(1.0, jaccard / (1 + jaccard) * (n_a + n_b) / n_a)
