"""The pair of k randomized responses (Kairouz, Oh and Viswanath 2015, Theorem 3.3)."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, log_expit

from workbench.curves.validation import quiet
from workbench.pairs.outcomes import Outcomes, OutcomesPair


class RepeatedResponsesPair(OutcomesPair):
    """k randomized responses: how many of them were truthful, unless one revealed everything.

    Parameters
    ----------
    epsilon, delta : float
        Of one response.
    k : int
        At least 1.
    """

    def __init__(self, epsilon: float, delta: float, k: int) -> None:
        self._arguments = {"epsilon": epsilon, "delta": delta, "k": k}
        e, d = epsilon, delta
        truthful = np.arange(k + 1.0)
        ways = gammaln(k + 1) - gammaln(truthful + 1) - gammaln(k - truthful + 1)
        with quiet():
            hidden = k * np.log1p(-d)
            revealed = np.log(-np.expm1(hidden))
        log_p = hidden + ways + truthful * log_expit(e) + (k - truthful) * log_expit(-e)
        loss = (2 * truthful - k) * e
        self._made = Outcomes(
            np.r_[loss, np.inf, -np.inf],
            np.r_[log_p, revealed, -np.inf],
            np.r_[log_p[::-1], -np.inf, revealed],
            symmetric=True,
        )

    @property
    def name(self) -> str:
        return "Randomized response, ε = {epsilon:g}, δ = {delta:g}, {k} times".format(
            **self._arguments
        )

    @property
    def parameters(self) -> dict[str, float]:
        return self._arguments

    @property
    def outcomes(self) -> Outcomes:
        return self._made
