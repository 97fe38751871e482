"""Index of what the search finds: pages, their controls, numbers, charts and jobs, and terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workbench.assets import audits
from workbench.pages.core.page import Item, Page
from workbench.pages.glossary import GLOSSARY
from workbench.pages.registry import PageEntry

#: Kind of an item of a page, and what the search calls it.
_KINDS = {"number": "number", "figure": "chart"}


def search_index(pages: Mapping[str, PageEntry]) -> list[dict[str, Any]]:
    """Entries of everything that can be found by name or by words of its help text.

    No page is made for it: texts are those of the classes.

    Parameters
    ----------
    pages : mapping of str to PageEntry
        The pages by name, as in `workbench.pages.registry.PAGES`.

    Returns
    -------
    list of dict
        Entries with "kind", "title" and "text", and "where", what tells apart entries with one
        title. Kinds are "page", "control", "number" and "chart", with the name of the "page" and of
        the "control" or "item" on it, and "term" with its "key". The words of "also" count as
        words of the title.
    """
    return [
        *(_page(name, entry) for name, entry in pages.items()),
        audits.FOUND,
        *(found for name, entry in pages.items() for found in _parts(name, entry)),
        *_terms(),
    ]


def _page(name: str, entry: PageEntry) -> dict[str, Any]:
    kind: type[Page] = entry.kind
    return {
        "kind": "page",
        "page": name,
        "title": entry.title,
        "also": [kind.title, name],
        "where": entry.answers,
        "text": kind.about,
    }


def _parts(name: str, entry: PageEntry) -> Iterator[dict[str, Any]]:
    page: type[Page] = entry.kind
    jobs = page.jobs()
    for section in page.controls:
        where = " · ".join(filter(None, (entry.title, section.title)))
        for control in (one for one in section.controls if one.given is not True):
            job = jobs.get(control.name)
            parameter: Any = None if job else page.param[control.name]
            title, text = (job.title, job.help) if job else (parameter.label, parameter.doc)
            yield {
                "kind": "control",
                "page": name,
                "control": control.name,
                "title": title,
                "where": where,
                "text": text or "",
            }
    yield from _items(name, entry.title, [*page.numbers(), *page.figures()])


def _items(page: str, where: str, items: Iterable[Item]) -> Iterator[dict[str, Any]]:
    for item in items:
        yield {
            "kind": _KINDS[item.kind],
            "page": page,
            "item": item.name,
            "title": item.title,
            "where": where,
            "text": " ".join(filter(None, (item.help, item.formula, item.caution))),
        }


def _terms() -> Iterator[dict[str, Any]]:
    for topic, terms in GLOSSARY.items():
        for term in terms:
            yield {
                "kind": "term",
                "key": term.key,
                "title": term.name,
                "also": list(term.words),
                "where": topic,
                "text": term.text,
            }
