"""Exact trade-off function of a bound on the Rényi divergence."""

from __future__ import annotations

import numpy as np

from workbench.curves.elementwise import Floats, quiet

#: The smallest log of a false negative rate that a float can hold.
_LEAST_LOG = -745.0

#: Halvings of the logs of the rates.
_HALVINGS = 64


@quiet()
def renyi_tradeoff(order: float, epsilon: float, alpha: Floats) -> Floats:
    """Smallest false negative rate under R_a(P‖Q) ≤ ε and R_a(Q‖P) ≤ ε.

    Parameters
    ----------
    order, epsilon : float
        a above 1, ε at least 0; checked by the claim.
    alpha : ndarray
        False positive rates in [0, 1].

    Returns
    -------
    ndarray, the shape of ``alpha``
        Rounded down, so that round-off refutes nothing.

    Notes
    -----
    A test maps the pair to two Bernoulli distributions, whose divergences are no larger (data
    processing): with d(x‖y) = x^a y^{1−a} + (1−x)^a (1−y)^{1−a}, d(1−β‖α) and d(α‖1−β) are at most
    e^{(a−1)ε}. Two Bernoulli distributions attain every (α, β) that satisfies both, so the function
    is as large as possible. The conversion through δ(ε) is weaker, most so at small orders.

    References
    ----------
    B. Balle et al., "Hypothesis testing interpretations and Rényi differential privacy", AISTATS
    2020, arXiv:1905.09982.
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
    low, high = np.full(x.shape, _LEAST_LOG), log_tnr
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        ok = allowed(middle)
        low, high = np.where(ok, low, middle), np.where(ok, middle, high)
    fnr = np.where(low > _LEAST_LOG, np.exp(low), 0.0)
    return np.where(inner, fnr, 1.0 - alpha)
