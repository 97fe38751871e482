"""Audits by one run in a real browser: numbers follow the rule, and marks say what it costs."""

from __future__ import annotations

import time

from helpers.board import Board, choose
from helpers.browser import grave_faults

from workbench.pages.core.jobs import DOUBLE_CLICK
from workbench.pages.one_run.page import OneRunPage

STEINKE = "Any mechanism (Steinke et al. 2023)"


def badge(board, title):
    return board.page.locator(f'[aria-label="{title}"] .wb-badge').text_content()


def test_a_moved_threshold_voids_what_is_not_paid_for_and_more_canaries_are_simulated(
    visit, served
):
    same, board = OneRunPage(), Board(visit(served + "onerun"))
    page = board.page
    assert board.number(STEINKE) == same.steinke().rounded
    assert badge(board, STEINKE) == "pointwise"
    board.slider("Threshold").focus()
    page.keyboard.press("ArrowRight")
    same.threshold = 0.05
    page.locator(f'[aria-label="{STEINKE}"] .wb-badge').filter(has_text="not valid").wait_for()
    assert board.number("Independent canaries, exact") == same.bits().rounded
    assert badge(board, "Best of several, corrected") == "simultaneous"
    # The next run: the rule was there before it, and d < n is told.
    slider = board.slider("Coordinates d")
    slider.focus()
    page.keyboard.press("Home")
    same.log_coordinates = 0.0
    page.get_by_text("That is an observation, not a theorem").wait_for()
    assert badge(board, STEINKE) == "pointwise"
    page.keyboard.press("End")
    time.sleep(DOUBLE_CLICK)
    page.get_by_role("button", name="Simulate more canaries").first.click()
    page.locator(".wb-job-words").filter(has_text="Done").wait_for(timeout=120_000)
    drawn = {trace["name"] for trace in board.drawn("growth")["data"]}
    assert "Steinke et al. 2023, best abstention" in drawn
    assert grave_faults(page) == []
    choose(board, "Source of the guesses", "Counts")
    counts = OneRunPage(source="counts")
    page.locator('[aria-label="Correct guesses"]').filter(has_text="691 of 1,000").wait_for()
    assert board.number("Independent canaries, Hoeffding") == counts.hoeffding().rounded


def test_a_file_of_canaries_is_read_and_a_bad_one_is_told(visit, served, tmp_path):
    from workbench.onerun.simulate import Memoryless
    from workbench.pairs.laplace import LaplacePair

    run = Memoryless(LaplacePair(1.0)).run(400, seed=2)
    path = tmp_path / "canaries.csv"
    run.to_frame().to_csv(path, index=False)
    same = OneRunPage(source="file", upload=(("canaries.csv", path.read_bytes()),))
    board = Board(visit(served + "onerun", viewport={"width": 1440, "height": 1800}))
    page = board.page
    choose(board, "Source of the guesses", "My file")
    page.locator(".wb-headline").get_by_text("Upload a file with one row per canary").wait_for()
    page.locator("input[type=file]").set_input_files(path)
    page.locator("header .wb-sentence").filter(has_text="File “canaries”").wait_for()
    assert board.number(STEINKE) == same.steinke().rounded
    bad = tmp_path / "bad.csv"
    bad.write_text("score,included\n1,1\n2,1\n")
    page.locator("input[type=file]").set_input_files(bad)
    page.get_by_text("nothing can be guessed").first.wait_for()
    assert board.number(STEINKE) == same.steinke().rounded
