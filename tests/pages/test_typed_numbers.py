"""A number that is typed is taken as typed, also beyond the ends of its slider."""

import math
import re

import numpy as np
import param
import pytest

from workbench.pages.core.page import Control, Page, Section
from workbench.pages.core.session import PageSession
from workbench.pages.core.sliders import LogNumber, number_of, scale, taken, widen
from workbench.pages.scores.page import ScoresPage


class Sliders(Page):
    """Sliders whose bounds are wider than their ranges, or not."""

    title = "Sliders"
    controls = (Section("", tuple(map(Control, ("level", "share", "log_delta", "fixed")))),)
    level = param.Number(0.5, bounds=(-100, None), softbounds=(0, 1), step=0.2, label="Level")
    share = param.Number(
        0.5, bounds=(0, 1), inclusive_bounds=(False, False), softbounds=(0.1, 0.9), step=0.1
    )
    log_delta = LogNumber(
        -5.0, bounds=(-100, 0), inclusive_bounds=(True, False), softbounds=(-12, -1), step=0.5,
        label="δ",
    )  # fmt: skip
    fixed = param.Number(0.5, bounds=(0, 1), step=0.25, label="Fixed")


@pytest.fixture
def page():
    return Sliders()


@pytest.mark.parametrize(
    ("name", "typed", "ends"),
    [
        ("level", 1.5, (0, 1.6)),  # in whole steps, so that 0.2 … 1.0 are still reached
        ("level", -0.1, (-0.2, 1)),
        ("level", -100, (-100, 1)),
        ("level", 0.123, (0, 1)),
        ("share", 0.999, (0.1, 0.999)),  # 1 itself is not taken
        ("log_delta", -13, (-13, -1)),
        ("log_delta", math.log10(0.9), (-12, math.log10(0.9))),
        ("level", 1e300, (0, 1e300)),
    ],
)
def test_a_slider_widens_to_hold_what_is_set(page, name, typed, ends):
    setattr(page, name, taken(page.param[name], typed, typed=True))
    assert getattr(page, name) == typed
    low, high, _ = scale(page.param[name])
    assert (low, high) == pytest.approx(ends)
    assert low <= typed <= high
    assert scale(Sliders().param[name])[:2] == scale(Sliders.param[name])[:2]  # of this page only


def test_the_range_stays_wide_when_the_slider_moves_back(page):
    page.level = 3.0
    page.level = 0.4
    assert scale(page.param.level)[:2] == (0, 3)
    assert taken(page.param.level, 2.8) == 2.8


def test_a_page_made_or_restored_with_such_a_number_has_a_slider_for_it(page):
    assert scale(Sliders(level=7.0).param.level)[1] == 7
    assert page.restore({"level": 9.0, "log_delta": -20}) == []
    assert (scale(page.param.level)[1], scale(page.param.log_delta)[0]) == (9, -20)


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("level", -101, "Level must be at least -100; got -101"),
        ("fixed", 1.5, "Fixed must be at most 1; got 1.5"),
        ("log_delta", 0.0, "δ must be below 1; got 1"),
        ("log_delta", -120, "δ must be at least 1e-100; got 1e-120"),
        ("log_delta", -(10**400), "δ must be at least 1e-100; got 10^-1.000e+400"),
        ("log_delta", -400, "δ must be at least 1e-100; got 10^-400"),
    ],
)
def test_a_typed_number_beyond_the_bounds_is_refused_in_its_own_unit(page, name, typed, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        taken(page.param[name], typed, typed=True)


def test_a_number_that_was_dragged_is_held_at_the_ends(page):
    assert taken(page.param.level, 7) == 1
    widen(page.param.fixed, 0.75)
    assert scale(page.param.fixed)[:2] == (0, 1)


def test_the_session_takes_a_typed_gesture(page):
    calls = []
    session = PageSession(page, page.items(), lambda: None, lambda run, blocks: calls.append(run))
    session.receive({"kind": "set", "name": "level", "value": 5, "typed": True, "serial": 1})
    while calls:
        calls.pop(0)()
    assert page.level == 5
    session.receive({"kind": "set", "name": "level", "value": 50, "serial": 2})
    while calls:
        calls.pop(0)()
    assert page.level == 5  # the end of the slider, as it is by now
    session.receive({"kind": "set", "name": "level", "value": 50, "typed": True, "serial": 3})
    while calls:
        calls.pop(0)()
    assert page.level == 50
    session.end()


@pytest.mark.parametrize("typed", [3e-6, 1e-5, 5e-5, 1.234e-7, 1e-13, 0.01, 90.458, 250.0])
def test_the_number_is_what_was_typed(typed):
    assert number_of(math.log10(typed)) == typed


def test_what_is_typed_stands_in_the_code():
    page = ScoresPage()
    page.log_delta = math.log10(3e-6)
    assert page.delta.value == 3e-6
    assert "delta=3e-06" in page.code({})


def test_a_threshold_and_a_width_beyond_their_sliders():
    page = ScoresPage()
    high = page.param.threshold.softbounds[1]
    page.threshold = high + 2
    assert page.threshold == high + 2
    assert page.epsilon_here().value == 0
    assert page.distributions()["layout"]["xaxis"]["range"][1] >= high + 2
    narrowest, widest = page.param.bin_width.softbounds
    page.bin_width = narrowest / 5
    assert np.diff(page.histogram().edges) == pytest.approx(narrowest / 5)
    page.bin_width = 3 * widest
    assert page.histogram().bins >= 1


@pytest.mark.parametrize("delta", [1e-100, 1e-13, 0.5, 0.999])
def test_any_delta_draws_the_scores(delta):
    page = ScoresPage()
    page.log_delta = math.log10(delta)
    for item in page.items():
        page.draw(item)
    assert page.epsilon().value >= 0
