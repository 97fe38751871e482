"""`AuditRequests`: what a visitor asks of the archive of audits, answered in threads that may wait.

A browser asks with a number of its own, and is answered when the archive has done it::

    {"kind": "audit", "do": "list", "request": 3, "text": "ledger", "offset": 0}
    {"page": "", "audits": {"request": 3, "answer": {…}}}
    {"page": "", "audits": {"request": 3, "problem": "…"}}

A file to import comes before as ``files`` and their ``chunk``s; see `workbench.dashboard.files`.
Every browser of the visitor hears ``{"audits": {"changed": true}}`` after a change.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from workbench.assets import audits as assets
from workbench.audits.archive import Archive
from workbench.audits.errors import ArchiveError
from workbench.dashboard.files import Receiver, UploadError
from workbench.dashboard.live_page import LivePage
from workbench.dashboard.tab import Tab
from workbench.dashboard.worker import submit
from workbench.pages.auditing.attached import attachments_of, bring_data
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.auditing.page_of import page_of
from workbench.pages.core.page import Page
from workbench.pages.core.queue import LatestWins, Task
from workbench.pages.core.upload import Upload
from workbench.pages.inputs.data import DataChoice
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.storing.store import MemoryStore
from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)

#: Kinds of the gestures that are answered here.
GESTURES = ("audit", "files", "chunk")

#: Audits in an answer; people ask for more.
MOST = 50

#: Audits in a comparison: as many as can be told apart in a chart.
MOST_COMPARED = 6

#: Where and for how long a server keeps audits; see `workbench.dashboard.serving.visitors.KEPT`.
IN_MEMORY = (
    "in the memory of this server until 12 hours after your last visit, or until it is stopped: "
    "export what you want to keep"
)

#: What the history calls the changes that can be undone.
OPENED, REMOVED, RESTORED, IMPORTED = (
    "the saved audit",
    "the deletion of an audit",
    "the return of an audit",
    "the import of an audit",
)


class Answered(Protocol):
    """A browser that is answered."""

    def tell(self, **entries: Any) -> None:
        """Send a message without a page."""


class AuditPages(Protocol):
    """The bench whose pages are saved and opened."""

    workspace: Workspace
    tabs: Mapping[str, Tab]

    def ask(self, name: str, question: Callable[[LivePage], Any]) -> Any:
        """The answer of a page, in its turn."""

    def show_audit(self, name: str, settings: Mapping[str, Any]) -> None:
        """Have a page take the settings of an audit, in a way that can be undone."""

    def audits_changed(self, label: str = "", key: str = "", there: bool = True) -> None:
        """Tell all browsers; a change with a label can be undone."""


class AuditRequests:
    """What a visitor asks of the archive, one after the other.

    Parameters
    ----------
    bench : AuditPages
    by : str
        Name of the visitor, who makes the audits; "" for strangers.
    """

    def __init__(self, bench: AuditPages, by: str = ""):
        self.bench, self.by = bench, by
        self.versions_of: dict[str, str] = {}  # page -> the audit that it was opened from
        self._queue = LatestWins(self._turn, lambda turn, blocks: submit(turn, True))
        self._serial = 0
        self._asked = False
        self._receiver = Receiver()
        self._received: tuple[tuple[str, bytes], ...] = ()
        self._refused = ""

    def receive(self, gesture: dict[str, Any], reader: Answered) -> None:
        """Take a gesture of `GESTURES`; its answer comes later.

        Parameters
        ----------
        gesture : dict
        reader : Answered
        """
        if gesture["kind"] == "audit":
            self._post(partial(self._answer, gesture, reader))
        else:
            self._take(gesture)
        reader.tell(handled=int(gesture["serial"]))

    def bring(self, there: Mapping[str, bool], reader: Answered | None = None) -> None:
        """Remove audits or bring them back, as undo and redo do.

        Parameters
        ----------
        there : mapping of str to bool
            Whether the audit of a key is there.
        reader : Answered, optional
            Hears of problems.
        """

        def change() -> None:
            try:
                for key, stays in there.items():
                    (self.archive.restore if stays else self.archive.remove)(key)
            except Exception as error:
                logger.warning("an audit could not be changed", exc_info=True)
                if reader is not None:
                    reader.tell(say=_words(error))
            self.bench.audits_changed()

        self._post(change)

    @property
    def archive(self) -> Archive:
        """The archive of the visitor, opened when it is first used."""
        return self.bench.workspace.audits

    @property
    def opened(self) -> bool:
        """Whether the visitor may have saved audits; to know it opens no archive."""
        return self._asked or self.bench.workspace.where != MemoryStore.where

    # -- in a thread -------------------------------------------------------------------------------

    def _post(self, task: Task) -> None:
        self._serial += 1
        self._queue.post(self._serial, task)

    def _turn(self, tasks: list[Task]) -> None:
        for task in tasks:
            task()

    def _answer(self, gesture: dict[str, Any], reader: Answered) -> None:
        request, self._asked = gesture.get("request"), True
        try:
            answer: dict[str, Any] = {"answer": _ANSWERS[gesture["do"]](self, gesture)}
        except Exception as error:
            logger.log(_level(error), "an audit request failed", exc_info=True)
            answer = {"problem": _words(error)}
        reader.tell(audits={"request": request, **answer})

    def _take(self, gesture: dict[str, Any]) -> None:
        """Put an upload together; what is wrong with it is said when it is to be imported."""
        try:
            if gesture["kind"] == "files":
                self._received, self._refused = (), ""
            self._received = self._receiver.take(gesture) or self._received
        except UploadError as error:
            self._refused = str(error)

    # -- what can be asked -------------------------------------------------------------------------

    def _list(self, gesture: dict[str, Any]) -> dict[str, Any]:
        """The newest audits that match, and where they are kept."""
        offset = max(0, int(gesture.get("offset", 0)))
        most = min(MOST, int(gesture.get("most", MOST)))
        found = self.archive.search(
            text=str(gesture.get("text", "")).strip(),
            page=str(gesture.get("of", "")),
            tags=tuple(map(str, gesture.get("tags", ()))),
            series=str(gesture.get("series", "")),
            limit=most + 1,
            offset=offset,
        )
        return {
            "audits": [assets.row(one) for one in found[:most]],
            "more": len(found) > most,
            **self._kept(),
        }

    def _kept(self) -> dict[str, str]:
        """Where the audits are kept, for how long, and what is wrong with that."""
        where = self.archive.where
        where = IN_MEMORY if where.startswith("in the memory") else where
        return {"kept": f"Saved audits are kept {where}.", "problem": self.archive.problem}

    def _propose(self, gesture: dict[str, Any]) -> dict[str, Any]:
        """What the dialog begins with, before a page is saved."""
        page = str(gesture["of"])
        shown = self.bench.ask(page, lambda live: live.page.snapshot())
        data = [shown.workspace.dataset(shown.data_key).name] if shown.data_key else []
        now = datetime.now()
        subject = ", ".join([self.bench.tabs[page].title, *data])
        answer: dict[str, Any] = {
            "name": f"{subject}, {now.day} {now:%B %Y}",
            "note": "",
            "tags": [],
            "scores": _attachable(shown),
            **self._kept(),
            "previous": None,
        }
        if page in self.versions_of:
            before = self.archive[self.versions_of[page]]
            known = {"name": before.name, "note": before.note, "tags": list(before.tags)}
            answer["previous"] = {"key": before.key, **known}
        return answer

    def _save(self, gesture: dict[str, Any]) -> dict[str, Any]:
        """Save a page as it is, in its turn."""
        page, previous = str(gesture["of"]), str(gesture.get("previous", ""))
        shown = self.bench.ask(page, lambda live: live.page.snapshot())
        fresh = self.bench.tabs[page].make(shown.workspace)
        fresh.follow(shown.data_key or None)
        audit = audit_of(shown, by=self.by, fresh=fresh)
        attached = attachments_of(shown) if gesture.get("scores") else ()
        saved = self.archive.save(
            audit,
            name=str(gesture["name"]),
            note=str(gesture.get("note", "")),
            tags=tuple(map(str, gesture.get("tags", ()))),
            previous=previous,
            attachments=attached,
        )
        if previous:
            self.versions_of[page] = saved.key
        self.bench.audits_changed()
        return {"key": saved.key, "name": saved.name}

    def _record(self, gesture: dict[str, Any]) -> dict[str, Any]:
        """A saved audit in full, its versions and what is attached to it."""
        audit = self.archive[str(gesture["key"])]
        return {
            **assets.record(audit),
            "removed": self.archive.find(audit.key).removed,
            "versions": [assets.row(one) for one in self.archive.versions(audit.key)],
            "attached": [
                {"name": one.name, "kind": one.kind, "size": len(one.content)}
                for one in self.archive.attachments(audit.key)
            ],
        }

    def _open(self, gesture: dict[str, Any]) -> dict[str, Any]:
        """Have the page of an audit show it again; without its data, say what is missing."""
        audit = self.archive[str(gesture["key"])]
        workspace = self.bench.workspace
        try:
            if audit.page not in self.bench.tabs:
                raise WorkspaceError(f"this server has no page “{audit.title}”")
            bring_data(audit, self.archive.attachments(audit.key), workspace)
            settings = page_of(audit, workspace).settings()
        except WorkspaceError as error:
            return {"missing": str(error)}
        self.bench.show_audit(audit.page, settings)
        self.versions_of[audit.page] = audit.key
        return {"page": audit.page, "name": audit.name}

    def _compare(self, gesture: dict[str, Any]) -> dict[str, Any]:
        keys = [str(key) for key in gesture["keys"]]
        if len(keys) > MOST_COMPARED:
            raise ArchiveError(f"at most {MOST_COMPARED} audits are compared, got {len(keys)}")
        return assets.comparison([self.archive[key] for key in keys])

    def _remove(self, gesture: dict[str, Any]) -> dict[str, Any]:
        key = str(gesture["key"])
        name = self.archive[key].name
        self.archive.remove(key)
        self.bench.audits_changed(REMOVED, key, False)
        return {"name": name}

    def _restore(self, gesture: dict[str, Any]) -> dict[str, Any]:
        key = str(gesture["key"])
        self.archive.restore(key)
        self.bench.audits_changed(RESTORED, key)
        return {"name": self.archive[key].name}

    def _series(self, gesture: dict[str, Any]) -> dict[str, Any]:
        name = str(gesture["name"])
        # To ask for a series by its name would make one.
        if not any(
            self.archive.search(series=name, removed=gone, limit=1) for gone in (False, True)
        ):
            raise ArchiveError(f"there is no series “{name}” with a saved audit")
        return assets.series(self.archive.series(name))

    def _plans(self, gesture: dict[str, Any]) -> dict[str, Any]:
        """All plans, newest first, with the audits that were saved under them."""
        archive, plans = self.archive, self.archive.plans
        shown = [
            assets.plan(one, plans.uses(one), archive.search(one.sha256, limit=MOST))
            for one in plans
        ]
        return {"plans": shown, **self._kept()}

    def _import(self, gesture: dict[str, Any]) -> dict[str, Any]:
        """Add the audit of the file that was uploaded."""
        files, self._received = self._received, ()
        if self._refused:
            raise UploadError(self._refused)
        if len(files) != 1:
            raise UploadError("choose one file that was exported here")
        added = self.archive.add_file(files[0][1])
        self.bench.audits_changed(IMPORTED, added.key)
        return {"key": added.key, "name": added.name}


_ANSWERS: dict[str, Callable[[AuditRequests, dict[str, Any]], dict[str, Any]]] = {
    "list": AuditRequests._list,
    "propose": AuditRequests._propose,
    "save": AuditRequests._save,
    "record": AuditRequests._record,
    "open": AuditRequests._open,
    "compare": AuditRequests._compare,
    "remove": AuditRequests._remove,
    "restore": AuditRequests._restore,
    "import": AuditRequests._import,
    "series": AuditRequests._series,
    "plans": AuditRequests._plans,
}


def _attachable(page: Page) -> str:
    """How many scores and files of a page can be saved with it, and how large they are about."""
    parameters = page.param.objects()
    chosen = [
        getattr(page, name) for name, one in parameters.items() if isinstance(one, DataChoice)
    ]
    sets = [page.workspace.dataset(key) for key in dict.fromkeys(chosen) if key]
    scores = sum(one.n_p + one.n_q for one in sets if not one.virtual)
    uploads = [getattr(page, name) for name, one in parameters.items() if isinstance(one, Upload)]
    files = [content for upload in uploads for _, content in upload or ()]
    told = [f"{scores:,} scores, about {_size(8 * scores)}"] if scores else []
    if files:
        number = f"{len(files)} file{'s' if len(files) > 1 else ''}"
        told.append(f"{number}, {_size(sum(map(len, files)))}")
    return "; ".join(told)


def _size(room: int) -> str:
    return f"{room / 1e6:,.1f} MB" if room >= 1e6 else f"{max(1, round(room / 1e3)):,} kB"


def _words(error: Exception) -> str:
    """What went wrong, in a sentence."""
    if isinstance(error, TimeoutError):
        return "The page is at work. Nothing was lost: try again when its numbers are there."
    if not isinstance(error, ValueError | OSError):
        return f"This did not work: {error!r}. Nothing was lost."
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def _level(error: Exception) -> int:
    return logging.DEBUG if isinstance(error, ValueError) else logging.WARNING
