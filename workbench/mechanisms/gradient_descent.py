"""DP-GD in one dimension; neighbors add a record."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.datasets import checked, vector


@checked
def dp_gd(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    sigma: float,
    steps: int = 10,
    clip: float = 1.0,
    rate: float = 0.1,
    noise_factor: float = 1.0,
) -> NDArray[np.float64]:
    """θ after ``steps`` of θ ← θ − rate·(Σ clip(θ − x, G) + N(0, (s·σ·G)²)), from θ = 0.

    Claims a Rényi ε of steps·a/(2σ²) at order a. The claim holds with s = ``noise_factor`` = 1;
    otherwise it is steps·a/(2s²σ²), exactly where no gradient falls below the clipping norm G. s =
    ½ is the mistake of clipping microbatches as if a record moved their sum by G, where it is 2G
    (Kong et al. 2023, §6.5).

    Parameters
    ----------
    dataset : array_like, shape (records,)
    size : int
        Number of runs.
    rng : numpy.random.Generator
    sigma : float
        Standard deviation of the noise.
    steps : int
    clip : float
        Clipping norm G.
    rate : float
        Learning rate.
    noise_factor : float
        Factor s of the noise.

    Returns
    -------
    ndarray, shape (size,)
    """
    theta = np.zeros(size)
    for _ in range(steps):
        gradient = rng.normal(0, noise_factor * sigma * clip, size)
        for x in vector(dataset):
            gradient += np.clip(theta - x, -clip, clip)
        theta -= rate * gradient
    return theta
