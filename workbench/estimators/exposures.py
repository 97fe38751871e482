"""`exposure_curve`: mean exposure of canaries among k candidates, estimated from two samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._frames import to_frame
from workbench.curves.exposure import MOST_CANDIDATES, RATES, mean_exposures
from workbench.curves.validation import Floats
from workbench.scores.sample import Scores, require_scores

#: Numbers of candidates by default, at most.
POINTS = 25


@dataclass(frozen=True, eq=False)
class ExposureCurve:
    """Mean exposure against the number of candidates.

    Attributes
    ----------
    scores : Scores
    candidates : ndarray of int, shape (m,)
        k, the canary among them.
    exposure : ndarray, shape (m,)
        In bits, in [0, log₂ k]; an estimate.
    """

    scores: Scores = field(repr=False)
    candidates: NDArray[np.int64]
    exposure: NDArray[np.float64]

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)


def exposure_curve(
    scores: Scores, candidates: Sequence[int] | NDArray[np.int64] | None = None
) -> ExposureCurve:
    """Estimated mean exposure of a member among k − 1 non-members, for many k.

    Parameters
    ----------
    scores : Scores
    candidates : sequence of int, optional
        Numbers k, from 1 to n_q + 1. Default: up to 25, evenly spaced in their logarithm.

    Returns
    -------
    ExposureCurve

    Raises
    ------
    ValueError
        A k outside its range: fewer non-members than candidates show no smaller rate.

    Notes
    -----
    Guarantee: an estimate. Each member is ranked among k − 1 non-members that are drawn with
    replacement from those at hand; ties are broken at random. ``k = 2`` gives the AUC, and log₂ e =
    1.44 bits for large k are what a score without any leak gives: see
    `workbench.curves.exposure_limit` for what a claim allows.

    References
    ----------
    Carlini, Liu, Erlingsson, Kos and Song (2019), "The Secret Sharer".

    Examples
    --------
    >>> found = wb.exposure_curve(wb.GaussianPair(1).sample(10_000, seed=0), [2, 1000])
    >>> found.exposure.round(2)
    array([0.76, 3.18])
    """
    require_scores(scores)
    most = min(scores.n_q + 1, MOST_CANDIDATES)
    if candidates is None:
        ks = tuple(int(k) for k in np.unique(np.round(np.geomspace(2, most, POINTS))))
    else:
        ks = tuple(_checks.counts(candidates, "candidates", least=1))
        if max(ks) > most:
            raise ValueError(
                f"candidates must be at most n_q + 1 = {most}, got {max(ks)}; without more "
                "non-members nothing is known of smaller false positive rates"
            )
    return ExposureCurve(scores, np.array(ks), mean_exposures(observed_rates(scores), ks))


def observed_rates(scores: Scores) -> Floats:
    """Mean true positive rates between neighboring `RATES`, with ties broken at random.

    Parameters
    ----------
    scores : Scores
    """
    p, q = scores.samples.groups
    value, ends = q.runs()
    # Along falling scores: false positive rates at the start of each block of equal scores of Q,
    # and true positive rates at its start and its end.
    start = ((q.size - ends) / q.size)[::-1]
    first, last = (counts[::-1] / p.size for counts in (p.above(value), p.at_least(value)))
    width = np.diff(np.append(start, 1.0))
    area = np.concatenate([[0.0], np.cumsum((first + last) / 2 * width)])
    block = np.clip(np.searchsorted(start, RATES, side="right") - 1, 0, start.size - 1)
    within = np.clip((RATES - start[block]) / width[block], 0.0, 1.0)
    slope = (last - first)[block]
    below = area[block] + width[block] * within * (first[block] + slope * within / 2)
    return np.clip(np.diff(below) / np.diff(RATES), 0.0, 1.0)
