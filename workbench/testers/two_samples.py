"""A tester on two samples that a person already has: `test_samples`, and `find` for all of it."""

# ruff: noqa: PT028 (test_samples is no test)

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.pairs.base import Pair
from workbench.testers.learning.encoding import OutputsError, check_alike, check_outputs
from workbench.testers.property_testers.base import Finding, Tester
from workbench.testers.property_testers.registry import tester as registered

#: Share of each side that a witness is fitted on.
SHARE = 0.2

#: The fewest outputs a side: a fifth of them is enough to fit.
LEAST = 20


def test_samples(
    p: ArrayLike,
    q: ArrayLike,
    claim: Claim | Pair | str,
    tester: str | Tester = "hockey-stick",
    confidence: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> Bound:
    """Test a claim on outputs for a dataset and for its neighbor.

    A fifth of each side, drawn at random, chooses what to measure; the others are measured.

    Parameters
    ----------
    p, q : array_like, shape (n_p,) or (n_p, d), and (n_q,) or (n_q, d)
        Outputs of independent runs on the two datasets: numbers, booleans or strings. NaN and ±∞
        are outcomes of their own. The two sizes may differ.
    claim : Claim, Pair or str
        Such as ``wb.ApproxDP(1, 1e-5)``, ``"gdp(1)"``, or a pair whose trade-off function is
        claimed.
    tester : {"hockey-stick", "renyi", "mmd", "histogram"} or Tester
    confidence : float
        Of the bound, both directions included.
    seed : int or numpy.random.Generator
        For the split and the fit. A second seed, tried because of what the first showed, makes
        the bound false.

    Returns
    -------
    Bound
        On the divergence that the tester measures. `find`, of this module, also says what the
        claim allows of it, whether that is exceeded, and what follows for the claim's parameter.

    Raises
    ------
    ValueError
        Too few outputs, different columns or types, a tester that cannot test such outputs or
        such a claim.

    Notes
    -----
    Guarantee: held-out, distribution-free, for independent runs. Nothing found does not show that
    the claim is true.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> wb.test_samples(rng.normal(1, 1, 10**5), rng.normal(0, 1, 10**5), "approx(0.1, 1e-5)")
    """
    return find(p, q, claim, tester, confidence, seed).bound


def find(
    p: ArrayLike,
    q: ArrayLike,
    claim: Claim | Pair | str,
    tester: str | Tester = "hockey-stick",
    confidence: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> Finding:
    """As `test_samples`, with what the claim allows, the verdict and the claim's parameter."""
    sides = check_outputs(p, name="p"), check_outputs(q, name="q")
    check_alike(*sides)
    claimed = as_claim(claim)
    chosen = registered(tester)
    confidence = _checks.confidence(confidence)
    for name, x in zip("pq", sides, strict=True):
        if len(x) < LEAST:
            raise OutputsError(
                f"{name} has {len(x)} outputs, too few to fit on some and measure others; give at "
                f"least {LEAST} a side"
            )
    reason = chosen.refuses(claimed, sides[0])
    if reason is not None:
        raise OutputsError(f"the {chosen.name} tester cannot test this: {reason}")
    rng = np.random.default_rng(seed)
    (p_fit, p_fresh), (q_fit, q_fresh) = (_split(x, rng) for x in sides)
    return chosen.fit(p_fit, q_fit, claimed, rng).measure(p_fresh, q_fresh, confidence)


# pytest collects functions of such a name where they are imported.
test_samples.__test__ = False  # type: ignore[attr-defined]


def _split(x: NDArray[Any], rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
    order = rng.permutation(len(x))
    size = round(SHARE * len(x))
    return x[order[:size]], x[order[size:]]
