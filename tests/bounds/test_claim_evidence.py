"""Evidence at every look against a claim of any kind: its level, its power, and what it equals."""

import numpy as np
import pytest

import workbench as wb
from workbench.claims.pair import PairClaim
from workbench.following.evidence import ClaimLines, evidence_by_lines

#: Pairs as claims, each of a different shape.
CLAIMS = [
    wb.GaussianPair(1),
    wb.LaplacePair(0.5),
    wb.DPSGDPair(1.0, 0.2, 10),
    wb.RandomizedResponsePair(1.0, 0.0),
]


@pytest.mark.statistical
@pytest.mark.parametrize("pair", CLAIMS, ids=lambda pair: pair.name)
def test_a_true_claim_is_refuted_at_any_look_in_at_most_the_nominal_share(pair):
    """Of 100 audits at 90%, more than 19 refute a true claim with a probability below 0.2%."""
    claim, refuted = PairClaim(pair), 0
    lines = ClaimLines.of(claim)
    for seed in range(100):
        scores = pair.sample(150, seed=seed)
        refuted += evidence_by_lines(scores, claim, lines).refuted_at(0.9, 150) is not None
    assert refuted <= 19


@pytest.mark.parametrize(
    ("claim", "truth"),
    [
        (wb.GaussianPair(1), wb.GaussianPair(2.5)),
        (wb.DPSGDPair(1.0, 0.2, 10), wb.DPSGDPair(0.4, 0.2, 10)),
        ("approx(0.5, 1e-5)", wb.GaussianPair(2)),
        ("gdp(1)", wb.GaussianPair(2.5)),
    ],
    ids=str,
)
def test_a_false_claim_is_refuted(claim, truth):
    found = wb.claim_evidence(truth.sample(800, seed=1), claim)
    assert found.refuted_at(0.99, 800) is not None


def test_evidence_against_epsilon_and_delta_is_the_e_value():
    scores = wb.GaussianPair(1).sample(300, seed=4)
    found = wb.claim_evidence(scores, "approx(0.5, 0.001)")
    expected = wb.betting_counts(scores).evidence(0.5, 0.001)
    np.testing.assert_array_equal(found.n, expected.n)
    np.testing.assert_allclose(found.log, expected.log, atol=1e-6)


def test_the_evidence_of_a_prefix_is_a_prefix_of_the_evidence():
    scores = wb.GaussianPair(2).sample(400, seed=2)
    first = wb.Scores(scores.p[:200], scores.q[:200], sampling="independent runs")
    whole, part = (wb.claim_evidence(one, wb.GaussianPair(1)) for one in (scores, first))
    looks = part.n.size
    np.testing.assert_allclose(whole.log[: looks - 1], part.log[: looks - 1])


def test_too_few_rows_are_no_evidence():
    found = wb.claim_evidence(wb.Scores([1.0, 2.0], [0.0, 1.0]), wb.GaussianPair(1))
    assert found.log_at(2) == 0.0
    assert found.refuted_at(0.95, 2) is None


def test_text_that_is_no_claim_is_refused():
    with pytest.raises(ValueError, match="claim"):
        wb.claim_evidence(wb.GaussianPair(1).sample(50, seed=0), "secret")
