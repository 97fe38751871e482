"""Reports of one page are made in one process, which keeps the audit and the states of the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.reports import NAMES

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        of = getattr(item, "callspec", None)
        name = None if of is None else of.params.get("name")
        if HERE in item.path.parents and name in NAMES:
            item.add_marker(pytest.mark.xdist_group(f"report of {name}"))
