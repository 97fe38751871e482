"""`View`: a page to drag, in a notebook or an app, and to read and set from Python."""

from __future__ import annotations

import getpass
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import param

from workbench import _checks
from workbench._names import did_you_mean
from workbench.assets import board as assets
from workbench.audits.audit import Audit
from workbench.bounds.bound import Bound
from workbench.jupyter import cell_lifetime
from workbench.jupyter.display import Display
from workbench.pages.auditing.attached import attachments_of
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.core.page import Item, Page
from workbench.pages.core.session import INTERRUPTED, PageSession
from workbench.pages.inputs.spec import Spec
from workbench.views.attributes import PageAttributes
from workbench.views.kernel_queue import KernelLoop
from workbench.views.observers import Callback, Link, Observers, WidgetLink
from workbench.views.opening import PageAddress, address_of, is_on_dashboard
from workbench.views.parts import brief_of, chosen, listed, sections_for
from workbench.views.settings import in_words, plain_names, translated
from workbench.workspaces.home import workspace

#: Seconds without a change after which the picture beside the widget is brought up to date.
IDLE = 0.3

#: Seconds of drawing after which the next drawing is announced.
PATIENCE = 0.3

#: Rounds of drawing and of observers that set what they observe.
ROUNDS = 10


class View(PageAttributes, Display):
    """A page in a notebook, or in an app of Panel.

    Every control and every number is an attribute: ``view.threshold``, ``view.threshold = 0.5``,
    ``view.epsilon``. Setting a control redraws the items that depend on it. Long work is a method
    that runs to its end; Ctrl-C cancels it, and the partial result stays.

    Panel takes a view wherever it takes a component: ``pn.Column(view)``, ``view.servable()``. The
    parameters of ``view.param`` make widgets of Panel and bind functions. ``view.charts`` are the
    charts one by one, and so are ``view.numbers`` if Panel was imported before the view was made.

    Parameters
    ----------
    page : Page
        The page.
    code : callable
        ``code(spec)`` is the Python that reproduces the page's state; see `to_code`.
    show : iterable of str, optional
        Names or titles of the figures, numbers and sentences to show, or "all". By default the
        answer, one chart and its slider, and a button that shows the rest.
    controls : iterable of str, optional
        Names or labels of the controls to show. By default all that something shown depends on.
    spec : dict, optional
        A state from `spec`, or any controls by name.

    Raises
    ------
    ValueError
        A name that the page does not have, or a value that a control does not take.
    """

    #: How a view runs its turns.
    _loop_type: ClassVar[type[KernelLoop]] = KernelLoop

    def __init__(
        self,
        page: Page,
        code: Callable[[dict[str, Any]], str],
        show: Iterable[str] | None = None,
        controls: Iterable[str] | None = None,
        spec: dict[str, Any] | None = None,
    ):
        given = dict(spec or {})
        part = {name: given.pop(name) for name in ("show", "controls") if name in given}
        part |= {"show": show} if show is not None else {}
        part |= {"controls": controls} if controls is not None else {}
        self._part = {name: listed(names) for name, names in part.items()}
        items = chosen(page, self._part.get("show"))
        sections = sections_for(page, items, self._part.get("controls"))
        self._code = code
        #: One thread at a time draws; the one that does, 0 for none.
        self._lock, self._drawer, self._took = threading.RLock(), 0, 0.0
        self._component: Any = None
        self._parts: dict[str, View] = {}
        self._whole: View | None = None
        self._loop = self._loop_type()
        schedule = self._schedule
        session = PageSession(
            page, items, self._draw, schedule, outside=self._moved, log_level=logging.DEBUG
        )
        opens = "controls" not in self._part and is_on_dashboard(page)
        address = partial(address_of, page, as_owner=True) if opens else None
        brief = None
        if "show" not in self._part:
            brief = brief_of(page, sections)
        if brief and "controls" in self._part:
            brief = replace(brief, controls=[c.name for one in sections for c in one.controls])
        Display.__init__(self, session, sections, address, brief)
        self._spec = Spec(page)
        self._observers = Observers(lambda name: getattr(self, name), session.attempt)
        given = translated(page, given)
        with in_words(page, given):
            self._spec.restore(given)
        session.stale |= session.items.keys()
        cell_lifetime.enter(self)

    def __repr__(self) -> str:
        numbers = [value for value in self.numbers.values() if isinstance(value, Bound)]
        return f"View of {self.page.title}: {'; '.join(map(str, numbers[:1]))}"

    def spec(self) -> dict[str, Any]:
        """The changes since the start as plain values, which ``json.dumps`` takes.

        ``wb.explore(scores, spec=...)`` restores them. Uploaded files are not part of them.
        """
        return self._part | self._spec.changes()

    def to_code(self) -> str:
        """Python code that reproduces the numbers and the view."""
        return self._code(self.spec())

    def audit(self, by: str | None = None) -> Audit:
        """The audit that the page shows now, with the results of its jobs.

        Parameters
        ----------
        by : str, optional
            Who makes it; by default the user of this computer.

        Returns
        -------
        Audit
            Not saved; see `save`.
        """
        return audit_of(self.page, _user() if by is None else by)

    def save(
        self,
        name: str,
        note: str = "",
        tags: Sequence[str] = (),
        scores: bool = False,
        by: str | None = None,
    ) -> Audit:
        """Save the audit that the page shows now in ``wb.workspace().audits``.

        Parameters
        ----------
        name : str
        note : str, optional
        tags : sequence of str, optional
        scores : bool
            Whether scores and files of the page are saved with it.
        by : str, optional
            As of `audit`.

        Returns
        -------
        Audit
            With its key.

        Raises
        ------
        ArchiveError
            It cannot be saved; nothing of it was kept.
        """
        _checks.flag(scores, "scores")
        attached = attachments_of(self.page) if scores else ()
        return workspace().audits.save(self.audit(by), name, note, tags, attachments=attached)

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write a report of what the page shows now.

        Parameters
        ----------
        path : path
            Its ending chooses the format; see `Audit.report`.
        **options
            See `Audit.report`.

        Returns
        -------
        pathlib.Path
            Of the file.
        """
        return self.audit().report(Path(path), **options)

    def open_in_workbench(self, server: str | None = None) -> PageAddress:
        """The address at which the dashboard shows this page in its present state.

        Scores that are given in Python are added to the workspace of this computer,
        ``wb.workspace()``, and so the page has them. The address works in a browser in which the
        dashboard was opened from JupyterLab's launcher or by ``workbench serve``; in another one
        it asks for the data. A notebook shows it as a link.

        Parameters
        ----------
        server : str, optional
            Address of the dashboard. By default that of JupyterLab's launcher, as a path on the
            Jupyter server; where no Jupyter server runs this program, ``"http://localhost:5006"``.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            The page has settings that a link cannot hold, such as a function given in Python.
        """
        return address_of(self.page, server)

    def observe(self, callback: Callback, name: str) -> None:
        """Call ``callback`` with the new value whenever a control or number changes.

        Parameters
        ----------
        callback : callable
            Its errors are shown in the view and stop nothing else.
        name : str
            A control, a number, or "bound".

        Raises
        ------
        AttributeError
            A name that is none of these.
        """
        known = (*self._numbers, *self.page.param, *plain_names(self.page), "bound")
        if name not in known:
            raise AttributeError(self._unknown(name))
        self._observers.add(callback, name)

    def unobserve(self, callback: Callback, name: str) -> None:
        """Undo `observe`.

        Parameters
        ----------
        callback, name
            As in `observe`.
        """
        self._observers.remove(callback, name)

    def link(self, other: Any, bidirectional: bool = False, **fields: str) -> Link | WidgetLink:
        """Share the controls that both views have; ``other`` first takes the values of this one.

        Parameters
        ----------
        other : View, or a widget of Panel
            A widget, or another object with parameters, takes values by the names in ``fields``.
        bidirectional : bool
            Whether the view takes the values of a widget, too. Two views always share.
        **fields
            Controls or numbers, and the parameters of a widget that take their values, such as
            ``threshold="value"``.

        Returns
        -------
        Link or WidgetLink
            Its ``unlink()`` ends the sharing.

        Raises
        ------
        ValueError
            Something else than a view without ``fields``, or a view with them.
        AttributeError
            A name in ``fields`` that this view does not have.
        """
        if isinstance(other, View) == bool(fields):
            raise ValueError(
                "link takes another view alone, or a widget with the names of what it shows, such "
                f"as view.link(widget, threshold='value'); got {_checks.shown(other)}"
            )
        if fields:
            return WidgetLink(self, self.update, other, fields, bidirectional)
        names = [
            name
            for name in self._controls
            if name in other._controls and not isinstance(self.page.param[name], param.Event)
        ]
        return Link(names, (self, self._receive), (other, other._receive))

    @property
    def charts(self) -> Mapping[str, View]:
        """The charts of the page by name, each a view of its own that moves with this one."""
        return Charts([item.name for item in self.page.figures()], self._view_of)

    def servable(self, *args: Any, **options: Any) -> Any:
        """Serve the view with ``panel serve``; the component, see `panel.viewable.Viewable`."""
        return self.__panel__().servable(*args, **options)

    def show(self, *args: Any, **options: Any) -> Any:
        """Open the view on a server of Panel; the server, see `panel.viewable.Viewable`."""
        return self.__panel__().show(*args, **options)

    def __panel__(self) -> Any:
        if self._component is None:
            from workbench.panel.component import page_component

            self._draw()
            self._component = page_component(self._session, self._sections, self._brief)
            self._component.present({name: text for name, (_, text) in self._contents.items()}, 0)
        return self._component

    def close(self) -> None:
        """Free the widget; controls and numbers stay readable and settable from Python."""
        for part in self._parts.values():
            part.close()
        if self._whole is None:
            self.page.work.end()
        self._session.queue.clear()
        self._loop.cancel()
        self._observers.clear()
        Display.close(self)

    @property
    def _fronts(self) -> list[Any]:
        """What shows the view in browsers: a widget of a notebook, a component of Panel."""
        return [front for front in (self._live, self._component) if front is not None]

    def _view_of(self, name: str) -> View:
        """One item of the page as a view of its own."""
        if name not in self._parts:
            part = self._parts[name] = type(self)(self.page, self._code, (name,), ())
            part._whole = self
        return self._parts[name]

    def _run(self, job: str) -> Any:
        try:
            return super()._run(job)
        finally:
            self._refresh()  # now, as the next cells may leave no idle moment

    def _receive(self, name: str, value: Any) -> None:
        self._session.assign(name, value)
        self._draw()

    def _schedule(self, turn: Callable[[], None], blocks: bool) -> None:
        if self._fronts and self._took > PATIENCE:
            self._loop.schedule(self._announce, blocks)
        self._loop.schedule(turn, blocks)

    def _announce(self) -> None:
        for front in self._fronts:
            front.busy = True

    def _moved(self) -> None:
        """Draw soon: something else than this view changed the page, such as a widget of Panel."""
        if self._drawer != threading.get_ident() and (self._fronts or self._observers):
            self._session.queue.post("outside", lambda: None)

    def _set(self, values: dict[str, Any], events: list[str]) -> None:
        with self._lock:
            before, self._drawer = self._drawer, threading.get_ident()  # it draws afterwards
            try:
                super()._set(values, events)
            finally:  # some may be set, also after an error
                self._drawer = before
                self._draw()

    def _draw(self) -> None:
        """Draw what is stale, tell the observers, and again if they changed anything."""
        with self._lock:
            if not self._drawer:
                self._draw_all()

    def _draw_all(self) -> None:
        self._drawer = threading.get_ident()
        began = time.monotonic()
        sent: dict[str, str] = {}
        try:
            for _ in range(ROUNDS):
                self._draw_stale(sent)
                if not self._observers.tell():
                    break
        except KeyboardInterrupt:
            self.page.message = INTERRUPTED
            raise
        finally:
            self._drawer = 0
            self._session.take_changed()
            self._took = time.monotonic() - began
            for front in self._fronts:
                front.present(sent, self._session.handled)
            if self._displayed and (sent or self._noted != self._notes()):
                self._noted = self._notes()
                self._loop.idle(IDLE, self._refresh)

    def _draw_stale(self, sent: dict[str, str]) -> None:
        def put(item: Item, value: Any) -> None:
            text = assets.content(value)
            self._contents[item.name] = (value, text)
            sent[item.name] = text

        for item in self._items:
            if item.name in self._session.stale:
                self._session.draw(item, put)


class Charts(Mapping[str, View]):
    """The charts of a view by name; each is made when it is asked for.

    Parameters
    ----------
    names : list of str
        The names.
    make : callable
        ``make(name)`` returns the chart as a view.
    """

    def __init__(self, names: list[str], make: Callable[[str], View]):
        self._names, self._make = names, make

    def __getitem__(self, name: str) -> View:
        if name not in self._names:
            known = did_you_mean(name, self._names) or f"; there are {', '.join(self._names)}"
            raise KeyError(f"the page has no chart {name!r}{known}")
        return self._make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _user() -> str:
    """The name of this computer's user; "" where the system does not know it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no such user in the system's list, or no list
        return ""
