"""The scores page without a front end: what follows from its state, and what voids a bound."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import (
    CSV,
    LABELED,
    REVERSED,
    added,
    assert_what_does_not_declare_a_control_does_not_follow_it,
    items,
    reread,
    upload,
)

import workbench as wb
from workbench.bounds.bound import Bound
from workbench.estimators.bin_rules import WIDTH_RULES, bin_width
from workbench.pages.family import FamilyPage
from workbench.pages.inputs.data import draw_key, example_key
from workbench.pages.inputs.reference import REFERENCES
from workbench.pages.inputs.score_source import Arrival
from workbench.pages.scores.page import ScoresPage
from workbench.pages.scores.ranges import nice_below
from workbench.pairs.gaussian import GaussianPair
from workbench.scores.layouts.layout import Layout
from workbench.workspaces.workspace import Workspace

CLAIMS = (("claims.csv", b"epsilon,delta\n0,0.4\n1,0.1\n4,1e-5\n"),)


@pytest.fixture
def page():
    return ScoresPage()


def test_what_does_not_declare_a_control_does_not_follow_it(page):
    assert len(assert_what_does_not_declare_a_control_does_not_follow_it(page)) > 20


@pytest.mark.parametrize("name", wb.examples()["name"])
def test_every_example_draws(page, name):
    page.data = example_key(name)
    assert page.message == ""
    for item in items(page):
        drawn = page.draw(item)
        if item.kind == "figure":
            assert drawn["layout"]["meta"]["summary"]
            for trace in drawn["data"]:
                assert len(trace["x"]) == len(trace["y"]) <= 2001
        elif isinstance(drawn, Bound):
            assert not math.isnan(drawn.value)
    low, high = page.param.threshold.softbounds
    assert low <= page.threshold <= high
    low, high = page.param.bin_width.softbounds
    assert low <= page.bin_width <= high


def test_every_number_has_its_guarantee_and_assumption(page):
    drawn = {item.name: page.draw(item) for item in page.numbers()}
    simultaneous = {"epsilon", "mu", "total_variation", "tpr"}
    assert {n for n, b in drawn.items() if getattr(b, "guarantee", "") == "simultaneous"} == (
        simultaneous
    )
    assert {b.assumption for b in drawn.values() if isinstance(b, Bound)} == {"independent runs"}
    upload(page, ("scores.csv", CSV))
    assert page.epsilon().assumption == "if rows are independent"
    reread(page, sampling="one run")
    assert page.epsilon().assumption == "one run"
    assert page.epsilon().void is None


def test_dragging_leaves_simultaneous_bounds_alone(page):
    before = page.epsilon(), page.mu(), page.total_variation(), page.tpr()
    page.threshold += 10 * page.param.threshold.step
    page.bin_width += 3 * page.param.bin_width.step
    page.bin_rule = "quantile"
    page.reference_kind = "laplace"
    assert (page.epsilon(), page.mu(), page.total_variation(), page.tpr()) == before
    page.log_delta = -3
    assert page.epsilon().void is None
    assert page.epsilon().value < before[0].value


def test_a_threshold_from_the_data_voids_its_pointwise_bound(page):
    assert "placed at the median of these scores" in page.epsilon_here().void
    page.threshold += page.param.threshold.step
    assert "after seeing" in page.epsilon_here().void


def test_a_threshold_set_before_fresh_draws_holds(page):
    page.data = page.source.drawn
    page.threshold = 0.5
    assert page.epsilon_here().void
    page.draw_again = True
    assert page.threshold == 0.5
    assert page.epsilon_here().void is None
    page.threshold = 0.6
    assert page.epsilon_here().void
    page.draw_again = True
    page.sample_mu = 2.0  # the same seed: these draws resemble those that were seen
    assert page.epsilon_here().void


def test_fixed_bins_hold_only_when_set_before_fresh_draws(page):
    page.data = page.source.drawn
    assert "derived from the data" in page.fixed_bins()
    page.param.update(bin_rule="count", fixed_range=True, range_low=-4, range_high=5)
    assert "after seeing" in page.fixed_bins()
    page.draw_again = True
    assert "Not valid" not in page.fixed_bins()
    assert "fixed in advance" in page.fixed_bins()
    page.bin_count += 1
    assert "after seeing" in page.fixed_bins()


@pytest.mark.parametrize("rule", ["scott", "fd", "quantile"])
def test_a_rule_voids_fixed_bin_limits_even_over_a_fixed_range(page, rule):
    page.data = page.source.drawn
    page.param.update(bin_rule=rule, fixed_range=True, range_low=-4, range_high=5)
    page.draw_again = True
    assert "Not valid" in page.fixed_bins()


def test_a_confidence_changed_after_looking_marks_the_bounds_until_reset(page):
    upload(page, ("labeled.csv", LABELED))
    before = page.epsilon()
    page.confidence = 0.99
    for bound in (page.epsilon(), page.mu(), page.total_variation(), page.tpr()):
        assert bound.void == "the confidence was changed after results were seen"
    assert "after results were seen" in page.in_words()
    page.reset = True
    assert page.epsilon() == before


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"larger_is_member": False}, "the direction of the score"),
        ({"layout": Layout("score and label", score="alt", member="member", member_value="1")},
         "the column"),
        ({"layout": Layout("score and label", score="score", member="member", member_value="0")},
         "the label"),
    ],
)  # fmt: skip
def test_another_reading_marks_the_bounds_of_every_page_until_it_is_taken_back(page, change, says):
    dataset = upload(page, ("labeled.csv", LABELED))
    before, other = page.epsilon(), FamilyPage(workspace=page.workspace)
    reread(page, **change)
    other.follow(dataset.key)
    for bound in (
        page.epsilon(),
        page.mu(),
        page.total_variation(),
        page.tpr(),
        other.free_epsilon(),
    ):
        assert bound.void == f"{says} was changed after results were seen"
    assert "after results were seen" in page.in_words()
    page.reset = True
    assert page.epsilon().void  # the data are still read so
    reread(page, **{name: getattr(dataset.reading, name) for name in change})
    assert page.epsilon() == before


def test_a_declaration_that_changes_no_number_marks_nothing_and_moves_nothing(page):
    upload(page, ("labeled.csv", LABELED))
    page.threshold += page.param.threshold.step
    page.reference_kind = "laplace"
    before = page.settings()
    reread(page, sampling="independent runs")
    assert page.epsilon().void is None
    assert page.epsilon().assumption == "independent runs"
    assert page.settings() == before


def test_a_second_data_set_is_a_new_audit_and_the_first_keeps_its_mark(page):
    one = upload(page, ("one.csv", CSV), larger_is_member=False)
    page.confidence = 0.99
    assert "the confidence" in page.epsilon().void
    upload(page, ("two.csv", LABELED))
    assert page.epsilon().void is None
    assert page.scores.larger_is_member
    page.follow(one.key)
    assert "the confidence" in page.epsilon().void
    assert not page.scores.larger_is_member


def test_a_choice_made_on_other_data_is_made_after_looking_at_these(page):
    one = upload(page, ("one.csv", CSV))
    assert page.epsilon().void is None
    upload(page, ("two.csv", LABELED))
    page.param.update(reference_kind="laplace")
    page.reset = True
    page.ordering = "learned"
    page.follow(one.key)
    assert "the attack statistic" in page.epsilon().void


def test_what_was_claimed_of_an_example_is_not_claimed_of_other_data(page):
    assert (page.reference_kind, page.claim().text) == ("gaussian", "not refuted")
    page.data = example_key("subsampled-gaussian")
    assert (page.reference_kind, page.claim().text) == ("subsampled-gaussian", "refuted")
    upload(page, ("labeled.csv", LABELED))
    assert (page.reference_kind, page.claim().text, page.judged()) == (None, "–", "")
    page.data = example_key("gaussian")
    assert page.reference_kind == "gaussian"
    page.data = page.source.drawn
    assert page.reference_kind is None
    page.reference_kind = "gaussian"
    page.sample_mu += page.param.sample_mu.step
    assert page.reference_kind == "gaussian"  # one's own, while one drags


def test_dropping_nonfinite_scores_marks_the_bounds(page):
    text = CSV.replace("\n0.4,", "\nnan,")
    upload(page, ("odd.csv", text))
    assert "1 NaN kept" in page.sizes().note
    reread(page, nonfinite="drop")
    assert page.scores.discarded == 1
    assert "non-finite" in page.epsilon().void


@pytest.mark.parametrize("key", ["example:nothing", "draw:gaussian?mu=9.0&n=100&seed=0", "none"])
def test_data_that_are_not_there_leave_the_former_in_view_under_their_name(page, key):
    page.data = page.source.drawn
    before, scores = page.settings(), page.scores
    with pytest.raises(ValueError, match=r"there is no data set|cannot be drawn"):
        page.data = key
    assert page.settings() == before
    assert page.scores is scores


def test_the_data_on_offer_are_those_of_the_workspace_and_what_is_in_view(page):
    dataset = upload(page, ("mine.csv", CSV))
    offered = page.param.data.get_range()
    assert offered["mine"] == dataset.key
    assert offered["Gaussian, μ = 1"] == example_key("gaussian")
    assert offered["Sampled from a pair"] == page.source.drawn
    page.workspace.kept.rename(dataset.key, "Gaussian, μ = 1")
    assert page.param.data.get_range()["Gaussian, μ = 1 (File)"] == dataset.key
    page.workspace.kept.remove(dataset.key)
    page.workspace.kept.purge()
    assert page.param.data.get_range()["removed, but still in view"] == dataset.key
    page.refresh()
    assert "there is no data set" in page.message
    assert page.scores.n_p == 60
    page.data = page.param.data.get_range()["Sampled from a pair"]
    page.sample_mu = 2.0
    assert page.data == page.param.data.get_range()["Sampled from a pair"]
    assert "removed, but still in view" not in page.param.data.get_range()


def test_a_draw_of_any_size_is_shown_with_its_controls(page):
    page.data = draw_key("laplace", mu=0.75, n=777, seed=5)
    assert (page.sample_kind, page.sample_mu, page.sample_n) == ("laplace", 0.75, 777)
    assert page.param.sample_n.get_range()["777"] == 777
    page.draw_again = True
    assert page.data == draw_key("laplace", mu=0.75, n=777, seed=6)
    for wrong in (1, 10**7, 500.0, True, None):
        with pytest.raises(ValueError, match="Samples per group must be from 2"):
            page.sample_n = wrong


def test_scores_that_cannot_be_drawn_leave_the_former_in_view_and_say_why(page):
    before, scores = page.settings(), page.scores
    wide = page.workspace.add_scores(wb.Scores([-1e308, 1e308], [-1e308, 1e308]))
    page.follow(wide.key)
    assert "no float holds the range" in page.message
    assert page.settings() == before
    assert page.scores is scores
    assert page.provenance().startswith("Gaussian, μ = 1")


def test_two_files_are_one_a_side(page):
    upload(page, ("in.csv", "score\n3\n4\n5\n"), ("out.csv", "score\n1\n2\n2\n1\n"))
    assert page.message == ""
    assert (page.scores.n_p, page.scores.n_q) == (3, 4)
    assert "first file" in page.provenance()


def test_clusters_become_one_score_each(page):
    rows = "\n".join(f"{i % 9},{i % 2},s{i // 10}-{i % 2}" for i in range(200))
    columns = {"score": "score", "member": "member", "member_value": "1", "cluster": "subject"}
    layout = Layout("score and label", **columns)
    upload(page, ("clusters.csv", "score,member,subject\n" + rows), layout=layout)
    assert page.scores.n_p == 20
    assert page.epsilon().assumption == "clustered"
    assert "from 100 + 100 rows" in page.sizes().note


def test_the_direction_is_asked_about_and_never_flipped(page):
    upload(page, ("losses.csv", REVERSED))
    assert "smaller = member" in page.question()
    assert page.scores.larger_is_member
    reread(page, larger_is_member=False)
    assert page.question() == ""


def test_moving_the_width_makes_it_fixed_and_a_rule_sets_it(page):
    for rule in ("scott", "quantile", "fd"):
        page.bin_rule = rule
        chosen, bins = page.bin_width, page.histogram().bins
        page.bin_width = chosen + 2 * page.param.bin_width.step
        assert page.bin_rule == "width"
        np.testing.assert_allclose(np.diff(page.histogram().edges), page.bin_width)
        page.bin_rule = rule
        assert (page.bin_width, page.histogram().bins) == (chosen, bins)


def test_the_width_of_bins_of_equal_probability_is_their_median(page):
    widths = np.diff(page.histogram().edges)
    assert page.histogram().rule == page.bin_rule == "quantile"
    assert page.bin_count == page.histogram().bins == 22
    assert page.bin_width == pytest.approx(np.median(widths), abs=page.param.bin_width.step)
    page.bin_count = 10
    assert page.bin_rule == "quantile"
    wider = np.median(np.diff(page.histogram().edges))
    assert page.bin_width == pytest.approx(wider, abs=page.param.bin_width.step)


@pytest.mark.parametrize("rule", list(WIDTH_RULES))
def test_bins_of_a_rule_are_exactly_those_of_the_rule(page, rule):
    """However narrow or wide they are: the slider's ends do not change what a rule's name means."""
    rng = np.random.default_rng(7)
    heavy = wb.Scores(rng.standard_cauchy(9000) + 1, rng.standard_cauchy(9000))
    few = wb.GaussianPair(1).sample(5)
    for scores in (heavy, few):
        page.adopt(scores, "", Arrival.ANOTHER)
        page.bin_rule = rule
        np.testing.assert_array_equal(page.histogram().edges, wb.histogram(scores, rule=rule).edges)
        assert page.bin_width == pytest.approx(bin_width(scores, rule), rel=0.5)


def test_an_estimate_below_the_certified_bound_is_struck_out():
    page = ScoresPage()
    page.data = example_key("breast-cancer-losses")
    assert page.histogram_tv().void is None
    assert page.histogram_tv().value >= page.total_variation().value
    page.bin_rule = "scott"
    assert page.histogram_tv().value < page.total_variation().value
    assert "too coarse" in page.histogram_tv().void


def test_a_click_on_the_trade_off_curve_moves_the_threshold(page):
    page.move_to_fpr(0.1, 0.5)
    assert float(page.at_threshold().fpr) == pytest.approx(0.1, abs=0.02)


def test_results_are_computed_once_a_state(page):
    assert page.band() is page.band()
    before = page.band(), page.roc(), page.histogram()
    page.threshold += page.param.threshold.step
    assert (page.band(), page.roc(), page.histogram()) == before
    assert page.at_threshold() is page.at_threshold()


@pytest.mark.parametrize(("x", "nice"), [(0.034, 0.02), (5.0, 5.0), (999, 500), (1e-9, 1e-9)])
def test_nice_steps(x, nice):
    assert nice_below(x) == pytest.approx(nice)


def references(page):
    """The references that are drawn, by their names in the key."""
    return {one.style.name: one.pair for one in page.compared() if one.claim is None}


@pytest.mark.parametrize("kind", REFERENCES)
def test_every_reference_is_drawn_beside_the_scores(page, kind):
    page.param.update(reference_kind=kind)
    ((name, reference),) = references(page).items()
    offered = [c.name for s in page.controls for c in s.controls if c.offered(page)]
    assert {f"reference_{name}" for name in REFERENCES[kind].takes} <= set(offered)
    for chart in (page.tradeoff(), page.profile(), page.mu_curve()):
        assert name in [trace.get("name") for trace in chart["data"]]
    assert 0 <= reference.total_variation <= 1


def test_references_are_drawn_and_never_tested(page):
    page.param.update(claim_kind=None, reference_kind="gaussian", reference_mu=0.5)
    assert (page.claim().text, page.judged(), page.verdict()) == ("–", "", None)


def test_three_references_at_once_each_with_its_look_and_a_switch(page):
    def offered():
        names = [c.name for s in page.controls for c in s.controls if c.offered(page)]
        return [name for name in names if name.endswith("_kind") and name.startswith("reference")]

    page.param.update(reference_kind=None)
    assert offered() == ["reference_kind"]
    page.reference_kind = "gaussian"
    assert offered() == ["reference_kind", "reference2_kind"]
    page.param.update(reference2_kind="laplace", reference2_mu=2.0, reference3_kind="dp-sgd")
    assert references(page)["Laplace"] == wb.LaplacePair(2.0)
    drawn = [one.style for one in page.compared() if one.claim is None]
    assert [one.name for one in drawn] == ["Gaussian", "Laplace", "DP-SGD"]
    assert len({(one.role, one.dash) for one in drawn}) == 3
    page.reference2_shown = False
    assert [*references(page)] == ["Gaussian", "DP-SGD"]
    page.reference_kind = None
    assert [*references(page)] == ["DP-SGD"]
    assert offered() == ["reference_kind", "reference2_kind", "reference3_kind"]


def test_two_references_of_a_kind_have_two_names(page):
    page.param.update(reference_kind="gaussian", reference2_kind="gaussian", reference2_mu=2.0)
    assert [*references(page)] == ["Gaussian", "Gaussian (2)"]


def test_a_composed_reference_is_the_composition(page):
    page.param.update(reference_kind="gaussian", reference_mu=0.5, reference_times=4)
    assert references(page)["Gaussian"].epsilon(1e-5) == pytest.approx(
        GaussianPair(1.0).epsilon(1e-5)
    )


def test_dp_sgd_as_a_reference_agrees_with_the_accountant(page):
    page.param.update(reference_kind="dp-sgd", reference_log_rate=-2.0, reference_log_steps=3.0)
    assert 1.818 <= references(page)["DP-SGD"].epsilon(1e-5) <= 1.838


def test_a_learned_ordering_sees_what_no_threshold_sees(page):
    page.data = example_key("unequal-variances")
    by_threshold = page.total_variation().value
    page.ordering = "learned"
    learned = page.total_variation()
    assert learned.guarantee == "held-out"
    assert learned.void == "the attack statistic was changed after results were seen"
    assert by_threshold < 0.12 < learned.value < 0.1936
    assert "simultaneous" not in [trace.get("name") for trace in page.mu_curve()["data"]]
    page.reset = True
    assert page.ordering == "score"
    assert page.total_variation().void is None


def test_approximate_intervals_at_the_threshold_are_called_so(page):
    page.data = page.source.drawn
    page.param.trigger("draw_again")
    assert page.epsilon_here().guarantee == "pointwise"
    page.interval = "jeffreys"
    bound = page.epsilon_here()
    assert bound.guarantee == "approximate"
    assert bound.void == "the confidence interval was changed after results were seen"


def test_visitors_share_the_scores_that_a_server_was_given_until_they_read_them_differently():
    base = Workspace()
    dataset = added(base, ("mine.csv", CSV))
    one, other = (ScoresPage(workspace=Workspace(base=base), data=dataset.key) for _ in range(2))
    assert one.scores is other.scores
    changed = replace(dataset.reading, larger_is_member=False)
    other.follow(other.workspace.kept.reread(dataset.key, changed, seen=True).key)
    assert "the direction" in other.epsilon().void
    assert one.scores.larger_is_member
    assert one.epsilon().void is None
    assert other.restore(one.settings()) == []
    assert one.scores is other.scores


def test_the_direction_is_not_asked_about_where_nothing_leaks():
    page = ScoresPage()
    page.data = example_key("no-leak")
    assert page.roc().auc < 0.5
    assert page.question() == ""


def test_the_area_of_the_mu_chart_reaches_over_no_gap():
    page = ScoresPage(wb.GaussianPair(1).sample(500, seed=0))
    drawn = page.draw(next(item for item in page.figures() if item.name == "mu_curve"))
    observed = next(trace for trace in drawn["data"] if trace["name"] == "observed")
    (there,) = np.nonzero(np.isfinite(observed["y"]))
    assert there[-1] - there[0] == there.size - 1
    assert there[-1] < len(observed["y"]) - 1  # beyond the largest score of non-members
