"""What a server acknowledges is there after commands ran beside it, and after a crash."""

import signal
import sys

import pytest
from helpers.archives import ON_SERVER
from helpers.commands_beside import scenario
from helpers.postgresql import postgresql

from workbench.workspaces.home import DATABASE


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_is_lost_beside_three_commands_and_a_crash(tmp_path):
    found = scenario(tmp_path, 3, signal.SIGKILL)
    assert found.lost == []
    assert found.acknowledged == 18


@pytest.mark.exhaustive
@ON_SERVER
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_is_lost_beside_two_commands_with_audits_in_postgresql(tmp_path, monkeypatch):
    with postgresql() as server:
        monkeypatch.setenv(DATABASE, server.url())
        found = scenario(tmp_path, 2)
    assert found.lost == []
    assert found.acknowledged == 18
