"""Fails the build when a public name is in no group of the API reference, or in two."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from types import ModuleType
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
    names = _NAME.findall(REFERENCE.read_text(encoding="utf-8"))
    listed = {name for name in names if not name.startswith("testing.")}
    return [
        *(f"{name} is in no group" for name in sorted(_public() - listed)),
        *(f"{name} is not public" for name in sorted(listed - _public())),
        *(f"{name} is listed {times} times" for name, times in Counter(names).items() if times > 1),
    ]


def _public() -> set[str]:
    """Public names; of a namespace such as ``selection``, those that are found only there."""
    import workbench

    flat = {name: getattr(workbench, name) for name in workbench.__all__}
    spaces = {name: value for name, value in flat.items() if isinstance(value, ModuleType)}
    inside = {
        f"{module.__name__.removeprefix('workbench.')}.{name}"
        for module in spaces.values()
        for name in _names_of(module)
        if flat.get(name) is not getattr(module, name)  # `Audit` and `live.Audit` are two classes
    }
    return flat.keys() - spaces.keys() | inside


def _names_of(module: ModuleType) -> list[str]:
    """What a namespace offers: its ``__all__``, or the functions that are defined in it."""
    own = [
        name
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__ and name[0] != "_"
    ]
    return getattr(module, "__all__", own)


def _check() -> None:
    if found := faults():
        raise ExtensionError(f"{REFERENCE}: {'; '.join(found)}")
