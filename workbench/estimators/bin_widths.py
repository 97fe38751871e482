"""`bin_width_curve`: a divergence by histograms of many bin widths, plain and cross-fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._frames import to_frame
from workbench._markup import table
from workbench.curves.validation import DIRECTIONS
from workbench.estimators.bin_rules import default_range
from workbench.estimators.histogram import histogram
from workbench.scores.sample import Scores, require_scores

#: Widths by default, from the range over MOST_BINS to the range over LEAST_BINS.
WIDTHS, MOST_BINS, LEAST_BINS = 25, 500, 2


@dataclass(frozen=True, eq=False, repr=False)
class BinWidthCurve:
    """A hockey-stick divergence, estimated with bins of many widths.

    Attributes
    ----------
    scores : Scores
    epsilon : float
        0 for the total variation.
    direction : {"P‖Q", "Q‖P"}
    widths : ndarray, shape (m,)
        In score units.
    bins : ndarray of int, shape (m,)
        Number of bins of each width.
    plain : ndarray, shape (m,)
        Σ_j [p̂_j − e^ε q̂_j]₊, whose mean is at least the divergence of the binned pair.
    cross_fitted : ndarray, shape (m,)
        Bins found on one half, measured on the other; its mean is at most the divergence of the
        pair, for bins that were fixed in advance. May be negative.
    """

    scores: Scores
    epsilon: float
    direction: str
    widths: NDArray[np.float64]
    bins: NDArray[np.int64]
    plain: NDArray[np.float64]
    cross_fitted: NDArray[np.float64]

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)

    @property
    def best(self) -> int:
        """Index of the width with the largest cross-fitted estimate, a reasonable choice.

        The estimate there is the largest of several, and so a little too large again.
        """
        return int(np.argmax(self.cross_fitted))

    def __repr__(self) -> str:
        width = self.widths[self.best]
        return (
            f"BinWidthCurve({self.widths.size} widths, ε = {self.epsilon:g}: cross-fitted "
            f"{self.cross_fitted[self.best]:.4g}, plain {self.plain[self.best]:.4g} (estimates) at "
            f"width {width:.4g}, {self.scores!r})"
        )

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [("width", "bins", "plain", "cross-fitted")]
        columns = zip(self.widths, self.bins, self.plain, self.cross_fitted, strict=True)
        rows += [(f"{w:.4g}", k, f"≈ {a:.4g}", f"≈ {b:.4g}") for w, k, a, b in columns]
        return table(
            f"Divergence at ε = {self.epsilon:g} by bin width", rows, "estimates · no guarantee"
        )


def bin_width_curve(
    scores: Scores,
    epsilon: float = 0.0,
    direction: str = "P‖Q",
    *,
    widths: Sequence[float] | NDArray[np.float64] | None = None,
    range: tuple[float, float] | None = None,
) -> BinWidthCurve:
    """Hockey-stick divergence by bins of many widths, plain and cross-fitted.

    Parameters
    ----------
    scores : Scores
    epsilon : float
        0 for the total variation.
    direction : {"P‖Q", "Q‖P"}
    widths : sequence of float, optional
        In score units. Default: 25 of them, evenly spaced in their logarithm, with 500 to 2 bins.
    range : pair of float, optional
        As in `histogram`.

    Returns
    -------
    BinWidthCurve

    Raises
    ------
    ValueError
        No widths, or some that are not above 0 or have more than 100,000 bins; otherwise as
        `histogram`.

    Notes
    -----
    Guarantee: estimates. Narrow bins raise the plain one, by noise; wide bins lower both, since
    they join scores of different likelihood ratios. For bins fixed in advance the mean of the
    cross-fitted estimate is at most the divergence of the pair, whatever the width, and the mean of
    the plain one at least that of the binned pair. The default range follows from two outer
    quantiles of the pooled scores, which changes these means by less than what 20,000 simulated
    data sets show.

    Examples
    --------
    Equal distributions, whose total variation is 0, in 500 bins:

    >>> found = wb.bin_width_curve(wb.GaussianPair(0).sample(1000, seed=0))
    >>> print(f"{found.plain[0]:.3f} {found.cross_fitted[0]:.3f}")
    0.330 -0.002
    """
    require_scores(scores)
    epsilon = _checks.number(epsilon, "epsilon")
    _checks.one_of(direction, "direction", DIRECTIONS)
    if widths is None:
        low, high = default_range(scores) if range is None else range
        chosen = (high - low) / np.geomspace(MOST_BINS, LEAST_BINS, WIDTHS)
    else:
        chosen = np.atleast_1d(_checks.array(widths, "widths"))
        if not chosen.size:
            raise ValueError("widths must have at least one width, got none")
    found = [histogram(scores, width=float(width), range=range) for width in chosen]
    forward = direction == DIRECTIONS[0]
    sides = [(h.p, h.q) if forward else (h.q, h.p) for h in found]
    factor = np.exp(epsilon)
    return BinWidthCurve(
        scores=scores,
        epsilon=epsilon,
        direction=direction,
        widths=chosen,
        bins=np.array([h.bins for h in found]),
        plain=np.array([np.maximum(a - factor * b, 0.0).sum() for a, b in sides]),
        cross_fitted=np.array([h.cross_fitted(epsilon, direction) for h in found]),
    )
