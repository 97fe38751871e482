"""The directive ``legend``: all references of the methods, with the short names used for them."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

import workbench as wb


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("legend", Legend)
    return {"parallel_read_safe": True}


class Legend(Directive):
    """A list of the references, by author, each with its short name where it has one."""

    def run(self) -> list[nodes.Node]:
        """The list."""
        listed = nodes.bullet_list()
        for row in wb.references().itertuples():
            text = f"{row.authors} ({row.year}). {row.title}. {row.published}.".replace(" .", "")
            paragraph = nodes.paragraph("", text)
            if row.key:
                paragraph += nodes.Text(" Short name: ")
                paragraph += nodes.literal("", row.key)
            listed += nodes.list_item("", paragraph)
        return [listed]
