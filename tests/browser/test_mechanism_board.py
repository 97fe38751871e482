"""The test of a mechanism in a real browser: a search that is watched, cancelled, made again."""

from __future__ import annotations

import time

from helpers.board import Board, choose
from helpers.browser import grave_faults

from workbench.mechanisms.gallery import GALLERY
from workbench.pages.core.jobs import DOUBLE_CLICK
from workbench.pages.mechanism.page import MechanismPage

MARKS = """() => window.wbPlots.bounds.data
    .filter(t => !["lost", "witness shown"].includes(t.name))
    .reduce((most, t) => Math.max(most, t.x.length), 0)"""


class Search(Board):
    """An open page on a mechanism."""

    def press(self, name):
        time.sleep(DOUBLE_CLICK)
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def words(self, text):
        self.page.locator(".wb-job-words").filter(has_text=text).first.wait_for(timeout=120_000)

    def badge(self, title, text):
        self.page.locator(f'[aria-label="{title}"] .wb-badge').filter(has_text=text).wait_for()

    def step(self, label, key, times, value):
        """Move a slider by its keys, until it stands at the value."""
        slider = self.slider(label)
        slider.focus()
        for _ in range(times):
            self.page.keyboard.press(key)
        self.wait("([slider, x]) => Number(slider.value) === x", [slider.element_handle(), value])


def test_a_search_is_drawn_while_it_runs_cancelled_made_again_and_re_checked(visit, served):
    board = Search(visit(served + "mechanism"))
    page = board.page
    board.read_words()
    choose(board, "Mechanism", GALLERY["svt5"].title)
    page.get_by_text("claims pure(1)").wait_for()
    choose(board, "Search strategy", "The mechanism's own pair")
    for name in ("Rényi", "MMD", "Histogram", "Stop at the first violation"):
        page.get_by_role("switch", name=name).click()
    board.step("Runs per trial", "ArrowLeft", 2, 4.0)
    board.step("Trials", "End", 1, 200)
    board.press("Search for a violation")
    board.wait(f"() => ({MARKS})() >= 2")
    early = page.evaluate(MARKS)
    board.wait(f"n => ({MARKS})() > n", early)  # live
    assert page.evaluate("window.wbPlots.bounds.layout.xaxis.range[1]") == 200.6
    page.locator('[aria-label="Verdict"]').filter(has_text="so far").wait_for()
    board.press("Cancel")
    board.words("The result shown is partial.")
    board.badge("Strongest evidence", "held-out")
    assert page.evaluate(MARKS) < 200
    assert board.number("Verdict") == "violation found"
    assert grave_faults(page) == []

    # With other settings it is a second search, and its evidence needs a test of its own.
    board.step("Trials", "Home", 1, 1)
    page.get_by_text("The settings have changed since.").first.wait_for()
    board.press("Search for a violation")
    board.badge("Strongest evidence", "not valid")
    board.words("Done in")
    same = MechanismPage(
        mechanism="svt5",
        datasets="pair",
        **dict.fromkeys(("renyi", "mmd", "histogram", "anytime"), False),
        trials=1,
        log_samples=4.0,
        log_fresh=4.0,
        executor=None,
    )
    same.work.run("search")
    assert board.number("Strongest evidence") == same.strongest().rounded
    page.get_by_text("This is search no. 2 of this mechanism").wait_for()
    board.step("Runs of the re-check", "ArrowLeft", 4, 4.0)
    board.press("Re-check on new runs")
    board.badge("Re-check result", "held-out")
    same.work.run("recheck")
    assert board.number("Re-check result") == same.fresh().rounded
    page.get_by_text("Confirmed on fresh samples").wait_for()
    assert [s["name"] for s in board.drawn("witness")["data"]] == [
        t["name"] for t in same.witness()["data"]
    ]
    assert grave_faults(page) == []
