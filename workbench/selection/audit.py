"""Lower bounds on ε from a growing number of simulated selections."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.lower_bounds import epsilon_lower_bound
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import quiet
from workbench.progress import Report, silent
from workbench.scores.chance import spawned_seed
from workbench.scores.sample import Scores
from workbench.selection.orders import Score
from workbench.selection.runs import RunCount
from workbench.selection.simulation import simulate

#: Fewest selections of each group, and stages to each factor of ten.
LEAST, STAGES = 10**4, 2

#: Selections that are drawn between two reports.
_CHUNK = 10**5


@dataclass(frozen=True)
class SelectionAudit:
    """Lower bounds from simulated selections under one score.

    Attributes
    ----------
    score : Score
        By which the best run was chosen.
    growth : tuple of Bound
        On ε, simultaneous over all thresholds, from the first ``n_p`` selections of each
        group; each is valid at its confidence by itself.
    held_out : Bound or None
        From all selections, at a threshold chosen on half of them; None before the end.
    """

    score: Score
    growth: tuple[Bound, ...]
    held_out: Bound | None = None

    @property
    def simultaneous(self) -> Bound:
        """From all selections drawn so far."""
        return self.growth[-1]


def audit(
    runs: RunCount,
    mu: float,
    score: Score,
    n: int,
    *,
    delta: float,
    confidence: float = 0.95,
    seed: int | np.random.Generator = 0,
    report: Report = silent,
) -> Iterator[SelectionAudit]:
    """Audits of simulated selections, at growing numbers of them.

    Parameters
    ----------
    runs : RunCount
    mu : float
        The base is N(0,1) against N(μ,1).
    score : Score
    n : int
        Selections of each group at the last stage.
    delta, confidence : float
    seed : int or numpy.random.Generator
    report : Report
        Is called between draws; it may raise to cancel.

    Yields
    ------
    SelectionAudit
        After each stage, and once more with the held-out bound.
    """
    rng = _checks.random(seed)
    sides: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    drawn, found = 0, SelectionAudit(score, ())
    for size in stages(n):
        while drawn < size:
            report()
            part = simulate(runs, mu, min(_CHUNK, size - drawn), score=score, seed=rng)
            for side, values in zip(sides, (part.p, part.q), strict=True):
                side.append(values)
            drawn += part.n_p
        p, q = map(np.concatenate, sides)
        scores = Scores(p, q, True, "independent runs", seed=spawned_seed(rng))
        shown = tradeoff_band(scores, confidence).epsilon(delta)
        found = SelectionAudit(score, (*found.growth, shown))
        yield found
    report()
    held_out = epsilon_lower_bound(scores, delta=delta, confidence=confidence, guarantee="held-out")
    yield SelectionAudit(score, found.growth, held_out)


def stages(n: int) -> list[int]:
    """Numbers of selections at which an audit looks, the last of them ``n``."""
    count = max(1, 1 + round(STAGES * np.log10(n / LEAST)))
    return [round(size) for size in np.geomspace(min(LEAST, n), n, count)]


@dataclass(frozen=True)
class DecisiveEvent:
    """Probabilities of the event by which an attacker attains ε at δ.

    Attributes
    ----------
    likely, rare : float
        Under the distribution that has it more often, and under the other.
    """

    likely: float
    rare: float


@quiet()
def decisive_event(curve: TradeoffCurve, delta: float) -> DecisiveEvent:
    """The event that attains ε(δ): log((likely − δ)/rare) is the largest over all tests."""
    events = [(1 - curve.beta, curve.alpha), (1 - curve.alpha, curve.beta)]
    likely, rare = (np.concatenate(parts) for parts in zip(*events, strict=True))
    gain = np.where((likely > delta) & (rare > 0), np.log(likely - delta) - np.log(rare), -np.inf)
    best = int(np.argmax(gain))
    return DecisiveEvent(float(likely[best]), float(rare[best]))
