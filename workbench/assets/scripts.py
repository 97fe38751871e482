"""`one_module`: scripts of ``browser/`` as a single module, for hosts that load no second file."""

from __future__ import annotations

import re
from functools import cache

from workbench.assets.board import HERE

_IMPORT = re.compile(r'^import .*?from "\./([a-z_]+\.js)"\n', re.MULTILINE)


@cache
def one_module(name: str) -> str:
    """A script and all that it imports, each before what needs it."""
    texts: dict[str, str] = {}

    def add(script: str) -> None:
        if script in texts:
            return
        text = (HERE / script).read_text(encoding="utf-8")
        for imported in _IMPORT.findall(text):
            add(imported)
        texts[script] = _IMPORT.sub("", text)

    add(name)
    return "\n".join(texts.values())
