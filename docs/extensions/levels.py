"""The directive ``levels``: a table of the largest exact level of each method, as it is stored."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

from workbench.coverage_lab.measured import measured

HEADER = ("Method", "Settings", "Largest level", "Where")


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("levels", Levels)
    return {"parallel_read_safe": True}


class Levels(Directive):
    """A table with a row for each method."""

    def run(self) -> list[nodes.Node]:
        """The table."""
        rows = [tuple(map(str, row)) for row in measured().levels()]
        group = nodes.tgroup("", cols=len(HEADER))
        group += [nodes.colspec(colwidth=width) for width in (25, 8, 10, 57)]
        group += nodes.thead("", _row(HEADER))
        group += nodes.tbody("", *map(_row, rows))
        return [nodes.table("", group)]


def _row(cells: tuple[str, ...]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", cell)) for cell in cells))
