"""The bound for any score: against direct sums, exact compositions and the worst orders found."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import log_ndtr

import workbench as wb
from benchmarks.papers.select.theory import random_case
from workbench.selection import renyi
from workbench.selection.composition import composed_runs

selection = wb.selection
DELTA = 1e-5

LAWS = [
    selection.NegativeBinomial(1, 0.1),
    selection.NegativeBinomial(0, 0.05),
    selection.NegativeBinomial(-0.5, 0.3),
    selection.NegativeBinomial(2.5, 0.2),
    selection.Poisson(0.5),
    selection.Poisson(9),
    selection.PointMass(7),
    selection.TwoPoint(30, 0.4),
    selection.Table({0: 0.2, 3: 0.5, 8: 0.3}),
]
every_law = pytest.mark.parametrize("runs", LAWS, ids=lambda r: r.name)


def composition(runs, mu=None, delta=DELTA, **more):
    return selection.epsilon(runs, mu, delta=delta, bound="composition", **more)


def summed(runs, mu, epsilon, most=4000):
    """Σ ξ(k) δ_k(ε), as one would write it first."""
    k = np.arange(1, most + 1)
    x, y = (epsilon / (mu * np.sqrt(k)) + sign * mu * np.sqrt(k) / 2 for sign in (-1, 1))
    profile = np.exp(log_ndtr(-x)) - np.exp(epsilon + log_ndtr(-y))
    return float(runs.pmf(k) @ profile)


@pytest.mark.parametrize(
    ("runs", "mu", "expected", "worst", "monotone"),
    [
        (selection.PointMass(20), 0.5, 11.48, 8.07, 7.67),
        (selection.TwoPoint(10, 0.1), 0.2472, 3.28, 1.75, 1.04),
        (selection.TwoPoint(100, 0.01), 0.8639, 73.3, 11.62, 5.88),
    ],
    ids=lambda v: getattr(v, "name", v),
)
def test_references(runs, mu, expected, worst, monotone):
    bound = composition(runs, mu)
    assert bound.value == pytest.approx(expected, rel=5e-4, abs=5e-3)
    found = selection.worst_order(runs, mu, delta=DELTA)
    assert float(found) == pytest.approx(worst, abs=6e-3)
    assert found.monotone == pytest.approx(monotone, abs=6e-3)
    assert (bound.family, bound.side, bound.guarantee) == (None, "upper", "proven")
    assert bound.method == "selection by any score (composition)"
    assert "Papernot" in bound.cite()


def test_a_fixed_number_of_runs_is_their_composition():
    for k, mu, delta in itertools.product((1, 2, 50), (0.01, 0.7, 3.0), (1e-12, 1e-5, 0.2)):
        exact = wb.GaussianPair(mu * math.sqrt(k)).epsilon(delta)
        found = composition(selection.PointMass(k), mu, delta).value
        assert exact <= found <= exact * (1 + 1e-7) + 1e-9


@every_law
@pytest.mark.parametrize("mu", [0.1, 1.0])
def test_the_sum_over_run_counts_is_met(runs, mu):
    for delta in (1e-8, 1e-3):
        found = composition(runs, mu, delta).value
        # At ε the sum is δ, and with half of δ or the double ε would be another one.
        assert summed(runs, mu, found) == pytest.approx(delta, rel=2e-6)
        assert summed(runs, mu, found) <= delta
        assert not 0.6 < summed(runs, mu, composition(runs, mu, 2 * delta).value) / delta < 1.9


@pytest.mark.parametrize(
    "runs",
    [
        selection.NegativeBinomial(1, 1e-4),
        selection.NegativeBinomial(4, 1e-3),
        selection.NegativeBinomial(-0.7, 1e-4),
        selection.NegativeBinomial(1.5, 2e-4),
        selection.Poisson(1e5),
    ],
    ids=lambda r: r.name,
)
def test_blocks_bound_their_masses_and_the_rest(runs):
    blocks = runs._blocks(1e-9)
    most = int(blocks.last[-1])
    pmf = runs.pmf(np.arange(most + 1))
    first = np.r_[1, blocks.last[:-1] + 1].astype(int)
    true = np.add.reduceat(pmf, first)
    assert (blocks.mass >= true * (1 - 1e-9)).all()
    if not isinstance(runs, selection.Poisson):  # whose blocks are wider than the distribution
        assert blocks.mass.sum() <= 1.01
    assert blocks.rest <= 1e-9
    beyond = float(runs.pmf(np.arange(most + 1, 3 * most)).sum())
    assert blocks.rest >= beyond * (1 - 1e-9)
    merged = blocks.merged(24)
    assert merged.last.size <= 24
    assert merged.mass.sum() == pytest.approx(blocks.mass.sum())
    for n in (1, 10, 24):
        some = float(pmf[1 : int(merged.last[n - 1]) + 1].sum())
        assert merged.mass[:n].sum() >= some * (1 - 1e-9)
    few = blocks.first(5)
    assert few.rest == pytest.approx(blocks.rest + blocks.mass[5:].sum())


def test_log_probabilities_keep_their_digits_far_out():
    k = 1e30
    for eta in (-0.9, 0.0, 0.5, 3.0):
        runs = selection.NegativeBinomial(eta, 1e-30)
        # Γ(k+η)/Γ(k+1) ≈ k^(η−1)
        expected = (
            k * math.log1p(-1e-30) + (eta - 1) * math.log(k)
            - math.lgamma(1 + eta) - runs._log_whole
        )  # fmt: skip
        assert runs.log_pmf(k) == pytest.approx(expected, rel=1e-12)
    runs = selection.NegativeBinomial(0.3, 1e-7)
    near = runs.log_pmf(np.array([1e6, 1e6 + 1]))  # two formulas
    assert near[1] - near[0] == pytest.approx(math.log1p(-1e-7) + math.log1p(-0.7 / 1e6), abs=2e-9)


def test_the_bound_is_never_below_the_worst_order_found():
    """`python -m benchmarks papers select` draws 200 cases."""
    rng = np.random.default_rng(2024)
    for _ in range(25):
        runs, mu, delta = random_case(rng)
        worst = selection.worst_order(runs, mu, delta=delta)
        assert composition(runs, mu, delta).value >= float(worst), (runs, mu, delta)
        assert selection.epsilon(runs, mu, delta=delta, bound="any").value >= float(worst)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (0.4, 0.05), (2.0, 0.01)])
@pytest.mark.parametrize("runs", LAWS[4:], ids=lambda r: r.name)
def test_no_selection_of_finitely_many_outcomes_leaks_more(runs, epsilon, delta):
    likely = (1 - delta) / (1 + math.exp(-epsilon))
    p, q = [delta, likely, 1 - delta - likely, 0], [0, 1 - delta - likely, likely, delta]
    base = wb.RandomizedResponsePair(epsilon, delta)
    for at in (0.2, 0.4):
        limit = composition(runs, base=base, delta=at).value
        found = [
            selection.FiniteSelection(runs, p, q, order).epsilon(at)
            for order in itertools.permutations(range(4))
        ]
        assert max(found) <= limit


@pytest.mark.parametrize(
    "base",
    [
        wb.LaplacePair(0.5),
        wb.RandomizedResponsePair(0.5, 0),
        wb.RandomizedResponsePair(0.4, 1e-4),
        wb.DPSGDPair(1.0, 0.01, 20),
    ],
    ids=lambda b: b.name,
)
def test_other_bases_are_composed(base):
    one = composition(selection.PointMass(1), base=base, delta=0.01).value
    assert one == pytest.approx(base.epsilon(0.01), rel=1e-6)
    runs = selection.TwoPoint(6, 0.5)
    found = composition(runs, base=base, delta=0.01).value
    six = base.compose(6)
    for direction in ("P‖Q", "Q‖P"):
        both = [pair.hockey_stick(found, direction) for pair in (base, six)]
        assert 0.5 * sum(both) <= 0.01
    shorter = max(
        0.5 * (base.hockey_stick(0.999 * found, d) + six.hockey_stick(0.999 * found, d))
        for d in ("P‖Q", "Q‖P")
    )
    assert shorter > 0.01
    assert found >= float(selection.worst_order(runs, base=base, delta=0.01))
    assert six.epsilon(0.02) - 1e-9 <= found <= six.epsilon(0.01) + 1e-9


def test_many_run_counts_of_another_base_are_taken_together():
    runs = selection.NegativeBinomial(1, 0.3)
    gaussian = composed_runs(runs, wb.GaussianPair(0.5), DELTA)
    exact = gaussian.epsilon(DELTA)
    from workbench.selection import composition as module

    few = module._accounted(runs._blocks(1e-11).merged(24), wb.GaussianPair(0.5), DELTA)
    assert few.slow
    assert exact <= few.epsilon(DELTA) <= 1.1 * exact
    # Response has a closed form for every number of runs.
    response = wb.RandomizedResponsePair(0.5, 0)
    found = composition(runs, base=response, delta=DELTA).value
    k = np.arange(1, 60)
    total = sum(runs.pmf(j) * response.compose(int(j)).delta(found) for j in k)
    assert total <= DELTA
    lower = sum(runs.pmf(j) * response.compose(int(j)).delta(0.85 * found) for j in k)
    assert lower > DELTA


def test_ends_of_the_range():
    pure = wb.RandomizedResponsePair(0.5, 0)
    assert composition(selection.PointMass(4), base=pure, delta=0).value == pytest.approx(2.0)
    assert composition(LAWS[0], base=pure, delta=0).value == math.inf
    assert composition(LAWS[0], 0.0, 0).value == 0
    assert composition(LAWS[0], 1.0, 0).value == math.inf
    assert composition(selection.Poisson(1e-3), 1.0, 0.01).value == 0  # hardly ever a run
    leaky = wb.RandomizedResponsePair(0.5, 0.01)
    assert composition(LAWS[0], base=leaky, delta=DELTA).value == math.inf
    heavy = selection.NegativeBinomial.from_mean(-0.9, 1e4)
    assert 1e3 < composition(heavy, 0.5).value < math.inf
    assert composition(selection.PointMass(10**6), 5.0).value > 1e7


def test_any_names_the_smaller_of_both():
    few, many = selection.NegativeBinomial.from_mean(1, 1.01), selection.NegativeBinomial(1, 0.01)
    for runs, wins in ((few, "composition"), (many, "Rényi"), (selection.PointMass(9), "compos")):
        found = selection.epsilon(runs, 0.5, delta=DELTA, bound="any")
        assert wins in found.method
        assert found.family is None
        both = [composition(runs, 0.5).value]
        if selection.generic_refusal(runs) is None:
            both.append(selection.epsilon(runs, 0.5, delta=DELTA, bound="generic").value)
        assert found.value == min(both)
    curve = wb.TradeoffCurve([0, 0.1, 1], [1, 0.5, 0])
    for bound in ("composition", "any"):
        with pytest.raises(selection.NoBoundError, match="pair of one run"):
            selection.epsilon(few, base=curve, delta=DELTA, bound=bound)
    with pytest.raises(selection.NoBoundError, match="bound='composition' holds for any score"):
        selection.epsilon(selection.PointMass(9), 0.5, delta=DELTA, bound="generic")


def test_a_base_that_cannot_be_composed_has_no_bound():
    wide = wb.SubsampledGaussianPair(0.5, 1e-3)
    with pytest.raises(selection.NoBoundError, match="cannot be composed"):
        composition(selection.PointMass(3), base=wide)


@pytest.mark.parametrize(
    ("runs", "mu", "expected"),
    [
        (selection.TwoPoint(10, 0.01), 0.2472, 1.3264),
        (selection.TwoPoint(10, 0.01), 0.8639, 4.5442),
        (selection.TwoPoint(100, 0.01), 0.8639, 6.2757),
        (selection.NegativeBinomial(1, 0.01), 0.5, 2.6441),
    ],
    ids=lambda v: getattr(v, "name", v),
)
def test_renyi_orders_are_refined_around_the_best(runs, mu, expected):
    found = selection.epsilon(runs, mu, delta=DELTA, bound="renyi").value
    assert found == pytest.approx(expected, abs=6e-5)
    given = selection.epsilon(runs, mu, delta=DELTA, bound="renyi", orders=renyi.ORDERS).value
    assert found < given < 1.01 * found
    _, best = renyi.monotone_epsilon(runs, mu, DELTA)
    near = best * np.linspace(0.9, 1.1, 801)
    fine, _ = renyi.epsilon_from_renyi(near, renyi.monotone_divergence(runs, mu, near), DELTA)
    assert found <= fine + 1e-4  # no order of a fine grid is better, but for the grid itself
    assert found >= selection.epsilon(runs, mu, delta=DELTA).value


def test_generic_orders_are_refined_around_the_best():
    for runs in (selection.NegativeBinomial(1, 0.01), selection.Poisson(20)):
        ask = {"mu": 0.5, "delta": DELTA, "bound": "generic"}
        found = selection.epsilon(runs, **ask).value
        fine = tuple(1 + np.geomspace(0.01, 399, 1500))
        best = selection.epsilon(runs, **ask, orders=fine).value
        assert found <= selection.epsilon(runs, **ask, orders=renyi.ORDERS).value
        assert found == pytest.approx(best, rel=1e-4)
