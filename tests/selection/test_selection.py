"""Private selection: run counts, laws and bounds against high precision, brute force and print."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr

import workbench as wb
from workbench.pairs.gaussian import GaussianPair
from workbench.selection import direct, renyi
from workbench.selection.release_distribution import released

selection = wb.selection
DELTA = 1e-5

NEGATIVE_BINOMIALS = [
    selection.NegativeBinomial(1, 0.01),
    selection.NegativeBinomial(0, 0.01),
    selection.NegativeBinomial(-0.5, 0.3),
    selection.NegativeBinomial(2.5, 0.1),
    selection.NegativeBinomial(0.5, 0.999),
]
RUNS = [
    *NEGATIVE_BINOMIALS,
    selection.Poisson(3.0),
    selection.PointMass(7),
    selection.TwoPoint(10, 0.1),
    selection.Table({0: 0.2, 3: 0.5, 8: 0.3}),
    selection.Table([0, 0.5, 0.25, 0.25]),
]
every_run_count = pytest.mark.parametrize("runs", RUNS, ids=lambda r: r.name)

#: η and means that a page's sliders reach.
EXTREME = [
    selection.NegativeBinomial.from_mean(eta, mean)
    for eta in (-0.9, -0.5, -1e-9, 0, 1e-9, 0.3, 1, 5)
    for mean in (1.0001, 1.5, 10, 1e4)
]


# -- run counts -----------------------------------------------------------------------------------


@every_run_count
def test_the_generating_function_sums_the_probabilities(runs):
    k = np.arange(5000)
    pmf = runs.pmf(k)
    assert pmf.sum() == pytest.approx(1, abs=1e-12)
    assert runs.mean == pytest.approx(k @ pmf, rel=1e-11)
    assert runs.nothing == pmf[0]
    for z in (0.0, 1e-9, 0.3, 0.9, 1.0):
        assert runs.generating_function(z) == pytest.approx(pmf @ z**k, abs=1e-13)
        slope = (k * pmf)[1:] @ z ** (k[1:] - 1.0)
        assert runs.derivative(z) == pytest.approx(slope, rel=1e-11, abs=1e-13)


@every_run_count
def test_samples_have_the_generating_function(runs):
    k = runs.sample(100_000, seed=1)
    assert (k == np.floor(k)).all()
    assert largest_deviation(runs, k) < 4.5
    # The check sees a distribution that is one too high.
    assert largest_deviation(runs, k + 1) > 10


def largest_deviation(runs, k):
    """Of the mean of z^k from G(z), in standard errors, over some z."""
    deviations = []
    for z in (0.2, 0.8, 0.99):
        power = z**k
        error = power.std() / math.sqrt(k.size) + 1e-13
        deviations.append(abs(power.mean() - runs.generating_function(z)) / error)
    return max(deviations)


def test_log_probabilities_of_named_members():
    k = np.arange(1, 50)
    geometric = selection.NegativeBinomial(1, 0.1)
    assert geometric.log_pmf(k) == pytest.approx(math.log(0.1) + (k - 1) * math.log(0.9))
    logarithmic = selection.NegativeBinomial(0, 0.1)
    assert logarithmic.pmf(k) == pytest.approx(0.9**k / k / math.log(10))
    assert selection.TwoPoint(10, 0.1).pmf([1, 2, 10]) == pytest.approx([0.1, 0, 0.9])
    # A mean of 10^4 puts some run counts far beyond where masses underflow.
    assert selection.PointMass(3).log_pmf(4) == -math.inf
    assert -1e6 < selection.NegativeBinomial(1, 0.5).log_pmf(10**6) < -6e5


@pytest.mark.parametrize("runs", EXTREME, ids=lambda r: r.name)
def test_nothing_overflows_from_minus_09_to_5_and_up_to_ten_thousand_runs(runs):
    with np.errstate(all="raise", under="ignore"):
        assert math.isfinite(runs.mean)
        assert runs.derivative(1.0) == pytest.approx(runs.mean, rel=1e-12)
        log_z = -np.geomspace(1e-300, 700, 60)
        values = np.asarray(runs.log_generating_function(log_z))
        slopes = np.asarray(runs.log_derivative(log_z))
    assert np.isfinite(values).all()
    assert np.isfinite(slopes).all()
    assert (np.diff(values) <= 1e-12).all()
    assert np.isfinite(runs.sample(100)).all()
    assert runs.pmf(np.arange(3000)).sum() <= 1 + 1e-12


@pytest.mark.parametrize(("eta", "nu"), [(-0.9, 1e-41), (5, 1e-3), (0.3, 1e-8), (1, 0.9999)])
def test_increases_keep_their_digits_next_to_one(eta, nu):
    runs = selection.NegativeBinomial(eta, nu)
    with mp.workdps(80):
        e, n = mp.mpf(eta), mp.mpf(nu)

        def g(z):
            return ((1 - (1 - n) * z) ** -e - 1) / (n**-e - 1)

        for above, gap in itertools.product((1e-30, 1e-8, 0.3, 0.999), (1e-25, 1e-12, 1e-4)):
            log_z = float(mp.log(1 - mp.mpf(above)))
            z = mp.exp(mp.mpf(log_z))
            expected = mp.log(g(z) - g(z - mp.mpf(gap)))
            measured = runs._log_increase(np.float64(log_z), np.log(gap))
            assert float(measured - expected) == pytest.approx(0, abs=1e-13)


def test_a_table_of_one_point_is_a_point_mass():
    log_z = -np.geomspace(1e-12, 50, 40)
    table, point = selection.Table({5: 1.0}), selection.PointMass(5)
    assert table.log_derivative(log_z) == pytest.approx(point.log_derivative(log_z))
    assert point.log_generating_function(log_z) == pytest.approx(5 * log_z)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda s: s.NegativeBinomial(-1, 0.1), "eta must be above -1, got -1"),
        (lambda s: s.NegativeBinomial(math.nan, 0.1), "eta must be finite"),
        (lambda s: s.NegativeBinomial(1, 0), "nu must lie strictly between 0 and 1, got 0"),
        (lambda s: s.NegativeBinomial(1, 1), "nu must lie strictly between 0 and 1, got 1"),
        (lambda s: s.NegativeBinomial(5, 1e-308), "mean must be finite"),
        (lambda s: s.NegativeBinomial.from_mean(1, math.inf), "mean must be finite, got inf"),
        (lambda s: s.NegativeBinomial.from_mean(1, 1), "mean must be above 1, got 1"),
        (lambda s: s.NegativeBinomial.from_mean(-0.999, 1e4), "take a larger eta"),
        (lambda s: s.Poisson(math.inf), "mean must be finite, got inf"),
        (lambda s: s.Poisson(0), "mean must be above 0, got 0"),
        (lambda s: s.PointMass(0), "k must be a whole number of at least 1, got 0"),
        (lambda s: s.PointMass(math.inf), "k must be finite, got inf"),
        (lambda s: s.TwoPoint(10, 1.5), "s must lie strictly between 0 and 1, got 1.5"),
        (lambda s: s.TwoPoint(1, 0.5), "k must be a whole number of at least 2"),
        (lambda s: s.Table({1: 0.5, 2: 0.4}), "pmf must sum to 1, got 0.9"),
        (lambda s: s.Table({1: 1.5, 2: -0.5}), "must not be negative, got -0.5 at k = 2"),
        (lambda s: s.Table({0: 1.0}), "nothing ever runs"),
        (lambda s: s.Table({1.5: 1.0}), "whole finite number of at least 0, got 1.5"),
        (lambda s: s.Table({math.inf: 1.0}), "infinite number of runs has no mean"),
        (lambda s: s.Table([]), "must list probabilities"),
        (lambda s: s.PointMass(2).pmf(-1), "whole finite number"),
        (lambda s: s.PointMass(2).generating_function(1.1), "z must lie in"),
        (lambda s: s.PointMass(2).log_derivative(0.1), "log_z must be at most 0"),
        (lambda s: s.PointMass(2).sample(0), "n must be a whole number"),
    ],
)
def test_bad_run_counts_are_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make(selection)


# -- finitely many outcomes -----------------------------------------------------------------------


def worked_example():
    """Example 1 of Xiang, Wang and Wang (2024)."""
    b, d, e = 1e-3, 100, math.e
    p, q = (1 - b * e - d * b, b * e, d * b), (1 - b - d * b * e, b, d * b * e)
    return selection.FiniteSelection(selection.NegativeBinomial(1, 1e-3), p, q)


def test_selects_worked_example():
    example = worked_example()
    digits = [f"{value:.2e}" for value in (*example.released_p, *example.released_q)]
    assert digits == ["8.66e-03", "2.60e-04", "9.91e-01", "2.66e-03", "1.34e-05", "9.97e-01"]
    assert f"{example.epsilon(0):.2f}" == "2.96"
    assert f"{example.epsilon(1e-5):.3f}" == "2.925"
    assert example.base.epsilon(0) == pytest.approx(1)
    # Liu and Talwar's 3ε holds, and hardly more could be said.
    limit = selection.generic_pure_epsilon(example.runs, example.base.epsilon(0))
    assert 0.98 * limit < example.epsilon(0) <= limit


def test_the_law_is_the_sum_over_run_counts():
    runs = selection.Table({0: 0.1, 1: 0.4, 4: 0.5})
    p = np.array([0.5, 0.2, 0.2, 0.1])
    scores = np.array([2.0, 7.0, 2.0, 1.0])
    found = selection.FiniteSelection(runs, p, p[::-1], scores)
    expected = np.zeros(5)
    for k, chance in ((1, 0.4), (4, 0.5)):
        for outcomes in itertools.product(range(4), repeat=k):
            # The first run that nothing beats is released.
            best = outcomes[int(np.argmax(scores[list(outcomes)]))]
            expected[best] += chance * p[list(outcomes)].prod()
    expected[4] = 0.1
    assert found.released_p == pytest.approx(expected, abs=1e-14)
    assert found.released_p.sum() == pytest.approx(1)


def test_some_strict_order_leaks_at_least_as_much_as_a_tie():
    rng = np.random.default_rng(3)
    for _ in range(20):
        p, q = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4))
        runs = RUNS[rng.integers(len(RUNS))]
        tied = selection.FiniteSelection(runs, p, q, [0, 0, 0, 0]).epsilon(0.01)
        strict = max(
            selection.FiniteSelection(runs, p, q, order).epsilon(0.01)
            for order in itertools.permutations(range(4))
        )
        assert strict >= tied - 1e-12


def test_pure_privacy_of_a_selection_keeps_its_generic_bound():
    rng = np.random.default_rng(5)
    for _ in range(60):
        q = rng.dirichlet(np.full(4, 0.3)) + 1e-9
        p = q * np.exp(rng.uniform(-1, 1, 4))
        runs = NEGATIVE_BINOMIALS[rng.integers(len(NEGATIVE_BINOMIALS))]
        found = selection.FiniteSelection(runs, p / p.sum(), q / q.sum())
        limit = selection.generic_pure_epsilon(runs, found.base.epsilon(0))
        assert found.epsilon(0) <= limit + 1e-9


def test_samples_of_a_finite_selection_are_privacy_losses_of_the_release():
    example = worked_example()
    p, q = example.sample(20_000, seed=2)
    loss = np.log(example.released_p / example.released_q)
    for side, law in ((p, example.released_p), (q, example.released_q)):
        seen = np.array([np.isclose(side, value).mean() for value in loss])
        assert seen == pytest.approx(law, abs=5 * math.sqrt(0.01 / 20_000))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([0.5, 0.4], [0.5, 0.5]), "p must be a list of probabilities that sum to 1"),
        (([0.5, 0.5], [1.5, -0.5]), "q must lie in"),
        (([0.5, 0.5], [0.2, 0.3, 0.5]), "one length"),
        (([0.5, 0.5], [0.5, 0.5], [1, math.nan]), "scores must be a number"),
    ],
)
def test_bad_outcomes_are_refused(arguments, says):
    with pytest.raises(ValueError, match=says):
        selection.FiniteSelection(selection.PointMass(2), *arguments)


# -- the direct bound -----------------------------------------------------------------------------


def brute_force(runs, mu, delta, increasing=True, points=40_001):
    """ε of the release from its densities on a grid: what one would write first."""
    x, step = np.linspace(-10, 10 + mu, points, retstep=True)
    laws = []
    for shift in (mu, 0.0):
        density = np.exp(-((x - shift) ** 2) / 2) / math.sqrt(2 * math.pi)
        below = ndtr(x - shift if increasing else shift - x)
        laws.append(runs.derivative(below) * density * step)
    laws = [np.append(law, runs.nothing) for law in laws]
    return max(event_epsilon(*pair, delta) for pair in (laws, laws[::-1]))


def event_epsilon(p, q, delta):
    """The largest log((p(E) − δ)/q(E)), over the events that the likelihood ratio orders."""
    seen = (p > 1e-30) & (q > 1e-30)
    order = np.argsort(q[seen] / p[seen])
    gain, cost = np.cumsum(p[seen][order]), np.cumsum(q[seen][order])
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nanmax(np.log(np.maximum(gain - delta, 0) / cost))


@pytest.mark.parametrize("mu", [0.2472, 1.0, 2.5])
@pytest.mark.parametrize(
    "runs",
    [RUNS[0], RUNS[2], RUNS[5], RUNS[6], RUNS[7], selection.NegativeBinomial.from_mean(5, 100)],
    ids=lambda r: r.name,
)
def test_the_direct_bound_is_exact(runs, mu):
    found = direct.monotone_epsilon(runs, GaussianPair(mu), 1e-3)
    assert 0 <= found.upper - found.lower <= 1e-6 * max(1, found.lower)
    expected = brute_force(runs, mu, 1e-3)
    assert found.upper == pytest.approx(expected, rel=2e-5, abs=2e-5)
    # On a Gaussian base a decreasing score is an increasing one with P and Q exchanged.
    assert brute_force(runs, mu, 1e-3, increasing=False) == pytest.approx(
        expected, rel=2e-5, abs=2e-5
    )


BASES = [
    wb.GaussianPair(0.7),
    wb.LaplacePair(1),
    wb.SubsampledGaussianPair(0.25, 0.7),
    wb.RandomizedResponsePair(1.2, 0),
    wb.RandomizedResponsePair(0.5, 0.01),
    wb.DPSGDPair(1.0, 0.01, 500),
]


@pytest.mark.parametrize("base", BASES, ids=lambda b: b.name)
@pytest.mark.parametrize("delta", [1e-6, 0.02])
def test_one_run_leaks_what_the_base_leaks(base, delta):
    found = direct.monotone_epsilon(selection.PointMass(1), base, delta)
    expected = base.epsilon(delta)
    assert found.upper >= expected - 1e-9
    assert found.upper == pytest.approx(expected, rel=1e-6)


@every_run_count
def test_any_base_takes_the_path_of_the_gaussian_one(runs):
    gaussian = direct.monotone_epsilon(runs, GaussianPair(1.25), DELTA)
    same = direct.monotone_epsilon(runs, wb.SubsampledGaussianPair(1, 0.8), DELTA)
    assert same.upper == pytest.approx(gaussian.upper, rel=2e-6)
    alpha = np.r_[0, np.geomspace(1e-12, 0.5, 2000), 1 - np.geomspace(0.5, 1e-12, 2000)[1:], 1]
    curve = wb.TradeoffCurve(alpha, wb.GaussianPair(1.25).tradeoff(alpha))
    chords = selection.epsilon(runs, base=curve, delta=DELTA).value
    assert chords == pytest.approx(gaussian.upper, rel=1e-3)
    accounted = selection.epsilon(runs, base=wb.DPSGDPair(20.0, 1, 625), delta=DELTA)
    assert accounted.value == pytest.approx(gaussian.upper, rel=1e-6)


@pytest.mark.parametrize("runs", [RUNS[0], RUNS[5], RUNS[7]], ids=lambda r: r.name)
def test_an_asymmetric_base_is_bounded_in_both_directions_and_both_orders(runs):
    base = wb.SubsampledGaussianPair(0.25, 0.7)
    x = np.r_[-np.inf, np.linspace(-6, 8, 60_001), np.inf]
    below_q = ndtr(x / 0.7)
    below_p = 0.25 * ndtr((x - 1) / 0.7) + 0.75 * below_q
    found = []
    for turn in (1, -1):
        laws = [released(runs, np.diff(b)[::turn]) for b in (below_p, below_q)]
        found += [event_epsilon(*pair, 0.001) for pair in (laws, laws[::-1])]
    bound = selection.epsilon(runs, base=base, delta=0.001).value
    assert bound == pytest.approx(max(found), abs=1e-4)
    assert min(found) < bound - 0.1


def test_breaking_ties_at_random_does_not_leak_less():
    base, runs = wb.RandomizedResponsePair(1.0, 0), selection.TwoPoint(10, 0.1)
    p, q = np.array([1, math.e]) / (1 + math.e), np.array([math.e, 1]) / (1 + math.e)
    tied = max(
        selection.FiniteSelection(runs, p, q, scores).epsilon(0.01) for scores in ([0, 1], [1, 0])
    )
    assert selection.epsilon(runs, base=base, delta=0.01).value >= tied


def test_extremes_are_right_or_infinite_and_never_nan():
    runs = selection.PointMass(10_000)
    assert selection.epsilon(runs, mu=5, delta=DELTA).value == pytest.approx(36_676.55, rel=1e-6)
    assert selection.epsilon(RUNS[0], mu=0, delta=DELTA).value == 0
    assert selection.epsilon(RUNS[0], mu=1, delta=0).value == math.inf
    assert selection.epsilon(RUNS[0], mu=1, delta=0, bound="renyi").value == math.inf
    assert 0 < selection.epsilon(RUNS[0], mu=1e-6, delta=1e-12).value < 1e-4
    assert selection.epsilon(RUNS[0], mu=0.5, delta=1e-100).value < 30
    leaky = wb.RandomizedResponsePair(0.5, 0.01)
    assert selection.epsilon(RUNS[0], base=leaky, delta=DELTA).value == math.inf


# -- Rényi bounds ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.01, 0.5, 3.0])
def test_one_run_has_the_renyi_divergence_of_the_gaussian(mu):
    orders = np.array([1.01, 2, 14.3, 64, 400])
    found = renyi.monotone_divergence(selection.PointMass(1), mu, orders)
    assert found == pytest.approx(orders * mu**2 / 2, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("order", [1.5, 14.0, 60.0, 400.0])
@pytest.mark.parametrize("most", [10, 1000])
@pytest.mark.slow
def test_the_quadrature_against_a_plain_fine_grid(most, order):
    mu, s = 0.8639, 1 / most
    runs = selection.TwoPoint(most, s)
    x, step = np.linspace(-400, 400, 4_000_001, retstep=True)
    log_p, log_q = (
        np.logaddexp(math.log(s), math.log((1 - s) * most) + (most - 1) * log_ndtr(y))
        - y * y / 2
        - math.log(2 * math.pi) / 2
        for y in (x - mu, x)
    )
    expected = 0.0
    for a, b in ((log_p, log_q), (log_q, log_p)):
        exponent = order * a + (1 - order) * b
        total = np.log(np.exp(exponent - exponent.max()).sum() * step) + exponent.max()
        expected = max(expected, total / (order - 1))
    found, _ = renyi.monotone_epsilon(runs, mu, DELTA, np.array([order]))
    converted, _ = renyi.epsilon_from_renyi(np.array([order]), np.array([expected]), DELTA)
    assert found == pytest.approx(converted, rel=1e-8)


@pytest.mark.parametrize(("mu", "orders"), [(1.0, (1e9,)), (1e6, renyi.ORDERS)])
def test_a_grid_that_no_memory_holds_is_refused(mu, orders):
    with pytest.raises(ValueError, match="orders must be lower for mu"):
        selection.epsilon(RUNS[0], mu, delta=DELTA, bound="renyi", orders=orders)


def test_figures_of_the_method_sheet():
    mu = math.sqrt(500) / 90.458
    runs = selection.Table({1: 0.1, 10: 0.9})
    assert f"{selection.epsilon(runs, mu=mu, delta=DELTA, bound='renyi').value:.2f}" == "1.12"
    assert f"{selection.epsilon(runs, mu=mu, delta=DELTA).value:.2f}" == "1.04"
    assert wb.GaussianPair(mu).epsilon(DELTA) < 1
    long = selection.TwoPoint(100, 0.01)
    assert f"{selection.epsilon(long, mu=0.8639, delta=DELTA, bound='renyi').value:.3f}" == "6.276"
    assert f"{selection.epsilon(long, mu=0.8639, delta=DELTA).value:.2f}" == "5.88"
    geometric = selection.NegativeBinomial(1, 0.01)
    assert f"{selection.epsilon(geometric, mu=0.5, delta=DELTA).value:.2f}" == "2.49"
    generic = selection.epsilon(geometric, mu=0.5, delta=DELTA, bound="generic")
    assert f"{generic.value:.3f}" == "5.434"


def test_a_bound_that_loses_a_tail_is_what_print_shows():
    # 5.90 in print: p^a underflows near x = −(a−1)μ. In logs, nothing is lost.
    mu, delta, order = math.sqrt(500) / 25.884, DELTA, 128
    x = np.linspace(-40, 40, 80_001)
    p, q = (
        (0.01 + 0.99 * 100 * ndtr(x - m) ** 99) * np.exp(-((x - m) ** 2) / 2) / 2.5066282746310002
        for m in (mu, 0.0)
    )
    with np.errstate(all="ignore"):
        powers = (p**order * q ** (1 - order), q**order * p ** (1 - order))
        lost = max(np.log(np.nansum(v[np.isfinite(v)]) * 1e-3) for v in powers) / (order - 1)
    at = np.array([float(order)])
    naive, _ = renyi.epsilon_from_renyi(at, np.array([lost]), delta)
    full = renyi.monotone_divergence(selection.TwoPoint(100, 0.01), mu, at)
    careful, _ = renyi.epsilon_from_renyi(at, full, delta)
    assert naive < 6 < 20 < careful


CHAIN = [
    *NEGATIVE_BINOMIALS,
    selection.NegativeBinomial.from_mean(-0.9, 1e4),
    selection.NegativeBinomial.from_mean(0, 1e4),
    selection.NegativeBinomial.from_mean(5, 1e4),
    selection.Poisson(1),
    selection.Poisson(300),
    selection.TwoPoint(1000, 0.001),
    selection.PointMass(10),
]


@pytest.mark.parametrize("runs", CHAIN, ids=lambda r: r.name)
def test_direct_renyi_generic_in_this_order(runs):
    for mu, delta in itertools.product((0.05, 0.8639, 3.0), (1e-9, 1e-5, 1e-2)):
        bounds = ("direct", "renyi")
        if selection.generic_refusal(runs) is None:
            bounds += ("generic",)
        values = [selection.epsilon(runs, mu=mu, delta=delta, bound=b).value for b in bounds]
        assert all(a <= b + 1e-6 for a, b in itertools.pairwise(values)), (mu, delta, values)


@pytest.mark.parametrize(
    "runs",
    [RUNS[0], RUNS[1], RUNS[3], selection.NegativeBinomial.from_mean(5, 1e4), selection.Poisson(9)],
    ids=lambda r: r.name,
)
def test_the_generic_bound_is_that_of_dp_accounting(runs):
    from dp_accounting import dp_event
    from dp_accounting.rdp import RdpAccountant

    shape = runs.eta if isinstance(runs, selection.NegativeBinomial) else math.inf
    for sigma, rate, steps in ((1.3, 1, 1), (2.0, 0.1, 30)):
        step = dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(sigma))
        training = dp_event.SelfComposedDpEvent(step, steps)
        orders = tuple(range(2, 40))
        accountant = RdpAccountant(orders)
        accountant.compose(dp_event.RepeatAndSelectDpEvent(training, runs.mean, shape))
        found = selection.epsilon(
            runs,
            base=wb.DPSGDPair(sigma, rate, steps),
            delta=DELTA,
            bound="generic",
            orders=orders,
        )
        assert found.value == pytest.approx(accountant.get_epsilon(DELTA), rel=1e-7)


def test_where_there_is_no_generic_bound_the_reason_is_told():
    for runs in (selection.PointMass(3), selection.TwoPoint(9, 0.1), selection.Poisson(0.5)):
        assert "generic bound" in selection.generic_refusal(runs)
        with pytest.raises(selection.NoBoundError, match="generic bound"):
            selection.epsilon(runs, mu=1, delta=DELTA, bound="generic")
    with pytest.raises(selection.NoBoundError, match="truncated negative binomial"):
        selection.generic_pure_epsilon(selection.Poisson(3), 1.0)
    with pytest.raises(selection.NoBoundError, match="trade-off function as it is"):
        selection.epsilon(RUNS[0], base=wb.LaplacePair(1), delta=DELTA, bound="renyi")
    unknown = wb.RandomizedResponsePair(0.5, 0.01)  # infinite
    with pytest.raises(selection.NoBoundError, match="Rényi divergences of one run"):
        selection.epsilon(RUNS[0], base=unknown, delta=DELTA, bound="generic")


# -- the reduction --------------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [0.3, 2.0, 90.458, 1e6])
def test_both_reductions(sigma):
    with mp.workdps(40):
        s = 1 / mp.mpf(sigma)
        inside = mp.exp(s**2) * mp.ncdf(1.5 * s) + 3 * mp.ncdf(-0.5 * s) - 2
        expected = float(mp.sqrt(2 * inside) * 0.1 * mp.sqrt(500))
    assert selection.reduced_mu(sigma, 0.1, 500, "G") == pytest.approx(expected, rel=1e-8)
    simple = 0.1 * math.sqrt(500) / sigma
    assert selection.reduced_mu(sigma, 0.1, 500, "O") == pytest.approx(simple)


def test_the_simple_reduction_falls_below_the_truth_of_sampled_training():
    runs, training = selection.TwoPoint(10, 0.1), wb.DPSGDPair(1.0, 0.01, 500)
    truth = direct.monotone_epsilon(runs, training, DELTA).lower
    mu = selection.reduced_mu(1.0, 0.01, 500, "O")
    assert selection.epsilon(runs, mu=mu, delta=DELTA).value < 0.7 * truth


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((0, 0.1, 500), "noise_multiplier must be above 0"),
        ((1, 1.5, 500), "sample_rate must lie in"),
        ((1, 0.1, 0), "steps must be a whole number"),
        ((1, 0.1, 500, "X"), "reduction must be one of"),
        ((0.01, 0.1, 500), "at least 0.04"),
    ],
)
def test_bad_trainings_are_refused(arguments, says):
    with pytest.raises(ValueError, match=says):
        selection.reduced_mu(*arguments)


# -- the worst order ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("runs", "mu", "least"),
    [
        (selection.TwoPoint(10, 0.1), 0.2472, 1.7535),
        (selection.TwoPoint(100, 0.01), 0.8639, 11.615),
        (selection.NegativeBinomial(1, 0.01), 0.5, 3.965),
    ],
    ids=lambda v: getattr(v, "name", v),
)
def test_the_worst_order_reaches_what_the_method_sheet_found(runs, mu, least):
    found = selection.worst_order(runs, mu=mu, delta=DELTA)
    assert float(found) >= least
    assert float(found) > 1.4 * found.monotone
    # The same order in other cells, from nothing but the order.
    redrawn = selection.tradeoff_curve(runs, mu, score=found.order).epsilon(DELTA)
    assert redrawn == pytest.approx(float(found), rel=1e-6)
    a, b = found.order.edges
    assert found.order.blocks == ((a, b), (b, math.inf), (-math.inf, a))
    assert found.bound.side == "lower"
    assert found.bound.family is None


def test_the_worst_order_stays_below_the_generic_bound_and_above_the_monotone():
    runs = [r for r in CHAIN if selection.generic_refusal(r) is None]
    for one, mu, delta in itertools.product(runs, (0.05, 3.0), (1e-9, 0.01)):
        found = selection.worst_order(one, mu=mu, delta=delta)
        generic = selection.epsilon(one, mu=mu, delta=delta, bound="generic").value
        monotone = direct.monotone_epsilon(one, GaussianPair(mu), delta).lower
        assert monotone <= float(found) <= generic, (one.name, mu, delta)


@pytest.mark.parametrize("runs", [RUNS[0], RUNS[7], selection.Poisson(10)], ids=lambda r: r.name)
def test_no_order_of_six_blocks_leaks_more(runs):
    mu, delta = 0.8, 1e-3
    found = selection.worst_order(runs, mu=mu, delta=delta)
    edges = np.unique(np.r_[found.order.edges, -2.0, 0.5, 1.5])
    x = np.r_[-np.inf, edges, np.inf]
    p, q = np.diff(ndtr(x - mu)), np.diff(ndtr(x))
    best = 0.0
    for order in itertools.permutations(range(6)):
        some = list(order)
        laws = [released(runs, mass[some]) for mass in (p, q)]
        if runs.nothing:
            laws = [np.append(law, runs.nothing) for law in laws]
        best = max(best, event_epsilon(*laws, delta), event_epsilon(*laws[::-1], delta))
    assert best == pytest.approx(float(found), rel=1e-6)


@pytest.mark.parametrize("runs", [RUNS[0], selection.PointMass(100), RUNS[8]], ids=lambda r: r.name)
def test_no_two_thresholds_leak_more_than_those_found(runs):
    mu, delta = 0.5, DELTA
    found = float(selection.worst_order(runs, mu=mu, delta=delta))
    a = np.r_[-40, np.linspace(-5, 5, 301)][:, None]
    b = np.linspace(-1, 7, 301)
    with np.errstate(all="ignore"):
        masses = [
            np.where(
                b >= a,
                runs.generating_function(ndtr(m - a))
                - runs.generating_function(np.maximum(ndtr(m - a) - ndtr(m - b), 0)),
                0.0,
            )
            for m in (mu, 0.0)
        ]
        # Differences are good to 1e-16 only.
        some = masses[1] > 1e-11
        best = np.nanmax(np.log((masses[0] - delta)[some] / masses[1][some]))
    assert found >= best - 1e-4


def test_the_worst_order_on_another_base_and_turned_around():
    runs = selection.TwoPoint(10, 0.1)
    gaussian = selection.worst_order(runs, mu=1.25, delta=DELTA)
    same = selection.worst_order(runs, base=wb.SubsampledGaussianPair(1, 0.8), delta=DELTA)
    assert float(same) == pytest.approx(float(gaussian), rel=1e-6)
    base = wb.SubsampledGaussianPair(0.25, 0.7)
    asymmetric = selection.worst_order(runs, base=base, delta=0.001)
    redrawn = selection.tradeoff_curve(runs, base=base, score=asymmetric.order).epsilon(0.001)
    assert redrawn == pytest.approx(float(asymmetric), rel=1e-4)
    one_run = selection.worst_order(selection.PointMass(1), mu=1, delta=DELTA)
    assert one_run.order.edges == ()
    assert float(one_run) == pytest.approx(wb.GaussianPair(1).epsilon(DELTA), rel=1e-6)


def test_curves_of_the_release():
    runs = selection.TwoPoint(10, 0.1)
    curve = selection.tradeoff_curve(runs, 0.8639)
    assert curve.epsilon(DELTA) == pytest.approx(4.123, abs=0.003)
    assert curve.epsilon(DELTA) <= selection.epsilon(runs, mu=0.8639, delta=DELTA).value
    turned = selection.tradeoff_curve(runs, 0.8639, score=selection.Monotone(False))
    assert turned.epsilon(DELTA) == pytest.approx(curve.epsilon(DELTA), rel=1e-9)
    constant = selection.tradeoff_curve(runs, 0.8639, score=selection.Constant())
    assert constant.tradeoff(0.1) == pytest.approx(wb.GaussianPair(0.8639).tradeoff(0.1), abs=5e-5)
    with pytest.raises(ValueError, match="noise 1 has no curve"):
        selection.tradeoff_curve(runs, 0.8639, score=selection.Noisy(1))


# -- what the bounds say --------------------------------------------------------------------------


def test_bounds_say_for_which_scores_they_hold():
    any_score = {"generic", "composition"}
    runs = selection.NegativeBinomial(1, 0.01)
    found = {b: selection.epsilon(runs, mu=0.5, delta=DELTA, bound=b) for b in wb_bounds()}
    assert {b.family for b in found.values()} == {"monotone score", None}
    for name, bound in found.items():
        assert (bound.side, bound.guarantee, bound.relation) == ("upper", "proven", "≤")
        assert "arXiv" in bound.cite() or "Papernot" in bound.cite()
        assert ("if the score is monotone" in str(bound)) == (name not in any_score)
        assert (bound.family is None) == (name in any_score)
        assert "% confidence" not in bound.explain()
        assert "Gaussian, μ = 0.5" in bound.explain()
    # An upper bound is rounded up.
    assert float(found["direct"].rounded) >= found["direct"].value
    worst = selection.worst_order(runs, mu=0.5, delta=DELTA).bound
    assert float(worst.rounded) <= worst.value
    assert "workbench" in worst.cite().lower()


def wb_bounds():
    from workbench.selection.bounds import METHODS

    return tuple(METHODS)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"mu": 1, "delta": 2}, "delta must lie in"),
        ({"mu": -1, "delta": DELTA}, "mu must be at least 0"),
        ({"mu": 1, "delta": DELTA, "bound": "magic"}, "bound must be one of"),
        ({"delta": DELTA}, "give one of mu= .* and base="),
        ({"mu": 1, "base": wb.GaussianPair(1), "delta": DELTA}, "give one of"),
        ({"base": 3, "delta": DELTA}, "base must be a pair"),
        ({"mu": 1, "delta": DELTA, "bound": "generic", "orders": (1.0, 2.0)}, "orders must be"),
        ({"mu": 1, "delta": DELTA, "bound": "renyi", "orders": (0.5,)}, "orders must be"),
    ],
)
def test_bad_questions_are_refused(arguments, says):
    with pytest.raises(ValueError, match=says):
        selection.epsilon(selection.PointMass(2), **arguments)
