"""Steps k on the scores page: what many steps leak, from the scores of one."""

import json
import math

import numpy as np
import pytest

import workbench as wb
from workbench.assets import board
from workbench.bounds.simultaneous import composition
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.auditing.page_of import page_of
from workbench.pages.core.page import Fact
from workbench.pages.inputs.data import example_key
from workbench.pages.scores import over_steps
from workbench.pages.scores.page import ScoresPage
from workbench.pairs.accounting import pld
from workbench.workspaces.workspace import Workspace

ITEMS = ("steps_epsilon", "steps_histogram", "profile_over_steps")


def page_of_scores(scores=None, **settings):
    page = ScoresPage(wb.GaussianPair(1).sample(1000, seed=0) if scores is None else scores)
    page.param.update(settings)
    return page


def drawn(page):
    """The items about many steps."""
    return [page.draw(item) for item in page.items() if item.name in ITEMS]


def summary(page):
    return page.profile_over_steps()["layout"]["meta"]["summary"]


def curves(page):
    return {one.get("name"): one for one in page.profile_over_steps()["data"]}


@pytest.fixture(scope="module")
def hist_page():
    """The setting of HIST, Fig. 11."""
    scores = wb.SubsampledGaussianPair(0.5, 2.0).sample(100_000, seed=0)
    return page_of_scores(
        scores,
        log_steps=1.0,
        bin_rule="scott",
        reference_kind="subsampled-gaussian",
        reference_q=0.5,
        reference_sigma=2.0,
    )


def test_the_interval_that_hist_asks_for(hist_page):
    bound, estimate = hist_page.steps_epsilon(), hist_page.steps_histogram()
    assert (bound.guarantee, bound.confidence, bound.void) == ("simultaneous", 0.95, None)
    assert bound.value == pytest.approx(3.4614, abs=1e-4)
    assert estimate.guarantee == "estimate"
    assert estimate.value == pytest.approx(4.1501, abs=1e-4)
    (reference,), left_out = hist_page.compared_over_steps()
    assert reference.epsilon(1e-5) == pytest.approx(3.959, abs=1e-3)
    assert bound.value < reference.epsilon(1e-5) < estimate.value
    assert left_out == ()
    assert "10 independent steps" in summary(hist_page)
    assert {"histogram", "simultaneous", "Subsampled Gaussian"} <= curves(hist_page).keys()


def test_bins_that_are_empty_on_one_side_are_named(hist_page):
    hist_page.param.update(bin_rule="count", bin_count=100)
    hist_page.param.update(fixed_range=True, range_low=-9.0, range_high=10.0)
    estimate = hist_page.steps_histogram()
    mass = wb.compose_histogram(hist_page.bins.histogram(), 10).infinite_mass
    assert estimate.value == math.inf
    assert mass > 1e-5
    assert f"empty on one side carry a mass of {mass:.3g}"[:48] in summary(hist_page)
    assert "counted as infinite loss" in estimate.note
    labels = [one["text"] for one in hist_page.profile_over_steps()["layout"]["annotations"]]
    assert any(text.startswith("on empty bins: ") for text in labels)
    histogram = curves(hist_page)["histogram"]
    assert histogram["y"][0] == pytest.approx(mass)  # to the end of the axis


def test_numbers_are_those_of_the_library_and_of_the_code(hist_page):
    hist_page.param.update(bin_rule="scott", fixed_range=False, log_delta=-4.0)
    band = wb.tradeoff_band(hist_page.scores, 0.95)
    assert hist_page.steps_epsilon() == wb.compose_band(band, 10).epsilon(1e-4)
    h = wb.histogram(hist_page.scores, rule="scott")
    assert hist_page.steps_histogram() == wb.compose_histogram(h, 10).epsilon(1e-4)
    code = hist_page.code({}).rpartition("view = ")[0]
    exec(code, made := {"scores": hist_page.scores})
    assert made["steps_epsilon"] == hist_page.steps_epsilon()
    assert made["steps_histogram"] == hist_page.steps_histogram()
    view = wb.explore(hist_page.scores)
    view.steps = 10
    assert view.steps_epsilon.value == pytest.approx(3.4614, abs=1e-4)
    hist_page.log_delta = -5.0


def test_the_certified_curve_passes_through_the_number(hist_page):
    curve, bound = curves(hist_page)["simultaneous"], hist_page.steps_epsilon()
    x, y = (np.asarray(curve[name], dtype=float) for name in "xy")
    at = np.interp(np.log10(bound.delta), np.log10(y), x)
    assert at == pytest.approx(bound.value, rel=0.01)


def test_one_step_shows_and_computes_nothing(monkeypatch):
    page = page_of_scores()
    monkeypatch.setattr(over_steps, "compose_band", None)
    monkeypatch.setattr(over_steps, "compose_histogram", None)
    figure, bound, estimate = drawn(page)
    assert figure["layout"]["meta"]["optional"]
    assert figure["data"] == []
    assert isinstance(bound, Fact)
    assert bound.text == estimate.text == ""
    assert not {"steps_epsilon", "steps_histogram"} & page.drawn_numbers().keys()
    assert not {"steps_epsilon", "steps_histogram"} & {one.name for one in audit_of(page).numbers}
    assert "steps_" not in page.code({})
    frame = wb.explore(page.scores).to_frame()
    assert not frame["name"].str.startswith("steps_").any()


@pytest.mark.parametrize("log_steps", [0.0, 0.1])
def test_what_is_one_step_in_whole_numbers_is_one_step(log_steps):
    assert page_of_scores(log_steps=log_steps).composed_band() is None


def test_moving_delta_or_the_threshold_composes_nothing_again(monkeypatch):
    page = page_of_scores(log_steps=1.0)
    drawn(page)
    calls = []
    build = pld._build
    monkeypatch.setattr(pld, "_build", lambda parts: calls.append(parts) or build(parts))
    page.param.update(log_delta=-3.0, threshold=0.7)
    bound = drawn(page)[1]
    assert bound.delta == 1e-3
    assert calls == []
    page.log_steps = 1.1
    drawn(page)
    assert len(calls) == 2  # the band, and the histogram
    page.log_steps = 1.0
    drawn(page)
    assert len(calls) == 2  # as all was shown before


def test_the_samples_are_not_touched_again(monkeypatch):
    page = page_of_scores(log_steps=1.0)
    drawn(page)
    samples = type(page.scores.samples.pooled)
    for name in ("below", "up_to"):
        monkeypatch.setattr(samples, name, None)
    page.param.update(log_steps=2.0, log_delta=-7.0)
    assert drawn(page)[1].value > 0


def test_steps_and_delta_spoil_no_bound_and_the_confidence_does():
    page = ScoresPage(data=example_key("gaussian"))
    page.param.update(log_steps=2.0)
    page.param.update(log_steps=1.0, log_delta=-3.0)
    assert page.steps_epsilon().void is None
    page.confidence = 0.99
    assert page.steps_epsilon().void == page.epsilon().void is not None


def test_a_learned_statistic_keeps_its_guarantee():
    page = page_of_scores(log_steps=1.0, ordering="learned")
    bound = page.epsilon_over_steps()
    assert bound.guarantee == page.band().epsilon(1e-5).guarantee == "held-out"
    assert page.scores.chance is not None


EDGES = {
    "five scores": wb.Scores(np.arange(5) + 0.5, np.arange(5.0)),
    "constant": wb.Scores(np.zeros(10), np.zeros(10)),
    "discrete": wb.Scores(np.repeat([0.0, 1.0], 50), np.repeat([0.0, 1.0], [90, 10])),
    "apart": wb.Scores(np.arange(100) + 1000.0, np.arange(100.0)),
    "one side empty": wb.Scores(np.repeat([0.0, 1.0], 500), np.zeros(1000)),
    "infinite": wb.Scores(np.r_[np.full(20, np.inf), np.arange(100.0)], np.arange(120.0)),
}


@pytest.mark.parametrize("log_steps", [0.3, 3.0])
@pytest.mark.parametrize("name", EDGES)
def test_edges_draw(name, log_steps):
    page = page_of_scores(EDGES[name], log_steps=log_steps)
    for log_delta in (-20.0, -0.5):
        page.log_delta = log_delta
        figure, bound, estimate = drawn(page)
        assert not any("NaN" in board.content(one) for one in (figure, bound, estimate))
        assert figure["data"]
        assert 0 <= bound.value < math.inf
        if not estimate.void:
            assert estimate.value >= bound.value


def test_references_are_composed_and_a_heuristic_is_left_out():
    page = page_of_scores(log_steps=2.0, reference_kind="gaussian", reference_mu=0.5)
    ((one,), _) = page.compared_over_steps()
    assert one.pair == wb.GaussianPair(5.0)
    page.reference_kind = "last-iterate"
    assert page.compared_over_steps() == ((), ("Last iterate (heuristic)",))
    assert "no composition is known of Last iterate (heuristic)" in summary(page)
    page.param.update(reference_kind="laplace", reference2_kind="laplace", reference_shown=False)
    ((one,), _) = page.compared_over_steps()
    assert one.style.name == "Laplace"


def test_a_reference_that_no_grid_holds_is_left_out(monkeypatch):
    page = page_of_scores(log_steps=1.0, reference_kind="laplace")

    def refuse(parts):
        raise pld.AccountantError("too many")

    monkeypatch.setattr(pld, "kept", refuse)
    assert page.compared_over_steps() == ((), ("Laplace",))


def test_links_audits_and_reports_keep_the_steps(tmp_path):
    page = page_of_scores(log_steps=1.0)
    audit = audit_of(page)
    shown = {one.name: one.shown for one in audit.numbers}
    assert shown["steps_epsilon"] == f"≥ {page.steps_epsilon().rounded}"
    again = ScoresPage(page.scores)
    assert again.restore(json.loads(json.dumps(page.settings()))) == []
    assert again.steps_epsilon() == page.steps_epsilon()
    text = audit.report(tmp_path / "audit.md").read_text(encoding="utf-8")
    assert "ε of k steps" in text
    assert "Privacy profile of k steps" in text
    kept = ScoresPage(data=example_key("gaussian"))
    kept.log_steps = 1.0
    reopened = page_of(audit_of(kept), Workspace())
    assert reopened.steps_composed() == 10


def test_compositions_are_held_by_few_and_none_outlives_its_scores():
    pld.forget()
    bands = [wb.compose_band(wb.tradeoff_band(page_of_scores().scores), k) for k in range(2, 9)]
    assert len(pld._owned) == 4
    values = [one.epsilon(1e-5).value for one in bands]
    assert values == sorted(values)
    assert len(pld._owned) == 4
    assert not any("_composition" in vars(one) for one in bands)
    del bands
    assert len(pld._owned) == 0


def test_where_all_mass_is_on_empty_bins_nothing_is_private():
    h = wb.histogram(wb.example("breast-cancer-losses"))
    for k in (14, 15, 16, 17, 1000):
        found = wb.compose_histogram(h, k)
        assert found.epsilon(1e-5).value == math.inf
        assert found.profile([0.0, 5.0]).tolist() == pytest.approx([1, 1])


def test_the_largest_loss_limits_epsilon_at_delta_zero():
    h = wb.histogram(EDGES["discrete"])
    for k in (1, 2, 10, 1000):
        found = wb.compose_histogram(h, k)
        assert found.epsilon(0.0).value == pytest.approx(k * math.log(5))
        assert found.epsilons([0.0, 1e-5, 0.5])[1] == found.epsilon(1e-5).value
    assert composition.compose_histogram(wb.histogram(EDGES["one side empty"]), 3).epsilons(
        [0.0, 0.9]
    ).tolist() == pytest.approx([math.inf, 0.0])


def test_epsilons_of_a_band_are_those_of_each_delta():
    band = wb.compose_band(wb.tradeoff_band(EDGES["discrete"]), 5)
    deltas = [0.0, 1e-9, 0.01]
    assert band.epsilons(deltas).tolist() == [band.epsilon(one).value for one in deltas]
