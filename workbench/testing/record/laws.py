"""What noise of a known law hides: the privacy loss of a distance, and whether it exceeds a claim.

Laplace noise of scale b on values that are Δ₁ apart costs exactly ε = Δ₁/b, and Gaussian noise of
standard deviation σ on values that are Δ₂ apart is exactly μ-GDP with μ = Δ₂/σ (Dwork and Roth,
2014, Theorem 3.6; Dong, Roth and Su, 2022, Theorem 2.7).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.claims.approx import ApproxDP
from workbench.claims.base import Claim
from workbench.claims.gdp import GDP
from workbench.claims.renyi import RenyiDP
from workbench.claims.zcdp import ZCDP
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.laplace import LaplacePair
from workbench.testing.record.trace import Layer, NoisyValue

#: The laws whose privacy loss is known here.
LAPLACE, GAUSSIAN = "Laplace", "Gaussian"

#: Relative error of distances and scales, above that of floating-point sums.
SLACK = 1e-6

_NORMAL = ("normal", "standard_normal")
_ONE_SIDED = ("exponential", "standard_exponential", "geometric")
_GRID = np.linspace(0, 1, 2001)[1:-1]


def law(value: NoisyValue) -> tuple[str, NDArray[np.float64]] | None:
    """The law of the noise in a value, with its scale for each entry; None where it is another."""
    layers = [layer for layer in value.layers if (layer.spread > 0).any()]
    if not layers or any(not _independent(layer) for layer in layers):
        return None
    names = {layer.draw.name for layer in layers}
    if names == {"laplace"} and len(layers) == 1:
        return LAPLACE, layers[0].spread
    if names <= set(_NORMAL):
        return GAUSSIAN, np.sqrt(sum(layer.spread**2 for layer in layers))
    if len(names) == 1 and names <= set(_ONE_SIDED) and len(layers) == 2:
        first, second = layers  # a difference of two one-sided noises
        if np.allclose(first.scale * first.factor, -second.scale * second.factor, SLACK, 0):
            return LAPLACE, first.spread
    return None


def _independent(layer: Layer) -> bool:
    """Whether every entry has noise of its own."""
    return np.unique(layer.ids).size == layer.ids.size


def distance(name: str, apart: NDArray[np.float64]) -> float:
    """The distance that a law goes by: L1 for Laplace noise, L2 for Gaussian noise."""
    if name == GAUSSIAN:
        return float(np.sqrt(np.square(apart).sum()))
    return float(np.abs(apart).sum())


def cost(name: str, apart: NDArray[np.float64], scale: NDArray[np.float64]) -> float:
    """The ε (Laplace) or μ (Gaussian) of values that are so far apart."""
    with np.errstate(divide="ignore", invalid="ignore"):
        over = np.where(apart == 0, 0.0, np.abs(apart) / scale)
    return distance(name, over)


def total(costs: Sequence[tuple[str, float]]) -> tuple[float, float]:
    """The sum of all ε, and the root of the sum of all μ²."""
    epsilon = sum(found for name, found in costs if name == LAPLACE)
    mu = float(np.sqrt(sum(found**2 for name, found in costs if name == GAUSSIAN)))
    return epsilon, mu


def exceeds(claim: Claim, epsilon: float, mu: float, largest: float) -> bool:
    """Whether releasing all values breaks a claim.

    It is exact for Laplace noise alone under pure ε-DP, and for Gaussian noise alone. Otherwise the
    largest single number and the Gaussian ones stand for all, which shows less than there is.

    Parameters
    ----------
    claim : Claim
    epsilon : float
        Sum of all ε.
    mu : float
        Of all Gaussian values together.
    largest : float
        The largest ε of a single number.
    """
    if np.isinf([epsilon, mu]).any():
        return True
    if is_pure(claim):
        return mu > 0 or epsilon > (claim.parameter or 0.0) * (1 + SLACK)
    pairs: list[Pair] = []
    if mu > 0:
        pairs.append(GaussianPair(mu))
    if largest > 0:
        pairs.append(LaplacePair(largest))
    return any(_breaks(claim, pair) for pair in pairs)


def _breaks(claim: Claim, pair: Pair) -> bool:
    if isinstance(claim, GDP) and isinstance(pair, GaussianPair):
        return bool(pair.mu > claim.mu * (1 + SLACK))
    if isinstance(claim, ZCDP) and isinstance(pair, GaussianPair):
        return bool(pair.mu**2 / 2 > claim.rho * (1 + SLACK))
    if isinstance(claim, RenyiDP):
        own = pair.renyi_divergence(claim.order)
        return bool(own > claim.max_renyi(claim.order) * (1 + SLACK))
    allowed = np.asarray(claim.min_tradeoff(_GRID))
    return bool((np.asarray(pair.tradeoff(_GRID)) < allowed - 1e-6).any())


def refuted_by_scales(
    claim: Claim,
    name: str,
    apart: NDArray[np.float64],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
) -> bool:
    """Whether a claim is false for a value that is released with noise of two different scales.

    The ratio of densities is unbounded in the tails, which neither pure ε-DP nor, for Gaussian
    noise, GDP and zCDP allow. The Rényi divergence of two normal distributions is that of Gil,
    Alajaji and Linder (2013), Table 2.

    Parameters
    ----------
    claim : Claim
    name : str
        The law.
    apart : array
        Distance of the values.
    first, second : array
        The scales.
    """
    if not (first > 0).all() or not (second > 0).all():
        return False
    if is_pure(claim):
        return True
    if name != GAUSSIAN:
        return False
    if isinstance(claim, GDP | ZCDP):
        return True
    if isinstance(claim, RenyiDP):
        allowed = claim.max_renyi(claim.order) * (1 + SLACK)
        both = ((first, second), (second, first))
        return any(_renyi(claim.order, apart, p, q) > allowed for p, q in both)
    return False


def _renyi(
    order: float, apart: NDArray[np.float64], p: NDArray[np.float64], q: NDArray[np.float64]
) -> float:
    """Rényi divergence of normal distributions with standard deviations p and q, from p to q."""
    mixed = order * q**2 + (1 - order) * p**2
    if (mixed <= 0).any():
        return float("inf")
    logs = np.log(q / p) + np.log(q**2 / mixed) / (2 * (order - 1))
    return float((logs + order * apart**2 / (2 * mixed)).sum())


def is_pure(claim: Claim) -> bool:
    """Whether a claim is ε-DP without δ."""
    return isinstance(claim, ApproxDP) and claim.parameters.get("delta", 0.0) == 0
