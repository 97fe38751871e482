"""The page that watches an audit, without a front end; and the numerics of watching."""

import math

import numpy as np
import pytest
from helpers.pages import (
    as_plain,
    assert_what_does_not_declare_a_control_does_not_follow_it,
    items,
    upload,
)
from scipy.stats import binomtest

import workbench as wb
from workbench.bounds.anytime.monitoring import (
    WATCHED,
    betting_counts,
    fixed_size_limits,
)
from workbench.bounds.bound import Bound
from workbench.pages.core.page import Fact
from workbench.pages.inputs.data import example_key
from workbench.pages.monitoring import _watch
from workbench.pages.watch import WatchPage

PAIR = wb.RandomizedResponsePair(1.0, 0.0)
ASKED = {"delta": 1e-5, "confidence": 0.95}


@pytest.fixture(scope="module")
def scores():
    return PAIR.sample(3000, seed=1)


@pytest.fixture
def page():
    return WatchPage(sample_n=1000)


def first(scores, n):
    return wb.Scores(scores.p[:n], scores.q[:n], sampling=scores.sampling)


# -- numerics ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [33, 64, 500, 2048])
def test_the_evidence_by_a_row_is_that_of_the_rows_so_far(scores, n):
    found = betting_counts(scores).evidence(0.7, 1e-5).at(n)
    alone = wb.anytime_e_value(first(scores, n), 0.7, 1e-5)
    assert (found.log, found.n_p, found.n_q) == pytest.approx((alone.log, alone.n_p, alone.n_q))


def test_the_anytime_bound_by_a_row_is_that_of_the_rows_so_far(scores):
    path = wb.anytime_path(scores, **ASKED)
    for n in path.n_p[1::20].tolist():
        alone = wb.anytime_epsilon(first(scores, n), **ASKED)
        assert (path.at(n).value, path.at(n).n_p) == (alone.value, alone.n_p)
    early = path.at(12)
    assert (early.value, early.n_p) == (0, 0)
    assert "only place the thresholds" in early.note
    assert path.at(3000) == path.bound


def test_each_watched_limit_is_the_pointwise_one_of_the_rows_counted(scores):
    limit = fixed_size_limits(scores, **ASKED)
    for look in (0, 40, 99, -1):
        counted = slice(limit.pilot, int(limit.n[look]))
        if counted.stop - counted.start < 2:
            continue
        alone = wb.epsilon_lower_bound(
            wb.Scores(scores.p[counted], scores.q[counted]),
            **ASKED,
            guarantee="pointwise",
            threshold=limit.threshold,
        )
        assert limit.values[look] == pytest.approx(alone.value, abs=1e-12)
        assert limit.at(int(limit.n[look])).n_p == alone.n_p
    assert limit.n.size > 100
    assert limit.n[-1] == 3000


def test_watched_limits_are_void_and_the_largest_never_falls(scores):
    limit = fixed_size_limits(scores, **ASKED)
    largest = [limit.largest(n).value for n in range(1, 3001, 50)]
    assert np.all(np.diff(largest) >= 0)
    assert largest[-1] >= limit.at(3000).value
    for bound in (limit.at(3000), limit.largest(3000), limit.at(1)):
        assert bound.void == WATCHED
    assert limit.at(1).value == 0
    assert "only place the threshold" in limit.at(1).note


def test_the_direction_of_the_score_is_minded(scores):
    turned = wb.Scores(-scores.p, -scores.q, larger_is_member=False)
    limit, other = fixed_size_limits(scores, **ASKED), fixed_size_limits(turned, **ASKED)
    np.testing.assert_allclose(limit.values, other.values)
    assert other.threshold == -limit.threshold
    np.testing.assert_allclose(
        betting_counts(scores).evidence(0.5, 1e-5).log,
        betting_counts(turned).evidence(0.5, 1e-5).log,
    )


@pytest.mark.parametrize("n", [2, 3, 20, 33, 40])
def test_few_rows_are_watched_too(n):
    limit = fixed_size_limits(PAIR.sample(n, seed=3), **ASKED)
    assert np.all(limit.values >= 0)
    found = betting_counts(PAIR.sample(n, seed=3)).evidence(0.5, 1e-5)
    assert found.at(n).log == 0 or n > 16


def test_nan_is_an_outcome_above_all_others():
    rng = np.random.default_rng(0)
    p = np.where(rng.random(600) < 0.6, np.nan, 0.0)
    q = np.where(rng.random(600) < 0.3, np.nan, 0.0)
    limit = fixed_size_limits(wb.Scores(p, q), **ASKED)
    assert limit.at(600).value > 0.2


@pytest.mark.statistical
def test_watching_a_fixed_limit_is_wrong_too_often_and_watching_the_anytime_bound_is_not():
    """300 audits at nominal 5%: one look keeps it, many looks do not, anytime does."""
    seeds = np.random.SeedSequence(7).spawn(300)
    watched, once, anytime = _watch(PAIR, 1000, 1e-5, 0.95, tuple(seeds))
    assert binomtest(watched, 300, 0.05, alternative="greater").pvalue < 0.01
    assert binomtest(once, 300, 0.05, alternative="greater").pvalue > 0.01
    assert binomtest(anytime, 300, 0.05, alternative="greater").pvalue > 0.01


@pytest.mark.parametrize(("epsilon", "delta"), [(-1, 1e-5), (math.nan, 1e-5), (1, 1.5)])
def test_bad_claims_are_refused(scores, epsilon, delta):
    with pytest.raises(ValueError, match=r"epsilon|delta"):
        betting_counts(scores).evidence(epsilon, delta)


# -- the page ----------------------------------------------------------------------------------


def test_what_does_not_declare_a_control_does_not_follow_it(page):
    class Quiet(WatchPage):
        """Without the button."""

        controls = (
            *WatchPage.controls[:-1],
            type(WatchPage.controls[-1])("", WatchPage.controls[-1].controls[1:]),
        )

    assert len(assert_what_does_not_declare_a_control_does_not_follow_it(Quiet(sample_n=500))) > 10


@pytest.mark.parametrize(
    ("name", "value", "follow"),
    [
        (
            "log_rows",
            2.0,
            {"answer", "epsilon", "limit_now", "limit_largest", "e_value", "seen", "in_words",
             "claim_words", "bounds", "wealth"},
        ),
        ("claim", 0.9, {"answer", "e_value", "claim_words", "wealth"}),
    ],
)  # fmt: skip
def test_each_control_changes_what_it_should(page, name, value, follow):
    before = {item.name: as_plain(page.draw(item)) for item in items(page)}
    setattr(page, name, value)
    assert follow == {
        item.name for item in items(page) if as_plain(page.draw(item)) != before[item.name]
    }


@pytest.mark.parametrize("name", wb.examples()["name"])
def test_every_example_draws_at_every_row(page, name):
    page.data = example_key(name)
    assert page.message == ""
    for log_rows in (page.param.log_rows.bounds[0], 1.7, page.param.log_rows.bounds[1]):
        page.log_rows = log_rows
        for item in items(page):
            drawn = page.draw(item)
            if item.kind == "figure":
                assert drawn["layout"]["meta"]["summary"]
                for trace in drawn["data"]:
                    assert len(trace["x"]) == len(trace["y"]) <= 2000
                    assert np.all(np.isfinite(trace["x"]))
            elif isinstance(drawn, Bound):
                assert not math.isnan(drawn.value)
    assert page.true_epsilon().text == "?"


def test_every_item_is_explained_and_rests_on_parameters(page):
    for item in items(page):
        assert page.inputs(item) <= set(page.param)
        assert item.help or item.kind == "sentence"


def test_badges_say_what_may_be_believed(page):
    assert page.epsilon().badge == "anytime"
    assert page.limit_now().badge == page.limit_largest().badge == "not valid"
    assert (
        page.limit_largest().void == "the limit is valid at one sample size, and was read at many"
    )
    assert page.true_epsilon() == Fact("1.00", "exact, from the pair's formula")


def test_a_choice_after_a_look_marks_the_bound_until_new_scores_come(page):
    page.log_delta = -3.0
    assert page.epsilon().void == "δ was changed after results were seen"
    assert "not valid" in page.e_value().note
    page.param.trigger("draw_again")
    assert page.epsilon().void is None
    page.confidence = 0.99
    assert page.epsilon().void == "the confidence was changed after results were seen"
    page.param.trigger("reset")
    assert page.confidence == 0.95
    # The first look at this draw was at another δ than that of the reset.
    assert page.epsilon().void == "δ was changed after results were seen"
    page.log_delta = -3.0
    assert page.epsilon().void is None


def test_sorted_rows_void_the_bound_and_the_evidence(page):
    rng = np.random.default_rng(0)
    p, q = np.sort(rng.normal(1, 1, 100)), rng.normal(0, 1, 100)
    rows = "\n".join(f"{a:.6f},{b:.6f}" for a, b in zip(p, q, strict=True))
    upload(page, ("sorted.csv", f"p,q\n{rows}\n"))
    assert "the rows of P are sorted by score" in page.epsilon().void
    assert "the rows of P are sorted by score" in page.e_value().note
    assert page.claim_words().startswith("No evidence")


def test_the_line_keeps_its_place_and_all_rows_stay_all(page):
    assert page.log_rows == 3.0
    page.sample_n = 10_000
    assert page.log_rows == 4.0
    page.log_rows = 2.5
    page.param.trigger("draw_again")
    assert page.log_rows == 2.5
    page.sample_n = 200
    assert page.log_rows == page.param.log_rows.bounds[1] == 2.31
    assert page.seen().text == "200 per group"


def test_what_is_yet_to_come_is_faint(page):
    page.log_rows = 2.5
    later, seen = page.bounds()["data"][-2:]
    assert (seen["line"]["color"], later["line"]["color"]) == ("@good", "@good/0.25")
    assert max(seen["x"]) == min(later["x"]) == pytest.approx(np.log10(page.rows))
    line = next(s for s in page.bounds()["layout"]["shapes"] if s.get("name") == "log_rows")
    assert line["x0"] == 2.5


def test_many_audits_are_counted(page, monkeypatch):
    monkeypatch.setattr("workbench.pages.monitoring.MANY", 10)
    page.sample_n = 200
    found = page.work.run("watch_many")
    assert found.runs == 10
    assert "10 simulated audits" in page.ever_above().note
    page.log_delta = -4.0
    assert page.ever_above().text == "–"


def test_the_code_gives_the_numbers_in_view(page):
    page.log_rows = 2.8
    page.claim = 0.75
    names = {}
    exec(page.code({"log_rows": 2.8, "claim": 0.75}).split("view =")[0], names)
    assert names["epsilon"] == page.epsilon()
    assert names["limit_now"] == page.limit_now()
    assert names["limit_largest"] == page.limit_largest()
    assert names["e_value"].log == page.evidence().at(page.rows).log


# -- in a notebook -----------------------------------------------------------------------------


def test_a_notebook_watches_scores_that_are_at_hand(scores):
    view = wb.explore_watch(scores, spec={"log_rows": 3.0})
    assert view.epsilon == wb.anytime_path(scores, **ASKED).at(1000)
    names = {"scores": scores}
    exec(view.to_code(), names)
    assert names["epsilon"] == view.epsilon == names["view"].epsilon
    assert names["view"].e_value == view.e_value


def test_a_notebook_without_scores_samples_a_pair():
    view = wb.explore_watch(spec={"sample_n": 200})
    names = {}
    exec(view.to_code(), names)
    assert names["view"].epsilon == view.epsilon
    page = WatchPage(PAIR.sample(100, seed=0))
    assert page.true_epsilon().text == "?"
