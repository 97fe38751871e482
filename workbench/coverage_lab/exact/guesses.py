"""The level of bounds from guesses on the canaries of one run, at the edge of a claim.

Every canary has one of k values, and randomized response answers: the true value with probability
δ, else a value by the odds e^ε of the true one against each other one. Guesses are right
independently, so the number of right ones is binomial.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.coverage_lab.exact.methods import CONFIDENCE
from workbench.coverage_lab.exact.tables import least_false, tail
from workbench.onerun.bound import METHODS, one_run_bound

#: Numbers of values k, and δ, by the name in stored results.
QUESTIONS = {
    f"{values} values, δ = {delta:g}": (values, delta)
    for values in (2, 10, 1000)
    for delta in (0.0, 0.01)
}


def level_of_guesses(
    method: str, values: int, delta: float, epsilon: float, canaries: int, guesses: int
) -> tuple[float, int]:
    """Probability of a bound above ε, and the least number of right guesses that gives one.

    Parameters
    ----------
    method : str
        Of `one_run_bound`.
    values : int
        k.
    delta, epsilon : float
    canaries, guesses : int
    """
    family = "randomized-response" if METHODS[method].leak else None

    def is_false(correct: int, _: int) -> bool:
        bound = one_run_bound(
            guesses,
            canaries=canaries,
            correct=correct,
            delta=delta,
            confidence=CONFIDENCE,
            method=method,
            family=family,
            values=None if values == 2 else values,
        )
        return bound.value > epsilon + 1e-9

    least = least_false(is_false, guesses, [0])
    odds = math.exp(epsilon)
    right = delta + (1 - delta) * odds / (odds + values - 1)
    return float(tail(least, guesses, np.array(right))[0]), int(least[0])
