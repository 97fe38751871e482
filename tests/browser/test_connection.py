"""What people see when the connection is late, lost or somebody else's, in a real browser."""

from __future__ import annotations

import re
import signal
from contextlib import contextmanager

import pytest
from helpers.board import Board
from helpers.browser import WIDE, await_charts
from helpers.servers import ROOT, Restartable

CUT = """
window.WebSocket = class { constructor() { this.readyState = 0 } send() {} close() {} }
"""


@pytest.fixture
def restarted(tmp_path):
    server = Restartable(tmp_path, str(ROOT / "tests" / "browser" / "demo_page.py"))
    server.start()
    yield server
    server.close()


@contextmanager
def opened(chromium, url):
    """A page that may say errors: its server goes away."""
    page = chromium.new_context(**WIDE).new_page()
    page.goto(url)
    await_charts(page)
    yield Board(page)
    page.context.close()


def test_numbers_and_charts_need_no_connection(chromium, demo):
    page = chromium.new_context(**WIDE).new_page()
    page.add_init_script(CUT)
    page.goto(demo)
    page.locator(".wb-plot .draglayer").nth(3).wait_for(state="attached")
    assert page.locator('[aria-label="Scores"] .wb-value').text_content() == "400,000"
    assert page.locator(".wb-value").filter(has_text="…").count() == 0
    assert page.get_by_role("slider", name="Threshold", exact=True).input_value() == "0.5"
    page.context.close()


def test_what_is_done_before_the_connection_is_not_lost(visit, demo):
    board = Board(visit(demo))
    board.page.evaluate("WebSocket.prototype.send = () => {}")  # as if it took its time
    board.slider("Threshold").focus()
    board.page.keyboard.press("ArrowRight")
    board.page.get_by_text("The server has not answered yet").wait_for()
    assert board.value("Threshold") == 0.51


def test_a_stopped_server_is_told_and_a_started_one_brings_the_same_controls(chromium, restarted):
    with opened(chromium, restarted.url) as board:
        page = board.page
        for label, key in (("Threshold", "ArrowRight"), ("log₁₀ δ", "ArrowLeft")):
            board.slider(label).focus()
            page.keyboard.press(key)
        page.get_by_role("combobox", name="Scores").select_option("Laplace")
        board.wait("() => window.wbPlots.histogram._fullLayout.xaxis.range[0] === -8")
        board.wait_for_line(0.51)
        before = board.number("Total variation")
        restarted.stop()
        page.locator(".wb-connection").filter(has_text="The server is being restarted").wait_for()
        assert page.locator("html[data-stale]").count() == 1
        page.evaluate("window.wbBefore = true")
        restarted.start()
        page.wait_for_function("() => !window.wbBefore")
        await_charts(page)
        page.locator(".wb-connection").wait_for(state="hidden")
        page.wait_for_function("() => document.querySelector('select').value === 'Laplace'")
        again = Board(page)
        again.wait_for_line(0.51)
        assert again.value("log₁₀ δ") == -6
        assert again.number("Total variation") == before
        assert page.locator("html[data-stale]").count() == 0
        again.slider("Threshold").focus()
        page.keyboard.press("ArrowRight")
        again.wait_for_line(again.value("Threshold"))


def test_an_answer_that_does_not_come_is_told(chromium, restarted):
    with opened(chromium, restarted.url) as board:
        restarted.process.send_signal(signal.SIGSTOP)
        try:
            board.slider("Threshold").focus()
            board.page.keyboard.press("ArrowRight")
            notice = board.page.get_by_text("The server has not answered yet")
            notice.wait_for()
        finally:
            restarted.process.send_signal(signal.SIGCONT)
        notice.wait_for(state="hidden")
        board.wait_for_line(0.51)


def test_plotly_that_does_not_come_is_told_and_tried_again(chromium, demo):
    page = chromium.new_context(**WIDE).new_page()
    blocked = re.compile("plotly-basic.min.js")
    page.route(blocked, lambda route: route.abort())
    page.goto(demo)
    page.get_by_role("alert").filter(has_text="plotly.js could not be loaded").wait_for()
    page.unroute(blocked)
    page.get_by_role("button", name="Try again").click()
    await_charts(page)
    page.get_by_text("plotly.js could not be loaded").wait_for(state="hidden")
    page.context.close()
