"""Plans by whole audits of scores that are drawn from the pair.

`SimulatedPlan` repeats a band or a held-out audit, `StoppingPlan` an anytime audit that stops when
it exceeds the claim.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from workbench.bounds.anytime.anytime import anytime_epsilon, factors_above
from workbench.bounds.anytime.betting import EpsilonClaims, log_wealth
from workbench.bounds.anytime.predictable_counts import Tally
from workbench.bounds.held_out.held_out import held_out_bound
from workbench.bounds.one_question.one_question import one_question_bound
from workbench.bounds.power.best_threshold import too_many
from workbench.bounds.power.plan import AuditPlan
from workbench.bounds.power.plan_results import Power, SampleSize
from workbench.bounds.quantities import Epsilon
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.curves.validation import Floats
from workbench.scores.sample import Scores, ScoresError

#: Simulated audits behind a probability.
AUDITS, STOPS = 60, 100


class SimulatedPlan(AuditPlan):
    """Audits of drawn scores, "simultaneous", "one question" or "held-out"."""

    start: ClassVar[float] = 0.85
    precision: ClassVar[float] = 1.12
    most: ClassVar[int] = 10**6

    def power(self, claim: float, n_p: int, n_q: int) -> Power:
        """Share of simulated audits whose bound exceeds the claim."""
        exceeds = self.values(n_p, n_q, AUDITS) > claim
        return self._simulated(float(exceeds.mean()), AUDITS, "audits", claim, n_p, n_q)

    def values(self, n_p: int, n_q: int, reps: int) -> Floats:
        """Bounds on ε of simulated audits, shape (reps,)."""
        rngs = np.random.default_rng(self.seed).spawn(reps)
        return np.array([self._bound(self.pair.sample((n_p, n_q), seed=rng)) for rng in rngs])

    def _bound(self, scores: Scores) -> float:
        if self.guarantee == "simultaneous":
            return tradeoff_band(scores, self.confidence).epsilon(self.delta).value
        if self.guarantee == "one question":
            return one_question_bound(scores, Epsilon(self.delta), self.confidence).value
        try:
            return held_out_bound(scores, Epsilon(self.delta), self.confidence).value
        except ScoresError:  # too few to hold any out
            return 0.0


class StoppingPlan(AuditPlan):
    """Anytime audits that stop when the bound exceeds the claim."""

    most: ClassVar[int] = 10**6

    def power(self, claim: float, n_p: int, n_q: int) -> Power:
        """Share of simulated audits that stop before they run out of scores."""
        stopped = np.isfinite(self._ends(claim, min(n_p, n_q)))
        return self._simulated(float(stopped.mean()), STOPS, "audits", claim, n_p, n_q)

    def values(self, n_p: int, n_q: int, reps: int) -> Floats:
        """Bounds on ε after all scores, shape (reps,)."""
        rngs = np.random.default_rng(self.seed).spawn(reps)
        samples = (self.pair.sample((n_p, n_q), seed=rng) for rng in rngs)
        return np.array([anytime_epsilon(s, self.delta, self.confidence).value for s in samples])

    def samples_needed(self, claim: float, wanted: float) -> SampleSize:
        """Scores per group that are enough for a share ``wanted`` of the audits."""
        ends = np.sort(self._ends(claim, self.most, patience=1 - wanted))
        n = int(ends[math.ceil(wanted * ends.size) - 1])
        share = float((ends <= n).mean())
        return SampleSize(n, self._simulated(share, STOPS, "audits", claim, n, n), wanted)

    def _ends(self, claim: float, most: int, patience: float = 1.0) -> Floats:
        """The looks at which audits stop, shape (STOPS,); ``inf`` where not by ``most``.

        A ValueError as soon as a larger share than ``patience`` does not stop.
        """
        ends = []
        for rng in np.random.default_rng(self.seed).spawn(STOPS):
            ends.append(self._end(claim, most, rng))
            if np.isinf(ends).sum() > patience * STOPS:
                raise too_many(most)
        return np.array(ends)

    def _end(self, claim: float, most: int, rng: np.random.Generator) -> float:
        factors = factors_above(EpsilonClaims(self.delta), claim)
        goal, tally, n = -math.log1p(-self.confidence), Tally((1, 1)), 0
        while n < most:
            scores = self.pair.sample(min(max(n // 4, 256), most - n + 1), seed=rng)
            n += scores.n_p
            for looks, counts in tally.add(scores.p, scores.q):
                reached = looks[log_wealth(counts, factors) >= goal]
                if reached.size:
                    return float(reached[0]) if reached[0] <= most else math.inf
        return math.inf
