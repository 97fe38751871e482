"""Fails the build when a public name is in no group of the API reference, or in two."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError

REFERENCE = Path(__file__).parents[1] / "reference" / "index.rst"

#: A name in an autosummary block: alone on its line.
_NAME = re.compile(r"^   ([A-Za-z_][\w.]*)$", re.MULTILINE)


def setup(app: Any) -> dict[str, bool]:
    """Check before anything is read."""
    app.connect("builder-inited", lambda app: _check())
    return {"parallel_read_safe": True}


def faults() -> list[str]:
    """What keeps the reference from being complete; empty when every name is there once."""
    import workbench
    from workbench import selection

    public = {*workbench.__all__, *(f"selection.{name}" for name in selection.__all__)}
    public -= {"selection"}  # its names are listed instead
    names = _NAME.findall(REFERENCE.read_text(encoding="utf-8"))
    listed = {name for name in names if not name.startswith("testing.")}
    return [
        *(f"{name} is in no group" for name in sorted(public - listed)),
        *(f"{name} is not public" for name in sorted(listed - public)),
        *(f"{name} is listed {times} times" for name, times in Counter(names).items() if times > 1),
    ]


def _check() -> None:
    if found := faults():
        raise ExtensionError(f"{REFERENCE}: {'; '.join(found)}")
