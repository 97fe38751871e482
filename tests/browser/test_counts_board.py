"""The pages on counts and on coverage in a real browser."""

from __future__ import annotations

import math

from helpers.board import Board, choose
from helpers.browser import grave_faults

from workbench.pages.counts import CountsPage


def test_a_typed_count_is_followed_and_named(visit, served):
    same, board = CountsPage(), Board(visit(served + "counts"))
    page = board.page
    assert board.number("ε") == same.epsilon().rounded
    field = page.get_by_label("False positives", exact=True)
    field.fill("20")
    field.press("Enter")
    same.fp = 20
    answer = page.locator(".wb-headline")
    answer.filter(has_text=f"ε ≥ {same.epsilon().rounded}").wait_for()
    board.read_words()
    said = page.locator(".wb-texts .wb-sentence")
    said.filter(has_text=f"is at least {same.epsilon().rounded}").wait_for()
    choose(board, "Type of interval", "two-sided interval")
    same.sided = "two"
    said.filter(has_text=f"between {same.epsilon().rounded.replace(' to ', ' and ')}").wait_for()
    assert grave_faults(page) == []


def test_the_coverage_lab_runs_on_a_page(visit, served):
    board = Board(visit(served + "coveragelab"))
    page = board.page
    choose(board, "Methods", "known to fail")
    choose(board, "Scores from", "Clustered rows, taken as independent")
    slider = board.slider("Simulated data sets")
    slider.focus()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Simulate", exact=True).first.click()
    board.read_words()
    page.locator(".wb-texts").get_by_text("These methods exceeded it").wait_for(timeout=120_000)
    assert board.number("Methods that overclaim") != "–"
    assert grave_faults(page) == []


def test_a_field_takes_what_is_typed_after_enter_and_steps_from_it(visit, served):
    board = Board(visit(served + "counts"))
    page = board.page
    board.read_words()
    field = page.get_by_label("False positives", exact=True)
    calls = page.locator(".wb-connection")
    for typed, value in (("450", 450), ("460", 460), ("1,2e", 460), ("7e1", 70), ("1,000", 1000)):
        field.focus()
        field.press("Control+a")
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
        wrong = typed == "1,2e"
        assert field.get_attribute("aria-invalid") == str(wrong).lower()
        if not wrong:
            same = CountsPage(fp=value)
            page.locator(".wb-sentence").filter(
                has_text=f"is at least {same.epsilon().rounded}"
            ).wait_for()
            assert field.input_value().replace(",", "") in (typed.replace(",", ""), str(value))
    field.press("Control+a")
    page.keyboard.type("77")
    page.keyboard.press("ArrowUp")
    assert field.input_value() == "78"
    page.keyboard.press("Tab")
    page.locator(".wb-sentence").filter(
        has_text=f"is at least {CountsPage(fp=78).epsilon().rounded}"
    ).wait_for()
    assert not calls.is_visible()


def test_a_logarithmic_slider_shows_and_takes_the_number_itself(visit, served):
    board = Board(visit(served + "counts"))
    page = board.page
    board.read_words()
    typed = page.get_by_label("δ: value", exact=True)
    assert (typed.input_value(), board.value("δ")) == ("1e-5", -5)
    assert board.slider("δ").get_attribute("aria-valuetext") == "1e-5"
    typed.fill("3e-6")
    typed.press("Enter")
    same = CountsPage(log_delta=math.log10(3e-6))
    said = page.locator(".wb-sentence")
    said.filter(has_text=f"at δ = 3e-6 is at least {same.epsilon().rounded}").wait_for()
    assert typed.input_value() == "3e-6"
    typed.fill("-1")
    typed.press("Enter")
    assert typed.get_attribute("aria-invalid") == "true"
    board.slider("Prior probability of membership").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "field => field.value === '0.0126'",
        arg=page.get_by_label("Prior probability of membership: value").element_handle(),
    )
