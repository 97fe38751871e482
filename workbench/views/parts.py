"""The figures, numbers, sentences and controls of a page that a view shows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from workbench import _checks
from workbench.pages.core.page import Control, Item, Page, Section
from workbench.pages.inputs.data import DataChoice
from workbench.views.settings import plain_names

#: What `show` takes for all items.
ALL = "all"

#: Further names of figures -> their names on the page.
ALIASES = {"histogram": "distributions", "histograms": "distributions", "trade-off": "tradeoff"}


def listed(names: Iterable[str]) -> list[str]:
    """The names as a list; a single text is one name."""
    return [names] if isinstance(names, str) else _checks.each_of(names, str, "names", "text")


def chosen(page: Page, show: list[str] | None) -> list[Item]:
    """The items to show, in the page's order.

    Parameters
    ----------
    page : Page
        The page.
    show : list of str, optional
        Names or titles of items, or "all" alone; all by default.

    Raises
    ------
    ValueError
        An unknown name; the message lists the known ones.
    """
    items = page.items()
    if show is None or show == [ALL]:
        return items
    named = [_item(page, name) for name in show]
    return [item for item in items if item in named]


@dataclass(frozen=True)
class Brief:
    """Names of the items and controls that are shown first; the others are one press away."""

    items: list[str]
    controls: list[str]


def brief_of(page: Page, sections: list[Section]) -> Brief | None:
    """What of a page is shown first: its answer, one chart, and the controls that move it.

    With the answer come the main numbers, or the first one where none is, and the notices.

    Parameters
    ----------
    page : Page
        The page.
    sections : list of Section
        The controls that are offered.

    Returns
    -------
    Brief or None
        None of a page that names no main controls.
    """
    if not page.main or not page.figures():
        return None
    moved = page.main[0]
    chart = next((one for one in page.figures() if moved in page.inputs(one)), page.figures()[0])
    numbers = [one for one in page.numbers() if one.main] or page.numbers()[:1]
    said = [one for one in page.sentences() if one.place in ("answer", "head", "strip")]
    offered = [control.name for section in sections for control in section.controls]
    data = [n for n in offered if n in page.param and isinstance(page.param[n], DataChoice)]
    first = {*page.main, *data}
    return Brief(
        [item.name for item in (*said, *numbers, chart)], [n for n in offered if n in first]
    )


def sections_for(page: Page, items: list[Item], controls: list[str] | None = None) -> list[Section]:
    """The controls to show, in the sections of the page.

    Parameters
    ----------
    page : Page
        The page.
    items : list of Item
        The items that are shown.
    controls : list of str, optional
        Names or labels of controls, which are then shown without headings. By default all that one
        of the items depends on.

    Raises
    ------
    ValueError
        An unknown name; the message lists the known ones.
    """
    if controls is not None:
        named = [_control(page, name) for name in controls]
        return [Section("", tuple(named))] if named else []
    if len(items) == len(page.items()):
        return list(page.sections)
    needed = frozenset().union(*(page.inputs(item) for item in items))
    for job in page.jobs().values():
        if job.into in needed:
            needed |= {job.name, *page.inputs(job)}

    def kept(control: Control) -> bool:
        return control.name in needed

    parts = [Section(s.title, tuple(filter(kept, s.controls))) for s in page.sections]
    return [part for part in parts if part.controls]


def _item(page: Page, name: str) -> Item:
    for item in page.items():
        if item.name in (name, ALIASES.get(name)):
            return item
    for item in page.items():
        titles = {_letters(item.title), _letters(item.title.removesuffix(" curve"))} - {""}
        if _letters(name) in titles:
            return item
    kinds = {
        "figures": page.figures(),
        "numbers": page.numbers(),
        "sentences": page.sentences(),
    }
    known = (f"{kind}: {', '.join(item.name for item in of)}" for kind, of in kinds.items())
    raise ValueError(f"show: there is no {name!r}; {'; '.join(known)}")


def _control(page: Page, name: str) -> Control:
    all_ = [control for section in page.sections for control in section.controls]
    name = plain_names(page).get(name, name)
    for control in all_:
        if control.name == name or _letters(_label(page, control)) == _letters(name):
            return control
    raise ValueError(
        f"controls: there is no {name!r}; there are {', '.join(control.name for control in all_)}"
    )


def _label(page: Page, control: Control) -> str:
    jobs = page.jobs()
    title = jobs[control.name].title if control.name in jobs else page.param[control.name].label
    return str(title)


def _letters(title: str) -> str:
    return re.sub(r"\W", "", title).lower()
