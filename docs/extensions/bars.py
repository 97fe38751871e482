"""Vertical bars of docstrings, ``|x|``, are absolute values here and not substitutions."""

from __future__ import annotations

from typing import Any


def setup(app: Any) -> dict[str, bool]:
    """Escape the bars before a docstring is read."""
    app.connect("autodoc-process-docstring", _escape)
    return {"parallel_read_safe": True}


def _escape(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    for i, line in enumerate(lines):
        if "`" not in line:  # in code, a bar needs no escape and would show it
            lines[i] = line.replace("|", r"\|")
