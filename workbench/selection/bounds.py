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
from workbench.selection.direct import monotone_epsilon
from workbench.selection.runs import RunCount, require_runs

#: Bounds, from the tightest to the loosest, and the method that a result names.
METHODS = {
    "direct": "selection by a monotone score",
    "renyi": "selection by a monotone score (Rényi)",
    "generic": "selection by any score (Rényi)",
}


_OTHERS = " This is no upper bound over all scores: one in another order may leak far more."


def epsilon(
    runs: RunCount,
    mu: float | None = None,
    *,
    delta: float,
    bound: str = "direct",
    base: Pair | TradeoffCurve | None = None,
    orders: tuple[float, ...] = renyi.ORDERS,
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
    bound : {"direct", "renyi", "generic"}
        "direct" is the hockey-stick divergence of the release itself, and so exact for the base
        given; "renyi" is the bound of Xiang, Wang and Wang (2024, Algorithm 3). Both hold **if the
        score is monotone** in the privacy loss of one run, and only then: `worst_order` shows how
        much other scores leak. "generic" (Papernot and Steinke 2022) holds for any score, and for
        the run counts that they cover.
    base : Pair or TradeoffCurve, optional
        Any other base in place of ``mu``, for "direct": DP-SGD with its own trade-off function,
        ``wb.DPSGDPair(...)``. For "generic" a DP-SGD or Gaussian pair.
    orders : tuple of float
        Rényi orders over which "renyi" and "generic" are minimized.

    Returns
    -------
    Bound
        ``inf`` where nothing finite holds. The family is "monotone score", or None for "generic".

    Raises
    ------
    NoBoundError
        A ValueError that says why there is no such bound.
    ValueError
        An argument outside its range; both or neither of ``mu`` and ``base``.

    Notes
    -----
    Direct ≤ Rényi ≤ generic for the same base. Where the base is itself an upper limit (a composed
    DP-SGD pair), so is the direct bound up to the base's own discretization.
    """
    require_runs(runs)
    delta = _checks.delta(delta)
    _checks.one_of(bound, "bound", METHODS)
    pair, a = base_pair(mu, base), _increasing(orders)
    direction = None
    if bound == "direct":
        found = monotone_epsilon(runs, pair, delta)
        value, direction = found.upper, found.direction
    elif bound == "renyi":
        if not isinstance(pair, GaussianPair):
            raise renyi.NoBoundError(
                f"the improved Rényi bound reduces one run to N(0,1) against N(μ,1); for "
                f"{base_name(pair)} ask for bound='direct', which takes its trade-off function as "
                "it is"
            )
        value, _ = renyi.monotone_epsilon(runs, pair.mu, delta, a)
    else:
        divergence = renyi.generic_divergence(runs, a, base_renyi(pair, a))
        value, _ = renyi.epsilon_from_renyi(a, divergence, delta)
    return Bound(
        quantity="epsilon",
        value=value,
        guarantee="proven",
        method=METHODS[bound],
        assumption="no samples",
        n_p=0,
        n_q=0,
        at=QuantityArguments(delta=delta),
        family=None if bound == "generic" else "monotone score",
        side="upper",
        direction=direction,
        note=f"One run is taken to be: {base_name(pair)}."
        + ("" if bound == "generic" else _OTHERS),
    )


def _increasing(orders: tuple[float, ...]) -> Floats:
    a = np.unique(_checks.array(orders, "orders"))
    if a.size == 0 or not a[0] > 1 or not np.isfinite(a).all():
        raise ValueError(f"orders must be finite and above 1, got {_checks.shown(orders)}")
    return a
