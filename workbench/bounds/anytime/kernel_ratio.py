"""Ratio of two kernel densities: an ordering of vectors that is learned from few of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from workbench.curves.validation import Floats

#: Most numbers held at once while distances are taken.
_AT_ONCE = 10**6


@dataclass(frozen=True, eq=False)
class KernelRatio:
    """Estimate of log(p/q): the ratio of Gaussian kernel densities around earlier vectors.

    Attributes
    ----------
    p, q : ndarray, shape (n_p, d), (n_q, d)
        The earlier vectors, in units of ``scale``.
    scale : ndarray, shape (d,)
        Standard deviations of the columns; 1 for a constant one.
    bandwidth : float
        Of the kernels.
    """

    p: Floats
    q: Floats
    scale: Floats
    bandwidth: float

    @classmethod
    def learned(cls, p: Floats, q: Floats) -> KernelRatio:
        """From earlier vectors; the bandwidth shrinks as the rule of Scott has it.

        The rate is that of D. W. Scott, Multivariate Density Estimation, 1992; the unit is the
        median distance between two of the vectors, over √(2d), their standard deviation were they
        normal.

        Parameters
        ----------
        p, q : ndarray, shape (n_p, d), (n_q, d)
        """
        both = np.concatenate([p, q])
        spread = both.std(axis=0)
        scale = np.where(spread > 0, spread, 1.0)
        p, q, both = p / scale, q / scale, both / scale
        n, d = both.shape
        upper = _squared_distances(both, both)[np.triu_indices(n, 1)]
        unit = float(np.sqrt(np.median(upper) / (2 * d))) or 1.0
        return cls(p, q, scale, unit * float(min(len(p), len(q)) ** (-1 / (d + 4))))

    def __call__(self, x: Floats) -> Floats:
        """Its values, shape (n,); each depends on its own row only.

        Parameters
        ----------
        x : ndarray, shape (n, d), n ≥ 1
        """
        x = x / self.scale
        rows = max(1, _AT_ONCE // (max(len(self.p), len(self.q)) * self.scale.size))
        return np.concatenate([self._ratio(x[i : i + rows]) for i in range(0, len(x), rows)])

    def _ratio(self, x: Floats) -> Floats:
        p, q = (
            logsumexp(-_squared_distances(x, side) / (2 * self.bandwidth**2), axis=1)
            - np.log(len(side))
            for side in (self.p, self.q)
        )
        return np.asarray(p - q)


def _squared_distances(x: Floats, y: Floats) -> Floats:
    """Squared distances, shape (len(x), len(y)); equal rows get equal ones."""
    # A product of matrices rounds differently with the number of rows.
    return np.asarray(((x[:, None] - y) ** 2).sum(axis=2))
