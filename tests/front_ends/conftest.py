"""Fixtures of the notebook tests, and their marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Mark what runs notebooks and kernels."""
    for item in items:
        if HERE in item.path.parents:
            if item.path.stem == "test_notebooks":
                item.add_marker(pytest.mark.notebook)
            if "started" in item.fixturenames or item.path.stem == "test_jupyter_kernel":
                item.add_marker(pytest.mark.kernel)


@pytest.fixture(scope="module")
def started():
    """A kernel: its manager and its client."""
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel()
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)
