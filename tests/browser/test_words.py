"""How much a page says before anything is opened, and that none of it is cut off."""

from __future__ import annotations

import pytest
from helpers.board import Board

from benchmarks.first_look import LOOK, MOST_WORDS

SIZES = {"laptop": (1440, 900), "projector": (1280, 720), "phone": (390, 844)}

#: Texts that end in "…" for want of room. The name of a data set may be of any length.
CUT = """() => [...document.querySelectorAll("body *")].filter(e => {
    const style = getComputedStyle(e)
    const cut = (style.textOverflow === "ellipsis" && style.overflowX !== "visible"
            && e.scrollWidth > e.clientWidth + 1)
        || (style.webkitLineClamp !== "none" && e.scrollHeight > e.clientHeight + 1)
    return cut && e.checkVisibility({visibilityProperty: true}) && !e.closest(".wb-data-button")
}).map(e => `${e.className}: ${e.textContent}`)"""

#: Marks and notes of numbers that leave their cells.
OUTSIDE = """() => [...document.querySelectorAll(".wb-number *")].filter(e => {
    if (!e.matches(".wb-badge, .wb-note, .wb-value")) return false
    const cell = e.closest(".wb-number").getBoundingClientRect()
    const {width, left, right} = e.getBoundingClientRect()
    return width && (left < cell.left || right > cell.right + 0.5)
}).map(e => e.textContent)"""


def at(visit, served, name, size):
    width, height = SIZES[size]
    viewport = {"width": width, "height": height}
    return Board(visit(served + name, viewport=viewport, has_touch=size == "phone")).page


def settled(page):
    """Once the slow numbers and the answer are there."""
    page.wait_for_function(
        """() => [...document.querySelectorAll(".wb-value, .wb-headline-words")]
            .every(e => e.closest("[hidden]") || (e.textContent && e.textContent !== "…"))"""
    )
    return page


@pytest.mark.sampled(3)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["scores", "onerun", "records"])
def test_nothing_is_cut_off(visit, served, name, size):
    page = settled(at(visit, served, name, size))
    assert page.evaluate(CUT) == []
    assert page.evaluate(OUTSIDE) == []


def test_scores_says_little_before_anything_is_opened(visit, served):
    page = settled(at(visit, served, "scores", "laptop"))
    assert 200 < page.evaluate(LOOK)["words"] <= MOST_WORDS
    # The rest is one press away.
    page.get_by_role("button", name="In words", exact=True).click()
    said = page.locator(".wb-words .wb-sentence")
    said.filter(has_text="A lower bound cannot show that a mechanism is private").wait_for()
    page.get_by_role("button", name="About this page", exact=True).click()
    page.get_by_text("The textbook case.").wait_for()


@pytest.mark.parametrize("size", SIZES)
def test_the_answer_and_the_main_number_are_on_the_first_screen(visit, served, size):
    page = settled(at(visit, served, "scores", size))
    boxes = [
        page.locator(which).first.bounding_box()
        for which in (".wb-headline", '[data-rank="main"] .wb-number', ".wb-chart")
    ]
    assert [box["y"] for box in boxes] == sorted(box["y"] for box in boxes)
    chart = boxes[-1]
    sheet = page.locator(".wb-sheet")
    end = sheet.bounding_box()["y"] if sheet.is_visible() else SIZES[size][1]
    assert chart["y"] + chart["height"] <= end


def test_a_phone_shows_the_other_numbers_when_asked(visit, served):
    page = settled(at(visit, served, "scores", "phone"))
    assert page.locator(".wb-strip .wb-number:visible").count() == 1
    button = page.get_by_role("button", name="8 more numbers")
    assert button.get_attribute("aria-expanded") == "false"
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    assert page.locator(".wb-strip .wb-number:visible").count() == 9
    assert page.evaluate(OUTSIDE) == []


def test_the_keyboard_comes_to_the_numbers_before_the_charts(visit, served):
    page = settled(at(visit, served, "scores", "laptop"))
    page.get_by_role("button", name="About this page", exact=True).focus()
    names = []
    for _ in range(12):
        page.keyboard.press("Tab")
        name = "document.activeElement.ariaLabel ?? document.activeElement.textContent"
        names.append(page.evaluate(name))
    assert names[:2] == ["About: Claim check", "What could an attacker do?"]
    assert names[2] == "About: ε lower bound"
    assert names[10] == "About: Scores"
    assert names[11] == "Data: Score distributions"
