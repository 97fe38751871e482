"""Watch live in a real browser, while rows are appended to the file that the server follows."""

from __future__ import annotations

import sys

import pytest
from helpers.board import Board
from helpers.browser import grave_faults
from helpers.servers import free_port, running

import workbench as wb

SCORES = wb.GaussianPair(1.5).sample(800, seed=3)
ROWS = [f"{a!r},{b!r}\n" for a, b in zip(SCORES.p.tolist(), SCORES.q.tolist(), strict=True)]

#: Notes what a page asks of the browser, which asks nobody here: it grants.
NOTE_NOTICES = """() => {
    window.wbAsked = 0
    window.wbNotices = []
    window.Notification = class extends EventTarget {
        constructor(title, options) { super(); window.wbNotices.push([title, options.body]) }
        static permission = "default"
        static async requestPermission() { wbAsked++; return Notification.permission = "granted" }
    }
}
"""


def append(path, start, stop):
    with path.open("a") as out:
        out.writelines((["p,q\n"] if start == 0 else []) + ROWS[start:stop])


@pytest.fixture
def followed(tmp_path):
    """The address of a server that follows a file, and the file."""
    path, port = tmp_path / "scores.csv", free_port()
    append(path, 0, 45)
    command = [
        *(sys.executable, "-m", "workbench", "serve", "--no-open", "--port", str(port)),
        *("--follow", str(path), "--claim", "approx(0.8, 1e-5)"),
    ]
    with running(command, f"http://localhost:{port}/", tmp_path / "server.log") as url:
        yield url, path


def wait_for_seen(page, words):
    page.wait_for_function(
        """words => [...document.querySelectorAll('[aria-label="Scores seen"] .wb-value')]
            .some(value => value.textContent === words)""",
        arg=words,
    )


def test_the_number_moves_and_a_refutation_is_notified_to_who_asked(followed, visit):
    url, path = followed
    page = visit(url + "watch")
    page.evaluate(NOTE_NOTICES)
    board = Board(page)
    wait_for_seen(page, "45 per group")
    before = board.number("Anytime bound")
    assert page.evaluate("wbAsked") == 0, "permission is asked only in a gesture"
    button = page.get_by_role("button", name="Notify me")
    button.focus()
    page.keyboard.press("Enter")
    page.get_by_text("This browser will notify you while the page is open.").wait_for()
    assert page.evaluate("wbAsked") == 1
    append(path, 45, 800)
    wait_for_seen(page, "800 per group")
    assert float(board.number("Anytime bound")) > float(before)
    page.wait_for_function("wbNotices.length")
    ((title, body),) = page.evaluate("wbNotices")
    assert title == "Claim refuted"
    assert body.startswith("The claim approx(0.8, 1e-5) is refuted, at row ")
    assert body in page.locator(".wb-toast").text_content()
    assert grave_faults(page) == []


@pytest.mark.exhaustive
def test_who_did_not_ask_gets_no_notification_but_the_message(followed, visit):
    url, path = followed
    page = visit(url + "watch", viewport={"width": 390, "height": 800})
    page.evaluate(NOTE_NOTICES)
    append(path, 45, 800)
    page.locator(".wb-toast", has_text="is refuted").wait_for()
    assert page.evaluate("[wbAsked, wbNotices.length]") == [0, 0]
    wait_for_seen(page, "800 per group")
