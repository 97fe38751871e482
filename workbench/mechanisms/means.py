"""Means of numbers in [0, 1], with Laplace and with Gaussian noise, and sums with Gaussian noise.

Neighbors add a record, which changes the count n by 1 and the sum Σ by at most 1. A private mean
releases both with noise and divides. The broken ones use the true count somewhere: as the noise
scale (1) or in the mean (2), or divide by a noisy count that may be negative. Source: Kong et al.
(2023), §6.1 and §6.7, and the mechanisms that are published with it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.datasets import checked, vector

#: Lower limit of a count before it divides, as printed by Kong et al. (2023); outputs then
#: exceed 1e12.
LEAST = 1e-12


@checked
def laplace_mean(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """(Σ + Lap(2/ε)) / ñ with ñ = max(1e-12, n + Lap(2/ε)): ε-DP.

    The claim holds: sum and count cost ε/2 each, and their ratio is post-processing.

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
    x = np.clip(vector(dataset), 0, 1)
    noisy_count = np.maximum(LEAST, len(x) + rng.laplace(0, 2 / epsilon, size))
    return (x.sum() + rng.laplace(0, 2 / epsilon, size)) / noisy_count


@checked
def laplace_mean_true_scale(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Σ/n + Lap(2/(n·ε)): claims ε-DP, and is not ε-DP for any ε (NonDPLaplace1).

    The spread of the outputs reveals n: in the tails the ratio of densities is unbounded.

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
    x = np.clip(vector(dataset), 0, 1)
    n = max(LEAST, len(x))
    return x.sum() / n + rng.laplace(0, 2 / (n * epsilon), size)


@checked
def laplace_mean_true_count(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Σ/n + Lap(2/(ñ·ε)) with ñ = max(1e-12, n + Lap(2/ε)): claims ε-DP (NonDPLaplace2).

    It is not ε-DP for any ε: ñ can be far above n, and then the noise is too small for the mean.
    Where n + Lap(2/ε) is negative, outputs are near 2e12/ε.

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
    x = np.clip(vector(dataset), 0, 1)
    noisy_count = np.maximum(LEAST, len(x) + rng.laplace(0, 2 / epsilon, size))
    return x.sum() / max(LEAST, len(x)) + rng.laplace(0, 2 / epsilon, size) / noisy_count


@checked
def laplace_mean_noisy_count(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Σ/ñ + Lap(2/(n·ε)) with ñ = n + Lap(2/ε): claims ε-DP.

    It is not ε-DP for any ε: as in `laplace_mean_true_scale`, the spread of the outputs reveals n.

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
    x = np.clip(vector(dataset), 0, 1)
    n = max(LEAST, len(x))
    noisy_count = len(x) + rng.laplace(0, 2 / epsilon, size)
    return x.sum() / noisy_count + rng.laplace(0, 2 / (n * epsilon), size)


@checked
def laplace_mean_undivided(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """(Σ + Lap(1/ε)) / ñ with ñ = max(1e-12, n + Lap(1/ε)): claims ε-DP.

    It is 2ε-DP: sum and count cost ε each, and the budget was not divided among them (Kong et al.
    2023, §6.7).

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
    x = np.clip(vector(dataset), 0, 1)
    noisy_count = np.maximum(LEAST, len(x) + rng.laplace(0, 1 / epsilon, size))
    return (x.sum() + rng.laplace(0, 1 / epsilon, size)) / noisy_count


@checked
def laplace_mean_unclamped(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Σ/ñ + Lap(max(1e-12, 2/(ñ·ε))) with ñ = n + Lap(2/ε): claims ε-DP.

    The noisy count is not clamped, so that it can be negative. Then the scale is 1e-12 and Σ/ñ is
    released without noise: −Σ/|ñ|, where |ñ| has an exponential distribution. It is not ε-DP for
    any ε: from (1) to (1, 1), δ(ε) is e^(−ε)/8 and more. At a small ε that is 1/8: half of the
    outputs, times the total variation 1/4 between an exponential variable and its double.
    `laplace_mean` is the same with ñ clamped.

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
    x = np.clip(vector(dataset), 0, 1)
    noisy_count = len(x) + rng.laplace(0, 2 / epsilon, size)
    scale = np.maximum(LEAST, 2 / epsilon / noisy_count)
    return x.sum() / noisy_count + rng.laplace(0, scale)


@checked
def approx_dp_mean(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    delta: float = 1e-3,
) -> NDArray[np.float64]:
    """(Σ + N(0, σ²)) / ñ with ñ = max(1e-12, n + Lap(2/ε)): (ε, δ)-DP for ε ≤ 2.

    The claim holds with σ = 2·√(2 log(1.25/δ))/ε: the count costs ε/2, and the sum (ε/2, δ) by the
    classical formula (Dwork and Roth, 2014, Theorem 3.22), which is not tight.

    Parameters
    ----------
    dataset : array_like, shape (records,), values in [0, 1]
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon, delta : float
        The claim.

    Returns
    -------
    ndarray, shape (size,)
    """
    x = np.clip(vector(dataset), 0, 1)
    noisy_count = np.maximum(LEAST, len(x) + rng.laplace(0, 2 / epsilon, size))
    return (x.sum() + rng.normal(0, _classical(epsilon, delta), size)) / noisy_count


@checked
def approx_dp_mean_unclamped(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    delta: float = 1e-3,
) -> NDArray[np.float64]:
    """Σ/ñ + N(0, max(1e-12, σ/ñ)²) with ñ = n + Lap(2/ε): claims (ε, δ)-DP.

    The fault is that of `laplace_mean_unclamped`: for a negative ñ there is no noise, and δ ≈ 1/8
    at a small ε if Σ doubles. σ is that of `approx_dp_mean`, where ñ is clamped.

    Parameters
    ----------
    dataset : array_like, shape (records,), values in [0, 1]
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon, delta : float
        The claim.

    Returns
    -------
    ndarray, shape (size,)
    """
    x = np.clip(vector(dataset), 0, 1)
    noisy_count = len(x) + rng.laplace(0, 2 / epsilon, size)
    scale = np.maximum(LEAST, _classical(epsilon, delta) / noisy_count)
    return x.sum() / noisy_count + rng.normal(0, scale)


def _classical(epsilon: float, delta: float) -> float:
    """Standard deviation for half of ε, sensitivity 1, by the classical formula."""
    return 2 * math.sqrt(2 * math.log(1.25 / min(delta, 1))) / epsilon


@checked
def gaussian_mean(
    dataset: Any, size: int, rng: np.random.Generator, *, sigma: float
) -> NDArray[np.float64]:
    """(Σ + N(0, σ²)) / ñ with ñ = max(1e-12, n + N(0, σ²)): Rényi ε = a/σ² at every order a.

    The claim holds: sum and count cost a/(2σ²) each.

    Parameters
    ----------
    dataset : array_like, shape (records,), values in [0, 1]
    size : int
        Number of runs.
    rng : numpy.random.Generator
    sigma : float
        Standard deviation of the noise.

    Returns
    -------
    ndarray, shape (size,)
    """
    x = np.clip(vector(dataset), 0, 1)
    noisy_count = np.maximum(LEAST, len(x) + rng.normal(0, sigma, size))
    return (x.sum() + rng.normal(0, sigma, size)) / noisy_count


@checked
def gaussian_mean_true_scale(
    dataset: Any, size: int, rng: np.random.Generator, *, sigma: float
) -> NDArray[np.float64]:
    """Σ/n + N(0, (σ/n)²): claims a Rényi ε of a/σ², and exceeds it (NonDPGaussian1).

    The spread of the outputs reveals n; from one record to two the divergence of order a is
    infinite for a ≥ 4/3.

    Parameters
    ----------
    dataset : array_like, shape (records,), values in [0, 1]
    size : int
        Number of runs.
    rng : numpy.random.Generator
    sigma : float
        Standard deviation of the noise.

    Returns
    -------
    ndarray, shape (size,)
    """
    x = np.clip(vector(dataset), 0, 1)
    n = max(LEAST, len(x))
    return x.sum() / n + rng.normal(0, sigma / n, size)


@checked
def gaussian_mean_true_count(
    dataset: Any, size: int, rng: np.random.Generator, *, sigma: float
) -> NDArray[np.float64]:
    """Σ/n + N(0, (σ/ñ)²) with ñ = max(1e-12, n + N(0, σ²)): claims a/σ² (NonDPGaussian2).

    It exceeds that where σ is large against n, so that ñ is often far above n. With little noise
    it is below: at a = 1.5 and σ² = 1.5, where it claims 1, from one record to two it is 0.54.

    Parameters
    ----------
    dataset : array_like, shape (records,), values in [0, 1]
    size : int
        Number of runs.
    rng : numpy.random.Generator
    sigma : float
        Standard deviation of the noise.

    Returns
    -------
    ndarray, shape (size,)
    """
    x = np.clip(vector(dataset), 0, 1)
    noisy_count = np.maximum(LEAST, len(x) + rng.normal(0, sigma, size))
    return x.sum() / max(LEAST, len(x)) + rng.normal(0, sigma, size) / noisy_count


@checked
def gaussian_sum(
    dataset: Any, size: int, rng: np.random.Generator, *, mu: float = 1.0
) -> NDArray[np.float64]:
    """Σ + N(0, 1/μ²), with values clipped to [0, 1]: μ-GDP.

    The claim holds exactly: a record of 1 changes the sum by 1.

    Parameters
    ----------
    dataset : array_like, shape (records,)
    size : int
        Number of runs.
    rng : numpy.random.Generator
    mu : float
        The claim.

    Returns
    -------
    ndarray, shape (size,)
    """
    return np.clip(vector(dataset), 0, 1).sum() + rng.normal(0, 1 / mu, size)


@checked
def gaussian_sum_unclipped(
    dataset: Any, size: int, rng: np.random.Generator, *, mu: float = 1.0
) -> NDArray[np.float64]:
    """Σ + N(0, 1/μ²), without clipping: claims μ-GDP.

    The claim is wrong: a record of 5 changes the sum by 5, which is 5μ-GDP.

    Parameters
    ----------
    dataset : array_like, shape (records,)
    size : int
        Number of runs.
    rng : numpy.random.Generator
    mu : float
        The claim.

    Returns
    -------
    ndarray, shape (size,)
    """
    return vector(dataset).sum() + rng.normal(0, 1 / mu, size)
