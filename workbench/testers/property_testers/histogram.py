"""The histogram tester: bins, and the event that is the union of the bins with most evidence.

For one column of numbers the bins are quantiles of the fitting part, or given edges; NaN, +∞ and −∞
have their own bins. Each category, and each of few distinct rows, is a bin. One half of the fitting
part orders the bins by p̂/q̂, the other half chooses how many of them make the event, and fresh
outputs are counted in it. A sum over all bins (`hockey_stick_limits`) needs no choice, but includes
the noise of every bin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.claims.base import Claim
from workbench.curves.validation import Floats
from workbench.testers.learning.encoding import Encoder
from workbench.testers.learning.log_ratio import Counted, Flat, Ratio
from workbench.testers.learning.outputs import is_text
from workbench.testers.property_testers.event_tester import EventTester

#: Bins of one column of numbers, unless stated.
BINS = 20

#: Added to each bin's counts, so that ratios are finite.
_PRIOR_COUNT = 0.5

#: Edges that are compared one after the other; below 250, for codes of a byte.
_FEW = 40


class HistogramTester(EventTester):
    """Tester with a histogram: one column of any type, or several columns with few distinct rows.

    Parameters
    ----------
    bins : int
        Number of bins with equal counts in the fitting part, for numbers.
    edges : array_like, optional
        Inner and outer edges, ascending, instead of quantiles. The outer bins are open.

    Raises
    ------
    ValueError
        Fewer than 2 bins, or edges that are not ascending.
    """

    name = "histogram"
    method = "held-out bins"

    def __init__(self, bins: int = BINS, edges: ArrayLike | None = None) -> None:
        self.bins = _checks.count(bins, "bins", least=2)
        self.edges = None if edges is None else _checked(edges)

    def unsupported_reason(self, claim: Claim, example: NDArray[Any]) -> str | None:
        """Why several columns without repeated rows are not supported; otherwise None."""
        if example.ndim == 1 or example.shape[1] == 1 or Encoder.fit(example, example[:0]).discrete:
            return None
        return (
            f"a histogram has bins along one column, and these outputs have {example.shape[1]}; "
            "use the hockey-stick tester"
        )

    def ratios(self, p: NDArray[Any], q: NDArray[Any], rng: np.random.Generator) -> Sequence[Ratio]:
        """Log-ratios of the bins' counts."""
        if is_text(p) or (p.ndim == 2 and p.shape[1] > 1):
            return [Counted.fit(p, q, Encoder.fit(p, q), Flat())]
        edges = self._quantiles(p, q) if self.edges is None else self.edges[1:-1]
        return [BinnedCounts.fit(p, q, edges)]

    def _quantiles(self, p: NDArray[Any], q: NDArray[Any]) -> Floats:
        x = np.concatenate([p, q]).ravel().astype(float)
        x = x[np.isfinite(x)]
        if x.size == 0:
            return x
        levels = np.arange(1, self.bins) / self.bins
        return np.unique(np.quantile(x, levels, method="nearest"))


@dataclass(frozen=True, eq=False)
class BinnedCounts:
    """Log-ratios of bins, and of three more for −∞, +∞ and NaN.

    Attributes
    ----------
    edges : ndarray, shape (k − 1,)
        Inner edges, ascending; each belongs to the bin above it.
    log_ratio : ndarray, shape (k + 3,)
    """

    edges: Floats
    log_ratio: Floats

    @classmethod
    def fit(cls, p: NDArray[Any], q: NDArray[Any], edges: Floats) -> BinnedCounts:
        """Log-ratios from counts of both samples.

        Parameters
        ----------
        p, q : array
        edges : ndarray
            Inner edges, ascending.
        """
        size = edges.size + 4
        p_rate, q_rate = (
            (np.bincount(_bin(x, edges), minlength=size) + _PRIOR_COUNT) / len(x) for x in (p, q)
        )
        return cls(edges, np.log(p_rate) - np.log(q_rate))

    def __call__(self, x: NDArray[Any]) -> Floats:
        return np.asarray(self.log_ratio[_bin(x, self.edges)])


def _bin(x: NDArray[Any], edges: Floats) -> NDArray[np.integer[Any]]:
    x = x.reshape(len(x)).astype(float, copy=False)
    if edges.size <= _FEW:
        # Faster than a binary search, which guesses wrong half of the time.
        code: NDArray[np.integer[Any]] = np.zeros(x.size, np.uint8)
        for edge in edges:
            code += x >= edge
    else:
        code = np.searchsorted(edges, x, side="right")
    odd = np.flatnonzero(~np.isfinite(x))
    if odd.size:
        code[odd] = edges.size + 1 + np.isposinf(x[odd]) + 2 * np.isnan(x[odd])
    return code


def _checked(edges: ArrayLike) -> Floats:
    values = _checks.array(edges, "edges")
    if values.ndim != 1 or values.size < 3 or not (np.diff(values) > 0).all():
        raise ValueError(
            f"edges must be at least 3 ascending numbers, those of 2 bins; got {edges!r}"
        )
    return values
