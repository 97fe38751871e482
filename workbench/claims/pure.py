"""ε-differential privacy as a claim."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.claims.approx import EPSILON, ApproxDP
from workbench.claims.base import number_text


@dataclass(frozen=True, init=False, repr=False)
class PureDP(ApproxDP):
    """ε-differential privacy: (ε, 0)-DP.

    Parameters
    ----------
    epsilon : float
        At least 0. Kept as ``epsilon_0``, since ``epsilon(delta)`` is what the claim implies.

    Raises
    ------
    ValueError
        A negative ε.
    """

    word = "pure"
    title = "pure ε-DP"
    example = "pure(1)"
    arguments = (EPSILON,)

    def __init__(self, epsilon: float) -> None:
        super().__init__(epsilon, 0.0)

    @property
    def parameters(self) -> dict[str, float]:
        return {"epsilon": self.epsilon_0}

    @property
    def symbol(self) -> str:
        return "ε"

    @property
    def short(self) -> str:
        return f"ε = {number_text(self.epsilon_0)}"

    @property
    def quantity(self) -> tuple[str, dict[str, float]]:
        return "epsilon", {}
