"""`simulate`: random releases of a selection, as scores to audit."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr

from workbench import _checks
from workbench.curves.gdp import distances
from workbench.curves.validation import Floats, quiet
from workbench.scores.chance import spawned_seed
from workbench.scores.sample import Scores
from workbench.selection.orders import Monotone, Score, normal_quantile, require_score
from workbench.selection.runs import RunCount, require_runs

OBSERVED = ("privacy loss", "output")

#: Terms that are summed exactly; beyond, losses are read off a fine grid.
_MOST_TERMS = 2**25
_GRID = 20_001


def simulate(
    runs: RunCount,
    mu: float,
    n: int | tuple[int, int],
    *,
    score: Score | None = None,
    observed: str = "privacy loss",
    seed: int | np.random.Generator = 0,
) -> Scores:
    """Releases of a selection of N(μ,1) runs (P) and of N(0,1) runs (Q), as scores to audit.

    Parameters
    ----------
    runs : RunCount
    mu : float
        At least 0.
    n : int or pair of int
        Selections of each group, or (n_p, n_q); at least 2 each.
    score : Score, optional
        By which the best run is selected; :class:`Monotone` by default.
    observed : {"privacy loss", "output"}
        The attack's statistic: the log likelihood ratio of the release, which is optimal, or the
        released output itself, as in Xiang, Wang and Wang (2024, §5.4). Where nothing is released
        the first is 0 and the second −∞.
    seed : int or numpy.random.Generator

    Returns
    -------
    Scores
        With ``sampling="independent runs"``; larger is more member-like.

    Raises
    ------
    ValueError
        An argument outside its range.

    Notes
    -----
    No run but the best is drawn: the largest of K uniform ranks is e^(−E/K) with E exponential.
    """
    require_runs(runs)
    mu = float(distances(mu))
    _checks.one_of(observed, "observed", OBSERVED)
    rule = Monotone() if score is None else require_score(score)
    n_p, n_q = n if isinstance(n, (tuple, list)) else (n, n)
    rng = _checks.random(seed)
    p, q = (
        _side(
            runs, mu, truth, _checks.count(size, name, 2, _checks.DRAWN // 10), rule, observed, rng
        )
        for truth, size, name in ((mu, n_p, "n_p"), (0.0, n_q, "n_q"))
    )
    name = f"best of runs ({runs.name}), score {rule.name}, μ = {mu:g}"
    return Scores(p, q, True, "independent runs", name=name, seed=spawned_seed(rng))


@quiet()
def _side(
    runs: RunCount,
    mu: float,
    truth: float,
    n: int,
    score: Score,
    observed: str,
    rng: np.random.Generator,
) -> Floats:
    k = runs._draw(n, rng)
    released = k > 0
    log_rank = -rng.exponential(size=int(released.sum())) / k[released]
    output, own = score._best(log_rank, truth, rng)
    if observed == "output":
        seen = np.full(n, -np.inf)
        seen[released] = output
        return seen
    seen = np.zeros(n)
    seen[released] = mu * (output - mu / 2)
    with_record = score._log_below(own, mu)
    without = score._log_below(own, 0.0)
    if with_record is not None and without is not None:
        seen[released] += _log_derivative(runs, with_record) - _log_derivative(runs, without)
    return seen


@quiet()
def _log_derivative(runs: RunCount, log_z: Floats) -> Floats:
    """Log G', interpolated in the normal quantile of z where there is a lot to sum.

    The attack's score may be any function of the release, so this costs no validity.
    """
    if log_z.size * runs.terms <= _MOST_TERMS:
        return runs._log_derivative(log_z)
    y = np.linspace(-30, 30, _GRID)
    return np.interp(normal_quantile(log_z), y, runs._log_derivative(log_ndtr(y)))
