"""Posterior mass and exposure on the scores page."""

import numpy as np
import pytest

import workbench as wb
from workbench.bounds.counts.posterior import masses_of
from workbench.pages.inputs.data import example_key
from workbench.pages.scores import readings
from workbench.pages.scores.page import ScoresPage


def summary(figure):
    return figure["layout"]["meta"]["summary"]


def drawn(figure, name):
    return next(trace for trace in figure["data"] if trace["name"] == name)


@pytest.fixture(scope="module")
def hist():
    """The pair of Koskela and Mohammadi's Figs. 2 and 3."""
    return wb.SubsampledGaussianPair(0.25, 0.3).sample(100_000, seed=0)


@pytest.mark.parametrize(("sigma", "least"), [(0.35, 0.0), (0.29, 0.05)])
def test_figures_2_and_3_of_hist(hist, sigma, least):
    page = ScoresPage(hist)
    page.param.update(
        show_posterior=True, reference_kind="subsampled-gaussian", reference_q=0.25,
        reference_sigma=sigma,
    )  # fmt: skip
    curve = drawn(page.posterior_chart(), "Subsampled Gaussian")
    thresholds, mass = np.asarray(curve["x"], float), np.asarray(curve["y"], float)
    exact = wb.posterior_over_thresholds(
        hist, wb.SubsampledGaussianPair(0.25, sigma), thresholds
    ).mass
    np.testing.assert_allclose(mass, exact, atol=1e-3)
    assert mass.min() == 0 if least == 0 else mass.min() > least
    assert "no confidence" in summary(page.posterior_chart())


def test_it_is_shown_when_asked_for_and_else_costs_nothing(hist, monkeypatch):
    page = ScoresPage(hist)
    monkeypatch.setattr(readings, "masses_of", lambda *given: pytest.fail("computed"))
    page.param.update(reference_kind="gaussian")
    assert page.posterior_chart()["layout"]["meta"]["optional"]


def test_moving_sliders_touches_no_samples(hist, monkeypatch):
    page = ScoresPage(hist)
    page.param.update(show_posterior=True, reference_kind="gaussian", claim_kind="gdp")
    page.posterior_chart(), page.exposure_chart(), page.compared()
    calls = []
    monkeypatch.setattr(wb.Scores, "tail_counts", lambda *given: pytest.fail("touched"))
    monkeypatch.setattr(readings, "exposure_curve", lambda *given: pytest.fail("touched"))
    monkeypatch.setattr(
        readings, "masses_of", lambda *given: calls.append(given) or masses_of(*given)
    )
    page.reference_mu = 1.3
    page.posterior_chart(), page.exposure_chart()
    assert len(calls) == 1  # that of the claim is known


def test_the_mass_is_live_and_falls_to_0_for_too_small_a_promise(hist):
    page = ScoresPage(hist)
    page.param.update(show_posterior=True, reference_kind="gaussian")
    least = []
    for mu in (0.1, 1.0, 4.0):
        page.reference_mu = mu
        least.append(min(drawn(page.posterior_chart(), "Gaussian")["y"]))
    assert least[0] == pytest.approx(0, abs=1e-12)
    assert least == sorted(least)


EDGES = {
    "n = 5": lambda: wb.GaussianPair(1).sample(5, seed=0),
    "no leak": lambda: wb.GaussianPair(0).sample(300, seed=0),
    "apart": lambda: wb.Scores([2.0, 3, 4], [0.0, 0.1, 0.2]),
    "two values": lambda: wb.RandomizedResponsePair(1, 0).sample(200, seed=0),
    "one value": lambda: wb.Scores(np.zeros(10), np.zeros(10)),
    "infinite": lambda: wb.Scores(
        [0.0, np.inf, 1], [0.0, -np.inf, 0.5], nonfinite="keep", larger_is_member=True
    ),
}


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("kind", [None, "randomized-response", "dp-sgd"])
def test_edges_are_drawn(name, kind):
    page = ScoresPage(EDGES[name]())
    page.param.update(show_posterior=True, reference_kind=kind)
    for figure in (page.posterior_chart(), page.exposure_chart()):
        assert summary(figure)
        for trace in figure["data"]:
            y = np.asarray(trace["y"], dtype=float)
            assert np.isfinite(y).all()
            assert (y >= -1e-12).all()


def test_exposure_has_what_the_claim_allows():
    page = ScoresPage(data=example_key("gaussian"))
    page.claim_kind = "gdp"
    chart = page.exposure_chart()
    k = np.asarray(drawn(chart, "simultaneous")["x"], dtype=int)
    claim = page.own_claim()
    allowed = drawn(chart, f"your claim, {claim.short}")["y"]
    assert allowed == pytest.approx([wb.exposure_limit(claim, int(one)) for one in k])
    certified = np.asarray(drawn(chart, "simultaneous")["y"], dtype=float)
    observed = drawn(chart, "observed")
    assert (certified <= np.asarray(allowed) + 1e-9).all()
    assert observed["y"][0] == pytest.approx(wb.roc(page.scores).auc, abs=1e-6)
    assert max(observed["x"]) == page.scores.n_q + 1
    assert "without a leak it is 1.44" in summary(chart)
    page = ScoresPage(wb.GaussianPair(1).sample(100, seed=0))
    assert "allows" not in summary(page.exposure_chart())
