"""`binomial_quantile`: counts that a share of all outcomes does not exceed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, ndtri

from workbench import _checks


def binomial_quantile(chance: float, n: int, p: ArrayLike) -> NDArray[np.float64]:
    """The smallest k with Pr[Binomial(n, p) ≤ k] ≥ ``chance``.

    Parameters
    ----------
    chance : float
        In (0, 1).
    n : int
        Trials.
    p : array_like
        Probabilities of success, in [0, 1].

    Returns
    -------
    ndarray, the shape of ``p``

    Raises
    ------
    ValueError
        A chance or a probability outside its range, where no count would ever do.

    Notes
    -----
    Cornish and Fisher's expansion (1938) is right or next to it; whole counts are then compared.
    """
    chance, p = _checks.open_unit(chance, "chance"), _checks.array(p, "p")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p must lie in [0, 1], got {_checks.shown(p)}; it holds probabilities")
    rate, z = p.ravel(), float(ndtri(chance))
    guess = n * rate + z * np.sqrt(n * rate * (1 - rate)) + (1 - 2 * rate) * (z * z - 1) / 6
    k = np.clip(np.ceil(guess - 0.5), 0, n) + 0.0

    def reached(k: NDArray[np.float64], rate: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.asarray((bdtr(np.maximum(k, 0), n, rate) >= chance) & (k >= 0))

    short = np.flatnonzero(~reached(k, rate))
    while short.size:
        k[short] += 1
        short = short[~reached(k[short], rate[short])]
    over = np.flatnonzero(reached(k - 1, rate))
    while over.size:
        k[over] -= 1
        over = over[reached(k[over] - 1, rate[over])]
    return k.reshape(p.shape)
