"""`LocalMu`: the μ that each threshold implies, observed and with two-sided simultaneous limits.

Φ⁻¹(TPR) − Φ⁻¹(FPR) is constant along the curve of a Gaussian pair. Less the μ of a fit it is the
residual in probit coordinates; where its limits leave out 0, noise does not explain it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from workbench import _checks
from workbench.bounds.simultaneous.roc_band import roc_limits
from workbench.curves.validation import quiet
from workbench.estimators.roc import Roc

#: Observed false positive rates that are kept, evenly spaced in probit coordinates.
_POINTS = 161


@dataclass(frozen=True, eq=False)
class LocalMu:
    """The μ that thresholds imply, with limits that hold at all of them at once.

    Attributes
    ----------
    roc : Roc
    confidence : float
        Of all limits together, for any pair.
    fpr : ndarray, shape (m,)
        Observed false positive rates of the thresholds with limits, ascending; equal scores count
        half.
    lower, upper : ndarray, shape (m,)
        Limits of Φ⁻¹(TPR) − Φ⁻¹(FPR); infinite where there is none.
    """

    roc: Roc
    confidence: float
    fpr: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    def __post_init__(self) -> None:
        _checks.columns(self)

    @property
    def observed(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Observed false positive rates, and the μ that each implies; finite ones only."""
        at, of = self.roc, self.roc.scores
        edge = float(ndtri(0.5 / (of.n_q + 1)))
        wanted = of.n_q * ndtr(np.linspace(edge, -edge, _POINTS))
        ranks = np.unique(np.searchsorted(at.false_positives, wanted))
        ranks = ranks[ranks < at.false_positives.size]
        fpr, tpr = at.false_positives[ranks] / of.n_q, at.true_positives[ranks] / of.n_p
        inside = (fpr > 0) & (fpr < 1) & (tpr > 0) & (tpr < 1)
        return fpr[inside], ndtri(tpr[inside]) - ndtri(fpr[inside])

    def outside(self, mu: float, side: Literal["above", "below"]) -> list[tuple[float, float]]:
        """Runs of thresholds, by false positive rates, at which the limits leave out one μ.

        Parameters
        ----------
        mu : float
        side : {"above", "below"}
            Above: all μ within the limits are larger, so that the scores leak more there than a
            Gaussian pair with this μ.
        """
        out = self.lower > mu if side == "above" else self.upper < mu
        ends = np.flatnonzero(np.diff(np.concatenate([[False], out, [False]]).astype(int)))
        return [
            (float(self.fpr[first]), float(self.fpr[after - 1]))
            for first, after in ends.reshape(-1, 2)
        ]


def local_mu(roc: Roc, confidence: float = 0.95) -> LocalMu:
    """The μ that thresholds imply, with simultaneous two-sided limits.

    Parameters
    ----------
    roc : Roc
    confidence : float
        In (0.5, 1).

    Returns
    -------
    LocalMu

    Notes
    -----
    Guarantee: simultaneous, for any pair. The limits of both error rates of a threshold
    (`workbench.bounds.simultaneous.roc_band`) are a box, and μ increases toward its corner with
    the least error rates. For equal scores the two limits are about the attacks that flag all or
    none of them.
    """
    limits = roc_limits(roc.scores, (1 - _checks.confidence(confidence)) / 2)
    _, q = roc.scores.samples.groups
    with quiet():
        lower = -ndtri(limits.fpr_upper) - ndtri(limits.fnr_upper)
        upper = -ndtri(limits.fpr_lower) - ndtri(limits.fnr_lower)
    fpr = (q.above(limits.thresholds) + q.at_least(limits.thresholds)) / (2 * q.size)
    lower, upper = (
        np.where(np.isnan(lower), -np.inf, lower),
        np.where(np.isnan(upper), np.inf, upper),
    )
    places, which = np.unique(fpr, return_inverse=True)
    # Of several thresholds with one rate all limits hold.
    highest, lowest = np.full(places.shape, -np.inf), np.full(places.shape, np.inf)
    np.maximum.at(highest, which, lower)
    np.minimum.at(lowest, which, upper)
    return LocalMu(roc, confidence, places, highest, lowest)
