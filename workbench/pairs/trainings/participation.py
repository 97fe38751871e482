"""How far one record moves C x, for a lower triangular Toeplitz matrix C with few bands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench import _checks
from workbench.curves.validation import Floats

#: Bands and steps of a matrix at most.
MOST_BANDS, MOST_STEPS = 10_000, 1_000_000


def square_root_coefficients(bands: int) -> tuple[float, ...]:
    """The first coefficients of the square root of the matrix of prefix sums.

    With A the lower triangular matrix of ones and C² = A, C is Toeplitz with the coefficients
    binom(2k, k)/4^k = 1, 1/2, 3/8, …; cut after some bands, it is a common choice for
    `BandedMatrixPair`. One band is the identity, whose noise is independent.

    Parameters
    ----------
    bands : int
        From 1 to 10,000.

    Returns
    -------
    tuple of float

    Raises
    ------
    ValueError
        A number of bands outside its range.

    References
    ----------
    Fichtenberger, Henzinger and Upadhyay, Constant matters (2023), arXiv 2202.11205, for the
    square root; Kalinin and Lampert, Banded square root matrix factorization (2024), arXiv
    2405.13763, for its bands.

    Examples
    --------
    >>> wb.square_root_coefficients(4)
    (1.0, 0.5, 0.375, 0.3125)
    """
    k = np.arange(1, _checks.count(bands, "bands", 1, MOST_BANDS))
    return tuple(np.cumprod(np.r_[1.0, 1 - 1 / (2 * k)]).tolist())


def checked_coefficients(coefficients: Sequence[float]) -> tuple[float, ...]:
    """The first column of C as floats, its first entry not 0.

    Raises
    ------
    ValueError
        None, too many, one that is not finite, a first one of 0.
    """
    found = _checks.array(coefficients, "coefficients").ravel()
    if not 1 <= found.size <= MOST_BANDS or not np.isfinite(found).all() or found[0] == 0:
        raise ValueError(
            f"coefficients must be 1 to {MOST_BANDS:,} finite numbers, the first one not 0, such "
            f"as wb.square_root_coefficients(8); got {_checks.shown(coefficients)}"
        )
    return tuple(found.tolist())


def participation_sensitivity(
    coefficients: Sequence[float], steps: int, separation: int, participations: int
) -> float:
    """The largest norm of C x over the contributions x of one record, in clipping norms.

    The record is in at most ``participations`` steps, any two at least ``separation`` apart, with a
    gradient of norm at most 1 in each. The largest norm is that of the sum of the columns 0,
    ``separation``, 2 ``separation``, …, all with one gradient: where columns so far apart have no
    row in common, because norms add up in squares and earlier columns are the longer ones; else
    for coefficients that are at least 0 and do not rise (Kalinin and Lampert 2024, Theorem 2).

    Parameters
    ----------
    coefficients : sequence of float
        The first column of C, up to its last band.
    steps, separation, participations : int
        At least 1.

    Raises
    ------
    ValueError
        Columns that overlap, of coefficients for which the theorem does not hold.
    """
    column = np.asarray(coefficients, dtype=float)
    if separation < column.size and not ((column >= 0).all() and (np.diff(column) <= 0).all()):
        raise ValueError(
            f"with a separation of {separation} steps, below the {column.size} bands, coefficients "
            "must be at least 0 and not rise, for which the largest change is known; take a larger "
            "separation or other coefficients"
        )
    return float(np.linalg.norm(_summed_columns(column, steps, separation, participations)))


def _summed_columns(column: Floats, steps: int, separation: int, participations: int) -> Floats:
    """The sum of the first columns that are ``separation`` apart."""
    total = np.zeros(steps)
    for start in range(0, steps, separation)[:participations]:
        seen = column[: steps - start]
        total[start : start + seen.size] += seen
    return total
