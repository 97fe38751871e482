"""`Grid`: cells for scores of any size, narrow near some centers and wide far from them.

The cell of a score x around a center is cut from the bits of the float32 nearest to
(x − center) / scale: sign, exponent and the first `BITS` bits of the mantissa. Each step of this
is monotone, also where it rounds, so that every cell is an interval of floats, and no cell is
smaller than rounding. The sum of the numbers of such cells around several centers is monotone, too,
and its cells are their intersections. The ends of the intervals are found by bisection over all
floats with the function that makes the keys, so that they are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Bits of the mantissa in a key.
BITS = 12

#: Scores whose distance from the center is below 2^-FINEST scales share one cell.
FINEST = 60

#: Scores of which keys are made at a time: what is between stays in the cache.
BLOCK = 2**15

#: Bits of the mantissa of a float32, and the offset of its exponent.
_MANTISSA, _OFFSET = 23, 127

#: Exponents of a scale. Its inverse must be a float, too.
_LEAST_EXPONENT, _LARGEST_EXPONENT = -1022, 1022


@dataclass(frozen=True)
class Center:
    """A place where cells are narrow.

    Parameters
    ----------
    at : float
    exponent : int
        Of the scale, 2^exponent: a typical distance from the center.
    """

    at: float = 0.0
    exponent: int = 0

    @classmethod
    def of(cls, at: float, sample: Floats) -> Center:
        """A center whose scale is the median distance of finite scores from it."""
        with np.errstate(over="ignore"):
            distance = np.abs(sample - at)
        distance = distance[(distance > 0) & np.isfinite(distance)]
        if not distance.size:
            return cls(at)
        exponent = int(np.frexp(np.quantile(distance, 0.5, method="lower"))[1])
        return cls(at, min(max(exponent, _LEAST_EXPONENT), _LARGEST_EXPONENT))

    @cached_property
    def _per_scale(self) -> float:
        return float(np.ldexp(1.0, -self.exponent))

    def cells(self, x: Floats, room: _Room) -> NDArray[np.int32]:
        """Number of the cell of each score, from −`_WIDEST` to `_WIDEST`.

        Parameters
        ----------
        x : ndarray
        room : _Room
            It holds the answer until it is used again.
        """
        distance, single, sign = room.of(x.size)
        np.subtract(x, self.at, out=distance)
        np.multiply(distance, self._per_scale, out=distance)
        single[:] = distance
        cell = single.view(np.int32)
        np.right_shift(cell, 31, out=sign)  # −1 for negative numbers, otherwise 0
        np.bitwise_and(cell, 0x7FFFFFFF, out=cell)
        np.right_shift(cell, _MANTISSA - BITS, out=cell)
        np.maximum(cell, _FIRST, out=cell)
        np.minimum(cell, _LAST, out=cell)
        np.subtract(cell, _FIRST, out=cell)
        np.bitwise_xor(cell, sign, out=cell)  # with the next line: its negative where sign is −1
        np.subtract(cell, sign, out=cell)
        return cell


class _Room:
    """Arrays for what is between a block of scores and its keys."""

    def __init__(self, size: int) -> None:
        self._arrays = np.empty(size), np.empty(size, np.float32), np.empty(size, np.int32)

    def of(self, n: int) -> tuple[Floats, NDArray[np.float32], NDArray[np.int32]]:
        """Arrays of n entries."""
        distance, single, sign = self._arrays
        return distance[:n], single[:n], sign[:n]


@dataclass(frozen=True)
class Grid:
    """Cells whose width is at most 2^-12 of their distance from the nearest center.

    Key 0 is −∞; the last two keys are +∞ and NaN; between them are intervals of finite floats in
    ascending order.
    """

    centers: tuple[Center, ...] = (Center(),)

    @classmethod
    def of(cls, sample: Floats) -> Grid:
        """The grid around the median of a sample, and around the ends of its range, 0 and 1.

        Losses are dense near 0, and confidences near 0 and 1.
        """
        finite = sample[np.isfinite(sample)]
        if not finite.size:
            return cls()
        places = [float(np.quantile(finite, 0.5, method="lower")) + 0.0]
        least, largest = finite.min(), finite.max()
        if least >= 0 or largest <= 0:
            places.append(0.0)
        if least >= 0 and largest <= 1:
            places.append(1.0)
        return cls(tuple(Center.of(place, finite) for place in dict.fromkeys(places)))

    @property
    def size(self) -> int:
        """Number of keys."""
        return 2 * self._widest + 4

    @property
    def _widest(self) -> int:
        return len(self.centers) * _WIDEST

    def keys(self, x: Floats) -> Integers:
        """Number of the cell of each score, from 0 to ``size`` − 1; -0.0 and 0.0 share one.

        Parameters
        ----------
        x : ndarray of float64, shape (n,)

        Returns
        -------
        ndarray of int64, shape (n,)
        """
        keys = np.empty(x.size, np.int64)
        room = _Room(min(x.size, BLOCK))
        first, *others = self.centers
        with np.errstate(all="ignore"):  # beyond a float32 is a place, too
            for start in range(0, x.size, BLOCK):
                part = slice(start, start + BLOCK)
                np.add(first.cells(x[part], room), self._widest + 1, out=keys[part])
                for center in others:
                    keys[part] += center.cells(x[part], room)
                finite = np.isfinite(x[part])
                if not finite.all():
                    odd = np.flatnonzero(~finite) + start
                    keys[odd] = np.where(
                        np.isnan(x[odd]), self.size - 1, np.where(x[odd] < 0, 0, self.size - 2)
                    )
        return keys

    def largest(self, keys: Integers) -> Floats:
        """Largest score in each cell.

        Parameters
        ----------
        keys : ndarray of int64, shape (n,)
            Of cells that hold a float; NaN is the score of the last one.
        """
        return self._with_odd(keys, _float_of(self._last_up_to(keys)))

    def least(self, keys: Integers) -> Floats:
        """Least score in each cell.

        Parameters
        ----------
        keys : ndarray of int64, shape (n,)
            Of cells that hold a float; NaN is the score of the last one.
        """
        return self._with_odd(keys, _float_of(self._last_up_to(keys - 1) + 1))

    def _last_up_to(self, keys: Integers) -> Integers:
        """Order of the last finite float whose key is at most so much; one less if none is."""
        low = np.full(keys.size, _order_of(-_MOST) - 1)  # its key is small enough
        high = np.full(keys.size, _order_of(_MOST) + 1)  # its key is not
        while (high - 1 > low).any():
            middle = (low & high) + ((low ^ high) >> 1)  # without an overflow
            inside = np.clip(middle, _order_of(-_MOST), _order_of(_MOST))
            enough = (self.keys(_float_of(inside)) <= keys) & (inside >= middle)
            enough |= middle < inside
            low = np.where(enough, middle, low)
            high = np.where(enough, high, middle)
        return low

    def _with_odd(self, keys: Integers, scores: Floats) -> Floats:
        scores[keys == 0] = -np.inf
        scores[keys == self.size - 2] = np.inf
        scores[keys == self.size - 1] = np.nan
        return scores

    def describe(self) -> str:
        """The width of the cells, as a sentence."""
        places = [f"{center.at:.6g}" for center in self.centers]
        nearest = places[0] if len(places) == 1 else f"the nearest of {', '.join(places)}"
        return (
            f"Scores are rounded to the end of their cell; a cell is at most 2^-{BITS} of its "
            f"distance from {nearest} wide. Counts at the ends of cells are exact."
        )


#: Bits of exponent and mantissa of the central cell, and of the outermost cell.
_FIRST = (_OFFSET - FINEST) << BITS
_LAST = ((2 * _OFFSET + 1) << BITS) - 1

#: Number of the outermost cell of finite scores around a center.
_WIDEST = _LAST - _FIRST

_MOST = np.finfo(np.float64).max


def _order_of(x: float) -> np.int64:
    """Place of a float in the order of all floats: 0.0 has 0, and the next larger one has 1."""
    bits = np.float64(x).view(np.int64)
    return bits if bits >= 0 else np.int64(bits ^ np.int64(2**63 - 1))


def _float_of(order: Integers) -> Floats:
    """The floats at these places; -0.0 is 0.0."""
    bits = np.where(order >= 0, order, order ^ np.int64(2**63 - 1))
    return bits.view(np.float64) + 0.0
