"""A restart of the server: each open browser says so by itself, and has its work again."""

from __future__ import annotations

import signal

import pytest
from helpers.board import Board
from helpers.browser import NOTE_ANSWERS, WIDE, await_charts
from helpers.servers import Restartable, owner_address

NOTICE = ".wb-connection"
RESTARTS = "The server is being restarted: your work is kept."
LOST = "Connection lost"


@pytest.fixture
def server(tmp_path):
    started = Restartable(tmp_path)
    started.start()
    yield started
    started.close()


def opened(chromium, address):
    """A browser of its own that shows an address, once its charts are drawn."""
    context = chromium.new_context(**WIDE)
    page = context.new_page()
    page.add_init_script(NOTE_ANSWERS)
    page.goto(address)
    await_charts(page)
    page.locator("html[data-connected]").wait_for(state="attached")
    return page


def moves(page, times):
    """Move the threshold; its value then, once the server has answered."""
    slider = Board(page).slider("Threshold")
    slider.focus()
    for _ in range(times):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.wbAnswered()")
    return slider.input_value()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("number", "words", "status"), [(signal.SIGTERM, RESTARTS, 0), (signal.SIGKILL, LOST, -9)]
)
def test_every_browser_says_so_and_finds_its_work_again(chromium, server, number, words, status):
    owner = opened(chromium, owner_address(server.home, server.url, "scores"))
    others = [opened(chromium, f"{server.url}scores") for _ in range(2)]
    pages = [owner, *others]
    before = [moves(page, times) for page, times in zip(pages, (1, 3, 5), strict=True)]
    assert len(set(before)) == 3
    for page in pages:
        page.evaluate("window.wbBefore = true")
    assert server.stop(number) == status
    for page in pages:
        page.locator(NOTICE).filter(has_text=words).wait_for()
    server.start()
    for page, value in zip(pages, before, strict=True):
        page.wait_for_function("() => !window.wbBefore")
        await_charts(page)
        page.locator(NOTICE).wait_for(state="hidden")
        page.wait_for_function("() => !document.documentElement.hasAttribute('data-stale')")
        assert Board(page).slider("Threshold").input_value() == value
        page.context.close()
