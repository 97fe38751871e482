"""A restart of the server: each open browser says so within seconds, and has its work again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from helpers.board import Board
from helpers.browser import NOTE_ANSWERS, WIDE, await_charts
from helpers.programs import program
from helpers.servers import PATIENCE, ROOT, free_port

#: Seconds within which an open browser has to say that the server has gone.
SAYS_SO = 10

NOTICE = ".wb-connection"
RESTARTS = "The server is being restarted: your work is kept."
LOST = "Connection lost"


class Server:
    """`workbench serve` in a process of its own, which keeps its folder over restarts."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.url = f"http://localhost:{self.port}/"
        self._program = self._process = None

    def start(self):
        command = [sys.executable, "-m", "workbench", "serve", "--no-open"]
        home = {**os.environ, "WORKBENCH_HOME": str(self.folder / "home")}
        self._log = (self.folder / "log").open("ab")
        self._program = program(
            [*command, "--port", str(self.port)],
            cwd=ROOT,
            env=home,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        self._process = self._program.__enter__()
        deadline = time.monotonic() + PATIENCE
        while not self._serves():
            assert time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.1)

    def _serves(self):
        try:
            return urllib.request.urlopen(f"{self.url}health", timeout=20).status == 200
        except OSError:
            return False

    def send(self, number):
        """Send a signal, and wait for the end; the exit status."""
        self._process.send_signal(number)
        status = self._process.wait(PATIENCE)
        self.close()
        return status

    def close(self):
        if self._program is not None:
            self._program.__exit__(None, None, None)
            self._program = None
            self._log.close()

    def key(self):
        return (self.folder / "home" / "key").read_text()


@pytest.fixture
def server(tmp_path):
    started = Server(tmp_path)
    started.start()
    yield started
    started.close()


def opened(chromium, address):
    """A browser of its own that shows an address, once its charts are drawn."""
    context = chromium.new_context(**WIDE)
    page = context.new_page()
    page.add_init_script(NOTE_ANSWERS)
    page.goto(address)
    await_charts(page)
    page.locator("html[data-connected]").wait_for(state="attached")
    return page


def moves(page, times):
    """Move the threshold; its value then, once the server has answered."""
    slider = Board(page).slider("Threshold")
    slider.focus()
    for _ in range(times):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.wbAnswered()")
    return slider.input_value()


@pytest.mark.parametrize(
    ("number", "words", "status"), [(signal.SIGTERM, RESTARTS, 0), (signal.SIGKILL, LOST, -9)]
)
def test_every_browser_says_so_and_finds_its_work_again(chromium, server, number, words, status):
    owner = opened(chromium, f"{server.url}scores?key={server.key()}")
    others = [opened(chromium, f"{server.url}scores") for _ in range(2)]
    pages = [owner, *others]
    before = [moves(page, times) for page, times in zip(pages, (1, 3, 5), strict=True)]
    assert len(set(before)) == 3
    for page in pages:
        page.evaluate("window.wbBefore = true")
    assert server.send(number) == status
    for page in pages:
        page.locator(NOTICE).filter(has_text=words).wait_for(timeout=SAYS_SO * 1000)
    server.start()
    for page, value in zip(pages, before, strict=True):
        page.wait_for_function("() => !window.wbBefore")
        await_charts(page)
        page.locator(NOTICE).wait_for(state="hidden")
        page.wait_for_function("() => !document.documentElement.hasAttribute('data-stale')")
        assert Board(page).slider("Threshold").input_value() == value
        page.context.close()
