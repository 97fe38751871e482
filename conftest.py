"""Names that the examples in docstrings may use; see ``--doctest-modules`` in pyproject.toml."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import workbench as wb

#: Files without doctests, and several of the same name.
collect_ignore_glob = ["conftest.py", "*/conftest.py"]


@pytest.fixture(autouse=True)
def _names_of_examples(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace.update(wb=wb, np=np)
