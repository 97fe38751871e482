"""What tests and examples in docstrings share; for these see ``--doctest-modules``."""

from __future__ import annotations

import os
import tempfile
import zlib
from typing import Any

import numpy as np
import pytest

import workbench as wb
from workbench.scores import chance

# No test, and no program that a test starts, touches the workspace of whoever runs it.
_HOME = tempfile.TemporaryDirectory(prefix="workbench-tests-")
os.environ["WORKBENCH_HOME"] = _HOME.name

#: Files without doctests, and several of the same name; a script that runs with old code only.
collect_ignore_glob = ["conftest.py", "*/conftest.py", "*/make_corpus.py"]


@pytest.fixture(autouse=True)
def _names_of_examples(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace.update(wb=wb, np=np)


@pytest.fixture(autouse=True)
def _chance_of_the_test(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of the operating system are drawn from the name of the test: it ends alike each time.

    What earlier tests drew for equal data is forgotten.
    """
    rng = np.random.default_rng(zlib.crc32(request.node.nodeid.partition("@")[0].encode()))
    monkeypatch.setattr(chance, "new_seed", lambda: int(rng.integers(2**chance.BITS)))
    monkeypatch.setattr(chance, "_GIVEN", {})
