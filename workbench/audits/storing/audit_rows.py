"""`AuditRows`: audits in the database, with their figures and attachments."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    case,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from workbench import _json
from workbench.audits.attachment import Attachment
from workbench.audits.audit import Audit
from workbench.audits.errors import ArchiveError
from workbench.audits.imported import Imported
from workbench.audits.storing.database import AuditsDatabase
from workbench.audits.storing.schema import (
    ATTACHMENTS,
    AUDITS,
    CARDS,
    CONTENTS,
    FIGURES,
    PURGED,
    REMOVALS,
    SERIES_AUDITS,
)
from workbench.audits.summary import LONGEST_NOTE, AuditSummary, about
from workbench.storing.rows import UNREADABLE, require_sound

#: Stands before and after each tag in the words that a search looks in, and nowhere else.
_TAG = "\x1f"


@dataclass(frozen=True)
class StoredAudit:
    """What is stored of an audit.

    Parameters
    ----------
    key : str
    card : str
        `Audit.text`.
    sha256 : str
        What the hash of the card was when it was saved.
    figures : bytes
        Compressed.
    figures_sha256 : str
    """

    key: str
    card: str
    sha256: str
    figures: bytes
    figures_sha256: str
    imported: Imported | None

    @property
    def damage(self) -> str:
        """What is not as it was saved; "" if everything is."""
        if sha256(self.card.encode("utf-8", "replace")).hexdigest() != self.sha256:
            return "its card"
        if sha256(self.figures).hexdigest() != self.figures_sha256:
            return "its figures"
        return ""


class AuditRows:
    """Audits in the database."""

    def __init__(self, database: AuditsDatabase):
        self.database = database

    # -- changes ------------------------------------------------------------------------------

    def add(
        self,
        audit: Audit,
        figures: bytes,
        attachments: Sequence[Attachment] = (),
    ) -> str:
        """Keep an audit with all that belongs to it, or nothing.

        Parameters
        ----------
        audit : Audit
            Its ``previous`` is the key of an audit here, or "". One that was imported keeps its key
            where no audit here ever had it; it is no version of an audit here, and in no series
            here, whatever it says.
        figures : bytes
            Compressed.
        attachments : sequence of Attachment

        Returns
        -------
        str
            Its key.
        """
        with self.database.writing() as connection:
            return self.insert(connection, audit, figures, attachments)

    def insert(
        self,
        connection: Connection,
        audit: Audit,
        figures: bytes,
        attachments: Sequence[Attachment] = (),
    ) -> str:
        """`add` in a transaction that is open."""
        card, key = audit.text, ""
        if audit.imported is not None:
            key = audit.key
            audit = replace(audit, previous="", series="", position=0)
        if not key or _known(connection, key):
            key = secrets.token_hex(8)
        first = _first(connection, audit.previous) if audit.previous else key
        if first is None:
            raise ArchiveError(f"there is no audit {audit.previous!r} to save a new version of")
        before = select(func.max(AUDITS.c.version)).where(AUDITS.c.first == first)
        row = _row(audit, card)
        row |= {"key": key, "first": first, "version": 1 + (connection.scalar(before) or 0)}
        connection.execute(insert(AUDITS).values(row))
        connection.execute(insert(CARDS).values(audit=key, card=card))
        connection.execute(
            insert(FIGURES).values(audit=key, sha256=sha256(figures).hexdigest(), content=figures)
        )
        for number, one in enumerate(attachments):
            self._attach(connection, key, number, one)
        if audit.series:
            place = (SERIES_AUDITS.c.series == audit.series) & SERIES_AUDITS.c.audit.is_(None)
            mine = place & (SERIES_AUDITS.c.position == audit.position)
            connection.execute(update(SERIES_AUDITS).where(mine).values(audit=key))
        return key

    def remove(self, key: str) -> None:
        """Take an audit out of the lists."""
        with self.database.writing() as connection:
            self.database.exclude_others(connection)
            if connection.scalar(select(REMOVALS.c.audit).where(REMOVALS.c.audit == key)) is None:
                connection.execute(insert(REMOVALS).values(audit=key, removed=_now()))

    def restore(self, key: str) -> None:
        """Put an audit into the lists again."""
        with self.database.writing() as connection:
            connection.execute(delete(REMOVALS).where(REMOVALS.c.audit == key))

    def purge(self) -> int:
        """Delete what was removed, and return the number of audits."""
        gone = select(REMOVALS.c.audit)
        with self.database.writing() as connection:
            for table in (ATTACHMENTS, FIGURES, CARDS):
                connection.execute(delete(table).where(table.c.audit.in_(gone)))
            keys = select(AUDITS.c.key).where(AUDITS.c.key.in_(gone))
            connection.execute(insert(PURGED).from_select(["key"], keys))
            count = connection.execute(delete(AUDITS).where(AUDITS.c.key.in_(gone))).rowcount
            connection.execute(delete(REMOVALS))
            used = select(ATTACHMENTS.c.sha256)
            connection.execute(delete(CONTENTS).where(CONTENTS.c.sha256.not_in(used)))
        return count

    # -- lists --------------------------------------------------------------------------------

    def search(
        self,
        words: Sequence[str] = (),
        page: str = "",
        tags: Sequence[str] = (),
        series: str = "",
        removed: bool = False,
        versions: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[AuditSummary]:
        """Summaries, newest first; arguments as of `Archive.search`, whose text has these words."""
        found = [AUDITS.c.words.contains(_lower(word), autoescape=True) for word in words]
        found += [
            AUDITS.c.words.contains(f"{_TAG}{_lower(tag)}{_TAG}", autoescape=True) for tag in tags
        ]
        found += [AUDITS.c.page == page] if page else []
        found += [AUDITS.c.series == series] if series else []
        found += [] if versions or removed else [_NEWEST]
        asked = _summaries(removed).where(*found).limit(limit).offset(offset or None)
        return self._summed_up(asked, removed)

    def one(
        self, condition: ColumnElement[bool], removed_first: bool = False
    ) -> AuditSummary | None:
        """The newest audit that fulfills a condition, or None; one made here before imported ones.

        Parameters
        ----------
        condition : ColumnElement
        removed_first : bool
            Whether one that was removed goes before all others; by default it comes after them.
        """
        for removed in (removed_first, not removed_first):
            asked = _summaries(removed).order_by(None).order_by(_IMPORTED, AUDITS.c.position.desc())
            found = self._summed_up(asked.where(condition).limit(1), removed)
            if found:
                return found[0]
        return None

    def versions(self, key: str) -> list[AuditSummary]:
        """All versions of an audit that were not removed, newest first."""
        first = select(AUDITS.c.first).where(AUDITS.c.key == key).scalar_subquery()
        return self._summed_up(_summaries(False).where(AUDITS.c.first == first), False)

    def count(self) -> int:
        """How many audits there are, without older versions and removed ones."""
        asked = select(func.count()).where(AUDITS.c.key.not_in(_REMOVED), _NEWEST)
        with self.database.reading() as connection:
            return connection.scalar(asked.select_from(AUDITS)) or 0

    # -- one audit ----------------------------------------------------------------------------

    def size(self) -> int:
        """Bytes of all figures, cards and attachments, of removed audits, too."""
        content = (CONTENTS.c.content, FIGURES.c.content, CARDS.c.card)
        with self.database.reading() as connection:
            return sum(
                connection.scalar(select(func.coalesce(func.sum(func.length(one)), 0))) or 0
                for one in content
            )

    def stored(self, key: str) -> StoredAudit | None:
        """What is stored of an audit, or None."""
        asked = (
            select(AUDITS.c.key, CARDS.c.card, AUDITS.c.sha256)
            .add_columns(FIGURES.c.content, FIGURES.c.sha256.label("figures_sha256"))
            .add_columns(AUDITS.c.imported, AUDITS.c.imported_by)
            .join_from(AUDITS, CARDS, CARDS.c.audit == AUDITS.c.key)
            .join(FIGURES, FIGURES.c.audit == AUDITS.c.key)
            .where(AUDITS.c.key == key)
        )
        with self.database.reading() as connection:
            row = connection.execute(asked).first()
        if row is None:
            return None
        with self.database.decoding(f"the audit {key!r}"):
            require_sound(row, asked.selected_columns)
        imported = Imported(row.imported, row.imported_by) if row.imported else None
        card = (row.key, row.card, row.sha256)
        return StoredAudit(*card, row.content, row.figures_sha256, imported)

    def attachments(self, key: str) -> list[Attachment]:
        """What was saved with an audit, as it is stored now."""
        asked = (
            select(ATTACHMENTS, CONTENTS.c.content)
            .join(CONTENTS, CONTENTS.c.sha256 == ATTACHMENTS.c.sha256)
            .where(ATTACHMENTS.c.audit == key)
            .order_by(ATTACHMENTS.c.number)
        )
        with self.database.reading() as connection:
            rows: list[Any] = list(connection.execute(asked))
        found = []
        for row in rows:
            with self.database.decoding(f"what was saved with the audit {key!r}"):
                require_sound(row, asked.selected_columns)
                name = _json.loads(row.name)
                found.append(Attachment(row.kind, name, row.sha256, row.content, row.data))
        return found

    # -- steps --------------------------------------------------------------------------------

    def _summed_up(self, asked: Select[Any], removed: bool) -> list[AuditSummary]:
        with self.database.reading() as connection:
            rows: list[Any] = list(connection.execute(asked))
        found = [_summary(row) for row in rows]
        return [replace(one, removed=True) for one in found] if removed else found

    def _attach(
        self, connection: Connection, key: str, number: int, attachment: Attachment
    ) -> None:
        digest = attachment.sha256
        known = select(CONTENTS.c.sha256).where(CONTENTS.c.sha256 == digest)
        if connection.scalar(known) is None:
            self.database.exclude_others(connection)  # who may be about to add the same
            if connection.scalar(known) is None:
                connection.execute(
                    insert(CONTENTS).values(sha256=digest, content=attachment.content)
                )
        connection.execute(
            insert(ATTACHMENTS).values(
                audit=key,
                number=number,
                kind=attachment.kind,
                name=_json.dumps_ascii(attachment.name),
                data=attachment.data,
                sha256=digest,
            )
        )


_REMOVED = select(REMOVALS.c.audit)

_later = AUDITS.alias("later")

#: Whether no later version is there.
_NEWEST = ~exists().where(
    _later.c.first == AUDITS.c.first,
    _later.c.position > AUDITS.c.position,
    _later.c.key.not_in(_REMOVED),
)

#: 1 for audits that were imported, else 0.
_IMPORTED = case((func.coalesce(AUDITS.c.imported, "") != "", 1), else_=0)

#: The fields of `AuditSummary`, but the last.
_SUMMARY = (
    *(AUDITS.c[name] for name in ("key", "name", "note", "page", "title", "made", "saved", "by")),
    *(AUDITS.c[name] for name in ("previous", "series", "series_position", "version", "about")),
    *(AUDITS.c[name] for name in ("imported", "imported_by")),
)


def _summaries(removed: bool) -> Select[Any]:
    """The query of summaries of what was removed or was not, newest first."""
    there = AUDITS.c.key.in_(_REMOVED) if removed else AUDITS.c.key.not_in(_REMOVED)
    return select(*_SUMMARY).where(there).order_by(AUDITS.c.position.desc())


def _summary(row: Sequence[Any]) -> AuditSummary:
    """The summary of a row; of a damaged one, what can be read of it."""
    found = AuditSummary(*row)
    try:
        require_sound(row, _SUMMARY)
        _ = found.made, found.saved
    except UNREADABLE as error:
        return found.of_damaged_row(str(error))
    return found


def _first(connection: Connection, key: str) -> str | None:
    """Key of the first version of an audit; None where there is no such audit."""
    return connection.scalar(select(AUDITS.c.first).where(AUDITS.c.key == key))


def _known(connection: Connection, key: str) -> bool:
    """Whether an audit here has a key, or had it: what refers to that one is not of another."""
    columns = (AUDITS.c.key, AUDITS.c.first, PURGED.c.key, SERIES_AUDITS.c.audit)
    return any(connection.scalar(select(exists().where(one == key))) for one in columns)


def _row(audit: Audit, card: str) -> dict[str, Any]:
    imported = audit.imported
    texts = {"page": audit.page, "title": audit.title, "by": audit.by, "series": audit.series}
    return {
        "sha256": sha256(card.encode("ascii")).hexdigest(),
        "name": audit.name,
        "note": audit.note[:LONGEST_NOTE],
        **{name: _storable(text) for name, text in texts.items()},
        "made": audit.made.isoformat(),
        "saved": _now(),
        "previous": audit.previous,
        "series_position": audit.position,
        "about": about(audit),
        "words": _words(audit),
        "imported": "" if imported is None else imported.at,
        "imported_by": "" if imported is None else _storable(imported.by),
    }


def _words(audit: Audit) -> str:
    """What a search looks in: tags between marks, then every other text."""
    tags = "".join(f"{_lower(tag)}{_TAG}" for tag in audit.tags)
    data = [text for one in audit.data for text in (one.name, one.source)]
    plan = () if audit.plan is None else (audit.plan.name, audit.plan.sha256)
    mark = () if audit.imported is None else ("imported", audit.imported.by)
    texts = (audit.name, audit.note, audit.title, audit.page, audit.by, audit.series, *data, *plan)
    texts = (*texts, *mark)
    rest = "\n".join(_lower(text).replace(_TAG, " ") for text in texts)
    return f"{_TAG}{tags}\n{rest}"


def _lower(text: str) -> str:
    return _storable(text.casefold())


def _storable(text: str) -> str:
    """Text that both databases take."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def _now() -> str:
    return datetime.now(UTC).isoformat()
