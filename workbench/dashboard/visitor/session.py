"""`VisitorSession`: what a visitor has open, by what it is about.

What is not about one page goes in messages without the name of a page::

    {"page": "", "handled": 3,
     "bench": {"sets": [...], "current": "example:gaussian", "undo": "Threshold", ...},
     "goto": "plan", "say": "…", "link": "…", "ask": {"words": "…"}, "imported": "key"}
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from threading import Event

from workbench.dashboard.audits import AuditRequests
from workbench.dashboard.gestures import GESTURES, name_of
from workbench.dashboard.limits import LimitError
from workbench.dashboard.live_page import Later
from workbench.dashboard.permissions import RoleError
from workbench.dashboard.requests import Requests
from workbench.dashboard.services import Services
from workbench.dashboard.tab import Tab
from workbench.dashboard.visitor.browsers import OpenBrowsers, Reader
from workbench.dashboard.visitor.data_sets import VisitorData, data_sets, removed
from workbench.dashboard.visitor.history import History
from workbench.dashboard.visitor.import_step import ImportStep
from workbench.dashboard.visitor.lent import LentDataSets
from workbench.dashboard.visitor.links import Links
from workbench.dashboard.visitor.pages import OpenPages, jobs_of
from workbench.dashboard.visitor.undo import Undo
from workbench.pages.core.gestures import Message
from workbench.pages.core.queue import LatestWins, Task
from workbench.workspaces.errors import LinkError, WorkspaceError
from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)


class VisitorSession:
    """What a visitor has open.

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
        services = Services() if services is None else services
        self.workspace, self.services, self.may = workspace, services, services.may
        self.browsers = browsers = OpenBrowsers()
        self.history = history = History(workspace, browsers)
        self.pages = pages = OpenPages(workspace, tabs, later, services, browsers, history)
        self.data = VisitorData(pages, history, browsers)
        self.links = Links(pages)
        self.importing = ImportStep(pages, self.links, history, browsers)
        sharing = services.sharing
        self.audits = AuditRequests(pages, history, browsers, sharing, by)
        self.undo = Undo(history, pages, self.audits)
        self._queue = LatestWins(self._turn, pages.turns.submit)
        self._serial = 0
        self.shares: Requests | None = None
        self._lent: LentDataSets | None = None
        if sharing is not None:
            self.shares = Requests("shares", sharing.dialog)
            self._lent = LentDataSets(sharing, pages, self.importing, browsers, self.after)
        #: What answers questions, by the kind of the gestures.
        self._asked: dict[str, Requests] = {"audit": self.audits}
        if self.shares is not None:
            self._asked["share"] = self.shares
        browsers.entries = {
            "sets": lambda: data_sets(workspace, sharing),
            "current": lambda: workspace.current,
            "table": lambda: workspace.current_table,
            "where": lambda: workspace.storage.where,
            "problem": lambda: workspace.problem,
            "undo": lambda: history.labels[0],
            "redo": lambda: history.labels[1],
            "jobs": partial(jobs_of, pages),
            "audits": lambda: self.audits.opened,
            "may": lambda: services.may.state,
            "removed": lambda: removed(workspace),
            "shares": lambda: sharing is not None,
            "people": lambda: sharing is not None and sharing.has_people,
        }
        workspace.changes.watch(self.data.changed)
        self._following = services.following
        if self._following is not None:
            self._following.listen(self.data.rows_arrived)

    def end(self) -> None:
        """Let go of all pages; their states are in the workspace."""
        self.workspace.changes.unwatch(self.data.changed)
        if self._following is not None:
            self._following.unlisten(self.data.rows_arrived)
        if self._lent is not None:
            self._lent.end()
        self.pages.end()
        self.audits.upload.end()
        self.workspace.storage.flush()

    def settle(self, seconds: float) -> bool:
        """Wait until everything is done that was asked before; False if it takes longer."""
        posts: list[Callable[[Task], None]] = [
            self.after,
            *(one.post for one in self._asked.values()),
            *(partial(live.change, f"settled {id(live)}") for live in self.pages.open),
        ]
        done = [Event() for _ in posts]
        for post, one in zip(posts, done, strict=True):
            post(one.set)
        deadline = time.monotonic() + seconds
        return all(one.wait(max(deadline - time.monotonic(), 0.0)) for one in done)

    @property
    def jobs_running(self) -> int:
        """How many jobs run or wait."""
        return len(jobs_of(self.pages))

    @property
    def backlog(self) -> int:
        """Gestures about more than one page, and questions, that wait."""
        return self._queue.size + sum(one.size for one in self._asked.values())

    def leave(self, reader: Reader) -> None:
        """Send a browser that is gone nothing more."""
        if reader in self.browsers.readers:
            self.browsers.readers.remove(reader)
            self.audits.upload.leave(reader)

    def carry_out(self, gesture: Message, reader: Reader) -> None:
        """Carry out a gesture that is not about one page, soon and in its order.

        Parameters
        ----------
        gesture : dict
            See `workbench.dashboard.gestures`.
        reader : Reader
            Who is answered.
        """
        known = GESTURES.get(name_of(gesture))
        if known is not None and known.handler == "upload":  # refused by its receiver
            self.audits.upload.carry_out(gesture, reader)
            return
        try:
            self.may.require(gesture)
        except RoleError as error:
            self._refuse(gesture, reader, str(error))
            return
        asked = self._asked.get(gesture["kind"])
        if asked is None:
            self.after(partial(self._carry_out, gesture, reader))
        else:
            asked.ask(gesture, reader)

    def after(self, task: Task) -> None:
        """Run a task in a thread, after the gestures that were received before."""
        self._serial += 1
        self._queue.post(self._serial, task)

    def _refuse(self, gesture: Message, reader: Reader, words: str) -> None:
        """Say why something is not done."""
        logger.info("a gesture was refused", extra={"event": "role_refused"})
        entry = {"audit": "audits", "share": "shares"}.get(gesture["kind"], "")
        answer = {entry: {"request": gesture.get("request"), "problem": words}}
        reader.tell(handled=int(gesture["serial"]), **(answer if entry else {"say": words}))

    def _turn(self, tasks: list[Task]) -> None:
        for task in tasks:
            try:
                task()
            except Exception:
                logger.exception("a task of a session failed")

    def _carry_out(self, gesture: Message, reader: Reader) -> None:
        try:
            self.pages.finish_drags()
            part, _, method = GESTURES[name_of(gesture)].handler.partition(".")
            answer = getattr(getattr(self, part), method)(gesture) or {}
        except (WorkspaceError, LinkError, LimitError) as error:
            answer = {"say": str(error)}
        except Exception:
            logger.warning("an invalid gesture was ignored", exc_info=True)
            answer = {}
        reader.tell(handled=int(gesture["serial"]), **answer)
