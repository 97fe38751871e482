"""The page on families without a front end: its numbers, its verdicts, what its charts show."""

import math

import numpy as np
import pytest
from helpers.pages import (
    CSV,
    LABELED,
    as_plain,
    assert_what_does_not_declare_a_control_does_not_follow_it,
    items,
    upload,
)
from scipy.stats import norm

import workbench as wb
from workbench.bounds.bound import Bound
from workbench.pages.core.page import Fact
from workbench.pages.family import FAMILIES, FamilyPage
from workbench.pages.inputs.data import draw_key, example_key


@pytest.fixture
def page():
    page = FamilyPage()
    page.data = example_key("gaussian")
    return page


def trace(figure, name):
    return next(t for t in figure["data"] if t["name"] == name)


def texts(figure):
    return [note["text"] for note in figure["layout"]["annotations"]]


def test_what_does_not_declare_a_control_does_not_follow_it():
    page = FamilyPage()
    page.data = example_key("ties")
    assert_what_does_not_declare_a_control_does_not_follow_it(page)


@pytest.mark.parametrize(
    ("name", "value", "follow"),
    [
        (
            "log_delta",
            -3.0,
            {"answer", "epsilon", "own_variances", "free_epsilon", "missed", "can_miss",
             "consequence", "profile", "tv_in_words", "through_tv"},
        ),
        (
            "family",
            "laplace",
            {"answer", "epsilon", "own_variances", "parameter", "verdict", "missed", "can_miss",
             "in_words", "consequence", "distributions", "normal_paper", "profile",
             "tv_in_words", "through_tv"},
        ),
        ("q", 0.5, set()),  # of another family
    ],
)  # fmt: skip
def test_each_control_changes_what_it_should(page, name, value, follow):
    before = {item.name: as_plain(page.draw(item)) for item in items(page)}
    setattr(page, name, value)
    assert follow == {
        item.name for item in items(page) if as_plain(page.draw(item)) != before[item.name]
    }


@pytest.mark.parametrize("name", wb.examples()["name"])
def test_every_example_draws_with_every_family(page, name):
    page.data = example_key(name)
    for family in FAMILIES.values():
        page.family = family
        assert page.message == ""
        for item in items(page):
            drawn = page.draw(item)
            if item.kind == "figure":
                assert drawn["layout"]["meta"]["summary"]
                for one in drawn["data"]:
                    assert len(one["x"]) == len(one["y"]) <= 2001
            elif isinstance(drawn, Bound):
                assert not math.isnan(drawn.value)


def test_the_right_family_gives_more_than_no_family_and_stays_below_the_truth(page):
    truth = float(wb.GaussianPair(1).epsilon(1e-5))
    assert page.free_epsilon().value < page.epsilon().value < truth
    assert page.epsilon().value == wb.parametric_bound(page.scores, delta=1e-5).value
    assert page.free_epsilon().value == wb.epsilon_lower_bound(page.scores, delta=1e-5).value
    assert page.epsilon().void is None
    assert page.verdict().text == "not refuted"
    assert "does not show that it is so" in page.in_words()
    fit = page.fit()
    assert fit.lower < 1 < fit.upper
    assert page.parameter().text.startswith("μ: 0.9")


def test_a_refuted_family_voids_its_bound_and_leaves_the_other(page):
    page.data = example_key("subsampled-gaussian")
    check = page.check()
    assert check.refuted
    assert page.verdict().text == "refuted"
    assert f"{check.threshold:.4g}" in page.verdict().note
    assert check.reason in page.in_words()
    assert page.epsilon().void == "the scores rule out this family"
    assert "not valid: the scores rule out this family" in page.parameter().note
    assert page.free_epsilon().void is None
    assert "Results that assume this family are not valid" in page.consequence()
    assert "assuming the family (refuted)" in texts(page.profile())
    # The example knows its sampling rate, with which the right family fits.
    page.family = "subsampled-gaussian"
    assert page.q == 0.25
    assert page.epsilon().void is None
    assert 15 < page.epsilon().value < wb.SubsampledGaussianPair(0.25, 0.3).epsilon(1e-5)
    page.q = 0.9
    assert page.epsilon().void


def test_the_rate_of_a_sampled_pair_is_known():
    page = FamilyPage(data=draw_key("subsampled-gaussian", q=0.4, sigma=0.3))
    assert page.q == 0.4
    page.sample_q = 1.0
    assert (page.q, page.message) == (1.0, "")
    view = wb.explore_family(family="subsampled-gaussian", q=1e-4)
    assert view.q == 1e-4
    assert view.widget


def test_a_change_of_the_confidence_marks_the_bounds_until_reset(page):
    before = [as_plain(page.draw(item)) for item in items(page)]
    page.confidence = 0.99
    for bound in (page.epsilon(), page.free_epsilon()):
        assert bound.void == "the confidence was changed after results were seen"
    for said in (page.parameter().note, page.verdict().note, page.consequence()):
        assert "the confidence was changed after results were seen" in said
    page.reset = True
    assert [as_plain(page.draw(item)) for item in items(page)] == before


def test_looking_at_several_families_marks_nothing(page):
    page.family = "laplace"
    page.family = "gaussian"
    assert page.epsilon().void is None


def test_scores_that_no_member_gives_are_said_so_and_bounded_without_a_family(page):
    page.family = "randomized-response"
    assert isinstance(page.epsilon(), Fact)
    assert "two outcomes" in page.in_words()
    assert page.consequence().startswith("For any pair, ε at δ = 1e-5 is at least 2.")
    assert page.normal_paper()["data"] == []
    assert len(page.distributions()["data"]) == 2
    assert page.message == ""
    page.param.update(data=example_key("messy"), family="gaussian")
    assert "NaN or infinite" in page.in_words()


def test_the_data_of_the_workspace_are_taken_and_another_data_set_is_a_new_audit(page):
    upload(page, ("good.csv", CSV))
    assert page.scores.n_p == 60
    page.confidence = 0.99
    assert "the confidence" in page.free_epsilon().void
    upload(page, ("two.csv", LABELED))
    assert page.free_epsilon().void is None


# -- the charts --------------------------------------------------------------------------------


def test_on_normal_paper_a_gaussian_pair_is_a_straight_line(page):
    figure = page.normal_paper()
    fitted = trace(figure, "fitted pair")
    edge = figure["layout"]["xaxis"]["range"][1]
    x, y = np.array(fitted["x"]), np.array(fitted["y"])
    inside = (np.abs(x) < edge) & (np.abs(y) < edge)
    assert inside.sum() > 100
    np.testing.assert_allclose(x[inside] + y[inside], -page.check().estimate, atol=1e-9)
    for axis in ("xaxis", "yaxis"):
        for z, said in zip(
            *(figure["layout"][axis][k] for k in ("tickvals", "ticktext")), strict=True
        ):
            rate = 10.0 ** -int(said[8]) if "sup" in said else float(said)
            assert norm.cdf(z) == pytest.approx(rate)


def test_the_band_on_normal_paper_holds_the_observed_points_and_every_step(page):
    figure = page.normal_paper()
    lower, upper = (t for t in figure["data"] if t["name"] == "any pair, two-sided band")
    assert lower["line"]["shape"] == upper["line"]["shape"] == "hv"
    observed = trace(figure, "observed")
    at = np.searchsorted(upper["x"], observed["x"], side="right") - 1
    assert np.all(np.array(observed["y"]) <= np.array(upper["y"])[at] + 1e-9)
    # A step of the lower edge begins with what holds up to the next rate.
    at = np.searchsorted(lower["x"], observed["x"], side="left") - 1
    assert np.all(np.array(observed["y"]) >= np.array(lower["y"])[np.maximum(at, 0)] - 1e-9)


def test_a_monotone_function_of_gaussian_scores_is_refuted_at_the_threshold_shown(page):
    """Its curve is Gaussian; the scores are not. The charts show the threshold."""
    s = wb.GaussianPair(1).sample(20_000, seed=0)
    page = FamilyPage(wb.Scores(np.exp(s.p), np.exp(s.q)))
    check = page.check()
    assert check.refuted
    assert f"{check.threshold:.4g}" in page.in_words()
    for figure in (page.distributions(), page.normal_paper()):
        assert "contradiction" in texts(figure)
    line = page.distributions()["layout"]["shapes"][-1]
    assert line["x0"] == line["x1"] == check.threshold
    low, high = page.distributions()["layout"]["xaxis"]["range"]
    assert low < check.threshold < high
    there = trace(page.normal_paper(), "contradiction")
    edge = page.normal_paper()["layout"]["xaxis"]["range"][1]
    for z, rate in ((there["x"][0], check.fpr_there), (there["y"][0], check.fnr_there)):
        assert z == pytest.approx(np.clip(norm.ppf(rate), -edge, edge))


def distance(figure, family):
    """The larger total variation distance between a side's histogram and what is expected of it."""
    edges = np.array(figure["data"][0]["x"])
    width, away = np.diff(edges), []
    for fitted, seen in zip(figure["data"][2:], figure["data"][:2], strict=True):
        middles = (edges[1:] + edges[:-1]) / 2
        expected = (
            np.interp(middles, fitted["x"], fitted["y"])
            if family == "gaussian"
            else np.array(fitted["y"])[:-1]
        )
        assert 0.97 < expected @ width < 1.01
        away.append(0.5 * np.abs(expected - np.array(seen["y"])[:-1]) @ width)
    return max(away)


@pytest.mark.parametrize(
    ("name", "family", "fits"),
    [
        ("gaussian", "gaussian", True),
        ("laplace", "laplace", True),
        ("subsampled-gaussian", "subsampled-gaussian", True),
        ("laplace", "gaussian", False),
        ("subsampled-gaussian", "laplace", False),
    ],
)
def test_fitted_densities_lie_on_the_histograms_where_the_family_is_right(page, name, family, fits):
    page.param.update(data=example_key(name), family=family)
    assert (distance(page.distributions(), family) < 0.035) == fits


def test_smaller_scores_of_members_are_drawn_as_well():
    s = wb.LaplacePair(1).sample(10_000, seed=0)
    turned = FamilyPage(wb.Scores(-s.p, -s.q, larger_is_member=False), family="laplace")
    assert turned.verdict().text == "not refuted"
    assert distance(turned.distributions(), "laplace") < 0.035
    turned.larger_is_member = True
    assert turned.verdict().text == "refuted"


def test_the_dots_of_the_profile_are_the_numbers_and_lie_on_their_curves(page):
    figure = page.profile()
    for text, bound in (
        ("lower bound, any pair", page.free_epsilon()),
        ("lower bound, assuming the family", page.epsilon()),
    ):
        dot = trace(figure, f"ε at δ, {text}")
        assert dot["x"] == [pytest.approx(bound.value, abs=1e-9)]
        assert dot["y"] == [page.delta.value]
        curve = trace(figure, text)
        on_it = list(curve["y"]).index(page.delta.value)
        assert curve["x"][on_it] == dot["x"][0]
        assert np.all(np.diff(curve["x"]) <= 0)
        assert curve["x"][-1] == 0


# -- in notebooks and from the command line ----------------------------------------------------


def test_the_code_reproduces_the_numbers_and_the_view():
    free = wb.explore_family()
    free.update(data=draw_key("laplace", n=5000, mu=1.0), family="laplace")
    scores = wb.example("subsampled-gaussian")
    given = wb.explore_family(scores, "subsampled-gaussian", q=0.25, spec={"confidence": 0.9})
    given.log_delta = -4.0
    for view in (free, given):
        made = {"scores": scores}
        exec(view.to_code(), made)
        assert made["epsilon"].value == view.epsilon.value
        assert made["free_epsilon"].value == view.free_epsilon.value
        assert made["check"].verdict == view.page.check().verdict
        assert made["fit"].upper == view.page.fit().upper
        assert made["view"].numbers == view.numbers


@pytest.mark.parametrize(
    ("family", "q", "says"),
    [
        ("cauchy", None, "family"),
        ("subsampled-gaussian", None, "needs q="),
        ("laplace", 0.5, "takes no q="),
    ],
)
def test_a_family_that_is_none_is_refused(family, q, says):
    with pytest.raises(ValueError, match=says):
        wb.explore_family(wb.example("gaussian"), family, q=q)


# -- from total variation ----------------------------------------------------------------------


def test_a_certified_total_variation_gives_bounds_and_an_estimate_estimates(page):
    tv = page.band().total_variation().value
    bound = page.epsilon_of_tv()
    pair = wb.pair_from_total_variation(tv)
    assert (bound.guarantee, bound.checked) == ("simultaneous", "not refuted")
    assert bound.value == pytest.approx(pair.epsilon(1e-5))
    assert bound.value < page.epsilon().value < wb.GaussianPair(1).epsilon(1e-5)
    said = page.tv_in_words()
    assert said.startswith("Total variation ≥ 0.351")
    assert "means μ ≥ 0.91" in said
    assert f"and ε ≥ {bound.rounded} at δ = 1e-5" in said
    assert said.endswith(": lower bounds, assuming the family.")
    assert float(said.split("μ ≥ ")[1].split(",")[0]) <= pair.mu
    assert float(said.split("σ ≤ ")[1].split()[0]) >= 1 / pair.mu
    page.tv_from = "estimate"
    assert page.epsilon_of_tv().guarantee == "estimate"
    assert page.epsilon_of_tv().value == pytest.approx(
        wb.pair_from_total_variation(page.histogram().total_variation).epsilon(1e-5)
    )
    assert "means μ ≈ 0.998" in page.tv_in_words()
    assert "estimates" in page.tv_in_words()


def test_a_typed_total_variation_is_that_of_hist(page):
    page.param.update(tv_from="typed", typed_tv=0.2256, family="subsampled-gaussian", q=0.25)
    assert page.tv_in_words() == (
        "Total variation = 0.2256 means 1/σ = 3.313, σ = 0.3018 and ε = 16.5 at δ = 1e-5: of the "
        "member with it, assuming the family."
    )
    assert page.epsilon_of_tv().text == "ε = 16.5"
    assert "TV typed 0.226: ε = 16.5" in page.through_tv()["layout"]["meta"]["summary"]
    page.typed_tv = 0.25
    assert page.epsilon_of_tv().text == "–"
    assert "so large a total variation" in page.tv_in_words()


def test_what_the_family_cannot_give_is_not_claimed(page):
    page.family = "laplace"  # ruled out
    assert page.epsilon_of_tv().void == "the scores rule out this family"
    assert "not valid" in page.tv_in_words()
    page.family = "randomized-response"  # more than two outcomes
    assert page.epsilon_of_tv().text == "–"
    page.family = "subsampled-gaussian"  # a total variation above q
    assert "no distribution of the family" in page.epsilon_of_tv().note


def test_typing_a_total_variation_draws_no_curve_again(page, monkeypatch):
    page.param.update(tv_from="typed", typed_tv=0.2)
    page.through_tv()
    curves = page.by_tv.tv_curves()
    monkeypatch.setattr(wb.Scores, "samples", property(lambda self: pytest.fail("touched")))
    page.typed_tv = 0.21
    assert page.through_tv()
    assert page.by_tv.tv_curves() is curves


@pytest.mark.parametrize("n", [2, 5])
def test_few_and_separated_scores_go_through_total_variation(n):
    for p, q in (([2.0] * n, [0.0] * n), (range(10, 10 + n), range(n)), (range(n), range(n))):
        page = FamilyPage(wb.Scores(list(map(float, p)), list(map(float, q))))
        for family in FAMILIES.values():
            page.family = family
            for way in ("bound", "estimate", "typed"):
                page.tv_from = way
                assert page.through_tv()["layout"]["meta"]["summary"]
                assert page.tv_in_words() is not None
                assert page.epsilon_of_tv() is not None


def test_the_code_sets_what_the_page_shows(page):
    for way in ("bound", "estimate", "typed"):
        page.tv_from = way
        exec(page.code({}).rpartition("view = ")[0], made := {"scores": page.scores})
        shown = page.epsilon_of_tv()
        expected = shown.value if isinstance(shown, Bound) else float(shown.text.split()[-1])
        assert made["epsilon_of_tv"] == pytest.approx(expected, rel=0.005)
