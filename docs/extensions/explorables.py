"""Writes the explorables beside the pages of the site, which link to them."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

from workbench.explorables.registry import EXPLORABLES, file_of
from workbench.explorables.write import write_explorables

DOCS = Path(__file__).parents[1]

#: What an explorable is made of, besides the bundled data.
_KINDS = (".py", ".js", ".css")


def setup(app: Any) -> dict[str, bool]:
    """Write them after the pages, and before the site is looked through."""
    app.connect("build-finished", _write, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _write(app: Any, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    made = DOCS / "_build" / "explorables" / _version()
    missing = [name for name in EXPLORABLES if not (made / file_of(name)).is_file()]
    if missing:  # a change of the sources makes new ones
        write_explorables(made, missing)
    shutil.copytree(made, Path(app.outdir) / "explorables", dirs_exist_ok=True)


def _version() -> str:
    """Hash of the sources, 16 hexadecimal digits."""
    paths = sorted((DOCS.parent / "workbench").rglob("*"))
    sources = b"".join(path.read_bytes() for path in paths if path.suffix in _KINDS)
    return hashlib.sha256(sources).hexdigest()[:16]
