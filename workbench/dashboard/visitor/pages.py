"""`OpenPages`: the live pages of a visitor, and the settings that are kept of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from threading import RLock
from types import MappingProxyType
from typing import Any, TypeVar

from workbench.dashboard.files import Receiver
from workbench.dashboard.limits import LimitError
from workbench.dashboard.live_page import Later, LivePage
from workbench.dashboard.services import Services
from workbench.dashboard.tab import IMPORT, Tab
from workbench.dashboard.visitor.browsers import OpenBrowsers
from workbench.dashboard.visitor.history import Change, History
from workbench.dashboard.worker import Turns
from workbench.pages.core.page import Page
from workbench.pages.core.upload import Upload
from workbench.pages.inputs.data import DataChoice
from workbench.workspaces.parts.kept_data import WorkspaceState
from workbench.workspaces.workspace import Workspace

T = TypeVar("T")

Settings = Mapping[str, Any]

#: Seconds after which changed settings are kept. Until then the server has them, and so has the
#: browser, which brings them back if the server loses them.
KEEP = 5.0

#: Seconds that a question waits for a page that is at work.
WAIT = 10.0


class KeptSettings:
    """The settings of pages on data sets: those that are not written yet, and those that are."""

    def __init__(self, workspace: Workspace, later: Callable[[float, Callable[[], None]], Any]):
        self._workspace, self._later = workspace, later
        self._unwritten: dict[tuple[str, str], dict[str, Any]] = {}
        self._lock = RLock()

    def keep(self, page: str, key: str, settings: dict[str, Any]) -> None:
        """Write the settings of a page on a data set, in a moment."""
        with self._lock:
            first, self._unwritten[page, key] = not self._unwritten, settings
        if first:
            self._later(KEEP, self.write)

    def of(self, page: str, key: str) -> Settings | None:
        """The settings that a page had on a data set; None if it never had it in view."""
        with self._lock:
            return self._unwritten.get((page, key)) or self._workspace.page_states.get(page, key)

    def write(self) -> None:
        """Write all of them now."""
        with self._lock:
            unwritten, self._unwritten = self._unwritten, {}
            for (page, key), settings in unwritten.items():
                self._workspace.page_states.keep(page, settings, key)


class OpenPages:
    """The live pages of a visitor; each is made when it is first needed."""

    def __init__(
        self,
        workspace: Workspace,
        tabs: Mapping[str, Tab],
        later: Later,
        services: Services,
        browsers: OpenBrowsers,
        history: History,
    ):
        self.workspace, self.tabs = workspace, tabs
        self.may = services.may
        #: The turns of all pages: fair to other people.
        self.turns = Turns()
        self.kept = KeptSettings(
            workspace, lambda wait, call: later(wait, lambda: self.turns.submit(call, True))
        )
        #: Takes the changes of the import step.
        self.import_changed: Callable[[LivePage], None] = lambda live: None
        self._later, self._services = later, services
        self._browsers, self._history = browsers, history
        self._live: dict[str, LivePage] = {}
        self._followed: dict[str, str | None] = {}
        self._over = False
        self._lock = RLock()
        # Making a page may read what others share, and so wait for them; nothing that they may
        # wait for takes this lock.
        self._making = RLock()

    def end(self) -> None:
        """Let go of all pages; their settings are in the workspace. Waits for none being made."""
        with self._lock:
            self._over = True
            live, self._live = self._live, {}
        for page in live.values():
            page.end()
        self.kept.write()

    @property
    def open(self) -> list[LivePage]:
        """The pages that were made."""
        return list(self._live.values())

    def untouched(self, name: str) -> bool:
        """True if the page is as every visitor first sees it."""
        tab = self.tabs[name]
        if name in self._live or self.workspace.active.chosen(tab.kind.takes):
            return False
        if self._services.following is not None:
            return False
        return self.workspace.page_states.get(name, tab.data_key) is None

    def live(self, name: str) -> LivePage:
        """The page of this name, made from its last state.

        Raises
        ------
        KeyError
            No such page.
        """
        live = self._live.get(name)
        if live is not None:
            return live
        with self._making:
            live = self._live.get(name)
            return self._put(name, self._make(name)) if live is None else live

    def begin(self, name: str, **given: Any) -> None:
        """Make a page anew.

        Parameters
        ----------
        name : str
        **given
            Arguments of its factory.
        """
        with self._making:
            page = self.tabs[name].make(self.workspace, **given)
            self._put(name, LivePage(name, page, self, self._later))

    def _put(self, name: str, live: LivePage) -> LivePage:
        """Have a page in place of the one before; it ends at once if all have ended."""
        with self._lock:
            if self._over:
                ends: LivePage | None = live
            else:
                ends, self._live[name] = self._live.get(name), live
        if ends is not None:
            ends.end()
        return live

    def close(self, name: str) -> None:
        """Let go of a page, if it is open."""
        with self._lock:
            live = self._live.pop(name, None)
        if live is not None:
            live.end()

    def ask(self, name: str, question: Callable[[LivePage], T]) -> T:
        """The answer of a page, when what it was asked before is done; waits for it.

        Parameters
        ----------
        name : str
            The page.
        question : callable
            Is called with the live page, in its turn.

        Raises
        ------
        TimeoutError
            The page is at work for longer than a visitor would wait.
        """
        answer: Future[T] = Future()
        live = self.live(name)

        def ask() -> None:
            try:
                answer.set_result(question(live))
            except Exception as error:
                answer.set_exception(error)

        live.change(f"question {id(answer)}", ask)
        return answer.result(WAIT)

    def finish_drags(self) -> None:
        """Have drags that have not ended count as changes."""
        for live in self.open:
            live.finish_drag()

    # -- the data in view --------------------------------------------------------------------------

    def follow(self) -> None:
        """Have all pages show the data sets that are in view now."""
        for live in self.open:
            if live.name != IMPORT:
                live.change("follow", partial(self._follow, live))

    def _follow(self, live: LivePage) -> None:
        page, key = live.page, self.workspace.active.key(live.page.takes)
        if self._followed.get(live.name) == key:
            page.refresh()
        else:
            self._followed[live.name] = key
            self.kept.keep(live.name, _key_in(page, live.settings), live.settings)
            self._take_data(live.name, page, key)

    def _make(self, name: str) -> LivePage:
        tab, runner = self.tabs[name], self._services.runner
        first = tab.first() if name != IMPORT and self.untouched(name) else None
        page = tab.make(self.workspace)
        if first is None:
            self._followed[name] = self.workspace.active.key(tab.kind.takes)
            if name != IMPORT:
                self._take_data(name, page, self._followed[name])
        else:
            page.follow(page.workspace.active.key(page.takes))  # as the page that was drawn first
        return LivePage(name, page, self, self._later, first, runner)

    def _take_data(self, name: str, page: Page, key: str | None) -> None:
        """Have a page show a data set as it was when it was last shown."""
        page.follow(key)
        self.kept.write()
        state = self.workspace.page_states.get(name, page.data_key)
        if state is not None:
            page.restore(page.still_true(state), self.workspace.file)

    # -- settings ----------------------------------------------------------------------------------

    def restore(
        self,
        live: LivePage,
        settings: Settings,
        kept: Mapping[str, Settings] = MappingProxyType({}),
    ) -> list[str]:
        """Labels of the settings that a page could not take again.

        Parameters
        ----------
        live : LivePage
        settings : mapping
        kept : mapping
            What the page had on data sets that it leaves by that, by their keys.
        """
        self._followed[live.name] = self.workspace.active.key(live.page.takes)
        for key, left in kept.items():
            self.kept.keep(live.name, key, dict(left))
        return live.page.restore(settings, self.workspace.file)

    def set_all(self, live: LivePage, control: str, settings: Settings) -> list[str]:
        """`restore`, as a person does it: in a way that can be undone.

        Parameters
        ----------
        live : LivePage
        control : str
            What the history calls it; see `label_of`.
        settings : mapping
        """
        live.session.used = control
        return self.restore(live, settings)

    # -- what the pages report ---------------------------------------------------------------------

    def changed(self, live: LivePage, control: str, before: Settings, now: Settings) -> None:
        """Keep the changed settings of a page; ``control`` is what a person used, "" for nothing.

        Parameters
        ----------
        live : LivePage
        control : str
        before, now : mapping
            The settings before, and those of the last drawing: the page itself may be further.
        """
        page, name = live.page, live.name
        if name == IMPORT:
            self.import_changed(live)
            return
        _keep_files(self.workspace, page, before, now)
        key = _key_in(page, now)
        chosen = bool(key) and key != _key_in(page, before)
        kept = self.kept.of(name, key) if chosen else None
        self.kept.keep(name, key, dict(now))
        if control:
            data = self._choose(page, name, key) if chosen else None
            overwritten = {} if kept is None else {key: kept}
            label = label_of(page, control)
            self._history.add(Change(name, label, (before, now), data, kept=overwritten))
        # Last: the workspace tells all pages of it, and they follow the data that are chosen now.
        for part in page.parts_with("keep_with_data"):
            part.keep_with_data()

    def _choose(self, page: Page, name: str, key: str) -> tuple[WorkspaceState, WorkspaceState]:
        """Have all pages show the data set that a person chose on one; the states for the history.

        Parameters
        ----------
        page : Page
        name, key : str
            Of the page, and of the data set.
        """
        before = self.workspace.kept.snapshot()
        if key != self.workspace.active.key(page.takes):
            self._followed[name] = key
            self.workspace.active.choose(key)
        return before, self.workspace.kept.snapshot()

    def go(self, page: Page) -> None:
        """Have the browsers go to the page that a control of another one asked for, or its files.

        Parameters
        ----------
        page : Page
            The one with the control.
        """
        asked, page.goes_to = page.goes_to, ""
        settings, page.goes_with = page.goes_with, {}
        if asked in self.tabs:
            if settings:
                live = self.live(asked)
                live.change("restore", partial(self.restore, live, settings))
            step = isinstance(page, self.tabs[IMPORT].kind)  # a dialog, which ends with it
            self._browsers.tell(goto=asked, **({"imported": ""} if step else {}))

    def show_jobs(self) -> None:
        """Show how the jobs of all pages stand."""
        self._browsers.show("jobs")

    def receiver(self) -> Receiver:
        """What puts the uploads of a page together."""
        return Receiver(self._services.uploads, self._require_upload)

    def _require_upload(self, size: int) -> None:
        """Refuse files that were announced; called in a thread."""
        self.may.require({"kind": "files"})
        self.workspace.storage.require_room(size)


def jobs_of(pages: OpenPages) -> list[dict[str, Any]]:
    """The jobs that run or wait, as browsers show them."""
    return [
        {"page": live.name, "title": live.page.jobs()[name].title, "fraction": job["fraction"]}
        for live in pages.open
        for name, job in live.running().items()
    ]


def data_choices(page: Page) -> tuple[str, ...]:
    """Names of the parameters of a page that choose a data set."""
    return page.parameters_of_type(DataChoice)


def label_of(page: Page, control: str) -> str:
    """How people call what they used."""
    if control in page.param:
        return str(page.param[control].label)
    return {"click": "a click in a chart", "link": "the link", "reset": "the reset"}.get(
        control, control
    )


def _keep_files(workspace: Workspace, page: Page, before: Settings, now: Settings) -> None:
    """Keep the files that a person uploaded to a page."""
    for name in page.parameters_of_type(Upload):
        if now.get(name) != before.get(name):
            for file in getattr(page, name) or ():
                try:
                    workspace.files.keep(file.name, file.content())
                except LimitError as error:  # the page shows it; a reload does not
                    page.message = f"“{file.name}” is not kept. {error}"


def _key_in(page: Page, settings: Settings) -> str:
    """The `Page.data_key` of a page with these settings: its first choice of a data set."""
    return next((str(settings.get(name) or "") for name in data_choices(page)), "")
