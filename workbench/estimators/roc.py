"""Empirical receiver operating curve of all threshold attacks: AUC, hull, TPR at low FPR.

These are estimates without a guarantee; `workbench.bounds.simultaneous.band` has confidence bands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import rates
from workbench.scores.sample import Scores, require_scores
from workbench.software.private_names import isotonic_blocks

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Roc:
    """Error counts of every threshold attack on two samples.

    Attributes
    ----------
    scores : Scores
    false_positives, true_positives : ndarray of int
        Scores of Q and of P above each distinct value of Q, ascending from (0, ·) to (n_q, n_p).
    auc : float
        Mann–Whitney statistic with ties counted one half: the probability that a random score of P
        is more member-like than one of Q. The area under the hull is larger.
    """

    scores: Scores
    false_positives: NDArray[np.int64]
    true_positives: NDArray[np.int64]
    auc: float

    plot = plot
    figure = figure

    def __post_init__(self) -> None:
        _checks.columns(self)

    @cached_property
    def curve(self) -> TradeoffCurve:
        """Lower convex hull of all (FPR, FNR), the trade-off of mixtures of threshold attacks."""
        run = np.diff(self.false_positives)
        slope = np.diff(self.true_positives) / run
        # The regression of a falling function is that of a rising one from the other end.
        corners = run.size - isotonic_blocks(slope[::-1], run[::-1])[::-1]
        fpr = self.false_positives[corners] / self.scores.n_q
        fnr = 1 - self.true_positives[corners] / self.scores.n_p
        return TradeoffCurve.hull(fpr, fnr)

    def tpr(self, fpr: ArrayLike) -> Any:
        """Largest observed true positive rate at a false positive rate of at most ``fpr``.

        Parameters
        ----------
        fpr : array_like
            In [0, 1].
        """
        allowed = np.floor(rates(fpr, "fpr") * self.scores.n_q * (1 + 1e-12))
        i = np.searchsorted(self.false_positives, allowed, side="right") - 1
        return self.true_positives[i] / self.scores.n_p

    def epsilon(self, delta: float) -> float:
        """Estimated ε at δ of the best attack on the hull; infinite where an error count is 0."""
        return float(self.curve.epsilon(_checks.delta(delta)))

    def to_frame(self) -> pd.DataFrame:
        """One row for each threshold: both rates, and the counts of scores above it."""
        import pandas as pd

        return pd.DataFrame(
            {
                "fpr": self.false_positives / self.scores.n_q,
                "tpr": self.true_positives / self.scores.n_p,
                "false_positives": self.false_positives,
                "true_positives": self.true_positives,
            }
        )

    def __repr__(self) -> str:
        return f"Roc(AUC ≈ {self.auc:.4g} (estimate), {self.scores!r})"

    def _repr_html_(self) -> str:
        rates = (0.001, 0.01, 0.1)
        rows = [("AUC", f"≈ {self.auc:.4g}")]
        rows += [(f"TPR at FPR {fpr:g}", f"≈ {self.tpr(fpr):.4g}") for fpr in rates]
        words = table("Receiver operating curve", rows, f"estimate · {self.scores.assumption}")
        return beside(words, self)


def roc(scores: Scores) -> Roc:
    """Empirical receiver operating curve of two samples.

    Parameters
    ----------
    scores : Scores

    Returns
    -------
    Roc

    Notes
    -----
    Only thresholds at values of Q count: between two of them a lower threshold has more true
    positives and no more false ones.

    Examples
    --------
    >>> wb.roc(wb.Scores([1, 2, 3], [0, 1, 1])).auc
    0.8888888888888888
    """
    p, q = require_scores(scores).samples.groups
    value, ends = q.runs()
    above, from_equal = p.above(value), p.at_least(value)
    runs: NDArray[Any] = np.diff(ends, prepend=0)
    if 2 * p.size * q.size >= 2**63:  # beyond int64
        runs = runs.astype(float)
    wins = float(runs @ (above + from_equal)) / 2
    return Roc(
        scores=scores,
        false_positives=np.concatenate([(q.size - ends)[::-1], [q.size]]),
        true_positives=np.concatenate([above[::-1], [p.size]]),
        auc=wins / (p.size * q.size),
    )
