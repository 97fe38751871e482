"""Where the Gaussian of the tight μ meets a pair, and how the page on known pairs shows it."""

import ast
import re

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import workbench as wb
from workbench.curves.gdp import gaussian_log_profile
from workbench.pages.pair_lab import MOST_RELEASES, PairLabPage
from workbench.pairs.gdp_tangent import meeting_point, symmetric_local_mu

HIST = wb.SubsampledGaussianPair(0.25, 0.3)
FLOOR = 3.17e-5

PAIRS = [
    HIST,
    wb.GaussianPair(1),
    wb.LaplacePair(1),
    wb.RandomizedResponsePair(1, 0),
    wb.RandomizedResponsePair(1, 0.01),
    wb.ComposedPair(wb.RandomizedResponsePair(1, 0.01), 10),
    wb.ComposedPair(wb.LaplacePair(1), 4),
]


def gap(pair, meeting, epsilon):
    """Log of the Gaussian's δ over the pair's."""
    return gaussian_log_profile(meeting.mu, epsilon) - pair.log_profile(epsilon)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
@pytest.mark.parametrize("floor", [1e-9, FLOOR, 1e-2])
def test_the_profiles_meet_where_it_says(pair, floor):
    met = meeting_point(pair, floor)
    assert met.mu == pytest.approx(pair.gdp_mu(floor), rel=1e-9)
    assert floor <= met.alpha <= (1 - pair.total_variation) / 2
    assert met.delta == pair.profile(met.epsilon)
    assert gap(pair, met, met.epsilon) == pytest.approx(0, abs=1e-9)
    before, after = gap(pair, met, met.epsilon + np.array([-0.01, 0.01]))
    if met.tangent:  # from above, on both sides: value and slope agree (HIST A.1)
        assert min(before, after) >= -1e-9
    else:  # the pair leaks more beyond
        assert before > 0 > after


def test_hists_pair_has_no_tangent_point_at_any_floor():
    """Its local μ rises toward 1/σ, so every search for one ends at the end of its range."""
    met = [meeting_point(HIST, floor) for floor in (1e-2, FLOOR, 1e-6, 1e-12)]
    assert not any(m.tangent for m in met)
    assert [m.alpha for m in met] == [m.floor for m in met]
    assert np.all(np.diff([m.mu for m in met]) > 0)
    assert met[1].mu == pytest.approx(2.471, abs=5e-4)  # where HIST stopped: 1/0.404 = 2.475
    assert max(m.mu for m in met) < 1 / 0.3


def test_closed_forms_of_the_tangent_point():
    laplace = meeting_point(wb.LaplacePair(1), FLOOR)
    assert laplace.tangent
    assert laplace.epsilon == 0
    assert laplace.delta == pytest.approx(1 - np.exp(-0.5))
    assert laplace.mu == pytest.approx(2 * ndtri((1 + laplace.delta) / 2))
    never = meeting_point(wb.GaussianPair(0), FLOOR)
    assert (never.mu, never.epsilon, never.delta) == (0, 0, 0)


def test_a_curve_below_the_floor_meets_nothing():
    assert meeting_point(wb.GaussianPair(5), 0.01) is None
    with pytest.raises(ValueError, match="floor"):
        meeting_point(HIST, 0)


def test_local_mu_of_the_symmetrised_curve():
    alpha = np.logspace(-12, -2, 21)
    assert symmetric_local_mu(HIST, alpha) == pytest.approx(HIST.local_mu(alpha), abs=1e-4)
    # Where its slope is −1 the symmetrised curve is a segment, and T(Q→P) lies above.
    at = np.array([0.3])
    segment = ndtri(at + HIST.total_variation) - ndtri(at)
    assert at > ndtr(-1 / 0.6)
    assert symmetric_local_mu(HIST, at) == pytest.approx(segment)
    assert symmetric_local_mu(wb.GaussianPair(0), alpha) == pytest.approx(0, abs=1e-4)


# -- the page ----------------------------------------------------------------------------------


def trace(figure, name):
    return [t for t in figure["data"] if t["name"] == name]


def test_the_tight_mu_is_shown_with_its_floor_as_number_and_line():
    page = PairLabPage(pair_kind="subsampled-gaussian")
    assert page.tight_mu().text == "2.471"
    assert page.tight_mu().note == "both error rates ≥ 3.16e-5"
    chart = page.mu_at_rates()
    (tight,) = trace(chart, "Gaussian, tight μ")
    below, above = trace(chart, "truth")
    assert tight["y"] == [pytest.approx(2.471, abs=5e-4)] * 2
    x, y = np.asarray(below["x"]), np.asarray(below["y"])
    assert x.min() == -12
    assert np.nanmax(y) == pytest.approx(2.995, abs=5e-3)  # on its way to 1/σ
    assert np.nanmax(above["y"]) <= 2.4713
    assert any("1/σ = 3.33" in a["text"] for a in chart["layout"]["annotations"])
    (floor,) = [s for s in chart["layout"]["shapes"] if s.get("name") == "floor"]
    assert floor["x0"] == -4.5
    page.log_floor = -12.0
    assert page.tight_mu().text == "2.995"
    for item in page.figures():
        if item.name == "mu_at_rates":
            assert item.drag == {"floor": "log_floor"}
            assert "3.17e-5" in item.caution


def test_the_certified_mu_stays_below_the_truth():
    """On most samples; this one is one of them, and a pair that leaks less is caught."""
    page = PairLabPage(pair_kind="subsampled-gaussian")
    (certified,) = trace(page.mu_at_rates(), "simultaneous")
    x = 10.0 ** np.asarray(certified["x"])
    assert np.all(certified["y"] <= symmetric_local_mu(HIST, x) + 1e-9)
    less = wb.SubsampledGaussianPair(0.15, 0.3)
    assert np.any(certified["y"] > symmetric_local_mu(less, x))


@pytest.mark.parametrize(
    ("kind", "name", "epsilon"),
    [("subsampled-gaussian", "where they cross", 6.65), ("laplace", "where they touch", 0.0)],
)
def test_the_profile_marks_where_the_gaussian_meets_it(kind, name, epsilon):
    page = PairLabPage(pair_kind=kind)
    (dot,) = trace(page.profile(), name)
    assert dot["x"] == [pytest.approx(epsilon, abs=5e-3)]
    assert dot["y"] == [pytest.approx(page.pair().profile(dot["x"][0]))]


def test_hiding_the_truth_hides_all_of_it():
    page = PairLabPage(pair_kind="subsampled-gaussian", hide_truth=True)
    assert page.tight_mu().text == "?"
    for chart in (page.mu_at_rates(), page.profile()):
        assert [t["name"] for t in chart["data"]] == ["simultaneous"]
        assert "2.47" not in str(chart["layout"])
        assert "6.65" not in str(chart["layout"])
    # The axes' extents give nothing away either.
    other = PairLabPage(
        pair_kind="subsampled-gaussian", hide_truth=True, pair_sigma=0.31, releases=1
    )
    assert page.mu_at_rates()["layout"]["xaxis"] == other.mu_at_rates()["layout"]["xaxis"]


def test_releases_are_composed():
    page = PairLabPage(pair_kind="gaussian", pair_mu=1.0, releases=4)
    assert page.epsilon_truth() == wb.GaussianPair(2).epsilon(1e-5)  # μ√k
    assert page.tight_mu().text == "2.000"
    assert page.true_epsilon().note.startswith("exact")
    four = page.both()[0]
    page.releases = 1
    assert page.true_epsilon().text == "4.38"
    assert page.both()[0] < four - 1
    page = PairLabPage(pair_kind="laplace", pair_mu=1.0, releases=3)
    assert page.true_epsilon().note == "upper limit, by accounting"
    low, high = page.pair().epsilon_interval(1e-5)
    assert low <= page.epsilon_truth() == high <= 3


def test_many_releases_are_drawn_fewer_times_and_it_is_said():
    page = PairLabPage(pair_kind="gaussian", log_n=6.0, releases=20)
    assert page.draws.n == MOST_RELEASES // 20 == page.scores().n_p
    assert page.sizes().note.endswith("; the limit for 20 releases")


def test_releases_that_leak_nothing_are_no_error():
    page = PairLabPage(pair_kind="gaussian", pair_mu=0.0, releases=5)
    for item in (*page.figures(), *page.numbers()):
        page.draw(item)
    assert page.tight_mu().text == "0"


@pytest.mark.parametrize(
    "state",
    [
        {"pair_kind": "subsampled-gaussian", "pair_sigma": 0.1, "pair_q": 1.0},
        {"pair_kind": "gaussian", "pair_mu": 5.0, "releases": 20},
        {"pair_kind": "randomized-response", "pair_pure_delta": 0.1, "releases": 20},
        {"pair_kind": "gaussian", "pair_mu": 5.0, "log_floor": -0.5},
    ],
)
def test_extremes_are_drawn(state):
    page = PairLabPage(**state)
    for item in page.figures():
        drawn = page.draw(item)
        assert drawn["data"]
        for axis in ("xaxis", "yaxis"):
            assert np.all(np.isfinite(drawn["layout"][axis]["range"]))
    for item in page.numbers():
        page.draw(item)


def test_its_code_makes_the_same_pair_and_floor():
    page = PairLabPage(releases=3)
    code = page.code({"releases": 3})
    ast.parse(code)
    made = re.search(r"pair = (.*)", code).group(1)
    assert eval(made, {"wb": wb}) == page.pair()
    assert "tight_mu = pair.gdp_mu(floor=3.16227766017e-05)" in code


def test_items_follow_the_floor_and_the_releases_and_no_other():
    page = PairLabPage(pair_kind="randomized-response", pair_epsilon=1.0, log_n=2.5)
    items = [*page.figures(), *page.numbers()]
    for name, value in (("log_floor", -1.0), ("releases", 3)):
        before = {item.name: str(page.draw(item)) for item in items}
        changed = {name, "past"} if name == "releases" else {name}
        setattr(page, name, value)
        after = {item.name: str(page.draw(item)) for item in items}
        still = {item.name for item in items if not page.inputs(item) & changed}
        assert {n for n in before if before[n] == after[n]} >= still
        assert before["tight_mu"] != after["tight_mu"]
        assert before["mu_at_rates"] != after["mu_at_rates"]
