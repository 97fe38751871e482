"""The scripts of the browser without a browser: their types, their style, their unit tests."""

from __future__ import annotations

import subprocess

import ensure_node
import pytest

from workbench.assets.board import HERE
from workbench.assets.scripts import one_module

pytestmark = pytest.mark.xdist_group("scripts")

TESTS = sorted(path.name for path in ensure_node.FOLDER.glob("*.test.js"))


@pytest.fixture(scope="module")
def node():
    return ensure_node.prepare()


def run(*command, **options):
    done = subprocess.run(
        command, cwd=ensure_node.FOLDER, capture_output=True, text=True, timeout=120, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", TESTS)
def test_what_the_scripts_do(node, name):
    run(node, "--test", "--test-force-exit", "--test-timeout=60000", name)


@pytest.mark.parametrize(
    "script",
    [
        HERE / "widget.js",
        HERE.parents[1] / "reports" / "report.js",
        HERE.parents[1] / "explorables" / "explorable.js",
    ],
    ids=lambda path: path.name,
)
def test_a_script_and_what_it_imports_are_one_module(node, script):
    """No two of them may have one name at their top."""
    joined = one_module(script)
    assert "\nimport " not in joined
    run(node, "--input-type=module", "--check", "-", input=joined)
