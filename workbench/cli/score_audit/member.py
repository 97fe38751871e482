"""`SeriesMember`: the place of an audit in a series, and what the series has left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench._format import percent
from workbench.audits.series.audit_series import AuditSeries, SeriesAudit, scores_sha256
from workbench.audits.series.spending import probability_text
from workbench.cli.output import quoted
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    from workbench.audits.archive import Archive


@dataclass(frozen=True)
class SeriesMember:
    """The place of an audit in a series, and what the series has left.

    Attributes
    ----------
    series : AuditSeries
        With this audit.
    audit : SeriesAudit
    again : bool
        Whether the same scores were audited before.
    """

    series: AuditSeries
    audit: SeriesAudit
    again: bool

    @classmethod
    def reserve(
        cls, archive: Archive, name: str, scores: Scores, confidence: float | None
    ) -> SeriesMember:
        """Spend the next share of a series for scores, unless they have one.

        Parameters
        ----------
        archive : Archive
        name : str
            Of the series.
        scores : Scores
        confidence : float, optional
            Of the series, if it is stated.
        """
        before = archive.series(name, confidence).find(scores_sha256(scores))
        place = archive.reserve(name, scores)
        return cls(archive.series(name), place, before is not None)

    def explain(self) -> str:
        """Position, level of this audit, and what is spent and left, in sentences."""
        series, place = self.series, self.audit
        text = (
            f"Audit {place.position} of the series {quoted(series.name)}, made at "
            f"{percent(place.confidence)} confidence: its statements are false with a probability "
            f"of at most {probability_text(place.spent)}. All audits of the series together have "
            f"{probability_text(series.budget)}, of which "
            f"{probability_text(series.spent)} are spent and {probability_text(series.left)} left."
        )
        if self.again:
            text += (
                f" The same scores were audited at this position on "
                f"{place.reserved.astimezone():%Y-%m-%d}: nothing more was spent."
            )
        return text

    def to_dict(self) -> dict[str, Any]:
        """The place and the budget as JSON values."""
        return {
            "name": self.series.name,
            "position": self.audit.position,
            "confidence": self.audit.confidence,
            "error": self.audit.spent,
            "budget": self.series.budget,
            "spent": self.series.spent,
            "left": self.series.left,
            "again": self.again,
        }
