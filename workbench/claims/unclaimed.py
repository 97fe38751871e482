"""No claim: an audit asks for the largest ε that its runs prove."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.claims.approx import ApproxDP
from workbench.claims.base import checked_epsilon, number_text


@dataclass(frozen=True, init=False, repr=False)
class Unclaimed(ApproxDP):
    """Nothing is claimed: (∞, δ)-DP, which every mechanism meets and no evidence refutes.

    An audit without a claim answers with the largest ε at δ that its runs prove.

    Parameters
    ----------
    delta : float
        In [0, 1). Kept as ``delta_0``.

    Raises
    ------
    ValueError
        A δ outside [0, 1).
    """

    word = "none"
    title = "no claim"
    example = "none(1e-5)"
    arguments = ApproxDP.arguments[1:]
    stated = False

    def __init__(self, delta: float = 0.0) -> None:
        super().__init__(0.0, delta)

    def __str__(self) -> str:
        return "no claim" if self.delta_0 == 0 else f"no claim, δ = {number_text(self.delta_0)}"

    @property
    def parameters(self) -> dict[str, float]:
        return {"delta": self.delta_0}

    @property
    def parameter(self) -> float:
        return math.inf

    @property
    def symbol(self) -> str:
        return "ε" if self.delta_0 == 0 else super().symbol

    @property
    def short(self) -> str:
        return str(self)

    @property
    def quantity(self) -> tuple[str, dict[str, float]]:
        return "epsilon", {"delta": self.delta_0}

    def with_parameter(self, x: float) -> Any:
        return ApproxDP(x, self.delta_0).with_fields(**self.fields.given)

    def delta(self, epsilon: Any) -> Any:
        return np.ones_like(np.asarray(epsilon, dtype=float))[()]

    def max_delta(self, epsilon: float) -> float:
        checked_epsilon(epsilon)
        return 1.0

    def max_renyi(self, order: float) -> float:
        return math.inf

    def limits_renyi(self, order: float) -> bool:
        return self.delta_0 == 0

    def min_tradeoff(self, alpha: Any) -> Any:
        return np.zeros_like(np.asarray(alpha, dtype=float))

    @property
    def for_power(self) -> ApproxDP:
        return ApproxDP(0.0, self.delta_0)
