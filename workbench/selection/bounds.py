"""`epsilon`: upper bounds on the ε of a selection, each with the scores for which it holds."""

from __future__ import annotations

import numpy as np

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.selection import renyi
from workbench.selection.base_pair import base_name, base_pair, base_renyi
from workbench.selection.composition import composed_runs
from workbench.selection.direct import monotone_epsilon
from workbench.selection.runs import RunCount, require_runs

#: Bounds for monotone scores and for any score, and the method that a result names.
METHODS = {
    "direct": "selection by a monotone score",
    "renyi": "selection by a monotone score (Rényi)",
    "generic": "selection by any score (Rényi)",
    "composition": "selection by any score (composition)",
}

#: What can be asked for: each, or the smaller one of those for any score.
BOUNDS = (*METHODS, "any")

#: Those that hold for any score.
ANY_SCORE = ("generic", "composition")

_OTHERS = " This is no upper bound over all scores: one in another order may leak far more."


def epsilon(
    runs: RunCount,
    mu: float | None = None,
    *,
    delta: float,
    bound: str = "direct",
    base: Pair | TradeoffCurve | None = None,
    orders: tuple[float, ...] | None = None,
) -> Bound:
    """Upper bound on the ε of releasing the best of many runs.

    Parameters
    ----------
    runs : RunCount
        How many runs, such as ``NegativeBinomial(1, 0.01)``.
    mu : float, optional
        One run is N(0,1) against N(μ,1): see :func:`reduced_mu`.
    delta : float
        In [0, 1).
    bound : {"direct", "renyi", "generic", "composition"} or "any"
        "direct" is the hockey-stick divergence of the release itself, and so exact for the base
        given; "renyi" is the bound of Xiang, Wang and Wang (2024, Algorithm 3). Both hold **if the
        score is monotone** in the privacy loss of one run, and only then: `worst_order` shows how
        much other scores leak. "generic" (Papernot and Steinke 2022) holds for any score, and for
        the run counts that they cover. "composition" holds for any score and any run count: the
        release is a function of the number k of runs and of all k outputs, so
        δ(ε) ≤ Σ_k ξ(k) δ_k(ε) with δ_k of the k-fold composition. It is the better one for few
        runs, and says little where many runs are likely. "any" is the smaller of the two, and the
        result's method says which.
    base : Pair or TradeoffCurve, optional
        Any other base in place of ``mu``: for "direct" DP-SGD with its own trade-off function,
        ``wb.DPSGDPair(...)``; for "composition" any pair; for "generic" a pair with finite Rényi
        divergences.
    orders : tuple of float, optional
        Rényi orders over which "renyi" and "generic" are minimized. By default 160 orders from 1.01
        to 400, and further ones around the best.

    Returns
    -------
    Bound
        ``inf`` where nothing finite holds. The family is "monotone score" for "direct" and
        "renyi", and None for the others.

    Raises
    ------
    NoBoundError
        A ValueError that says why there is no such bound.
    ValueError
        An argument outside its range; both or neither of ``mu`` and ``base``.

    Notes
    -----
    Direct ≤ Rényi ≤ generic for the same base, and direct ≤ composition. Where the base is itself
    an upper limit (a composed DP-SGD pair), so are the direct bound and composition, up to the
    base's own discretization. Composition takes run counts together where there are many, which
    costs about 0.1% of ε for a Gaussian base. Other bases are composed numerically for at most 24
    run counts, each of which may take a second; larger ε result, by a few percent.

    Examples
    --------
    >>> runs = wb.selection.PointMass(20)
    >>> print(wb.selection.epsilon(runs, 0.5, delta=1e-5, bound="composition"))
    ε at δ = 1e-5 ≤ 11.5 (proven, no samples)
    """
    require_runs(runs)
    delta = _checks.delta(delta)
    _checks.one_of(bound, "bound", BOUNDS)
    pair, a = base_pair(mu, base), None if orders is None else _increasing(orders)
    if bound == "any":
        value, bound = _any_score(runs, pair, delta, a)
        return _stated(value, bound, pair, delta)
    if bound == "direct":
        found = monotone_epsilon(runs, pair, delta)
        return _stated(found.upper, bound, pair, delta, found.direction)
    if bound == "renyi":
        if not isinstance(pair, GaussianPair):
            raise renyi.NoBoundError(
                f"the improved Rényi bound reduces one run to N(0,1) against N(μ,1); for "
                f"{base_name(pair)} ask for bound='direct', which takes its trade-off function as "
                "it is"
            )
        value, _ = renyi.monotone_epsilon(runs, pair.mu, delta, a)
    elif bound == "generic":
        value = _generic(runs, pair, delta, a)
    else:
        value = composed_runs(runs, pair, delta).epsilon(delta)
    return _stated(value, bound, pair, delta)


def _generic(
    runs: RunCount, pair: Pair | TradeoffCurve, delta: float, orders: Floats | None
) -> float:
    return renyi.generic_epsilon(runs, lambda a: base_renyi(pair, a), delta, orders)[0]


def _any_score(
    runs: RunCount, pair: Pair | TradeoffCurve, delta: float, orders: Floats | None
) -> tuple[float, str]:
    """The smaller bound for any score, and which one it is."""
    found = []
    try:
        found.append((composed_runs(runs, pair, delta).epsilon(delta), "composition"))
        refused = None
    except renyi.NoBoundError as error:
        refused = error
    try:
        found.append((_generic(runs, pair, delta, orders), "generic"))
    except renyi.NoBoundError:
        if refused is not None:
            raise refused from None
    return min(found)


def _stated(
    value: float, bound: str, pair: Pair | TradeoffCurve, delta: float, direction: str | None = None
) -> Bound:
    """The value with what it holds for."""
    return Bound(
        quantity="epsilon",
        value=value,
        guarantee="proven",
        method=METHODS[bound],
        assumption="no samples",
        n_p=0,
        n_q=0,
        at=QuantityArguments(delta=delta),
        family=None if bound in ANY_SCORE else "monotone score",
        side="upper",
        direction=direction,
        note=f"One run is taken to be: {base_name(pair)}."
        + ("" if bound in ANY_SCORE else _OTHERS),
    )


def _increasing(orders: tuple[float, ...]) -> Floats:
    a = np.unique(_checks.array(orders, "orders"))
    if a.size == 0 or not a[0] > 1 or not np.isfinite(a).all():
        raise ValueError(f"orders must be finite and above 1, got {_checks.shown(orders)}")
    return a
