"""`check_tester`: whether a property tester keeps its level and finds what is there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from workbench import _checks
from workbench.claims.approx import ApproxDP
from workbench.claims.base import Claim
from workbench.claims.gdp import GDP
from workbench.claims.pure import PureDP
from workbench.claims.renyi import RenyiDP
from workbench.testers.property_testers.base import Finding, FittedWitness, Tester
from workbench.testers.property_testers.registry import tester as registered
from workbench.testing.failure import Properties

#: Claims of which a tester supports at least one, at zero where P = Q is just allowed.
_CLAIMS: tuple[Claim, ...] = (PureDP(0), ApproxDP(0, 1e-5), GDP(0), RenyiDP(2, 0))

#: High error, so that false findings would be many; significance of what is called too many.
_CONFIDENCE, _SIGNIFICANCE = 2 / 3, 1e-6

_FITTED, _MEASURED = 200, (240, 300)


def check_tester(
    tester: Tester | str,
    *,
    claims: tuple[Claim, ...] = _CLAIMS,
    measures: int = 150,
    seed: int = 0,
) -> None:
    """Nothing, if a tester keeps its level on equal distributions and finds a large leak.

    Parameters
    ----------
    tester : Tester or str
        Or the name of one.
    claims : tuple of Claim
        True where P = Q; those that the tester does not support are passed over.
    measures : int
        Simulated findings for each claim; a sound tester fails with probability 1e-6 per claim.
    seed : int

    Raises
    ------
    CheckFailure
        The first property that fails: it says which claims it supports, a fit gives a witness with
        a prediction and scores, findings are held-out and have the confidence that was asked for,
        equal distributions are refuted at most as often as stated, and a large leak is found.

    Examples
    --------
    >>> from workbench.testing import check_tester
    >>> check_tester("hockey-stick", measures=60)
    """
    judge = registered(tester)
    demand = Properties(f"the tester {getattr(judge, 'name', judge)!r}")
    demand.demand(isinstance(judge.name, str) and judge.name, "it has a name")
    example = np.linspace(-1, 1, 20)
    reasons = [judge.unsupported_reason(claim, example) for claim in claims]
    demand.demand(
        all(reason is None or (isinstance(reason, str) and reason) for reason in reasons),
        "unsupported_reason is text or None",
        f"got {reasons!r}",
    )
    supported = [claim for claim, reason in zip(claims, reasons, strict=True) if reason is None]
    demand.demand(supported, "it supports one of the claims", f"{reasons}")
    measures = _checks.count(measures, "measures", least=20)
    for claim in supported:
        rng = np.random.default_rng(seed)
        leaky = judge.fit(rng.normal(3, 1, 2000), rng.normal(0, 1, 2000), claim, rng)
        _check_witness(leaky, claim, demand, rng)
        _check_level(judge, claim, measures, demand, rng)
        detectable = judge.detectable(claim, *_MEASURED, _CONFIDENCE)
        own = claim.parameter or 0.0
        demand.demand(
            detectable is None or detectable >= own,
            "what it can detect is no less than what is claimed",
            f"{detectable!r} for {claim}",
        )


def _check_witness(
    witness: FittedWitness, claim: Claim, demand: Properties, rng: np.random.Generator
) -> None:
    demand.demand(isinstance(witness, FittedWitness), "fit gives a wb.FittedWitness")
    predicted = float(witness.predicted)
    demand.demand(not np.isnan(predicted), "the prediction is a number", f"got {predicted!r}")
    p, q = rng.normal(3, 1, 4000), rng.normal(0, 1, 4000)
    scores = np.asarray(witness.scores(p))
    demand.demand(scores.shape == (4000,), "each output has a score", f"shape {scores.shape}")
    for confidence in (0.8, 0.99):
        found = witness.measure(p, q, confidence)
        demand.demand(isinstance(found, Finding), "measure gives a wb.Finding", f"got {found!r}")
        demand.demand(
            found.bound.guarantee == "held-out" and found.bound.confidence == confidence,
            "the bound is held-out and has the confidence that was asked for",
            f"got {found.bound.guarantee} at {found.bound.confidence!r}, asked {confidence!r}",
        )
        demand.demand(found.claim == claim, "the finding is about the claim", f"got {found.claim}")
    demand.demand(
        found.violation, f"N(3, 1) against N(0, 1) refutes {claim}", f"the bound is {found.bound}"
    )


def _check_level(
    judge: Tester, claim: Claim, measures: int, demand: Properties, rng: np.random.Generator
) -> None:
    """Equal distributions; the witness is of other ones, so that it prefers something."""
    kinds = (_normal, _discrete)
    for draw in kinds:
        false = 0
        witness = judge.fit(draw(rng, _FITTED) + 0.5, draw(rng, _FITTED), claim, rng)
        for _ in range(measures):
            p, q = (draw(rng, n) for n in _MEASURED)
            false += witness.measure(p, q, _CONFIDENCE).violation
        chance = binom.sf(false - 1, measures, 1 - _CONFIDENCE)
        demand.demand(
            chance >= _SIGNIFICANCE,
            f"{claim}, which is true, is refuted with probability at most {1 - _CONFIDENCE:.3g}",
            f"{false} of {measures} findings on equal distributions refute it",
        )


def _normal(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    return rng.normal(size=n)


def _discrete(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    return rng.geometric(0.3, n).astype(float)
