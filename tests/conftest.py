"""Fixtures of all tests."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator

import hypothesis
import pytest
from helpers.samples import sampled
from helpers.servers import ROOT, free_port, running

# No test asserts elapsed time: the first example of a test also pays for imports.
hypothesis.settings.register_profile("workbench", deadline=None)
hypothesis.settings.load_profile("workbench")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups, and pytest the markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group the tests that share what is made once, and mark the cases left to `make coverage`."""
    mark_exhaustive_cases(items)
    group_what_is_shared(items)


def mark_exhaustive_cases(items: list[pytest.Item]) -> None:
    """Mark as exhaustive all cases of a ``sampled`` test but as many as it names, evenly spread."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for found in cases.values():
        kept = sampled(len(found), *found[0].get_closest_marker("sampled").args)
        for number, item in enumerate(found):
            if number not in kept:
                item.add_marker(pytest.mark.exhaustive)


def group_what_is_shared(items: list[pytest.Item]) -> None:
    """Keep tests in one process that share what is made once for their module.

    Spread over processes, they would have a server, a trained model or a notebook made in each.
    """
    for item in items:
        found = getattr(item, "_fixtureinfo", None)  # none of a doctest
        definitions = [] if found is None else found.name2fixturedefs.values()
        shares = any(one[-1].scope in ("class", "module") for one in definitions if one)
        if shares and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(ROOT))))


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the demo page."""
    port = free_port()
    command = [sys.executable, str(ROOT / "tests" / "browser" / "demo_page.py"), str(port)]
    log = tmp_path_factory.mktemp("demo") / "server.log"
    with running(command, f"http://localhost:{port}/", log) as url:
        yield url


@pytest.fixture(autouse=True)
def nothing_was_seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Begin as a new program does: nothing that it was given in Python was looked at."""
    from workbench.workspaces import home
    from workbench.workspaces.workspace import Workspace

    before = home._open
    monkeypatch.setattr(home, "_of_this_program", Workspace())
    monkeypatch.setattr(home, "_open", {})
    yield
    before.update(home._open)  # they are closed when the tests end


#: Loggers that ``workbench serve`` sets up for its process, which is that of the tests where they
#: call it.
LOGGERS = (
    *("", "workbench", "workbench.server", "workbench.dashboard", "workbench.cli"),
    *("workbench.server.operations.access", "tornado", "bokeh", "panel", "asyncio", "py.warnings"),
)


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Undo what a test, as a server of its own would, has set up for the log of the process."""
    found = [logging.getLogger(name) for name in LOGGERS]
    before = [(one, one.level, one.propagate, list(one.handlers)) for one in found]
    filters = [(one, list(one.filters)) for logger in found for one in logger.handlers]
    hook = threading.excepthook
    yield
    threading.excepthook = hook
    logging.captureWarnings(False)
    for handler, kept in filters:
        handler.filters[:] = kept
    for one, level, propagate, handlers in before:
        one.setLevel(level)
        one.propagate = propagate
        for added in set(one.handlers) - set(handlers):
            if type(added) is logging.StreamHandler:  # those of pytest are its own business
                one.removeHandler(added)
