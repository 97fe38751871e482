"""A Panel app beside the pages, in a browser: two visitors, their own data, and the way back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from urllib.parse import urlparse

import pytest
from helpers import browser
from helpers.servers import free_port, running

APP = """
import sys

import panel as pn
import workbench as wb

pn.extension()
threshold = pn.widgets.IntSlider(name="threshold", start=0, end=10, value=3)
name = pn.widgets.TextInput(name="name")
ends = pn.widgets.Button(name="End", on_click=lambda event: sys.exit(3))
later = pn.widgets.Button(
    name="Later", on_click=lambda event: pn.state.curdoc.add_timeout_callback(sys.exit, 10)
)


def moved(x):
    return f"The threshold is {x}."


def added(name):
    if name:
        wb.workspace().add_scores(wb.Scores([1.0, 2, 3], [0.0, 1, 2]), name)
    return "Data sets: " + ", ".join(one.name for one in wb.workspace().datasets)


pn.Column(
    "# Ours",
    threshold,
    pn.pane.Markdown(pn.bind(moved, threshold)),
    name,
    pn.pane.Markdown(pn.bind(added, name)),
    pn.Row(ends, later),
).servable(title="Ours")
"""

WIDTHS = [1440, 390]


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a server with an app, which a file of options names."""
    folder = tmp_path_factory.mktemp("beside")
    (folder / "app.py").write_text(APP, encoding="utf-8")
    config = folder / "workbench.toml"
    config.write_text(f"app = ['ours={folder / 'app.py'}']\nno-open = true\n", encoding="utf-8")
    port = free_port()
    command = [sys.executable, "-m", "workbench", "serve", "--port", str(port)]
    with running([*command, "--config", str(config)], f"http://localhost:{port}/",
                 folder / "server.log") as url:  # fmt: skip
        yield url


@pytest.fixture
def visitor(chromium: Any, beside: str) -> Iterator[Any]:
    """``visitor()`` is the page of a new visitor; none may say an error or ask another host."""
    pages, errors, outside = [], [], []

    def note(asked: str) -> None:
        if asked.startswith(("http", "ws")) and urlparse(asked).netloc != urlparse(beside).netloc:
            outside.append(asked)

    def new(**options: Any) -> Any:
        page = chromium.new_context(**{**browser.WIDE, **options}).new_page()
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: note(request.url))
        page.on("websocket", lambda socket: note(socket.url))
        pages.append(page)
        return page

    yield new
    for page in pages:
        page.context.close()
    assert errors == []
    assert outside == []


def opened(page: Any, url: str) -> Any:
    page.goto(f"{url}apps/ours")
    page.get_by_text("The threshold is 3.").wait_for()
    return page


def slide(page: Any, steps: int) -> None:
    handle = page.locator(".noUi-handle")
    handle.focus()
    for _ in range(steps):
        page.keyboard.press("ArrowRight")


def test_two_visitors_move_sliders_and_add_data_of_their_own(visitor, beside):
    ada, ben = opened(visitor(), beside), opened(visitor(), beside)
    slide(ada, 4)
    ada.get_by_text("The threshold is 7.").wait_for()
    assert ben.get_by_text("The threshold is 3.").count() == 1
    for page, name in ((ada, "losses of Ada"), (ben, "losses of Ben")):
        page.get_by_role("textbox").fill(name)
        page.keyboard.press("Enter")
        page.get_by_text(f"Data sets: {name}", exact=True).wait_for()
    slide(ben, 1)
    ben.get_by_text("The threshold is 4.").wait_for()
    # The same data are on the pages, and in the app after a reload.
    for page, name in ((ada, "losses of Ada"), (ben, "losses of Ben")):
        page.get_by_role("link", name="DP Audit Workbench").click()
        browser.await_charts(page)
        page.locator(".wb-data-button").click()
        shown = page.locator("#data").inner_text()
        assert name in shown
        assert shown.count("losses of") == 1
        page.go_back()
        page.get_by_text(f"Data sets: {name}", exact=True).wait_for()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_menu_leads_to_the_app_and_the_app_back(visitor, beside, width):
    page = visitor(viewport={"width": width, "height": 844})
    page.goto(f"{beside}scores")
    browser.await_charts(page)
    if width == 390:
        page.locator(".wb-menu-button").click()
    else:
        page.get_by_role("button", name="Apps", exact=True).click()
    page.get_by_role("link", name="ours").locator("visible=true").click()
    page.get_by_text("The threshold is 3.").wait_for()
    assert page.url == f"{beside}apps/ours"
    assert page.title() == "Ours"
    page.get_by_role("link", name="DP Audit Workbench").click()
    browser.await_charts(page)
    assert page.url == beside


def test_an_app_that_ends_the_program_does_not(visitor, beside):
    page, said = (
        opened(visitor(), beside),
        "an app called sys.exit(), which does not end the server",
    )
    for number, button in enumerate(("End", "Later"), 1):
        page.get_by_role("button", name=button).click()
        slide(page, 1)
        page.get_by_text(f"The threshold is {3 + number}.").wait_for()
        assert browser.LOGS[beside].read_text().count(said) == number
    opened(visitor(), beside)


def test_a_lost_connection_is_said(visitor, beside):
    page = visitor()
    sockets: list[Any] = []

    def relay(socket: Any) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket("**/apps/ours/ws", relay)
    opened(page, beside)
    sockets[0].close(code=1000, reason="the session has ended")
    link = page.get_by_role("link", name="The session has ended, or the connection is lost")
    link.click()
    page.get_by_role("link", name="DP Audit Workbench").wait_for()
    page.get_by_text("The threshold is 3.").wait_for()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("width", [1440, 1280, 1180, 1000, 900])
def test_the_bar_has_room_for_the_menu_of_apps(visitor, beside, width):
    page = visitor(viewport={"width": width, "height": 800})
    page.goto(f"{beside}watch")
    browser.await_charts(page)
    page.locator(".wb-search-button").wait_for()
    boxes = sorted((box for box in seen_in_bar(page)), key=lambda box: box["x"])
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for left, right in pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"] + 0.5
    data = page.locator(".wb-data-button")
    assert data.evaluate("e => e.scrollWidth - e.clientWidth") == 0
    assert data.bounding_box()["width"] > 60


def seen_in_bar(page: Any) -> list[Any]:
    which = page.locator(".wb-bar button, .wb-tools a").locator("visible=true")
    return [box for one in which.all() if (box := one.bounding_box()) and box["width"]]
