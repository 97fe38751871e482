"""The family of randomized response with a known δ."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair
from workbench.pairs.families.base import Family
from workbench.pairs.randomized_response import RandomizedResponsePair


@dataclass(frozen=True)
class RandomizedResponseFamily(Family):
    """Randomized response with a known δ; the parameter is ε.

    Its trade-off function is the smallest of all (ε, δ)-DP mechanisms, so a bound on ε at this
    very δ assumes nothing about the mechanism.

    Parameters
    ----------
    delta : float
        In [0, 1).
    """

    title = "Randomized response"
    parameter_name = "epsilon"

    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", _checks.delta(self.delta))

    @property
    def name(self) -> str:
        return f"randomized response with δ = {self.delta:g}"

    @property
    def symbol(self) -> str:
        return "ε"

    def pair(self, parameter: float) -> Pair:
        return RandomizedResponsePair(parameter, self.delta)

    def bit_error(self, parameter: float) -> float:
        return (1 - self.delta) * float(expit(-parameter))

    def parameter_of_bit_error(self, error: float) -> float:
        if error <= 0:
            return math.inf
        return math.log(max((1 - self.delta) / error - 1, 1.0))

    def least_mass(self, parameters: Floats) -> Callable[[Floats], Floats]:
        rise, decline = np.exp(np.minimum(parameters, 700.0)), np.exp(-parameters)
        kept = 1 - self.delta

        def least(x: Floats) -> Floats:
            flat = decline * (x - self.delta)
            return np.maximum(np.maximum(flat, kept - rise * (1 - x)), 0.0)

        return least

    def guess_error(self, parameter: float, share: Floats) -> Floats:
        return np.maximum(share - self.delta, 0.0) * expit(-parameter) / share
