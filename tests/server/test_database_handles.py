"""Databases that are in use are opened by SQLite only: it alone knows which locks would be lost."""

import os
import subprocess
import sys

import pytest
from helpers.servers import ROOT


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_but_sqlite_opens_a_database_and_no_other_program_ends_its_log(tmp_path):
    found = subprocess.run(
        [sys.executable, "-m", "helpers.handles", str(tmp_path / "home")],
        cwd=ROOT / "tests",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (found.returncode, found.stderr) == (0, "")
