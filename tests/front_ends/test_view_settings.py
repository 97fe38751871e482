"""Settings of a view: numbers themselves beside their logarithms, and refusals in our words."""

import json
import math
import traceback

import pytest

import workbench as wb
from workbench.estimators.threshold_places import threshold_places
from workbench.pages.core.sliders import LogNumber
from workbench.pages.registry import PAGES
from workbench.views.settings import plain_names


@pytest.fixture(scope="module")
def scores():
    return wb.GaussianPair(1).sample(2000, seed=3)


@pytest.fixture
def view(scores):
    made = wb.explore(scores)
    yield made
    made.close()


# -- the number itself -----------------------------------------------------------------------------


def test_delta_stands_beside_its_logarithm(view, scores):
    assert (view.delta, view.log_delta) == (1e-5, -5)
    view.delta = 3e-7
    assert view.delta == 3e-7
    assert view.log_delta == pytest.approx(math.log10(3e-7), abs=1e-12)
    assert view.bound == wb.epsilon_lower_bound(scores, delta=3e-7)
    view.log_delta = -6
    assert view.delta == 1e-6
    view.update(delta=1e-4, threshold=0.5)
    assert (view.delta, view.threshold) == (1e-4, 0.5)
    assert {"delta", "log_delta"} <= set(dir(view))


def test_explore_takes_settings(scores):
    view = wb.explore(scores, delta=1e-4, threshold=0.5, show=("histogram",), controls=("delta",))
    assert (view.delta, view.threshold) == (1e-4, 0.5)
    assert [c.name for section in view._sections for c in section.controls] == ["log_delta"]
    again = wb.explore(scores, spec=json.loads(json.dumps(view.spec())))
    assert (again.delta, again.threshold) == (1e-4, 0.5)
    other = wb.explore(scores, spec={"delta": 1e-3, "threshold": 1}, threshold=0.25)
    assert (other.delta, other.threshold) == (1e-3, 0.25)
    over = wb.explore(scores, spec={"log_delta": -3}, delta=1e-6)
    assert over.delta == 1e-6
    pair = wb.explore_pair("gaussian", n=5000)
    assert (pair.n, type(pair.n)) == (5000, int)
    runs = wb.explore_selection(wb.selection.Poisson(10), delta=1e-7)
    assert runs.delta == 1e-7


def test_an_observer_hears_of_the_number(view):
    heard = []
    view.observe(heard.append, "delta")
    view.delta = 1e-6
    view.log_delta = -7
    assert heard == [1e-6, 1e-7]
    view.unobserve(heard.append, "delta")


@pytest.mark.parametrize("name", PAGES)
def test_no_plain_name_stands_for_two_things(name):
    page = PAGES[name].kind()
    plain = plain_names(page)
    others = {item.name for item in page.items()} | {*page.param} | page.jobs().keys()
    assert not plain.keys() & others
    assert not [n for n in plain if hasattr(wb.View, n)]
    assert all(isinstance(page.param[log], LogNumber) for log in plain.values())


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("threshold", "a", "threshold: Threshold.* must be a number; got 'a'"),
        ("threshold", float("nan"), "threshold: Threshold.* must be finite; got nan"),
        ("threshold", math.inf, "must be finite; got inf"),
        ("threshold", True, "must be a number; got True"),
        ("threshold", 1e20, r"must be at most 1.000e\+15; got 1.000e\+20"),
        ("bin_width", -1, "bin_width: Bin width must be at least 0.001; got -1"),
        ("bin_count", 3.5, "must be a whole number; got 3.5"),
        ("delta", 0, "delta must be above 0, .*; got 0"),
        ("delta", 2, "delta: δ must be below 1; got 2"),
        ("delta", "x", "delta must be a number, got 'x'"),
        ("log_delta", 5, "delta: δ must be below 1; got 100000"),
        (
            "fit_method",
            "tvv",
            "must be one of 'likelihood', 'tv', .*; got 'tvv'; did you mean 'tv'",
        ),
        ("bin_rule", 3, "bin_rule must be one of 'quantile', .*; got 3$"),
        ("fixed_range", "no", "fixed_range must be True or False; got 'no'"),
        ("confidence", 0.05, "did you mean 0.95"),
    ],
)
def test_a_value_is_refused_in_our_words_and_few_lines(view, name, value, words):
    before = {name: getattr(view.page, name) for name in view.page.param}
    with pytest.raises(ValueError, match=words) as refused:
        setattr(view, name, value)
    assert "parameter '" not in str(refused.value)
    written = "".join(traceback.format_exception(refused.value))
    assert "param/" not in written
    assert len(written.splitlines()) <= 25
    assert {name: getattr(view.page, name) for name in view.page.param} == before


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"delta": 2}, "delta: δ must be below 1"),
        ({"threshold": "a"}, "must be a number; got 'a'"),
        ({"tresh": 1}, "no setting 'tresh'; did you mean 'threshold'"),
        ({"delta": 1e-5, "log_delta": -5}, "state delta or log_delta, not both"),
    ],
)
def test_explore_refuses_settings_in_our_words(scores, settings, words):
    with pytest.raises(ValueError, match=words) as refused:
        wb.explore(scores, **settings)
    assert "param/" not in "".join(traceback.format_exception(refused.value))


def test_a_number_beyond_the_slider_is_one_that_was_typed(view):
    view.threshold = 99  # as on the page: the slider stands at its end, and the charts reach it
    shown, end = json.loads(view.widget.control_threshold), threshold_places(view.page.scores)[-1]
    assert (view.threshold, shown["value"], shown["high"]) == (99, 99, end)
    assert end < 99 == view.page.cut.reach()[1]
    assert view.page.message == ""


def test_a_misspelt_logarithm_names_the_number(view):
    with pytest.raises(AttributeError, match="did you mean delta"):
        view.dleta = 1e-5
