"""Bounds from the scores of the canaries of one run, and the tests of what they assume."""

import numpy as np
import pytest
from scipy.stats import binom

import workbench as wb
from workbench.onerun.scored.check import normal_scores
from workbench.onerun.scored.in_one_run import _statistics
from workbench.onerun.scored.in_several_runs import _statistics as of_several
from workbench.onerun.simulate import Memoryless, NameAndShame, SharedGaussian

DELTA = 1e-5
GAUSSIAN = wb.GaussianPair(1.0)


def memoryless(canaries, seed, pair=GAUSSIAN):
    return Memoryless(pair).run(canaries, seed=seed)


def several(mechanism, seed, runs=40, canaries=25):
    rng = np.random.default_rng(seed)
    member = rng.random((runs, canaries)) < 0.5
    return wb.ScoreTable(mechanism.draw(member, rng), member)


# -- the bound -------------------------------------------------------------------------------------


def test_the_bound_is_that_of_two_samples_under_the_name_of_its_assumption():
    run = memoryless(1000, seed=0)
    bound = wb.one_run_score_bound(run, delta=DELTA)
    plain = wb.epsilon_lower_bound(run.as_scores(), DELTA)
    assert (bound.value, bound.guarantee, bound.method) == (
        plain.value, plain.guarantee, plain.method,
    )  # fmt: skip
    assert plain.assumption == "one run"
    assert bound.assumption == "independent scores of canaries"
    assert "independent given who was in" in bound.explain()
    assert "assuming independent canaries" in str(bound)
    assert "No sign in the order of the canaries" in bound.note
    assert bound.void is None
    assert bound.cite() == plain.cite()
    looser = bound.at_confidence(0.99)
    assert (looser.assumption, looser.confidence) == (bound.assumption, 0.99)
    assert looser.value < bound.value
    mu = wb.one_run_score_bound(run, "mu")
    assert (mu.quantity, mu.value) == ("mu", wb.mu_lower_bound(run.as_scores()).value)


def test_scores_say_more_than_guesses_given_a_family_and_without_one_from_many_canaries():
    """Means over 5 runs, the guesses with the best of several abstentions, paid for."""

    def mean(canaries, scored, **guessed):
        runs = [memoryless(canaries, seed) for seed in range(5)]
        of_scores = np.mean(
            [wb.one_run_score_bound(run, delta=DELTA, family=scored).value for run in runs]
        )
        tuned = [wb.tune_one_run(run, delta=DELTA, **guessed).simultaneous.value for run in runs]
        return of_scores, np.mean(tuned)

    scores, guesses = mean(1000, "gaussian", method="abstain", family="gaussian")
    assert guesses < scores < GAUSSIAN.epsilon(DELTA)
    scores, guesses = mean(10_000, None, method="steinke")
    assert guesses < scores


def test_a_fixed_half_is_covered_too():
    rng = np.random.default_rng(0)
    included = rng.permutation(np.repeat([True, False], 500))
    run = wb.OneRun(included + rng.normal(size=1000), included, design="fixed-half")
    assert 1 < wb.one_run_score_bound(run, delta=DELTA).value < GAUSSIAN.epsilon(DELTA)


def test_a_bound_on_dependent_canaries_is_void():
    run = SharedGaussian(1.0, coordinates=100).run(1000, seed=0)
    bound = wb.one_run_score_bound(run, delta=DELTA)
    assert bound.void == "the scores of the canaries depend on each other"
    assert "Canaries depend on each other" in bound.note
    # A test that was made before replaces that of the run.
    known = wb.canary_independence(several(SharedGaussian(1.0, 25), seed=0))
    trusted = wb.one_run_score_bound(run, delta=DELTA, independence=known)
    assert (trusted.value, trusted.void) == (bound.value, None)
    assert "No sign in 40 runs" in trusted.note


@pytest.mark.statistical
def test_bounds_from_independent_canaries_are_rarely_false():
    """600 runs: more than 44 false bounds have a chance below 1% at 5%; void ones claim nothing."""
    truth, false, void = GAUSSIAN.epsilon(DELTA), np.zeros(2), 0
    for seed in range(600):
        run = memoryless(200, seed)
        tested = wb.canary_independence(run, permutations=399, seed=seed)
        for k, family in enumerate((None, "gaussian")):
            bound = wb.one_run_score_bound(run, delta=DELTA, family=family, independence=tested)
            false[k] += bound.value > truth and bound.void is None
        void += tested.dependent
    assert np.all(false <= binom.ppf(0.99, 600, 0.05))
    assert void <= binom.ppf(0.99, 600, 0.01)


# -- independence in one run -----------------------------------------------------------------------


@pytest.mark.statistical
@pytest.mark.parametrize("pair", [GAUSSIAN, wb.RandomizedResponsePair(1.0, 0.0)], ids=repr)
def test_p_values_keep_their_level(pair):
    """500 runs of 60 independent canaries: each check, and all together, at 5% and at 20%."""
    found = [
        wb.canary_independence(memoryless(60, seed, pair), permutations=199, seed=seed)
        for seed in range(500)
    ]
    singles = np.array([[check.p_value for check in one.checks] for one in found])
    together = np.array([one.p_value for one in found])
    for level in (0.05, 0.2):
        most = binom.ppf(0.999, 500, level)
        assert np.all((singles <= level).sum(axis=0) <= most)
        assert (together <= level).sum() <= most
    if pair == GAUSSIAN:  # without ties they are exact
        assert np.all((singles <= 0.2).sum(axis=0) >= binom.ppf(0.001, 500, 0.2))


def neighbors_alike(canaries, seed):
    """Noise that the canaries of a batch have in common."""
    rng = np.random.default_rng(seed)
    included = rng.random(canaries) < 0.5
    common = np.repeat(rng.normal(size=canaries // 8 + 1), 8)[:canaries]
    return wb.OneRun(included + rng.normal(size=canaries) + common, included)


def crowded_out(canaries, seed):
    """A score is lower where the canary before was in."""
    rng = np.random.default_rng(seed)
    included = rng.random(canaries) < 0.5
    return wb.OneRun(included - 0.8 * np.roll(included, 1) + rng.normal(size=canaries), included)


def spread_out(canaries, seed):
    """Canaries in a row have mean scores as equal as can be."""
    rng = np.random.default_rng(seed)
    included = np.arange(canaries) % 2 == 0
    noise, batch = rng.normal(size=canaries), round(canaries**0.5)
    for first in range(0, canaries, batch):
        noise[first : first + batch] -= noise[first : first + batch].mean()
    return wb.OneRun(included + noise, included)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (neighbors_alike, "neighboring canaries have similar scores"),
        (crowded_out, "scores are lower if the canary 1 row earlier was included"),
        (spread_out, "mean scores of 22 canaries in a row vary 0."),
        (
            lambda n, seed: SharedGaussian(1.0, coordinates=250).run(n, seed),
            "canaries that are 250 rows apart have similar scores",
        ),
    ],
    ids=["batches", "inclusion", "underdispersion", "coordinates"],
)
def test_an_influence_that_follows_the_order_is_found_and_named(make, words):
    found = wb.canary_independence(make(500, 0))
    assert found.dependent  # p < 1%
    assert words in found.explain()
    assert words in min(found.checks, key=lambda check: check.p_value).found
    # In another order nothing is left to see, but copies of one score, which are copies anywhere.
    run = make(500, 0)
    if make in (neighbors_alike, crowded_out):
        order = np.random.default_rng(1).permutation(500)
        shuffled = wb.OneRun(run.scores[order], run.included[order])
        assert not wb.canary_independence(shuffled).dependent


def test_what_one_run_cannot_show_is_said():
    revealed = next(
        run
        for run in (NameAndShame(0.5).run(500, seed) for seed in range(20))
        if set(np.unique(run.scores)) == {-1.0, 1.0}
    )
    found = wb.canary_independence(revealed)
    assert (found.p_value, found.dependent) == (1, False)
    assert "cannot show an influence that all share" in found.explain()
    common = SharedGaussian(1.0, 500, interference=0.5).run(500, seed=0)
    assert not wb.canary_independence(common).dependent


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (wb.OneRun(np.arange(6.0), [0, 1, 0, 1, 0, 1]), "there are too few canaries"),
        (wb.OneRun(np.sort(memoryless(50, 0).scores), np.arange(50) % 2), "sorted by score"),
        (wb.OneRun(-np.sort(memoryless(50, 0).scores), np.arange(50) % 2), "sorted by score"),
    ],
)
def test_where_the_order_says_nothing_nothing_is_tested(run, why):
    found = wb.canary_independence(run)
    assert (found.checks, found.p_value, found.dependent) == ((), None, False)
    assert why in found.explain()
    assert len(found.to_frame()) == 0


def test_rows_sorted_by_inclusion_beyond_what_is_looked_at(monkeypatch):
    from workbench.onerun.scored import independence

    monkeypatch.setattr(independence, "MOST_CANARIES", 100)
    run = memoryless(300, seed=0)
    order = np.argsort(~run.included, kind="stable")
    found = wb.canary_independence(wb.OneRun(run.scores[order], run.included[order]))
    assert "sorted by inclusion" in found.explain()
    assert wb.canary_independence(run).canaries == 100


def test_statistics_against_their_definitions():
    rng = np.random.default_rng(3)
    included = rng.random(21) < 0.5
    z = rng.normal(size=21)
    coin = included - included.mean()
    own = [z @ np.roll(z, -k) / 21 for k in range(1, 21)]
    other = [z @ np.roll(coin, -k) / (21 * coin.std()) for k in range(1, 21)]
    blocks = z[:20].reshape(4, 5).sum(axis=1)
    np.testing.assert_allclose(
        _statistics(z[None], included)[0],
        [np.abs(own[:10]).max(), abs(own[0]), (blocks**2).mean() / 5, np.abs(other).max()],
    )


def test_odd_scores_are_ranked():
    x = np.array([np.nan, -np.inf, 3.0, np.inf, 3.0])
    z = normal_scores(x)
    assert z[0] == z[3] == z.max()  # NaN counts as the most member-like, as +∞ does
    assert z[1] == z.min()
    assert z[2] == z[4]
    assert normal_scores(np.ones(4)).tolist() == [0] * 4
    run = memoryless(200, seed=0)
    odd = run.scores.copy()
    odd[:20], odd[20:30] = np.nan, -np.inf
    assert wb.canary_independence(wb.OneRun(odd, run.included)).p_value is not None


def test_direction_order_and_seed_are_respected():
    run = crowded_out(300, 4)
    turned = wb.OneRun(-run.scores, run.included, larger_is_member=False)
    assert wb.canary_independence(run) == wb.canary_independence(turned)
    assert wb.canary_independence(run, seed=1).checks[0].statistic == pytest.approx(
        wb.canary_independence(run).checks[0].statistic
    )


# -- independence in several runs ------------------------------------------------------------------


@pytest.mark.statistical
def test_p_values_of_tables_keep_their_level():
    found = [
        wb.canary_independence(
            several(SharedGaussian(1.0, 12), seed, runs=20, canaries=12), permutations=99, seed=seed
        )
        for seed in range(300)
    ]
    singles = np.array([[check.p_value for check in one.checks] for one in found])
    for level in (0.05, 0.2):
        assert np.all((singles <= level).sum(axis=0) <= binom.ppf(0.999, 300, level))
    assert np.all((singles <= 0.2).sum(axis=0) >= binom.ppf(0.001, 300, 0.2))


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (SharedGaussian(1.0, 25, interference=0.3), "squared correlations of two canaries"),
        (SharedGaussian(1.0, 8), "squared correlations of two canaries"),
    ],
    ids=["direction in common", "coordinates in common"],
)
def test_several_runs_show_what_one_cannot(mechanism, words):
    found = wb.canary_independence(several(mechanism, seed=0))
    assert found.dependent
    assert words in found.explain()
    assert (found.runs, found.canaries) == (40, 25)


def test_an_influence_of_the_number_of_included_canaries_is_found():
    rng = np.random.default_rng(5)
    member = rng.random((60, 20)) < 0.5
    noise = rng.normal(size=member.shape)
    table = wb.ScoreTable(member + noise - 0.3 * member.sum(axis=1, keepdims=True), member)
    found = wb.canary_independence(table)
    count = next(c for c in found.checks if c.name == "number of included canaries")
    assert count.p_value <= 0.004
    assert "scores are lower in runs that included more canaries" in count.found
    # Where cells are missing they take no part.
    present = rng.random(member.shape) < 0.9
    scores = np.where(present, table.scores, np.nan)
    partial = wb.ScoreTable(scores, member & present, present=present)
    assert wb.canary_independence(partial).dependent


def test_statistics_of_tables_against_their_definitions():
    rng = np.random.default_rng(6)
    z, coins = rng.normal(size=(7, 5)), rng.normal(size=(7, 5))
    pairs = [(r, s) for r in range(5) for s in range(5) if r != s]
    sums, counts = z.sum(axis=1), coins.sum(axis=1)
    expected = sum((z[:, r] @ z[:, r]) * (z[:, s] @ z[:, s]) / 7 for r, s in pairs)
    others = sum((z[:, r] @ z[:, r]) * (coins[:, s] @ coins[:, s]) / 7 for r, s in pairs)
    np.testing.assert_allclose(
        of_several(z, coins),
        [
            (sums**2).sum() / (z**2).sum(),
            sum((z[:, r] @ z[:, s]) ** 2 for r, s in pairs) / expected,
            sums @ counts / np.sqrt((sums**2).sum() * (counts**2).sum()),
            sum((z[:, r] @ coins[:, s]) ** 2 for r, s in pairs) / others,
        ],
    )


def test_a_table_of_one_canary_has_nothing_to_compare():
    found = wb.canary_independence(several(SharedGaussian(1.0, 1), seed=0, canaries=1))
    assert "the table has one canary" in found.explain()


# -- refusals and texts ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda run: wb.canary_independence(run.as_scores()), TypeError, "data must be a OneRun"),
        (lambda run: wb.canary_independence(run, permutations=0), ValueError, "permutations must"),
        (lambda run: wb.one_run_score_bound(run), ValueError, "'epsilon' needs delta="),
        (lambda run: wb.one_run_score_bound(run, "mu", delta=0.1), ValueError, "'mu' has none"),
        (lambda run: wb.one_run_score_bound(run, "tpr"), ValueError, "quantity must be one of"),
        (lambda run: wb.one_run_score_bound(3, delta=0.1), TypeError, "run must be a"),
        (
            lambda run: wb.one_run_score_bound(run, delta=0.1, independence=0.3),
            TypeError,
            "independence must be what",
        ),
        (
            lambda run: wb.one_run_score_bound(
                run, delta=0.1, family="gaussian", guarantee="held-out"
            ),
            ValueError,
            "leave out one of guarantee= and family=",
        ),
    ],
)
def test_calls_that_make_no_sense_are_refused(ask, error, words):
    with pytest.raises(error, match=words):
        ask(memoryless(50, seed=0))


def test_a_notebook_shows_all_checks():
    found = wb.canary_independence(memoryless(100, seed=0))
    shown = found._repr_html_()
    for check in found.checks:
        assert check.name in shown
    assert str(found) == found.explain()
    assert list(found.to_frame().columns) == ["check", "statistic", "p_value"]
