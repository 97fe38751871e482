"""`BandPlan`, `OneQuestionPlan`: the power of bounds at all thresholds, for scores without ties.

At each rank of Q a claim is refuted from some count of true positives on.
`workbench.bounds.power.power` finds these critical counts and the power; for the distribution of
the bound, false positive rates at the ranks (order statistics of uniform variables) and counts
(binomial, given the rates) are drawn. No score is drawn.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.one_question.one_question import exceeding_counts, question_limit
from workbench.bounds.power.best_threshold import MOST_EXACT
from workbench.bounds.power.plan import AuditPlan
from workbench.bounds.power.plan_results import Power
from workbench.bounds.power.power import critical_counts, order_statistics, simulated
from workbench.bounds.quantities import Epsilon
from workbench.bounds.simultaneous.rank_band import RankBand, rank_grid
from workbench.bounds.simultaneous.rank_tests import rank_tests
from workbench.curves.validation import Floats


class BandPlan(AuditPlan):
    """Audits with the simultaneous band, by drawn counts."""

    start: ClassVar[float] = 0.6
    precision: ClassVar[float] = 1.02
    most: ClassVar[int] = MOST_EXACT

    def power(self, claim: float, n_p: int, n_q: int) -> Power:
        """Probability that the band refutes (claim, δ)-DP."""
        caught = simulated(self.critical_counts(claim, n_p, n_q), n_p, n_q, self.seed)
        share = caught.power(self.best_threshold.fnr)
        return self._simulated(share, caught.draws, "sets of counts", claim, n_p, n_q)

    def values(self, n_p: int, n_q: int, reps: int) -> Floats:
        """The band's bounds on ε for drawn counts, shape (reps,)."""
        _, counts = self.rates_and_counts(n_p, n_q, reps)
        return np.array([self.value(self._ranks(row, n_p, n_q)) for row in counts])

    def critical_counts(self, claim: float, n_p: int, n_q: int) -> NDArray[np.int64]:
        """The counts at the band's ranks from which on the bound exceeds a claimed ε."""
        claimed = partial(Epsilon(self.delta).curve, claim)
        return critical_counts(claimed, n_p, n_q, self.confidence)

    def value(self, ranks: RankBand) -> float:
        """The bound on ε for counts at the ranks."""
        return ranks.largest_refuted(Epsilon(self.delta))[0]

    def _ranks(self, counts: NDArray[np.int64], n_p: int, n_q: int) -> RankBand:
        tests = rank_tests(rank_grid(n_q), counts, n_p, n_q)
        return RankBand(n_p, n_q, self.confidence, tests, sets_apart=True)

    def rates_and_counts(self, n_p: int, n_q: int, reps: int) -> tuple[Floats, NDArray[np.int64]]:
        """False positive rates at the band's ranks, and counts of P above them.

        Returns
        -------
        rates, counts : ndarray, shape (reps, J)
        """
        rng, ranks = np.random.default_rng(self.seed), rank_grid(n_q)
        fpr = order_statistics(ranks, n_q, reps, rng)
        tpr = 1 - self.best_threshold.fnr(fpr)
        counts, so_far, reached = np.zeros(fpr.shape, np.int64), np.zeros(reps, int), np.zeros(reps)
        for j in range(ranks.size):
            left = 1 - reached
            share = np.divide(tpr[:, j] - reached, left, out=np.zeros(reps), where=left > 0)
            so_far = so_far + rng.binomial(n_p - so_far, np.clip(share, 0, 1))
            counts[:, j], reached = so_far, tpr[:, j]
        return fpr, counts


class OneQuestionPlan(BandPlan):
    """Audits with the bound for ε at one δ that was fixed in advance, by drawn counts."""

    def critical_counts(self, claim: float, n_p: int, n_q: int) -> NDArray[np.int64]:
        """The counts at the ranks from which on the bound exceeds a claimed ε."""
        ranks = self._ranks(np.ones_like(rank_grid(n_q)), n_p, n_q)
        return exceeding_counts(ranks.at_fixed_ranks(), Epsilon(self.delta), claim)

    def value(self, ranks: RankBand) -> float:
        """The bound on ε for counts at the ranks."""
        return question_limit(ranks, Epsilon(self.delta))[0]
