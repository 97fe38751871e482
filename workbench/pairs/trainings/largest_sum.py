"""The pair of the largest noisy sum among those of an epoch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import log_ndtr, ndtri_exp

from workbench.curves.validation import Floats
from workbench.pairs.outcomes import Outcomes, OutcomesPair

#: Cells into which the largest sum is sorted, and how many deviations they reach beyond the shift.
_CELLS, _REACH = 4000, 9.0

#: Log of the probability below which the lowest cell is not divided.
_LEAST_LOG = -40.0


@dataclass(frozen=True)
class LargestSumPair(OutcomesPair):
    """The largest of T noisy sums, one of which is shifted by ``shift_in`` or by ``shift_out``.

    Sums of deviation σ around 0, with Φ the normal distribution function::

        P[largest ≤ c] = Φ(c/σ)^{T−1} Φ((c − shift)/σ)

    whichever sum is the shifted one, so it does not matter how it was drawn. Values are sorted into
    cells, which only loses leakage: every curve of this pair lies below that of all sums (data
    processing). Events "above c" are those of Chua et al. (2024, arXiv 2403.17673, Section 4).

    Parameters
    ----------
    batches : int
        T, at least 1.
    shift_in, shift_out : float
        Of the shifted sum with and without the record, 0 ≤ shift_out < shift_in.
    sigma : float
        Above 0.
    """

    batches: int
    shift_in: float
    shift_out: float
    sigma: float

    @property
    def name(self) -> str:
        return f"Largest of {self.batches} sums, σ = {self.sigma:g}"

    @property
    def parameters(self) -> dict[str, float]:
        return {
            "batches": self.batches,
            "shift_in": self.shift_in,
            "shift_out": self.shift_out,
            "sigma": self.sigma,
        }

    @cached_property
    def _cuts(self) -> Floats:
        low = self.sigma * float(ndtri_exp(_LEAST_LOG / self.batches))
        return np.linspace(low, self.shift_in + _REACH * self.sigma, _CELLS - 1)

    def _masses(self, shift: float) -> Floats:
        """Probabilities of the cells, each from the smaller of the two tails."""
        z = self._cuts / self.sigma
        below = (self.batches - 1) * log_ndtr(z) + log_ndtr(z - shift / self.sigma)
        rising, falling = np.r_[0.0, np.exp(below), 1.0], np.r_[1.0, -np.expm1(below), 0.0]
        return np.where(rising[1:] < 0.5, np.diff(rising), -np.diff(falling))

    @cached_property
    def outcomes(self) -> Outcomes:
        return Outcomes.from_masses(self._masses(self.shift_in), self._masses(self.shift_out))

    @cached_property
    def _losses(self) -> Floats:
        """Privacy loss of each cell; of one without mass that of the nearest with some."""
        p, q = self._masses(self.shift_in), self._masses(self.shift_out)
        seen = (p > 0) & (q > 0)
        at = np.arange(p.size)
        return np.interp(at, at[seen], np.log(p[seen]) - np.log(q[seen]))

    def _privacy_loss(self, score: Floats) -> Floats:
        return self._losses[np.searchsorted(self._cuts, score, side="left")]

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        return self._draw(n, rng, self.shift_in)

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        return self._draw(n, rng, self.shift_out)

    def _draw(self, n: int, rng: np.random.Generator, shift: float) -> Floats:
        shifted = rng.normal(shift, self.sigma, n)
        if self.batches == 1:
            return shifted
        # The largest of T − 1 normal numbers by inversion.
        others = ndtri_exp(np.log1p(-rng.random(n)) / (self.batches - 1))
        return np.maximum(shifted, self.sigma * others)

    def __post_init__(self) -> None:
        for name in ("shift_in", "shift_out", "sigma"):
            object.__setattr__(self, name, float(getattr(self, name)))
        if not math.isfinite(self.shift_in / self.sigma):
            raise ValueError(f"sigma must be larger, got {self.sigma!r}; add noise")
