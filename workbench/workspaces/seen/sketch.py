"""`RowSketch`: a few numbers by which most rows of a data set are recognized.

It holds the smallest hashes of two sets (bottom-k sketches: Cohen & Kaplan 2007, "Summarizing data
using bottom-k sketches"):

- of the rows, each a value and its side;
- of three neighbors in the order of the scores: the ratio of the gaps between them, and their
  sides. These are the same in other units, and where the order is reversed. A row that is added or
  left out changes three of them at most.

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

#: Smallest hashes among which repeated ones are looked for.
_LOOKED_AT = 4096

#: Binary digits of a value, and of the ratio of two gaps.
_DIGITS, _RATIO = 36, 24

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
        """The sketch of scores; None where rows of unrelated data may be the same."""
        found = scores.samples.distinct
        values = scores.samples.in_score_units(found.values)
        single = (found.p + found.q == 1) & np.isfinite(values)
        n = scores.n_p + scores.n_q
        if int(single.sum()) < max(FEWEST, DISTINCT * n):
            return None
        x, side = values[single], found.p[single].astype(_WORD)
        if x[0] > x[-1]:  # ascending, in their own units
            x, side = x[::-1], side[::-1]
        n_gaps, gaps = _smallest(_gap_hashes(x, side))
        if n_gaps < DISTINCT * (x.size - 2):
            return None  # a grid, or ranks
        n_rows, rows = _smallest(_row_hashes(x, side))
        return cls((n_rows, n_gaps), rows, gaps)

    def shared(self, other: RowSketch) -> tuple[float, bool]:
        """The estimated share of these rows that other data have, and whether in other units."""
        same = _share(self.rows, self.sizes[0], other.rows, other.sizes[0])
        # Three neighbors stay neighbors if all of them stay, and no new row comes between them.
        rescaled = _share(self.gaps, self.sizes[1], other.gaps, other.sizes[1]) ** 0.2
        return (rescaled, True) if rescaled >= MOST > same else (same, False)

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
    return _mixed(_mixed(digits) ^ place)


def _gap_hashes(x: NDArray[np.float64], side: NDArray[np.uint64]) -> NDArray[np.uint64]:
    with np.errstate(over="ignore", invalid="ignore"):
        gap = np.diff(x)
        both = gap[:-1] + gap[1:]
        up, down = gap[:-1] / both, gap[1:] / both
    first, middle, last = side[:-2], side[1:-1], side[2:]
    forth, back = _hashed(up, first, middle, last), _hashed(down, last, middle, first)
    return np.minimum(forth, back)


def _hashed(ratio: NDArray[np.float64], *sides: NDArray[np.uint64]) -> NDArray[np.uint64]:
    found = (np.nan_to_num(ratio) * (2**_RATIO - 1)).astype(_WORD)
    for side in sides:
        found = (found << _WORD(1)) | side
    return _mixed(found)


def _smallest(hashes: NDArray[np.uint64]) -> tuple[int, tuple[int, ...]]:
    """The number of different hashes, from the smallest ones, and those that are kept."""
    n = hashes.size
    looked_at = min(n, _LOOKED_AT)
    least = np.unique(np.partition(hashes, looked_at - 1)[:looked_at])
    return round(n * least.size / looked_at), tuple(map(int, least[:KEPT]))


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
