"""`ThresholdPlan`: the exact power of Clopper–Pearson limits at the best fixed threshold.

All pairs of counts are summed with their binomial probabilities; nothing is simulated.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import bdtr, bdtrik

from workbench.bounds.counts.binomial import clopper_pearson_upper
from workbench.bounds.power.best_threshold import MOST_EXACT
from workbench.bounds.power.plan import AuditPlan
from workbench.bounds.power.plan_results import Power
from workbench.bounds.quantities import Epsilon
from workbench.curves.validation import Floats

#: Blocks of false positive counts in an exact sum.
_BLOCKS = 2000


class ThresholdPlan(AuditPlan):
    """Audits with one threshold, the best for the pair, fixed in advance."""

    start: ClassVar[float] = 1.0
    precision: ClassVar[float] = 1.02
    most: ClassVar[int] = MOST_EXACT

    def power(self, claim: float, n_p: int, n_q: int) -> Power:
        """Σ over FP of Pr[FP]·Pr[FN small enough], FPs in blocks that count as their largest."""
        best, error = self.best_threshold, (1 - self.confidence) / 2
        alpha = best.fpr_for(claim, n_p, n_q)
        first, last = bdtrik(1e-9, n_q, alpha), bdtrik(1 - 1e-9, n_q, alpha)
        fp = np.unique(np.ceil(np.linspace(max(first, 0.0), last, _BLOCKS)))
        chance = np.diff(bdtr(fp, n_q, alpha), prepend=0.0)
        fpr = clopper_pearson_upper(fp, n_q, error)
        # The bound exceeds the claim if the limit of the false negative rate lies below its curve.
        fn = _largest_count(Epsilon(self.delta).curve(claim, fpr), n_p, error)
        beta = best.fnr(np.array(alpha))
        reached = np.where(fn >= 0, bdtr(np.maximum(fn, 0), n_p, beta), 0.0)
        return self._power(float(np.sum(chance * reached)), 0.0, "exact", claim, n_p, n_q)

    def values(self, n_p: int, n_q: int, reps: int) -> Floats:
        """Bounds on ε from drawn counts, shape (reps,)."""
        rng, best = np.random.default_rng(self.seed), self.best_threshold
        alpha, bound = best.at_luck(0.0, n_p, n_q)
        if bound <= 0:
            alpha = best.fpr_for(0.0, n_p, n_q)
        fp = rng.binomial(n_q, alpha, reps).astype(float)
        fn = rng.binomial(n_p, float(best.fnr(np.array(alpha))), reps).astype(float)
        return best.at_counts(fp, fn, n_p, n_q)


def _largest_count(rate: Floats, n: int, error: float) -> Floats:
    """The largest count whose Clopper–Pearson upper limit is at most ``rate``; −1 for none."""
    count = np.floor(bdtrik(error, n, rate))
    count = np.where(bdtr(np.maximum(count, 0), n, rate) > error, count - 1, count)
    more = bdtr(np.clip(count + 1, 0, n), n, rate) <= error
    return np.where(more, np.minimum(count + 1, n), count)
