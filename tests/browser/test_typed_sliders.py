"""Numbers that are typed beside a slider, beyond its ends and between its steps."""

from __future__ import annotations

import math

from helpers.browser import grave_faults

from workbench.pages.counts import CountsPage


def test_a_typed_number_widens_its_slider_and_moves_the_line(visit, served):
    page = visit(served + "scores")
    slider = page.locator('[data-control="threshold"] input[type="range"]')
    field = page.locator('[data-control="threshold"] .wb-typed')
    high = float(slider.get_attribute("max"))
    typed = math.ceil(high) + 2
    field.fill(str(typed))
    field.press("Enter")
    page.wait_for_function("([slider, x]) => Number(slider.max) >= x && Number(slider.value) === x",
                           arg=[slider.element_handle(), typed])  # fmt: skip
    page.wait_for_function(
        """x => [...document.querySelectorAll(".wb-plot")].some(plot =>
            (plot.layout?.shapes ?? []).some(shape => Math.abs(shape.x0 - x) < 1e-9))""",
        arg=typed,
    )
    slider.focus()
    page.keyboard.press("Home")
    page.keyboard.press("End")
    page.wait_for_function("([slider, x]) => Number(slider.value) === x",
                           arg=[slider.element_handle(), typed])  # fmt: skip
    assert grave_faults(page) == []


def test_a_typed_delta_is_computed_with_and_one_that_is_refused_says_why(visit, served):
    page = visit(served + "counts")
    field = page.locator('[data-control="log_delta"] .wb-typed')
    slider = page.locator('[data-control="log_delta"] input[type="range"]')
    said = page.locator(".wb-sentence")
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
