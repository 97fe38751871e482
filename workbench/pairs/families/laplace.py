"""The family of Laplace pairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.curves.validation import Floats
from workbench.pairs.base import Pair
from workbench.pairs.families.base import Family
from workbench.pairs.laplace import LaplacePair


@dataclass(frozen=True)
class LaplaceFamily(Family):
    """Lap(μ, 1) against Lap(0, 1); the parameter is μ, and ε at δ = 0."""

    title = "Laplace"
    parameter_name = "mu"

    @property
    def name(self) -> str:
        return "Laplace"

    @property
    def symbol(self) -> str:
        return "μ"

    def pair(self, parameter: float) -> Pair:
        return LaplacePair(parameter)

    def bit_error(self, parameter: float) -> float:
        return math.exp(-parameter / 2) / 2

    def parameter_of_bit_error(self, error: float) -> float:
        return max(-2 * math.log(2 * error), 0.0) if error > 0 else math.inf

    def least_mass(self, parameters: Floats) -> Callable[[Floats], Floats]:
        quarter = np.exp(-parameters) / 4

        def least(x: Floats) -> Floats:
            # The hyperbola e^−μ/(4y) between y = e^−μ/2 and 1/2, its tangents beyond them.
            y = 1 - x
            touch = np.clip(y, 2 * quarter, 0.5)
            return (quarter / touch) * (2 - y / touch)

        return least

    def guess_error(self, parameter: float, share: Floats) -> Floats:
        decline = math.exp(-parameter)
        # share = a(1 + e^μ) on f's first piece, a + 1 − e^−μ/(4a) on the hyperbola.
        rest = share - 1
        root = np.sqrt(rest**2 + decline)
        first = share <= (1 + decline) / 2
        curved = decline / np.maximum(2 * (root - rest), 1e-300)
        return np.where(first, decline / (1 + decline), curved / share)

    def parameter_of_point(self, alpha: Floats, beta: Floats) -> Floats:
        """The parameter whose trade-off function passes through (α, β).

        Parameters
        ----------
        alpha, beta : ndarray
            Error rates in [0, 1].

        Returns
        -------
        ndarray, of their common shape
            0 on and above the diagonal α + β = 1.
        """
        with np.errstate(divide="ignore"):
            log_alpha, log_beta = np.log(alpha), np.log(beta)
            mu = np.where(
                beta >= 0.5,
                np.log1p(-beta) - log_alpha,
                np.where(
                    alpha >= 0.5, np.log1p(-alpha) - log_beta, -math.log(4) - log_alpha - log_beta
                ),
            )
        return np.where(alpha + beta < 1, np.maximum(mu, 0.0), 0.0)

    def parameter_of_auc(self, auc: float) -> float:
        """The parameter with this area under the ROC, 1 − e^{−μ}(1 + μ/2)/2."""
        from scipy.special import lambertw

        if auc >= 1:
            return math.inf
        # −(2 + μ) e^{−(2 + μ)} = −4 (1 − AUC) e^{−2}
        return max(-2 - float(lambertw(-4 * (1 - max(auc, 0.5)) * math.exp(-2), -1).real), 0.0)
