"""What tests and examples in docstrings share; for these see ``--doctest-modules``."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np
import pytest

import workbench as wb

# No test, and no program that a test starts, touches the workspace of whoever runs it.
_HOME = tempfile.TemporaryDirectory(prefix="workbench-tests-")
os.environ["WORKBENCH_HOME"] = _HOME.name

#: Files without doctests, and several of the same name.
collect_ignore_glob = ["conftest.py", "*/conftest.py"]


@pytest.fixture(autouse=True)
def _names_of_examples(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace.update(wb=wb, np=np)
