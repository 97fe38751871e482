"""Data of the start page, the tour and the glossary, for the scripts of the same names."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from workbench.pages import start
from workbench.pages.glossary import GLOSSARY, Term
from workbench.pages.registry import PAGES
from workbench.pages.registry import menu as menu_of_pages


def menu() -> list[dict[str, Any]]:
    """The groups of the menu: a title, and the name, title and question of each page."""
    return [
        {
            "title": group,
            "pages": [
                {"name": name, "title": entry.title, "answers": entry.answers}
                for name, entry in pages.items()
            ],
        }
        for group, pages in menu_of_pages().items()
    ]


def content() -> dict[str, Any]:
    """What the start page shows before any connection; no page is imported for it."""
    return {
        "title": start.TITLE,
        "about": start.ABOUT,
        "doors": [asdict(door) for door in start.DOORS],
        "audit": [asdict(remark) for remark in start.AUDIT],
        "menu": menu(),
        "tour": tour(),
        "glossary": glossary(),
    }


def tour() -> dict[str, Any]:
    """The steps of the tour, with the titles of their pages, and the data set to show."""
    steps = [{**asdict(step), "where": PAGES[step.page].title} for step in start.TOUR]
    return {"data": start.TOUR_DATA, "steps": steps}


def glossary() -> list[dict[str, Any]]:
    """The topics of the glossary: a title, and terms with the title of the page that shows each."""
    return [
        {"topic": topic, "terms": [_term(term) for term in terms]}
        for topic, terms in GLOSSARY.items()
    ]


def _term(term: Term) -> dict[str, Any]:
    return {**asdict(term), "where": PAGES[term.shown[0]].title if term.shown else ""}
