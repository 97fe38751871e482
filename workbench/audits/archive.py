"""`Archive`: audits that were saved, to be found, opened and compared."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench import _checks
from workbench._markup import table
from workbench.audits.attachment import Attachment
from workbench.audits.audit import Audit
from workbench.audits.comparison import AuditComparison
from workbench.audits.errors import ArchiveError
from workbench.audits.imported import Imported
from workbench.audits.package import AuditPackage, read_package
from workbench.audits.plans import Plans
from workbench.audits.series.audit_series import AuditSeries, SeriesAudit
from workbench.audits.series.kept import KeptSeries
from workbench.audits.storing.audit_rows import AuditRows
from workbench.audits.storing.database import AuditsDatabase
from workbench.audits.storing.figure_text import from_text, to_text
from workbench.audits.storing.schema import AUDITS
from workbench.audits.storing.stored_card import audit_of_card
from workbench.audits.summary import AuditSummary
from workbench.scores.refusals import did_you_mean
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    import pandas as pd

#: Characters of a name, of a note and of a tag.
LONGEST_NAME, LONGEST_NOTE, LONGEST_TAG = 10_000, 1_000_000, 200

#: Tags of an audit.
MOST_TAGS = 100

#: Characters of a search.
LONGEST_SEARCH = 1000

#: Bytes of all attachments of an audit.
MOST_ATTACHED = 2**29

#: Audits that a notebook shows.
_SHOWN = 20

_AN_AUDIT = "a workbench.Audit; wb.audit makes one"


class Archive:
    """Audits that were saved, to be found, opened and compared.

    ``archive["release 7"]`` opens one by its key or its name: the newest of that name that was made
    here, else the newest that was imported. Iterating yields an `AuditSummary` of the newest
    version of each, newest first. A saved audit is never changed: a new version refers to the old
    one. When `save` returns, the audit is on the disk. Where the database cannot be used, methods
    raise `ArchiveError`, and the next call tries again.

    Parameters
    ----------
    database : AuditsDatabase

    Examples
    --------
    >>> ws = wb.Workspace()
    >>> first = ws.audits.save(wb.audit(wb.example("no-leak")), "before the fix", tags=["release"])
    >>> ws.audits["before the fix"].page
    'scores'
    >>> [one.name for one in ws.audits.search("FIX", tags=["release"])]
    ['before the fix']
    """

    def __init__(self, database: AuditsDatabase):
        self._database = _checks.instance(
            database, AuditsDatabase, "database", "a database of audits; Workspace.audits has one"
        )
        self._rows = AuditRows(database)
        self._series = KeptSeries(database, self._present)

    # -- the archive --------------------------------------------------------------------------

    @property
    def where(self) -> str:
        """Where the audits are kept, such as "on this computer, in …"."""
        return self._database.where

    @property
    def problem(self) -> str:
        """Why the audits cannot be read now, and what to do; "" if they can."""
        try:
            with self._database.reading():
                return ""
        except ArchiveError as error:
            return str(error)

    @property
    def database(self) -> AuditsDatabase:
        """The database, which plans and series share."""
        return self._database

    @property
    def plans(self) -> Plans:
        """The plans that were made before any score was seen."""
        return Plans(self._database)

    def series(self, name: str, confidence: float | None = None) -> AuditSeries:
        """A series of audits, which is made if it is missing.

        Parameters
        ----------
        name : str
        confidence : float, optional
            Of all its audits together; that of the series by default, and 0.95 for a new one.

        Raises
        ------
        ArchiveError
            The series has another confidence.
        """
        return self._series.open(name, confidence)

    def reserve(self, series: str, scores: Scores) -> SeriesAudit:
        """The next position of a series for scores; theirs, if they have one.

        It is reserved before a number is computed: `SeriesAudit.confidence` is that of the audit.

        Parameters
        ----------
        series : str
            Name of a series that is there.
        scores : Scores
        """
        return self._series.reserve(series, scores)

    # -- changes ------------------------------------------------------------------------------

    def save(
        self,
        audit: Audit,
        name: str = "",
        note: str = "",
        tags: Sequence[str] = (),
        previous: str = "",
        attachments: Sequence[Attachment] = (),
    ) -> Audit:
        """Save an audit.

        Parameters
        ----------
        audit : Audit
        name, note : str, optional
            Those that the audit has by default, and else the title of its page as its name. Any
            text without NUL and unpaired surrogates.
        tags : sequence of str, optional
            Those that the audit has by default.
        previous : str, optional
            Key or name of the audit that this one is a new version of.
        attachments : sequence of Attachment, optional
            Its scores and files, such as from `workbench.pages.auditing.attached`.

        Returns
        -------
        Audit
            With its key.

        Raises
        ------
        ArchiveError
            It cannot be saved; nothing of it was kept.
        """
        _checks.instance(audit, Audit, "audit", _AN_AUDIT)
        if isinstance(tags, str):
            raise TypeError(f"tags must be a list of text, got {_checks.shown(tags)}")
        if previous and audit.imported is not None:
            raise ArchiveError(
                f"the audit {_checks.shown(audit.name)} was imported, so it is no new version of "
                f"{_checks.shown(previous)}; save it without previous, or make it again here"
            )
        attachments = _checks.each_of(attachments, Attachment, "attachments", "an Attachment")
        if sum(len(one.content) for one in attachments) > MOST_ATTACHED:
            raise ArchiveError(
                f"the scores have more than {MOST_ATTACHED >> 20} MB; save the audit without them"
            )
        tags = _checks.each_of(tags, str, "tags", "text") or audit.tags
        if len(tags) > MOST_TAGS:
            raise ArchiveError(f"an audit has at most {MOST_TAGS} tags, got {len(tags)}")
        name = _label(name or audit.name or audit.title, "a name", LONGEST_NAME)
        if not name.strip():
            raise ArchiveError(f"the name is empty: {_checks.shown(name)}; give one with letters")
        named = replace(
            audit,
            name=name,
            note=_label(note or audit.note, "a note", LONGEST_NOTE),
            tags=tuple(dict.fromkeys(_tag(one) for one in tags)),
            previous=self.find(previous).key if previous else "",
            key="",
        )
        return replace(named, key=self._rows.add(named, packed(named), attachments))

    def remove(self, name: str) -> None:
        """Take an audit out of the lists; `restore` brings it back, and `purge` deletes it.

        Parameters
        ----------
        name : str
            A key or a name.
        """
        self._rows.remove(self.find(name).key)

    def restore(self, name: str) -> AuditSummary:
        """Bring an audit back that was removed.

        Parameters
        ----------
        name : str
            A key; or a name, which means the newest audit of that name that was removed.
        """
        key = self._found(name, removed_first=True).key
        self._rows.restore(key)
        return self.find(key)

    def purge(self) -> int:
        """Delete all audits that were removed, with their figures and scores; their number."""
        return self._rows.purge()

    @property
    def size(self) -> int:
        """Bytes of all audits with their figures and attachments, of removed ones, too."""
        return self._rows.size()

    # -- finding ------------------------------------------------------------------------------

    def search(
        self,
        text: str = "",
        page: str = "",
        tags: Sequence[str] = (),
        series: str = "",
        removed: bool = False,
        versions: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[AuditSummary]:
        """Audits whose name, note, tags, page or data contain words, newest first.

        Parameters
        ----------
        text : str, optional
            Words that all occur, in any order and in capitals or not.
        page : str, optional
            Name of a page.
        tags : sequence of str, optional
            Tags that an audit has all of, in capitals or not.
        series : str, optional
            Name of a series.
        removed : bool
            Whether those that were removed are looked for, instead of all others.
        versions : bool
            Whether older versions are looked for, too.
        limit : int, optional
            The most to be found; all by default.
        offset : int
            How many of the newest are left out.

        Returns
        -------
        list of AuditSummary
        """
        for value, what in ((text, "text"), (page, "page"), (series, "series")):
            _checks.text(value, what)
        if len(text) > LONGEST_SEARCH:
            raise ArchiveError(
                f"a search has at most {LONGEST_SEARCH} characters, got {len(text)}; give a few "
                "words"
            )
        if isinstance(tags, str):
            raise TypeError(f"tags must be a list of text, got {_checks.shown(tags)}")
        return self._rows.search(
            list(dict.fromkeys(text.split())),
            page,
            [one[:LONGEST_TAG] for one in _checks.each_of(tags, str, "tags", "text")],
            series,
            _checks.flag(removed, "removed"),
            _checks.flag(versions, "versions"),
            None if limit is None else _checks.count(limit, "limit"),
            _checks.count(offset, "offset"),
        )

    def find(self, name: str) -> AuditSummary:
        """What a list shows of one audit.

        Parameters
        ----------
        name : str
            A key; or a name, which means the newest audit of that name. Those that were made here
            come before imported ones. One that was removed is found, too, where no other fits.

        Raises
        ------
        ArchiveError
            There is none.
        """
        return self._found(name)

    def __getitem__(self, name: str) -> Audit:
        key = self.find(name).key
        stored = self._rows.stored(key)
        if stored is None:
            raise ArchiveError(f"the audit {key!r} was deleted meanwhile")
        if stored.damage:
            raise ArchiveError(
                f"the audit {_checks.shown(name)} is damaged: {stored.damage} changed since it was "
                "saved. It was left as it is, and the others can be opened"
            )
        audit = audit_of_card(stored.card, _unpacked(stored.figures), key)
        return replace(audit, imported=stored.imported)

    def versions(self, name: str) -> list[AuditSummary]:
        """All versions of an audit, newest first, without those that were removed.

        Parameters
        ----------
        name : str
            Key or name of one of them.
        """
        return self._rows.versions(self.find(name).key)

    def attachments(self, name: str) -> tuple[Attachment, ...]:
        """The scores and files that were saved with an audit.

        Parameters
        ----------
        name : str
            A key or a name.

        Raises
        ------
        ArchiveError
            One of them is damaged.
        """
        found = tuple(self._rows.attachments(self.find(name).key))
        for one in found:
            if not one.whole:
                raise ArchiveError(
                    f"{_checks.shown(one.name)} is damaged: it changed since the audit "
                    f"{_checks.shown(name)} was saved. The audit itself can be opened"
                )
        return found

    def __len__(self) -> int:
        return self._rows.count()

    def __bool__(self) -> bool:
        return True  # also an empty archive is one

    def __iter__(self) -> Iterator[AuditSummary]:
        return iter(self.search())

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and not self.find(name).removed
        except ArchiveError:
            return False

    # -- several, and other archives ------------------------------------------------------------

    def compare(self, *audits: Audit | str) -> AuditComparison:
        """Two or more audits side by side.

        Parameters
        ----------
        *audits : Audit or str
            Audits, or their keys or names.
        """
        return AuditComparison(
            tuple(one if isinstance(one, Audit) else self[one] for one in audits)
        )

    def export(self, name: str, path: str | Path) -> Path:
        """Write an audit with its figures and attachments to one file.

        Parameters
        ----------
        name : str
            A key or a name.
        path : str or pathlib.Path
            Of a zip file that `add_file` reads.
        """
        path = Path(path)
        content = self.exported(name)
        try:
            path.write_bytes(content)
        except OSError as error:
            raise ArchiveError(f"{path} cannot be written: {error.strerror or error}") from error
        return path

    def exported(self, name: str) -> bytes:
        """The content of the file that `export` writes.

        Parameters
        ----------
        name : str
            A key or a name.
        """
        audit = self[name]
        return AuditPackage(audit, self.attachments(audit.key)).to_bytes()

    def add_file(self, file: str | Path | bytes, by: str = "") -> Audit:
        """Add the audit of a file that `export` wrote, here or elsewhere.

        Parameters
        ----------
        file : path or bytes
        by : str, optional
            Who imports it.

        Returns
        -------
        Audit
            The one that is there already, if it is. Another one is marked as `Audit.imported`: what
            it states was not checked here. It is neither a version of an audit here nor in a series
            here.

        Raises
        ------
        ArchiveError
            Another file, a damaged one, or one of a newer version; or the card of an audit that is
            here with other figures or scores. Nothing was added.
        """
        by = _label(by, "a name of who imports it", LONGEST_NAME)
        package = read_package(file)
        known = self._rows.one(AUDITS.c.sha256 == package.audit.sha256)
        if known is not None:
            self._require_same(package, known)
            if known.removed:
                self._rows.restore(known.key)
            return self[known.key]
        audit = replace(package.audit, imported=Imported.now(by))
        return self[self._rows.add(audit, packed(audit), package.attachments)]

    def to_frame(self) -> pd.DataFrame:
        """The newest version of each audit as a row of a table, newest first."""
        import pandas as pd

        return pd.DataFrame([_table_row(one) for one in self], columns=_COLUMNS)

    def _found(self, name: str, removed_first: bool = False) -> AuditSummary:
        _checks.text(name, "name")
        if _checks.storable(name):
            for column in (AUDITS.c.key, AUDITS.c.name):
                found = self._rows.one(column == name, removed_first)
                if found is not None:
                    return found
        names = [one.name for one in self.search(limit=1000)]
        raise ArchiveError(
            f"there is no audit {_checks.shown(name)} {self.where}{did_you_mean(name, names)}"
        )

    def _require_same(self, package: AuditPackage, known: AuditSummary) -> None:
        """Raise an ArchiveError where a file with the card of an audit here has other parts."""
        here = AuditPackage(self[known.key], self.attachments(known.key))
        if to_text(package.audit.figures) != to_text(here.audit.figures):
            what = "figures"
        elif package.attachments != here.attachments:
            what = "scores and files"
        else:
            return
        raise ArchiveError(
            f"the file states the audit {_checks.shown(known.name)} that is here, with other "
            f"{what}: it was changed after it was exported. Nothing was imported"
        )

    def _present(self, key: str) -> Audit | None:
        """The audit of a position of a series, if it was not removed and is not damaged, or None.

        By version 1, an imported one could have the key of an audit that was deleted.
        """
        try:
            found = self.find(key)
            return None if found.removed or not found.series else self[key]
        except ArchiveError:
            return None

    def close(self) -> None:
        """Let go of the database; what was in memory is gone."""
        self._database.close()

    def __repr__(self) -> str:
        try:
            return f"Archive({len(self)} audits, {self.where})"
        except ArchiveError as error:
            return f"Archive({error})"

    def _repr_html_(self) -> str:
        problem = self.problem
        if problem:
            return table("Audits", (), problem)
        rows = [
            (_marked(one), one.page, f"{one.made.astimezone():%Y-%m-%d %H:%M}", _headline(one))
            for one in self.search(limit=_SHOWN)
        ]
        more = len(self) - len(rows)
        return table(
            "Audits", rows, f"kept {self.where}" + (f"; {more:,} more" if more > 0 else "")
        )


_COLUMNS = (
    *("name", "page", "made", "data", "quantity", "value", "guarantee", "tags", "key"),
    "imported",
)


def _table_row(one: AuditSummary) -> tuple[Any, ...]:
    number = one.headline
    bound = None if number is None else number.bound
    told = ("", None, "") if bound is None else (bound.quantity, bound.value, bound.guarantee)
    data, tags = ", ".join(one.data), ", ".join(one.tags)
    imported = one.imported is not None
    return (one.name, one.page, one.made, data, *told, tags, one.key, imported)


def _marked(one: AuditSummary) -> str:
    return one.name if one.imported is None else f"{one.name} ({one.imported.short})"


def _headline(one: AuditSummary) -> str:
    number = one.headline
    return "" if number is None else f"{number.title} {number.shown}"


def packed(audit: Audit) -> bytes:
    """The figures of an audit as they are stored."""
    return zlib.compress(to_text(audit.figures).encode("ascii"))


def _unpacked(figures: bytes) -> Any:
    try:
        return from_text(zlib.decompress(figures))
    except zlib.error as error:
        raise ArchiveError(f"the figures of the audit are damaged: {error}") from error


def _label(value: Any, what: str, most: int) -> str:
    """Text that is kept exactly."""
    text = _checks.text(value, what)
    if len(text) > most:
        raise ArchiveError(f"{what} has at most {most:,} characters, got {len(text):,}")
    if not _checks.storable(text):
        raise ArchiveError(
            f"{what} cannot have NUL characters or halves of surrogate pairs: {_checks.shown(text)}"
        )
    return text


def _tag(value: str) -> str:
    tag = _label(value, "a tag", LONGEST_TAG).strip()
    if not tag or any(ord(character) < 32 for character in tag):
        raise ArchiveError(f"a tag is a word, or a few, in one line; got {_checks.shown(value)}")
    return tag
