"""A restart of the server with ten open browsers: how soon each says so and has its work again.

Run as ``python -m benchmarks.restart [BROWSERS]``; with SIGTERM, and with SIGKILL.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import ensure_browser  # noqa: E402
from helpers.browser import FLAGS, NOTE_ANSWERS, WIDE, await_charts  # noqa: E402
from helpers.servers import free_port  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from benchmarks.__main__ import table  # noqa: E402

PATIENCE = 120.0

#: Seconds within which each browser has to say that the server is gone, or be back.
SAYS_SO = 10.0


class Server:
    """`workbench serve`, which keeps its folder and its port over restarts."""

    def __init__(self, folder: str):
        self.folder, self.port = Path(folder), free_port()
        self.url = f"http://localhost:{self.port}/"

    def start(self) -> float:
        """Seconds until it is ready for visitors."""
        began = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "workbench", "serve", "--no-open", "--port", str(self.port)],
            cwd=ROOT,
            env={**os.environ, "WORKBENCH_HOME": str(self.folder / "home")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while time.monotonic() < began + PATIENCE:
            try:
                if urllib.request.urlopen(f"{self.url}health", timeout=20).status == 200:
                    return time.monotonic() - began
            except OSError:
                time.sleep(0.05)
        raise TimeoutError("the server did not start")

    def end(self, number: int) -> int:
        """The exit status after a signal."""
        self._process.send_signal(number)
        return self._process.wait(PATIENCE)


def restarted(server: Server, chromium: Any, browsers: int, number: int) -> list[tuple[str, ...]]:
    """What happens to so many browsers when the server gets a signal and is started again."""
    pages = [chromium.new_context(**WIDE).new_page() for _ in range(browsers)]
    values = []
    for k, page in enumerate(pages):
        page.set_default_timeout(1000 * PATIENCE)
        page.add_init_script(NOTE_ANSWERS)
        page.goto(f"{server.url}scores")
        await_charts(page)
        slider = page.get_by_role("slider", name="Threshold", exact=True)
        slider.focus()
        for _ in range(k + 1):
            page.keyboard.press("ArrowRight")
        page.wait_for_function("() => window.wbAnswered()")
        values.append(slider.input_value())
        page.evaluate("""() => {
            window.wbBefore = true
            const notice = document.querySelector(".wb-connection")
            new MutationObserver(() => { if (!notice.hidden) window.wbSaid ??= Date.now() })
                .observe(notice, {attributes: true, childList: true, characterData: true})
        }""")
    began = time.time()
    status = server.end(number)
    ended = time.time() - began
    said = []
    for page in pages:
        page.wait_for_function("() => window.wbSaid")
        said.append(page.evaluate("window.wbSaid") / 1000 - began)
    started = server.start()
    up, back, kept = time.time(), [], 0
    for page, value in zip(pages, values, strict=True):
        page.wait_for_function("() => !window.wbBefore")
        await_charts(page)
        page.wait_for_function("() => document.querySelector('.wb-connection').hidden")
        back.append(time.time() - up)
        slider = page.get_by_role("slider", name="Threshold", exact=True)
        kept += slider.input_value() == value
        page.context.close()
    name = f"{browsers} browsers, {signal.Signals(number).name}"
    return [
        (f"{name}: exit status", str(status), ""),
        (f"{name}: the server ended after", f"{ended:.1f} s", ""),
        (f"{name}: the last said so after", f"{max(said):.1f} s", f"at most {SAYS_SO:.0f} s"),
        (f"{name}: start to /health ok", f"{started:.1f} s", ""),
        (f"{name}: the last was back after /health ok", f"{max(back):.1f} s", ""),
        (f"{name}: with their settings", f"{kept}", f"{browsers}"),
    ]


def first_visits(server: Server) -> list[tuple[str, ...]]:
    """How long the documents after a start take."""
    times = []
    for _ in range(5):
        began = time.monotonic()
        urllib.request.urlopen(f"{server.url}scores", timeout=60).read()
        times.append(time.monotonic() - began)
    later = sorted(times[1:])[len(times[1:]) // 2]
    return [
        ("first document after the start", f"{1000 * times[0]:.0f} ms", ""),
        ("later documents, median", f"{1000 * later:.0f} ms", ""),
    ]


def main(browsers: int) -> None:
    rows: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(folder)
        server.start()
        try:
            rows += first_visits(server)
            chromium = playwright.chromium.launch(
                executable_path=ensure_browser.find(), args=list(FLAGS)
            )
            for number in (signal.SIGTERM, signal.SIGKILL):
                rows += restarted(server, chromium, browsers, number)
            chromium.close()
        finally:
            server.end(signal.SIGKILL)
    print(table(rows))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
