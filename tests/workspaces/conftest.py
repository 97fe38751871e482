"""Tables and workspaces that the tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workbench.scores.parsing.source import read_table
from workbench.scores.table import DataTable
from workbench.workspaces.home import workspace
from workbench.workspaces.workspace import Workspace

LOSSES = b"loss,is_member,subject\n0.1,1,a\n2.0,0,b\n0.3,1,a\n1.5,0,c\n0.2,1,d\n0.9,0,e\n"


@pytest.fixture
def losses() -> DataTable:
    """A table of losses with labels and subjects."""
    return read_table(LOSSES, "losses.csv", trusted=True)


@pytest.fixture(params=["memory", "disk"])
def ws(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workspace]:
    """An empty workspace, in memory and on disk."""
    made = Workspace() if request.param == "memory" else workspace(tmp_path / "home")
    yield made
    made.close()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[], Workspace]]:
    """A function that opens the workspace of one folder, each time as a new program would."""
    made: list[Workspace] = []

    def again() -> Workspace:
        for one in made:
            one.close()
        made.append(workspace(tmp_path / "home"))
        return made[-1]

    yield again
    for one in made:
        one.close()
