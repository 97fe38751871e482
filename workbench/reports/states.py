"""`States`: what an audit's page shows at each threshold and δ, computed in advance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from workbench import _json
from workbench._format import plain
from workbench.assets.board import parts
from workbench.audits.audit import Audit
from workbench.pages.auditing.audit_of import drawn_number, drawn_sentence
from workbench.pages.core.jobs import Job
from workbench.pages.core.page import Item, Page
from workbench.pages.core.sliders import displayed, number_of, places_of, snap
from workbench.pages.core.state import EveryResult, same
from workbench.progress import Report, silent

#: The parameters that a report's charts answer to.
ANSWERS = ("threshold", "log_delta")

#: Thresholds, unless several items depend on the threshold and on δ.
THRESHOLDS = 61

#: Drawings of items that depend on the threshold and on δ, about; and the fewest thresholds.
MOST_DRAWINGS = 1200
FEWEST = 15

#: Coordinates are rounded to 32 bits where that moves no point by this share of the axis.
UNSEEN = 1e-5


@dataclass(frozen=True)
class ReportSlider:
    """A parameter of the page that a report's charts answer to.

    Parameters
    ----------
    name, label : str
        Of the parameter.
    values : tuple of float
        Its places, in order.
    texts : tuple of str
        The values as people read them.
    start : int
        The place of the audit's own value.
    """

    name: str
    label: str
    values: tuple[float, ...]
    texts: tuple[str, ...]
    start: int


@dataclass(frozen=True, eq=False)
class States:
    """What a page shows at each place of its sliders; equal parts are stored once.

    Parameters
    ----------
    sliders : tuple of ReportSlider
    items : mapping of str to dict
        For each item of the page: ``"sliders"``, the indices of the sliders that it depends on, and
        ``"drawings"``, indices into ``drawings`` over the places of these sliders, the last one
        fastest.
    drawings : list of dict
        Name of a part, as `workbench.assets.board.parts` names it -> index into ``contents``.
    contents : list of str
        Parts as JSON.
    """

    sliders: tuple[ReportSlider, ...]
    items: Mapping[str, dict[str, Any]]
    drawings: list[dict[str, int]]
    contents: list[str]

    def drawn(self, item: str, **places: int) -> dict[str, str]:
        """The parts of an item as JSON.

        Parameters
        ----------
        item : str
            Its name.
        **places : int
            Places of sliders by the names of their parameters; the audit's own by default.
        """
        found, index = self.items[item], 0
        for k in found["sliders"]:
            slider = self.sliders[k]
            index = index * len(slider.values) + places.get(slider.name, slider.start)
        drawing = self.drawings[found["drawings"][index]]
        return {name: self.contents[k] for name, k in drawing.items()}

    def fixed(self) -> frozenset[str]:
        """Names of the items that answer to no slider."""
        return frozenset(name for name, found in self.items.items() if not found["sliders"])

    def to_json(self) -> str:
        """All of it as JSON, for ``report.js``."""
        head = _json.dumps(
            {
                "sliders": [vars(slider) for slider in self.sliders],
                "items": self.items,
                "drawings": self.drawings,
            },
            separators=(",", ":"),
        )
        return f'{head[:-1]},"contents":[{",".join(self.contents)}]}}'


@dataclass
class _Store:
    """Drawings and their parts, each stored once."""

    drawings: list[dict[str, int]] = field(default_factory=list)
    contents: list[str] = field(default_factory=list)
    _known: dict[Any, int] = field(default_factory=dict)

    def add(self, value: Any) -> int:
        """The index of a drawn item, which is stored if it is new."""
        drawn = parts(_coarse(value) if isinstance(value, dict) else value)
        drawing = {name: self._index(text, self.contents, text) for name, text in drawn.items()}
        return self._index(tuple(drawing.items()), self.drawings, drawing)

    def _index(self, key: Any, among: list[Any], value: Any) -> int:
        if key not in self._known:
            self._known[key] = len(among)
            among.append(value)
        return self._known[key]


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
    store = _Store()
    own = recorded(audit)
    items = {name: {"sliders": [], "drawings": [store.add(value)]} for name, value in own.items()}
    sliders: tuple[ReportSlider, ...] = ()
    if page is not None:
        twin = page.snapshot(watching=True)
        alike = [item for item in twin.items() if _alike(twin.draw(item), own.get(item.name))]
        moving = _moving(twin, alike)
        both = sum(set(ANSWERS) <= page.inputs(item) for item in alike)
        sliders = tuple(_sliders(twin, moving, both))
        done, total, every = 0, _count(moving, sliders), EveryResult()
        for where in sorted({on for on in moving.values() if on}):
            group = [item for item in alike if moving[item.name] == where]
            found = _over(page, group, [s for s in sliders if s.name in where], store, every)
            at = [k for k, slider in enumerate(sliders) if slider.name in where]
            drawings: dict[str, list[int]] = {item.name: [] for item in group}
            for drawn in found:
                done += 1
                report(done / total, f"{done} of {total} states of the charts")
                for name, drawing in drawn.items():
                    drawings[name].append(drawing)
            items |= {name: {"sliders": at, "drawings": all_} for name, all_ in drawings.items()}
    return States(sliders, items, store.drawings, store.contents)


def _moving(page: Page, items: list[Item]) -> dict[str, tuple[str, ...]]:
    """The parameters of `ANSWERS` that each item depends on, where the page offers them."""
    offered = {
        control.name
        for section in page.sections
        for control in section.controls
        if control.name in ANSWERS and control.offered(page)
    }
    changed = {name: _changed(page, name) for name in ANSWERS if name in offered}
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


def _changed(page: Page, name: str) -> set[str]:
    """Names of the parameters that change when a slider is moved, by the page's own doing, too."""
    changed = {name}
    for end in page.param[name].get_soft_bounds():
        twin = page.snapshot(watching=True)
        setattr(twin, name, end)
        after = twin.param.values()
        changed |= {
            n for n, value in page.param.values().items() if not same((value,), (after[n],))
        }
    return changed


def _count(moving: Mapping[str, tuple[str, ...]], sliders: tuple[ReportSlider, ...]) -> int:
    sizes = {slider.name: len(slider.values) for slider in sliders}
    return sum(math.prod(sizes[name] for name in on) for on in set(moving.values()) if on)


def _over(
    page: Page, items: list[Item], sliders: list[ReportSlider], store: _Store, every: EveryResult
) -> Iterator[dict[str, int]]:
    """The drawings of items at all places of the sliders, by name of the item."""
    drawings = EveryResult()
    twins: dict[tuple[bool, ...], Page] = {}
    for places in product(*(range(len(s.values)) for s in sliders)):
        # What was moved and moved back counts as moved, so there is a page for each case.
        unmoved = tuple(place == s.start for place, s in zip(places, sliders, strict=True))
        if unmoved not in twins:
            twins[unmoved] = page.snapshot(watching=True, every=every)
        moved = twins[unmoved]
        for place, slider, stays in zip(places, sliders, unmoved, strict=True):
            if not stays and getattr(moved, slider.name) != slider.values[place]:
                setattr(moved, slider.name, slider.values[place])

        def drawn(item: Item, moved: Page = moved) -> int:
            return store.add(moved.draw(item))

        yield {
            item.name: drawings.result(item.name, moved.drawn_from(item), partial(drawn, item))
            for item in items
        }


def _sliders(
    page: Page, moving: Mapping[str, tuple[str, ...]], both: int
) -> Iterator[ReportSlider]:
    for name in (name for name in ANSWERS if any(name in on for on in moving.values())):
        parameter: Any = page.param[name]
        low, high = parameter.get_soft_bounds()
        now = getattr(page, name)
        count = _deltas(page, both) if name == "log_delta" else _thresholds(page, both)
        grid = places_of(parameter)
        shown = np.linspace(low, high, count)
        if grid is not None:
            shown = grid[np.linspace(0, grid.size - 1, count).round().astype(int)]
        places = {snap(parameter, float(x)) for x in shown} | {now}
        values = tuple(sorted(places))
        texts = tuple(
            plain(number_of(value)) if name == "log_delta" else displayed(value) for value in values
        )
        yield ReportSlider(name, str(parameter.label), values, texts, values.index(now))


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


def _coarse(value: Any) -> Any:
    """A figure whose arrays have 32 bits a number, where nobody could see a difference."""
    if isinstance(value, Mapping):
        return {key: _coarse(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_coarse(one) for one in value]
    if isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == 1:
        with np.errstate(over="ignore"):
            short = value.astype(np.float32)
        finite = value[np.isfinite(value)]
        if not finite.size:
            return short
        seen = UNSEEN * (float(finite.max()) - float(finite.min()))
        positive = finite[finite > 0]
        error = np.abs(short[np.isfinite(value)].astype(np.float64) - finite)
        # On a logarithmic axis the smallest numbers count as much as the largest.
        exact = not positive.size or float(positive.min()) > 1e-30
        return short if exact and float(error.max()) <= seen else value
    return value
