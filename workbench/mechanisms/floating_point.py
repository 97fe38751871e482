"""What floating-point numbers give away, and how a mechanism avoids it.

Of 1 + noise every result between −1 and 1 is a multiple of 2⁻⁵³, while 0 + noise is not: a
mechanism that adds noise to an exact result gives that away, whatever the noise (Mironov, CCS
2012). Results that are published on a grid, much coarser than that of floats, do not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks

#: Results are published as multiples of 2 to this power.
EXPONENT = -30


def on_grid(values: ArrayLike, exponent: int = EXPONENT) -> NDArray[np.float64]:
    """Values rounded to multiples of a power of two, so that their bits tell no more than they do.

    Parameters
    ----------
    values : array_like
    exponent : int
        Of 2; −30 is about 1e-9.

    Returns
    -------
    ndarray of the shape of ``values``
    """
    return np.ldexp(np.round(np.ldexp(_checks.array(values, "values"), -exponent)), exponent)


def textbook_laplace(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Number of records + Lap(1/ε), by inversion in floating point: claims ε-DP.

    The claim is wrong, although the formula is right: the noise −sgn(u)·log(1 − 2|u|)/ε of a
    uniform u has more digits near 0 than the sum has near any other number, so the digits of the
    output tell the number of records.

    Parameters
    ----------
    dataset : array_like, shape (records,)
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.

    Returns
    -------
    ndarray, shape (size,)

    References
    ----------
    Mironov (2012), On significance of the least significant bits for differential privacy, CCS.
    """
    u = rng.random(size) - 0.5
    return len(dataset) - np.sign(u) * np.log(1 - 2 * np.abs(u)) / epsilon
