"""Verdicts: true claims stand, what would have been caught is caught, and n that would do does."""

import functools
import json
import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binomtest

import workbench as wb
from workbench.bounds.power.power import critical_counts
from workbench.claims.parse import as_claim
from workbench.curves.renyi import renyi_tradeoff

DELTA = 1e-5

#: A pair that is the truth, and claims that are true of it, most of them with nothing to spare.
TRUE = {
    "gaussian": (
        wb.GaussianPair(1.0),
        [
            wb.GDP(1.0),
            wb.ApproxDP(wb.GaussianPair(1.0).epsilon(0.1), 0.1),
            wb.ApproxDP(wb.GaussianPair(1.0).epsilon(DELTA), DELTA),
            wb.RenyiDP(2, 1.0),
            wb.GaussianPair(1.0),
        ],
    ),
    "randomized response": (
        wb.RandomizedResponsePair(1.0, 0.05),
        [wb.ApproxDP(1.0, 0.05), wb.RandomizedResponsePair(1.0, 0.05)],
    ),
    "laplace": (wb.LaplacePair(1.0), [wb.PureDP(1.0), wb.LaplacePair(1.0)]),
    "subsampled": (
        wb.SubsampledGaussianPair(0.25, 0.3),
        [wb.SubsampledGaussianPair(0.25, 0.3)],
    ),
    "equal": (
        wb.GaussianPair(0.0),
        [wb.GDP(0), wb.PureDP(0), wb.RenyiDP(2, 0), wb.ApproxDP(0, 0.01), wb.GaussianPair(0)],
    ),
}


def untied(pair, n, seed):
    """Scores whose ties are broken at random, by noise that keeps the order of the others."""
    s = pair.sample(n, seed=seed)
    if not isinstance(pair, wb.RandomizedResponsePair):
        return s
    rng = np.random.default_rng([seed, 1])
    return wb.Scores(s.p + 0.5 * rng.random(s.n_p), s.q + 0.5 * rng.random(s.n_q))


def p_values(scores, claims):
    """The claims' p-values at each rank, without the power that `judge` adds."""
    tests = wb.tradeoff_band(scores).tests
    return [tests.p_values(at_cells(claim, scores.n_q)) for claim in claims]


@functools.cache
def at_cells(claim, n_q):
    """The claim's f where tests ask for it, which depends on nothing but n_q."""
    scores = wb.GaussianPair(1).sample((2, n_q), seed=0)
    return as_claim(claim).min_tradeoff(wb.tradeoff_band(scores).tests.alpha)


@pytest.mark.parametrize("name", TRUE)
@pytest.mark.statistical
def test_true_claims_are_refuted_at_most_as_often_as_stated_all_together(name):
    """500 replicates; any of the claims counts. One fails when 5% is refuted at 1% significance.

    The smallest p-value, had it not paid for its choice, fails the same test on P = Q.
    """
    pair, claims = TRUE[name]
    replicates, level = 500, wb.tradeoff_band(pair.sample(1000, seed=0)).level
    false = unpaid = 0
    for seed in range(replicates):
        smallest = min(p.min() for p in p_values(untied(pair, 1000, seed), claims))
        false += smallest <= level
        unpaid += smallest <= 0.05
    assert binomtest(false, replicates, 0.05, alternative="greater").pvalue > 0.01
    if name == "equal":
        assert binomtest(unpaid, replicates, 0.05, alternative="greater").pvalue < 0.01


def test_the_p_value_is_one_at_which_the_verdict_turns():
    s = wb.GaussianPair(1.0).sample(1000, seed=3)
    for claim in ("gdp(0.8)", "approx(1, 1e-5)", "renyi(2, 0.4)", wb.GaussianPair(0.8)):
        p = wb.judge(s, claim).p_value
        assert 1e-9 < p < 0.5
        assert wb.judge(s, claim, confidence=1 - p * 1.01).verdict == "refuted"
        assert wb.judge(s, claim, confidence=1 - p * 0.99).verdict != "refuted"


@pytest.mark.parametrize("seed", range(3))
def test_a_claim_is_refuted_up_to_the_bound_and_not_beyond(seed):
    s = wb.GaussianPair(1.5).sample((3000, 2000), seed=seed)
    band = wb.tradeoff_band(s)
    for delta in (0.0, DELTA, 0.05):
        epsilon = band.epsilon(delta).value
        assert wb.judge(s, wb.ApproxDP(epsilon * 0.9999, delta)).verdict == "refuted"
        assert wb.judge(s, wb.ApproxDP(epsilon * 1.01, delta)).verdict != "refuted"
    mu = band.mu().value
    below = wb.judge(s, wb.GDP(mu * 0.9999))
    assert below.verdict == "refuted"
    assert below.bounds[0].value >= mu * 0.9999
    assert wb.judge(s, wb.GDP(mu * 1.01)).verdict != "refuted"


def test_the_witness_is_a_threshold_that_contradicts_the_claim():
    s = wb.GaussianPair(1.0).sample(5000, seed=1)
    for claim in (wb.GDP(0.7), wb.PureDP(1.0), wb.RenyiDP(2, 0.3), wb.LaplacePair(0.5)):
        v = wb.judge(s, claim)
        w = v.witness
        assert v.verdict == "refuted"
        assert w.fnr_upper < w.claimed_fnr
        assert w.claimed_fnr == pytest.approx(
            float(as_claim(claim).min_tradeoff(np.array(w.fpr_upper))), rel=1e-9
        )
        assert w.true_positives == np.sum(s.p > w.threshold)
        assert w.false_positives == np.sum(s.q > w.threshold)
        # The two limits are the band's own.
        assert v.bounds[-1].fpr == w.fpr_upper
        assert v.bounds[-1].value >= 1 - w.fnr_upper - 1e-12


def test_losses_have_the_same_verdict_as_their_negatives():
    s = wb.GaussianPair(1.0).sample(2000, seed=5)
    mirrored = wb.Scores(-s.p, -s.q, larger_is_member=False)
    a, b = wb.judge(s, "gdp(0.7)"), wb.judge(mirrored, "gdp(0.7)")
    assert a.p_value == b.p_value
    assert b.witness.threshold == -a.witness.threshold
    assert "Below the threshold" in b.explain()


# -- power ----------------------------------------------------------------------------------------

POWER = {
    "randomized response of (ε, δ)": (
        wb.ApproxDP(1, DELTA),
        0,
        lambda x: wb.RandomizedResponsePair(x, DELTA),
    ),
    "Gaussian of (ε, δ)": (
        wb.ApproxDP(1, DELTA),
        1,
        lambda x: wb.GaussianPair(wb.gaussian_mu_for(x, DELTA)),
    ),
    "Laplace of pure ε": (wb.PureDP(1), 1, wb.LaplacePair),
    "Gaussian of μ": (wb.GDP(0.5), 0, wb.GaussianPair),
    "randomized response of Rényi": (
        wb.RenyiDP(2, 0.3),
        0,
        lambda x: wb.RandomizedResponsePair.of_renyi_divergence(x, 2),
    ),
    "Gaussian of Rényi": (
        wb.RenyiDP(2, 0.3),
        1,
        lambda x: wb.GaussianPair(math.sqrt(x)),
    ),
    "multiples of randomized response": (
        wb.RandomizedResponsePair(0.8, 0.01),
        0,
        lambda x: wb.RandomizedResponsePair(0.8 * x, 0.01),
    ),
    "multiples of a Gaussian pair": (wb.GaussianPair(0.5), 0, lambda x: wb.GaussianPair(0.5 * x)),
}


def refuted_share(claim, mechanism, n, replicates):
    level = wb.tradeoff_band(untied(mechanism, n, 0)).level
    audits = (untied(mechanism, n, seed) for seed in range(replicates))
    return sum(bool(p_values(s, [claim])[0].min() <= level) for s in audits)


@pytest.mark.parametrize("name", POWER)
@pytest.mark.statistical
def test_what_would_have_been_caught_is_caught_in_four_of_five_audits(name):
    """400 whole audits a family; half as many catch that a mechanism 20% farther from the claim is
    caught more often."""
    claim, which, mechanism = POWER[name]
    n, replicates = (1000, 800), 400
    verdict = wb.judge(wb.GaussianPair(0.1).sample(n, seed=0), claim)
    family = verdict.power[which]
    claimed = family.twice / 2
    assert claimed < family.caught < math.inf
    count = refuted_share(claim, mechanism(family.caught), n, replicates)
    assert binomtest(count, replicates, 0.8).pvalue > 0.01
    farther = claimed + 1.2 * (family.caught - claimed)
    count = refuted_share(claim, mechanism(farther), n, replicates // 2)
    assert binomtest(count, replicates // 2, 0.8, alternative="greater").pvalue < 0.01


@pytest.mark.statistical
def test_the_number_of_scores_that_would_do_does():
    """Twice the claim is refuted in half of 400 audits of that size, in few of the given one."""
    given, replicates = (100, 200), 400
    v = wb.judge(wb.GaussianPair(0.2).sample(given, seed=0), wb.GDP(0.2))
    assert v.verdict == "too few samples"
    assert v.sample_sizes[1] == pytest.approx(2 * v.sample_sizes[0], abs=2)
    twice = wb.GaussianPair(0.4)
    few = refuted_share(v.claim, twice, given, replicates)
    assert binomtest(few, replicates, v.power[0].power_at_twice).pvalue > 0.01
    count = refuted_share(v.claim, twice, v.sample_sizes, replicates)
    assert binomtest(count, replicates, 0.5, alternative="less").pvalue > 0.01
    assert binomtest(count, replicates, 0.6, alternative="greater").pvalue > 0.01
    assert (
        wb.judge(wb.GaussianPair(0.2).sample(v.sample_sizes, seed=1), wb.GDP(0.2)).verdict
        != v.verdict
    )


@pytest.mark.parametrize("claim", [wb.GDP(0.8), wb.ApproxDP(1.5, DELTA), wb.RenyiDP(2, 0.6)])
def test_critical_counts_say_what_the_band_says(claim):
    n_p, n_q = 700, 900
    critical = critical_counts(as_claim(claim).min_tradeoff, n_p, n_q, 0.95)
    for seed in range(40):
        s = wb.GaussianPair(1.0).sample((n_p, n_q), seed=seed)
        band = wb.tradeoff_band(s)
        by_counts = bool(np.any(band.tests.counts >= critical))
        assert by_counts == (p_values(s, [claim])[0].min() <= band.level)


# -- the three words ------------------------------------------------------------------------------


def test_each_verdict_explains_itself():
    s = wb.GaussianPair(1.0).sample(2000, seed=0)
    refuted, stands = wb.judge(s, "gdp(0.5)"), wb.judge(s, "approx(4.4, 1e-5)")
    few = wb.judge(wb.GaussianPair(0.1).sample(50, seed=0), "approx(0.1, 1e-5)")
    assert [v.verdict for v in (refuted, stands, few)] == [
        "refuted",
        "not refuted",
        "too few samples",
    ]
    assert "is refuted with 95% confidence (independent runs): μ ≥ 0." in refuted.explain()
    assert "Above the threshold" in refuted.explain()
    assert "probability of less than 1e-12" in refuted.explain()
    assert "does not show that it is true" in stands.explain()
    assert "a mechanism with ε ≥ " in stands.explain()
    assert (
        "with probability 80% (randomized response without ties, the easiest to detect)"
        in stands.explain()
    )
    assert "a Gaussian mechanism, from" in stands.explain()
    assert "scores per group would suffice" in few.explain()
    assert "less than one half" in few.explain()
    for v in (refuted, stands, few):
        assert "consistent" not in v.explain() + repr(v) + v._repr_html_()
        assert v.claimed in str(v)
        assert v.verdict in v._repr_html_()
        assert "simultaneous" in v.terms
        row = v.to_frame()
        assert len(row) == 1
        assert row.verdict[0] == v.verdict
        assert json.loads(json.dumps(v.to_dict()))["claim"] == v.claimed


def test_a_claim_of_perfect_privacy_has_no_double():
    v = wb.judge(wb.GaussianPair(0).sample(1000, seed=0), wb.GDP(0))
    assert v.verdict == "not refuted"
    assert "a mechanism with μ ≥ 0.1" in v.explain()
    same = wb.judge(wb.GaussianPair(0).sample(1000, seed=0), wb.GaussianPair(0))
    assert same.power == v.power  # not how often privacy losses of 0 are multiplied
    few = wb.judge(wb.Scores([1.0, 2.0], [0.0, 1.0]), wb.GDP(0))
    assert (few.verdict, few.sample_sizes) == ("too few samples", None)
    assert "no mechanism would be refuted with probability 80%, however" in few.explain()
    assert few.summary == "no mechanism, however much it leaks, would be detected"
    assert wb.judge(wb.GaussianPair(1).sample(1000, seed=0), wb.PureDP(0)).verdict == "refuted"


def test_samples_that_could_refute_nothing_say_so():
    v = wb.judge(wb.Scores([1.0, 2.0, 3.0], [0.0, 1.0, 1.5]), wb.PureDP(3))
    assert v.verdict == "too few samples"
    assert "no mechanism would be refuted with probability 80%" in v.explain()
    assert v.sample_sizes[0] > 3


def test_ties_that_catch_less_are_told():
    s = wb.RandomizedResponsePair(1.0, 0.0).sample(2000, seed=0)
    assert "break them at random" in wb.judge(s, "pure(1)").explain()
    assert (
        "break them at random"
        not in wb.judge(untied(wb.RandomizedResponsePair(1.0, 0.0), 2000, 0), "pure(1)").explain()
    )


def test_reversed_scores_prove_nothing_and_break_nothing():
    v = wb.judge(wb.Scores(np.arange(10.0), np.arange(10.0) + 100, True), wb.GDP(1))
    assert v.verdict != "refuted"
    assert v.witness is None
    assert v.p_value == 1
    assert v.bounds[0].value == 0


def test_a_pair_is_a_claim_and_doubles_its_losses():
    s = wb.GaussianPair(0.5).sample(3000, seed=2)
    pair = wb.DPSGDPair(1.0, 0.01, 1000)
    v = wb.judge(s, pair)
    assert v.claimed == "no leakier than DP-SGD, σ = 1, q = 0.01, 1000 steps"
    assert v.verdict == "not refuted"
    assert "times the claimed privacy loss would be refuted with probability 80%" in v.explain()
    # μ of a Gaussian pair doubles with its losses.
    by_pair, by_mu = wb.judge(s, wb.GaussianPair(0.5)).power[0], wb.judge(s, wb.GDP(0.5)).power[0]
    assert by_pair.power_at_twice == pytest.approx(by_mu.power_at_twice, abs=0.002)
    assert 0.5 * by_pair.caught == pytest.approx(by_mu.caught, rel=0.002)


def test_verdicts_are_the_same_again():
    s = wb.GaussianPair(0.5).sample(500, seed=2)
    first = wb.judge(s, "approx(0.4, 1e-5)").to_dict()
    assert (
        wb.judge(wb.Scores(s.p, s.q, sampling=s.sampling), "approx(0.4, 1e-5)").to_dict() == first
    )


@pytest.mark.parametrize(
    ("claim", "confidence", "says"),
    [
        ("private(1)", 0.95, "cannot read the claim"),
        ("approx(2)", 0.95, r"approx takes \(epsilon, delta\)"),
        ("approx(2, 1)", 0.95, r"delta must lie in \[0, 1\)"),
        ("renyi(1, 2)", 0.95, "order must be above 1"),
        (2.0, 0.95, "claim must be a claim or a pair, got 2.0"),
        ("gdp(1)", 0.05, "did you mean 0.95"),
    ],
)
def test_bad_input_says_what_to_do(claim, confidence, says):
    with pytest.raises(ValueError, match=says):
        wb.judge(wb.Scores([1, 2, 3], [0, 1, 2]), claim, confidence)


# -- the exact Rényi region -----------------------------------------------------------------------


def exact(order, epsilon, alpha):
    """One rate at a time, by a root finder."""

    def excess(beta):
        def d(x, y):
            return x**order * y ** (1 - order) + (1 - x) ** order * (1 - y) ** (1 - order)

        return math.log(max(d(1 - beta, alpha), d(alpha, 1 - beta))) / (order - 1) - epsilon

    return brentq(excess, 1e-6, 1 - alpha, xtol=1e-14)


@pytest.mark.parametrize(("order", "epsilon"), [(2, 0.5), (8, 0.5), (1.5, 1), (32, 1)])
def test_the_renyi_region_is_exact(order, epsilon):
    alpha = np.array([0.001, 0.05, 0.3, 0.6])
    f = renyi_tradeoff(order, epsilon, alpha)
    assert f == pytest.approx([exact(order, epsilon, a) for a in alpha], rel=1e-9)
    # Its own inverse, above what the (ε, δ) that it implies leave room for, below the Gaussian.
    assert renyi_tradeoff(order, epsilon, f) == pytest.approx(alpha, rel=1e-9)
    assert np.all(f >= wb.RenyiDP(order, epsilon).tradeoff(alpha) - 1e-9)
    assert np.all(f <= wb.GaussianPair(math.sqrt(2 * epsilon / order)).tradeoff(alpha))
    # Randomized response of that divergence touches it.
    lie = wb.RandomizedResponsePair.of_renyi_divergence(epsilon, order).bit_error
    assert renyi_tradeoff(order, epsilon, np.array([lie]))[0] == pytest.approx(lie, rel=1e-6)


def test_the_renyi_region_at_its_ends():
    alpha = np.array([0.0, 1e-300, 0.4, 1.0])
    for order, epsilon in [(2, 0.0), (1.0001, 1.0), (300.0, 50.0)]:
        f = renyi_tradeoff(order, epsilon, alpha)
        assert f[0] == 1
        assert f[-1] == 0
        assert np.all((f >= 0) & (f <= 1 - alpha))
    assert renyi_tradeoff(2, 0.0, alpha) == pytest.approx(1 - alpha, abs=1e-6)
