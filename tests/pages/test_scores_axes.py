"""The scores page on scales that fit losses: slider by ranks, axes, the refuting point."""

from __future__ import annotations

import math

import numpy as np
import pytest

import workbench as wb
from workbench.assets.controls import Controls
from workbench.bounds.power.judge import refuting_point, verdict_on
from workbench.estimators.threshold_places import threshold_places
from workbench.figures.kit.scales import rate_axes
from workbench.figures.kit.svg import svg
from workbench.pages.core.gestures import PageGestures
from workbench.pages.core.session import PageSession
from workbench.pages.scores.page import ScoresPage
from workbench.pages.scores.scales import proposed_scale, refused_scales


def losses(n=3000, seed=11):
    rng = np.random.default_rng(seed)
    z = rng.normal(2.4, 1.8, n)
    z[: n // 20] = rng.normal(9, 0.7, n // 20)
    other = rng.normal(1.7, 2.0, n)
    p, q = (np.log1p(np.exp(-x)) for x in (z, other))
    return wb.Scores(p, q, larger_is_member=False, sampling="independent runs")


@pytest.fixture(scope="module")
def scores():
    return losses()


@pytest.fixture
def page(scores):
    page = ScoresPage(scores)
    page.claim_kind, page.claim_epsilon = "approx", 2.0
    return page


def gestures(page):
    def assign(name, value, typed):
        setattr(page, name, value)

    return PageGestures(page, {item.name: item for item in page.items()}, assign, lambda job: None)


# -- the slider ------------------------------------------------------------------------------------


def test_the_threshold_of_the_page_is_a_score_and_its_slider_has_places(page, scores):
    states = Controls(page).states()
    assert states["threshold"]["value"] == page.threshold
    places = threshold_places(scores)
    assert page.param.threshold.get_soft_bounds() == (places[0], places[-1])
    packed = states["threshold_places"]["places"]
    assert packed["dtype"] == "f8"
    page.threshold = 0.00057912345678
    states = Controls(page).states({"threshold"})  # what a step of a drag sends: no places
    assert states.keys() == {"threshold"}
    assert states["threshold"]["value"] == 0.00057912345678


def test_places_stay_the_same_object_until_the_data_change(page):
    controls = Controls(page)
    first = controls.states()["threshold_places"]
    assert controls.states()["threshold_places"] is first


@pytest.mark.parametrize("axis", ["linear", "log", "rank"])
@pytest.mark.parametrize("figure", ["distributions", "mu_curve"])
def test_a_dragged_line_snaps_to_the_nearest_place_on_every_axis(page, scores, axis, figure):
    page.score_axis = axis
    places = threshold_places(scores)
    for k in (0, 1, 40, places.size // 2, places.size - 1):
        x = float(page.scale().place(places[k]))
        if axis == "rank":
            assert 0 <= x <= 1
        gesture = {"kind": "drag", "item": figure, "shape": "threshold", "x": x, "serial": 1}
        gestures(page).asked(gesture)[1]()
        if axis == "rank":  # several thresholds between two scores have one rank
            assert page.scale().place(page.threshold) == pytest.approx(x, abs=1e-9)
        else:
            assert page.threshold == places[k]
    assert page.threshold_moved


def test_a_restored_threshold_keeps_its_digits(scores):
    page = ScoresPage(scores)
    assert page.restore({"threshold": 0.000579}) == []
    assert page.threshold == 0.000579
    assert page.settings()["threshold"] == 0.000579
    assert "threshold=0.000579" in page.code({})


# -- the axes --------------------------------------------------------------------------------------


def test_a_loss_is_proposed_a_logarithmic_axis(page):
    assert page.score_axis == "proposed"
    assert page.scale().name == "log"
    axis = page.distributions()["layout"]["xaxis"]
    assert axis["type"] == "log"
    assert axis["title"]["text"] == "score (log scale)"


RNG = np.random.default_rng(5)
PROPOSED = {
    "normal": ("linear", RNG.normal(size=4000)),
    "heavy tail": ("log", RNG.lognormal(0, 2, 4000)),
    "heavy tail with zeros": ("rank", np.append(RNG.lognormal(0, 2, 4000), np.zeros(40))),
    "heavy left tail": ("rank", -RNG.lognormal(0, 2, 4000)),
    "probabilities near 1": ("logit", 1 - RNG.lognormal(-8, 2, 4000).clip(1e-9, 0.9)),
    "probabilities of exactly 1": ("rank", np.append(RNG.beta(0.1, 0.1, 4000), np.ones(400))),
    "uniform": ("linear", RNG.uniform(size=4000)),
    "few values": ("linear", RNG.choice([0.0, 1.0, 1e6], 4000)),
    "all equal": ("linear", np.ones(4000)),
}


@pytest.mark.parametrize("name", PROPOSED)
def test_an_axis_is_proposed_by_the_scores_and_never_by_the_memberships(name):
    expected, pooled = PROPOSED[name]
    half = pooled.size // 2
    by_value = np.sort(pooled)
    for p, q in ((pooled[:half], pooled[half:]), (by_value[:half], by_value[half:])):
        for larger in (True, False):
            assert proposed_scale(wb.Scores(p, q, larger_is_member=larger)) == expected


@pytest.mark.parametrize(
    ("p", "refused", "words"),
    [
        ([-1.0, 0.2, 0.3], {"log", "logit"}, "the least score is -1"),
        ([0.0, 0.2, 0.3], {"log", "logit"}, "the least score is 0"),
        ([0.1, 0.2, 1.0], {"logit"}, None),
        ([0.1, 0.2, 7.0], {"logit"}, None),
        ([0.1, 0.2, 0.9], set(), None),
        ([0.1, np.inf, 0.9], {"log", "logit"}, "there are infinite scores"),
        ([0.1, np.nan, 0.9], set(), None),
    ],
)
def test_a_scale_that_the_data_forbid_is_refused_in_words(p, refused, words):
    scores = wb.Scores(p, [0.4, 0.5, 0.6])
    why = refused_scales(scores)
    assert why.keys() == refused
    if words:
        assert why["log"] == words
    page = ScoresPage(scores)
    labels = {"log": "logarithmic", "logit": "logit"}
    state = Controls(page).states()["score_axis"]
    assert state["refused"] == {labels[name]: text for name, text in why.items()}
    for name in ("linear", "log", "logit", "rank"):
        if name in refused:
            with pytest.raises(ValueError, match=f"Score axis cannot be {labels[name]}: "):
                page.score_axis = name
            assert page.score_axis != name
        else:
            page.score_axis = name
            for figure in (page.distributions(), page.mu_curve()):
                assert "<svg" in svg(figure)


def test_a_refused_axis_is_said_by_the_session_and_not_set(page):
    def at_once(turn, blocks):
        turn()

    session = PageSession(page, page.items(), draw=lambda: None, schedule=at_once)
    session.receive({"kind": "set", "name": "score_axis", "value": "logit", "serial": 1})
    assert "Score axis cannot be logit: scores are from" in page.message
    assert page.score_axis == "proposed"


def test_an_axis_that_other_data_forbid_is_proposed_anew():
    page = ScoresPage(losses())
    page.score_axis = "log"
    page.adopt(wb.Scores([-1.0, 0.5, 2.0], [0.1, 0.2, 0.3]), "")
    assert page.score_axis == "proposed"
    assert page.scale().name == "linear"


@pytest.mark.parametrize("axis", ["linear", "log", "rank"])
def test_the_areas_of_the_histogram_are_the_shares_of_the_bins_on_every_axis(page, axis):
    page.score_axis = axis
    h, figure = page.histogram(), page.distributions()
    x = {
        trace["name"]: (np.asarray(trace["x"]), np.asarray(trace["y"])) for trace in figure["data"]
    }
    for name, shares in (("members (P)", h.p), ("non-members (Q)", h.q)):
        edges, heights = x[name]
        along = np.log10(edges) if axis == "log" else edges
        np.testing.assert_allclose(np.diff(along) * heights[:-1], shares[: h.bins], atol=1e-12)
    titles = {
        "linear": "density",
        "log": "density per decade",
        "rank": "density relative to all scores",
    }
    assert figure["layout"]["yaxis"]["title"]["text"] == titles[axis]


def test_fixed_bins_across_zero_are_drawn_on_a_logarithmic_axis(page):
    page.bin_rule, page.bin_width = "width", 0.5
    page.fixed_range, page.range_low, page.range_high = True, -1.0, 3.0
    h = page.histogram()
    assert h.edges[0] == -1
    for trace in page.distributions()["data"]:
        x, y = np.asarray(trace["x"]), np.asarray(trace["y"])
        assert (x > 0).all()
        assert np.isfinite(y).all()
        shares = h.p if trace["name"] == "members (P)" else h.q
        np.testing.assert_allclose(np.diff(np.log10(x)) * y[:-1], shares, atol=1e-12)


@pytest.mark.parametrize("axis", ["linear", "log", "rank"])
def test_a_typed_threshold_off_the_axis_stands_at_its_end(page, axis):
    page.score_axis = axis
    for typed in (-3.0, 50.0):
        page.threshold = typed
        for figure in (page.distributions(), page.mu_curve()):
            (line,) = (s for s in figure["layout"]["shapes"] if s.get("name") == "threshold")
            assert math.isfinite(line["x0"])
            low, high = figure["layout"]["xaxis"]["range"]
            at = math.log10(line["x0"]) if axis == "log" else line["x0"]
            assert low <= at <= high


@pytest.mark.parametrize("axes", ["linear", "log", "probit"])
def test_the_trade_off_curve_on_all_axes(page, axes):
    page.tradeoff_axes = axes
    figure = page.tradeoff()
    assert "<svg" in svg(figure)
    assert all(len(trace["x"]) <= 2001 for trace in figure["data"])
    x = float({"linear": 0.1, "log": 0.1, "probit": -1.2815515655446004}[axes])
    page.move_to_fpr(x, 0.0)
    assert float(page.at_threshold().fpr) == pytest.approx(0.1, abs=0.005)


@pytest.mark.parametrize("axes", ["linear", "log", "probit"])
def test_places_of_rates(axes):
    on = rate_axes(axes, 1000)
    x, y = on.points(np.array([0.1]), np.array([0.7]))
    expected = {"linear": (0.1, 0.7), "log": (0.1, 0.3), "probit": (-1.2815516, 0.5244005)}
    assert (float(x[0]), float(y[0])) == pytest.approx(expected[axes], abs=1e-6)
    assert on.held(0.1, 0.7) == pytest.approx(expected[axes], abs=1e-6)
    assert on.fpr(float(x[0])) == pytest.approx(0.1)
    assert all(math.isfinite(place) for place in on.held(0, 1))


def test_the_profile_reaches_to_tiny_deltas(page):
    assert page.profile()["layout"]["yaxis"]["range"][0] == -12


# -- the refuting point ----------------------------------------------------------------------------


def test_the_marked_point_is_that_of_the_verdict(page, scores):
    verdict = page.verdict()
    point = page.refuting()
    assert verdict.refuted
    assert point == verdict.witness
    trace = next(t for t in page.tradeoff()["data"] if t["name"] == "refuting point")
    assert (trace["x"], trace["y"]) == ([point.fpr_upper], [point.fnr_upper])
    for figure in (page.distributions(), page.mu_curve()):
        assert point.threshold in [s["x0"] for s in figure["layout"]["shapes"]]


@pytest.mark.parametrize("claim", ["approx(2, 1e-5)", "gdp(1)", "approx(0, 0)", "gdp(5)"])
def test_the_point_needs_no_power(scores, claim):
    verdict = verdict_on(scores, claim)
    point = refuting_point(scores, claim)
    assert point == (verdict.witness if verdict.refuted else None)


def test_show_me_where_moves_the_threshold_exactly_there(page):
    before = page.threshold
    page.show_where = True
    assert page.threshold == page.verdict().witness.threshold != before
    assert page.threshold_moved
    assert "chosen after seeing" in page.epsilon_here().void
    true, false = page.scores.tail_counts(page.threshold)
    witness = page.verdict().witness
    assert (int(true), int(false)) == (witness.true_positives, witness.false_positives)


def test_the_button_is_offered_only_where_a_claim_is_refuted_on_the_score(page):
    def offered():
        return Controls(page).states()["show_where"]["offered"]

    assert offered()
    page.claim_epsilon = 8.0
    assert not page.verdict().refuted
    assert not offered()
    assert page.refutation()["data"] == []
    assert page.refutation()["layout"]["meta"]["optional"] is True
    page.claim_epsilon = 2.0
    page.ordering = "learned"  # its thresholds are not on the axis of the score
    assert not offered()
    page.ordering = "score"
    page.claim_kind = None
    assert not offered()


def test_the_lens_shows_the_point_below_the_curve_of_the_claim(page):
    point, figure = page.refuting(), page.refutation()
    curves = {trace["name"]: trace for trace in figure["data"]}
    marker = curves["refuting point"]
    assert (marker["x"], marker["y"]) == ([point.fpr_upper], [point.fnr_upper])
    claim = curves["your claim"]
    k = int(np.flatnonzero(np.asarray(claim["x"]) == point.fpr_upper)[0])
    assert claim["y"][k] == pytest.approx(point.claimed_fnr)
    low, high = figure["layout"]["yaxis"]["range"]
    assert (point.claimed_fnr - point.fnr_upper) / (high - low) > 0.1  # a gap that can be seen
    assert high - low < 0.3
    assert "<svg" in svg(figure)
