"""What a Rényi divergence leaves room for, exactly."""

from __future__ import annotations

import numpy as np

from workbench._roots import turning_point
from workbench.curves.elementwise import Floats, quiet

#: The smallest log of a false negative rate that a float can hold.
_LEAST_LOG = -745.0

#: Halvings of the logs of the rates.
_HALVINGS = 64


@quiet()
def renyi_tradeoff(order: float, epsilon: float, alpha: Floats) -> Floats:
    """The smallest false negative rate that R_a(P‖Q), R_a(Q‖P) ≤ ε allow.

    A test turns the pair into two coins, of which data processing asks the same: with d(x‖y) =
    x^a y^{1−a} + (1−x)^a (1−y)^{1−a}, d(1−β‖α) and d(α‖1−β) are at most e^{(a−1)ε}. Every (α, β)
    that meets both is met by the pair of coins itself, so f is as large as it can be. (BALLE20,
    arXiv 1905.09982; the route over δ(ε) gives up more the smaller the order.)

    Parameters
    ----------
    order, epsilon : float
        a above 1, ε at least 0; checked by the claim.
    alpha : ndarray
        False positive rates in [0, 1].

    Returns
    -------
    ndarray, the shape of ``alpha``
        Rounded down, so that nothing is refuted by round-off.
    """
    # Slack for the round-off of terms of order a.
    a, budget = order, (order - 1) * epsilon + 1e-14 * order
    inner = (alpha > 0) & (alpha < 1)
    x = np.where(inner, alpha, 0.5)
    log_fpr, log_tnr = np.log(x), np.log1p(-x)

    def allowed(log_fnr: Floats) -> np.ndarray:
        log_tpr = np.log(-np.expm1(log_fnr))
        forward = np.logaddexp(a * log_tpr + (1 - a) * log_fpr, a * log_fnr + (1 - a) * log_tnr)
        mirrored = np.logaddexp(a * log_fpr + (1 - a) * log_tpr, a * log_tnr + (1 - a) * log_fnr)
        return np.maximum(forward, mirrored) <= budget

    # Both divergences fall as β grows to 1 − α, where the coins are equal.
    low, _ = turning_point(allowed, np.full(x.shape, _LEAST_LOG), log_tnr, _HALVINGS)
    fnr = np.where(low > _LEAST_LOG, np.exp(low), 0.0)
    return np.where(inner, fnr, 1.0 - alpha)
