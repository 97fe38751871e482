"""Scores that outliers and infinite values do not dominate, for fits that choose."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.curves.validation import Floats, quiet

#: Scores farther from the median than this many median deviations count as that far.
_REACH = 4.0


@quiet()
def clipped(scores: NDArray[Any], here: NDArray[np.bool_], first: int) -> tuple[Floats, Floats]:
    """Scores less their median, limited to what the first models show; NaN counts as the largest.

    Parameters
    ----------
    scores : ndarray, shape (M, K)
    here : ndarray of bool, shape (M, K)
        Cells that are present; others become 0.
    first : int
        Number of models whose median and median deviation set the limits.

    Returns
    -------
    deviations : ndarray, shape (M, K)
    median : ndarray, shape (K,)
    """
    known = np.where(here[:first] & np.isfinite(scores[:first]), scores[:first], np.nan)
    known = known.astype(np.float64)
    median = np.nan_to_num(_median(known))
    deviation = np.nan_to_num(_median(np.abs(known - median)))
    # More than half of the scores are the same: the farthest of them sets the limit.
    farthest = np.nan_to_num(np.fmax.reduce(np.abs(known - median), axis=0))
    reach = np.where(deviation > 0, _REACH * deviation, np.maximum(farthest, 1.0))
    x = np.where(np.isnan(scores), np.inf, scores) - median
    return np.where(here, np.clip(x, -reach, reach), 0.0), np.asarray(median)


def _median(x: Floats) -> Floats:
    """Lower median of each column, NaN left out; NaN where there is nothing."""
    ordered = np.sort(x, axis=0)
    n = (~np.isnan(x)).sum(axis=0)
    return np.asarray(ordered[np.maximum(n - 1, 0) // 2, np.arange(x.shape[1])])
