"""Cases of coverage that need more than numerics: live audits, and series of audits."""

from __future__ import annotations

import numpy as np

import workbench as wb
from workbench.audits.series.spending import confidence_at
from workbench.coverage_lab.cases.case import SimulatedCase

#: Runs of each kind that a live audit is fed.
RUNS = 100

#: Audits of a series, and scores of each on a side.
AUDITS, SCORES = 8, 100

_DELTA = 1e-5


def live(rng: np.random.Generator) -> tuple[bool, ...]:
    """Whether true claims are refuted by audits that are fed run by run."""
    found = []
    for pair, claim, delta in (
        (wb.RandomizedResponsePair(1.0, 0.0), "pure(1)", 0.0),
        (wb.RandomizedResponsePair(1.0, 0.05), "approx(1, 0.05)", 0.05),
        (wb.GaussianPair(1.0), "gdp(1)", _DELTA),
    ):
        scores = pair.sample(RUNS, seed=rng)
        audit = wb.live.Audit(delta=delta, larger_is_member=True, claim=claim)
        for p, q in zip(*scores.samples.in_order(), strict=True):
            audit.add(p, True)
            audit.add(q, False)
        truth = float(pair.epsilon(delta))
        found.append(audit.refuted or audit.bound.value > truth + 1e-9)
        audit.close()
    return tuple(found)


def series(rng: np.random.Generator) -> tuple[bool, ...]:
    """Whether any audit of a series is false, each at the confidence of its place."""
    truth = float(wb.GaussianPair(1.0).epsilon(_DELTA)) + 1e-9
    band = question = False
    for place in range(1, AUDITS + 1):
        scores, confidence = wb.GaussianPair(1.0).sample(SCORES, seed=rng), confidence_at(place)
        band |= wb.tradeoff_band(scores, confidence).mu().value > 1 + 1e-9
        bound = wb.epsilon_lower_bound(scores, _DELTA, confidence, "one question")
        question |= bound.value > truth
    return band, question


PROGRAMS = {
    case.name: case
    for case in (
        SimulatedCase(
            "live audit",
            f"{RUNS} + {RUNS} runs at the claim: randomized response with δ = 0 and δ = 0.05, and "
            "a Gaussian pair.",
            ("pure(1)", "approx(1, 0.05)", "gdp(1)"),
            live,
        ),
        SimulatedCase(
            "series",
            f"{AUDITS} audits of a Gaussian pair, μ = 1; {SCORES} + {SCORES} scores each.",
            ("band, μ", "one question, ε"),
            series,
        ),
    )
}
