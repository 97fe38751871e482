"""Long work in a real browser: progress, cancel, and a page that stays live meanwhile."""

from __future__ import annotations

import re
import time

import pytest
from helpers.board import Board

from workbench.pages.core.jobs import DOUBLE_CLICK

TITLE = "Repeat with small samples"


class JobBoard(Board):
    """An open demo page and its job."""

    @property
    def row(self):
        return self.page.locator(".wb-job")

    @property
    def bar(self):
        return self.page.get_by_role("progressbar", name=TITLE)

    def press(self, name):
        time.sleep(DOUBLE_CLICK)
        self.page.get_by_role("button", name=name, exact=True).click()

    def start_long(self):
        """A run that takes more than a minute."""
        self.slider("Small samples").focus()
        self.page.keyboard.press("End")
        self.wait(
            "slider => slider.value === '2000'", self.slider("Small samples").element_handle()
        )
        self.press(TITLE)
        self.bar.wait_for()

    def wait_for_share(self, least):
        self.wait(
            "([bar, least]) => Number(bar.getAttribute('aria-valuenow')) >= least",
            [self.row.locator(".wb-progress").element_handle(), least],
        )

    def words(self):
        return self.row.locator(".wb-job-words").text_content()

    def samples(self):
        note = self.page.locator('[aria-label="Power, repeated"] .wb-note').text_content()
        return int(re.search(r"in (\d+) samples", note)[1])


@pytest.fixture
def board(visit, demo):
    return JobBoard(visit(demo))


def test_a_job_shows_its_progress_leaves_the_page_live_and_keeps_what_it_found(board):
    page = board.page
    assert not board.row.is_visible()
    board.start_long()
    board.wait_for_share(1)
    early = board.samples()
    board.slider("Threshold").focus()
    page.keyboard.press("ArrowRight")
    board.wait_for_line(0.51)  # while it runs
    assert board.bar.is_visible()
    page.get_by_text("The settings have changed since.").wait_for()
    board.wait_for_share(3)
    assert board.samples() > early
    board.press("Cancel")
    page.get_by_text("Cancelled after", exact=False).first.wait_for()
    assert "The result shown is partial. The settings have changed since." in board.words()
    kept = board.samples()
    assert early < kept < 2000
    assert not board.bar.is_visible()
    page.get_by_role("button", name=TITLE, exact=True).wait_for()
    time.sleep(1)
    assert board.samples() == kept
    # What is read aloud is the end, in full.
    assert board.row.get_by_role("status").text_content().startswith(f"{TITLE}: Cancelled after")


def test_a_job_runs_to_its_end_by_keyboard_and_a_phone_has_its_button_on_the_page(visit, demo):
    board = JobBoard(visit(demo, viewport={"width": 390, "height": 844}))
    page = board.page
    page.get_by_role("button", name=f"Run: {TITLE}").focus()
    page.keyboard.press("Enter")
    board.bar.wait_for()
    button = page.get_by_role("button", name=f"Cancel: {TITLE}")
    button.wait_for()
    assert button.evaluate("e => e.getRootNode().activeElement === e")
    page.get_by_text("Done in", exact=False).first.wait_for()
    assert board.samples() == 50
    wide = "e => e.scrollWidth - e.clientWidth"
    assert page.locator("html").evaluate(wide) <= 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_while_a_job_runs(visit, demo, scheme):
    from axe_playwright_python.sync_playwright import Axe

    board = JobBoard(visit(demo, color_scheme=scheme))
    board.start_long()
    board.wait_for_share(1)
    running = Axe().run(board.page).response["violations"]
    board.press("Cancel")
    board.page.get_by_text("Cancelled after", exact=False).first.wait_for()
    ended = Axe().run(board.page).response["violations"]
    found = [v for v in running + ended if v["impact"] in ("critical", "serious")]
    assert [f"{v['impact']}: {v['id']}" for v in found] == []
