"""The menu with as many pages as the app has."""

from __future__ import annotations

import sys

import pytest
from helpers.servers import ROOT, free_port, running

from workbench.pages.registry import PAGES

NAMES = tuple(entry.title for entry in PAGES.values())

SCRIPT = f"""
import sys
sys.path.insert(0, {str(ROOT / "tests" / "browser")!r})
from demo_page import DemoPage
from workbench.dashboard.app import Tab, serve
tabs = [Tab(DemoPage, f"/p{{k}}" if k else "/", name) for k, name in enumerate({NAMES!r})]
serve(tabs, port=int(sys.argv[1]), open_browser=False)
"""


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    folder = tmp_path_factory.mktemp("menu")
    (folder / "serve.py").write_text(SCRIPT, encoding="utf-8")
    port = free_port()
    command = [sys.executable, str(folder / "serve.py"), str(port)]
    with running(command, f"http://localhost:{port}/", folder / "server.log") as url:
        yield url


@pytest.mark.parametrize("width", [1680, 1280, 1000])
def test_eleven_pages_fit_into_the_bar_and_are_reached_by_keyboard(visit, many, width):
    page = visit(f"{many}p4", viewport={"width": width, "height": 800})
    links = page.get_by_role("navigation", name="Pages").get_by_role("link")
    assert links.all_text_contents() == list(NAMES)
    boxes = [link.bounding_box() for link in links.all()]
    bar = page.locator(".wb-bar").bounding_box()
    theme = page.get_by_role("button", name="Use the dark theme").bounding_box()
    title = page.locator(".wb-name").bounding_box()
    for box in boxes:
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= bar["height"]
        assert title["x"] + title["width"] <= box["x"]
        assert box["x"] + box["width"] <= theme["x"]
    assert bar["height"] <= 60
    assert len({box["y"] for box in boxes}) == (2 if width == 1000 else 1)
    assert page.locator("[aria-current=page]").locator("visible=true").text_content() == NAMES[4]
    links.first.focus()
    for name in NAMES[1:]:
        page.keyboard.press("Tab")
        focused = links.filter(has_text=name).first
        assert focused.evaluate("e => document.activeElement === e")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{many}p10")
