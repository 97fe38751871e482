"""The family of Gaussian pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from workbench.curves.gdp import epsilon_from_mu, mu_from_total_variation
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair
from workbench.pairs.families.base import Family
from workbench.pairs.families.roots import FAR, density, where_falls_to
from workbench.pairs.gaussian import GaussianPair


@dataclass(frozen=True)
class GaussianFamily(Family):
    """N(μ, 1) against N(0, 1); the parameter is μ."""

    title = "Gaussian"
    parameter_name = "mu"

    @property
    def name(self) -> str:
        return "Gaussian"

    @property
    def symbol(self) -> str:
        return "μ"

    def pair(self, parameter: float) -> Pair:
        return GaussianPair(parameter)

    def epsilons(self, parameters: Floats, delta: float) -> Floats:
        found, finite = np.full_like(parameters, np.inf), np.isfinite(parameters)
        found[finite] = epsilon_from_mu(np.maximum(parameters[finite], 0.0), delta)
        return found

    def bit_error(self, parameter: float) -> float:
        return float(ndtr(-parameter / 2))

    def parameter_of_bit_error(self, error: float) -> float:
        return max(-2 * float(ndtri(error)), 0.0)

    def parameter_of_total_variation(self, total_variation: float) -> float:
        return float(mu_from_total_variation(total_variation))

    def least_mass(self, parameters: Floats) -> Callable[[Floats], Floats]:
        return lambda x: ndtr(ndtri(x) - parameters)

    def guess_error(self, parameter: float, share: Floats) -> Floats:
        def reached(z: Floats) -> tuple[Floats, Floats]:
            return ndtr(-z) + ndtr(parameter - z), -density(z) - density(parameter - z)

        # "In" above z, "out" below μ − z.
        z = where_falls_to(share, reached, parameter / 2, parameter + FAR)
        return ndtr(-z) / share
