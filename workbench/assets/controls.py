"""Data of a page's controls for ``controls.js``: their kinds, and their present states."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import param

from workbench.assets.board import packed
from workbench.pages.core.jobs import CANCEL
from workbench.pages.core.notice import Notice
from workbench.pages.core.page import Control, Page, Section
from workbench.pages.core.sliders import LogNumber, PlacedNumber, decimals, scale
from workbench.pages.core.upload import Download, Upload
from workbench.pages.core.value_selector import DataSelector, GroupedSelector
from workbench.software.private_names import param_state

#: In this order: an Event is a Boolean, too.
_KINDS: tuple[tuple[type, str], ...] = (
    (Upload, "files"),
    (Notice, "notice"),
    (Download, "download"),
    (param.Event, "button"),
    (param.Boolean, "switch"),
    (param.Selector, "choice"),
    (param.String, "text"),
)


class Controls:
    """The controls of one page.

    Parameters
    ----------
    page : Page
        The page.
    sections : collection of Section, optional
        What a notebook shows beside the board. By default all of the page but what the bar of the
        dashboard has.
    """

    def __init__(self, page: Page, sections: Collection[Section] | None = None):
        self._page = page
        # The parameters are looked up once: every move of a slider asks for all of them.
        in_notebook = sections is not None  # which has no bar, and notifies nobody
        self._sections = [
            (
                section.title,
                [
                    (control, kind, parameter)
                    for control in section.controls
                    for kind, parameter in (_kind(page, control),)
                    if not (kind == "notice" if in_notebook else control.menu)
                ],
            )
            for section in (page.sections if sections is None else sections)
        ]
        self._all = [one for _, controls in self._sections for one in controls]
        self._placed = [(c, one) for c, _, one in self._all if isinstance(one, PlacedNumber)]
        #: What the states followed from when they were last made, and the states.
        self._made: dict[str, tuple[Any, dict[str, Any]]] = {}

    def names(self) -> list[str]:
        """The names of the controls."""
        return [control.name for control, *_ in self._all]

    def sections(self) -> list[dict[str, Any]]:
        """The sections: their titles, and the name, kind, label and help of their controls."""
        return [
            {"title": title, "controls": [self._described(*one) for one in controls]}
            for title, controls in self._sections
        ]

    def states(self, names: Collection[str] | None = None) -> dict[str, dict[str, Any]]:
        """The states of controls: whether it is offered, its value, and its possible values.

        A state that is the same as at the last call is the same object.

        Parameters
        ----------
        names : collection of str, optional
            Which controls; by default all, and the places of sliders that have any.
        """
        states = {} if names is not None else self._places()
        values = param_state(self._page).values
        for control, kind, parameter in self._all:
            name = control.name
            if names is not None and name not in names:
                continue
            offered = control.offered(self._page)
            # The rest of what nobody sees counts once it is offered.
            more = self._behind(name, kind, parameter) if offered else ()
            # Of a parameter at its default, param keeps no value.
            behind = offered, values.get(name, parameter), more
            known = self._made.get(name)
            if known is None or known[0] != behind:
                state = {"offered": offered, **self._state(name, kind, parameter)}
                self._made[name] = known = behind, state
            states[name] = known[1]
        return states

    def _behind(self, name: str, kind: str, parameter: Any) -> tuple[Any, ...]:
        """What the state of a control follows from, besides its value and whether it is offered."""
        if kind in ("slider", "number"):
            return parameter.bounds, parameter.softbounds, parameter.step
        if kind == "choice":
            if type(parameter).get_range is not param.Selector.get_range:
                return parameter.get_range(), getattr(parameter, "refused", None)
            return parameter.objects, parameter.names
        return (self._page.work.state(name).running,) if kind == "job" else ()

    def _state(self, name: str, kind: str, parameter: Any) -> dict[str, Any]:
        page = self._page
        if kind == "job":
            running = page.work.state(name).running
            return {"running": running, "label": CANCEL if running else page.jobs()[name].title}
        if kind in ("button", "notice", "files", "download"):
            return {}
        value = getattr(page, name)
        if kind == "choice":
            named = parameter.get_range()
            chosen = next((label for label, one in named.items() if one == value), None)
            if isinstance(parameter, GroupedSelector):
                groups = {
                    label: parameter.groups[label] for label in named if label in parameter.groups
                }
                return {"options": list(named), "value": chosen, "groups": groups}
            if not isinstance(parameter, DataSelector):
                return {"options": list(named), "value": chosen}
            every, why = parameter.every(), parameter.refused
            refused = {one: why[v] for one, v in every.items() if v in why}
            return {"options": list(every), "value": chosen, "refused": refused}
        if kind in ("slider", "number"):
            low, high, step = scale(parameter)
            places = decimals(step)
            shown = {"low": low, "high": high, "step": step, "decimals": places, "value": value}
            if isinstance(parameter, LogNumber):
                shown["log"] = "whole" if parameter.whole else "real"
            return shown
        return {"value": value}

    def _places(self) -> dict[str, dict[str, Any]]:
        """The places of sliders, as states of their own: they change with the data alone."""
        found = {}
        for control, parameter in self._placed:
            places = parameter.places
            if places is not None:
                name = _of_places(control)
                if self._made.get(name, (None,))[0] is not places:
                    self._made[name] = places, {"places": packed(places)}
                found[name] = self._made[name][1]
        return found

    def _described(self, control: Control, kind: str, parameter: Any) -> dict[str, Any]:
        job = self._page.jobs().get(control.name)
        label, doc = (job.title, job.help) if job else (parameter.label, parameter.doc or "")
        more: dict[str, Any] = {}
        if isinstance(parameter, PlacedNumber):
            more["places"] = _of_places(control)
        if isinstance(parameter, Upload) and parameter.dropped:
            more["drops"] = True
        return {"name": control.name, "kind": kind, "label": label, "doc": doc, **more}


def _of_places(control: Control) -> str:
    """Name of the state with the places of a slider."""
    return f"{control.name}_places"


def _kind(page: Page, control: Control) -> tuple[str, Any]:
    if control.name not in page.param:
        return "job", None
    parameter: Any = page.param[control.name]
    for type_, kind in _KINDS:
        if isinstance(parameter, type_):
            return kind, parameter
    if isinstance(parameter, param.Number):
        return ("number" if None in parameter.get_soft_bounds() else "slider"), parameter
    raise TypeError(f"no control for {parameter.name}, a {type(parameter).__name__}")
