"""The page that plans an audit, without a front end."""

import math

import numpy as np
import pytest
from helpers.pages import as_plain, items

import workbench as wb
from workbench.bounds.power.plan_results import BoundDistribution, SampleSize
from workbench.pages import sample_sizes
from workbench.pages.core.page import Fact
from workbench.pages.plan import PlanPage
from workbench.pages.sample_sizes import Plan


@pytest.fixture
def page():
    return PlanPage()


@pytest.fixture
def here(monkeypatch):
    """Tasks are done here, one after the other, and fewer of them."""

    def one_by_one(function, tasks, report):
        for k, task in enumerate(tasks):
            yield k, function(task)

    monkeypatch.setattr(sample_sizes, "map_in_processes", one_by_one)
    monkeypatch.setattr(sample_sizes, "FACTORS", (0.5, 1.0, 2.0))
    monkeypatch.setattr(sample_sizes, "GRID", (2.0, 4.0))
    monkeypatch.setattr(sample_sizes, "COARSE", (2.0, 3.0))
    monkeypatch.setattr(sample_sizes, "FEW", 4)


def traces(figure, name):
    return [t for t in figure["data"] if t["name"] == name]


def test_the_page_opens_with_what_one_known_threshold_and_the_chosen_bound_need(page):
    exact = wb.samples_needed(
        wb.GaussianPair(1.0), claim_epsilon=1.5, delta=1e-5, guarantee="pointwise"
    )
    assert page.needed_known().text == f"{exact.n:,}"
    assert page.needed().text == f"{page.own().needed.n:,}"
    assert page.own().needed.power.value >= 0.8
    assert f"{exact.n:,} scores per group" in page.in_words()
    assert [t["y"][0] for t in traces(page.power_curve(), "simultaneous")]
    page.seed = 1  # the simulation that the page starts with is of seed 0
    assert page.needed() == Fact("–", "press “Simulate this bound”")
    curve = traces(page.power_curve(), "fixed threshold")[0]
    assert np.all(np.diff(curve["y"]) >= -1e-9)
    # It passes through what was asked for at the n that is needed.
    at = np.interp(math.log10(exact.n), curve["x"], curve["y"])
    assert at == pytest.approx(exact.power.value, abs=0.01)


def test_power_and_median_at_n_are_those_of_the_library(page):
    pair, asked = wb.GaussianPair(1.0), {"delta": 1e-5, "confidence": 0.95}
    power = wb.power(pair, claim_epsilon=1.5, n=1000, **asked)
    assert page.power_at_n().text == f"{round(100 * power.value, 1):g}%"
    assert "4,000 simulated sets of counts, seed 0" in page.power_at_n().note
    median = wb.plan_distribution(pair, n=1000, **asked, reps=sample_sizes.LIVE).quantile(0.5)
    assert float(page.median_at_n().text.removeprefix("ε ≥ ")) == pytest.approx(median, abs=0.01)
    assert "24 simulated audits, seed 0" in page.median_at_n().note


def test_a_target_that_the_truth_does_not_allow_is_told_in_a_sentence(page):
    page.target = 5.0
    assert "no number of scores shows a target of 5" in page.in_words()
    assert page.needed() == page.needed_known()
    assert page.needed().text == "none"
    assert "false alarm" in page.power_at_n().note
    assert page.power_curve()["data"] == []
    assert page.growth()["data"]


def test_no_leak_can_be_planned_for(page):
    page.pair_mu = 0.0
    for item in items(page):
        assert page.draw(item) or item.name == "plan_stored"
    assert page.true_epsilon().text == "0"
    assert page.needed().text == "none"


def test_more_scores_than_can_be_planned_are_told(page):
    page.pair_mu, page.target, page.log_delta = 0.05, 0.2, -12.0
    assert "more than" in page.needed_known().note
    assert page.in_words().startswith("More than")
    assert page.power_curve()["data"] == []


def test_an_infinite_truth_draws(page):
    page.pair_kind, page.pair_pure_delta = "randomized-response", 0.2
    assert page.true_epsilon().text == "∞"
    assert page.growth()["layout"]["meta"]["summary"].endswith("∞.")


def test_a_pointwise_plan_needs_no_simulation(page):
    page.method = "pointwise"
    assert page.needed().text == page.needed_known().text
    assert page.power_at_n().note.endswith("exact")
    button = next(c for s in page.controls for c in s.controls if c.name == "simulate")
    assert not button.offered(page)


@pytest.mark.statistical
def test_the_simulation_fills_charts_and_numbers_and_is_of_its_settings_alone(page, here):
    seen = []
    page.param.watch(lambda event: seen.append(event.new), "plan")
    found = page.work.run("simulate")
    assert isinstance(found, Plan)
    assert len(seen) >= 1
    wanted = wb.samples_needed(wb.GaussianPair(1.0), claim_epsilon=1.5, delta=1e-5)
    assert page.needed().text == f"{wanted.n:,}"
    assert f"{wanted.n:,} with the simultaneous bound" in page.in_words()
    assert "seed 0" in page.needed().note
    assert len(traces(page.growth(), "simultaneous")) == 3
    assert traces(page.power_curve(), "simultaneous")
    assert f"{wanted.n:,}" in str(page.power_curve()["layout"]["annotations"])
    page.log_n = 4.0
    assert page.needed().text == f"{wanted.n:,}"
    page.target = 1.0
    assert page.work.state("simulate").stale
    assert page.needed().text == "–"
    assert not traces(page.power_curve(), "simultaneous")


@pytest.mark.parametrize("method", ["held-out", "anytime"])
def test_whole_audits_are_read_off_the_charts(page, here, method, monkeypatch):
    power = wb.power(
        wb.GaussianPair(1.0), claim_epsilon=1.0, delta=1e-5, n=300, guarantee="pointwise"
    )
    fake = SampleSize(300, power, 0.8)
    monkeypatch.setattr(sample_sizes.sample_size, "samples_needed", lambda **asked: fake)
    monkeypatch.setattr(sample_sizes.sample_size, "power", lambda n, **asked: power)
    page.method = method
    assert page.power_at_n().text == page.median_at_n().text == "–"
    page.work.run("simulate")
    assert "interpolated" in page.power_at_n().note
    assert page.needed().text == "300"
    assert page.median_at_n().text.startswith("ε ≥ ")
    page.log_n = 6.0
    assert page.median_at_n().note == "simulated up to 1,000 per group"


def test_partial_plans_draw(page):
    asked = page.sizes.asked()
    one = wb.plan_distribution(wb.GaussianPair(1.0), n=1000, delta=1e-5, reps=4)
    assert isinstance(one, BoundDistribution)
    for partial in (
        Plan(asked),
        Plan(asked, bounds=(one,)),
        Plan(asked, needed="more than 1,000 scores per group would be needed"),
    ):
        page.plan = partial
        for item in items(page):
            assert page.draw(item) or item.name == "plan_stored"


def test_bounds_approach_the_truth_from_below(page):
    low, high, median = traces(page.growth(), "fixed threshold")
    assert np.all(np.asarray(low["y"]) <= median["y"])
    assert np.all(np.asarray(median["y"]) <= high["y"])
    assert np.all(np.diff(median["y"]) > -0.05)
    assert max(median["y"]) < page.truth()


def test_the_code_gives_the_numbers_in_view(page):
    page.method, page.target = "pointwise", 1.0
    names = {}
    exec(page.code({}).split("view =")[0], names)
    assert f"{names['needed'].n:,}" == page.needed().text
    assert f"{round(100 * names['power_at_n'].value, 1):g}%" == page.power_at_n().text
    page.target = 9.0
    assert "# the target is not below the true ε" in page.code({})


def test_a_notebook_plans_for_a_pair():
    view = wb.explore_plan(wb.LaplacePair(1.5), spec={"method": "pointwise", "target": 0.5})
    assert view.true_epsilon.text == "1.50"
    names = {}
    exec(view.to_code(), names)
    assert as_plain(names["view"].needed) == as_plain(view.needed)
    with pytest.raises(ValueError, match="pair must be one of"):
        wb.explore_plan("cauchy")


def test_a_notebook_reads_four_counts():
    view = wb.explore_counts(tp=30, fp=2, tn=98, fn=70, spec={"confidence": 0.99})
    names = {}
    exec(view.to_code(), names)
    assert names["epsilon"] == view.epsilon == names["view"].epsilon
    assert names["epsilon"].n_p == 100
    with pytest.raises(ValueError, match="tn, fn is missing"):
        wb.explore_counts(tp=3, fp=4)
    with pytest.raises(ValueError, match="no runs with the record"):
        wb.explore_counts(tp=0, fp=1, tn=1, fn=0)


# -- a plan that is written down ------------------------------------------------------------------


def written(page, **values):
    """The page after the button was pressed."""
    fields = {"planned_name": "release 3", "planned_data": "the nightly run"} | values
    page.param.update(fields)
    page.store_plan = True
    return page


def test_a_plan_is_stored_with_the_page_s_settings(page):
    page.log_n, page.log_delta, page.confidence = 4, -6, 0.99
    written(page, planned_threshold=0.25, planned_direction=False, planned_claim="gdp(1)")
    (kept,) = page.workspace.audits.plans
    assert (kept.threshold, kept.bins, kept.larger_is_member) == (0.25, None, False)
    assert (kept.n_p, kept.n_q, kept.delta, kept.confidence) == (10_000, 10_000, 1e-6, 0.99)
    assert (kept.claim, kept.stopping) == ("gdp(1)", "fixed")
    assert f"stored at {kept.created:%Y-%m-%d}" in page.plan_stored()
    assert kept.sha256[:8] in page.plan_stored()


def test_bins_and_open_sizes(page):
    written(page, planned_fixes="bins", planned_sizes="open", planned_low=-3.0)
    (kept,) = page.workspace.audits.plans
    assert (kept.threshold, kept.bins) == (None, {"bins": 20, "range": [-3, 1]})
    assert (kept.n_p, kept.n_q) == (None, None)
    written(page, planned_sizes="anytime", planned_fixes="both")
    newest = next(iter(page.workspace.audits.plans))
    assert (newest.stopping, newest.n_p, newest.threshold) == ("anytime", None, 0.5)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"planned_name": ""}, "name must have 1 to"),
        ({"planned_data": "x" * 10_001}, "data must have 1 to"),
        ({"planned_claim": "private"}, "cannot read the claim"),
        ({"planned_fixes": "bins", "planned_low": 5.0}, "range must go from low to high"),
    ],
)
def test_a_plan_that_cannot_be_is_not_stored(page, values, message):
    written(page, **values)
    assert page.message.startswith("The plan was not stored: ")
    assert message in page.message
    assert not list(page.workspace.audits.plans)
    assert page.plan_stored() == ""


def test_a_hostile_name_is_text(page):
    written(page, planned_name="<script>alert(1)</script> " + "y" * 5000)
    assert "“<script>alert(1)</script> y" in page.plan_stored()
    assert len(page.plan_stored()) < 500
