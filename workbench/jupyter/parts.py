"""The figures, numbers and controls of a page that a view shows."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.pages.core.page import Control, Item, Page, Section

#: Further names of figures -> their names on the page.
ALIASES = {"histogram": "distributions", "histograms": "distributions", "trade-off": "tradeoff"}


def chosen(page: Page, show: Iterable[str] | None) -> list[Item]:
    """The items to show, in the page's order.

    Parameters
    ----------
    page : Page
        The page.
    show : iterable of str, optional
        Names or titles of figures and numbers; see `View`.

    Raises
    ------
    ValueError
        An unknown name; the message lists the known ones.
    """
    items = page.items()
    if show is None:
        return items
    names = [show] if isinstance(show, str) else list(show)
    named = [_named(page, name) for name in names]
    if not any(item.kind == "number" for item in named):
        named += page.numbers()
    needed = frozenset().union(*(page.inputs(item) for item in named))
    return [
        item
        for item in items
        if item in named or (item.kind == "sentence" and page.inputs(item) <= needed)
    ]


def sections_for(page: Page, items: list[Item]) -> list[Section]:
    """The sections of the page, without the controls that none of the items depends on.

    Parameters
    ----------
    page : Page
        The page.
    items : list of Item
        The items that are shown.
    """
    needed = frozenset().union(*(page.inputs(item) for item in items))
    for job in page.jobs().values():
        if job.into in needed:
            needed |= {job.name, *page.inputs(job)}

    def kept(control: Control) -> bool:
        return control.name in needed

    parts = [Section(s.title, tuple(filter(kept, s.controls))) for s in page.controls]
    return [part for part in parts if part.controls]


def _named(page: Page, name: str) -> Item:
    items = [item for item in page.items() if item.kind != "sentence"]
    for item in items:
        if item.name in (name, ALIASES.get(name)):
            return item
    for item in items:
        if _letters(name) in (_letters(item.title), _letters(item.title.removesuffix(" curve"))):
            return item
    raise ValueError(
        f"show: there is no {name!r}; figures: {', '.join(i.name for i in page.figures())}; "
        f"numbers: {', '.join(i.name for i in page.numbers())}"
    )


def _letters(title: str) -> str:
    return re.sub(r"\W", "", title).lower()
