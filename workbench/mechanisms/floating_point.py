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
from workbench.mechanisms.datasets import checked, vector

#: Results are published as multiples of 2 to this power.
EXPONENT = -30

#: Power of two of the grid of `laplace_grid`.
COARSE = -10

#: Limit of the outputs of `laplace_snapping`.
LIMIT = 100.0


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


@checked
def laplace_inversion(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Σ ± log(U)/ε with U uniform, in double precision: claims ε-DP.

    It is not ε-DP for any ε. Small noise has more digits than fit behind a larger sum: with Σ = 1
    no output in (0, 1) is other than a multiple of 2⁻⁵³, with Σ = 0 most are. Neighbors substitute
    a record.

    Parameters
    ----------
    dataset : array_like, shape (records,), values in [0, 1]
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.

    Returns
    -------
    ndarray, shape (size,)
    """
    return _sum(dataset) + _inverted(rng.random(size), rng, 1 / epsilon)


@checked
def laplace_grid(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """The output of `laplace_inversion`, rounded to a multiple of 2⁻¹⁰: ε-DP.

    The claim holds but for the errors of double precision, which change the probability of a
    multiple by at most about 10⁻¹⁵.

    Parameters
    ----------
    dataset, size, rng, epsilon
        As of `laplace_inversion`.
    """
    exact = _sum(dataset) + _inverted(rng.random(size), rng, 1 / epsilon)
    return on_grid(exact, COARSE)


@checked
def laplace_snapping(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """The snapping mechanism: rounded to a power of two above the scale, clamped to ±100; ε-DP.

    The claim holds in floating point, with scale λ = (1 + 100·2⁻⁴⁹)/ε, if the logarithm is
    rounded correctly (Mironov, 2012, Theorem 1). U has all digits that a double can have.

    Parameters
    ----------
    dataset, size, rng, epsilon
        As of `laplace_inversion`.
    """
    scale = (1 + LIMIT * 2.0**-49) / epsilon
    step = float(np.exp2(np.ceil(np.log2(scale))))
    digits = 1 + rng.integers(0, 2**52, size) * 2.0**-52
    uniform = np.ldexp(digits, -rng.geometric(0.5, size))
    noisy = np.clip(_sum(dataset), -LIMIT, LIMIT) + _inverted(uniform, rng, scale)
    return np.clip(np.round(noisy / step) * step, -LIMIT, LIMIT)


def _sum(dataset: Any) -> np.float64:
    return np.clip(vector(dataset), 0, 1).sum()


def _inverted(
    uniform: NDArray[np.float64], rng: np.random.Generator, scale: float
) -> NDArray[np.float64]:
    """Laplace noise of a scale from uniform numbers in (0, 1]; 0 counts as the least of them."""
    sign = rng.choice([-1.0, 1.0], len(uniform))
    return sign * scale * np.log(np.maximum(uniform, 2.0**-53))
