"""Composed pairs, compared up to the error that a composition by FFT has.

A composition is ``ifft(fft(masses) ** k)``. Each of these steps has a *relative* error of about
1e-16 in the largest entry, whose size is that of the whole distribution; so every mass, however
small, is off by the same *absolute* amount, and so is the sum of masses that δ(ε) is. How much
that is, differs between processors: 1e-15 on one and 4e-13 on another for 1000 steps of DP-SGD.

Every composition states a limit of it, `resolution`, which it adds to δ as infinite loss. Its
profile therefore lies between the true one (of what is on the grid) and 2 · `resolution` above it,
and two compositions of the same thing differ by no more than the larger 2 · `resolution`, plus
what their grids differ by.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.pairs.accounting.accounted import AccountedPair
from workbench.pairs.base import Pair


def noise_of_delta(*pairs: Pair) -> float:
    """By how much δ(ε) of pairs with one and the same profile may differ; 0 for closed forms."""
    return 2 * max(pair.resolution if isinstance(pair, AccountedPair) else 0.0 for pair in pairs)


def assert_same_profiles(
    pair: Pair, other: Pair, epsilon: Sequence[float] | NDArray[Any], grid: float
) -> None:
    """Require the same δ(ε), up to the noise and to what the grids differ by.

    Parameters
    ----------
    pair, other : Pair
    epsilon : array_like
    grid : float
        The relative error in δ of their grids.
    """
    at, noise = np.asarray(epsilon, dtype=float), noise_of_delta(pair, other)
    np.testing.assert_allclose(pair.profile(at), other.profile(at), rtol=grid, atol=noise)


def assert_same_epsilons(
    pair: Pair, other: Pair, delta: float | Sequence[float], grid: float
) -> None:
    """Require the same ε(δ), up to what the noise of δ is worth and what the grids differ by.

    Parameters
    ----------
    pair, other : Pair
    delta : array_like
        Above the noise of δ.
    grid : float
        The relative error in ε of their grids.
    """
    at, noise = np.atleast_1d(np.asarray(delta, dtype=float)), noise_of_delta(pair, other)
    assert (at > noise).all(), f"δ of {at} are not resolved: their noise is {noise:.1e}"
    found = np.asarray(pair.epsilon(at))
    most, least = np.asarray(other.epsilon(at - noise)), np.asarray(other.epsilon(at + noise))
    assert (found <= most + grid * np.abs(most)).all(), (found, most)
    assert (found >= least - grid * np.abs(least)).all(), (found, least)
