"""Held-out bounds keep their level, and say where nothing could be shown."""

import numpy as np
import pytest
from scipy.stats import binomtest

import workbench as wb
from workbench.bounds.held_out import held_out
from workbench.bounds.quantities import Epsilon
from workbench.bounds.random_split import SECOND_SPLIT, split
from workbench.bounds.simultaneous.rank_band import level_of_each
from workbench.bounds.simultaneous.rank_tests import rank_tests

DELTA = 1e-5

PAIRS = {
    "equal": (wb.GaussianPair(0), (300, 300)),
    "gaussian": (wb.GaussianPair(1), (400, 250)),
    "ties": (wb.RandomizedResponsePair(1.0, 0.05), (250, 400)),
}


def held_out_epsilon(s, delta=DELTA, **more):
    return wb.epsilon_lower_bound(s, delta, guarantee="held-out", **more)


@pytest.mark.parametrize(
    ("name", "ordering"),
    [
        ("equal", "threshold"),
        ("equal", "likelihood-ratio"),
        ("gaussian", "threshold"),
        ("ties", "likelihood-ratio"),
    ],
)
@pytest.mark.statistical
def test_the_bound_is_false_at_most_as_often_as_stated(name, ordering):
    """200 seeded replicates; fails when 5% is refuted at 1% significance."""
    pair, sizes = PAIRS[name]
    false = sum(
        held_out_epsilon(pair.sample(sizes, seed=seed), 0.0, ordering=ordering).value
        > pair.epsilon(0) + 1e-9
        for seed in range(200)
    )
    assert binomtest(false, 200, 0.05, alternative="greater").pvalue > 0.01


@pytest.mark.statistical
def test_ranks_chosen_where_they_are_tested_fail():
    """The same simulation catches who tunes on the scores that are measured."""
    question, false = Epsilon(0.0), 0
    for seed in range(200):
        s = wb.GaussianPair(0).sample(300, seed=seed)
        ranks, _ = held_out._favored(s, s.n_p, s.n_q, question, 0.95)
        counts, _ = s.tail_counts(s.samples.most_member_like_q(ranks))
        p = rank_tests(ranks, counts, s.n_p, s.n_q).of_values(question, np.zeros(ranks.size))
        false += p.min() <= level_of_each(0.95, held_out.RANKS)
    assert binomtest(false, 200, 0.05, alternative="greater").pvalue < 0.01


@pytest.mark.statistical
def test_several_splits_keep_the_level():
    pair = wb.GaussianPair(0)
    false = sum(
        held_out_epsilon(pair.sample(200, seed=seed), splits=3).value > 0 for seed in range(60)
    )
    assert binomtest(false, 60, 0.05, alternative="greater").pvalue > 0.01


@pytest.mark.parametrize(("mu", "least"), [(0.5, 0.565), (1, 1.6)])
def test_it_reaches_the_reference(mu, least):
    """Means over 60 samples per group of 1000; one threshold by Berger & Boos: 0.565 and 1.55."""
    pair = wb.GaussianPair(mu)
    values = [held_out_epsilon(pair.sample(1000, seed=seed)).value for seed in range(60)]
    assert least < np.mean(values) < pair.epsilon(DELTA)


def test_more_splits_depend_less_on_luck():
    s = wb.GaussianPair(1).sample(1000, seed=4)
    one = [held_out._Part.of(s, Epsilon(DELTA), 0.95, "threshold", i).expected for i in range(6)]
    assert len(set(one)) > 1
    bound = held_out_epsilon(s, splits=5)
    assert 1 < bound.value < 2.2
    assert "5 splits" in bound.explain()
    assert bound.threshold is None


@pytest.mark.parametrize(
    ("p", "combined"),
    [([0.02], 0.02), ([0.03, 0.01, 0.9], 0.02), ([0.9, 0.8, 0.01, 0.02, 0.03], 0.04), ([0.9], 0.9)],
)
def test_the_median_of_some_first_p_values_counts_twice(p, combined):
    assert held_out._of_exchangeable(np.array(p)) == pytest.approx(combined)


@pytest.mark.parametrize("splits", [2, 3, 9])
def test_exchangeable_p_values_give_a_p_value_and_bare_medians_do_not(splits):
    """Dependence that makes half of them small at once: why the median counts twice."""
    rng = np.random.default_rng(0)
    half = (splits + 1) // 2
    together = rng.random(20_000) < 0.05 * splits / half
    few = rng.permuted(np.arange(splits) < half * np.ones((together.size, 1)), axis=1)
    p = 0.05 + 0.95 * rng.random((together.size, splits))
    low = 0.05 * rng.random(p.shape)
    p = np.where(together[:, None] & few, low, p)
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.003)
    for level in (0.05, 0.1):
        combined = np.array([held_out._of_exchangeable(row) for row in p])
        assert np.mean(combined <= level) < level + 0.004
    bare = np.sort(p, axis=1)[:, half - 1]
    assert np.mean(bare <= 0.05) > 0.065


@pytest.mark.exhaustive
def test_several_splits_gain_where_leaks_are_small():
    """Means over 24 samples; a majority of three splits fell below one split."""
    for mu in (0.5, 1.0):
        samples = [wb.GaussianPair(mu).sample(1000, seed=seed) for seed in range(24)]
        one, several = (
            np.mean([held_out_epsilon(s, splits=splits).value for s in samples])
            for splits in (1, 9)
        )
        assert several > 0.98 * one


def test_the_same_data_have_one_split():
    """In other units, another order, the other direction, and as counts."""
    rng = np.random.default_rng(5)
    p, q = rng.normal(1, 1, 500), rng.normal(0, 1, 500)
    s = wb.Scores(p, q)
    again = [
        wb.Scores(rng.permutation(p), rng.permutation(q)),
        wb.Scores(-p, -q, larger_is_member=False),
        wb.CountedScores.of(wb.Scores(p, q)),
        *(wb.Scores(unit(p), unit(q)) for unit in (lambda x: 3 * x, lambda x: x + 5, np.exp)),
    ]
    assert {x.chance for x in again} == {s.chance}
    bounds = [held_out_epsilon(x) for x in (s, *again)]
    assert {b.value for b in bounds} == {bounds[0].value}
    assert bounds[2].threshold == -bounds[0].threshold
    assert {b.seed for b in bounds} == {s.chance}
    assert f"seed {s.chance}" in repr(bounds[0])


def test_discrete_data_have_one_split_too():
    rng = np.random.default_rng(6)
    p, q = rng.poisson(3, 300), rng.poisson(2, 300)
    values = {held_out_epsilon(wb.Scores(a * p, a * q)).value for a in (1, 3, 5)}
    assert len(values | {held_out_epsilon(wb.CountedScores.of(wb.Scores(p, q))).value}) == 1


def test_other_data_have_another_split():
    rng = np.random.default_rng(7)
    drawn = [wb.Scores(*rng.normal(0, 1, (2, 50))).chance for _ in range(5)]
    assert len(set(drawn)) == 5


def test_the_split_does_not_follow_from_the_data():
    """Two programs that draw for the same data draw differently: nothing is a hash of them."""
    from workbench.scores import chance

    s = wb.Scores(*np.random.default_rng(8).normal(0, 1, (2, 50)))
    drawn = set()
    for _ in range(4):
        chance._GIVEN.pop(s.fingerprint.digest, None)
        drawn.add(chance.seed_of(s.fingerprint))
    assert len(drawn) == 4


def test_a_second_number_for_the_same_data_is_a_second_try():
    p, q = np.random.default_rng(9).laplace(0, 1, (2, 200))
    first, again, other = (wb.Scores(p, q, seed=seed) for seed in (1, 1, 2))
    assert held_out_epsilon(first).void is None
    assert held_out_epsilon(again).void is None
    assert held_out_epsilon(other).void == SECOND_SPLIT


def test_few_possible_ranks_are_not_taken_for_the_same_data():
    counts = [[8, 2], [9, 1]]
    first, other = (wb.CountedScores([0, 1], *counts, seed=seed) for seed in (1, 2))
    assert not first.fingerprint.is_distinctive
    assert held_out_epsilon(first).void is None
    assert held_out_epsilon(other).void is None


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("n_p", "n_q", "p", "q", "truth"),
    [
        (12, 12, 0.9, 0.9, 0),
        (24, 12, 0.8, 0.8, 0),
        (60, 60, 0.02, 0.02, 0),
        (80, 80, 0.73, 0.27, 1),
    ],
)
def test_yes_or_no_scores_keep_the_level(n_p, n_q, p, q, truth):
    """In one process, where equal counts have equal splits; hashed splits gave up to 25%."""
    rng, false = np.random.default_rng(1), 0
    for _ in range(100):
        yes_p, yes_q = rng.binomial(n_p, p), rng.binomial(n_q, q)
        if yes_p == yes_q == 0 or (yes_p, yes_q) == (n_p, n_q):
            continue
        s = wb.CountedScores([0, 1], [n_p - yes_p, yes_p], [n_q - yes_q, yes_q])
        false += held_out_epsilon(s, 0.0).value > truth + 1e-9
    assert false <= 8


def test_parts_are_disjoint_and_complete():
    s = wb.GaussianPair(1).sample((50, 30), seed=0)
    first, rest = split(s, 0.2)
    assert (first.n_p, first.n_q, rest.n_p, rest.n_q) == (10, 6, 40, 24)
    np.testing.assert_array_equal(np.sort(np.concatenate([first.p, rest.p])), np.sort(s.p))
    np.testing.assert_array_equal(np.sort(np.concatenate([first.q, rest.q])), np.sort(s.q))


def test_what_the_bound_says_of_itself():
    rng = np.random.default_rng(0)
    labels = [f"{side}{i // 2}" for side in "pq" for i in range(400)]
    s = wb.Scores(
        rng.normal(2, 1, 400), rng.normal(0, 1, 400), clusters=(labels[:400], labels[400:])
    )
    bound = wb.mu_lower_bound(s, guarantee="held-out")
    assert bound.guarantee == "held-out"
    assert bound.assumption == "clustered"
    assert (bound.n_p, bound.n_q) == (200, 200)
    assert 0.8 < bound.value < 3
    assert "20%" in bound.note
    assert "association" in bound.cite()
    strong = held_out_epsilon(s)
    assert strong.direction in ("P‖Q", "Q‖P")
    assert np.isfinite(strong.threshold)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda s: held_out_epsilon(wb.Scores([1, 2, 3], [1, 2, 4])), "At least 6 on each side"),
        (
            lambda s: held_out_epsilon(wb.Scores(np.arange(9), np.arange(9)), confidence=0.9999),
            "too few",
        ),
        (lambda s: held_out_epsilon(s, splits=0), "splits must be a whole number of at least 1"),
        (lambda s: held_out_epsilon(s, ordering="best"), "ordering must be one of"),
        (lambda s: held_out_epsilon(s, threshold=0.1), "leave out threshold"),
        (lambda s: wb.epsilon_lower_bound(s, 0, splits=3), "belongs to guarantee='held-out'"),
        (lambda s: wb.mu_lower_bound(s, ordering="threshold"), "belongs to guarantee='held-out'"),
    ],
)
def test_bad_arguments_say_what_to_do(call, says):
    with pytest.raises(ValueError, match=says):
        call(wb.GaussianPair(1).sample(100))


def test_the_size_that_would_do_does():
    """A perfect attack of the size that the refusal names is shown, one below is refused."""
    with pytest.raises(ValueError, match="At least 11 on each side"):
        held_out_epsilon(wb.Scores(np.arange(10) + 100.0, np.arange(10)), 0.0, confidence=0.9999)
    enough = wb.Scores(np.arange(11) + 100.0, np.arange(11))
    assert held_out_epsilon(enough, 0.0, confidence=0.9999).value >= 0
