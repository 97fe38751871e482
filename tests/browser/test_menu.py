"""The menu: all pages in groups, in one line of the bar, or in the drawer."""

from __future__ import annotations

from itertools import pairwise

import pytest
from helpers.board import SHOWN
from helpers.browser import grave_faults

from workbench.pages.registry import MENU

PHONE = {"width": 390, "height": 844}


def bar_items(page):
    """Boxes of all that is seen in the bar, from left to right."""
    which = ".wb-bar > *:not(.wb-nav, .wb-menu, .wb-tools), .wb-bar button, .wb-tools a"
    boxes = [one.bounding_box() for one in page.locator(which).locator("visible=true").all()]
    return sorted((box for box in boxes if box["width"]), key=lambda box: box["x"])


def named(page, menu):
    """The titles of the pages in an open menu."""
    return menu.locator("a[data-page] strong").all_text_contents()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("width", [1680, 1280, 1000, 390])
def test_the_bar_is_one_line_in_which_nothing_overlaps(visit, served, width):
    page = visit(served + "watch", viewport={"width": width, "height": 800})
    bar, boxes = page.locator(".wb-bar").bounding_box(), bar_items(page)
    assert bar["height"] <= 60
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for box in boxes:
        assert bar["y"] <= box["y"]
        assert box["y"] + box["height"] <= bar["y"] + bar["height"]
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    for left, right in pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"] + 0.5
    for button in page.locator(".wb-bar .wb-opens").locator("visible=true").all():
        assert button.evaluate("e => e.offsetHeight") <= 36
    groups = page.get_by_role("navigation", name="Pages").get_by_role("button")
    assert groups.all_text_contents() == (list(MENU) if width > PHONE["width"] else [])


def test_every_page_is_reached_by_keyboard_and_the_current_one_is_marked(visit, served):
    page = visit(served + "watch", viewport={"width": 1280, "height": 800})
    page.evaluate("window.marker = true")
    menu = page.get_by_role("navigation", name="Pages")
    for group, pages in MENU.items():
        button = menu.get_by_role("button", name=group)
        button.focus()
        page.keyboard.press("Enter")
        assert button.get_attribute("aria-expanded") == "true"
        panel = page.locator(f"#{button.get_attribute('aria-controls')}")
        assert named(page, panel) == [entry.title for entry in pages.values()]
        for name in pages:
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.dataset.page") == name
        page.keyboard.press("Escape")
        assert panel.is_hidden()
        assert button.get_attribute("aria-expanded") == "false"
        assert button.evaluate("e => e === document.activeElement")
    # One menu at a time, and the last link leads to its page.
    menu.get_by_role("button", name="Audit").press("Enter")
    menu.get_by_role("button", name="Understand").press("Enter")
    assert page.locator("#menu-1").is_hidden()
    current = menu.locator("[aria-current=page]")
    assert [link.get_attribute("data-page") for link in current.all()] == ["watch"]
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator(f"{SHOWN}[data-page=compare]").wait_for()
    assert page.url == served + "compare"
    assert page.evaluate("document.activeElement.tagName") == "H1"
    assert page.title().startswith(MENU["Understand"]["compare"].title)
    assert page.locator("#menu-2").is_hidden()
    assert [link.get_attribute("data-page") for link in current.all()] == ["compare"]
    assert page.evaluate("window.marker")


@pytest.mark.exhaustive
def test_an_open_menu_is_inside_the_window_and_a_press_elsewhere_closes_it(visit, served):
    page = visit(served + "scores", viewport={"width": 1000, "height": 600})
    menu = page.get_by_role("navigation", name="Pages")
    for k, group in enumerate(MENU, start=1):
        menu.get_by_role("button", name=group).click()
        box = page.locator(f"#menu-{k}").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1000
        assert box["y"] + box["height"] <= 600
        assert grave_faults(page) == []
    page.mouse.click(900, 500)
    assert page.locator("#menu-3").is_hidden()


def test_on_a_phone_the_pages_are_in_the_drawer(visit, served):
    page = visit(served + "scores", viewport=PHONE)
    menu = page.get_by_role("navigation", name="All pages")
    assert menu.is_hidden()
    opens = page.get_by_role("button", name="Open drawer")
    opens.press("Enter")
    titles = [e.title for pages in MENU.values() for e in pages.values()]
    assert named(page, menu) == [*titles, "Saved audits"]
    assert menu.get_by_role("heading").all_text_contents() == [*MENU, "Archive"]
    assert menu.locator("[aria-current=page]").get_attribute("data-page") == "scores"
    assert grave_faults(page) == []
    menu.locator("[data-page=plan]").click()
    page.locator(f"{SHOWN}[data-page=plan]").wait_for()
    assert menu.is_hidden()  # it lay over the page
    opens.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
