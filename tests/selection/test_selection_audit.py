"""Simulated selections: their laws, their privacy losses, and what an audit of them shows."""

import math

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr
from scipy.stats import binomtest, ks_2samp, kstest

import workbench as wb

selection = wb.selection
DELTA = 1e-5

TWO_POINT = selection.TwoPoint(10, 0.1)
ORDER = selection.BlockOrder((-0.5, 1.0), (2, 0, 1))
SCORES = [
    selection.Monotone(),
    selection.Monotone(False),
    selection.Constant(),
    ORDER,
    selection.BlockOrder((-0.5, 1.0), (1, 2, 0), increasing=False),
    selection.Noisy(0.7),
]
every_score = pytest.mark.parametrize("score", SCORES, ids=lambda s: s.name)


def run_by_run(runs, mu, score, n, seed):
    """Algorithm 2 of Xiang, Wang and Wang (2024): draw all runs, release the best."""
    rng = np.random.default_rng(seed)
    released = []
    for k in runs.sample(n, rng).astype(int):
        x = rng.normal(mu, 1, k)
        if isinstance(score, selection.Noisy):
            s = x + score.noise * rng.normal(size=k)
        elif isinstance(score, selection.Constant):
            s = np.zeros(k)
        elif isinstance(score, selection.Monotone):
            s = x if score.increasing else -x
        else:
            block = np.searchsorted(score.edges, x)
            within = ndtr(x) if score.increasing else 1 - ndtr(x)
            s = np.array(score.ranks)[block] + within
        released.append(x[np.argmax(s)] if k else -np.inf)
    return np.array(released)


@every_score
def test_the_shortcut_draws_what_all_runs_would_give(score):
    n, mu = 4000, 0.6
    p, q = selection.simulate(TWO_POINT, mu, n, score=score, observed="output", seed=1)
    for side, truth in ((p, mu), (q, 0.0)):
        assert ks_2samp(side, run_by_run(TWO_POINT, truth, score, n, 2)).pvalue > 1e-3
    # A single run, which is what a constant score releases, has another law.
    one = np.random.default_rng(3).normal(mu, 1, n)
    alike = isinstance(score, selection.Constant)
    assert (ks_2samp(p, one).pvalue > 1e-3) == alike


def test_the_best_of_an_increasing_score_has_the_generating_function_as_its_law():
    runs = selection.NegativeBinomial(0.5, 0.02)
    p, q = selection.simulate(runs, 1.0, 50_000, observed="output", seed=4)
    for side, truth in ((p, 1.0), (q, 0.0)):
        law = kstest(side, lambda x, m=truth: runs.generating_function(ndtr(x - m)))
        assert law.pvalue > 1e-3


@every_score
@pytest.mark.parametrize(
    "runs", [TWO_POINT, selection.Poisson(4), selection.NegativeBinomial(1, 0.05)]
)
@pytest.mark.statistical
def test_the_privacy_loss_is_a_log_likelihood_ratio(score, runs):
    # E_Q[P/Q on an event] is P's probability of the event, for whatever P/Q is thought to be.
    p, q = selection.simulate(runs, 0.5, 200_000, score=score, seed=5)
    for low, high in ((-9, -0.3), (-0.3, 0.2), (0.2, 9)):
        weighted = np.where((q > low) & (q <= high), np.exp(q), 0.0)
        seen = ((p > low) & (p <= high)).astype(float)
        error = math.sqrt((weighted.var() + seen.var()) / q.size)
        assert abs(weighted.mean() - seen.mean()) < 4.5 * error
    # The loss of a single run is not that of the release, unless all runs tie.
    if score == selection.Monotone() and runs is TWO_POINT:
        x = selection.simulate(runs, 0.5, 200_000, score=score, observed="output", seed=5).q
        naive = np.exp(0.5 * (x - 0.25))
        assert abs(naive.mean() - 1) > 20 * naive.std() / math.sqrt(x.size)


def test_nothing_released_is_an_outcome_of_its_own():
    runs = selection.Poisson(2)
    outputs = selection.simulate(runs, 0.5, 40_000, observed="output", seed=6)
    for side in outputs:
        assert binomtest(int(np.isneginf(side).sum()), side.size, math.exp(-2)).pvalue > 1e-3
    losses = selection.simulate(runs, 0.5, 40_000, seed=6)
    assert ((losses.q == 0) == np.isneginf(outputs.q)).all()


def test_heavy_tails_are_drawn_too():
    runs = selection.NegativeBinomial.from_mean(-0.9, 1e4)
    for score in SCORES:
        p, q = selection.simulate(runs, 0.5, 2000, score=score, seed=7)
        assert np.isfinite(p).all()
        assert np.isfinite(q).all()


def test_losses_of_long_tables_are_interpolated(monkeypatch):
    runs = selection.Table({k: 1 / 60 for k in range(1, 61)})
    exact = selection.simulate(runs, 0.8, 5000, seed=7)
    monkeypatch.setattr("workbench.selection.simulation._MOST_TERMS", 0)
    fast = selection.simulate(runs, 0.8, 5000, seed=7)
    assert fast.p == pytest.approx(exact.p, abs=1e-4)
    assert fast.q == pytest.approx(exact.q, abs=1e-4)


def test_equal_seeds_give_equal_selections_and_sides_may_differ_in_size():
    one = selection.simulate(TWO_POINT, 0.5, (10, 20), seed=8)
    again = selection.simulate(TWO_POINT, 0.5, (10, 20), seed=np.random.default_rng(8))
    assert (one.n_p, one.n_q) == (10, 20)
    assert (one.p == again.p).all()
    assert one.assumption == "independent runs"
    assert "best of runs" in one.name


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda s: s.simulate(TWO_POINT, -1, 10), "mu must be at least 0"),
        (lambda s: s.simulate(TWO_POINT, 1, 1), "n_p must be a whole number of at least 2"),
        (lambda s: s.simulate(TWO_POINT, 1, 10, observed="all"), "observed must be one of"),
        (lambda s: s.Noisy(0), "noise must be above 0"),
        (lambda s: s.BlockOrder((1, 0), (0, 1, 2)), "edges must increase"),
        (lambda s: s.BlockOrder((0, 1), (0, 1, 1)), "must be a permutation of 0 … 2"),
        (lambda s: s.BlockOrder((math.inf,), (0, 1)), "edges must be finite"),
    ],
)
def test_bad_simulations_are_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make(selection)


# -- audits ---------------------------------------------------------------------------------------


def naive_epsilon(scores, delta):
    """The largest estimate over all thresholds, without a limit: what a bound must not be."""
    t = np.quantile(scores.q, np.linspace(0.5, 1 - 5 / scores.n_q, 200))
    tp, fp = scores.tail_counts(t)
    gain, cost = np.maximum(tp / scores.n_p - delta, 1e-9), np.maximum(fp, 1) / scores.n_q
    return float(np.log(gain / cost).max())


@pytest.mark.statistical
def test_audits_of_a_monotone_score_stay_below_the_direct_bound():
    runs, mu, delta, n = selection.TwoPoint(10, 0.1), 0.8, 0.01, 5000
    limit = selection.epsilon(runs, mu=mu, delta=delta).value
    above, naive_above, trials = 0, 0, 200
    rng = np.random.default_rng(9)
    for i in range(trials):
        score = selection.Monotone(bool(i % 2))
        scores = selection.simulate(runs, mu, n, score=score, seed=rng)
        above += wb.tradeoff_band(scores).epsilon(delta).value > limit
        naive_above += naive_epsilon(scores, delta) > limit
    assert binomtest(above, trials, 0.05, alternative="greater").pvalue > 1e-3
    assert binomtest(naive_above, trials, 0.05, alternative="greater").pvalue < 1e-6


@pytest.mark.parametrize(
    ("runs", "mu"),
    [
        (TWO_POINT, 0.2472),
        (selection.NegativeBinomial(0, 0.01), 0.8639),
        (TWO_POINT, 0.8639),
    ],
    ids=["1.04", "4.27", "4.12"],
)
@pytest.mark.statistical
def test_a_million_selections_a_side_show_at_least_half(runs, mu):
    exact = selection.epsilon(runs, mu=mu, delta=DELTA).value
    shown = wb.tradeoff_band(selection.simulate(runs, mu, 10**6, seed=10)).epsilon(DELTA).value
    assert exact / 2 <= shown <= exact


def test_an_audit_finds_the_order_that_the_monotone_bounds_do_not_cover():
    runs, mu = TWO_POINT, 0.2472
    worst = selection.worst_order(runs, mu, delta=DELTA)
    scores = selection.simulate(runs, mu, 10**6, score=worst.order, seed=11)
    shown = wb.tradeoff_band(scores).epsilon(DELTA).value
    claimed = selection.epsilon(runs, mu=mu, delta=DELTA, bound="renyi").value
    assert claimed < shown <= float(worst)


def test_a_noisy_score_may_leak_more_than_the_monotone_bound_too():
    # Released together with its noise, so that the pair (output, score) is seen.
    runs, mu, score = selection.TwoPoint(100, 0.01), 0.8639, selection.Noisy(1.0)
    spread = math.hypot(1, score.noise)
    s, step = np.linspace(-12, 14, 40_001, retstep=True)
    gaussian = wb.GaussianPair(mu * score.noise / spread)  # the output, given the score

    def log_density(m):
        z = (s - m) / spread
        best = runs.log_derivative(log_ndtr(z))
        return best - z * z / 2 - math.log(spread * math.sqrt(2 * math.pi))

    log_p, log_q = log_density(mu), log_density(0.0)
    epsilon = 7.0
    backward = np.exp(log_q + gaussian.log_profile(epsilon + log_p - log_q)).sum() * step
    assert backward > DELTA
    assert selection.epsilon(runs, mu=mu, delta=DELTA).value < 6
    # The simulator's losses have that divergence.
    q = selection.simulate(runs, mu, 400_000, score=score, seed=12).q
    gain = np.maximum(1 - np.exp(np.minimum(2.0 + q, 700)), 0)
    expected = np.exp(log_q + gaussian.log_profile(2.0 + log_p - log_q)).sum() * step
    assert abs(gain.mean() - expected) < 4.5 * gain.std() / math.sqrt(q.size)
