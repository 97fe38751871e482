"""`one_module`: scripts as a single module, for hosts that load no second file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_IMPORT = re.compile(r'^import .*?from "([^"]+\.js)"\n', re.MULTILINE)


@cache
def one_module(script: Path) -> str:
    """A script and all that it imports, each before what needs it."""
    texts: dict[Path, str] = {}

    def add(path: Path) -> None:
        if path in texts:
            return
        text = path.read_text(encoding="utf-8")
        for imported in _IMPORT.findall(text):
            add((path.parent / imported).resolve())
        texts[path] = _IMPORT.sub("", text)

    add(script.resolve())
    return "\n".join(texts.values())
