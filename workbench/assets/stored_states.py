"""`States`: what a page shows at each place of its sliders, computed in advance.

Reports and explorables have them, and ``stored_states.js`` shows them without a server.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from workbench import _json
from workbench._format import plain
from workbench.assets.board import parts
from workbench.pages.core.page import Item, Page
from workbench.pages.core.sliders import LogNumber, displayed, number_of, places_of, snap
from workbench.pages.core.state import EveryResult, same
from workbench.progress import Report

#: Coordinates are rounded to 32 bits where that moves no point by this share of the axis.
UNSEEN = 1e-5


@dataclass(frozen=True)
class StateSlider:
    """A parameter of the page that charts answer to.

    Parameters
    ----------
    name, label : str
        Of the parameter.
    values : tuple of float
        Its places, in order.
    texts : tuple of str
        The values as people read them.
    start : int
        The place where it stands at first.
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
    sliders : tuple of StateSlider
    items : mapping of str to dict
        For each item of the page: ``"sliders"``, the indices of the sliders that it depends on, and
        ``"drawings"``, indices into ``drawings`` over the places of these sliders, the last one
        fastest.
    drawings : list of dict
        Name of a part, as `workbench.assets.board.parts` names it -> index into ``contents``.
    contents : list of str
        Parts as JSON.
    """

    sliders: tuple[StateSlider, ...]
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
            Places of sliders by the names of their parameters; by default where they stand at
            first.
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
        """All of it as JSON, for ``stored_states.js``."""
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
class StateStore:
    """Drawings and their parts, each stored once."""

    drawings: list[dict[str, int]] = field(default_factory=list)
    contents: list[str] = field(default_factory=list)
    _known: dict[Any, int] = field(default_factory=dict)

    def add(self, value: Any) -> int:
        """The index of a drawn item, which is stored if it is new."""
        drawn = parts(coarse(value) if isinstance(value, dict) else value)
        drawing = {name: self._index(text, self.contents, text) for name, text in drawn.items()}
        return self._index(tuple(drawing.items()), self.drawings, drawing)

    def _index(self, key: Any, among: list[Any], value: Any) -> int:
        if key not in self._known:
            self._known[key] = len(among)
            among.append(value)
        return self._known[key]


def slider_of(page: Page, name: str, values: Collection[float] | int) -> StateSlider:
    """The slider of a parameter, with the present value among its places.

    Parameters
    ----------
    page : Page
    name : str
        Of a parameter that has a slider.
    values : collection of float, or int
        Its places, or how many of those that the page's own slider has.
    """
    parameter: Any = page.param[name]
    now = getattr(page, name)
    if isinstance(values, int):
        low, high = parameter.get_soft_bounds()
        grid = places_of(parameter)
        shown = np.linspace(low, high, values)
        if grid is not None:
            shown = grid[np.linspace(0, grid.size - 1, values).round().astype(int)]
        values = [snap(parameter, float(x)) for x in shown]
    places = tuple(sorted({*values, now}))
    texts = tuple(_text(parameter, value) for value in places)
    return StateSlider(name, str(parameter.label), places, texts, places.index(now))


def _text(parameter: Any, value: float) -> str:
    """A value of a parameter as people read it."""
    if not isinstance(parameter, LogNumber):
        return displayed(value)
    return f"{round(10**value):,}" if parameter.whole else plain(number_of(value))


def moving(page: Page, items: Sequence[Item], names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The parameters of ``names`` that each item depends on, by the page's own doing, too.

    Parameters
    ----------
    page : Page
    items : sequence of Item
    names : collection of str
        Parameters that have a slider.
    """
    changed = {name: changed_with(page, name) for name in names}
    return {i.name: tuple(n for n in names if page.inputs(i) & changed[n]) for i in items}


def changed_with(page: Page, name: str) -> set[str]:
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


def add_moving(
    page: Page,
    items: Sequence[Item],
    on: Mapping[str, tuple[str, ...]],
    sliders: Sequence[StateSlider],
    store: StateStore,
    report: Report,
) -> dict[str, dict[str, Any]]:
    """Store the drawings of items at all places of the sliders that they depend on.

    Parameters
    ----------
    page : Page
        It is not changed.
    items : sequence of Item
    on : mapping of str to tuple of str
        For each item the names of its sliders, none for one that rests.
    sliders : sequence of StateSlider
    store : StateStore
    report : Report
        Takes the progress.

    Returns
    -------
    dict of str to dict
        The items that move, as `States` has them.
    """
    sizes = {slider.name: len(slider.values) for slider in sliders}
    total = sum(math.prod(sizes[name] for name in names) for names in set(on.values()) if names)
    found: dict[str, dict[str, Any]] = {}
    done, every = 0, EveryResult()
    for where in sorted({names for names in on.values() if names}):
        group = [item for item in items if on[item.name] == where]
        at = [k for k, slider in enumerate(sliders) if slider.name in where]
        drawings: dict[str, list[int]] = {item.name: [] for item in group}
        for drawn in _over(page, group, [sliders[k] for k in at], store, every):
            done += 1
            report(done / total, f"{done} of {total} states of the charts")
            for name, drawing in drawn.items():
                drawings[name].append(drawing)
        found |= {name: {"sliders": at, "drawings": all_} for name, all_ in drawings.items()}
    return found


def _over(
    page: Page, items: list[Item], sliders: list[StateSlider], store: StateStore, every: EveryResult
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


def coarse(value: Any) -> Any:
    """A figure whose arrays have 32 bits a number, where nobody could see a difference."""
    if isinstance(value, Mapping):
        return {key: coarse(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [coarse(one) for one in value]
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
