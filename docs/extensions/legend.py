"""The directive ``legend``: every source that `Bound.cite` knows, and the methods that cite it."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

from workbench.bounds import citations

#: ``key = {value}`` of a BibTeX entry; values may hold braces.
_FIELD = re.compile(r"^  (\w+)\s*= \{(.*?)\},?$", re.MULTILINE | re.DOTALL)

_ACCENTS = {
    "\\'e": "é",
    "\\`e": "è",
    '\\"u': "ü",
    '\\"o': "ö",
    "\\~n": "ñ",
    "\\'o": "ó",
    "\\'E": "É",
}


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("legend", Legend)
    return {"parallel_read_safe": True}


class Legend(Directive):
    """A definition list: the key, the source, and which methods cite it."""

    def run(self) -> list[nodes.Node]:
        """The list, in the order of the authors' names."""
        methods: dict[str, list[str]] = {}
        for method, keys in citations._SOURCES.items():
            for key in keys:
                methods.setdefault(key, []).append(method)
        entries = sorted((source(bib), key) for key, bib in citations._ENTRIES.items())
        listed = nodes.definition_list()
        for text, key in entries:
            item = nodes.definition_list_item()
            item += nodes.term("", "", nodes.literal("", key))
            said = nodes.definition("", nodes.paragraph("", text))
            if key in methods:
                said += nodes.paragraph("", "Cited by: " + "; ".join(methods[key]) + ".")
            item += said
            listed += item
        return [listed]


def source(bib: str) -> str:
    """A BibTeX entry as a line of text: authors (year). Title. Where it appeared."""
    fields = {key: _plain(value) for key, value in _FIELD.findall(bib)}
    authors = [name.split(", ")[0] for name in fields.get("author", "").split(" and ") if name]
    who = f"{', '.join(authors)} ({fields.get('year', '')}). " if authors else ""
    where = fields.get("journal") or fields.get("booktitle") or fields.get("note") or ""
    volume = f" {fields['volume']}" if "volume" in fields else ""
    return f"{who}{fields['title']}. {where}{volume}".rstrip(". ") + "."


def _plain(value: str) -> str:
    value = " ".join(value.split())
    for accent, letter in _ACCENTS.items():
        value = value.replace("{" + accent + "}", letter)
    return value.replace("{", "").replace("}", "").replace("$", "")
