"""The bit view of floats: what the digits of an output tell that its value does not.

Floating-point numbers are not real ones. Of 1 + noise every result between −1 and 1 is a multiple
of 2⁻⁵³, while 0 + noise is not, so that a textbook Laplace mechanism gives its input away (Mironov,
CCS 2012). A float is viewed as its sign and exponent, and as its *grid*: the largest 2ᵏ of which it
is a multiple. A second view has the lowest eight bits of its significand. Both are fixed functions
of the output; their log-ratios are counted on the learning half of the fitting part, so what is
measured on fresh outputs is post-processing like any other event.

A column is looked at only where it has numbers that are not whole, and only if, among outputs of
one sign and exponent, the bits differ between both sides more than chance explains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.curves.validation import Floats

#: Bits of a significand, and those of the second view.
SIGNIFICAND, LOW = 53, 8

#: Grid of 0, and of NaN and ±∞, which lie on every grid.
EVERY = 2_000

#: Standard deviations by which bits differ between both sides where a column is used.
_FAR = 6.0

#: Cells with fewer expected outputs of a side are no part of that comparison.
_LEAST = 5.0

#: Outputs that an outcome counts beside its own.
_PRIOR = 0.5

#: Whole numbers that are codes of bits of a column.
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BitColumn:
    """Log-ratios of the bits of one column.

    Attributes
    ----------
    column : int
    view : {"grid", "low bits"}
    codes : ndarray, ascending
        Known codes.
    ratios : ndarray, shape (codes + 1,)
        Of each, and 0 for any other.
    """

    column: int
    view: str
    codes: Codes
    ratios: Floats

    def __call__(self, x: NDArray[Any]) -> Floats:
        """The log-ratio of each output."""
        code = _VIEWS[self.view](_column(x, self.column))
        place = np.minimum(np.searchsorted(self.codes, code), self.codes.size - 1)
        return np.where(self.codes[place] == code, self.ratios[place], 0.0)


@dataclass(frozen=True, eq=False)
class BitRatio:
    """Estimate of log(p/q) from bits: the sum over the columns that tell both sides apart.

    Attributes
    ----------
    view : {"grid", "low bits"}
    columns : tuple of BitColumn
    """

    view: str
    columns: tuple[BitColumn, ...]

    def __call__(self, x: NDArray[Any]) -> Floats:
        return np.sum([column(x) for column in self.columns], axis=0)


def bit_ratios(p: NDArray[Any], q: NDArray[Any]) -> list[BitRatio]:
    """Estimates of log(p/q) from the bits of floats; none where the bits tell nothing.

    Parameters
    ----------
    p, q : array, shape (n_p,) or (n_p, d), and (n_q,) or (n_q, d)
        Outputs to learn on.
    """
    if p.dtype.kind != "f" or q.dtype.kind != "f":
        return []
    width = 1 if p.ndim == 1 else p.shape[1]
    found = []
    for view in _VIEWS:
        columns = [_learned(p, q, column, view) for column in range(width)]
        if any(columns):
            found.append(BitRatio(view, tuple(filter(None, columns))))
    return found


def grid(x: NDArray[Any]) -> Codes:
    """The largest k for which each number is a multiple of 2ᵏ; `EVERY` for 0, NaN and ±∞."""
    return _parts(x)[2]


def low_bits(x: NDArray[Any]) -> Codes:
    """The lowest eight bits of each significand."""
    return _parts(x)[1] & (2**LOW - 1)


def _parts(x: NDArray[Any]) -> tuple[Codes, Codes, Codes]:
    """Exponent, significand and grid."""
    x = np.where(np.isfinite(x), x, 0.0).astype(float)
    share, exponent = np.frexp(np.abs(x))
    significand = np.ldexp(share, SIGNIFICAND).astype(np.int64)
    lowest = significand & -significand
    zeros = np.frexp(lowest.astype(float))[1].astype(np.int64) - 1
    exponent = exponent.astype(np.int64)
    return exponent, significand, np.where(x == 0, EVERY, exponent - SIGNIFICAND + zeros)


def _grid_code(x: NDArray[Any]) -> Codes:
    exponent, _, lies = _parts(x)
    return (_group(x, exponent) << 12) + (lies + EVERY)


def _low_code(x: NDArray[Any]) -> Codes:
    exponent, significand, _ = _parts(x)
    return (_group(x, exponent) << 12) + (significand & (2**LOW - 1))


def _group(x: NDArray[Any], exponent: Codes) -> Codes:
    """A number for each sign and exponent; NaN and ±∞ have their own."""
    group = 2 * (exponent + EVERY) + (x < 0)
    return np.where(np.isfinite(x), group, np.where(np.isnan(x), 0, np.where(x > 0, 1, 2)))


_VIEWS: dict[str, Callable[[NDArray[Any]], Codes]] = {"grid": _grid_code, "low bits": _low_code}


def _column(x: NDArray[Any], j: int) -> NDArray[Any]:
    return x if x.ndim == 1 else x[:, j]


def _learned(p: NDArray[Any], q: NDArray[Any], column: int, view: str) -> BitColumn | None:
    sides = _column(p, column), _column(q, column)
    if all((np.floor(side) == side)[np.isfinite(side)].all() for side in sides):
        return None
    codes = [_VIEWS[view](side) for side in sides]
    known, which = np.unique(np.concatenate(codes), return_inverse=True)
    in_p = np.bincount(which[: len(p)], minlength=known.size).astype(float)
    in_q = np.bincount(which[len(p) :], minlength=known.size).astype(float)
    if not _differ(known >> 12, in_p, in_q):
        return None
    ratios = np.log((in_p + _PRIOR) / len(p)) - np.log((in_q + _PRIOR) / len(q))
    return BitColumn(column, view, known, ratios)


def _differ(group: Codes, in_p: Floats, in_q: Floats) -> bool:
    """Whether counts within groups differ between both sides by more than chance.

    The statistic of Pearson's test of homogeneity in each group, over cells that are large enough.
    """
    of_p, of_q = (np.bincount(_ranks(group), weights=x)[_ranks(group)] for x in (in_p, in_q))
    both, all_of = in_p + in_q, of_p + of_q
    expected_p, expected_q = both * of_p / all_of, both * of_q / all_of
    large = np.minimum(expected_p, expected_q) >= _LEAST
    cells = np.count_nonzero(large)
    if cells == 0:
        return False
    parts = (in_p - expected_p) ** 2 / expected_p.clip(1e-300)
    parts += (in_q - expected_q) ** 2 / expected_q.clip(1e-300)
    return bool(parts[large].sum() - cells > _FAR * np.sqrt(2 * cells))


def _ranks(group: Codes) -> Codes:
    return np.asarray(np.unique(group, return_inverse=True)[1], dtype=np.int64)
