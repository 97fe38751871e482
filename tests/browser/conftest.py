"""Fixtures of the browser tests: the served pages, and a browser that notes errors and requests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import ensure_browser
import pytest
from helpers import browser
from helpers.servers import free_port, running

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Mark the tests of this folder; those of one server run in one worker.

    A test that fails here is run once more, and the summary names it: a browser on cores that are
    busy with other work can be late in ways that no wait foresees.
    """
    for item in items:
        if HERE in item.path.parents:
            server = "served" if "served" in item.fixturenames else "demo"
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=1))
            item.add_marker(pytest.mark.xdist_group(f"browser-{server}"))
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(300))


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
        opened = playwright.chromium.launch(executable_path=path, args=list(browser.FLAGS))
        make = opened.new_context

        def patient(**options: Any) -> Any:
            context = make(**options)
            context.set_default_timeout(browser.PATIENCE)
            return context

        opened.new_context = patient
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def desktop(chromium: Any) -> Any:
    """One context for all plain visits, so that scripts are fetched and compiled once.

    Its cookies are cleared before each visit, so that each is that of a new visitor.
    """
    return chromium.new_context(**browser.WIDE)


@pytest.fixture
def visit(chromium: Any, desktop: Any) -> Iterator[Callable[..., Any]]:
    """``visit(url, **context)`` opens a page that has drawn its charts.

    Afterwards no page may have said an error or asked another host for anything.
    """
    from playwright.sync_api import TimeoutError as Late

    pages, errors, outside = [], [], []

    def open_page(url: str, **context: Any) -> Any:
        host = urlparse(url).hostname
        visitor = chromium.new_context(**{**browser.WIDE, **context}) if context else desktop
        visitor.clear_cookies()  # a new visitor
        page = visitor.new_page()
        page.add_init_script(browser.NOTE_ANSWERS)
        pages.append(page)
        page.set_default_timeout(browser.PATIENCE)
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: note(request.url, host))
        try:
            page.goto(url)
            browser.await_charts(page)
        except Late as late:
            pytest.fail(f"no charts came: {late}\n{browser.seen(page, errors)}")
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
