"""What people see when the connection is late, lost or somebody else's, in a real browser."""

from __future__ import annotations

import re
import signal
from contextlib import contextmanager

import pytest
from helpers.board import Board
from helpers.browser import WIDE, await_charts
from helpers.relay import Relay
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


@pytest.fixture
def relayed(tmp_path):
    """A relay before a server, that can be cut."""
    relay = Relay()
    here = f"http://localhost:{relay.port}"
    server = Restartable(tmp_path, str(ROOT / "tests" / "browser" / "demo_page.py"), here)
    server.start()
    relay.to = server.port
    yield relay
    relay.close()
    server.close()


GESTURES = """
window.wbSeen = []
addEventListener("DOMContentLoaded", () => {
    const note = () => {
        const slider = document.querySelector('[data-control="threshold"] input[type=range]')
        const value = slider && Number(slider.value)
        if (slider && wbSeen.at(-1) !== value) wbSeen.push(value)
        requestAnimationFrame(note)
    }
    note()
})
"""


def test_a_drag_whose_connection_is_cut_ends_where_it_was_let_go(chromium, relayed):
    page = chromium.new_context(**WIDE).new_page()
    page.add_init_script(GESTURES)
    page.goto(f"http://localhost:{relayed.port}/")
    await_charts(page)
    board = Board(page)
    slider = board.slider("Threshold")
    box = slider.bounding_box()
    page.evaluate("window.wbBefore = true")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    for step in range(40):
        if step == 15:
            relayed.passes = False
            relayed.cut()
        if step == 20:
            page.locator(".wb-connection").filter(has_text="Connection lost").wait_for()
        page.mouse.move(box["x"] + box["width"] * (0.5 + step / 100), box["y"] + box["height"] / 2)
    last = board.value("Threshold")
    assert last > 1
    page.mouse.up()
    relayed.passes = True
    page.wait_for_function("() => !window.wbBefore")
    await_charts(page)
    page.locator(".wb-connection").wait_for(state="hidden")
    again = Board(page)
    again.wait_for_line(last)
    assert again.value("Threshold") == last
    assert page.evaluate("window.wbSeen") == [last]  # no jump back
    page.context.close()


@pytest.mark.exhaustive
def test_a_chart_that_is_dragged_while_the_connection_is_cut_ends_where_it_was_let_go(
    chromium, relayed
):
    page = chromium.new_context(**WIDE).new_page()
    page.goto(f"http://localhost:{relayed.port}/")
    await_charts(page)
    board = Board(page)
    page.evaluate("window.wbBefore = true")
    x, y = board.pixel("histogram", 0.5, 0.3)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y)
    relayed.passes = False
    relayed.cut()
    page.locator(".wb-connection").filter(has_text="Connection lost").wait_for()
    for step in range(20):
        page.mouse.move(x + 20 + 5 * step, y)
    page.mouse.up()
    last = board.drawn("histogram")["shapes"][0]["x0"]
    assert last > 0.9
    relayed.passes = True
    page.wait_for_function("() => !window.wbBefore")
    await_charts(page)
    page.locator(".wb-connection").wait_for(state="hidden")
    Board(page).wait_for_line(round(last, 2))
    page.context.close()


@pytest.mark.exhaustive
def test_a_socket_that_is_cut_off_at_first_is_opened_again(chromium, relayed):
    page = chromium.new_context(**WIDE).new_page()
    page.add_init_script("""
        const Real = WebSocket
        window.wbSockets = 0
        window.WebSocket = class extends Real {
            constructor(address, protocols) {
                window.wbSockets += 1
                const wrong = address.toString().replace("/ws", "/no-such-socket")
                super(window.wbSockets < 3 ? wrong : address, protocols)
            }
        }
    """)
    page.goto(f"http://localhost:{relayed.port}/")
    page.evaluate("window.wbBefore = true")
    board = Board(page)
    board.slider("Threshold").focus()
    page.keyboard.press("ArrowRight")
    await_charts(page)
    assert page.evaluate("window.wbBefore")  # without a reload
    Board(page).wait_for_line(0.51)
    assert page.evaluate("window.wbSockets") == 3
    page.context.close()
