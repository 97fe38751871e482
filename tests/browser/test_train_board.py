"""Training in a real browser: watched, refuted while it runs, stopped, and opened on Scores."""

from __future__ import annotations

import time

from helpers.board import SHOWN, Board, choose
from helpers.browser import grave_faults

from workbench.pages.core.jobs import DOUBLE_CLICK
from workbench.pages.training.page import TrainPage

#: Points of the curve of the evidence.
LOOKS = "() => Math.max(...window.wbPlots.wealth.data.map(t => t.x?.length ?? 0))"


class Training(Board):
    """An open page on a training."""

    def press(self, name):
        time.sleep(DOUBLE_CLICK)
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def says(self, title, text):
        found = self.page.locator(f'{SHOWN} [aria-label="{title}"]').filter(has_text=text)
        found.first.wait_for(timeout=180_000)


def test_a_bug_is_refuted_while_models_are_trained_which_is_stopped_and_opened(visit, served):
    board = Training(visit(served + "train"))
    page = board.page
    first = TrainPage()
    assert board.number("Verdict on the claim") == first.verdict().text
    assert board.number("Claimed ε") == first.claimed().text

    choose(board, "Bug", "The same seed in each step")
    slider = board.slider("Models")
    slider.focus()
    page.keyboard.press("End")
    board.wait("slider => slider.value === '4'", slider.element_handle())
    assert board.number("Verdict on the claim") == first.verdict().text  # nothing was trained
    board.press("Train")
    board.says("Models", "of 10,000")
    board.says("Verdict on the claim", "by model")
    board.says("Bound after the last model", "only after the last of 10,000 models")
    early = page.evaluate(LOOKS)
    board.wait(f"n => ({LOOKS})() > n", early)  # live
    board.press("Cancel")
    page.locator(".wb-job-words").filter(has_text="The result shown is partial.").first.wait_for()
    assert board.number("Verdict on the claim") == "refuted"
    assert board.number("Bound after the last model") == "–"
    assert grave_faults(page) == []

    board.press("Open the result")
    page.wait_for_url("**/scores*")
    page.get_by_text("number of models was changed after results were seen").first.wait_for()
