"""The testers that count one event keep their level, and find what is there."""

import itertools

import numpy as np
import pytest
from scipy.stats import binomtest

import workbench as wb
from workbench.claims.pair import PairClaim
from workbench.mechanisms.gallery import mechanism
from workbench.testers.learning.outputs import OutputsError
from workbench.testers.property_testers.histogram import HistogramTester
from workbench.testers.property_testers.hockey_stick import HockeyStickTester
from workbench.testers.property_testers.registry import tester as registered

CONFIDENCE = 2 / 3
APPROX = wb.ApproxDP(0.1, 1e-5)


def too_often(violations, runs, confidence=CONFIDENCE):
    """Whether so many are too many for the level, at 1%."""
    return binomtest(int(violations), runs, 1 - confidence, "greater").pvalue < 0.01


# -- the level ------------------------------------------------------------------------------------

#: One and the same distribution for both sides.
EQUAL = {
    "normal": lambda rng, n: rng.normal(size=n),
    "tiny": lambda rng, n: 1e-3 * rng.normal(size=n),
    "large": lambda rng, n: 1e4 * rng.standard_cauchy(size=n),
    "half NaN": lambda rng, n: np.where(rng.random(n) < 0.5, np.nan, rng.normal(size=n)),
    "discrete": lambda rng, n: rng.integers(0, 4, n),
    "text": lambda rng, n: rng.choice(["a", "b", "c"], n),
    "rare": lambda rng, n: rng.poisson(0.05, n),
}


def equal_columns(rng, n):
    x = rng.normal(size=n)
    return np.column_stack([x, x, np.ones(n)])


@pytest.mark.parametrize("name", ["hockey-stick", "histogram"])
@pytest.mark.statistical
def test_equal_distributions_are_refuted_at_most_as_often_as_stated(name):
    """1000 runs against the strictest claim there is, δ(0) = 0; fails at 1% significance."""
    runs, violations = 1000, []
    for seed, draw in zip(range(runs), itertools.cycle(EQUAL.values()), strict=False):
        rng = np.random.default_rng([seed, 7])
        p, q = draw(rng, 60 + seed % 90), draw(rng, 250)
        violations.append(
            wb.find_violation(p, q, wb.PureDP(0), name, confidence=CONFIDENCE, seed=rng).violation
        )
    assert not too_often(sum(violations), runs)
    # The level is used: a tester that never speaks would pass this test too.
    assert sum(violations) > 0.1 * runs
    for kind in range(len(EQUAL)):
        each = violations[kind :: len(EQUAL)]
        assert not too_often(sum(each), len(each)), list(EQUAL)[kind]


def test_so_are_equal_rows_of_repeated_columns():
    found = []
    for seed in range(40):
        rng = np.random.default_rng([seed, 11])
        p, q = equal_columns(rng, 100), equal_columns(rng, 220)
        found.append(
            wb.find_violation(p, q, wb.PureDP(0), confidence=CONFIDENCE, seed=rng).violation
        )
    assert not too_often(sum(found), len(found))


@pytest.mark.parametrize("name", ["hockey-stick", "histogram"])
def test_a_tester_that_measures_what_it_was_fitted_on_is_caught(name):
    judge, found = registered(name), 0
    for seed, draw in zip(range(70), itertools.cycle(EQUAL.values()), strict=False):
        rng = np.random.default_rng([seed, 13])
        p, q = draw(rng, 150), draw(rng, 250)
        witness = judge.fit(p, q, wb.PureDP(0), rng)
        found += witness.measure(p, q, CONFIDENCE).violation
    assert too_often(found, 70)


def on_the_edge(name, rng, n_p, n_q):
    """Outputs that just meet a claim, and the claim."""
    if name == "gdp":
        return rng.normal(0.7, 1, n_p), rng.normal(0, 1, n_q), wb.GDP(0.7)
    if name == "pure":
        return rng.random(n_p) < 0.75, rng.random(n_q) < 0.25, wb.PureDP(np.log(3))
    if name == "mirrored":
        return rng.random(n_p) < 0.04, rng.random(n_q) < 0.12, wb.PureDP(np.log(3))
    if name == "renyi":
        return rng.normal(0.7, 1, n_p), rng.normal(0, 1, n_q), wb.RenyiDP(2, 0.49)
    allowed = float(wb.GaussianPair(0.7).profile(0.2))
    return rng.normal(0.7, 1, n_p), rng.normal(0, 1, n_q), wb.ApproxDP(0.2, allowed)


@pytest.mark.parametrize("name", ["approx", "pure", "mirrored", "gdp", "renyi"])
def test_claims_that_are_just_true_are_refuted_at_most_as_often_as_stated(name):
    """Bound and parameter: each exceeds the truth in at most a third of the runs."""
    found = []
    for seed in range(30 if name == "renyi" else 60):
        rng = np.random.default_rng([seed, 17])
        p, q, claim = on_the_edge(name, rng, 500, 300)
        finding = wb.find_violation(p, q, claim, confidence=CONFIDENCE, seed=rng)
        own = claim.mu if name == "gdp" else claim.epsilon_0
        assert finding.violation == (finding.parameter > own)
        found.append(finding.violation)
    assert not too_often(sum(found), len(found))


# -- the reference figures ------------------------------------------------------------------------


def normals(seed, n):
    rng = np.random.default_rng(seed)
    return rng.normal(1, 1, n), rng.normal(0, 1, n)


@pytest.mark.parametrize(
    ("judge", "least"),
    [
        (HockeyStickTester(), 0.347),
        (HistogramTester(edges=np.linspace(-4, 5, 21)), 0.335),
    ],
)
def test_reference_figures(judge, least):
    """N(1, 1) against N(0, 1) at ε = 0.1, where δ = 0.3523; two seeds of the benchmark's 20."""
    values = []
    for seed in range(2):
        p, q = normals(seed, 500_000)
        witness = judge.fit(p[:100_000], q[:100_000], APPROX, np.random.default_rng(seed))
        bound = witness.measure(p[100_000:], q[100_000:], CONFIDENCE).bound
        values.append(bound.value)
    assert least <= np.mean(values) <= 0.3545
    assert (bound.quantity, bound.epsilon, bound.guarantee) == ("delta", 0.1, "held-out")
    assert (bound.assumption, bound.confidence) == ("independent runs", CONFIDENCE)
    assert (bound.n_p, bound.n_q) == (400_000, 400_000)
    assert "kong2023auditorium" in bound.cite()


@pytest.mark.parametrize(
    ("claim", "truth"),
    [
        (wb.GDP(0.5), 1.0),
        (wb.RenyiDP(1.5, 0.2), 0.75),
        (wb.ApproxDP(1.0, 1e-5), float(wb.GaussianPair(1).epsilon(1e-5))),
        (wb.PureDP(1.0), np.inf),
    ],
)
def test_every_kind_of_claim_is_refuted(claim, truth):
    p, q = normals(3, 20_000)
    finding = wb.find_violation(p, q, claim)
    own = claim.parameter
    assert finding.violation
    assert own < finding.parameter < truth
    assert finding.bound.value > finding.allowed
    true = wb.find_violation(q, np.random.default_rng(9).normal(size=20_000), claim)
    assert not true.violation


def test_a_pair_may_be_claimed():
    p, q = normals(4, 20_000)
    finding = wb.find_violation(p, q, wb.LaplacePair(0.5))
    assert finding.violation
    assert finding.parameter is None
    assert not wb.find_violation(p, q, wb.GaussianPair(1.1)).violation


def test_the_parameter_is_told_where_the_claim_stands():
    p, q = normals(5, 20_000)
    assert 2 < wb.find_violation(p, q, wb.ApproxDP(6, 1e-5)).parameter < 6
    assert 0.9 < wb.find_violation(p, q, wb.GDP(1.2)).parameter < 1.2
    assert 0.35 < wb.find_violation(p, q, wb.RenyiDP(1.5, 1.0)).parameter < 0.75


# -- what is rare, and what is odd ----------------------------------------------------------------


def rare(kind, rng, n=300_000):
    """P has an event of probability 3e-4 that Q never has."""
    hit = rng.random(n) < 3e-4
    if kind == "value":
        p, q = rng.normal(size=n), rng.normal(size=n)
        p[hit] = 0.5
    elif kind == "tail":
        p, q = rng.normal(size=n), rng.normal(size=n)
        p[hit] = rng.uniform(6, 7, hit.sum())
    elif kind == "NaN in a column":
        p, q = rng.normal(size=(n // 4, 2)), rng.normal(size=(n // 4, 2))
        p[(np.flatnonzero(hit) % (n // 4)), 1] = np.nan
    else:
        p, q = (rng.choice(["x", "y"], n).astype("<U9") for _ in range(2))
        p[hit] = "something"
    return p, q


@pytest.mark.parametrize("kind", ["value", "tail", "text", "NaN in a column"])
def test_an_event_that_only_p_has_is_found_though_it_is_rare(kind):
    """Some 70 outputs in 240,000, of which some 9 choose the event; in most of 3 audits."""
    found = []
    for seed in range(3):
        finding = wb.find_violation(*rare(kind, np.random.default_rng(seed)), wb.PureDP(1.0))
        found.append(finding.violation and finding.parameter > 1.2)
    assert sum(found) >= 2


@pytest.mark.parametrize("name", ["svt3", "svt5"])
def test_rows_of_answers(name):
    """Whole rows matter: the sparse vector technique, gone wrong."""
    card = mechanism(name)
    rng = np.random.default_rng(0)
    p, q = (card(dataset, 40_000, rng) for dataset in card.pair)
    finding = wb.find_violation(p, q, card.claim)
    assert finding.violation
    assert not wb.find_violation(q, card(card.pair[1], 20_000, rng), card.claim).violation


def test_half_of_the_outputs_are_nan_on_one_side():
    rng = np.random.default_rng(0)
    q = rng.normal(size=4000)
    p = np.where(rng.random(4000) < 0.5, np.nan, rng.normal(size=4000))
    for name in ("hockey-stick", "histogram"):
        assert wb.find_violation(p, q, wb.PureDP(1), name).violation
        assert wb.find_violation(q, p, wb.PureDP(1), name).bound.direction == "Q‖P"


@pytest.mark.parametrize("scale", [1e-300, 1e-3, 1e4, 1e14, 1e300])
def test_no_scale_matters(scale):
    p, q = (scale * x for x in normals(0, 4000))
    for name in ("hockey-stick", "histogram"):
        assert wb.find_violation(p, q, wb.PureDP(0.5), name).violation


def test_what_is_constant_shows_nothing():
    same = np.ones(100)
    for p, q in ((same, same), (np.full(100, "a"), np.full(100, "a")), (same[:, None],) * 2):
        finding = wb.find_violation(p, q, wb.PureDP(0.1))
        assert (finding.bound.value, finding.parameter) == (0.0, 0.0)
    assert wb.find_violation(same, 0 * same, wb.PureDP(0.1)).violation
    columns = np.ones((200, 3))
    assert not wb.find_violation(columns, columns, wb.PureDP(0.1)).violation


def test_one_direction_is_as_good_as_the_other():
    """An event of probability 0.02 under one side and 0.2 under the other."""
    rng = np.random.default_rng(2)
    less, more = (rng.random(4000) < rate for rate in (0.02, 0.2))
    for p, q in ((more, less), (less, more)):
        finding = wb.find_violation(p, q, wb.PureDP(1.0))
        assert finding.violation
        assert finding.parameter > 1.5


def test_the_promise_orders_datasets():
    rng = np.random.default_rng(0)
    predictions = []
    for shift in (0.0, 0.5, 1.0):
        p, q = rng.normal(shift, 1, 4000), rng.normal(0, 1, 4000)
        predictions.append(HockeyStickTester().fit(p, q, wb.GDP(0.1), rng).predicted)
    assert predictions == sorted(predictions)
    assert abs(predictions[-1] - 1) < 0.2
    p = rng.normal(1, 1, 4000)
    assert HockeyStickTester().fit(p, q, PairClaim(wb.GaussianPair(0.5)), rng).predicted > 0


def test_the_witness_is_an_event():
    p, q = normals(0, 4000)
    witness = HockeyStickTester().fit(p[:800], q[:800], APPROX, np.random.default_rng(0))
    strength = witness.scores(q)
    assert np.corrcoef(strength, q)[0, 1] > 0.9
    event = witness.candidates.choose(witness.claim, 3200, 3200, 0.95).event
    share = np.mean(witness.scores(p) > event.threshold)
    assert np.mean(strength > event.threshold) < share


# -- power ----------------------------------------------------------------------------------------


def leakiest(claim, x, rng, n):
    """Outputs of the leakiest mechanism with a parameter."""
    if isinstance(claim, wb.GDP):
        return rng.normal(x, 1, n), rng.normal(0, 1, n)
    rate = 1 / (1 + np.exp(-x))
    return rng.random(n) < rate, rng.random(n) < 1 - rate


@pytest.mark.parametrize("claim", [wb.PureDP(1.0), wb.GDP(0.5)])
def test_what_is_called_detectable_is_detected(claim):
    """At the power stated, of 40 runs, by a tester that must find the event by itself."""
    n, judge = 1000, HockeyStickTester()
    x = judge.detectable(claim, n, n, 0.95)
    found = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, 19])
        p, q = leakiest(claim, x, rng, n + 400)
        witness = judge.fit(p[:400], q[:400], claim, rng)
        found += witness.measure(p[400:], q[400:], 0.95).violation
    assert binomtest(found, 40, 0.8, "less").pvalue > 0.01
    # Less than that is often missed: the power is told, not a safe lower limit of it.
    weaker, own = 0, claim.parameter
    for seed in range(40):
        rng = np.random.default_rng([seed, 23])
        p, q = leakiest(claim, own + (x - own) / 3, rng, n + 400)
        witness = judge.fit(p[:400], q[:400], claim, rng)
        weaker += witness.measure(p[400:], q[400:], 0.95).violation
    assert weaker < 0.6 * 40


def test_what_is_detectable_comes_nearer_with_more_outputs():
    judge = HockeyStickTester()
    for text in ("approx(1, 0.01)", "gdp(1)", "renyi(2, 0.5)"):
        claim = wb.parse_claim(text)
        own = claim.parameter
        few, many = (judge.detectable(claim, n, n, 0.95) for n in (300, 30_000))
        assert own < many < few < np.inf
        assert judge.detectable(claim, 3, 3, 0.95) == np.inf
    assert judge.detectable(wb.PureDP(20), 1000, 1000, 0.95) == np.inf
    assert judge.detectable(PairClaim(wb.GaussianPair(1)), 1000, 1000, 0.95) is None


# -- the histogram --------------------------------------------------------------------------------


def test_a_histogram_has_one_column_or_few_distinct_rows():
    judge, rng = HistogramTester(), np.random.default_rng(0)
    assert "2" in judge.unsupported_reason(APPROX, rng.normal(size=(50, 2)))
    for example in (rng.normal(size=50), rng.normal(size=(50, 1)), rng.integers(0, 2, (50, 3))):
        assert judge.unsupported_reason(APPROX, example) is None
    p, q = (rng.integers(0, k, (2000, 3)) for k in (2, 3))
    assert wb.find_violation(p, q, wb.PureDP(1), judge).violation


def test_bins_hold_what_lies_between_their_edges():
    judge = HistogramTester(edges=[0, 1, 2, 3])
    x = np.array([-5, 0.5, 1.0, 1.5, 2.0, 99.0, -np.inf, np.inf, np.nan])
    witness = judge.fit(np.tile(x, 9), np.tile(x[:4], 9), APPROX, np.random.default_rng(0))
    s = witness.scores(x)
    assert s[0] == s[1] < s[4] == s[5]
    assert s[2] == s[3]
    assert (s[6:] > s[0]).all()
    many = HistogramTester(bins=60).fit(*normals(0, 4000), APPROX, np.random.default_rng(0))
    few = HistogramTester(bins=4).fit(*normals(0, 4000), APPROX, np.random.default_rng(0))
    q = normals(1, 4000)[1]
    assert np.unique(few.scores(q)).size == 4
    assert np.unique(many.scores(q)).size > 40


@pytest.mark.parametrize("edges", [[1, 2], [2, 1, 3], [0, np.nan, 1], [[0, 1, 2]]])
def test_edges_that_are_no_bins(edges):
    with pytest.raises(ValueError, match="ascending numbers"):
        HistogramTester(edges=edges)
    with pytest.raises(ValueError, match="bins"):
        HistogramTester(bins=1)


def test_too_few_to_fit():
    with pytest.raises(OutputsError, match="side Q has 3 outputs"):
        HockeyStickTester().fit(np.ones(9), np.ones(3), APPROX, np.random.default_rng(0))
