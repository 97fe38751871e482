"""`KeptSeries`: the series of an archive."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from workbench import _checks
from workbench._format import percent
from workbench.audits.audit import Audit
from workbench.audits.errors import ArchiveError
from workbench.audits.series.audit_series import AuditSeries, SeriesAudit, scores_sha256
from workbench.audits.series.spending import confidence_at
from workbench.audits.storing.database import AuditsDatabase
from workbench.audits.storing.series_rows import SeriesPosition, SeriesRows
from workbench.scores.sample import Scores, require_scores

#: Characters of a name of a series.
LONGEST_NAME = 200

#: The confidence of a series for which nobody named one.
CONFIDENCE = 0.95


class KeptSeries:
    """The series of an archive; a position that was spent is never given back.

    Parameters
    ----------
    database : AuditsDatabase
    load : callable
        The saved audit of a key; None for one that was removed.
    """

    def __init__(self, database: AuditsDatabase, load: Callable[[str], Audit | None]):
        self._rows, self._load = SeriesRows(database), load

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
        kept = self._rows.open(name, asked)
        if confidence is not None and kept != asked:
            raise ArchiveError(
                f"the series {name!r} has a confidence of {percent(kept)} for all its audits "
                f"together, which cannot become {percent(asked)}; leave the confidence out, or "
                "start another series"
            )
        return AuditSeries(
            name, kept, tuple(self._audit(name, one) for one in self._rows.positions(name))
        )

    def reserve(self, name: str, scores: Scores) -> SeriesAudit:
        """The next position of a series for scores; theirs, if they have one.

        Parameters
        ----------
        name : str
        scores : Scores

        Raises
        ------
        ArchiveError
            There is no such series, or the database fails: nothing may be computed then.
        """
        series = self.open(_name(name))
        return self._audit(
            series.name,
            self._rows.reserve(
                series.name,
                scores_sha256(require_scores(scores)),
                partial(confidence_at, confidence=series.confidence),
            ),
        )

    def all(self) -> tuple[str, ...]:
        """Names of the series, oldest first."""
        return tuple(self._rows.all())

    def _audit(self, name: str, one: SeriesPosition) -> SeriesAudit:
        return SeriesAudit(
            one.position,
            one.confidence,
            one.data_sha256,
            one.reserved_at,
            name,
            partial(self._load, one.audit) if one.audit else None,
        )


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
