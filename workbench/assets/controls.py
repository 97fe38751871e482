"""A page's controls as ``controls.js`` reads them: their kinds, once, and how they stand."""

from __future__ import annotations

from typing import Any

import param

from workbench.pages.base import Control, Page, Upload
from workbench.pages.controls import decimals, scale
from workbench.pages.jobs import CANCEL


def sections(page: Page) -> list[dict[str, Any]]:
    """The headings, and the name, kind, label and help of the controls below each."""
    return [
        {
            "title": section.title,
            "controls": [_described(page, control) for control in section.controls],
        }
        for section in page.controls
    ]


def states(page: Page) -> dict[str, dict[str, Any]]:
    """For each control whether it is offered, its value, and the values that it can take."""
    return {
        control.name: _state(page, control)
        for section in page.controls
        for control in section.controls
    }


def _described(page: Page, control: Control) -> dict[str, Any]:
    if control.name not in page.param:
        job = page.jobs()[control.name]
        return {"name": control.name, "kind": "job", "label": job.title, "doc": job.help}
    parameter = page.param[control.name]
    doc = parameter.doc or ""
    return {
        "name": control.name,
        "kind": _kind(parameter),
        "label": str(parameter.label),
        "doc": doc,
    }


def _kind(parameter: Any) -> str:
    for kind, type_ in _KINDS.items():
        if isinstance(parameter, type_):
            return kind
    if isinstance(parameter, param.Number):
        return "number" if None in parameter.get_soft_bounds() else "slider"
    raise TypeError(f"no control for {parameter.name}, a {type(parameter).__name__}")


#: In this order: an Event is a Boolean, and a Selector of text is no String.
_KINDS: dict[str, type] = {
    "files": Upload,
    "button": param.Event,
    "switch": param.Boolean,
    "choice": param.Selector,
    "text": param.String,
}


def _state(page: Page, control: Control) -> dict[str, Any]:
    offered = control.offered(page)
    if control.name not in page.param:
        running = page.job_state(control.name).running
        label = CANCEL if running else page.jobs()[control.name].title
        return {"offered": offered, "label": label, "running": running}
    parameter = page.param[control.name]
    kind, value = _kind(parameter), getattr(page, control.name)
    state: dict[str, Any] = {"offered": offered, "label": str(parameter.label)}
    if kind in ("button", "files"):
        return state
    if kind == "choice":
        named = parameter.get_range()
        chosen = next((name for name, one in named.items() if one == value), None)
        return state | {"options": list(named), "value": chosen}
    if kind in ("slider", "number"):
        low, high, step = scale(parameter)
        state |= {"low": low, "high": high, "step": step, "decimals": decimals(step)}
    return state | {"value": value}
