"""Audits of all pages, and their reports."""

from __future__ import annotations

import json
import re
from functools import cache

from workbench.assets.stored_states import States
from workbench.audits.audit import Audit
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.registry import PAGES
from workbench.reports.states import states

#: Pages with a result.
NAMES = [name for name in PAGES if name != "import"]

#: The numbers of the strip by title: relation and value, badge.
STRIP = """() => Object.fromEntries([...document.querySelectorAll(".wb-number")].map(cell => [
  cell.querySelector("h2").textContent, [".wb-relation", ".wb-value", ".wb-badge"]
    .map(part => cell.querySelector(part).textContent)]))"""

#: A name that means something in HTML, Markdown, LaTeX, a shell and JSON.
NASTY = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)> [link](javascript:alert(3)) "
    "**bold** `code` | cell | # head\n- item\n\n1. list \"double\" 'single' \\ $x$ &amp; "
    "\u202e 😀 ﷽"
)


@cache
def page_audit(name: str) -> Audit:
    """The audit of a page in its first state."""
    return audit_of(PAGES[name].kind(), by="Ada Lovelace")


@cache
def page_states(name: str) -> States:
    """Its states."""
    audit = page_audit(name)
    return states(audit, audit.live)


def visible(document: str) -> str:
    """The text of an HTML document, without styles and scripts."""
    from html import unescape

    text = re.sub(r"<(style|script)\b.*?</\1>", " ", document, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())


def shown(drawn: dict[str, str]) -> dict[str, str]:
    """A number of a state as `workbench.assets.board.content` has it."""
    return dict(json.loads(drawn["all"]))
