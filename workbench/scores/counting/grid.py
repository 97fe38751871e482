"""`Grid`: cells for scores of any size, narrow near some centers and wide far from them.

The cell of a score x around a center is cut from the bits of the float32 nearest to
(x − center) / scale: sign, exponent and the first `BITS` bits of the mantissa. Each step of this
is monotone, also where it rounds, so that every cell is an interval of floats, and no cell is
smaller than rounding. The sum of the numbers of such cells around several centers is monotone, too,
and its cells are their intersections. The ends of the intervals are computed up to rounding, and
then found by bisection with the function that makes the keys, so that they are exact.
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

    def cells(self, x: Floats, room: Room) -> NDArray[np.int32]:
        """Number of the cell of each score, from −`_WIDEST` to `_WIDEST`.

        Parameters
        ----------
        x : ndarray
        room : Room
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

    def inside(self, cells: Integers) -> Floats:
        """A score within each cell, up to rounding; see `cells`."""
        size = np.minimum(np.abs(cells), _WIDEST) + _FIRST
        middle = _single((size << _BELOW) + (1 << (_BELOW - 1)))
        return self._score(np.where(cells == 0, 0.0, np.copysign(middle, cells)))

    def end(self, x: Floats, upper: bool) -> Floats:
        """The upper or the lower end of the cell of each score, up to rounding."""
        cells = self.cells(x, Room(x.size)).astype(np.int64)
        outward = (cells >= 0) if upper else (cells <= 0)
        size = np.abs(cells) + _FIRST + outward
        # Between the two float32 that are next to the end; beyond the outermost cell is infinity.
        end = (_single((size << _BELOW) - 1) + _single(size << _BELOW)) / 2
        return self._score(np.where((cells > 0) | ((cells == 0) & upper), end, -end))

    def _score(self, distance: Floats) -> Floats:
        return self.at + np.ldexp(distance, self.exponent)


class Room:
    """Arrays for what is between a block of scores and its keys.

    They are used for one block after the other: made anew for each, they would go back to the
    system and be handed out again, page by page, which takes longer than the arithmetic.

    Parameters
    ----------
    size : int
        The largest number of scores in a block.
    """

    def __init__(self, size: int) -> None:
        self._arrays = np.empty(size), np.empty(size, np.float32), np.empty(size, np.int32)
        self._keys = np.empty(size, np.int64)

    def of(self, n: int) -> tuple[Floats, NDArray[np.float32], NDArray[np.int32]]:
        """Arrays of n entries."""
        distance, single, sign = self._arrays
        return distance[:n], single[:n], sign[:n]

    def keys(self, n: int) -> Integers:
        """An array of n keys."""
        return self._keys[:n]


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
        room = Room(min(x.size, BLOCK))
        for start in range(0, x.size, BLOCK):
            part = slice(start, start + BLOCK)
            keys[part] = self.keys_of_block(x[part], room)
        return keys

    def keys_of_block(self, x: Floats, room: Room) -> Integers:
        """The same for the scores of a block.

        Parameters
        ----------
        x : ndarray of float64, shape (n,)
        room : Room
            It holds the answer until it is used again.
        """
        keys = room.keys(x.size)
        first, *others = self.centers
        with np.errstate(all="ignore"):  # beyond a float32 is a place, too
            np.add(first.cells(x, room), self._widest + 1, out=keys)
            for center in others:
                keys += center.cells(x, room)
            finite = np.isfinite(x)
        if not finite.all():
            odd = np.flatnonzero(~finite)
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
        return self._ends(keys, upper=True)

    def least(self, keys: Integers) -> Floats:
        """Least score in each cell.

        Parameters
        ----------
        keys : ndarray of int64, shape (n,)
            Of cells that hold a float; NaN is the score of the last one.
        """
        return self._ends(keys, upper=False)

    def _ends(self, keys: Integers, upper: bool) -> Floats:
        """Last or first score in each cell."""
        scores = np.full(keys.size, np.nan)
        scores[keys == 0] = -np.inf
        scores[keys == self.size - 2] = np.inf
        finite = (keys > 0) & (keys < self.size - 2)
        scores[finite] = self._finite_ends(keys[finite], upper)
        return scores

    def _finite_ends(self, keys: Integers, upper: bool) -> Floats:
        with np.errstate(all="ignore"):
            x = self._inside(keys)
            nearest = np.minimum.reduce if upper else np.maximum.reduce
            end = nearest([center.end(x, upper) for center in self.centers])
            at = max(abs(center.at) for center in self.centers)
            end = np.clip(end, -_MOST, _MOST)
            reach = _ROUNDING * np.spacing(np.maximum(np.abs(end), at) / 2)
            low, high = (_orders_of(np.clip(end + r, -_MOST, _MOST)) for r in (-reach, reach))
        # The last float whose key is at most so much; the one after it begins the next cell.
        most = keys if upper else keys - 1
        low = np.where(self.keys(_float_of(low)) <= most, low, _LEAST_ORDER)
        high = np.where(self.keys(_float_of(high)) > most, high, _LARGEST_ORDER)
        open_ = np.flatnonzero(high - 1 > low)
        while open_.size:
            middle = _middle(low[open_], high[open_])
            enough = self.keys(_float_of(middle)) <= most[open_]
            low[open_[enough]] = middle[enough]
            high[open_[~enough]] = middle[~enough]
            open_ = open_[high[open_] - 1 > low[open_]]
        return _float_of(low if upper else low + 1)

    def _inside(self, keys: Integers) -> Floats:
        """A finite score in each cell that holds one."""
        x = np.zeros(keys.size)
        if len(self.centers) == 1:
            x = np.clip(self.centers[0].inside(keys - self._widest - 1), -_MOST, _MOST)
        low = np.full(keys.size, _LEAST_ORDER)  # its key is too small
        high = np.full(keys.size, _LARGEST_ORDER)  # its key is too large
        open_ = np.flatnonzero(self.keys(x) != keys)
        while open_.size:
            middle = _middle(low[open_], high[open_])
            x[open_] = _float_of(middle)
            found = self.keys(x[open_])
            low[open_[found < keys[open_]]] = middle[found < keys[open_]]
            high[open_[found > keys[open_]]] = middle[found > keys[open_]]
            open_ = open_[(found != keys[open_]) & (high[open_] - 1 > low[open_])]
        return x

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

#: Bits of a float32 that are not in a key.
_BELOW = _MANTISSA - BITS

#: Distances of neighboring floats that a computed end may be off.
_ROUNDING = 8

_MOST = np.finfo(np.float64).max


def _single(bits: Integers) -> Floats:
    """The float32 of these bits, as floats."""
    return bits.astype(np.int32).view(np.float32).astype(np.float64)


def _orders_of(x: Floats) -> Integers:
    """Places of floats in the order of all floats: 0.0 has 0, and the next larger one has 1."""
    bits = (x + 0.0).view(np.int64)
    return np.where(bits >= 0, bits, bits ^ np.int64(2**63 - 1))


def _float_of(order: Integers) -> Floats:
    """The floats at these places; -0.0 is 0.0."""
    bits = np.where(order >= 0, order, order ^ np.int64(2**63 - 1))
    return bits.view(np.float64) + 0.0


def _middle(low: Integers, high: Integers) -> Integers:
    """Between two places, without an overflow."""
    return (low & high) + ((low ^ high) >> 1)


#: Places before the first and after the last finite float.
_LEAST_ORDER = _orders_of(np.array([-_MOST]))[0] - 1
_LARGEST_ORDER = _orders_of(np.array([_MOST]))[0] + 1
