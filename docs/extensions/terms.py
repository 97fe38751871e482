"""The directive ``terms``: the glossary of the pages, with an address for each term."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

from workbench.pages.glossary import GLOSSARY


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("terms", Terms)
    return {"parallel_read_safe": True}


class Terms(Directive):
    """A section for each topic, with the definitions of its terms."""

    def run(self) -> list[nodes.Node]:
        """The sections."""
        return sections()


def sections() -> list[nodes.Node]:
    """The sections of the glossary; the address of a term is ``#term-`` and its key."""
    made: list[nodes.Node] = []
    for topic, terms in GLOSSARY.items():
        listed = nodes.definition_list()
        for term in terms:
            name = nodes.term("", term.name, ids=[f"term-{term.key}"])
            text = nodes.definition("", nodes.paragraph("", term.text))
            listed += nodes.definition_list_item("", name, text)
        made.append(nodes.section("", nodes.title("", topic), listed, ids=[nodes.make_id(topic)]))
    return made
