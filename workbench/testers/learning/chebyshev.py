"""log(p/q) of one column of numbers as a Chebyshev polynomial, by logistic regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial.chebyshev import chebval, chebvander
from numpy.typing import NDArray
from scipy.special import expit

from workbench.curves.validation import Floats
from workbench.testers.learning.encoding import Encoder

#: Outputs are counted in so many bins of equal numbers before the polynomial is fitted.
_BINS = 400

#: Pooled quantiles between which the polynomial varies; beyond, it stays as it is there.
_ENDS = 5e-4, 1 - 5e-4

#: Penalty on the squared coefficients: a separation must not make them grow without end.
_PENALTY = 0.1

_STEPS, _SMALL_STEP = 30, 1e-6


@dataclass(frozen=True, eq=False)
class Chebyshev:
    """An estimate of log(p/q).

    Attributes
    ----------
    encoder : Encoder
        Of one column of numbers.
    low, high : float
        Encoded numbers between which the polynomial varies.
    coefficients : ndarray, shape (degree + 1,)
    odd : ndarray
        The estimate for NaN, ∞ and −∞, those of them that the encoder knows.
    """

    encoder: Encoder
    low: float
    high: float
    coefficients: Floats
    odd: Floats

    @classmethod
    def fit(cls, p: NDArray[Any], q: NDArray[Any], degrees: tuple[int, ...]) -> list[Chebyshev]:
        """One of each degree; none if the outputs are not one column of numbers that vary.

        Parameters
        ----------
        p, q : array of numbers, shape (n_p,) or (n_p, 1), and (n_q,) or (n_q, 1)
        degrees : tuple of int
        """
        encoder = Encoder.fit(p, q)
        sides = [encoder.transform(x) for x in (p, q)]
        numbers = [z[z[:, 1:].sum(axis=1) == 0, 0] for z in sides]
        pooled = np.sort(np.concatenate(numbers))
        if pooled.size == 0:
            return []
        low, high = (float(x) for x in np.quantile(pooled, _ENDS))
        if low == high:
            return []
        sizes = [len(z) for z in sides]
        offset = float(np.log(sizes[0] / sizes[1]))
        in_p, in_q = (z[:, 1:].sum(axis=0) for z in sides)
        odd = np.log((in_p + 0.5) / (in_q + 0.5)) - offset
        edges = np.unique(pooled[np.arange(1, _BINS) * pooled.size // _BINS])
        bins = [np.searchsorted(edges, x, side="right") for x in numbers]
        counts = np.array([np.bincount(b, minlength=edges.size + 1) for b in bins], dtype=float)
        total = counts.sum(axis=0)
        bounds = np.concatenate([[0], np.cumsum(total[:-1]).astype(np.int64)])
        seen = total > 0
        means = np.add.reduceat(pooled, bounds[seen]) / total[seen]
        t = _scaled(means, low, high)
        in_p, in_q = counts[:, seen]
        return [
            cls(
                encoder,
                low,
                high,
                _logistic(np.asarray(chebvander(t, degree), dtype=float), in_p, in_q, offset),
                odd,
            )
            for degree in degrees
        ]

    def __call__(self, x: NDArray[Any]) -> Floats:
        z = self.encoder.transform(x)
        t = _scaled(z[:, 0], self.low, self.high)
        h = np.asarray(chebval(t, self.coefficients), dtype=float)
        for column, value in enumerate(self.odd, start=1):
            h[z[:, column] > 0] = value
        return h


def _scaled(z: Floats, low: float, high: float) -> Floats:
    return np.clip((2 * z - low - high) / (high - low), -1, 1)


def _logistic(basis: Floats, in_p: Floats, in_q: Floats, offset: float) -> Floats:
    """Coefficients of h where the odds of P are e^{offset + h}, by Newton's method."""
    beta = np.zeros(basis.shape[1])
    penalty = np.full(beta.size, _PENALTY)
    penalty[0] = 1e-9
    total = in_p + in_q

    def loss(beta: Floats) -> float:
        eta = basis @ beta + offset
        return float(total @ np.logaddexp(0, eta) - in_p @ eta + penalty @ beta**2 / 2)

    current = loss(beta)
    for _ in range(_STEPS):
        share = expit(basis @ beta + offset)
        slope = basis.T @ (total * share - in_p) + penalty * beta
        curvature = (basis.T * (total * share * (1 - share))) @ basis + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        # Newton's step may overshoot where the sides hardly overlap.
        size = 1.0
        while (new := loss(beta - size * step)) > current and size > _SMALL_STEP:
            size /= 2
        beta = beta - size * step
        if current - new <= _SMALL_STEP:
            break
        current = new
    return np.asarray(beta, dtype=float)
