"""Fails the build when a page would load anything from another host."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError

#: What browsers load by themselves, in HTML and in styles; links that people follow are none.
_LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*\b(?:src|data)=["']?(?:https?:)?//"""
    r"""|<link\b(?=[^>]*\brel=["'](?:stylesheet|preload|modulepreload|icon|preconnect))"""
    r"""[^>]*\bhref=["']?(?:https?:)?//"""
    r"""|url\(["']?(?:https?:)?//|@import\s+["'](?:https?:)?//"""
)


def setup(app: Any) -> dict[str, bool]:
    """Look at what was written, after everything else."""
    app.connect("build-finished", _check, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def loads_from_elsewhere(text: str) -> str | None:
    """The first piece of a page or a style sheet that loads from another host."""
    found = _LOADED.search(text)
    return None if found is None else found[0]


def _check(app: Any, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    for pattern in ("*.html", "*.css"):
        for path in Path(app.outdir).rglob(pattern):
            if piece := loads_from_elsewhere(path.read_text(encoding="utf-8")):
                raise ExtensionError(f"{path} loads from another host: {piece}")
