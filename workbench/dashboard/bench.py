"""`Bench`: the pages of one visitor on the visitor's data sets, with undo, links and running jobs.

What is not about one page goes in messages without the name of a page::

    {"page": "", "handled": 3,
     "bench": {"sets": [...], "current": "example:gaussian", "undo": "Threshold", ...},
     "goto": "plan", "say": "…", "link": "…", "ask": {"words": "…"}, "imported": "key"}
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from functools import partial
from threading import Event, RLock
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from workbench.assets.audits import NAME as AUDITS
from workbench.dashboard.audits import GESTURES, OPENED, AuditRequests
from workbench.dashboard.files import KINDS, Receiver
from workbench.dashboard.limits import LimitError
from workbench.dashboard.live_page import Later, LivePage
from workbench.dashboard.permissions import RoleError, size_words
from workbench.dashboard.services import Services
from workbench.dashboard.sharing import DATA, ShareRequests, Sharing
from workbench.dashboard.tab import Tab
from workbench.dashboard.worker import Turns
from workbench.pages.core.history import Change, History
from workbench.pages.core.page import Page
from workbench.pages.core.queue import LatestWins, Task
from workbench.pages.core.upload import Upload
from workbench.pages.inputs.data import DataChoice
from workbench.scores.examples import NAMES
from workbench.tables.examples import TABLES
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.draws import DRAW
from workbench.workspaces.errors import LinkError, WorkspaceError
from workbench.workspaces.followed.data import KEY as FOLLOWED
from workbench.workspaces.followed.source import following_of
from workbench.workspaces.link import DataReference, PageLink, read_link
from workbench.workspaces.parts.kept_data import WorkspaceState
from workbench.workspaces.score_tables.sources import DRAWN_TABLE, DrawnTableSource
from workbench.workspaces.sources import EXAMPLE
from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)

T = TypeVar("T")

#: The page of the import step, which is shown in a dialog and is no part of the history.
IMPORT = "import"

#: The page that shows a data set of each kind, where another page is in view.
FIRST_PAGES = {"scores": "scores", "table": "records"}

#: Seconds after which changed settings are kept. Until then the bench has them, and so has the
#: browser, which brings them back if the server loses them.
KEEP = 5.0

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
    services : Services, optional
        What it uses of the server that it is part of.
    """

    def __init__(
        self,
        workspace: Workspace,
        tabs: Mapping[str, Tab],
        later: Later,
        by: str = "",
        services: Services | None = None,
    ):
        self.workspace, self.tabs = workspace, tabs
        self.services = Services() if services is None else services
        self.may = self.services.may
        self.sharing = sharing = self.services.sharing
        self.history = History()
        #: The turns of all pages: fair to other people.
        self.turns = Turns()
        self.audits = AuditRequests(self, by)
        self.readers: list[Reader] = []
        self._live: dict[str, LivePage] = {}
        self._followed: dict[str, str | None] = {}
        self._link: tuple[PageLink, DataReference] | None = None
        self._before_import = workspace.kept.snapshot()
        self._later = later
        self._labels = self.history.labels
        self._unkept: dict[tuple[str, str], dict[str, Any]] = {}
        self._lock = RLock()
        self._queue = LatestWins(self._turn, self.turns.submit)
        self._serial = 0
        self._lent: Mapping[str, tuple[str, str, DataSet]] = {}
        self.shares = None if sharing is None else ShareRequests(sharing)
        if sharing is not None:
            sharing.listen(self._look_at_shares)
            self.after(self._note_lent)  # not here: it reads what others have
        workspace.changes.watch(self._hear)
        self._following = self.services.following
        if self._following is not None:
            self._following.listen(self._hear_of_rows)

    def end(self) -> None:
        """Let go of all pages; their states are in the workspace."""
        self.workspace.changes.unwatch(self._hear)
        if self._following is not None:
            self._following.unlisten(self._hear_of_rows)
        if self.sharing is not None:
            self.sharing.unlisten(self._look_at_shares)
        with self._lock:
            live, self._live = self._live, {}
        for page in live.values():
            page.end()
        self.audits.end()
        self.keep()
        self.workspace.storage.flush()

    def settle(self, seconds: float) -> bool:
        """Wait until everything is done that was asked before; False if it takes longer.

        Parameters
        ----------
        seconds : float
        """
        pages = list(self._live.values())
        asked = [self.audits, *([] if self.shares is None else [self.shares])]
        posts = [self.after, *(one.post for one in asked)]
        posts += [partial(live.change, f"settled {id(live)}") for live in pages]
        done = [Event() for _ in posts]
        for post, one in zip(posts, done, strict=True):
            post(one.set)
        deadline = time.monotonic() + seconds
        return all(one.wait(max(deadline - time.monotonic(), 0.0)) for one in done)

    @property
    def jobs_running(self) -> int:
        """How many jobs run or wait."""
        return len(self._jobs())

    # -- pages -------------------------------------------------------------------------------------

    def untouched(self, name: str) -> bool:
        """True if the page is as every visitor first sees it."""
        taken = self.tabs[name].kind.takes
        if name in self._live or self.workspace.active.chosen(taken) or self._following is not None:
            return False
        return self.workspace.page_states.get(name, self.tabs[name].data_key) is None

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
        tab = self.tabs[name]
        current = self.workspace.active.key(tab.kind.takes)
        if name != IMPORT and self.untouched(name):
            made = tab.make(self.workspace)
            return LivePage(name, made, self, self._later, tab.first(), self.services.runner)
        page = tab.make(self.workspace)
        self._followed[name] = current
        if name != IMPORT:
            self._take_data(name, page, current)
        return LivePage(name, page, self, self._later, runner=self.services.runner)

    def _take_data(self, name: str, page: Page, key: str | None) -> None:
        """Have a page show a data set as it was when it was last shown."""
        page.follow(key)
        self.keep()
        state = self.workspace.page_states.get(name, page.data_key)
        if state is not None:
            page.restore(page.still_true(state), self.workspace.file)

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
        chosen = bool(page.data_key) and _other(page, before)
        kept = self._kept(name, page.data_key) if chosen else None
        self._keep_soon(name, page.data_key, live.settings)
        if not control:
            return
        data = self.workspace.kept.snapshot()
        in_view = self.workspace.active.key(page.takes)
        if chosen and page.data_key != in_view:
            self._followed[name] = page.data_key
            self.workspace.active.choose(page.data_key)
        states = (data, self.workspace.kept.snapshot())
        label = _label(page, control)
        overwritten = {} if kept is None else {page.data_key: kept}
        self.history.add(
            Change(name, control, label, (before, live.settings), states, kept=overwritten)
        )
        self._show_history()

    def go(self, page: Page) -> None:
        """Have the browsers go to the page that a control of another one asked for.

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
                live.change("restore", partial(self._restore, live, settings))
            self.tell(goto=asked)

    def _keep_soon(self, name: str, key: str, settings: dict[str, Any]) -> None:
        """Keep the state of a page in a moment: a drag has many."""
        with self._lock:
            first, self._unkept[name, key] = not self._unkept, settings
        if first:
            self._later(KEEP, lambda: self.turns.submit(self.keep, True))

    def _kept(self, name: str, key: str) -> Mapping[str, Any] | None:
        """The settings that a page had on a data set; None if it never had it in view."""
        with self._lock:
            return self._unkept.get((name, key)) or self.workspace.page_states.get(name, key)

    def keep(self) -> None:
        """Keep the changed settings now."""
        with self._lock:
            unkept, self._unkept = self._unkept, {}
            for (name, key), settings in unkept.items():
                self.workspace.page_states.keep(name, settings, key)

    def _keep_files(self, page: Page, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        for name, parameter in page.param.objects().items():
            if isinstance(parameter, Upload) and now.get(name) != before.get(name):
                for file in getattr(page, name) or ():
                    try:
                        self.workspace.files.keep(file.name, file.content())
                    except LimitError as error:  # the page shows it; a reload does not
                        page.message = f"“{file.name}” is not kept. {error}"

    def show_jobs(self) -> None:
        """Show how the jobs of all pages stand."""
        self.show("jobs")

    def receiver(self) -> Receiver:
        """What puts the uploads of a page together."""
        return Receiver(self.services.uploads, self._require_upload)

    def _require_upload(self, size: int) -> None:
        """Refuse files that were announced; called in a thread."""
        self.may.require({"kind": "files"})
        self.workspace.storage.require_room(size)

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
        try:
            if gesture["kind"] not in KINDS:  # uploads are refused by their receiver
                self.may.require(gesture)
        except RoleError as error:
            self._refuse(gesture, reader, str(error))
            return
        if gesture["kind"] in GESTURES:
            self.audits.receive(gesture, reader)
        elif gesture["kind"] == "share" and self.shares is not None:
            self.shares.receive(gesture, reader)
        else:
            self.after(partial(self._carry_out, gesture, reader))

    def _refuse(self, gesture: dict[str, Any], reader: Reader, words: str) -> None:
        """Say why something is not done."""
        logger.info("a gesture was refused", extra={"event": "role_refused"})
        entry = {"audit": "audits", "share": "shares"}.get(gesture["kind"], "")
        answer = {entry: {"request": gesture.get("request"), "problem": words}}
        reader.tell(handled=int(gesture["serial"]), **(answer if entry else {"say": words}))

    def after(self, task: Task) -> None:
        """Run a task in a thread, after the gestures that were received before."""
        self._serial += 1
        self._queue.post(self._serial, task)

    @property
    def backlog(self) -> int:
        """Gestures about more than one page, and questions, that wait."""
        shares = 0 if self.shares is None else self.shares.size
        return self._queue.size + self.audits.size + shares

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
        except (WorkspaceError, LinkError, LimitError) as error:
            answer = {"say": str(error)}
        except Exception:
            logger.warning("an invalid gesture was ignored", exc_info=True)
            answer = {}
        reader.tell(handled=int(gesture["serial"]), **answer)

    def _look_again(self, gesture: dict[str, Any]) -> None:
        """The Data menu was opened: another process may have changed the store."""
        self.workspace.changes.refresh()
        self.show("sets", "where", "problem", "removed")

    def _hear(self, workspace: Workspace) -> None:
        """The data sets changed: have all pages follow."""
        for live in list(self._live.values()):
            if live.name != IMPORT:
                live.change("follow", partial(self._follow, live))
        self.show("sets", "current", "table", "problem", "removed")

    def _follow(self, live: LivePage) -> None:
        key = self.workspace.active.key(live.page.takes)
        if self._followed.get(live.name) == key:
            live.page.refresh()
        else:
            page = live.page
            self._followed[live.name] = key
            self._keep_soon(live.name, page.data_key, live.settings)
            self._take_data(live.name, page, key)

    def _hear_of_rows(self) -> None:
        """Rows arrived in the file that is followed: have its pages show them."""
        for live in list(self._live.values()):
            if live.page.shows_live:
                live.change("rows", partial(self._show_rows, live))

    def _show_rows(self, live: LivePage) -> None:
        if live.page.data_key == FOLLOWED:
            live.page.refresh()
        elif self.workspace.current == FOLLOWED:  # there were too few before
            live.page.follow(FOLLOWED)

    def _of_data(self, label: str, change: Callable[[], Any]) -> None:
        """Change the data sets in a way that can be undone."""
        before = self.workspace.kept.snapshot()
        change()
        self._add_data_change(label, before)

    def _add_data_change(self, label: str, before: WorkspaceState) -> None:
        states = (before, self.workspace.kept.snapshot())
        self.history.add(Change("", label, label, ({}, {}), states))
        self._show_history()

    def _choose(self, gesture: dict[str, Any]) -> dict[str, Any]:
        """Take a data set into view, on a page that takes it."""
        key, name = str(gesture["data"]), str(gesture.get("on", ""))
        self._of_data("the data set", partial(self.workspace.active.choose, key))
        kind = self.workspace.dataset(key).kind
        tab = self.tabs.get(name)
        shows = tab is None or (tab.kind.takes == kind if tab.data_key else kind == "scores")
        first = FIRST_PAGES[kind]
        return {} if shows or first not in self.tabs else {"goto": first}

    def _rename(self, gesture: dict[str, Any]) -> None:
        key, name = str(gesture["data"]), str(gesture["to"])
        self._of_data("the name of a data set", partial(self.workspace.kept.rename, key, name))

    def _remove(self, gesture: dict[str, Any]) -> dict[str, Any]:
        key = str(gesture["data"])
        name = self.workspace.dataset(key).name
        self._of_data("the removal of a data set", partial(self.workspace.kept.remove, key))
        return {"say": f"“{name}” was removed. Undo brings it back."}

    def _purge(self, gesture: dict[str, Any]) -> dict[str, Any]:
        """Delete for good what was removed, which makes room."""
        before = self.workspace.storage.size
        self.workspace.kept.purge()
        if self.workspace.storage.may_have_audits:
            self.workspace.audits.purge()
        self.show("removed")
        free = size_words(max(0, before - self.workspace.storage.size))
        return {"say": f"Deleted for good: {free} are free again."}

    # -- what others share -------------------------------------------------------------------------

    def _note_lent(self) -> None:
        if self.sharing is not None:
            self._lent = self.sharing.lent()

    def _look_at_shares(self) -> None:
        """Somebody shared something, or took it back: look again, soon and in a thread."""
        self.after(self._hear_of_shares)

    def _hear_of_shares(self) -> None:
        if self.sharing is None:
            return
        before, self._lent = self._lent, self.sharing.lent()
        gone = before.keys() - self._lent.keys()
        pages = list(self._live.values()) if gone else []
        for live in pages:
            live.change("end jobs", partial(_end_jobs, live.page, gone))
        if before != self._lent:
            self.workspace.changes.announce()  # pages follow to what they begin with
        else:
            self.show("sets")
        for live in pages:
            live.change("let go", partial(self._let_go, live, gone))
        news = [
            *(f"“{before[key][0]}” is no longer shared with you." for key in sorted(gone)),
            *(
                f"{owner} shares “{name}” with you."
                for key, (name, owner, _) in self._lent.items()
                if key not in before
            ),
        ]
        self.tell(audits={"changed": True}, **({"say": " ".join(news)} if news else {}))

    def _let_go(self, live: LivePage, gone: Collection[str]) -> None:
        """Have a page show what it begins with, instead of data sets that are gone."""
        if live.name == IMPORT:
            dataset = getattr(live.page, "dataset", None)
            if dataset is not None and dataset.key in gone:
                self.tell(imported="")
                self._end_import()
            return
        page = live.page
        lost = {n: page.param[n].default for n in _choices(page) if getattr(page, n) in gone}
        if lost:
            page.param.update(**lost)
            page.message = ""

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
            self.workspace.kept.revert(data)
        if change.page:
            live = self.live(change.page)
            kept = {} if which else change.kept
            live.change("restore", partial(self._restore, live, change.settings[which], kept))
        if change.audits[0] != change.audits[1]:
            self.audits.bring(change.audits[which], self)
        self._show_history()
        page = change.page or (AUDITS if change.audits[which] else "")
        return {"goto": page} if page else {}

    def _restore(
        self,
        live: LivePage,
        settings: Mapping[str, Any],
        kept: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> list[str]:
        """Set a page as it was; ``kept`` is what it had on data sets that it leaves by that."""
        self._followed[live.name] = self.workspace.active.key(live.page.takes)
        for key, left in kept.items():
            self._keep_soon(live.name, key, dict(left))
        return live.page.restore(settings, self.workspace.file)

    def _reset(self, gesture: dict[str, Any]) -> None:
        live = self.live(gesture["reset"])
        fresh = self.tabs[live.name].make(self.workspace)
        fresh.follow(self.workspace.active.key(fresh.takes))
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
        key = settings.get("data", page.data_key)
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
            now = self.workspace.kept.snapshot()
            audits = ({key: not there}, {key: there})
            self.history.add(Change("", f"{label} {key}", label, ({}, {}), (now, now), audits))
            self._show_history()
        if self.sharing is not None:
            self.sharing.changed()
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
        self._before_import = self.workspace.kept.snapshot()
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
        self.workspace.active.choose(key)
        self._add_data_change("the data set", self._before_import)  # what was added or read anew
        say, goto = "", {}
        if self.workspace.dataset(key).kind == "table":
            goto = {"goto": FIRST_PAGES["table"]}
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
    "purge": Bench._purge,
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
    "sets": lambda bench: data_sets(bench.workspace, bench.sharing),
    "current": lambda bench: bench.workspace.current,
    "table": lambda bench: bench.workspace.current_table,
    "where": lambda bench: bench.workspace.storage.where,
    "problem": lambda bench: bench.workspace.problem,
    "undo": lambda bench: bench.history.labels[0],
    "redo": lambda bench: bench.history.labels[1],
    "jobs": Bench._jobs,
    "audits": lambda bench: bench.audits.opened,
    "may": lambda bench: bench.may.state,
    "removed": lambda bench: removed(bench.workspace),
    "shares": lambda bench: bench.sharing is not None,
}


#: The draw that the Data menu offers before a person has made one.
FIRST_DRAW = "draw:gaussian?mu=1.0&n=10000&seed=0"


def _end_jobs(page: Page, gone: Collection[str]) -> None:
    """End the jobs of a page that shows data sets that are gone: they hold the data."""
    if any(getattr(page, name) in gone for name in _choices(page)):
        page.end_jobs()


def data_sets(workspace: Workspace, sharing: Sharing | None = None) -> list[dict[str, Any]]:
    """What the Data menu shows of the data sets of a workspace.

    Parameters
    ----------
    workspace : Workspace
    sharing : Sharing, optional
        What others read of it.
    """
    current = workspace.current or ""
    draw = current if current.startswith(DRAW) else FIRST_DRAW
    table = workspace.current_table or ""
    drawn = table if table.startswith(DRAWN_TABLE) else DrawnTableSource().key
    others = workspace.catalog.shared  # once: somebody may share more meanwhile
    owners = {one.key: workspace.owner_of(one.key) for one in others}
    shared = set() if sharing is None else set(sharing.shared(DATA))
    groups = {
        "own": workspace.catalog.own,
        "lent": [one for one in others if owners[one.key]],
        "shared": [one for one in others if not owners[one.key]],
        "example": [workspace.dataset(f"{EXAMPLE}{name}") for name in (*NAMES, *TABLES)],
        "draw": [workspace.dataset(draw), workspace.dataset(drawn)],
    }
    return [
        shown(group, one)
        | ({"owner": owners[one.key]} if group == "lent" else {})
        | ({"shared": True} if group == "own" and one.key in shared else {})
        for group, sets in groups.items()
        for one in sets
    ]


def removed(workspace: Workspace) -> int:
    """Data sets that were removed and are not yet deleted for good."""
    return sum(one.removed is not None for one in workspace.kept.snapshot().entries.values())


def first_data_set(workspace: Workspace, key: str) -> dict[str, Any]:
    """What the Data menu shows of the data set that a page begins with."""
    return shown("draw" if key.startswith(DRAW) else "example", workspace.dataset(key))


def shown(group: str, one: DataSet) -> dict[str, Any]:
    """What the Data menu shows of a data set of one of its groups."""
    personal = group in ("own", "lent")
    return {
        "key": one.key,
        "name": one.name,
        "group": group,
        "size": one.size,
        "source": one.describe() if personal else one.source.describe(),
        "when": one.created.isoformat() if personal else "",
        "sha256": "" if following_of(one) else one.sha256,
        "kind": one.kind,
    }


def _running(live: LivePage) -> list[dict[str, Any]]:
    return [
        {
            "page": live.name,
            "title": live.page.jobs()[name].title,
            "fraction": job["fraction"],
        }
        for name, job in live.running().items()
    ]


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
