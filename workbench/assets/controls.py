"""Data of a page's controls for ``controls.js``: their kinds, and their present states."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import param

from workbench.pages.core.jobs import CANCEL
from workbench.pages.core.notice import Notice
from workbench.pages.core.page import Control, Page
from workbench.pages.core.sliders import LogNumber, decimals, scale
from workbench.pages.core.upload import Upload

#: In this order: an Event is a Boolean, too.
_KINDS: tuple[tuple[type, str], ...] = (
    (Upload, "files"),
    (Notice, "notice"),
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
    """

    def __init__(self, page: Page):
        self._page = page
        # The parameters are looked up once: every move of a slider asks for all of them.
        self._all = [
            (control, *_kind(page, control))
            for section in page.sections
            for control in section.controls
            if not control.menu
        ]

    def sections(self) -> list[dict[str, Any]]:
        """The sections: their titles, and the name, kind, label and help of their controls."""
        described = {}
        for control, kind, parameter in self._all:
            job = self._page.jobs().get(control.name)
            label, doc = (job.title, job.help) if job else (parameter.label, parameter.doc or "")
            described[control.name] = {
                "name": control.name,
                "kind": kind,
                "label": label,
                "doc": doc,
            }
        return [
            {
                "title": section.title,
                "controls": [described[c.name] for c in section.controls if c.name in described],
            }
            for section in self._page.sections
        ]

    def states(self, names: Collection[str] | None = None) -> dict[str, dict[str, Any]]:
        """The states of controls: whether it is offered, its value, and its possible values.

        Parameters
        ----------
        names : collection of str, optional
            Which controls; by default all.
        """
        return {
            control.name: {
                "offered": control.offered(self._page),
                **self._state(control.name, kind, parameter),
            }
            for control, kind, parameter in self._all
            if names is None or control.name in names
        }

    def _state(self, name: str, kind: str, parameter: Any) -> dict[str, Any]:
        page = self._page
        if kind == "job":
            running = page.work.state(name).running
            return {"running": running, "label": CANCEL if running else page.jobs()[name].title}
        if kind in ("button", "notice", "files"):
            return {}
        value = getattr(page, name)
        if kind == "choice":
            named = parameter.get_range()
            chosen = next((label for label, one in named.items() if one == value), None)
            return {"options": list(named), "value": chosen}
        if kind in ("slider", "number"):
            low, high, step = scale(parameter)
            places = decimals(step)
            shown = {"low": low, "high": high, "step": step, "decimals": places, "value": value}
            if isinstance(parameter, LogNumber):
                shown["log"] = "whole" if parameter.whole else "real"
            return shown
        return {"value": value}


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
