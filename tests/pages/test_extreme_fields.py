"""Whatever is typed or dragged ends in a drawing or a message, and costs little."""

import math
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import param
import pytest
from scipy.special import ndtri

import workbench as wb
from workbench.bounds.counts import binomial, joint_exact
from workbench.bounds.power import power
from workbench.bounds.quantities import Epsilon
from workbench.bounds.simultaneous import rank_tests
from workbench.onerun import mahloujifar
from workbench.pages import pair_lab
from workbench.pages.core.sliders import SCORE, IntegerField, NumberField, scale, taken
from workbench.pages.counts import CountsPage
from workbench.pages.pair_lab import PairLabPage
from workbench.pages.plan import PlanPage
from workbench.pages.scores.page import ScoresPage
from workbench.pages.selection.page import SelectionPage
from workbench.pairs.families.registry import family_named


class Fields(param.Parameterized):
    count = IntegerField(5, (0, 10**9), label="Runs", doc="How many.")
    order = NumberField(2.0, (1, 100), inclusive_bounds=(False, True), label="Order")
    level = param.Number(0.5, bounds=(0, 1), step=0.25, label="Level")
    bins = param.Integer(20, bounds=(2, 200), label="Bins")
    floor = param.Number(1.0, bounds=(0, None), label="Floor")


# -- what a field takes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("count", 10**9 + 1, "Runs must be at most 1,000,000,000; got 1,000,000,001"),
        ("count", 10**400, "Runs must be at most 1,000,000,000; got 1.000e+400"),
        ("count", 1e18, "Runs must be at most 1,000,000,000; got 1.000e+18"),
        ("count", -1, "Runs must be at least 0; got -1"),
        ("count", 2.5, "Runs must be a whole number; got 2.5"),
        ("count", math.nan, "Runs must be finite; got nan"),
        ("count", math.inf, "Runs must be finite; got inf"),
        ("count", None, "Runs must be a number; got None"),
        ("count", True, "Runs must be a number; got True"),
        ("count", "", "Runs must be a number; got ''"),
        ("count", "12", "Runs must be a number; got '12'"),
        ("order", 1, "Order must be above 1; got 1"),
        ("order", 1e308, "Order must be at most 100; got 1.000e+308"),
        ("level", -math.inf, "Level must be finite; got -inf"),
        ("level", "<b>", "Level must be a number; got '<b>'"),
        ("floor", -1e-300, "Floor must be at least 0; got -1.000e-300"),
    ],
)
def test_what_is_refused_is_told_with_its_bound(name, typed, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        taken(Fields.param[name], typed)


def test_long_text_is_quoted_in_short():
    with pytest.raises(ValueError, match=r"must be a number; got 'x{38}…$"):
        taken(Fields.param.count, "x" * 10_000)


@pytest.mark.parametrize(
    ("name", "chosen", "becomes"),
    [
        ("count", 10**9, 10**9),
        ("count", 7.0, 7),
        ("count", np.float64(7), 7),
        ("order", 100, 100.0),
        ("level", 1.75, 1.0),  # a slider's ends may have moved since
        ("level", -3, 0.0),
        ("bins", 10**400, 200),
    ],
)
def test_what_is_taken(name, chosen, becomes):
    value = taken(Fields.param[name], chosen)
    assert value == becomes
    assert type(value) is (int if name in ("count", "bins") else float)
    setattr(Fields(), name, value)


def test_a_field_has_bounds_in_words_and_no_slider():
    assert Fields.param.count.doc == "How many. From 0 to 1,000,000,000."
    assert scale(Fields.param.count) == (None, None, 1)
    with pytest.raises(ValueError, match="at most 1000000000"):
        Fields().count = 10**9 + 1


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ((1.0, 100.0), "Where. From 1 to 100."),
        ((0.3, 1), "Where. From 0.3 to 1."),
        (SCORE, "Where."),
        ((-1e12, 1e12), "Where."),
    ],
)
def test_the_help_of_a_field_leaves_out_bounds_that_are_only_technical(bounds, said):
    class Field(param.Parameterized):
        at = NumberField(1.0, bounds, doc="Where.")

    assert Field.param.at.doc == said
    with pytest.raises(ValueError, match="at most"):
        Field().at = 2 * bounds[1]


@pytest.mark.exhaustive
@pytest.mark.slow
def test_no_typed_value_costs_much():
    """The page grew to 17.7 GB for a count of 10⁹."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.extreme_fields", "--typed"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stdout + done.stderr


# -- bounded work ------------------------------------------------------------------------------

LIMITS = (binomial.clopper_pearson_upper, binomial.wilson_upper, binomial.jeffreys_upper)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("n", [1, 7, 1000])
def test_misses_are_those_of_all_counts(limit, n):
    rates, limits = np.geomspace(0.2 / n, 0.999, 300), limit(np.arange(n + 1), n, 0.01)
    which = np.searchsorted(limits, rates)
    direct = np.where(which > 0, binomial.betaincc(np.maximum(which, 1), n - which + 1, rates), 0)
    found = binomial.miss_probability(rates, limit, n, 0.01)
    np.testing.assert_allclose(found, direct, atol=1e-12)


@pytest.mark.parametrize("limit", LIMITS)
def test_misses_of_many_runs_need_few_limits(limit):
    asked = []

    def counted(k, n, error):
        asked.append(np.size(k))
        return limit(k, n, error)

    rates = np.geomspace(1e-10, 0.5, 50)
    found = binomial.miss_probability(rates, counted, 10**9, 0.05)
    assert sum(asked) <= 12 * rates.size
    # By the normal law where many are expected.
    assert found[-1] == pytest.approx(0.05, abs=1e-4)
    assert (found[0] == 0) or limit is not LIMITS[0]


class CountingFamily:
    """A family that counts the steps of a recursion."""

    def __init__(self, name):
        self.family, self.steps = family_named(name, delta=1e-5, q=None), 0

    def __getattr__(self, name):
        return getattr(self.family, name)

    def least_mass(self, leaks):
        least = self.family.least_mass(leaks)

        def counted(right):
            self.steps += 1
            return least(right)

        return counted


def test_the_recursion_in_blocks_of_steps_refutes_a_little_less(monkeypatch):
    asked = {"canaries": 10_000, "guesses": 10_000, "correct": 6910, "error": 0.05}
    family = family_named("gaussian", delta=1e-5, q=None)
    exact = mahloujifar.largest_refuted(family, **asked)
    monkeypatch.setattr(mahloujifar, "_FINENESS", 10)
    assert 0.99 * exact < mahloujifar.largest_refuted(family, **asked) < exact


@pytest.mark.parametrize("name", ["gaussian", "laplace", "randomized-response"])
@pytest.mark.parametrize("correct", [0.6, 0.501, 1.0])
def test_the_recursion_ends_where_its_steps_stop_mattering(name, correct):
    """A few √r steps a search, also where round-off would raise the masses for ever."""
    family, n = CountingFamily(name), 10**8
    mahloujifar.largest_refuted(family, canaries=n, guesses=n, correct=int(correct * n), error=0.05)
    assert family.steps < 120_000  # of all searches; √r is 10,000


def test_critical_counts_are_the_smallest_and_found_in_few_steps(monkeypatch):
    asked = []
    of_counts = rank_tests._of_counts
    monkeypatch.setattr(
        rank_tests, "_of_counts", lambda counts, n: (asked.append(1), of_counts(counts, n))[1]
    )
    claimed, n_p, n_q = wb.GaussianPair(1).tradeoff, 100_000, 50_000
    found = power.critical_counts(claimed, n_p, n_q, 0.95)
    assert len(asked) < 17  # a bisection of all counts
    ranks = power.rank_grid(n_q)
    level = -math.expm1(0.96 * math.log(0.95) / ranks.size)  # 4% is set apart for ties
    for counts, refuted in ((found, True), (found - 1, False)):
        some = (counts > 0) & (counts <= n_p)
        tests = rank_tests.rank_tests(ranks[some], counts[some], n_p, n_q)
        assert ((tests.p_values(np.asarray(claimed(tests.alpha))) <= level) == refuted).all()


@pytest.mark.parametrize("counts", [(57686, 43394, 100_000), (400, 100, 500), (30, 3, 40)])
def test_the_combined_test_excludes_what_it_says_with_few_sums(monkeypatch, counts):
    tp, fp, n = counts
    asked, error = [], 0.05
    probability = joint_exact._Tail._probability
    monkeypatch.setattr(
        joint_exact._Tail,
        "_probability",
        lambda s, w, p: (asked.append(p.size), probability(s, w, p))[1],
    )
    ordered = joint_exact._of_attack(tp, fp, n - fp, n - tp, Epsilon(1e-5), error)
    assert ordered.limit() > 0
    assert sum(asked) < 700  # rows of sums; 1300 before
    s = ordered.statistic() * (1 - 1e-9) - 1e-12
    tail = joint_exact._Tail(ordered, s, 0.8 * fp / n, 1.2 * fp / n)
    q = np.linspace(0.8, 1.2, 9) * fp / n
    p = tail.largest_excluded(q, np.zeros(9), np.ones(9))
    chance = tail._probability(tail._weights(q[:, None]), p)
    assert (chance <= tail.error).all()
    assert (ndtri(chance) >= ndtri(tail.error) - 1.01 * joint_exact.TOLERANCE).all()


def test_draws_of_large_samples_are_fewer_and_told(monkeypatch):
    monkeypatch.setattr(pair_lab, "MOST_DRAWN", 1000)
    page = PairLabPage(log_n=2.5)
    page.param.trigger("draw_many")
    assert len(page.past) == 1 + 3
    assert page.message == "Drew 3 instead of 100 samples, because they are large."


def test_a_run_that_hides_nothing_is_refused():
    page = SelectionPage(base_kind="dp-sgd", log_noise=-1.0, steps=10**6)
    with pytest.raises(
        ValueError, match=r"μ = 1e\+04, which gives no privacy; .* increase the noise"
    ):
        page.direct()


# -- what visitors share -----------------------------------------------------------------------


def test_examples_are_one_object_that_nobody_can_change():
    scores = wb.example("gaussian")
    assert wb.example("gaussian") is scores
    distinct = vars(scores.samples.distinct).values()
    for x in (scores.p, scores.q, *scores.samples.ordered, scores.samples.pooled.values, *distinct):
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 0


def test_a_second_visitor_computes_nothing_again():
    a, b = ScoresPage(), ScoresPage()
    assert a.band() is b.band()
    assert a.verdict() is b.verdict()
    b.confidence = 0.99
    assert a.band() is not b.band()
    assert CountsPage(tp=41).by_interval() is CountsPage(tp=41).by_interval()
    assert CountsPage(tp=41).by_interval() is not CountsPage(tp=42).by_interval()
    assert PlanPage().known() is PlanPage().known()


def test_results_go_with_their_scores():
    page, p = ScoresPage(), np.random.default_rng(0).normal(size=(2, 50))
    page.adopt(wb.Scores(*p), "")
    page.band()
    scores = page.scores
    assert any("band" in key[0] for key in scores.results)
    assert "results" not in vars(pickle.loads(pickle.dumps(scores)))
    page.claim_table = (("claims.csv", b"epsilon,delta\n1,1e-5\n"),)
    page.claim_kind = "table"
    page.verdict()
    assert not any("claims.csv" in str(key) for key in scores.results)
