"""`KeptSeries`: the series of an archive."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, func, insert, select

from workbench import _checks
from workbench._format import percent
from workbench.audits.audit import Audit
from workbench.audits.errors import ArchiveError
from workbench.audits.series.audit_series import AuditSeries, SeriesAudit, scores_sha256
from workbench.audits.series.spending import confidence_at
from workbench.audits.storing.schema import SERIES, SERIES_AUDITS
from workbench.scores.sample import Scores, require_scores
from workbench.storing.database import Database
from workbench.storing.rows import require_sound

#: Characters of a name of a series.
LONGEST_NAME = 200

#: The confidence of a series for which nobody named one.
CONFIDENCE = 0.95


class KeptSeries:
    """The series of an archive; a position is spent once, and never given back.

    Parameters
    ----------
    database : Database
        Of audits.
    load : callable
        The saved audit of a key; None for one that was removed.
    """

    def __init__(self, database: Database, load: Callable[[str], Audit | None]):
        self._database, self._load = database, load

    def open(self, name: str, confidence: float | None = None) -> AuditSeries:
        """A series, which is made if it is missing.

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
        name = _name(name)
        asked = CONFIDENCE if confidence is None else _checks.confidence(confidence)
        kept = self._opened(name, asked)
        if confidence is not None and kept != asked:
            raise ArchiveError(
                f"the series {name!r} has a confidence of {percent(kept)} for all its audits "
                f"together, which cannot become {percent(asked)}; leave the confidence out, or "
                "start another series"
            )
        with self._database.reading() as connection:
            rows = connection.execute(_of(name).order_by(SERIES_AUDITS.c.position)).all()
        return AuditSeries(name, kept, tuple(map(self._audit, rows)))

    def reserve(self, name: str, scores: Scores) -> SeriesAudit:
        """The next position of a series for scores; theirs, if they have one.

        Raises
        ------
        ArchiveError
            There is no such series, or the database fails: nothing may be computed then.
        """
        series = self.open(_name(name))
        digest = scores_sha256(require_scores(scores))
        with self._database.writing() as connection:
            # Whoever reserves at the same time on a server waits here.
            locked = select(SERIES.c.name).where(SERIES.c.name == series.name).with_for_update()
            if connection.scalar(locked) is None:
                raise ArchiveError(f"there is no series {series.name!r}")
            mine = _of(series.name).where(SERIES_AUDITS.c.data_sha256 == digest)
            found = connection.execute(mine).first()
            if found is None:
                last = select(func.max(SERIES_AUDITS.c.position))
                here = last.where(SERIES_AUDITS.c.series == series.name)
                position = 1 + (connection.scalar(here) or 0)
                connection.execute(
                    insert(SERIES_AUDITS).values(
                        series=series.name,
                        position=position,
                        data_sha256=digest,
                        confidence=confidence_at(position, confidence=series.confidence),
                        reserved_at=_now(),
                    )
                )
                found = connection.execute(mine).one()
        return self._audit(found)

    def _opened(self, name: str, confidence: float) -> float:
        """The confidence of a series, which is made with this one if it is missing."""
        with self._database.reading() as connection:
            kept = _confidence(connection, name)
        if kept is None:
            with self._database.writing() as connection:
                self._database.exclude_others(connection)
                kept = _confidence(connection, name)
                if kept is None:
                    row = {"name": name, "confidence": confidence, "created": _now()}
                    connection.execute(insert(SERIES), row)
        return confidence if kept is None else kept

    def _audit(self, row: Any) -> SeriesAudit:
        with self._database.decoding("a position of a series"):
            require_sound(row, SERIES_AUDITS.c)
            return SeriesAudit(
                row.position,
                row.confidence,
                row.data_sha256,
                datetime.fromisoformat(row.reserved_at),
                row.series,
                partial(self._load, row.audit) if row.audit else None,
            )


def _confidence(connection: Connection, name: str) -> float | None:
    return connection.scalar(select(SERIES.c.confidence).where(SERIES.c.name == name))


def _of(name: str) -> Any:
    return select(SERIES_AUDITS).where(SERIES_AUDITS.c.series == name)


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _name(name: str) -> str:
    text = _checks.text(name, "name").strip()
    if not 0 < len(text) <= LONGEST_NAME:
        raise ArchiveError(
            f"the name of a series must have 1 to {LONGEST_NAME} characters, got "
            f"{_checks.shown(name)}"
        )
    if not _checks.storable(text):
        raise ArchiveError(
            "the name of a series cannot have NUL characters or halves of surrogate pairs: "
            f"{_checks.shown(name)}"
        )
    return text
