"""The controls of a page with ipywidgets, chosen by the type of the parameter."""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any

import ipywidgets as widgets
import param

from workbench._markup import escape_html as escape
from workbench.jupyter.widgets.slider import Slider
from workbench.pages.core.jobs import CANCEL
from workbench.pages.core.page import Control, Page, Section
from workbench.pages.core.session import PageSession
from workbench.pages.core.sliders import LogNumber, decimals, scale
from workbench.pages.core.upload import Upload

#: ``post(name, value)`` is called with what a person chose for a parameter.
Post = Callable[[str, Any], None]

#: ``press(name)`` is called when the button of a job was pressed.
Press = Callable[[str], None]

#: ``waits(name)`` is True while a choice for a parameter has not reached the page.
Waits = Callable[[str], bool]

HIDDEN = "wb-hidden"


class Field:
    """A control and its widget.

    Parameters
    ----------
    page : Page
        The page.
    control : Control
        The control of one of its parameters.
    post : callable
        Takes what a person chose; see `Post`.
    waits : callable
        See `Waits`.
    """

    def __init__(self, page: Page, control: Control, post: Post, waits: Waits):
        self.page, self.control, self.name = page, control, control.name
        parameter = page.param[self.name]
        self.widget = _widget(parameter)
        self._post, self._waits = post, waits
        self.show()
        if isinstance(parameter, param.Event):
            self.widget.on_click(lambda _: post(self.name, True))
        else:
            self.widget.observe(self._changed, "value")

    def show(self) -> None:
        """Show the state of the page, unless a choice is still on its way to the page."""
        if self._waits(self.name):
            return
        # Muted for this thread only: a person's choice may come in on another meanwhile.
        self._muted = get_ident()
        try:
            with self.widget.hold_sync():
                self._show(self.page.param[self.name])
        finally:
            self._muted = 0

    @property
    def offered(self) -> bool:
        """True if the page offers the control in its present state."""
        return self.control.offered(self.page)

    def _show(self, parameter: Any) -> None:
        _hide(self.widget, not self.offered)
        if isinstance(parameter, Upload | param.Event):
            return
        value = getattr(self.page, self.name)
        if isinstance(parameter, param.Selector):
            options = tuple(parameter.get_range().items())
            if self.widget.options != options:
                self.widget.options = options
            self.widget.index = [chosen for _, chosen in options].index(value)
        elif isinstance(parameter, param.Number):
            self._show_number(parameter, value)
        elif self.widget.value != value:
            self.widget.value = value

    def _show_number(self, parameter: Any, value: float) -> None:
        low, high, step = scale(parameter)
        if isinstance(self.widget, Slider):
            self.widget.scale = {
                "low": low,
                "high": high,
                "step": step,
                "decimals": decimals(step),
                "log": _log(parameter),
            }
        else:
            self.widget.step = step
        if self.widget.value != value:
            self.widget.value = value

    def _changed(self, change: Any) -> None:
        if self._muted == get_ident():
            return
        value, parameter = change.new, self.page.param[self.name]
        if isinstance(parameter, Upload):
            value = tuple((file["name"], bytes(file["content"])) for file in value)
        elif isinstance(parameter, param.Integer):
            value = int(value) if value == int(value) else value  # a slider's 3.0 is a 3
        self._post(self.name, value)


class JobButton:
    """The button of a job, which starts it, and cancels it while it runs.

    Parameters
    ----------
    page : Page
        The page.
    control : Control
        The control of one of its jobs.
    press : callable
        See `Press`.
    """

    def __init__(self, page: Page, control: Control, press: Press):
        self.page, self.control, self.name = page, control, control.name
        self.job = page.jobs()[self.name]
        self.widget = widgets.Button(tooltip=self.job.help or self.job.title)
        self.widget.on_click(lambda _: press(self.name))
        self.show()

    @property
    def offered(self) -> bool:
        """True if the page offers the job in its present state."""
        return self.control.offered(self.page)

    def show(self) -> None:
        """Show whether a press starts or cancels the job."""
        running = self.page.work.state(self.name).running
        _hide(self.widget, not self.offered)
        self.widget.description = CANCEL if running else self.job.title
        self.widget.button_style = "" if running else "primary"


class Group:
    """The controls of a section under their heading.

    Parameters
    ----------
    session : PageSession
        Takes what is chosen.
    section : Section
        The heading and the controls.
    """

    def __init__(self, session: PageSession, section: Section):
        page = session.page
        self.fields = [
            Field(page, control, session.choose, session.queue.waiting)
            if control.name in page.param
            else JobButton(page, control, session.press)
            for control in section.controls
        ]
        heading = [widgets.HTML(f"<p>{escape(section.title)}</p>")] if section.title else []
        self.widget = widgets.VBox([*heading, *(field.widget for field in self.fields)])
        self.show()

    def show(self) -> None:
        """Show the state of the page in every control; a heading without controls is hidden."""
        for field in self.fields:
            field.show()
        _hide(self.widget, not any(field.offered for field in self.fields))


def _log(parameter: Any) -> str:
    """Which numbers a logarithmic slider shows; "" for another slider."""
    if not isinstance(parameter, LogNumber):
        return ""
    return "whole" if parameter.whole else "real"


def _widget(parameter: Any) -> Any:
    """A widget for the type of a parameter, with its label and help."""
    label, doc = str(parameter.label), parameter.doc or ""
    common = {"description": label, "tooltip": doc or label}
    if isinstance(parameter, Upload):
        return widgets.FileUpload(multiple=True, **common)
    if isinstance(parameter, param.Event):
        return widgets.Button(**common)
    if isinstance(parameter, param.Boolean):
        return widgets.Checkbox(indent=False, **common)
    if isinstance(parameter, param.Selector):
        return widgets.Dropdown(**common)
    if isinstance(parameter, param.String):
        return widgets.Text(**common)
    if isinstance(parameter, param.Number):
        if None not in parameter.get_soft_bounds():
            return Slider(**common)
        whole = isinstance(parameter, param.Integer)
        return (widgets.IntText if whole else widgets.FloatText)(**common)
    raise TypeError(f"no widget for {parameter.name}, a {type(parameter).__name__}")


def _hide(widget: Any, hidden: bool) -> None:
    if hidden != (HIDDEN in widget._dom_classes):
        (widget.add_class if hidden else widget.remove_class)(HIDDEN)
