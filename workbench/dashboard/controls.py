"""One adapter from parameters to widgets: the type chooses, label and doc are reused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param

from workbench.pages.base import Control, Page, Section, Upload
from workbench.pages.controls import decimals, scale
from workbench.pages.jobs import CANCEL

#: Milliseconds for which a widget's changes are gathered; Panel's own 50 are felt.
DEBOUNCE = 5

#: ``post(name, value, applied)``: set a parameter, then call ``applied``.
Post = Callable[[str, Any, Callable[[], None]], None]

#: Called with the name of a job whose button was pressed.
Press = Callable[[str], None]


#: Numbers are typed: the buttons for more and less have no names, and nobody clicks to 400.
_TYPED = {
    ".MuiInputAdornment-root": {"display": "none"},
    ".MuiInputBase-input": {"paddingLeft": "14px"},
}


class FileField(pmui.FileInput):
    """A file button that hands its files on and keeps no copy of them."""

    files = param.Parameter(precedence=-1, doc="The last upload: a tuple of (filename, bytes).")

    _rename: ClassVar = {"files": None}

    def _update_file(self, filename: Any, mime_type: Any, value: Any) -> None:
        # A file of 0 bytes comes in no chunk, and so without its name.
        pairs = zip(filename or ("",), value or (b"",), strict=True)
        self.files = tuple(
            (name, data.encode() if isinstance(data, str) else data) for name, data in pairs
        )


class Field:
    """A control and its widget.

    Parameters
    ----------
    page : Page
        Whose parameter it sets.
    control : Control
        The parameter's name, and when it is offered.
    post : callable
        Is called with what a person chose; see `Post`.
    """

    def __init__(self, page: Page, control: Control, post: Post):
        self.page, self.control, self.name = page, control, control.name
        kind, self._value = _kind(page.param[self.name])
        # The label of an outlined field stands on its upper edge.
        above = 10 if kind in (pmui.Select, pmui.TextInput, pmui.IntInput, pmui.FloatInput) else 4
        self.widget = kind(sizing_mode="stretch_width", margin=(above, 16, 4, 16))
        if kind in (pmui.IntInput, pmui.FloatInput):
            self.widget.sx = _TYPED
        self.widget._debounce = DEBOUNCE
        self._post, self._muted = post, False
        self._chosen = self._applied = 0
        self.show(self.state())
        self.widget.param.watch(self._changed, self._value)

    def state(self) -> dict[str, Any]:
        """How the widget has to look now; may be asked for on any thread."""
        parameter = self.page.param[self.name]
        offered = self.control.offered(self.page)
        state = {"applied": self._applied, "visible": offered, "label": parameter.label}
        if isinstance(parameter, Upload):
            return state | {"multiple": True, "variant": "outlined"}
        if isinstance(parameter, param.Event):
            return state | {"variant": "outlined"}
        state["value"] = getattr(self.page, self.name)
        if isinstance(parameter, param.Selector):
            # The widget knows names only: it takes None for "nothing chosen".
            named = parameter.get_range()
            chosen = next((name for name, one in named.items() if one == state["value"]), None)
            return state | {"options": list(named), "value": chosen, "size": "small"}
        if isinstance(parameter, param.Boolean | param.String):
            return state | {"size": "small"}
        return state | _scale(parameter) | {"size": "small"}

    def show(self, state: dict[str, Any]) -> None:
        """Make the widget look so, but leave a choice alone that the page has yet to take."""
        stale = ("applied", "value") if state["applied"] < self._chosen else ("applied",)
        news = {
            key: value
            for key, value in state.items()
            if key not in stale and getattr(self.widget, key) != value
        }
        if not news:
            return
        self._muted = True
        try:
            self.widget.param.update(**news)
        finally:
            self._muted = False

    def _changed(self, event: Any) -> None:
        if self._muted:
            return
        value, parameter = event.new, self.page.param[self.name]
        if isinstance(parameter, param.Selector):
            value = parameter.get_range()[value]
        self._chosen += 1
        self._post(self.name, value, partial(setattr, self, "_applied", self._chosen))


class JobButton:
    """A control that names a job: it begins the job, and cancels it while it runs."""

    def __init__(self, page: Page, control: Control, press: Press):
        self.page, self.control, self.job = page, control, page.jobs()[control.name]
        self.widget = pmui.Button(sizing_mode="stretch_width", margin=(8, 16))
        self.show(self.state())
        self.widget.param.watch(lambda event: press(control.name), "clicks")

    def state(self) -> dict[str, Any]:
        """How the button has to look now; may be asked for on any thread."""
        running = self.page.job_state(self.job.name).running
        return {
            "visible": self.control.offered(self.page),
            "label": CANCEL if running else self.job.title,
            "variant": "outlined" if running else "contained",
        }

    def show(self, state: dict[str, Any]) -> None:
        """Make the button look so."""
        self.widget.param.update(**state)


class Group:
    """The controls of a section under their heading, which explains them when opened."""

    def __init__(self, page: Page, section: Section, post: Post, press: Press):
        self.fields = [
            Field(page, control, post)
            if control.name in page.param
            else JobButton(page, control, press)
            for control in section.controls
        ]
        self._titled = bool(section.title)
        docs = [explained for c in section.controls for explained in _explained(page, c)]
        self._heading = pn.pane.HTML(
            _heading(section.title, docs),
            stylesheets=[_HEADING_CSS],
            sizing_mode="stretch_width",
            margin=(16, 16, 4, 16),
        )

    @property
    def parts(self) -> list[Any]:
        """The heading and the widgets, from top to bottom."""
        return [self._heading, *(field.widget for field in self.fields)]

    def state(self) -> list[dict[str, Any]]:
        """`Field.state` of every control."""
        return [field.state() for field in self.fields]

    def show(self, states: list[dict[str, Any]]) -> None:
        """`Field.show` for every control; a heading without controls is hidden."""
        for field, state in zip(self.fields, states, strict=True):
            field.show(state)
        self._heading.visible = self._titled and any(state["visible"] for state in states)


def _explained(page: Page, control: Control) -> list[tuple[str, str]]:
    """The control's label and help, if it has help."""
    if control.name in page.param:
        parameter = page.param[control.name]
        label, doc = str(parameter.label), parameter.doc
    else:
        job = page.jobs()[control.name]
        label, doc = job.title, job.help
    return [(label, doc)] if doc else []


def _kind(parameter: param.Parameter) -> tuple[type, str]:
    """The widget for a parameter, and the widget's parameter that holds what was chosen."""
    if isinstance(parameter, Upload):
        return FileField, "files"
    if isinstance(parameter, param.Event):
        return pmui.Button, "clicks"
    if isinstance(parameter, param.Boolean):
        return pmui.Switch, "value"
    if isinstance(parameter, param.Selector):
        return pmui.Select, "value"
    if isinstance(parameter, param.String):
        return pmui.TextInput, "value"
    if isinstance(parameter, param.Number):
        whole = isinstance(parameter, param.Integer)
        if None in parameter.get_soft_bounds():
            return (pmui.IntInput if whole else pmui.FloatInput), "value"
        return (pmui.IntSlider if whole else pmui.FloatSlider), "value"
    raise TypeError(f"no widget for {parameter.name}, a {type(parameter).__name__}")


def _scale(parameter: Any) -> dict[str, Any]:
    """Ends and step of a number, and for a slider as many decimals as its step has."""
    low, high, step = scale(parameter)
    state = {"start": low, "end": high, "step": step}
    if low is None or high is None:
        return state
    places = decimals(step)
    return state | {"format": "0." + "0" * places if places else "0"}


def _heading(title: str, docs: list[tuple[str, str]]) -> str:
    heading = f"<h2>{escape(title)}</h2>"
    if not docs:
        return heading
    terms = "".join(f"<dt>{escape(label)}</dt><dd>{escape(doc)}</dd>" for label, doc in docs)
    return f"<details><summary>{heading}<i>i</i></summary><dl>{terms}</dl></details>"


_HEADING_CSS = """
h2 { margin: 0; font: 600 11px/20px var(--wb-font); color: var(--wb-muted);
     letter-spacing: .06em; text-transform: uppercase; }
summary { display: flex; justify-content: space-between; cursor: pointer; list-style: none; }
summary:focus-visible { outline: 2px solid var(--wb-p); outline-offset: 2px; border-radius: 4px; }
i { width: 16px; height: 16px; margin: 2px; box-sizing: border-box; border: 1.5px solid;
    border-radius: 50%; color: var(--wb-p); font: italic 700 11px/13px Georgia, serif;
    text-align: center; }
dl { margin: 8px 0; padding: 8px 12px; border-radius: 6px; background: var(--wb-page);
     color: var(--wb-ink); font: 400 12px/16px var(--wb-font); }
dt { font-weight: 600; }
dd { margin: 0 0 8px; }
dd:last-child { margin: 0; }
"""
