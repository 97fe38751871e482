"""View: a page in a notebook, to drag and to read and set from the next cell."""

from __future__ import annotations

import difflib
import logging
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import param

from workbench.assets import board as assets
from workbench.bounds.bound import Bound
from workbench.jupyter import cell_lifetime
from workbench.jupyter.kernel_queue import Turns
from workbench.jupyter.link import Link
from workbench.jupyter.parts import chosen, items_of, sections_for
from workbench.jupyter.snapshot import Still
from workbench.jupyter.widget import Live
from workbench.pages.core.page import Fact, Item, Page, Section
from workbench.pages.core.sliders import snap, taken

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

#: Seconds without a change after which the picture beside the widget is brought up to date.
IDLE = 2.0

#: Seconds that a redraw may take before the next one is announced.
PATIENCE = 0.3

#: Parameters that are no state of their own: they follow from the others.
FOLLOWS = ("name", "message", "loaded")

#: What a state consists of.
PLAIN = (str, int, float, bool, type(None))

INTERRUPTED = "Interrupted: what is shown may be older than the controls."

#: Called with the new value of what it observes.
Callback = Callable[[Any], Any]


@dataclass
class Observer:
    """Who wants to know of what, and the value that they know."""

    callback: Callback
    name: str
    last: Any


class View:
    """A page as one notebook sees it.

    Every control and every number is an attribute: ``view.threshold``, ``view.threshold = 0.5``,
    ``view.epsilon``. Setting a control redraws what rests on it. Long work is a method that runs to
    its end; Ctrl-C cancels it, and what it has found so far stays.

    Parameters
    ----------
    page : Page
    code : callable
        Gives the Python that reproduces the page's state; see `to_code`.
    show : iterable of str, optional
        Names or titles of the figures to show, all by default. Where numbers are named too, only
        those are shown. Controls that nothing shown needs are left out.
    spec : dict, optional
        A state from `spec`, or any controls by name.

    Raises
    ------
    ValueError
        A name that the page has not, or a value that a control does not take.
    """

    def __init__(
        self,
        page: Page,
        code: Callable[[dict[str, Any]], str],
        show: Iterable[str] | None = None,
        spec: dict[str, Any] | None = None,
    ):
        spec = dict(spec or {})
        shown = spec.pop("show", None)
        self._page, self._code = page, code
        self._items = chosen(page, shown if show is None else show)
        self._part = len(self._items) < len(items_of(page))
        self._fresh, self._fresh_data = self._state(), _data(page)
        self._restore(spec)
        self._identity = uuid.uuid4().hex[:12]
        self._still = Still(self._identity)
        self._live: Live | None = None
        self._turns = Turns(self._take)
        self._contents: dict[str, tuple[Any, str]] = {}
        self._observers: list[Observer] = []
        self._stale = {item.name for item in self._items}
        self._busy, self._drawing, self._handled, self._took = False, False, 0, 0.0
        self._displayed, self._noted = False, self._notes()
        page.param.watch(self._note, list(page.param))
        cell_lifetime.enter(self)

    # -- controls and numbers as attributes --------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        page = self._page
        if name in page.jobs():
            return partial(self._run, name)
        if name in self._controls and isinstance(page.param[name], param.Event):
            return partial(self.update, **{name: True})  # called, it happens
        if name in page.param:
            return getattr(page, name)
        if name in self._numbers:
            return page.draw(self._numbers[name])
        raise AttributeError(self._unknown(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name in self._controls:
            self.update(**{name: value})
        elif name in dir(self):
            raise AttributeError(f"{name!r} follows from the controls and cannot be set")
        else:
            raise AttributeError(self._unknown(name))

    def __dir__(self) -> list[str]:
        own = {*self._controls, *self._numbers, *self._page.jobs(), "scores"}
        return sorted({*super().__dir__(), *own})

    def __repr__(self) -> str:
        numbers = [value for value in self.numbers.values() if isinstance(value, Bound)]
        return f"View of {self._page.title}: {'; '.join(map(str, numbers[:1]))}"

    @property
    def page(self) -> Page:
        """The page, whose parameters are the state; see `workbench.pages.core.page`."""
        return self._page

    @property
    def bound(self) -> Bound:
        """The page's main result: its first number that is a `Bound`."""
        return next(value for value in self.numbers.values() if isinstance(value, Bound))

    @property
    def numbers(self) -> dict[str, Bound | Fact]:
        """All numbers of the page by name."""
        return {name: self._page.draw(item) for name, item in self._numbers.items()}

    def update(self, **controls: Any) -> None:
        """Set several controls at once, with one redraw.

        Raises
        ------
        AttributeError
            A name that is no control of this view.
        ValueError
            A value that the control does not take.
        """
        for name in controls:
            if name not in self._controls:
                raise AttributeError(self._unknown(name))
        events = [n for n in controls if isinstance(self._page.param[n], param.Event)]
        try:
            self._page.param.update({n: v for n, v in controls.items() if n not in events})
            for name in events:
                self._fire(name)
        finally:
            self._draw()

    def to_frame(self) -> pd.DataFrame:
        """All numbers, one row each: its name and title, and the fields of `Bound`."""
        import pandas as pd

        rows = []
        for name, value in self.numbers.items():
            title = self._numbers[name].title
            if isinstance(value, Fact):
                rows.append({"name": name, "title": title, "text": value.text})
            else:
                rows.append(
                    {"name": name, "title": title, "text": value.rounded, **value.to_dict()}
                )
        return pd.DataFrame(rows)

    # -- state as data and as code -----------------------------------------------------------------

    def spec(self) -> dict[str, Any]:
        """What is not as it was at the start, as plain values; ``json.dumps`` takes it.

        ``wb.explore(scores, spec=...)`` restores it. A file handed in by hand is not part of it.
        """
        other_data = _data(self._page) is not self._fresh_data
        state = {
            name: value
            for name, value in self._state().items()
            if self._fresh[name] != value or (other_data and name in self._controls)
        }
        shown = {"show": [item.name for item in self._items if item.kind != "sentence"]}
        return (shown if self._part else {}) | state

    def to_code(self) -> str:
        """Python that reproduces the numbers in view, and the view."""
        return self._code(self.spec())

    # -- listening and sharing ---------------------------------------------------------------------

    def observe(self, callback: Callback, name: str) -> None:
        """Call ``callback`` with the new value whenever a control or number changes.

        Parameters
        ----------
        callback : callable
            Its errors are shown in the view and stop nothing else.
        name : str
            A control, a number, or "bound".
        """
        if name != "bound" and name not in self._numbers and name not in self._page.param:
            raise AttributeError(self._unknown(name))
        self._observers.append(Observer(callback, name, getattr(self, name)))

    def unobserve(self, callback: Callback, name: str) -> None:
        """Undo `observe`."""
        self._observers = [
            observer
            for observer in self._observers
            if (observer.callback, observer.name) != (callback, name)
        ]

    def link(self, other: View) -> Link:
        """Share the controls that both views have; ``other`` first takes the values of this one.

        Returns
        -------
        Link
            Its ``unlink()`` ends the sharing.
        """
        names = [
            name
            for name in self._controls
            if name in other._controls and not isinstance(self._page.param[name], param.Event)
        ]
        return Link(names, (self, self._receive), (other, other._receive))

    # -- in the notebook ---------------------------------------------------------------------------

    @property
    def widget(self) -> Any:
        """The live widget, to lay out beside others."""
        if self._live is None:
            self._draw()
            self._live = Live(
                self._page,
                self._items,
                self._sections,
                self._identity,
                self._chose,
                self._turns.waits,
                self._press,
                self._gesture,
            )
            self._live.show({name: text for name, (_, text) in self._contents.items()}, 0)
        return self._live.box

    def freeze(self) -> None:
        """Write the present state into the cell as a picture, and free the widget."""
        self._refresh()
        self.close()

    def close(self) -> None:
        """Free the widget; controls and numbers stay readable and settable from Python."""
        self._page.end_jobs()
        self._turns.stop()
        self._observers = []
        if self._live is not None:
            self._live.close()
            self._live = None

    def _ipython_display_(self) -> None:
        # JupyterLab shows an error in place of a widget that is gone, whatever else the output
        # holds, so the picture is an output of its own; its style sheet shows one of the two.
        from IPython.display import HTML, display

        widget = {_WIDGET: self._widget_view(), "text/plain": ""}
        display(widget, raw=True)
        display(HTML(self._picture()), display_id=self._identity)
        self._displayed = True

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return {
            _WIDGET: self._widget_view(),
            "text/html": self._picture(),
            "text/plain": repr(self),
        }

    def _widget_view(self) -> dict[str, Any]:
        return {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}

    def _picture(self) -> str:
        self._draw()
        return self._still.html(
            self._page.message,
            self._notes(),
            [
                (item, *self._contents[item.name])
                for item in self._items
                if item.name in self._contents
            ],
        )

    def _refresh(self) -> None:
        if self._displayed:
            from IPython.display import HTML, update_display

            update_display(HTML(self._picture()), display_id=self._identity)

    # -- from the person to the page ---------------------------------------------------------------

    def _chose(self, name: str, value: Any) -> None:
        self._turns.post(name, partial(self._assign, name, value))

    def _assign(self, name: str, value: Any) -> None:
        parameter = self._page.param[name]
        if isinstance(parameter, param.Event):
            self._fire(name)
        elif isinstance(parameter, param.Number):
            setattr(self._page, name, taken(parameter, value))
        else:
            setattr(self._page, name, value)

    def _press(self, job: str) -> None:
        self._turns.post(("press", job), partial(self._page.press_job, job, self._turns.post))

    def _run(self, job: str) -> Any:
        try:
            return self._page.run_job(job, after=self._draw)
        finally:
            self._draw()

    def _receive(self, name: str, value: Any) -> None:
        self._assign(name, value)
        self._draw()

    def _fire(self, event: str) -> None:
        try:
            setattr(self._page, event, True)
        finally:  # param leaves an event on when what it set off was interrupted
            with param.discard_events(self._page):
                setattr(self._page, event, False)

    def _gesture(self, gesture: dict[str, Any]) -> None:
        kind = gesture["kind"]
        if kind == "dismiss":
            self._turns.post("message", partial(setattr, self._page, "message", ""))
        elif kind == "job":
            self._press(gesture["job"])
        else:
            item = next(item for item in self._items if item.name == gesture["item"])
            if kind == "click":
                method = getattr(self._page, item.click or "")
                self._turns.post("click", partial(method, gesture["x"], gesture["y"]))
            else:
                name = item.drag[gesture["shape"]]
                parameter: Any = self._page.param[name]
                self._chose(name, snap(parameter, gesture["x"]))
        self._turns.post("handled", partial(setattr, self, "_handled", gesture["serial"]))

    def _take(self, jobs: list[Callable[[], None]]) -> None:
        """One turn: what people chose, then what follows from it."""
        if self._live is not None and self._took > PATIENCE:
            self._live.board.busy = True
        all_of_it: list[Callable[[], Any]] = [partial(self._try, job) for job in jobs]
        for job in (*all_of_it, self._draw):
            try:
                job()
            except KeyboardInterrupt:
                self._page.message = INTERRUPTED

    def _try(self, job: Callable[[], Any]) -> None:
        try:
            job()
        except Exception as error:
            logger.debug("a change of the page failed", exc_info=True)
            self._page.message = f"This did not work: {error}"

    # -- from the page to the person ---------------------------------------------------------------

    def _note(self, *events: Any) -> None:
        changed = {event.name for event in events}
        self._stale |= {i.name for i in self._items if self._page.inputs(i) & changed}

    def _draw(self) -> None:
        """Draw what is stale, tell the observers, and again if they changed anything."""
        if self._drawing:
            return
        self._drawing = True
        began = time.monotonic()
        sent: dict[str, str] = {}
        try:
            for _ in range(_ROUNDS):
                sent |= self._draw_stale()
                if not self._tell():
                    break
        except KeyboardInterrupt:
            self._page.message = INTERRUPTED
            raise
        finally:
            self._drawing = False
            self._took = time.monotonic() - began
            if self._live is not None:
                self._live.show(sent, self._handled)
            if self._displayed and (sent or self._noted != self._notes()):
                self._noted = self._notes()
                self._turns.later(IDLE, self._refresh)

    def _draw_stale(self) -> dict[str, str]:
        sent = {}
        for item in self._items:
            if item.name in self._stale:
                self._try(partial(self._draw_item, item))
                self._stale.discard(item.name)
                if item.name in self._contents:
                    sent[item.name] = self._contents[item.name][1]
        return sent

    def _draw_item(self, item: Item) -> None:
        value = self._page.draw(item)
        self._contents[item.name] = (value, assets.content(value))

    def _tell(self) -> bool:
        """Call the observers of what changed; whether there were any."""
        told: list[str] = []
        for observer in list(self._observers):
            self._try(partial(self._tell_one, observer, told))
        return bool(told)

    def _tell_one(self, observer: Observer, told: list[str]) -> None:
        now = getattr(self, observer.name)
        if now is not observer.last and now != observer.last:
            observer.last = now
            told.append(observer.name)
            observer.callback(now)

    # -- what there is -----------------------------------------------------------------------------

    @property
    def _controls(self) -> list[str]:
        page = self._page
        names = [c.name for section in page.controls for c in section.controls]
        return [name for name in names if name in page.param]

    @property
    def _numbers(self) -> dict[str, Item]:
        return {item.name: item for item in self._page.numbers()}

    @property
    def _sections(self) -> list[Section]:
        return sections_for(self._page, self._items) if self._part else list(self._page.controls)

    def _notes(self) -> list[str]:
        """How the page's jobs stand, those that were begun."""
        jobs = self._page.jobs().values()
        said = [(job.title, self._page.job_state(job.name).words) for job in jobs]
        return [f"{title}: {words}" for title, words in said if words]

    def _state(self) -> dict[str, Any]:
        page = self._page
        follows = {*FOLLOWS, *(job.into for job in page.jobs().values())}
        return {
            name: getattr(page, name)
            for name in page.param
            if name not in follows
            and not isinstance(page.param[name], param.Event)
            and isinstance(getattr(page, name), PLAIN)
        }

    def _restore(self, spec: dict[str, Any]) -> None:
        """Set what a spec holds, section by section: data first, for the rest may rest on it."""
        page = self._page
        known = self._state()
        for name in spec:
            if name not in known:
                raise ValueError(f"spec: {self._unknown(name)}")
        hidden = {name for name in known if name not in self._controls}
        page.param.update({name: spec[name] for name in hidden if name in spec})
        for section in page.controls:
            names = [control.name for control in section.controls if control.name in spec]
            page.param.update({name: spec[name] for name in names})
        # A mark such as "chosen after looking" is part of a state, not of its restoring.
        page.param.update({name: spec.get(name, self._fresh[name]) for name in hidden})

    def _unknown(self, name: str) -> str:
        names = [*self._controls, *self._numbers, "bound"]
        near = difflib.get_close_matches(name, names, n=3)
        said = f"; did you mean {' or '.join(near)}?" if near else f"; there are {', '.join(names)}"
        return f"this view has no {name!r}{said}"


#: Observers that set what they observe are not followed for ever.
_ROUNDS = 10

_WIDGET = "application/vnd.jupyter.widget-view+json"


def _data(page: Page) -> Any:
    """What the page's other defaults rest on, such as what it loaded; None where nothing is."""
    return page.param.values().get(page.rests_on)
