"""What a move leaves as it is: states of controls, and curves that scores are compared with."""

from __future__ import annotations

import math

import numpy as np
import pytest

import workbench as wb
from workbench.assets.controls import Controls
from workbench.dashboard.sent import Sent
from workbench.figures.compared import POINTS, Compared
from workbench.figures.kit.axes import LEAST_DELTA, visible_profile
from workbench.pages.scores.page import ScoresPage

CHANGES = (
    {"threshold": 0.25},
    {"claim_kind": "approx"},
    {"claim_epsilon": 3.0},
    {"reference_kind": "laplace"},
    {"bin_rule": "width"},
    {"bin_width": 1.5},
    {"confidence": 0.97},
    {"fixed_range": True},
    {"range_low": -3.0},
    {"reference_kind": None},
    {"reset": True},
)


def offered(states):
    return {name: one for name, one in states.items() if one.get("offered", True)}


def test_states_that_are_kept_are_those_of_new_controls():
    page = ScoresPage(wb.GaussianPair(1).sample(500, seed=1))
    kept = Controls(page)
    kept.states()
    for change in CHANGES:
        page.param.update(**change)
        assert offered(kept.states()) == offered(Controls(page).states()), change
    slider = page.param.bin_width
    slider.softbounds, slider.step = (0.02, 3.0), 0.02
    page.param.score_axis.refused = {"log": "another reason"}
    page.param.interval.objects = {"only one": "joint"}
    assert offered(kept.states()) == offered(Controls(page).states())


def test_states_that_stay_the_same_are_the_same_objects():
    page = ScoresPage(wb.GaussianPair(1).sample(500, seed=1))
    controls = Controls(page)
    before = controls.states()
    page.threshold = 0.25
    after = controls.states()
    assert {name for name in before if before[name] is not after[name]} == {"threshold"}


def test_a_browser_is_sent_what_it_has_to_forget():
    sent, value = Sent(), {"value": 1}
    assert sent.changed("controls", {"x": value}) == {"x": value}
    assert sent.changed("controls", {"x": value}) == {}
    assert sent.changed("controls", {"x": {"value": 1}}) == {}
    sent.forget("controls", "x")
    assert sent.changed("controls", {"x": value}) == {"x": value}


@pytest.mark.parametrize("pair", [wb.GaussianPair(1), wb.LaplacePair(0.5)], ids=repr)
@pytest.mark.parametrize("most", [1.0, 4.0])
def test_a_curve_that_is_kept_is_the_curve(pair, most):
    compared, low = Compared.of_reference(pair), math.log10(LEAST_DELTA)
    expected = visible_profile(pair, np.linspace(0, most, POINTS), low, 1e-5)
    for _ in range(2):
        for found, exact in zip(compared.profile(most, low, 1e-5), expected, strict=True):
            np.testing.assert_array_equal(found, exact)
        for delta in (1e-5, 1e-3):
            assert compared.epsilon(delta) == pair.epsilon(delta)
    assert compared.profile(most, low, 1e-5) is compared.profile(most, low, 1e-4)
    assert compared.profile(2 * most, low, 1e-5) is not compared.profile(most, low, 1e-5)
