"""Learned orderings see what no threshold sees, and their bounds stay true."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binomtest, multivariate_normal, norm

import workbench as wb
from workbench.bounds.held_out.ordering import likelihood_ratio

DELTA = 0.05
GRID = np.linspace(-14, 14, 200_001)


def density(*parts):
    """A mixture of (weight, mean, standard deviation)."""
    return sum(w * norm(m, sd).pdf(GRID) for w, m, sd in parts)


def draws(rng, n, *parts):
    which = rng.choice(len(parts), n, p=[w for w, _, _ in parts])
    _, mean, sd = np.array(parts).T
    return rng.normal(mean[which], sd[which])


def true_epsilon(p, q, cell, delta=DELTA):
    """From densities on a grid."""

    def profile(epsilon):
        a = np.exp(epsilon)
        return max(np.maximum(p - a * q, 0).sum(), np.maximum(q - a * p, 0).sum()) * cell

    return brentq(lambda epsilon: profile(epsilon) - delta, 0, 30)


UNEQUAL = [(1, 0, 1.5)], [(1, 0, 1)]
BIMODAL = [(0.5, -2, 0.6), (0.5, 1.5, 0.7)], [(1, 0, 1.2)]


def sample(pair, n, seed):
    rng = np.random.default_rng(seed)
    return wb.Scores(*(draws(rng, n, *side) for side in pair), sampling="independent runs")


def test_the_truth_of_unequal_variances():
    exact = true_epsilon(*(density(*side) for side in UNEQUAL), GRID[1] - GRID[0])
    assert exact == pytest.approx(1.301, abs=1e-3)


@pytest.mark.parametrize("pair", [UNEQUAL, BIMODAL], ids=["unequal", "bimodal"])
def test_a_learned_ordering_reaches_most_of_the_truth(pair):
    """At n = 10^5 a side at least 70% of the true ε, where no threshold sees half of it."""
    exact = true_epsilon(*(density(*side) for side in pair), GRID[1] - GRID[0])
    s = sample(pair, 10**5, seed=1)
    band = wb.tradeoff_band(wb.learn_ordering(s).scores)
    assert wb.tradeoff_band(s).epsilon(DELTA).value < 0.606
    single = wb.epsilon_lower_bound(s, DELTA, guarantee="held-out", ordering="likelihood-ratio")
    for bound in (band.epsilon(DELTA), single):
        assert 0.7 * exact < bound.value < exact
        assert bound.guarantee == "held-out"
        assert "20%" in bound.explain()
    assert band.curve.epsilon(DELTA) <= band.epsilon(DELTA).value
    assert 0 < band.total_variation().value < 1


@pytest.mark.statistical
def test_learning_from_the_scores_that_are_measured_fails():
    """With P = Q a bound above 0 is false. Held out, it rarely is; learned on the same, often."""
    replicates, held_out, same = 200, 0, 0
    for seed in range(replicates):
        s = wb.GaussianPair(0).sample(300, seed=seed)
        held_out += wb.tradeoff_band(wb.learn_ordering(s).scores).epsilon(0).value > 0
        cheat = s.rescored(likelihood_ratio(s), "")
        same += wb.tradeoff_band(cheat).epsilon(0).value > 0
    assert binomtest(held_out, replicates, 0.05, alternative="greater").pvalue > 0.01
    assert binomtest(same, replicates, 0.05, alternative="greater").pvalue < 0.01


def test_a_learned_ordering_of_a_leak_stays_below_the_truth():
    """Every number of the band together, for a pair that leaks at both ends."""
    p, q = (density(*side) for side in UNEQUAL)
    cell = GRID[1] - GRID[0]
    truths = {d: true_epsilon(p, q, cell, d) for d in (0.01, DELTA)}
    tv = np.maximum(p - q, 0).sum() * cell
    replicates, false = 100, 0
    for seed in range(replicates):
        band = wb.tradeoff_band(wb.learn_ordering(sample(UNEQUAL, 1000, seed)).scores)
        false += band.total_variation().value > tv or any(
            band.epsilon(d).value > truth for d, truth in truths.items()
        )
    assert binomtest(false, replicates, 0.05, alternative="greater").pvalue > 0.01


def test_a_monotone_ratio_costs_little():
    s = wb.GaussianPair(1).sample(20_000, seed=3)
    learned = wb.tradeoff_band(wb.learn_ordering(s).scores).mu().value
    assert 0.93 * wb.tradeoff_band(s).mu().value < learned < 1


def test_neither_the_order_of_rows_nor_the_direction_matters():
    s = sample(BIMODAL, 2000, seed=5)
    rng = np.random.default_rng(0)
    shuffled = wb.Scores(rng.permutation(s.p), rng.permutation(s.q))
    other_way = wb.Scores(s.p, s.q, larger_is_member=False)
    bounds = [wb.tradeoff_band(wb.learn_ordering(x).scores).epsilon(DELTA).value
              for x in (s, shuffled)]  # fmt: skip
    assert bounds[0] == bounds[1]
    assert wb.tradeoff_band(wb.learn_ordering(other_way).scores).epsilon(DELTA).value > 1


def test_who_is_in_which_part_follows_from_the_scores():
    s = sample(BIMODAL, 500, seed=5)
    learned = wb.learn_ordering(s)
    assert learned.learned_on == (100, 100)
    assert (learned.scores.n_p, learned.scores.n_q) == (400, 400)
    moved = wb.Scores(s.p + 1e-9, s.q)
    assert not np.array_equal(np.sort(learned.scores.p), np.sort(wb.learn_ordering(moved).scores.p))
    np.testing.assert_array_equal(learned.scores.p, wb.learn_ordering(s).scores.p)
    assert "100 + 100" in repr(learned)


def test_discrete_scores_keep_a_ratio_each():
    """Outcomes 0 … 3; the ratio is largest at the ends."""
    rng = np.random.default_rng(2)
    p = rng.choice(4, 4000, p=[0.4, 0.1, 0.1, 0.4])
    q = rng.choice(4, 4000, p=[0.1, 0.4, 0.4, 0.1])
    learned = wb.learn_ordering(wb.Scores(p, q))
    np.testing.assert_allclose(learned.apply([0, 1, 2, 3]), np.log([4, 0.25, 0.25, 4]), atol=0.5)
    assert 0.4 < wb.tradeoff_band(learned.scores).total_variation().value < 0.6
    assert wb.tradeoff_band(wb.Scores(p, q)).total_variation().value < 0.35


def test_outcomes_that_are_no_numbers_are_outcomes():
    rng = np.random.default_rng(2)
    p, q = rng.normal(size=3000), rng.normal(size=3000)
    p[:1500], q[:30], q[30:90] = np.nan, np.inf, -np.inf
    learned = wb.learn_ordering(wb.Scores(p, q))
    nan, middle, plus, minus = learned.apply([np.nan, 0, np.inf, -np.inf])
    assert nan > 3 > middle
    assert max(plus, minus) < middle
    assert wb.tradeoff_band(learned.scores).total_variation().value > 0.4


def test_nothing_finite_on_both_sides_orders_nothing():
    s = wb.Scores([np.nan, np.inf] * 10, [np.nan, np.inf] * 10)
    assert wb.tradeoff_band(wb.learn_ordering(s).scores).mu().value == 0


def test_scores_made_elsewhere_may_say_so():
    s = wb.Scores([1, 2, 3, 4], [0, 1, 2, 3], held_out="A classifier trained on other runs.")
    bound = wb.tradeoff_band(s).mu()
    assert bound.guarantee == "held-out"
    assert "trained on other runs" in bound.explain()
    assert "trained on other runs" in s._repr_html_()


# -- several dimensions --------------------------------------------------------------------------

CORRELATED = np.array([[1, 0.8], [0.8, 1]])


def two_dimensional(n, seed):
    """Both coordinates alone are standard normal on both sides."""
    rng = np.random.default_rng(seed)
    return rng.multivariate_normal([0, 0], CORRELATED, n), rng.normal(size=(n, 2))


def test_a_classifier_finds_what_no_coordinate_shows():
    axis = np.linspace(-7, 7, 1401)
    points = np.stack(np.meshgrid(axis, axis), axis=-1)
    p, q = (multivariate_normal([0, 0], c).pdf(points) for c in (CORRELATED, np.eye(2)))
    truth = true_epsilon(p, q, (axis[1] - axis[0]) ** 2)
    p, q = two_dimensional(20_000, seed=0)
    ordering = wb.learn_ordering_nd(p, q, sampling="independent runs", name="correlated")
    bound = wb.tradeoff_band(ordering.scores).epsilon(DELTA)
    assert 0.5 * truth < bound.value < truth
    assert bound.guarantee == "held-out"
    assert bound.assumption == "independent runs"
    assert "HistGradientBoostingClassifier" in bound.note
    assert wb.tradeoff_band(wb.Scores(p[:, 0], q[:, 0])).epsilon(DELTA).value == 0
    assert ordering.apply([[1.5, 1.5], [1.5, -1.5]]).argmax() == 0
    assert ordering.learned_on == (4000, 4000)


@pytest.mark.statistical
def test_classifiers_keep_their_level_too():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(7)
    replicates, false = 120, 0
    for _ in range(replicates):
        learned = wb.learn_ordering_nd(
            rng.normal(size=(200, 3)), rng.normal(size=(250, 3)), LogisticRegression()
        )
        false += wb.tradeoff_band(learned.scores).epsilon(0).value > 0
    assert binomtest(false, replicates, 0.05, alternative="greater").pvalue > 0.01


def test_any_classifier_with_a_score_serves_and_rows_may_come_in_any_order():
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures
    from sklearn.tree import DecisionTreeClassifier

    p, q = two_dimensional(3000, seed=1)
    rng = np.random.default_rng(0)
    squares = make_pipeline(PolynomialFeatures(2), LogisticRegression())
    first, again = (
        wb.tradeoff_band(wb.learn_ordering_nd(*sides, squares).scores).epsilon(DELTA).value
        for sides in ((p, q), (rng.permutation(p), rng.permutation(q)))
    )
    assert first == pytest.approx(again, rel=1e-6)
    assert first > 1.5
    tree = wb.learn_ordering_nd(p, q, DecisionTreeClassifier(min_samples_leaf=50))
    assert wb.tradeoff_band(tree.scores).epsilon(DELTA).value > 0.5


def test_rows_of_one_cluster_stay_together():
    rng = np.random.default_rng(3)
    p, q = (np.repeat(rng.normal(m, 1, (60, 2)), 5, axis=0) for m in (1, 0))
    labels = np.repeat(np.arange(60), 5)
    ordering = wb.learn_ordering_nd(
        p, q, clusters=([f"in-{i}" for i in labels], [f"out-{i}" for i in labels])
    )
    assert (ordering.scores.n_p, ordering.scores.n_q) == (48, 48)
    assert ordering.scores.rows_p == 240
    assert ordering.scores.assumption == "clustered"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: wb.learn_ordering(wb.Scores([1, 2, 3], [1, 2, 4])), "at least 4 on each side"),
        (lambda: wb.learn_ordering(wb.GaussianPair(1).sample(50), share=1), "share must lie"),
        (lambda: wb.learn_ordering_nd([1, 2, 3], [1, 2, 3]), r"2-dimensional.*shape \(3,\)"),
        (lambda: wb.learn_ordering_nd([[1, 2]] * 9, [[1, 2, 3]] * 9), "2 columns and Q 3"),
        (lambda: wb.learn_ordering_nd([["a"]] * 9, [[1]] * 9), "table of numbers"),
        (
            lambda: wb.learn_ordering_nd([[1]] * 9, [[2]] * 9, clusters=([1], [2])),
            "one label a row",
        ),
        (
            lambda: wb.learn_ordering_nd(*two_dimensional(50, 0), __import__(
                "sklearn.neighbors", fromlist=["NearestCentroid"]).NearestNeighbors()),
            "decision_function or predict_proba",
        ),
    ],
)  # fmt: skip
def test_bad_arguments_say_what_to_do(call, says):
    with pytest.raises(ValueError, match=says):
        call()
