"""Families by their total variation: closed forms, HIST's example, and the bound."""

import math

import pytest

import workbench as wb
from workbench.pairs.families.registry import FAMILIES, family_named


def test_hist_section_7():
    pair = wb.pair_from_total_variation(0.2256, "subsampled-gaussian", q=0.25)
    assert pair.sigma == pytest.approx(0.301823, abs=1e-6)
    assert pair.total_variation == pytest.approx(0.2256, abs=1e-12)
    assert pair.epsilon(1e-5) == pytest.approx(16.5156, abs=1e-4)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("tv", [1e-12, 1e-3, 0.2])
def test_the_member_has_the_total_variation(name, tv):
    known = {"q": 0.25} if name == "subsampled-gaussian" else {}
    known |= {"delta": 0.0} if name == "randomized-response" else {}
    pair = wb.pair_from_total_variation(tv, name, **known)
    # Roots are found to an absolute accuracy where there is no closed form.
    assert pair.total_variation == pytest.approx(tv, rel=1e-9, abs=2e-12)
    assert wb.pair_from_total_variation(0, name, **known).total_variation == 0


def test_what_no_member_has_is_refused():
    with pytest.raises(ValueError, match="more than any pair has"):
        wb.pair_from_total_variation(0.25, "subsampled-gaussian", q=0.25)
    for wrong in (-0.1, 1, math.nan):
        with pytest.raises(ValueError, match="total_variation"):
            wb.pair_from_total_variation(wrong)
    family = family_named("subsampled-gaussian", q=0.5)
    assert family.parameter_of_total_variation(0.5) == math.inf


def test_the_bound_is_that_of_the_band():
    scores = wb.SubsampledGaussianPair(0.25, 0.3).sample(20_000, seed=0)
    asked = {"delta": 1e-5, "confidence": 0.9, "q": 0.25}
    bound = wb.epsilon_from_total_variation(scores, "subsampled-gaussian", **asked)
    tv = wb.tradeoff_band(scores, 0.9).total_variation().value
    member = wb.pair_from_total_variation(tv, "subsampled-gaussian", q=0.25)
    assert bound.value == member.epsilon(1e-5)
    assert bound.value < wb.SubsampledGaussianPair(0.25, 0.3).epsilon(1e-5)
    assert (bound.guarantee, bound.checked, bound.void) == ("simultaneous", "not refuted", None)
    assert bound.at_confidence(0.99).value < bound.value
    assert "koskela" in bound.cite().lower()


def test_a_refuted_family_voids_it():
    scores = wb.GaussianPair(1).sample(5000, seed=0)
    assert wb.epsilon_from_total_variation(scores, "laplace", delta=1e-5).checked == "refuted"
    beyond = wb.epsilon_from_total_variation(scores, "subsampled-gaussian", delta=1e-5, q=0.2)
    assert (beyond.value, beyond.checked) == (math.inf, "refuted")
    assert beyond.void


@pytest.mark.statistical
def test_the_bound_keeps_its_level():
    pair, false = wb.GaussianPair(1), 0
    for seed in range(200):
        bound = wb.epsilon_from_total_variation(
            pair.sample(200, seed=seed), delta=1e-5, confidence=0.9
        )
        false += bound.value > pair.epsilon(1e-5)
    assert false <= 32  # more has probability below 0.5% at 10%
