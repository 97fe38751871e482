"""The pages on planning and watching in a real browser: they arrive, and their charts follow."""

from __future__ import annotations

import time

import pytest
from helpers.board import Board
from helpers.browser import grave_faults

from workbench.pages.core.jobs import DOUBLE_CLICK

AT = "x => {names}.every(name => Math.abs(window.wbPlots[name].layout.shapes.find(s => s.name === {shape}).x0 - x) < 1e-9)"  # noqa: E501


def wait_for_line(board, names, shape, x):
    """Until the named line stands at ``x`` in these charts."""
    board.wait(AT.format(names=names, shape=repr(shape)), x)


@pytest.mark.exhaustive
def test_watching_goes_back_in_time(visit, served):
    from workbench.pages.watch import WatchPage

    same, board = WatchPage(), Board(visit(served + "watch"))
    page, charts = board.page, ["bounds", "wealth"]
    assert board.number("Anytime bound") == same.epsilon().rounded
    board.slider("Scores seen per group").focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    same.log_rows = 3.8
    wait_for_line(board, charts, "log_rows", same.log_rows)
    # By hand, in the chart.
    box = page.locator('.wb-handle[data-shape="log_rows"]').first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 3
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 30, y, steps=4)
    page.mouse.up()
    page.wait_for_function(
        "([input, before]) => +input.value !== before",
        arg=[board.slider("Scores seen per group").element_handle(), same.log_rows],
    )
    page.wait_for_timeout(1000)
    same.log_rows = board.value("Scores seen per group")
    wait_for_line(board, charts, "log_rows", same.log_rows)
    assert board.number("Anytime bound") == same.epsilon().rounded
    assert board.number("Largest fixed-size bound so far") == same.limit_largest().rounded
    assert board.number("E-value against the claim") == same.e_value().text
    assert grave_faults(page) == []


def test_a_plan_follows_its_target_and_its_simulation_can_be_cancelled(visit, served):
    from workbench.pages.plan import PlanPage

    same, board = PlanPage(), Board(visit(served + "plan"))
    page = board.page
    board.read_words()
    assert board.number("With a threshold fixed in advance") == same.needed_known().text
    board.slider("Target ε").focus()
    page.keyboard.press("ArrowRight")
    same.target = 1.55
    page.locator(".wb-sentence").filter(has_text=same.in_words()).wait_for()
    assert board.number("With a threshold fixed in advance") == same.needed_known().text
    drawn = board.drawn("power_curve")["data"][-1]
    assert drawn["x"][0] == pytest.approx(same.power_curve()["data"][-1]["x"][0])
    run = page.get_by_role("button", name="Simulate this bound", exact=True).first
    run.click()
    # Partial results are drawn as they come.
    board.wait("() => window.wbPlots.growth.data.length > 3")
    time.sleep(DOUBLE_CLICK)
    page.get_by_role("button", name="Cancel").first.click()
    page.get_by_text("Cancelled").first.wait_for()
    assert grave_faults(page) == []
