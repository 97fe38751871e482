"""An audit of the reduced game: ever more simulated selections, and what they show of ε."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from workbench.bounds.bound import Bound
from workbench.bounds.lower_bounds import epsilon_lower_bound
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.curves.elementwise import quiet
from workbench.curves.tradeoff import TradeoffCurve
from workbench.progress import Report, silent
from workbench.scores.sample import Scores
from workbench.selection.orders import Score
from workbench.selection.runs import RunCount
from workbench.selection.simulation import simulate

#: Fewest selections a side, and stages to each factor of ten.
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
        On ε, simultaneous over all thresholds, from the first ``n_p`` selections a side: each of
        them holds with its confidence by itself.
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
    """Draw selections stage by stage, and audit what there is.

    Parameters
    ----------
    runs : RunCount
    mu : float
        The base is N(0,1) against N(μ,1).
    score : Score
    n : int
        Selections a side at the last stage.
    delta, confidence : float
    seed : int or numpy.random.Generator
    report : Report
        Asked whether to go on.

    Yields
    ------
    SelectionAudit
        After each stage, and once more with the held-out bound.
    """
    rng = np.random.default_rng(seed)
    sides: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    drawn, found = 0, SelectionAudit(score, ())
    for size in stages(n):
        while drawn < size:
            report()
            part = simulate(runs, mu, min(_CHUNK, size - drawn), score, seed=rng)
            for side, values in zip(sides, (part.p, part.q), strict=True):
                side.append(values)
            drawn += part.n_p
        p, q = map(np.concatenate, sides)
        scores = Scores(p, q, sampling="independent runs")
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
    """What an attacker who attains ε at δ looks for, and how rare it is.

    Attributes
    ----------
    likely, rare : float
        Its probabilities on the side that shows it more often, and on the other.
    """

    likely: float
    rare: float


@quiet()
def decisive_event(curve: TradeoffCurve, delta: float) -> DecisiveEvent:
    """The event that attains ε(δ): log((likely − δ)/rare) is the largest over all tests.

    Parameters
    ----------
    curve : TradeoffCurve
    delta : float
    """
    events = [(1 - curve.beta, curve.alpha), (1 - curve.alpha, curve.beta)]
    likely, rare = (np.concatenate(parts) for parts in zip(*events, strict=True))
    gain = np.where((likely > delta) & (rare > 0), np.log(likely - delta) - np.log(rare), -np.inf)
    best = int(np.argmax(gain))
    return DecisiveEvent(float(likely[best]), float(rare[best]))
