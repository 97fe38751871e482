"""The fitted μ of the scores page, what it leaves over, and the total variation by bin width."""

import pytest

import workbench as wb
from workbench.pages.inputs.data import example_key
from workbench.pages.scores import fits, widths
from workbench.pages.scores.page import ScoresPage


@pytest.fixture
def gaussian():
    return ScoresPage(wb.GaussianPair(1).sample(1000, seed=0))


def test_the_page_begins_with_the_likeliest_fit(gaussian):
    expected = wb.gdp_fit(gaussian.scores, "likelihood")
    assert gaussian.mu_fit() == expected
    assert "95% interval" in gaussian.mu_fit().note
    gaussian.confidence = 0.99
    assert gaussian.mu_fit().note.startswith("99% interval")
    assert gaussian.mu_fit().value == expected.value


def test_a_kept_choice_of_the_fit_stays(gaussian):
    assert gaussian.restore({"fit_method": "from total variation"}) == []
    assert gaussian.mu_fit().value == wb.gdp_fit(gaussian.bins.histogram(), "tv").value
    gaussian.fit_method = "threshold"
    assert gaussian.mu_fit().threshold == gaussian.threshold
    gaussian.fit_method = "range"
    assert "without a leak it is about 0.39 on average" in gaussian.mu_fit().note


def test_moving_threshold_and_bins_fits_nothing_again(gaussian, monkeypatch):
    calls = []
    before = gaussian.fit(), gaussian.residuals(), gaussian.by_width()
    for module, name in ((fits, "binormal_fit"), (fits, "local_mu"), (widths, "bin_width_curve")):
        monkeypatch.setattr(module, name, lambda *given: calls.append(given))
    items = {item.name: item for item in gaussian.items()}
    drawn = gaussian.drawn_from(items["residuals"])
    gaussian.threshold, gaussian.bin_width, gaussian.log_delta = 0.3, 0.4, -3.0
    assert gaussian.bin_rule == "width"
    assert gaussian.fit() is before[0]
    assert gaussian.by_width() is before[2]
    assert all(a is b for a, b in zip(gaussian.drawn_from(items["residuals"]), drawn, strict=True))
    assert not calls


def test_a_fit_below_the_certified_bound_says_so():
    page = ScoresPage(wb.SubsampledGaussianPair(0.25, 0.3).sample(5000, seed=0))
    fit, certified = page.mu_fit(), page.mu()
    assert certified.value > fit.value
    assert f"Some thresholds leak more: μ ≥ {certified.rounded} is certified." in fit.note
    assert "no single μ describes these scores" in fit.note


def summary(figure):
    return figure["layout"]["meta"]["summary"]


def test_residuals_say_where_one_mu_is_enough(gaussian):
    assert "One μ describes the whole curve within the two-sided 95% limits" in summary(
        gaussian.residuals()
    )
    page = ScoresPage(wb.SubsampledGaussianPair(0.25, 0.3).sample(5000, seed=0))
    words = summary(page.residuals())
    assert "these scores leak more at false positive rates " in words
    assert "apart along both error rates (regret)" in words
    page.reference_kind = "laplace"
    names = {trace["name"] for trace in page.residuals()["data"]}
    assert {"observed", "two-sided limits", "Laplace"} <= names


def test_the_width_chart_has_the_truth_of_known_pairs(gaussian):
    page = ScoresPage(data=example_key("gaussian"))
    assert "The true one is 0.383." in summary(page.tv_by_width())
    assert "The true one" not in summary(gaussian.tv_by_width())
    assert f"The {gaussian.bins.histogram().bins} chosen bins, of equal probability" in summary(
        gaussian.tv_by_width()
    )


def test_the_line_of_the_width_chart_sets_the_bins(gaussian):
    (item,) = [one for one in ScoresPage.items() if one.name == "tv_by_width"]
    (shape,) = [s for s in gaussian.tv_by_width()["layout"]["shapes"] if s.get("name")]
    assert item.drag == {shape["name"]: "bin_width"}
    assert shape["x0"] == gaussian.bin_width
    gaussian.bin_width = 0.5
    (shape,) = [s for s in gaussian.tv_by_width()["layout"]["shapes"] if s.get("name")]
    assert shape["x0"] == 0.5
    assert "chosen bins, 0.5 wide" in summary(gaussian.tv_by_width())


@pytest.mark.parametrize("name", ["ties", "messy", "breast-cancer-losses", "one-shot-private"])
def test_odd_examples_are_drawn(name):
    page = ScoresPage(wb.example(name))
    for method in page.param.fit_method.objects:
        page.fit_method = method
        assert summary(page.residuals())
        assert page.mu_fit().guarantee == "estimate"
    assert summary(page.tv_by_width())


def test_the_code_of_the_page_has_the_fit(gaussian):
    for method, says in (
        ("likelihood", "wb.gdp_fit(scores, method='likelihood', confidence=0.95)"),
        ("tv", "wb.gdp_fit(h, method='tv')"),
        ("range", "wb.gdp_fit(curve, method='range', floor=0.001)"),
    ):
        gaussian.fit_method = method
        assert f"mu_fit = {says}" in gaussian.code({})
