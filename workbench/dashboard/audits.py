"""`AuditRequests`: what a visitor asks of the archive of audits, answered in threads that may wait.

The messages are those of `workbench.dashboard.requests`, with the entry ``audits``. A file to
import comes before as ``files`` and their ``chunk``s; see `workbench.dashboard.files`.
Every browser of the visitor hears ``{"audits": {"changed": true}}`` after a change.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from functools import partial

from workbench import _json
from workbench.assets import audits as assets
from workbench.audits.archive import Archive
from workbench.audits.attachment import Attachment
from workbench.audits.audit import Audit
from workbench.audits.errors import ArchiveError
from workbench.dashboard.files import Outcome, Receiver, UploadError
from workbench.dashboard.requests import Requests, words
from workbench.dashboard.sharing import AUDIT, AuditLookup, ReadableAudit, Sharing
from workbench.dashboard.visitor.browsers import OpenBrowsers, Reader
from workbench.dashboard.visitor.history import History
from workbench.dashboard.visitor.pages import OpenPages
from workbench.pages.auditing.attached import attachments_of, bring_data
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.auditing.page_of import page_of
from workbench.pages.core.gestures import Message
from workbench.pages.core.page import Page
from workbench.pages.core.upload import Upload, UploadedFile
from workbench.pages.inputs.data import DataChoice
from workbench.workspaces.errors import WorkspaceError

logger = logging.getLogger(__name__)

#: Audits in an answer; people ask for more.
MOST = 50

#: Audits in a comparison: as many as can be told apart in a chart.
MOST_COMPARED = 6

#: What the history calls the changes that can be undone.
OPENED, REMOVED, RESTORED, IMPORTED = (
    "the saved audit",
    "the deletion of an audit",
    "the return of an audit",
    "the import of an audit",
)


class AuditUpload:
    """The file of an audit that a visitor uploads, to import it."""

    def __init__(self, receiver: Receiver):
        self._receiver = receiver
        self._received: tuple[UploadedFile, ...] = ()
        self._refused = ""

    def carry_out(self, gesture: Message, reader: Reader) -> None:
        """Take ``files`` and their ``chunk``s; the answer comes later."""
        if gesture["kind"] == "files":
            self._received, self._refused = (), ""
        answer = partial(self._uploaded, reader, int(gesture["serial"]))
        self._receiver.take(gesture, reader, answer)

    def leave(self, reader: Reader) -> None:
        """Drop what a browser that is gone has not finished."""
        self._receiver.leave(reader)

    def end(self) -> None:
        """Delete uploads that nobody has imported."""
        self._receiver.end()

    def take(self) -> UploadedFile:
        """The file, once.

        Raises
        ------
        UploadError
            It was refused, or it is not one file.
        """
        files, self._received = self._received, ()
        if self._refused:
            raise UploadError(self._refused)
        if len(files) != 1:
            raise UploadError("choose one file that was exported here")
        return files[0]

    def _uploaded(self, reader: Reader, serial: int, outcome: Outcome) -> None:
        """Take what an upload came to; a refusal is shown when the file is to be imported."""
        refused = isinstance(outcome, ValueError)
        if isinstance(outcome, ValueError):
            self._refused = str(outcome)
        elif outcome is not None:
            self._received = outcome
        reader.tell(handled=serial, **({"refused": True} if refused else {}))


class AuditRequests(Requests):
    """What a visitor asks of the archive, one after the other; ``by`` names the visitor."""

    def __init__(
        self,
        pages: OpenPages,
        history: History,
        browsers: OpenBrowsers,
        sharing: Sharing | None = None,
        by: str = "",
    ):
        super().__init__("audits")
        self._pages, self._history, self._browsers = pages, history, browsers
        self._sharing, self.by = sharing, by
        self._workspace = pages.workspace
        self.readable = AuditLookup(lambda: self.archive, sharing)
        self._versions_of: dict[str, str] = {}  # page -> the audit that it was opened from
        self._kept_as: dict[str, str] = {}  # page -> the audit that it was last saved as
        self._asked = False
        self.upload = AuditUpload(pages.receiver())

    def ask(self, gesture: Message, reader: Reader) -> None:
        """See `Requests.ask`."""
        self._asked = True
        super().ask(gesture, reader)

    def bring(self, there: Mapping[str, bool]) -> None:
        """Remove audits or bring them back, as undo and redo do.

        Parameters
        ----------
        there : mapping of str to bool
            Whether the audit of a key is there.
        """

        def change() -> None:
            try:
                for key, stays in there.items():
                    (self.archive.restore if stays else self.archive.remove)(key)
            except Exception as error:
                logger.warning("an audit could not be changed", exc_info=True)
                self._browsers.tell(say=words(error))
            self._changed()

        self.post(change)

    def _changed(self, label: str = "", key: str = "", there: bool = True) -> None:
        """Tell all browsers that the archive changed; a change with a label can be undone."""
        if label:
            self._history.add_audit(label, key, there)
        if self._sharing is not None:
            self._sharing.changed()
        self._browsers.show("audits")
        self._browsers.tell(audits={"changed": True})

    @property
    def archive(self) -> Archive:
        """The archive of the visitor, opened when it is first used."""
        return self._workspace.audits

    @property
    def opened(self) -> bool:
        """Whether the visitor may have saved audits; to know it opens no archive."""
        return self._asked or self._workspace.storage.may_have_audits

    # -- what can be asked -------------------------------------------------------------------------

    def search(self, gesture: Message) -> Message:
        """The newest audits that match, and where they are kept; ``lent``: those of others."""
        offset = max(0, int(gesture.get("offset", 0)))
        most = min(MOST, int(gesture.get("most", MOST)))
        if gesture.get("lent"):
            return self._list_lent(gesture, offset, most)
        shared = set() if self._sharing is None else set(self._sharing.shared(AUDIT))
        found = self.archive.search(
            text=str(gesture.get("text", "")).strip(),
            page=str(gesture.get("of", "")),
            tags=tuple(map(str, gesture.get("tags", ()))),
            series=str(gesture.get("series", "")),
            limit=most + 1,
            offset=offset,
        )
        return {
            "audits": [
                assets.row(one) | ({"shared": True} if one.key in shared else {})
                for one in found[:most]
            ],
            "more": len(found) > most,
            "lent": self._lends(),
            **self._kept(),
        }

    def _list_lent(self, gesture: Message, offset: int, most: int) -> Message:
        """The newest audits of others that match."""
        lent = [] if self._sharing is None else self._sharing.lent_audits()
        wanted = str(gesture.get("text", "")).casefold().split()
        tags = {str(tag).casefold() for tag in gesture.get("tags", ())}
        found = [one for one in lent if _matches(one, wanted, str(gesture.get("of", "")), tags)]
        return {
            "audits": [assets.row(one.summary, one.owner) for one in found[offset : offset + most]],
            "more": len(found) > offset + most,
            "lent": True,
            "kept": "These audits belong to others, who can stop sharing them at any time.",
            "problem": "",
        }

    def _lends(self) -> bool:
        """Whether others share audits with the visitor."""
        return self._sharing is not None and bool(self._sharing.lent_audits())

    def _kept(self) -> dict[str, str]:
        """Where the audits are kept, for how long, and what is wrong with that."""
        archive = self.archive
        return {"kept": f"Saved audits are kept {archive.where}.", "problem": archive.problem}

    def kept(self, gesture: Message) -> Message:
        """The audit that a page was last saved as or opened from, and whether it shows the same."""
        page = str(gesture["of"])
        key = self._kept_as.get(page, self._versions_of.get(page, ""))
        try:
            found = self.archive.find(key) if key else None
        except ArchiveError:  # it was deleted for good
            found = None
        if found is None or found.key != key or found.removed:
            return {"kept": None}
        shown = self._pages.ask(page, lambda live: live.page.snapshot())
        same = _results(audit_of(shown)) == _results(self.archive[key])
        return {"kept": {"key": key, "name": found.name, "same": same}}

    def propose(self, gesture: Message) -> Message:
        """What the dialog begins with, before a page is saved.

        With ``version``, the key of an audit, it is proposed to save a new version of that one.
        """
        page = str(gesture["of"])
        shown = self._pages.ask(page, lambda live: live.page.snapshot())
        data = [shown.workspace.dataset(shown.data_key).name] if shown.data_key else []
        now = datetime.now()
        subject = ", ".join([self._pages.tabs[page].title, *data])
        answer: Message = {
            "name": f"{subject}, {now.day} {now:%B %Y}",
            "note": "",
            "tags": [],
            "scores": _attachable(shown),
            **self._kept(),
            "previous": None,
        }
        earlier = str(gesture.get("version", "")) or self._versions_of.get(page)
        if earlier:
            before = self.archive[earlier]
            known = {"name": before.name, "note": before.note, "tags": list(before.tags)}
            answer["previous"] = {"key": before.key, **known}
        return answer

    def save(self, gesture: Message) -> Message:
        """Save a page as it is, in its turn."""
        page, previous = str(gesture["of"]), str(gesture.get("previous", ""))
        shown = self._pages.ask(page, lambda live: live.page.snapshot())
        fresh = self._pages.tabs[page].make(shown.workspace)
        fresh.follow(shown.data_key or None)
        audit = audit_of(shown, by=self.by, fresh=fresh)
        attached = attachments_of(shown) if gesture.get("scores") else ()
        self._workspace.storage.require_room(sum(len(one.content) for one in attached))
        saved = self.archive.save(
            audit,
            name=str(gesture["name"]),
            note=str(gesture.get("note", "")),
            tags=tuple(map(str, gesture.get("tags", ()))),
            previous=previous,
            attachments=attached,
        )
        if previous:
            self._versions_of[page] = saved.key
        self._kept_as[page] = saved.key
        self._changed()
        return {"key": saved.key, "name": saved.name}

    def record(self, gesture: Message) -> Message:
        """A saved audit in full, its versions and what is attached to it."""
        key = str(gesture["key"])
        audit, lent = self.readable.audit(key), self.readable.lent(key)
        if lent is not None:
            return {
                **assets.record(audit),
                "owner": lent.owner,
                "removed": False,
                "unmarked": lent.summary.imported_at is None,
                "versions": [],
                "attached": _attached(lent.attachments()),
            }
        found = self.archive.find(audit.key)
        return {
            **assets.record(audit),
            "removed": found.removed,
            "unmarked": found.imported_at is None,
            "versions": [assets.row(one) for one in self.archive.versions(audit.key)],
            "attached": _attached(self.archive.attachments(audit.key)),
        }

    def open(self, gesture: Message) -> Message:
        """Have the page of an audit show it again; without its data, say what is missing."""
        audit = self.readable.audit(str(gesture["key"]))
        workspace = self._workspace
        try:
            if audit.page not in self._pages.tabs:
                raise WorkspaceError(f"this server has no page “{audit.title}”")
            bring_data(audit, self.readable.attachments(audit.key), workspace)
            settings = page_of(audit, workspace).settings()
        except WorkspaceError as error:
            return {"missing": str(error)}
        # As a person does, and in the turn of the page.
        self._pages.ask(audit.page, lambda live: self._pages.set_all(live, OPENED, settings))
        if self.readable.lent(audit.key) is None:  # others' audits have no versions here
            self._versions_of[audit.page] = audit.key
            self._kept_as[audit.page] = audit.key
        else:
            self._kept_as.pop(audit.page, None)
            self._versions_of.pop(audit.page, None)
        return {"page": audit.page, "name": audit.name}

    def compare(self, gesture: Message) -> Message:
        """Several audits side by side."""
        keys = [str(key) for key in gesture["keys"]]
        if len(keys) > MOST_COMPARED:
            raise ArchiveError(f"at most {MOST_COMPARED} audits are compared, got {len(keys)}")
        return assets.comparison([self.readable.audit(key) for key in keys])

    def remove(self, gesture: Message) -> Message:
        """Remove an audit, so that undo can bring it back."""
        key = str(gesture["key"])
        name = self.archive[key].name
        self.archive.remove(key)
        self._changed(REMOVED, key, False)
        return {"name": name}

    def restore(self, gesture: Message) -> Message:
        """Bring an audit back."""
        key = str(gesture["key"])
        self.archive.restore(key)
        self._changed(RESTORED, key)
        return {"name": self.archive[key].name}

    def series(self, gesture: Message) -> Message:
        """A series with its audits."""
        name = str(gesture["name"])
        # To ask for a series by its name would make one.
        if not any(
            self.archive.search(series=name, removed=gone, limit=1) for gone in (False, True)
        ):
            raise ArchiveError(f"there is no series “{name}” with a saved audit")
        return assets.series(self.archive.series(name))

    def plans(self, gesture: Message) -> Message:
        """All plans, newest first, with the audits that were saved under them."""
        archive, plans = self.archive, self.archive.plans
        shown = [
            assets.plan(
                one,
                plans.uses(one),
                # What an imported audit states was never made under a plan here.
                [a for a in archive.search(one.sha256, limit=MOST) if a.imported is None],
            )
            for one in plans
        ]
        return {"plans": shown, **self._kept()}

    def import_file(self, gesture: Message) -> Message:
        """Add the audit of the file that was uploaded."""
        file = self.upload.take()
        self._workspace.storage.require_room(file.size)
        before = len(self.archive)
        added = self.archive.add_file(file.content(), self.by)
        if len(self.archive) == before:  # it was there: nothing to undo
            self._changed()
        else:
            self._changed(IMPORTED, added.key)
        return {"key": added.key, "name": added.name, "imported": added.imported is not None}


def _results(audit: Audit) -> str:
    """What an audit shows of which data with which settings, without when and under which name."""
    card = audit.to_dict()
    data = [(one.parameter, one.sha256, one.key, dict(one.reading)) for one in audit.data]
    shown = [card[part] for part in ("page", "settings", "numbers", "sentences")]
    return _json.dumps_ascii([data, *shown], sort_keys=True)


def _attached(attachments: Sequence[Attachment]) -> list[Message]:
    return [{"name": one.name, "kind": one.kind, "size": len(one.content)} for one in attachments]


def _matches(lent: ReadableAudit, words: Sequence[str], page: str, tags: Set[str]) -> bool:
    """Whether an audit of others has all words and tags."""
    one = lent.summary
    said = "\n".join((one.name, one.note, one.title, lent.owner, *one.tags, *one.data)).casefold()
    own = {tag.casefold() for tag in one.tags}
    return page in ("", one.page) and tags <= own and all(word in said for word in words)


def _attachable(page: Page) -> str:
    """How many scores and files of a page can be saved with it, and how large they are about."""
    parameters = page.param.objects()
    chosen = [
        getattr(page, name) for name, one in parameters.items() if isinstance(one, DataChoice)
    ]
    sets = [page.workspace.dataset(key) for key in dict.fromkeys(chosen) if key]
    scores = sum(one.n_p + one.n_q for one in sets if not one.virtual)
    uploads = [getattr(page, name) for name, one in parameters.items() if isinstance(one, Upload)]
    files = [file for upload in uploads for file in upload or ()]
    told = [f"{scores:,} scores, about {_size(8 * scores)}"] if scores else []
    if files:
        number = f"{len(files)} file{'s' if len(files) > 1 else ''}"
        told.append(f"{number}, {_size(sum(file.size for file in files))}")
    return "; ".join(told)


def _size(room: int) -> str:
    return f"{room / 1e6:,.1f} MB" if room >= 1e6 else f"{max(1, round(room / 1e3)):,} kB"
