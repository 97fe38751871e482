"""`SeriesRows`: series of audits in the database, and their positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from workbench.audits.errors import ArchiveError
from workbench.audits.storing.database import AuditsDatabase
from workbench.audits.storing.schema import SERIES, SERIES_AUDITS
from workbench.storing.rows import require_sound


@dataclass(frozen=True)
class SeriesPosition:
    """A position of a series, and the data that it was given to.

    Parameters
    ----------
    position : int
        From 1.
    data_sha256 : str
        Hash of the data.
    confidence : float
        Of the audit at this position.
    audit : str
        Key of the audit; "" until it is saved.
    reserved_at : datetime
    """

    position: int
    data_sha256: str
    confidence: float
    audit: str
    reserved_at: datetime


class SeriesRows:
    """Series in the database; a position is given once, and never given back.

    Parameters
    ----------
    database : AuditsDatabase
    """

    def __init__(self, database: AuditsDatabase):
        self._database = database

    def open(self, name: str, confidence: float) -> float:
        """The confidence of a series, which is made with this one if it is missing.

        Parameters
        ----------
        name : str
        confidence : float
            Over all its audits.
        """
        with self._database.reading() as connection:
            kept = _confidence(connection, name)
        if kept is not None:
            return kept
        with self._database.writing() as connection:
            self._database.exclude_others(connection)
            kept = _confidence(connection, name)
            if kept is None:
                connection.execute(
                    insert(SERIES).values(name=name, confidence=confidence, created=_now())
                )
        return confidence if kept is None else kept

    def all(self) -> dict[str, float]:
        """The confidence of every series by its name, oldest first."""
        with self._database.reading() as connection:
            found = connection.execute(select(SERIES).order_by(SERIES.c.created, SERIES.c.name))
            rows = list(found)
        with self._database.decoding("a series"):
            for one in rows:
                require_sound(one, SERIES.c)
        return {one.name: one.confidence for one in rows}

    def reserve(
        self, name: str, data_sha256: str, confidence: Callable[[int], float]
    ) -> SeriesPosition:
        """The next position of a series; for data that have one, theirs.

        Parameters
        ----------
        name : str
        data_sha256 : str
            Hash of the data.
        confidence : callable
            The confidence of the audit at a position.
        """
        with self._database.writing() as connection:
            # Whoever reserves at the same time on a server waits here.
            locked = select(SERIES.c.name).where(SERIES.c.name == name).with_for_update()
            if connection.scalar(locked) is None:
                raise ArchiveError(f"there is no series {name!r}")
            mine = _of(name).where(SERIES_AUDITS.c.data_sha256 == data_sha256)
            found = connection.execute(mine).first()
            if found is None:
                last = select(func.max(SERIES_AUDITS.c.position))
                position = 1 + (connection.scalar(last.where(SERIES_AUDITS.c.series == name)) or 0)
                connection.execute(
                    insert(SERIES_AUDITS).values(
                        series=name,
                        position=position,
                        data_sha256=data_sha256,
                        confidence=confidence(position),
                        reserved_at=_now(),
                    )
                )
                found = connection.execute(mine).one()
        return self._position(found)

    def positions(self, name: str) -> tuple[SeriesPosition, ...]:
        """All positions of a series that were given, in order."""
        with self._database.reading() as connection:
            found = connection.execute(_of(name).order_by(SERIES_AUDITS.c.position))
            return tuple(map(self._position, found))

    def _position(self, row: Any) -> SeriesPosition:
        with self._database.decoding("a position of a series"):
            require_sound(row, SERIES_AUDITS.c)
            return SeriesPosition(
                row.position,
                row.data_sha256,
                row.confidence,
                row.audit or "",
                datetime.fromisoformat(row.reserved_at),
            )


def fill(connection: Connection, name: str, position: int, audit: str) -> None:
    """Record the audit of a position of a series, unless it has one.

    Parameters
    ----------
    connection : Connection
        In the transaction that saves the audit.
    name : str
        Of the series.
    position : int
    audit : str
        Key of the audit.
    """
    here = (SERIES_AUDITS.c.series == name) & (SERIES_AUDITS.c.position == position)
    empty = update(SERIES_AUDITS).where(here, SERIES_AUDITS.c.audit.is_(None))
    connection.execute(empty.values(audit=audit))


def _confidence(connection: Connection, name: str) -> float | None:
    return connection.scalar(select(SERIES.c.confidence).where(SERIES.c.name == name))


def _of(name: str) -> Any:
    return select(SERIES_AUDITS).where(SERIES_AUDITS.c.series == name)


def _now() -> str:
    return datetime.now(UTC).isoformat()
