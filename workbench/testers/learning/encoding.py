"""`Encoder`: outputs of a mechanism as finite numbers, and as codes of outcomes.

Outputs may be numbers of any scale, booleans or strings, including NaN and ±∞. An `Encoder` is
fitted on the outputs that a witness is fitted on, and on no others; its encoding of fresh outputs
is then a fixed function of them, so that no guarantee depends on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.curves.validation import Floats, quiet
from workbench.testers.learning.outputs import Outputs, OutputsError, check_alike, is_text
from workbench.testers.outputs.table import OutputTable, mixed

#: Where numbers, in units of their spread, stop counting in full and go on with their logarithm,
#: and where they end. Numbers up to 1e14 spreads remain distinct.
LINEAR, CLIP = 10.0, 40.0

#: Outputs are discrete if at most this share of the fitting part's rows occur only once. That
#: share also estimates how often a fresh row is a new one (Good 1953).
ONCE = 0.05

#: Values that are no numbers, each an outcome of its own.
_ODD: tuple[Callable[[Any], Any], ...] = (np.isnan, np.isposinf, np.isneginf)


@dataclass(frozen=True, eq=False)
class Encoder:
    """Encodes outputs as finite numbers, and as codes of outcomes.

    Attributes
    ----------
    columns : tuple
        How each column is turned into numbers.
    keys : ndarray of uint64, ascending
        Rows that occur more than once in the fitting part, by their key: the outcomes.
    once : float
        Share of the fitting part's rows that occur once.
    """

    columns: tuple[_Numbers | _Categories, ...]
    keys: NDArray[np.uint64]
    once: float

    @classmethod
    def fit(cls, p: NDArray[Any], q: NDArray[Any]) -> Encoder:
        """An encoder with scales, categories and outcomes of some outputs.

        Parameters
        ----------
        p, q : array, shape (n_p,) or (n_p, d), and (n_q,) or (n_q, d)
            The outputs that a witness is fitted on.

        Raises
        ------
        OutputsError
            The samples have different columns or types.
        """
        check_alike(p, q)
        kind: Any = _Categories if is_text(p) else _Numbers
        pairs = zip(_columns(p), _columns(q), strict=True)
        columns = tuple(kind.fit(a, b) for a, b in pairs)
        keys, counts = np.unique(np.concatenate([row_keys(p), row_keys(q)]), return_counts=True)
        once = float(np.sum(counts == 1) / max(len(p) + len(q), 1))
        return cls(columns, keys[counts > 1], once)

    def transform(self, x: NDArray[Any]) -> Floats:
        """Outputs as finite numbers of moderate size.

        Returns
        -------
        ndarray, shape (n, k)
            A column of numbers for each column of the outputs, in units of its interquartile
            range from its median, growing with the logarithm beyond ``LINEAR`` of them and
            within ±``CLIP``. NaN is 0 there and ±∞ is ±``CLIP``; each that occurs in the fitting
            part has a column of its own that is 1 for it and 0 otherwise. Strings are numbered
            in the order of their log-ratio on the fitting part; unknown ones have one number.
        """
        parts = zip(self.columns, _columns(self.check(x)), strict=True)
        return np.column_stack([part for column, y in parts for part in column.transform(y)])

    def check(self, x: NDArray[Any]) -> NDArray[Any]:
        """Outputs, after checking that they have the columns and the type of the fitted ones.

        Raises
        ------
        OutputsError
            They have others.
        """
        if len(_columns(x)) != len(self.columns):
            raise OutputsError(
                f"outputs had {len(self.columns)} columns before and have shape {x.shape} now; a "
                "mechanism must return one shape whatever the dataset"
            )
        if is_text(x) != isinstance(self.columns[0], _Categories):
            raise OutputsError(
                f"outputs are of another type than before, {x.dtype}; convert with .astype"
            )
        return x

    @property
    def discrete(self) -> bool:
        """Whether outputs are discrete: few rows occur only once in the fitting part."""
        return self.once <= ONCE

    @property
    def n_outcomes(self) -> int:
        """Distinct rows that occur more than once in the fitting part."""
        return self.keys.size

    def outcomes(self, x: NDArray[Any]) -> NDArray[np.int64]:
        """Code of each row: 0 to ``n_outcomes`` − 1, or ``n_outcomes`` for any other row."""
        return codes_of(row_keys(self.check(x)), self.keys)


@dataclass(frozen=True, eq=False)
class _Numbers:
    """A column of numbers: where it lies, how far it spreads, and which odd values it has."""

    center: float
    scale: float
    odd: tuple[bool, ...]

    @classmethod
    def fit(cls, p: NDArray[Any], q: NDArray[Any]) -> _Numbers:
        x = np.concatenate([p, q]).astype(float)
        finite = np.isfinite(x)
        odd = tuple(bool(is_it(x).any()) for is_it in _ODD) if not finite.all() else (False,) * 3
        x = x[finite]
        if x.size == 0:
            return cls(0.0, 1.0, odd)
        # Of actual values: no interpolation, hence no overflow.
        low, center, high = np.quantile(x, [0.25, 0.5, 0.75], method="nearest")
        with quiet():
            scale = high - low
            if scale == 0:
                # More than half are one value: the spread of the others, or the next float.
                away = np.abs(x[x != center] - center)
                scale = np.median(away) if away.size else np.spacing(np.abs(center))
        return cls(float(center), float(min(scale, np.finfo(float).max)), odd)

    def transform(self, x: NDArray[Any]) -> list[Floats]:
        x = x.astype(float)
        with quiet():
            z = (x - self.center) / self.scale
        far = np.flatnonzero(~(np.abs(z) <= LINEAR))
        if far.size:
            size = np.abs(z[far])
            with quiet():
                z[far] = np.sign(z[far]) * np.minimum(LINEAR + np.log(size / LINEAR), CLIP)
            z[np.isnan(z)] = 0.0
        seen = (is_it for is_it, there in zip(_ODD, self.odd, strict=True) if there)
        return [z, *(is_it(x).astype(float) for is_it in seen)]


@dataclass(frozen=True, eq=False)
class _Categories:
    """A column of strings: what is known, and the number of each and of an unknown one."""

    keys: NDArray[np.uint64]
    numbers: Floats

    @classmethod
    def fit(cls, p: NDArray[Any], q: NDArray[Any]) -> _Categories:
        sides = [cell_keys(x) for x in (p, q)]
        keys = np.unique(np.concatenate(sides))
        counts = (np.bincount(codes_of(x, keys), minlength=keys.size + 1) for x in sides)
        p_rate, q_rate = (
            (count + 0.5) / max(x.size, 1) for count, x in zip(counts, sides, strict=True)
        )
        numbers = np.empty(keys.size + 1)
        numbers[np.argsort(p_rate / q_rate, kind="stable")] = np.linspace(-1, 1, numbers.size)
        return cls(keys, numbers)

    def transform(self, x: NDArray[Any]) -> list[Floats]:
        return [self.numbers[codes_of(cell_keys(x), self.keys)]]


def row_keys(x: Outputs) -> NDArray[np.uint64]:
    """Hash of each row, shape (n,); equal for 0 and −0, and for all NaN.

    Different rows have equal hashes with probability about 2⁻⁶⁴, which would merge two outcomes.
    """
    if isinstance(x, OutputTable):
        return x.row_keys
    columns = _columns(x)
    if len(columns) == 1:
        return cell_keys(columns[0])
    total = np.zeros(len(x), np.uint64)
    for j, column in enumerate(columns):
        total += mixed(cell_keys(column)) * _multiplier(j)
    return total


def cell_keys(x: NDArray[Any]) -> NDArray[np.uint64]:
    """Hash of each value of one column."""
    if not is_text(x):
        x = x.astype(float) + 0.0
        x[np.isnan(x)] = np.nan
        return x.view(np.uint64)
    x = np.ascontiguousarray(x)
    # A character, or a byte, at a time; the zeros that fill short strings up add nothing.
    unit = np.uint32 if x.dtype.kind == "U" else np.uint8
    characters = x.view(unit).reshape(len(x), -1) if x.dtype.itemsize else np.empty((len(x), 0))
    total = np.zeros(len(x), np.uint64)
    for j in range(characters.shape[1]):
        total += characters[:, j].astype(np.uint64) * _multiplier(j)
    return total


def codes_of(keys: NDArray[np.uint64], known: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Index of each key among known ones, or their number where it is unknown.

    Parameters
    ----------
    keys, known : ndarray of uint64
        ``known`` ascending.
    """
    if known.size == 0:
        return np.zeros(keys.size, np.int64)
    place = np.searchsorted(known, keys)
    place[known[np.minimum(place, known.size - 1)] != keys] = known.size
    return place


def _columns(x: NDArray[Any]) -> list[NDArray[Any]]:
    return [x] if x.ndim == 1 else list(x.T)


def _multiplier(j: int) -> np.uint64:
    """An odd number of 64 bits for each place."""
    return mixed(np.array([j + 1], np.uint64))[0] | np.uint64(1)
