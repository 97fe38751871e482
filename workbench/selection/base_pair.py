"""The base algorithm of a selection as a pair, and its reduction to a single Gaussian."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erf, ndtr

from workbench import _checks
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.selection.renyi import NoBoundError

REDUCTIONS = ("O", "G")


def base_pair(mu: float | None, base: Pair | TradeoffCurve | None) -> Pair | TradeoffCurve:
    """The pair of one run; ValueError unless exactly one argument is given.

    Parameters
    ----------
    mu : float, optional
        Of N(0,1) against N(μ,1).
    base : Pair or TradeoffCurve, optional
    """
    if (mu is None) == (base is None):
        raise ValueError(
            f"give one of mu= (the base N(0,1) against N(μ,1)) and base= (a pair), got mu={mu!r} "
            f"and base={base!r}"
        )
    if mu is not None:
        return GaussianPair(mu)
    if not isinstance(base, (Pair, TradeoffCurve)):
        raise ValueError(
            f"base must be a pair such as wb.GaussianPair(1) or a TradeoffCurve, got {base!r}"
        )
    # Compositions with a closed form are that form.
    exact = base.closed_form if isinstance(base, Pair) else None
    return exact if isinstance(exact, GaussianPair) else base


def base_name(base: Pair | TradeoffCurve) -> str:
    """For titles and notes."""
    return base.name if isinstance(base, Pair) else "a trade-off curve"


def reduced_mu(
    noise_multiplier: float, sample_rate: float, steps: int, reduction: str = "G"
) -> float:
    """The μ of N(0,1) against N(μ,1) that approximates one training by DP-SGD.

    Parameters
    ----------
    noise_multiplier : float
        Noise over clipping norm, σ.
    sample_rate : float
        τ in (0, 1].
    steps : int
        N, at least 1.
    reduction : {"G", "O"}
        "O" is τ√N/σ (Xiang, Wang and Wang 2024, eq. 19), which ignores that batches are random
        and so can fall below the truth for τ < 1. "G" is the central limit of Dong, Roth and Su
        (2022), symmetrized::

            √2·τ√N·√(e^{1/σ²} Φ(1.5/σ) + 3 Φ(−0.5/σ) − 2)

        an approximation as well. Both are √N/σ, exact, for τ = 1 with "O".

    Returns
    -------
    float

    Raises
    ------
    ValueError
        An argument outside its range.
    """
    sigma = _checks.positive(noise_multiplier, "noise_multiplier")
    rate = _checks.number(sample_rate, "sample_rate")
    if not 0 < rate <= 1:
        raise ValueError(f"sample_rate must lie in (0, 1], got {sample_rate!r}")
    root = rate * math.sqrt(_checks.count(steps, "steps", least=1))
    _checks.one_of(reduction, "reduction", REDUCTIONS)
    if reduction == "O":
        return root / sigma
    if sigma < 0.04:
        raise ValueError(
            f"noise_multiplier must be at least 0.04 for the central limit, got {sigma:g}; "
            "with less noise it is far off"
        )
    # Φ(x) = ½ + ½ erf(x/√2) takes the −2 out, which would cancel where σ is large.
    s = 1 / sigma
    halves = erf(1.5 * s / math.sqrt(2)) - 3 * erf(0.5 * s / math.sqrt(2))
    inside = math.expm1(s * s) * ndtr(1.5 * s) + halves / 2
    return root * math.sqrt(2 * inside)


def base_renyi(base: Pair | TradeoffCurve, orders: Floats) -> Floats:
    """Rényi divergences of one run, the larger of the two directions.

    Parameters
    ----------
    base : Pair or TradeoffCurve
        A pair with some finite :meth:`Pair.renyi_divergence`.
    orders : ndarray, shape (n,)
        Above 1.

    Raises
    ------
    NoBoundError
        For a trade-off function, and a pair whose divergences are infinite.
    DivergenceError
        Where they could not be computed.
    """
    if not isinstance(base, Pair):
        raise NoBoundError(
            f"the generic bound needs the Rényi divergences of one run, and {base_name(base)} is "
            "no pair; give base= a pair"
        )
    found = np.array([base.renyi_divergence(float(a)) for a in orders])
    if not np.isfinite(found).any():
        raise NoBoundError(
            "the generic bound needs the Rényi divergences of one run, which are infinite for "
            f"{base_name(base)}"
        )
    return found
