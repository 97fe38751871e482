"""`tradeoff_curve`: the trade-off function of a selection."""

from __future__ import annotations

import numpy as np

from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair
from workbench.pairs.outcomes import Outcomes
from workbench.selection.base_pair import base_pair
from workbench.selection.orders import BlockOrder, Constant, Monotone, Score, require_score
from workbench.selection.release_distribution import rates_at, released, thresholds
from workbench.selection.runs import RunCount, require_runs

_CELLS = 1200


def tradeoff_curve(
    runs: RunCount,
    mu: float | None = None,
    *,
    score: Score | None = None,
    base: Pair | TradeoffCurve | None = None,
) -> TradeoffCurve:
    """Trade-off function of the release.

    Parameters
    ----------
    runs : RunCount
    mu : float, optional
        The base is N(0,1) against N(μ,1).
    score : Score, optional
        :class:`Monotone` (by default), :class:`BlockOrder` or :class:`Constant`.
    base : Pair or TradeoffCurve, optional
        Any other base in place of ``mu``; scores are then of x with α = Φ(−x).

    Returns
    -------
    TradeoffCurve
        Of the release merged into 1200 cells: on or slightly above the true curve.
        For a guarantee see :func:`epsilon` and :func:`worst_order`.

    Raises
    ------
    ValueError
        A score of another kind; both or neither of ``mu`` and ``base``.
    """
    require_runs(runs)
    pair, rule = base_pair(mu, base), Monotone() if score is None else require_score(score)
    x = thresholds(pair, _CELLS)
    if isinstance(rule, BlockOrder):
        x = np.unique(np.r_[x, rule.edges])
    log_p, log_q = rates_at(pair, x).log_masses()
    if isinstance(rule, Constant):
        p, q = (np.exp(mass) * (1 - runs.nothing) for mass in (log_p, log_q))
    else:
        order = _order(rule, x)
        p, q = (released(runs, np.exp(mass)[order]) for mass in (log_p, log_q))
    return Outcomes.from_masses(np.append(p, runs.nothing), np.append(q, runs.nothing)).curve


def _order(score: Score, x: Floats) -> np.ndarray:
    """Cells from the lowest score to the highest; the last is what P alone can have."""
    cells = np.arange(x.size)
    if isinstance(score, Monotone):
        return cells if score.increasing else cells[::-1]
    if not isinstance(score, BlockOrder):
        raise ValueError(
            f"the release under a score that is {score.name} has no curve here; "
            "simulate it and audit the scores"
        )
    block = np.searchsorted(score.edges, x, side="right")
    within = cells if score.increasing else -cells
    return np.lexsort((within, np.array(score.ranks)[block]))
