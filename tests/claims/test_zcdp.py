"""zCDP as a claim: true ones are not refuted, false ones are, and it converts to the safe side."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta

import workbench as wb
from workbench.claims.parse import CLAIMS
from workbench.cli import main
from workbench.pages.mechanism.page import MechanismPage

RHOS = [0.0, 0.01, 0.5, 3.0]


def test_it_is_read_written_and_listed():
    claim = wb.parse_claim("zCDP( 0.125 )")
    assert claim == wb.ZCDP(0.125)
    assert str(claim) == "zcdp(0.125)"
    assert claim.parameters == {"rho": 0.125}
    assert claim.with_parameter(2).parameter == 2
    assert wb.ZCDP in CLAIMS
    for bad in (-1, math.nan, math.inf):
        with pytest.raises(ValueError, match="rho"):
            wb.ZCDP(bad)


@pytest.mark.parametrize("order", [1.001, 2.0, 37.5, 1e5])
@pytest.mark.parametrize("mu", [0.0, 0.1, 1.0, 5.0])
def test_the_gaussian_pair_meets_it_exactly(mu, order):
    pair, claim = wb.GaussianPair(mu), wb.ZCDP(mu**2 / 2)
    assert claim.max_renyi(order) == pytest.approx(pair.renyi_divergence(order), rel=1e-12)
    found = claim.parameter_refuted_by_renyi(pair.renyi_divergence(order), order)
    assert found == pytest.approx(claim.rho, rel=1e-12)


@pytest.mark.parametrize("rho", RHOS)
def test_delta_is_above_the_gaussian_pairs_and_within_its_closed_forms(rho):
    claim, pair = wb.ZCDP(rho), wb.GaussianPair(math.sqrt(2 * rho))
    deltas = np.array([0.3, 1e-2, 1e-5, 1e-9, 1e-12])
    found = claim.epsilon(deltas)
    assert (found >= pair.epsilon(deltas)).all()
    # Bun and Steinke 2016, Proposition 1.3.
    assert (found <= rho + 2 * np.sqrt(rho * np.log(1 / deltas)) + 1e-12).all()
    # Canonne, Kamath and Steinke 2020, Proposition 12, at the best of all orders.
    if rho:
        a = 1 + np.geomspace(1e-3, 1e6, 200_001)[:, None]
        best = rho * a + (np.log(1 / deltas) - np.log(a)) / (a - 1) + np.log1p(-1 / a)
        best = np.maximum(best.min(axis=0), 0)
        assert (found <= best * (1 + 2e-3) + 1e-12).all()
        assert (found[1:] >= best[1:] * (1 - 1e-12)).all()
        assert claim.delta(found) == pytest.approx(deltas, rel=1e-6) or rho < 1


@pytest.mark.parametrize("rho", RHOS[1:])
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 4.0])
def test_what_it_allows_is_attained_by_no_less_than_known_mechanisms(rho, epsilon):
    claim = wb.ZCDP(rho)
    gaussian, response = wb.GaussianPair(math.sqrt(2 * rho)), claim.easiest_to_refute(rho)
    limit = claim.max_delta(epsilon)
    assert max(gaussian.delta(epsilon), response.delta(epsilon)) <= limit * (1 + 1e-9)
    assert limit <= claim.delta(epsilon)
    if limit > 0:
        assert claim.parameter_refuted_by_delta(limit, epsilon) == pytest.approx(rho, rel=1e-6)
        assert claim.parameter_refuted_by_delta(1.01 * limit, epsilon) > rho


@pytest.mark.parametrize("rho", RHOS[1:])
def test_the_tradeoff_function_lies_below_those_of_mechanisms_that_meet_it(rho):
    claim, alpha = wb.ZCDP(rho), np.r_[0.0, np.geomspace(1e-12, 1, 4001)]
    gaussian, response = wb.GaussianPair(math.sqrt(2 * rho)), claim.easiest_to_refute(rho)
    f = claim.min_tradeoff(alpha)
    assert (f <= gaussian.tradeoff(alpha)).all()
    assert (f <= response.tradeoff(alpha) + 1e-12).all()
    assert (f >= claim.tradeoff(alpha)).all()
    # An event on it refutes nothing, one clearly below it refutes the claim.
    inner = slice(500, 3500, 100)
    on = claim.parameter_refuted_by_rates(gaussian.tradeoff(alpha[inner]), alpha[inner])
    assert (on <= rho * (1 + 1e-9)).all()
    below = claim.parameter_refuted_by_rates(alpha[inner], np.maximum(f[inner] - 0.01, 0))
    assert (below > rho).all()


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 2.0, 9.0])
def test_randomized_response_of_its_parameter_meets_it(epsilon):
    rho = epsilon * math.tanh(epsilon / 2)
    pair = wb.ZCDP(1.0).easiest_to_refute(rho)
    assert pair.epsilon_0 == pytest.approx(epsilon, rel=1e-6)
    orders = 1 + np.geomspace(1e-4, 1e4, 200)
    ratios = [pair.renyi_divergence(a) / a for a in orders]
    assert rho * (1 - 1e-3) <= max(ratios) <= rho * (1 + 1e-6)


def test_judge_refutes_what_is_false_and_nothing_else():
    scores = wb.GaussianPair(1.0).sample(20_000, seed=3)
    assert wb.judge(scores, wb.ZCDP(0.5)).verdict == "not refuted"
    assert wb.judge(scores, "zcdp(0.2)").verdict == "refuted"
    few = wb.judge(wb.GaussianPair(0.1).sample(50, seed=0), "zcdp(0.005)")
    assert few.verdict == "too few samples"
    assert few.power[0].symbol == "ρ"


@pytest.mark.parametrize("tester", ["hockey-stick", "renyi", "mmd", "histogram"])
def test_every_tester_tests_it(tester):
    rng = np.random.default_rng(5)
    p, q = rng.normal(1, 1, 20_000), rng.normal(0, 1, 20_000)
    false = wb.find_violation(p, q, "zcdp(0.1)", tester)
    assert false.violation
    assert 0.1 < false.parameter < 0.5
    assert not wb.find_violation(p, q, "zcdp(0.5)", tester).violation


def test_true_claims_are_refuted_no_more_often_than_stated():
    """The leakiest event of randomized response, which meets ρ and no less."""
    claim, n, runs = wb.ZCDP(0.5), 400, 2000
    rate = claim.easiest_to_refute(0.5).bit_error
    rng = np.random.default_rng(0)
    fp, fn = rng.binomial(n, rate, runs), rng.binomial(n, rate, runs)
    upper = [beta.ppf(0.975, k + 1, n - k) for k in (fp, fn)]  # Clopper and Pearson
    refuted = claim.parameter_refuted_by_rates(*upper) > claim.rho
    assert 0 < np.mean(refuted) <= 0.05


def noisy_mean(dataset, size, rng):
    """The sum of a dataset with Gaussian noise of 1, exactly 0.5-zCDP for records in [0, 1]."""
    return np.sum(dataset) + rng.normal(size=size)


def test_audit_mechanism_takes_it():
    pair = np.array([0.2, 0.7, 1.0]), np.array([0.2, 0.7])
    setting = {"datasets": pair, "testers": ("hockey-stick", "renyi"), "trials": 1}
    true = wb.audit_mechanism(noisy_mean, "zcdp(0.5)", samples=10_000, seed=0, **setting)
    assert not true.violation
    false = wb.audit_mechanism(noisy_mean, wb.ZCDP(0.1), samples=10_000, seed=0, **setting)
    assert false.violation
    assert "ρ ≥" in false.in_words()


def test_the_command_line_takes_it(tmp_path, capsys):
    scores = wb.GaussianPair(1.0).sample(2000, seed=1)
    np.savez(tmp_path / "scores.npz", p=scores.p, q=scores.q)
    code = main(["audit", str(tmp_path / "scores.npz"), "--claim", "zcdp(0.05)"])
    said = capsys.readouterr().out
    assert "zcdp(0.05)" in said
    assert "refuted" in said
    assert code == 1


def test_the_page_offers_it():
    page = MechanismPage(claim="zcdp(0.3)")
    assert page.choice.claim() == wb.ZCDP(0.3)
    assert "zcdp" in page.param.claim_kind.objects
    offered = {c.name for s in page.controls for c in s.controls if c.offered(page)}
    assert "rho" in offered
    assert not {"epsilon", "order", "mu"} & offered
