"""The page Risk in a browser, and the button of other pages that opens it."""

from __future__ import annotations

import pytest
from helpers.bench import BenchPage
from helpers.board import Board, choose
from helpers.browser import WIDE, await_charts, grave_faults

from workbench.pages.counts import CountsPage
from workbench.pages.risk.page import RiskPage

PHONE = {"width": 390, "height": 844}


def after(page, **settings):
    """The page Risk after the button of a page."""
    page.ask_risk()
    there = RiskPage()
    there.restore(page.goes_with)
    there.param.update(**settings)
    return there


def answer_of(page):
    return page.locator(".wb-board[data-page=risk] .wb-headline")


def test_the_answer_of_a_page_leads_there_with_what_it_is_about_and_back(visit, served):
    one = BenchPage(visit(served + "counts", **WIDE))
    page = one.page
    one.set("True positives", "450")
    one.shown.locator(".wb-headline").filter(has_text="450 of 550 members").wait_for()
    page.get_by_role("button", name="What could an attacker do?").click()
    one.wait_for("risk")
    same = after(CountsPage(tp=450))
    answer_of(page).filter(has_text=same.answer().evidence).wait_for()
    assert page.url.endswith("/risk")
    # The page itself has no such button.
    assert page.locator(".wb-board[data-page=risk] .wb-to-risk").count() == 0
    assert grave_faults(page) == []
    page.go_back()
    one.wait_for("counts")
    one.go("scores")
    one.shown.locator(".wb-to-risk").click()
    one.wait_for("risk")
    answer_of(page).filter(has_text=RiskPage().answer().evidence).wait_for()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("viewport", [WIDE["viewport"], PHONE], ids=["wide", "phone"])
def test_the_baseline_is_moved_by_the_slider_and_by_the_line(visit, served, viewport):
    board = Board(visit(served + "risk", viewport=viewport))
    page, same = board.page, RiskPage()
    await_charts(page)
    assert board.number("At least, shown") == same.at_least().rounded
    board.slider("Without the release right 1 in").focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    same.log_one_in = 3.0
    answer_of(page).filter(has_text=same.answer().evidence).wait_for()
    assert board.number("At least, shown") == same.at_least().rounded
    box = page.locator('.wb-handle[data-shape="baseline"]').bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y, steps=4)
    page.mouse.up()
    page.wait_for_function(
        "([input, before]) => +input.value < before",
        arg=[board.slider("Without the release right 1 in").element_handle(), 3.0],
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_attack_is_chosen_and_only_a_claim_is_asked(visit, served):
    board = Board(visit(served + "risk"))
    page, same = board.page, RiskPage(attack="attribute")
    choose(board, "What does the attacker want?", "Attribute: what is this person's secret?")
    answer_of(page).filter(has_text=same.answer().evidence).wait_for()
    choose(board, "What was measured?", "nothing")
    answer_of(page).filter(has_text="At most 1 in 10").wait_for()
    assert grave_faults(page) == []
