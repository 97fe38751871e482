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
from workbench.bounds.simultaneous.rank_band import rank_grid
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
    fpr_of_lower, lower : ndarray, shape (m,)
        Observed false positive rates of attacks, ascending, and lower limits of their
        Φ⁻¹(TPR) − Φ⁻¹(FPR); infinite where there is none.
    fpr_of_upper, upper : ndarray, shape (k,)
        The same for upper limits. Of equal scores one limit is about the attack that flags them,
        the other about the attack that does not.
    """

    roc: Roc
    confidence: float
    fpr_of_lower: NDArray[np.float64]
    lower: NDArray[np.float64]
    fpr_of_upper: NDArray[np.float64]
    upper: NDArray[np.float64]

    def __post_init__(self) -> None:
        _checks.fields(self)

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
        above = side == "above"
        fpr = self.fpr_of_lower if above else self.fpr_of_upper
        out = self.lower > mu if above else self.upper < mu
        ends = np.flatnonzero(np.diff(np.concatenate([[False], out, [False]]).astype(int)))
        return [(float(fpr[i]), float(fpr[after - 1])) for i, after in ends.reshape(-1, 2)]


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
    Guarantee: simultaneous, for any pair. The limits of both error rates of an attack
    (`workbench.bounds.simultaneous.roc_band`) are a box, and μ increases toward its corner with
    the least error rates.
    """
    limits = roc_limits(roc.scores, (1 - _checks.confidence(confidence)) / 2)
    _, q = roc.scores.samples.groups
    above, at_least = (count(limits.thresholds) / q.size for count in (q.above, q.at_least))
    # Thresholds from Q come first; there the limits on both error rates from above are about the
    # attack "above t", those from below about "at least t", and the reverse for thresholds from P.
    from_q = np.arange(above.size) < rank_grid(q.size).size
    with quiet():
        lower = -ndtri(limits.fpr_upper) - ndtri(limits.fnr_upper)
        upper = -ndtri(limits.fpr_lower) - ndtri(limits.fnr_lower)
    lower = np.where(np.isnan(lower), -np.inf, lower)
    upper = np.where(np.isnan(upper), np.inf, upper)
    return LocalMu(
        roc,
        confidence,
        *_sharpest(np.where(from_q, above, at_least), lower, np.maximum),
        *_sharpest(np.where(from_q, at_least, above), upper, np.minimum),
    )


def _sharpest(
    fpr: NDArray[np.float64], limits: NDArray[np.float64], better: np.ufunc
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distinct false positive rates, and the sharpest limit at each: all of them hold."""
    places, which = np.unique(fpr, return_inverse=True)
    found = np.full(places.shape, -np.inf if better is np.maximum else np.inf)
    better.at(found, which, limits)
    return places, found
