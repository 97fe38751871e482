"""Verdicts on claims from guesses: p-values against their proofs, and power."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

import workbench as wb
from workbench.onerun.judged import claim_p_value
from workbench.onerun.steinke import sharp_p_value

GUESSES = wb.Guesses(1000, 100, 95)


def test_pure_claims_are_judged_by_a_binomial_tail():
    """The level is that of the exact test: it fails if it is halved or doubled."""
    for epsilon in (0.5, 1.0, 2.0):
        claim, right = wb.PureDP(epsilon), float(expit(epsilon))
        for correct in (60, 80, 95):
            p = claim_p_value(claim, wb.Guesses(400, 100, correct))
            assert p == pytest.approx(binom.sf(correct - 1, 100, right), rel=1e-9)
        refuted = [c for c in range(101) if claim_p_value(claim, wb.Guesses(400, 100, c)) <= 0.05]
        for c in (min(refuted) - 1, min(refuted)):
            assert wb.judge_guesses(wb.Guesses(400, 100, c), claim).refuted == (c in refuted)
        error = binom.pmf(refuted, 100, right).sum()
        assert 0.025 < error <= 0.05


def test_approximate_claims_are_judged_at_their_own_point():
    p = claim_p_value(wb.ApproxDP(1.0, 1e-5), GUESSES)
    assert p <= sharp_p_value(1000, 100, 95, 1.0, 1e-5)
    bound = wb.one_run_bound(GUESSES, delta=1e-5, method="sharp").value
    for epsilon in (bound - 0.01, bound + 0.01):
        verdict = wb.judge_guesses(GUESSES, wb.ApproxDP(epsilon, 1e-5))
        assert verdict.refuted == (epsilon < bound)
        assert verdict.bound.value == bound


def test_gaussian_claims_agree_with_the_bound_on_mu():
    bound = wb.one_run_mu_bound(GUESSES).value
    assert wb.judge_guesses(GUESSES, wb.GDP(0.99 * bound)).refuted
    assert claim_p_value(wb.GDP(0.99 * bound), GUESSES) == pytest.approx(0.05, rel=0.25)
    weak = wb.judge_guesses(GUESSES, wb.GDP(3 * bound))
    assert weak.verdict != "refuted"
    assert weak.bound.quantity == "mu"


@pytest.mark.parametrize("pair", [wb.GaussianPair(0.5), wb.LaplacePair(0.5), "zcdp(0.1)"])
def test_a_p_value_is_at_least_the_tail_of_mechanisms_that_keep_the_claim(pair):
    """Canaries that are independent, each through the pair itself, guessed where it is surest."""
    claim = wb.PairClaim(pair) if not isinstance(pair, str) else wb.parse_claim(pair)
    alpha = np.linspace(1e-6, 0.5, 2000)
    hit = 1 - claim.min_tradeoff(alpha)
    for share in (0.02, 0.1, 1.0):
        at = int(np.argmin(np.abs(alpha + hit - share)))
        right = hit[at] / (hit[at] + alpha[at])
        guesses = max(round(400 * share), 1)
        for correct in range(0, guesses + 1, max(guesses // 8, 1)):
            p = claim_p_value(claim, wb.Guesses(400, guesses, correct))
            assert p >= binom.sf(correct - 1, guesses, right) - 1e-6


def test_p_values_fall_with_right_guesses():
    for claim in ("pure(1)", "approx(1, 1e-3)", "gdp(1)", "zcdp(0.5)"):
        known = wb.parse_claim(claim)
        p = [claim_p_value(known, wb.Guesses(200, 40, c)) for c in range(41)]
        assert (np.diff(p) <= 1e-12).all()
        assert p[0] == 1


def test_too_few_guesses_are_named_and_what_would_be_caught():
    few = wb.judge_guesses(wb.Guesses(1000, 6, 5), "approx(2, 1e-5)")
    assert few.verdict == "too few samples"
    assert "Too few samples to tell" in few.explain()
    many = wb.judge_guesses(wb.Guesses(1000, 400, 210), "pure(1)")
    assert many.verdict == "not refuted"
    caught = many.power.caught
    assert 1 < caught < 2
    claim = wb.PureDP(1)
    critical = min(c for c in range(401) if claim_p_value(claim, wb.Guesses(1000, 400, c)) <= 0.05)
    assert binom.sf(critical - 1, 400, expit(caught)) == pytest.approx(0.8, abs=1e-3)
    assert "That does not show that it is true" in many.explain()
    assert wb.judge_guesses(wb.Guesses(100, 0, 0), "pure(1)").verdict == "too few samples"
    assert wb.judge_guesses(wb.Guesses(1000, 400, 210), "pure(0)").power.twice == 0


def test_verdicts_read_well_and_are_no_truth_values():
    verdict = wb.judge_guesses(GUESSES, "approx(1, 1e-5)")
    assert str(verdict).startswith("approx(1, 1e-5): refuted, ε at δ = 1e-5 ≥ 2.")
    assert "95 of 100 guesses on 1,000 are right" in verdict.explain()
    assert "approx(1, 1e-5): refuted" in verdict._repr_html_()
    assert verdict.to_frame()["verdict"].tolist() == ["refuted"]
    with pytest.raises(TypeError, match=r"ask for verdict\.refuted"):
        bool(verdict)


def test_designs_without_coins_are_refused():
    with pytest.raises(ValueError, match="a verdict needs a fair coin for each canary"):
        wb.judge_guesses(wb.Guesses(100, 10, 9, design="fixed-size"), "pure(1)")
    assert wb.judge_guesses(wb.Guesses(100, 10, 9, values=10), "pure(1)").relation == "substitution"
    pairs = wb.judge_guesses(wb.Guesses(100, 50, 50, design="matched-pairs"), "pure(1)")
    assert pairs.relation == "substitution"
    assert wb.judge_guesses(wb.Guesses(100, 50, 50, void="tried twice"), "pure(1)").void


@pytest.mark.parametrize("claim", ["approx(1, 1e-5)", "pure(1)", "gdp(0.2)"])
def test_a_chosen_number_of_guesses_costs_something(claim):
    """A share of the error is kept for δ, at one ε: the p-value is larger, and not by much."""
    fixed = wb.judge_guesses(GUESSES, claim)
    chosen = wb.judge_guesses(GUESSES, claim, chosen_number=True)
    assert chosen.p_value >= fixed.p_value
    assert fixed.refuted
    assert chosen.refuted


def test_the_p_value_of_a_chosen_number_is_that_of_one_epsilon():
    """(ε, δ) names it: the binomial tail over 0.95, and the part of δ over 0.05."""
    m, r, c = GUESSES.canaries, GUESSES.guesses, GUESSES.correct
    binomial = sharp_p_value(m, r, c, 1.0, 0.0)
    of_delta = sharp_p_value(m, r, c, 1.0, 1e-5) - binomial
    found = wb.judge_guesses(GUESSES, "approx(1, 1e-5)", chosen_number=True).p_value
    assert found == pytest.approx(max(binomial / 0.95, of_delta / 0.05), rel=1e-12)
    # μ-GDP: at the first ε with mδ(ε) ≤ 1e-3, whatever the guesses are
    claim = wb.GDP(0.2)
    epsilon = next(e for e in np.linspace(0, 4, 33) if m * float(claim.delta(e)) <= 1e-3)
    delta = float(claim.delta(epsilon))
    binomial = sharp_p_value(m, r, c, epsilon, 0.0)
    of_delta = sharp_p_value(m, r, c, epsilon, delta) - binomial
    found = wb.judge_guesses(GUESSES, claim, chosen_number=True).p_value
    assert found == pytest.approx(max(binomial / 0.95, of_delta / 0.05), rel=1e-12)
