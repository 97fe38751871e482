"""Two-sided bets: predictable, true at every look, and sharp where P and Q differ in spread."""

import numpy as np
import pytest
from scipy.stats import binomtest

import workbench as wb
from workbench.bounds.anytime import betting
from workbench.bounds.anytime.betting import EpsilonClaims, log_factors, log_wealth
from workbench.bounds.anytime.predictable_counts import WARM_UP, Tally
from workbench.bounds.anytime.sets import Distance, less_than, more_than
from workbench.bounds.anytime.vectors import AnytimeVectorAudit

GOAL = np.log(20)


def looks_of(p, q, ratio=(1, 1)):
    """Blocks and counts at all looks."""
    runs = Tally(ratio).add(np.asarray(p, dtype=float), np.asarray(q, dtype=float))
    return np.concatenate([n for n, _ in runs]), np.concatenate([c for _, c in runs], axis=1)


def stops_at(p, q, claim=0.0, delta=0.0):
    """The block by which (ε, δ)-DP is refuted, and the evidence at every look."""
    n, counts = looks_of(p, q)
    log = log_wealth(counts, log_factors(EpsilonClaims(delta), claim, claim, (1, 1)))
    reached = n[log >= GOAL]
    return (float(reached[0]) if reached.size else np.inf), log


def mean_without_count(rng, n, epsilon, draw):
    """Means of (0) and of (0, 1) whose noise leaks the number of records (arXiv 2509.07055)."""
    return draw(rng, 0.0, 2 / epsilon, n), draw(rng, 0.5, 1 / epsilon, n)


def laplace(rng, place, deviation, n):
    return rng.laplace(place, deviation / np.sqrt(2), n)


def gaussian(rng, place, deviation, n):
    return rng.normal(place, deviation, n)


# -- the sets -------------------------------------------------------------------------------------

ODD = np.array([-np.inf, -2.5, -1.0, -0.0, 0.0, 0.1, 0.3, 1.0, 7.0, 1e308, np.inf, np.nan])


def members(sets, x):
    """Which scores lie in each set, in numpy's order."""
    begin, end, outside = sets
    from_begin = (x[:, None] >= begin) | np.isnan(x)[:, None]
    from_end = (x[:, None] >= end) | np.isnan(x)[:, None]
    return (from_begin & ~from_end) != outside


def test_sets_are_what_they_are_called():
    t = np.array([-1.0, 0.0, 7.0, np.inf, -np.inf])
    nan = np.isnan(ODD)[:, None]
    np.testing.assert_array_equal(members(more_than(t), ODD), (ODD[:, None] > t) | nan)
    np.testing.assert_array_equal(members(less_than(t), ODD), ODD[:, None] < t)
    assert not members(more_than(np.array([np.nan])), ODD).any()
    distance = np.where(np.isnan(ODD), np.inf, np.abs(ODD - 0.1))[:, None]
    reach = np.array([0.2, 0.9, 1.1, 50.0, np.inf])
    tie = np.where(np.isfinite(reach), 1e-9, 0)
    for sign, far, near in ((1, "more_than", "less_than"), (-1, "less_than", "more_than")):
        order = Distance(0.1, sign)
        beyond = members(getattr(order, far)(sign * reach), ODD)
        within = members(getattr(order, near)(sign * reach), ODD)
        np.testing.assert_array_equal(beyond, distance > reach + tie)
        np.testing.assert_array_equal(within, distance < reach - tie)


def test_the_distance_finds_who_lies_closer_and_where():
    rng = np.random.default_rng(0)
    close, wide = rng.normal(3, 1, 400), rng.normal(3, 2, 400)
    for p, q, sign in ((close, wide, -1), (wide, close, 1)):
        found = Distance.learned(p, q)
        assert found.sign == sign
        assert found.center == pytest.approx(3, abs=0.2)
    assert Distance.learned(np.full(16, np.nan), np.full(16, np.inf)).center == 0
    mirrored = Distance.learned(-wide, -close)
    assert (mirrored.center, mirrored.sign) == (-Distance.learned(wide, close).center, 1)


# -- predictable ----------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [17, 32, 33, 63, 64, 100, 257])
def test_the_future_never_changes_present_bets(block):
    """Counts, hence wealth, up to a look are the same whatever comes after it."""
    rng = np.random.default_rng(block)
    p, q = rng.standard_t(2, 600), 2 * rng.standard_t(2, 600)
    n, counts = looks_of(p, q)
    until = n <= block
    for change in (rng.permutation, lambda x: x[::-1] * 100, lambda x: np.full(x.size, np.nan)):
        later = [np.concatenate([x[:block], change(x[block:])]) for x in (p, q)]
        again, changed = looks_of(*later)
        np.testing.assert_array_equal(again, n)
        np.testing.assert_array_equal(changed[:, until], counts[:, until])


def test_sets_of_a_look_depend_on_earlier_scores_only():
    """A score moves none of the sets that it falls into: thresholds are from before its epoch."""
    rng = np.random.default_rng(1)
    p, q = rng.normal(0, 1, 100), rng.normal(0, 3, 100)
    tally = Tally((1, 1))
    tally.add(p[: WARM_UP + 1], q[: WARM_UP + 1])
    placed = tally._sets
    tally.add(p[WARM_UP + 1 : 2 * WARM_UP], 50 + q[WARM_UP + 1 : 2 * WARM_UP])
    assert tally._sets is placed
    tally.add(p[2 * WARM_UP :], q[2 * WARM_UP :])
    assert tally._sets is not placed


def test_the_warm_up_of_vectors_is_spent():
    """No bet is placed on it, and what comes later does not change the ordering."""
    rng = np.random.default_rng(2)
    p, q = rng.normal(0, 1, (300, 2)), rng.normal(1, 1, (300, 2))
    whole = wb.learn_ordering_in_order(p, q, warm_up=50)
    assert whole.scores.n_p == whole.scores.n_q == 250
    p[50:] = rng.permutation(p[50:])
    later = wb.learn_ordering_in_order(p, q[:200], warm_up=50)
    np.testing.assert_array_equal(whole.apply(q), later.apply(q))
    # A warm-up that leaks shows nothing by itself.
    p[:50], q[:50] = 100.0, -100.0
    p[50:], q[50:] = 0.0, 0.0
    assert AnytimeVectorAudit(0.0, warm_up=50).update(p, q).value == 0


# -- true at every look ---------------------------------------------------------------------------


def discrete(rng, n):
    return rng.choice([-1.0, 0.0, 0.0, 0.0, 1.0], n)


#: Pairs that meet the claim (ε, δ) with equality or nearly so, and whose noise is two-sided.
TRUE = {
    "P = Q Gaussian": (0.0, lambda rng, n: (rng.normal(size=n), rng.normal(size=n))),
    "P = Q Cauchy": (0.0, lambda rng, n: (rng.standard_cauchy(n), rng.standard_cauchy(n))),
    "P = Q with atoms": (0.0, lambda rng, n: (discrete(rng, n), discrete(rng, n))),
    "randomized response on the size": (
        1.0,
        lambda rng, n: tuple(
            np.where(rng.random(n) < share, 1.0, 3.0) * rng.choice([-1, 1], n)
            for share in (1 / (1 + np.e), np.e / (1 + np.e))
        ),
    ),
}


@pytest.mark.statistical
@pytest.mark.parametrize("name", TRUE)
def test_a_true_claim_is_ever_refuted_at_most_as_often_as_stated(name):
    """400 replicates, a look after every block; the test errs with probability 1 % or less."""
    claim, draw = TRUE[name]
    refuted = sum(
        np.isfinite(stops_at(*draw(np.random.default_rng(seed), 400), claim)[0])
        for seed in range(400)
    )
    assert binomtest(refuted, 400, 0.05, alternative="greater").pvalue > 0.01


@pytest.mark.statistical
def test_a_center_that_knows_the_scores_fails_the_same_test():
    """The simulation catches sets that are chosen with the present scores in view."""
    false = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        p, q = rng.normal(size=(2, 400))
        bet = log_factors(EpsilonClaims(0.0), 0.0, 0.0, (1, 1))
        wealth = []
        for center in np.linspace(-2, 2, 9):
            for sign in (-1, 1):
                counts = looks_of(sign * np.abs(p - center), sign * np.abs(q - center))[1]
                wealth.append(log_wealth(counts, bet))
        false += bool((np.max(wealth, axis=0) >= GOAL).any())
    assert binomtest(false, 100, 0.05, alternative="greater").pvalue < 0.01


@pytest.mark.statistical
def test_vectors_without_a_leak_are_accused_at_most_as_often_as_stated():
    false = 0
    for seed in range(200):
        p, q = np.random.default_rng(seed).normal(size=(2, 200, 2))
        audit = AnytimeVectorAudit(0.0, warm_up=20)
        false += audit.update(p, q).value > 0
    assert binomtest(false, 200, 0.05, alternative="greater").pvalue > 0.01


def test_the_wealth_is_fair_on_average():
    """At ε = 0 and P = Q its mean at any look is at most 1."""
    last = [
        stops_at(*np.random.default_rng(seed).standard_cauchy((2, 150)))[1][-1]
        for seed in range(400)
    ]
    e = np.exp(last)
    assert 0.5 < e.mean() < 1 + 3 * e.std() / np.sqrt(e.size)


# -- sharp ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("draw", "most"), [(laplace, 130), (gaussian, 85)])
def test_means_that_leak_the_count_are_rejected_early_on_raw_outputs(draw, most):
    """Claimed ε = 0.1; 150 runs, whose mean errs by about 4 samples."""
    seeds = [np.random.default_rng(seed) for seed in range(150)]
    stops = [stops_at(*mean_without_count(rng, 1500, 0.1, draw), claim=0.1)[0] for rng in seeds]
    assert np.mean(stops) <= most
    # Exchanged and mirrored, it is the same audit.
    p, q = mean_without_count(np.random.default_rng(0), 1500, 0.1, draw)
    assert stops_at(-q, -p, claim=0.1)[0] == stops_at(p, q, claim=0.1)[0]


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_a_change_of_scale_needs_far_fewer_samples_than_one_sided_bets(share, monkeypatch):
    rngs = [np.random.default_rng(seed) for seed in range(60)]
    pairs = [(rng.normal(0, 1, 3000), rng.normal(0, share, 3000)) for rng in rngs]
    both = np.mean([stops_at(p, q)[0] for p, q in pairs])
    weights = betting._LOG_WEIGHTS.copy()
    weights[betting.LEVELS.size :] = -np.inf
    weights -= np.log(np.exp(weights).sum())
    monkeypatch.setattr(betting, "_LOG_WEIGHTS", weights)
    assert both < 0.65 * np.mean([stops_at(p, q)[0] for p, q in pairs])


@pytest.mark.parametrize(("mu", "most", "runs"), [(0.5, 190, 150), (0.8, 900, 120)])
def test_monotone_pairs_lose_little(mu, most, runs):
    """Gaussian μ = 1 against a smaller one: as many samples as with one-sided bets alone."""
    claim = wb.parse_claim(f"gdp({mu})")
    stops = []
    for seed in range(runs):
        scores = wb.GaussianPair(1).sample(4000, seed=seed)
        evidence = wb.claim_evidence(scores, claim)
        stops.append(evidence.refuted_at(0.95, 4000) or 4000)
    assert np.mean(stops) <= most


def test_epsilon_at_a_small_delta_loses_little():
    """Means of bounds, against those of one-sided bets alone: 1.4778 and 0.9739."""
    for mu, n, alone in ((1, 1000, 1.4778), (0.5, 10_000, 0.9739)):
        pair = wb.GaussianPair(mu)
        bounds = [wb.anytime_epsilon(pair.sample(n, seed=i), 1e-5).value for i in range(16)]
        assert np.mean(bounds) > 0.96 * alone


# -- ties, atoms, constant scores, NaN ------------------------------------------------------------


def test_constant_scores_show_nothing():
    for value in (0.0, -3.5, np.inf, -np.inf, np.nan, 1e308):
        assert stops_at(np.full(500, value), np.full(500, value))[0] == np.inf
        counts = looks_of(np.full(300, value), np.full(300, value))[1]
        assert np.isfinite(counts).all()


def test_atoms_on_both_sides_of_a_center_are_found():
    """P puts 0.8 on the middle of three values, Q 0.2; no threshold shows half of it."""
    rng = np.random.default_rng(3)
    p, q = (
        np.where(rng.random(800) < share, 0.3, rng.choice([0.1, 0.5], 800)) for share in (0.8, 0.2)
    )
    scores = wb.Scores(p, q)
    assert 0.9 < wb.anytime_epsilon(scores, 0).value < np.log(4)
    mirrored = wb.Scores(-p, -q, larger_is_member=False)
    for level in (0.55, 0.6, 0.7, 0.8, 0.95, 0.999):
        found = [wb.anytime_epsilon(s, 0, confidence=level).value for s in (scores, mirrored)]
        assert found[0] == found[1]
    # The other direction is another audit, though two-sided bets hardly feel it.
    turned = wb.anytime_epsilon(wb.Scores(-p, -q), 0).value
    assert turned == pytest.approx(wb.anytime_epsilon(scores, 0).value, rel=0.05)


def test_nan_is_as_far_out_as_infinity_and_counted_once():
    rng = np.random.default_rng(4)
    p, q = rng.normal(0, 1, 400), rng.normal(0, 3, 400)
    q[rng.random(400) < 0.2] = np.nan
    n, counts = looks_of(p, q)
    assert np.all(counts.sum(axis=2) == 2 * (n - WARM_UP))
    assert stops_at(p, q)[0] < 150


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: AnytimeVectorAudit(0.0).update(np.full((3, 2), np.nan)), r"row 0 of P is \[nan"),
        (lambda: AnytimeVectorAudit(0.0).update(q=np.full((3, 2), -np.inf)), "row 0 of Q"),
        (lambda: AnytimeVectorAudit(0.0).update(np.ones(3)), "2-dimensional.*got shape"),
        (lambda: AnytimeVectorAudit(0.0).update(["x"]), "a table of numbers"),
        (lambda: AnytimeVectorAudit(0.0).update(np.ones((3, 2)), np.ones((3, 1))), "1 columns"),
        (lambda: AnytimeVectorAudit(0.0, learner="mmd"), 'must be "kernel" or a scikit-learn'),
        (lambda: AnytimeVectorAudit(0.0, warm_up=1), "warm_up must be"),
        (lambda: wb.learn_ordering_in_order(np.ones((9, 2)), np.ones((9, 2))), "at least 66"),
    ],
)
def test_vectors_that_cannot_be_bet_on_are_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_a_refused_row_is_not_taken_in():
    audit = AnytimeVectorAudit(0.0, warm_up=4)
    rng = np.random.default_rng(5)
    p, q = rng.normal(size=(2, 100, 2))
    audit.update(p[:50], q[:50])
    with pytest.raises(ValueError, match="nan"):
        audit.update(p[50:], np.full((50, 2), np.nan))
    assert audit.update(p[50:], q[50:]) == _at_once(p, q)


def _at_once(p, q, **options):
    return AnytimeVectorAudit(0.0, warm_up=4, **options).update(p, q)


# -- vectors --------------------------------------------------------------------------------------


def correlated(seed, n=400):
    """No coordinate tells P from Q; their correlation does."""
    x, y = np.random.default_rng(seed).normal(size=(2, 2, n))
    return np.stack([x[0], x[0] + 0.5 * y[0]], axis=1), np.stack([x[1], 0.5 * y[1] - x[1]], axis=1)


def test_what_only_the_vectors_show_is_found():
    p, q = correlated(0)
    assert _epsilon(wb.learn_ordering_in_order(p, q).scores) > 1
    assert max(_epsilon(wb.Scores(p[:, i], q[:, i])) for i in range(2)) < 0.2


def _epsilon(scores):
    return wb.anytime_epsilon(scores, 0).value


def test_a_classifier_may_learn_the_ordering():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(6)
    p, q = rng.normal(0.5, 1, (500, 4)), rng.normal(0, 1, (500, 4))
    audit = AnytimeVectorAudit(0.0, learner=LogisticRegression())
    assert audit.rule is None
    bound = audit.update(p, q)
    assert bound.guarantee == "anytime"
    assert bound.value > 0.3
    assert "learned on the first 64" in bound.note
    assert np.corrcoef(audit.rule(q), q.sum(axis=1))[0, 1] > 0.8


def test_vectors_give_the_same_bound_however_they_are_chopped():
    p, q = (np.round(x, 1) for x in correlated(1))
    whole, audit, rng = _at_once(p, q), AnytimeVectorAudit(0.0, warm_up=4), np.random.default_rng(7)
    cuts = [np.sort(rng.integers(0, 400, 30)) for _ in range(2)]
    for rows in zip(*(np.split(x, c) for x, c in zip((p, q), cuts, strict=True)), strict=True):
        bound = audit.update(*rows)
    assert bound == whole
    assert whole.n_p == whole.n_q == 396 // 4 * 4


def test_constant_columns_order_nothing():
    p, q = np.ones((200, 2)), np.ones((200, 2))
    assert _at_once(p, q).value == 0
