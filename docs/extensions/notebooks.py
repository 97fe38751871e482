"""Copies the notebooks beside the page of the user guide, where Sphinx reads and runs them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

GUIDE = Path(__file__).parents[1] / "guide"
NOTEBOOKS = GUIDE.parents[1] / "notebooks"


def setup(app: Any) -> dict[str, bool]:
    """Copy what is new, and remove copies whose notebook is gone."""
    app.connect("config-inited", lambda app, config: copy())
    return {"parallel_read_safe": True}


def copy() -> None:
    """Bring the copies up to date; unchanged ones stay as they are, so that nothing is rebuilt."""
    sources = [*NOTEBOOKS.glob("[0-9]*.ipynb"), NOTEBOOKS / "workbench.mplstyle"]
    for stale in {path.name for path in GUIDE.glob("*.ipynb")} - {path.name for path in sources}:
        (GUIDE / stale).unlink()
    for source in sources:
        target = GUIDE / source.name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            shutil.copyfile(source, target)
