"""Fixtures of all tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from helpers.servers import ROOT, free_port, running


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the demo page."""
    port = free_port()
    command = [sys.executable, str(ROOT / "tests" / "browser" / "demo_page.py"), str(port)]
    log = tmp_path_factory.mktemp("demo") / "server.log"
    with running(command, f"http://localhost:{port}/", log) as url:
        yield url
