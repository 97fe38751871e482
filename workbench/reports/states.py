"""`states`: what an audit's page shows at each threshold and δ, computed in advance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.assets.stored_states import (
    States,
    StateSlider,
    StateStore,
    add_moving,
    changed_with,
    slider_of,
)
from workbench.audits.audit import Audit
from workbench.pages.auditing.audit_of import drawn_number, drawn_sentence
from workbench.pages.core.jobs import Job
from workbench.pages.core.page import Item, Page
from workbench.pages.core.state import same
from workbench.progress import Report, silent

#: The parameters that a report's charts answer to.
ANSWERS = ("threshold", "log_delta")

#: Thresholds, unless several items depend on the threshold and on δ.
THRESHOLDS = 61

#: Drawings of items that depend on the threshold and on δ, about; and the fewest thresholds.
MOST_DRAWINGS = 1200
FEWEST = 15


def recorded(audit: Audit) -> dict[str, Any]:
    """What the page of an audit drew: by name of the item, from its record alone."""
    return {
        **{one.name: one.figure for one in audit.figures},
        **{one.name: drawn_number(one) for one in audit.numbers},
        **{one.name: drawn_sentence(one) for one in audit.sentences},
    }


def states(audit: Audit, page: Page | None = None, report: Report = silent) -> States:
    """What an audit's page shows at each threshold and δ.

    Parameters
    ----------
    audit : Audit
    page : Page, optional
        In the state of the audit; it is not changed. Without a page, or where it shows something
        else than the audit recorded, an item has only what was recorded.
    report : Report, optional
        Takes the progress.

    Returns
    -------
    States
    """
    store = StateStore()
    own = recorded(audit)
    items = {name: {"sliders": [], "drawings": [store.add(value)]} for name, value in own.items()}
    sliders: tuple[StateSlider, ...] = ()
    if page is not None:
        twin = page.snapshot(watching=True)
        alike = [item for item in twin.items() if _alike(twin.draw(item), own.get(item.name))]
        on = _moving(twin, alike)
        both = sum(set(ANSWERS) <= page.inputs(item) for item in alike)
        sliders = tuple(_sliders(twin, on, both))
        items |= add_moving(page, alike, on, sliders, store, report)
    return States(sliders, items, store.drawings, store.contents)


def _moving(page: Page, items: list[Item]) -> dict[str, tuple[str, ...]]:
    """The parameters of `ANSWERS` that each item depends on, where the page offers them."""
    offered = {
        control.name
        for section in page.sections
        for control in section.controls
        if control.name in ANSWERS and control.offered(page)
    }
    changed = {name: changed_with(page, name) for name in ANSWERS if name in offered}
    # A result of long work does not follow: the page would call it out of date.
    shown = shown_jobs(page)
    found = {}
    for item in items:
        inputs = page.inputs(item)
        stale = set().union(*(page.inputs(job) for job, on in shown.items() if item.name in on))
        found[item.name] = tuple(n for n in changed if n not in stale and inputs & changed[n])
    figures = {name for item in items if item.kind == "figure" for name in found[item.name]}
    idle = {n for n in changed if n not in figures and any(n in page.inputs(job) for job in shown)}
    return {item: tuple(n for n in on if n not in idle) for item, on in found.items()}


def shown_jobs(page: Page) -> dict[Job, frozenset[str]]:
    """The jobs of a page whose results it shows, each with the names of the items that do.

    A page may hold a result that it does not show, such as a plan for another method.
    """
    found = {}
    for job in page.jobs().values():
        if getattr(page, job.into) is None:
            continue
        items = [item for item in page.items() if job.into in page.inputs(item)]
        drawn_from = [page.drawn_from(item) for item in items]  # which the copy then knows, too
        bare = page.snapshot()
        setattr(bare, job.into, None)
        found[job] = frozenset(
            item.name
            for item, values in zip(items, drawn_from, strict=True)
            if not same(values, bare.drawn_from(item))
        )
    return {job: on for job, on in found.items() if on}


def _sliders(page: Page, on: Mapping[str, tuple[str, ...]], both: int) -> Iterator[StateSlider]:
    for name in (name for name in ANSWERS if any(name in names for names in on.values())):
        count = _deltas(page, both) if name == "log_delta" else _thresholds(page, both)
        yield slider_of(page, name, count)


def _deltas(page: Page, both: int) -> int:
    """Places of δ: those of the page; every other one if items depend on the threshold, too."""
    slider: Any = page.param["log_delta"]
    low, high = slider.get_soft_bounds()
    return round((high - low) / (slider.step * (2 if both else 1))) + 1


def _thresholds(page: Page, both: int) -> int:
    """Places of the threshold."""
    if not both:
        return THRESHOLDS
    return min(THRESHOLDS, max(FEWEST, MOST_DRAWINGS // (both * _deltas(page, both))))


def _alike(drawn: Any, of_record: Any) -> bool:
    """Whether the page draws what the record has; charts by what they say of themselves."""
    if isinstance(drawn, dict) and isinstance(of_record, Mapping):
        return bool(_summary(drawn) == _summary(of_record))
    return bool(drawn == of_record)


def _summary(figure: Mapping[str, Any]) -> Any:
    return figure["layout"]["meta"]["summary"]
