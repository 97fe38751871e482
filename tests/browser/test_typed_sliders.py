"""Numbers that are typed beside a slider, beyond its ends and between its steps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.board import Board
from helpers.browser import grave_faults

from workbench.estimators.threshold_places import threshold_places
from workbench.pages.counts import CountsPage
from workbench.pages.scores.page import ScoresPage

IS_AT = "([slider, place]) => Math.abs(Number(slider.value) - place) < 1e-9"
SHOWS = "([field, text]) => field.value === text"


def threshold_of(page):
    control = page.locator('[data-control="threshold"]')
    return control.locator('input[type="range"]'), control.locator(".wb-typed")


def test_a_typed_number_beyond_its_slider_stands_at_the_end_and_moves_the_line(visit, served):
    page = visit(served + "scores")
    slider, field = threshold_of(page)
    last = int(slider.get_attribute("max"))
    assert last + 1 == threshold_places(ScoresPage().scores).size
    field.fill("99")
    field.press("Enter")
    page.wait_for_function(IS_AT, arg=[slider.element_handle(), last])
    page.wait_for_function(
        """x => [...document.querySelectorAll(".wb-plot")].some(plot =>
            (plot.layout?.shapes ?? []).some(shape => Math.abs(shape.x0 - x) < 1e-9))""",
        arg=99,
    )
    assert field.input_value() == "99"
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_function(IS_AT, arg=[slider.element_handle(), 0])
    page.keyboard.press("End")
    page.wait_for_function(IS_AT, arg=[slider.element_handle(), last])
    assert field.input_value() != "99"
    assert grave_faults(page) == []


@pytest.mark.exhaustive
def test_keys_move_the_threshold_by_ranks_and_a_button_to_where_the_claim_fails(visit, served):
    page = visit(served + "scores")
    slider, field = threshold_of(page)
    same = ScoresPage()
    places = threshold_places(same.scores)
    slider.focus()
    page.keyboard.press("End")
    for k in (2, 3, 4):  # each passes one score
        page.keyboard.press("ArrowLeft")
        page.wait_for_function(SHOWS, arg=[field.element_handle(), str(float(places[-k]))])
    field.fill("0.123456789")  # between two places
    field.press("Enter")
    after = int(np.searchsorted(places, 0.123456789))
    page.wait_for_function(
        "([slider, k]) => Number(slider.value) > k - 1 && Number(slider.value) < k",
        arg=[slider.element_handle(), after],
    )
    assert field.input_value() == "0.123456789"
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(SHOWS, arg=[field.element_handle(), str(float(places[after]))])
    page.locator('[data-control="claim_kind"] select').select_option("(ε, δ)-DP")
    same.claim_kind = "approx"
    lens = page.get_by_role("region", name="Where the claim fails", exact=True)
    lens.locator(".main-svg").first.wait_for()
    page.get_by_role("button", name="Show me where").click()
    there = same.refuting().threshold
    page.wait_for_function(SHOWS, arg=[field.element_handle(), str(there)])
    line = """x => document.querySelector('[data-item="distributions"] .wb-plot').layout.shapes
        .some(({name, x0}) => name === "threshold" && x0 === x)"""
    page.wait_for_function(line, arg=there)
    assert grave_faults(page) == []


def test_a_typed_delta_is_computed_with_and_one_that_is_refused_says_why(visit, served):
    page = visit(served + "counts")
    field = page.locator('[data-control="log_delta"] .wb-typed')
    slider = page.locator('[data-control="log_delta"] input[type="range"]')
    Board(page).read_words()
    said = page.locator(".wb-texts .wb-sentence")
    for typed, least in (("3e-6", "-12"), ("1e-13", "-13")):
        field.fill(typed)
        field.press("Enter")
        same = CountsPage(log_delta=math.log10(float(typed)))
        assert same.delta.value == float(typed)
        page.wait_for_function("([slider, low]) => slider.min === low",
                               arg=[slider.element_handle(), least])  # fmt: skip
        said.filter(has_text=f"is at least {same.epsilon().rounded}").first.wait_for()
        assert field.input_value() == typed
    field.fill("2")
    field.press("Enter")
    page.get_by_text("δ must be below 1; got 2").wait_for()
    assert field.input_value() == "1e-13"
