"""`View`: a page in a notebook, to drag, and to read and set from the next cell."""

from __future__ import annotations

import getpass
import logging
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import param

from workbench import _checks
from workbench.assets import board as assets
from workbench.audits.audit import Audit
from workbench.bounds.bound import Bound
from workbench.jupyter import cell_lifetime
from workbench.jupyter.attributes import PageAttributes
from workbench.jupyter.display import Display
from workbench.jupyter.kernel_queue import KernelLoop
from workbench.jupyter.observers import Callback, Link, Observers
from workbench.jupyter.opening import PageAddress, address_of, is_on_dashboard
from workbench.jupyter.parts import brief_of, chosen, listed, sections_for
from workbench.jupyter.settings import in_words, plain_names, translated
from workbench.pages.auditing.attached import attachments_of
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.core.page import Item, Page
from workbench.pages.core.session import INTERRUPTED, PageSession
from workbench.pages.inputs.spec import Spec
from workbench.workspaces.home import workspace

#: Seconds without a change after which the picture beside the widget is brought up to date.
IDLE = 0.3

#: Seconds of drawing after which the next drawing is announced.
PATIENCE = 0.3

#: Rounds of drawing and of observers that set what they observe.
ROUNDS = 10


class View(PageAttributes, Display):
    """A page in a notebook.

    Every control and every number is an attribute: ``view.threshold``, ``view.threshold = 0.5``,
    ``view.epsilon``. Setting a control redraws the items that depend on it. Long work is a method
    that runs to its end; Ctrl-C cancels it, and the partial result stays.

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
        self._loop = KernelLoop()
        schedule = self._schedule
        session = PageSession(page, items, self._draw, schedule, log_level=logging.DEBUG)
        opens = "controls" not in self._part and is_on_dashboard(page)
        address = partial(address_of, page, as_owner=True) if opens else None
        brief = None
        if "show" not in self._part:
            brief = brief_of(page, sections)
        if brief and "controls" in self._part:
            brief = replace(brief, controls=[c.name for one in sections for c in one.controls])
        Display.__init__(self, session, sections, address, brief)
        self._spec = Spec(page)
        given = translated(page, given)
        with in_words(page, given):
            self._spec.restore(given)
        session.stale |= session.items.keys()
        self._observers = Observers(lambda name: getattr(self, name), session.attempt)
        self._drawing, self._took = False, 0.0
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
            if name in other._controls and not isinstance(self.page.param[name], param.Event)
        ]
        return Link(names, (self, self._receive), (other, other._receive))

    def close(self) -> None:
        """Free the widget; controls and numbers stay readable and settable from Python."""
        self.page.work.end()
        self._session.queue.clear()
        self._loop.cancel()
        self._observers.clear()
        Display.close(self)

    def _run(self, job: str) -> Any:
        try:
            return super()._run(job)
        finally:
            self._refresh()  # now, as the next cells may leave no idle moment

    def _receive(self, name: str, value: Any) -> None:
        self._session.assign(name, value)
        self._draw()

    def _schedule(self, turn: Callable[[], None], blocks: bool) -> None:
        def announced() -> None:
            if self._live is not None and self._took > PATIENCE:
                self._live.busy = True
            turn()

        self._loop.schedule(announced, blocks)

    def _draw(self) -> None:
        """Draw what is stale, tell the observers, and again if they changed anything."""
        if self._drawing:
            return
        self._drawing = True
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
            self._drawing = False
            self._session.take_changed()
            self._took = time.monotonic() - began
            if self._live is not None:
                self._live.show(sent, self._session.handled)
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


def _user() -> str:
    """The name of this computer's user; "" where the system does not know it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no such user in the system's list, or no list
        return ""
