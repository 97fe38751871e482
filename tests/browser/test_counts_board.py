"""The pages on counts and on coverage in a real browser."""

from __future__ import annotations

import pytest
from conftest import grave_faults
from test_dashboard import Board
from test_scores_board import choose

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(300)]


def test_a_typed_count_is_followed_and_named(visit, served):
    from workbench.pages.counts import CountsPage

    same, board = CountsPage(), Board(visit(served + "counts"))
    page = board.page
    assert board.number("ε") == same.epsilon().rounded
    field = page.get_by_label("Non-members called in", exact=True)
    field.fill("20")
    field.press("Enter")
    same.fp = 20
    said = page.locator(".wb-sentence")
    said.filter(has_text=f"is at least {same.epsilon().rounded}").wait_for()
    choose(board, "Limits", "two-sided")
    same.sided = "two"
    said.filter(has_text=f"between {same.epsilon().rounded.replace(' to ', ' and ')}").wait_for()
    assert grave_faults(page) == []


def test_the_coverage_lab_runs_on_a_page(visit, served):
    board = Board(visit(served + "coveragelab"))
    page = board.page
    choose(board, "Methods", "known to fail")
    choose(board, "Scores from", "Clustered rows, taken as independent")
    slider = board.slider("log₁₀ of the replicates")
    slider.focus()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Run", exact=True).first.click()
    page.get_by_text("More than that were").wait_for(timeout=120_000)
    assert board.number("Caught") != "–"
    assert grave_faults(page) == []
