"""`Bench`: the pages of one visitor on the visitor's data sets, with undo, links and running jobs.

What is not about one page goes in messages without the name of a page::

    {"page": "", "handled": 3,
     "bench": {"sets": [...], "current": "example:gaussian", "undo": "Threshold", ...},
     "goto": "plan", "say": "…", "link": "…", "ask": {"words": "…"}, "imported": "key"}
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from threading import RLock
from typing import Any, Protocol, TypeVar

from workbench.assets.audits import NAME as AUDITS
from workbench.dashboard.audits import GESTURES, OPENED, AuditRequests
from workbench.dashboard.live_page import Later, LivePage
from workbench.dashboard.tab import Tab
from workbench.dashboard.worker import submit
from workbench.pages.core.history import Change, History
from workbench.pages.core.page import Page
from workbench.pages.core.queue import LatestWins, Task
from workbench.pages.core.upload import Upload
from workbench.pages.inputs.data import DataChoice
from workbench.scores.examples import NAMES
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.draws import DRAW
from workbench.workspaces.errors import LinkError, WorkspaceError
from workbench.workspaces.link import DataReference, PageLink, read_link
from workbench.workspaces.sources import EXAMPLE
from workbench.workspaces.workspace import Workspace, WorkspaceState

logger = logging.getLogger(__name__)

T = TypeVar("T")

#: The page of the import step, which is shown in a dialog and is no part of the history.
IMPORT = "import"

#: Seconds after which changed settings are kept.
KEEP = 0.5

#: Seconds that a question waits for a page that is at work.
WAIT = 10.0


class Reader(Protocol):
    """A browser that hears of what is not about one page."""

    def tell(self, **entries: Any) -> None:
        """Send a message without a page."""


class Bench:
    """The live pages of one visitor.

    Parameters
    ----------
    workspace : Workspace
        The visitor's own.
    tabs : mapping of str to Tab
        All pages by name.
    later : callable
        See `workbench.dashboard.live_page.Later`.
    by : str
        Name of the visitor, as saved audits state it; "" for strangers.
    """

    def __init__(self, workspace: Workspace, tabs: Mapping[str, Tab], later: Later, by: str = ""):
        self.workspace, self.tabs = workspace, tabs
        self.history = History()
        self.audits = AuditRequests(self, by)
        self.readers: list[Reader] = []
        self._live: dict[str, LivePage] = {}
        self._followed: dict[str, str | None] = {}
        self._link: tuple[PageLink, DataReference] | None = None
        self._before_import = workspace.snapshot()
        self._later = later
        self._labels = self.history.labels
        self._unkept: dict[tuple[str, str], dict[str, Any]] = {}
        self._lock = RLock()
        self._queue = LatestWins(self._turn, submit)
        self._serial = 0
        workspace.watch(self._hear)

    def end(self) -> None:
        """Let go of all pages; their states are in the workspace."""
        self.workspace.unwatch(self._hear)
        with self._lock:
            live, self._live = self._live, {}
        for page in live.values():
            page.end()
        self._keep()
        self.workspace.flush()

    # -- pages -------------------------------------------------------------------------------------

    def untouched(self, name: str) -> bool:
        """True if the page is as every visitor first sees it."""
        if name in self._live or self.workspace.chosen is not None:
            return False
        return self.workspace.page_state(name, self.tabs[name].data_key) is None

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

    def live(self, name: str) -> LivePage:
        """The page of this name, made from its last state.

        Raises
        ------
        KeyError
            No such page.
        """
        with self._lock:
            if name not in self._live:
                self._live[name] = self._make(name)
            return self._live[name]

    def _make(self, name: str) -> LivePage:
        tab, current = self.tabs[name], self.workspace.current
        if name != IMPORT and self.untouched(name):
            return LivePage(name, tab.make(self.workspace), self, self._later, tab.first())
        page = tab.make(self.workspace)
        self._followed[name] = current
        if name != IMPORT:
            self._take_data(name, page, current)
        return LivePage(name, page, self, self._later)

    def _take_data(self, name: str, page: Page, key: str | None) -> None:
        """Have a page show a data set as it was when it was last shown."""
        page.follow(key)
        self._keep()
        state = self.workspace.page_state(name, page.data_key)
        if state is not None:
            page.restore(state, self.workspace.file)

    # -- what the pages tell -----------------------------------------------------------------------

    def changed(self, live: LivePage, control: str, before: Mapping[str, Any]) -> None:
        """Keep the changed settings of a page; ``control`` is what a person used, "" for nothing.

        Parameters
        ----------
        live : LivePage
        control : str
        before : mapping
            The settings before.
        """
        page, name = live.page, live.name
        if name == IMPORT:
            self._imported(live)
            return
        self._keep_files(page, before, live.settings)
        self._keep_soon(name, page.data_key, live.settings)
        if not control:
            return
        data = self.workspace.snapshot()
        if page.data_key and page.data_key != self.workspace.current and _other(page, before):
            self._followed[name] = page.data_key
            self.workspace.choose(page.data_key)
        states = (data, self.workspace.snapshot())
        label = _label(page, control)
        self.history.add(Change(name, control, label, (before, live.settings), states))
        self._show_history()

    def _keep_soon(self, name: str, key: str, settings: dict[str, Any]) -> None:
        """Keep the state of a page in a moment: a drag has many."""
        with self._lock:
            first, self._unkept[name, key] = not self._unkept, settings
        if first:
            self._later(KEEP, lambda: submit(self._keep, False))

    def _keep(self) -> None:
        with self._lock:
            unkept, self._unkept = self._unkept, {}
            for (name, key), settings in unkept.items():
                self.workspace.keep_page_state(name, settings, key)

    def _keep_files(self, page: Page, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        for name, parameter in page.param.objects().items():
            if isinstance(parameter, Upload) and now.get(name) != before.get(name):
                for file, content in getattr(page, name) or ():
                    self.workspace.keep_file(file, content)

    def show_jobs(self) -> None:
        """Show how the jobs of all pages stand."""
        self.show("jobs")

    # -- what is not about one page ----------------------------------------------------------------

    def state(self, *names: str) -> dict[str, Any]:
        """What people see of the data sets, the history and the jobs.

        Parameters
        ----------
        *names : str
            Names of the entries; all by default.
        """
        return {name: _STATE[name](self) for name in names or _STATE}

    def show(self, *names: str) -> None:
        """Send entries of `state` to all browsers.

        Parameters
        ----------
        *names : str
            Names of the entries.
        """
        if self.readers:
            self.tell(bench=self.state(*names))

    def _show_history(self) -> None:
        """Show what can be undone, unless that is shown already: a drag has many steps."""
        labels = self.history.labels
        if labels != self._labels:
            self._labels = labels
            self.show("undo", "redo")

    def _jobs(self) -> list[dict[str, Any]]:
        return [job for live in list(self._live.values()) for job in _running(live)]

    def receive(self, gesture: dict[str, Any], reader: Reader) -> None:
        """Carry out a gesture that is not about one page, soon and in its order.

        Parameters
        ----------
        gesture : dict
            ``kind`` names a method below; other entries are its arguments.
        reader : Reader
            Who is answered.
        """
        if gesture["kind"] in GESTURES:
            self.audits.receive(gesture, reader)
        else:
            self.after(partial(self._carry_out, gesture, reader))

    def after(self, task: Task) -> None:
        """Run a task in a thread, after the gestures that were received before."""
        self._serial += 1
        self._queue.post(self._serial, task)

    def _turn(self, tasks: list[Task]) -> None:
        for task in tasks:
            try:
                task()
            except Exception:
                logger.exception("a task of a bench failed")

    def _carry_out(self, gesture: dict[str, Any], reader: Reader) -> None:
        try:
            action = _ACTIONS[gesture["kind"]]
            answer = action(self, gesture) or {}
        except (WorkspaceError, LinkError) as error:
            answer = {"say": str(error)}
        except Exception:
            logger.warning("an invalid gesture was ignored", exc_info=True)
            answer = {}
        reader.tell(handled=int(gesture["serial"]), **answer)

    def _look_again(self, gesture: dict[str, Any]) -> None:
        """The Data menu was opened: another process may have changed the store."""
        self.workspace.refresh()
        self.show("sets", "where", "problem")

    def _hear(self, workspace: Workspace) -> None:
        """The data sets changed: have all pages follow."""
        for live in list(self._live.values()):
            if live.name != IMPORT:
                live.change("follow", partial(self._follow, live))
        self.show("sets", "current", "problem")

    def _follow(self, live: LivePage) -> None:
        key = self.workspace.current
        if self._followed.get(live.name) == key:
            live.page.refresh()
        else:
            page = live.page
            self._followed[live.name] = key
            self._keep_soon(live.name, page.data_key, live.settings)
            self._take_data(live.name, page, key)

    def _of_data(self, label: str, change: Callable[[], Any]) -> None:
        """Change the data sets in a way that can be undone."""
        before = self.workspace.snapshot()
        change()
        self._add_data_change(label, before)

    def _add_data_change(self, label: str, before: WorkspaceState) -> None:
        states = (before, self.workspace.snapshot())
        self.history.add(Change("", label, label, ({}, {}), states))
        self._show_history()

    def _choose(self, gesture: dict[str, Any]) -> None:
        key = gesture["data"]
        self._of_data("the data set", partial(self.workspace.choose, str(key)))

    def _rename(self, gesture: dict[str, Any]) -> None:
        key, name = str(gesture["data"]), str(gesture["to"])
        self._of_data("the name of a data set", partial(self.workspace.rename, key, name))

    def _remove(self, gesture: dict[str, Any]) -> dict[str, Any]:
        key = str(gesture["data"])
        name = self.workspace.dataset(key).name
        self._of_data("the removal of a data set", partial(self.workspace.remove, key))
        return {"say": f"“{name}” was removed. Undo brings it back."}

    # -- undo --------------------------------------------------------------------------------------

    def _undo(self, gesture: dict[str, Any]) -> dict[str, Any]:
        return self._go_back(self.history.undo(), 0)

    def _redo(self, gesture: dict[str, Any]) -> dict[str, Any]:
        return self._go_back(self.history.redo(), 1)

    def _go_back(self, change: Change | None, which: int) -> dict[str, Any]:
        if change is None:
            return {}
        data = change.data[which]
        if change.data[0] != change.data[1]:
            self.workspace.revert(data)
        if change.page:
            live = self.live(change.page)
            live.change("restore", partial(self._restore, live, change.settings[which]))
        if change.audits[0] != change.audits[1]:
            self.audits.bring(change.audits[which], self)
        self._show_history()
        page = change.page or (AUDITS if change.audits[which] else "")
        return {"goto": page} if page else {}

    def _restore(self, live: LivePage, settings: Mapping[str, Any]) -> list[str]:
        self._followed[live.name] = self.workspace.current
        return live.page.restore(settings, self.workspace.file)

    def _reset(self, gesture: dict[str, Any]) -> None:
        live = self.live(gesture["reset"])
        fresh = self.tabs[live.name].make(self.workspace)
        fresh.follow(self.workspace.current)
        settings = fresh.settings()
        live.change("reset", partial(self._set_all, live, "reset", settings))

    def _set_all(self, live: LivePage, control: str, settings: Mapping[str, Any]) -> list[str]:
        """Set all settings as a person does, so that it can be undone."""
        live.session.used = control
        return self._restore(live, settings)

    def _bring_back(self, gesture: dict[str, Any]) -> None:
        """Restore the pages that a browser had when the server lost them."""
        for name, settings in dict(gesture["settings"]).items():
            if name in self.tabs and name != IMPORT:
                live = self.live(name)
                live.change("restore", partial(self._set_back, live, dict(settings)))

    def _set_back(self, live: LivePage, settings: Mapping[str, Any]) -> None:
        page = live.page
        key = settings.get("data", "")
        if page.data_key and key != page.data_key:
            try:
                self.workspace.dataset(str(key))
            except WorkspaceError:
                page.message = (
                    "The connection was lost, and the server no longer has your data set: open it "
                    "again. The page shows its initial state."
                )
                return
        lost = page.restore(settings, self.workspace.file)
        if lost:
            page.message = (
                "The connection was lost and restored. These settings could not be restored: "
                f"{', '.join(lost)}."
            )

    # -- saved audits ------------------------------------------------------------------------------

    def tell(self, **entries: Any) -> None:
        """Send a message that is not about one page to all browsers."""
        for reader in list(self.readers):
            reader.tell(**entries)

    def show_audit(self, name: str, settings: Mapping[str, Any]) -> None:
        """Have a page take the settings of a saved audit, as a person does; waits for it.

        Parameters
        ----------
        name : str
            The page.
        settings : mapping

        Raises
        ------
        TimeoutError
            The page is at work.
        """
        self.ask(name, lambda live: self._set_all(live, OPENED, settings))

    def audits_changed(self, label: str = "", key: str = "", there: bool = True) -> None:
        """Tell all browsers that the archive changed; a change with a label can be undone.

        Parameters
        ----------
        label : str
            How people call it.
        key : str
            The audit.
        there : bool
            Whether it is there now.
        """
        if label:
            now = self.workspace.snapshot()
            audits = ({key: not there}, {key: there})
            self.history.add(Change("", f"{label} {key}", label, ({}, {}), (now, now), audits))
            self._show_history()
        self.show("audits")
        self.tell(audits={"changed": True})

    # -- links -------------------------------------------------------------------------------------

    def _make_link(self, gesture: dict[str, Any]) -> dict[str, Any]:
        live = self.live(gesture["link"])
        data = {n: self.workspace.dataset(live.settings[n]) for n in _choices(live.page)}
        return {"link": PageLink.of(live.name, live.settings, data).text()}

    def _open_link(self, gesture: dict[str, Any]) -> dict[str, Any]:
        link = read_link(str(gesture["text"]))
        if link.page not in self.tabs or link.page == IMPORT:
            raise LinkError(f"The link is to a page “{link.page}”, which this version lacks.")
        for reference in link.data:
            if reference.find(self.workspace) is None:
                self._link = (link, reference)
                words = (
                    f"The link is about the data set “{reference.name}”, which is not among "
                    "yours. Open its file: the page says whether it is the same one."
                )
                return {"ask": {"words": words}}
        return self._use_link(link)

    def _use_link(self, link: PageLink, instead: str = "") -> dict[str, Any]:
        live = self.live(link.page)
        found = {one.parameter: one.find(self.workspace) for one in link.data}
        keys = {name: one.key if one else instead for name, one in found.items()}
        settings = {**link.settings, **keys}
        live.change("link", partial(self._set_link, live, settings))
        for one in link.data:
            mine = found[one.parameter]
            if mine is not None and (choice := one.read_otherwise(mine)):
                say = (
                    f"Your “{mine.name}” has the content of “{one.name}” in the link, but is read "
                    f"in another way: {choice} differs. So do the numbers."
                )
                return {"goto": link.page, "say": say}
        return {"goto": link.page}

    def _set_link(self, live: LivePage, settings: Mapping[str, Any]) -> None:
        lost = self._set_all(live, "link", settings)
        if lost:
            live.page.message = f"These settings of the link could not be used: {', '.join(lost)}."

    # -- the import step ---------------------------------------------------------------------------

    def _import(self, gesture: dict[str, Any]) -> None:
        """Begin the import step, of new files or of a data set to read in another way."""
        self._end_import()
        given = {"dataset": str(gesture["data"])} if gesture.get("data") else {}
        self._before_import = self.workspace.snapshot()
        page = self.tabs[IMPORT].make(self.workspace, **given)
        with self._lock:
            self._live[IMPORT] = LivePage(IMPORT, page, self, self._later)

    def _end_import(self, gesture: dict[str, Any] | None = None) -> None:
        if gesture is not None:  # a person closed it: the data of a link are no longer asked for
            self._link = None
        with self._lock:
            live = self._live.pop(IMPORT, None)
        if live is not None:
            live.end()

    def _imported(self, live: LivePage) -> None:
        """The import step has ended with a data set: show it."""
        key = str(getattr(live.page, "accepted", ""))
        if not key or IMPORT not in self._live:
            return
        self.workspace.choose(key)
        self._add_data_change("the data set", self._before_import)  # what was added or read anew
        say, goto = "", {}
        if self._link is not None:
            link, reference = self._link
            self._link = None
            same = self.workspace.dataset(key).sha256 == reference.sha256
            say = (
                "This is the data set of the link: the SHA-256 is the same."
                if same
                else f"This is not the data set of the link: “{reference.name}” had another "
                "SHA-256. The settings are those of the link, the numbers are not."
            )
            answer = self._use_link(link, instead=key)
            say = answer.get("say", say) if same else say
            goto = {"goto": link.page}
        self.tell(imported=key, **({"say": say} if say else {}), **goto)


_ACTIONS: dict[str, Callable[[Bench, dict[str, Any]], dict[str, Any] | None]] = {
    "data sets": Bench._look_again,
    "choose": Bench._choose,
    "rename": Bench._rename,
    "remove": Bench._remove,
    "undo": Bench._undo,
    "redo": Bench._redo,
    "reset": Bench._reset,
    "restore": Bench._bring_back,
    "link": Bench._make_link,
    "open link": Bench._open_link,
    "import": Bench._import,
    "close import": Bench._end_import,
}


_STATE: dict[str, Callable[[Bench], Any]] = {
    "sets": lambda bench: data_sets(bench.workspace),
    "current": lambda bench: bench.workspace.current,
    "where": lambda bench: bench.workspace.where,
    "problem": lambda bench: bench.workspace.problem,
    "undo": lambda bench: bench.history.labels[0],
    "redo": lambda bench: bench.history.labels[1],
    "jobs": Bench._jobs,
    "audits": lambda bench: bench.audits.opened,
}


#: The draw that the Data menu offers before a person has made one.
FIRST_DRAW = "draw:gaussian?mu=1.0&n=10000&seed=0"


def data_sets(workspace: Workspace) -> list[dict[str, Any]]:
    """What the Data menu shows of the data sets of a workspace."""
    current = workspace.current or ""
    draw = current if current.startswith(DRAW) else FIRST_DRAW
    groups = {
        "own": workspace.own,
        "shared": workspace.shared,
        "example": [workspace.dataset(f"{EXAMPLE}{name}") for name in NAMES],
        "draw": [workspace.dataset(draw)],
    }
    return [shown(group, one) for group, sets in groups.items() for one in sets]


def first_data_set(workspace: Workspace, key: str) -> dict[str, Any]:
    """What the Data menu shows of the data set that a page begins with."""
    return shown("draw" if key.startswith(DRAW) else "example", workspace.dataset(key))


def shown(group: str, one: DataSet) -> dict[str, Any]:
    """What the Data menu shows of a data set of one of its groups."""
    own = group == "own"
    return {
        "key": one.key,
        "name": one.name,
        "group": group,
        "size": f"{one.n_p:,} + {one.n_q:,}",
        "source": one.describe() if own else one.source.describe(),
        "when": one.created.isoformat() if own else "",
        "sha256": one.sha256,
        "kind": one.kind,
    }


def _running(live: LivePage) -> list[dict[str, Any]]:
    found = []
    for name, text in live.jobs.items():
        job = json.loads(text)
        if job["status"] == "running":
            title = live.page.jobs()[name.removeprefix("job_")].title
            found.append({"page": live.name, "title": title, "fraction": job["fraction"]})
    return found


def _other(page: Page, before: Mapping[str, Any]) -> bool:
    """Whether a person chose another data set on the page."""
    chooses = next(name for name in _choices(page) if getattr(page, name) == page.data_key)
    return bool(before.get(chooses) != page.data_key)


def _choices(page: Page) -> list[str]:
    """Names of the parameters of a page that choose a data set."""
    return [n for n, one in page.param.objects().items() if isinstance(one, DataChoice)]


def _label(page: Page, control: str) -> str:
    """How people call what they used."""
    if control in page.param:
        return str(page.param[control].label)
    return {"click": "a click in a chart", "link": "the link", "reset": "the reset"}.get(
        control, control
    )
