"""Posterior mass of a privacy region: how credible is it that a trade-off function holds?

With Jeffreys priors (ZANELLA23, HIST eq. 2.5) the error rates of one attack have the posterior

    α ~ Beta(½ + FP, ½ + TN),   β ~ Beta(½ + FN, ½ + TP),

independent, and a trade-off function f allows the points f(α) ≤ β ≤ 1 − f(1 − α). The mass inside
is one integral in one dimension,

    ∫ [F_β(1 − f(1 − α)) − F_β(f(α))] dF_α ,

which is taken here over u = F_α(α), in panels that are fine where the integrand moves. A grid or a
two-dimensional quadrature misses the thin region where it does, and gets wrong answers with
confidence (HIST Fig. 3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv, ndtr

from workbench import checks

Tradeoff = Callable[[NDArray[np.float64]], NDArray[np.float64]]

#: Nodes in each panel, and where panels end, in standard deviations of each posterior.
NODES = 12
SPREAD = np.linspace(-9, 9, 73)


@dataclass(frozen=True)
class Counts:
    """The four counts of one attack."""

    tp: int
    fp: int
    tn: int
    fn: int

    def __post_init__(self) -> None:
        for name in ("tp", "fp", "tn", "fn"):
            checks.count(getattr(self, name), name)


def posterior_mass(counts: Counts, tradeoff: Any) -> float:
    """Posterior probability that the error rates lie in the region that f allows.

    Parameters
    ----------
    counts : Counts
    tradeoff : pair, curve or band
        Anything with ``tradeoff(alpha)``, symmetrised: f(α) for α in [0, 1].

    Returns
    -------
    float
        In [0, 1]. Near 0 it speaks against f. Near 1 it is no evidence for f: an attack that
        sees nothing gives 1 for every f.

    Notes
    -----
    Guarantee: approximate; a Bayesian credibility, not a confidence. Source: HIST eq. 2.5, with
    the two error counts in their right places (the print exchanges FP and FN).
    """
    f = tradeoff.tradeoff
    alpha_shape = counts.fp + 0.5, counts.tn + 0.5
    beta_shape = counts.fn + 0.5, counts.tp + 0.5
    levels = ndtr(SPREAD)
    # The integrand moves where α does, and where the region's edges cross the posterior of β.
    beta = betaincinv(*beta_shape, levels)
    edges = np.concatenate([f(beta), 1 - f(1 - beta)])
    cuts = np.concatenate([levels, betainc(*alpha_shape, edges), [0.0, 1.0]])
    cuts = np.unique(cuts)
    node, weight = _legendre()
    width = np.diff(cuts)
    u = cuts[:-1, None] + width[:, None] * node
    alpha = betaincinv(*alpha_shape, u)
    inside = betainc(*beta_shape, 1 - f(1 - alpha)) - betainc(*beta_shape, f(alpha))
    return float(np.clip((inside @ weight) @ width, 0, 1))


def posterior_parameter(
    counts: Counts,
    family: Callable[[float], Any],
    bounds: tuple[float, float],
    probability: float = 0.95,
) -> float:
    """The parameter at which a family's region holds ``probability`` of the posterior.

    Parameters
    ----------
    counts : Counts
    family : callable
        Parameter -> pair or curve; its region grows or shrinks along ``bounds``.
    bounds : pair of float
        Where to look.
    probability : float

    Returns
    -------
    float
        The smallest member of the family that holds with this probability.

    Raises
    ------
    ValueError
        No member between the bounds has this mass.
    """
    probability = checks.open_unit(probability, "probability")

    def excess(parameter: float) -> float:
        return posterior_mass(counts, family(parameter)) - probability

    low, high = bounds
    if excess(low) * excess(high) > 0:
        raise ValueError(
            f"between {low:g} and {high:g} the posterior mass goes from "
            f"{excess(low) + probability:.3g} to {excess(high) + probability:.3g} and never is "
            f"{probability:g}; widen the bounds"
        )
    return float(brentq(excess, low, high, xtol=1e-10))


@cache
def _legendre() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss–Legendre nodes and weights on [0, 1]."""
    node, weight = np.polynomial.legendre.leggauss(NODES)
    return (node + 1) / 2, weight / 2
