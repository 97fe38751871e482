"""Fixtures of the browser tests: a served page, and a browser that notes what it is told."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import ensure_browser
import pytest
from programs import program

ROOT = Path(__file__).parents[1]

FLAGS = (
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

#: Milliseconds that a page may take on a slow, shared machine.
PATIENCE = 60_000

GRAVE = ("critical", "serious")

WIDE = {"viewport": {"width": 1440, "height": 1200}}


#: Address of a server -> its log.
LOGS: dict[str, Path] = {}

#: Lines of a log that a failure quotes.
TAIL = 40


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("localhost", 0))
        return held.getsockname()[1]


@contextmanager
def running(command: list[str], url: str, log: Path) -> Iterator[str]:
    """A server in a process of its own, up and answering; ended by its own handle."""
    LOGS[url] = log
    with (
        log.open("wb") as out,
        program(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT) as process,
    ):
        deadline = time.monotonic() + PATIENCE / 1000
        while True:
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"{command} did not answer on {url}:\n{log.read_text()}")
            try:
                urllib.request.urlopen(url, timeout=20).close()
                break
            except OSError:
                time.sleep(0.2)
        yield url


def await_charts(page: Any) -> None:
    """Until all charts are drawn."""
    page.wait_for_function("'connected' in document.documentElement.dataset")
    plots = page.locator(".wb-plot")
    plots.first.wait_for()
    page.locator(".wb-plot .draglayer").nth(plots.count() - 1).wait_for(state="attached")


def seen(page: Any, errors: list[str]) -> str:
    """What a person sees of a page, and what its browser and its server said."""
    shown = {
        name: [" ".join(text.split()) for text in page.locator(which).all_inner_texts()]
        for name, which in {
            "message": ".wb-alert p",
            "numbers": ".wb-number",
            "sentences": ".wb-sentence",
        }.items()
    }
    drawn = page.locator(".wb-plot .draglayer").count(), page.locator(".wb-plot").count()
    log = next((log for url, log in LOGS.items() if page.url.startswith(url)), None)
    said = log.read_text(errors="replace").splitlines()[-TAIL:] if log else ["(not known)"]
    return "\n".join(
        [
            f"address: {page.url}",
            f"charts drawn: {drawn[0]} of {drawn[1]}",
            *(f"{name}: {texts}" for name, texts in shown.items()),
            f"errors in the browser: {errors}",
            "the server's log ends with:",
            *said,
        ]
    )


def grave_faults(page: Any) -> list[str]:
    """What axe finds that shuts people out; faults that pass by while the page settles are none."""
    from axe_playwright_python.sync_playwright import Axe

    # Widgets fade from one theme's colors to the other's when they arrive.
    page.wait_for_function(
        "() => document.getAnimations().every(a => a.playState !== 'running')", timeout=30_000
    )
    for _ in range(10):
        found = Axe().run(page).response["violations"]
        grave = [f"{v['impact']}: {v['id']}" for v in found if v["impact"] in GRAVE]
        if not grave:
            break
        page.wait_for_timeout(500)
    return grave


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the demo page."""
    port = free_port()
    command = [sys.executable, str(ROOT / "tests" / "browser" / "demo_page.py"), str(port)]
    log = tmp_path_factory.mktemp("demo") / "server.log"
    with running(command, f"http://localhost:{port}/", log) as url:
        yield url


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the pages as `make serve` serves them."""
    port = free_port()
    command = [
        *(sys.executable, "-m", "workbench", "serve"),
        *("--no-open", "--port", str(port)),
    ]
    log = tmp_path_factory.mktemp("served") / "server.log"
    with running(command, f"http://localhost:{port}/", log) as url:
        yield url


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser; without one the tests fail, they are never skipped.

    Of a module, not of the session: Playwright keeps an event loop running in its thread, under
    which tests that come after it in the same worker could start none of their own.
    """
    from playwright.sync_api import sync_playwright

    path = ensure_browser.find()
    if path is None:
        pytest.fail("no Chromium here; run: python tests/ensure_browser.py")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def desktop(chromium: Any) -> Any:
    """One context for all plain visits, so that scripts are fetched and compiled once."""
    return chromium.new_context(**WIDE)


@pytest.fixture
def visit(chromium: Any, desktop: Any) -> Iterator[Callable[..., Any]]:
    """``visit(url, **context)`` opens a page that has drawn its charts.

    Afterwards no page may have said an error or asked another host for anything.
    """
    from playwright.sync_api import TimeoutError as Late

    pages, errors, outside = [], [], []

    def open_page(url: str, **context: Any) -> Any:
        host = urlparse(url).hostname
        visitor = chromium.new_context(**{**WIDE, **context}) if context else desktop
        page = visitor.new_page()
        pages.append(page)
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: note(request.url, host))
        try:
            page.goto(url)
            await_charts(page)
        except Late as late:
            pytest.fail(f"no charts came: {late}\n{seen(page, errors)}")
        return page

    def note(asked: str, host: str | None) -> None:
        if asked.startswith(("http", "ws")) and urlparse(asked).hostname != host:
            outside.append(asked)

    yield open_page
    for page in pages:
        page.close()
        if page.context is not desktop:
            page.context.close()
    assert errors == []
    assert outside == []
