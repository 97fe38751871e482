"""The mechanisms of AUDITORIUM's tables, their claims, and one test of one of them.

The paper does not give the datasets of Table 1. Here they are the pairs of the gallery's cards:

- means: NonDPLaplace1 and NonDPGaussian1 on (1) and (1, 1); NonDPLaplace2 and NonDPGaussian2 on (1)
  and (1, 0);
- SVT 3, 4 and 6: ten queries, threshold 3, one answer; three users with a 1 throughout, and one who
  changes from 0000011111 to 1111100000; SVT 5: two users, and one from 0000000001 to 1111111110.

Laplace means and SVT claim ε-DP. The Gaussian means have noise for the claim that is tested: for
the Rényi tester σ² = 1.5/ε, so that sum and count together have Rényi ε at order 1.5; for the
others the least noise with which both together are (ε, 0.01)-DP.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import workbench as wb
from workbench import ApproxDP, PureDP
from workbench.claims.base import Claim
from workbench.claims.renyi import RenyiDP
from workbench.mechanisms.base import Mechanism
from workbench.mechanisms.gallery import GALLERY
from workbench.testers.property_testers.base import Finding, Tester

CONFIDENCE, ORDER, DELTA = 2 / 3, 1.5, 0.01
#: In the order of Table 1.
TESTERS = ("histogram", "hockey-stick", "renyi", "mmd")
FIT = 5  # one part in so many is for fitting

CASES = {
    "NonDPLaplace1": "laplace-mean-true-scale",
    "NonDPLaplace2": "laplace-mean-true-count",
    "NonDPGaussian1": "gaussian-mean-true-scale",
    "NonDPGaussian2": "gaussian-mean-true-count",
    "SVT3": "svt3",
    "SVT4": "svt4",
    "SVT5": "svt5",
    "SVT6": "svt6",
}


def card(case: str) -> Mechanism:
    """The gallery's card of a mechanism of the tables."""
    return GALLERY[CASES[case]]


def claimed(case: str, name: str, epsilon: float) -> Claim:
    """What a tester tests."""
    if "Gaussian" not in case:
        return PureDP(epsilon)
    return RenyiDP(ORDER, epsilon) if name == "renyi" else ApproxDP(epsilon, DELTA)


def claiming(case: str, claim: Claim) -> Callable[..., Any]:
    """The mechanism with the noise of a claim."""
    run = card(case).run
    if isinstance(claim, RenyiDP):
        return partial(run, sigma=math.sqrt(claim.order / claim.epsilon_0))
    if isinstance(claim, PureDP):
        return partial(run, epsilon=claim.epsilon_0)
    if isinstance(claim, ApproxDP):  # two releases of μ/√2 each
        return partial(run, sigma=math.sqrt(2) / wb.gaussian_mu_for(claim.epsilon_0, claim.delta_0))
    raise TypeError(f"no noise is known here for {claim}")


def examine(
    judge: Tester, p: Any, q: Any, claim: Claim, seed: int, confidence: float = CONFIDENCE
) -> Finding:
    """One test: fitted on the first fifth, measured on the rest."""
    k = len(p) // FIT
    witness = judge.fit(p[:k], q[:k], claim, np.random.default_rng(seed))
    return witness.measure(p[k:], q[k:], confidence)
