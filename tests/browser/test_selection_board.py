"""The page on private selection in a real browser: sliders, the reduction's warning, the audit."""

from __future__ import annotations

import time

import pytest
from helpers.board import Board, choose
from helpers.browser import grave_faults


def test_a_selection_follows_its_sliders_and_its_audit_runs(visit, served):
    from workbench.pages.core.jobs import DOUBLE_CLICK
    from workbench.pages.selection.page import SelectionPage

    same, board = SelectionPage(), Board(visit(served + "selection"))
    page = board.page
    board.read_words()
    assert board.number("Worst case found (search)") == same.worst_number().rounded
    page.get_by_text("For any score, ε ≤").wait_for()
    board.slider("Mean number of runs").focus()
    page.keyboard.press("ArrowRight")
    same.log_mean = 2.05
    board.wait(
        "x => window.wbPlots.against_runs.data.some("
        "t => t.mode === 'markers' && Math.abs(t.x[0] - x) < 1e-6 * x)",
        same.runs().mean,
    )
    choose(board, "Number of runs", "Two-point")
    same.runs_kind = "two-point"
    page.get_by_text("is proven by composition").wait_for()
    assert board.number("Exact, if scores rank by privacy loss") == same.direct_number().rounded
    drawn, wanted = board.drawn("order")["data"], same.order()["data"]
    assert [t["name"] for t in drawn] == [t["name"] for t in wanted]
    assert drawn[0]["x"] == pytest.approx(list(wanted[0]["x"]))
    choose(board, "Privacy of one run given by", "DP-SGD")
    page.get_by_text("With full batches (τ = 1)").wait_for()

    slider = board.slider("Simulated selections")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    same.param.update(base_kind="dp-sgd", log_n=4.5)
    time.sleep(DOUBLE_CLICK)
    page.get_by_role("button", name="Run the audit").first.click()
    page.get_by_text("For the monotone score, the audit shows").wait_for(timeout=60_000)
    page.locator(".wb-job-words").filter(has_text="Done").wait_for(timeout=60_000)
    same.work.run("simulate")
    board.wait(
        "x => window.wbPlots.grown.data.filter(t => t.mode === 'lines+markers').length === x", 2
    )
    assert board.number("Audit lower bound") == same.shown().rounded
    assert grave_faults(page) == []
