"""`AuditSeries`: audits of one pipeline over time, with one error budget over all of them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import _checks, _json
from workbench._format import percent
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.audits.audit import Audit
from workbench.audits.series.spending import confidence_at, probability_text
from workbench.bounds.bound import Bound
from workbench.bounds.power.verdict import REFUTED
from workbench.claims.parse import parse_claim
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    import pandas as pd

#: Audits that a notebook shows.
_SHOWN = 20

#: The number of the scores page that a series is about.
EPSILON = "epsilon"


def scores_sha256(scores: Scores) -> str:
    """Hash by which a series recognizes scores: of the scores and how they were read.

    Returns
    -------
    str
        The same for the same values in the same order and direction, whatever their file; 64
        hexadecimal digits.
    """
    head = _json.dumps([scores.n_p, scores.n_q, scores.larger_is_member, scores.held_out])
    found = hashlib.sha256(f"{len(head)}:{head}".encode())
    for cells in scores.samples.arrays.values():
        found.update((np.asarray(cells, dtype="<f8") + 0.0).tobytes())  # −0 becomes 0
    return found.hexdigest()


@dataclass(frozen=True)
class SeriesAudit:
    """A position of a series: the share of the error budget that it spent, and its audit.

    Parameters
    ----------
    position : int
        From 1.
    confidence : float
        Of this audit.
    data_sha256 : str
        Of the scores; see `scores_sha256`.
    reserved : datetime
        When the position was spent, with a time zone.
    series : str
        Name of the series.
    load : callable, optional
        Returns the audit, or None where it was removed. None where no audit was saved.
    """

    position: int
    confidence: float
    data_sha256: str
    reserved: datetime
    series: str = ""
    load: Callable[[], Audit | None] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        _checks.fields(self)

    @cached_property
    def audit(self) -> Audit | None:
        """The audit; None where it was not saved, or was removed."""
        return None if self.load is None else self.load()

    def member(self, audit: Audit) -> Audit:
        """An audit of these scores as the one at this position, to be saved.

        Parameters
        ----------
        audit : Audit
            Made at the confidence of this position.

        Raises
        ------
        ValueError
            It was made at another one, or was imported.
        """
        _checks.instance(audit, Audit, "audit", "a workbench.Audit; wb.audit makes one")
        if audit.imported is not None:
            raise ValueError(
                f"the audit {_checks.shown(audit.name)} was imported, and a series takes audits "
                "that were made here: make it again from its scores, by wb.audit"
            )
        levels = {bound.confidence for bound in audit.bounds.values()} - {None, self.confidence}
        if levels:
            raise ValueError(
                f"audit {self.position} of the series {self.series!r} must be made with "
                f"confidence={self.confidence!r}, got {levels.pop()!r}"
            )
        return replace(audit, series=self.series, position=self.position)

    @property
    def spent(self) -> float:
        """The error probability of this audit."""
        return 1 - self.confidence

    @property
    def bound(self) -> Bound | None:
        """The lower bound on ε; None without an audit, or where it has no such number."""
        return None if self.audit is None else self.audit.bounds.get(EPSILON)

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict on each claim, by the claim's text."""
        found = () if self.audit is None else self.audit.verdicts
        return {str(one["claim"]): str(one["verdict"]) for one in found}

    @property
    def refuted(self) -> tuple[str, ...]:
        """The claims that are refuted."""
        return tuple(claim for claim, verdict in self.verdicts.items() if verdict == REFUTED)

    @property
    def claimed_epsilon(self) -> dict[str, float]:
        """The ε that each claim allows at the δ of the bound, by the claim's text.

        Only of claims that text can name, and that allow a finite ε.
        """
        bound, found = self.bound, {}
        for claim in self.verdicts:
            with suppress(ValueError):  # a pair, whose text is its name
                epsilon = float(parse_claim(claim).epsilon((bound and bound.delta) or 0.0))
                if math.isfinite(epsilon):
                    found[claim] = epsilon
        return found


@dataclass(frozen=True)
class AuditSeries:
    """Audits of one pipeline over time, with one error budget over all of them.

    With a probability of at least ``confidence``, no audit of the series makes a false statement,
    however many there will be; `workbench.audits.series.spending` has the proof.
    ``workspace.audits.series`` makes and finds a series, and ``workspace.audits.reserve`` spends
    its next share.

    Parameters
    ----------
    name : str
    confidence : float
        Of all audits together.
    audits : tuple of SeriesAudit
        By position; also those that were removed, since what they spent is spent.

    Examples
    --------
    >>> series = wb.AuditSeries("nightly")
    >>> print(series.explain())
    The series “nightly” has no audit yet. Its first one is made at 97.5% confidence.
    """

    name: str
    confidence: float = 0.95
    audits: tuple[SeriesAudit, ...] = ()

    plot = plot
    figure = figure

    def __post_init__(self) -> None:
        _checks.fields(self)
        object.__setattr__(self, "confidence", _checks.confidence(self.confidence))

    @property
    def budget(self) -> float:
        """The error probability of all audits together."""
        return 1 - self.confidence

    @property
    def spent(self) -> float:
        """The error probability that the audits so far have spent, α K / (K + 1)."""
        return self.budget - self.left

    @property
    def left(self) -> float:
        """The error probability that is left for all later audits, α / (K + 1)."""
        return self.budget / (len(self.audits) + 1)

    @property
    def next_confidence(self) -> float:
        """The confidence of the next audit."""
        return confidence_at(len(self.audits) + 1, self.confidence)

    @property
    def refuted(self) -> tuple[SeriesAudit, ...]:
        """The audits that refute a claim."""
        return tuple(one for one in self.audits if one.refuted)

    def find(self, data_sha256: str) -> SeriesAudit | None:
        """The audit of these scores, or None.

        Parameters
        ----------
        data_sha256 : str
            See `scores_sha256`.
        """
        return next((one for one in self.audits if one.data_sha256 == data_sha256), None)

    def explain(self) -> str:
        """What the series has spent and found, in sentences."""
        if not self.audits:
            return (
                f"The series “{self.name}” has no audit yet. Its first one is made at "
                f"{percent(self.next_confidence)} confidence."
            )
        number = len(self.audits)
        text = (
            f"The series “{self.name}” has {number} audit{'s' if number > 1 else ''}. With "
            f"{percent(self.confidence)} confidence, none of them makes a false statement, nor "
            f"will a later one. Spent: {probability_text(self.spent)} of an error probability of "
            f"{probability_text(self.budget)}; left: {probability_text(self.left)}."
        )
        if not self.refuted:
            return f"{text} No claim is refuted."
        found = "; ".join(f"{', '.join(one.refuted)} by audit {one.position}"
                          for one in self.refuted)  # fmt: skip
        return f"{text} Refuted: {found}."

    def to_frame(self) -> pd.DataFrame:
        """A row per audit.

        Returns
        -------
        DataFrame
            Columns ``position``, ``reserved``, ``confidence``, ``spent`` (error probability),
            ``left`` (after it), ``name``, ``key``, ``epsilon``, ``delta``, ``refuted`` (claims, as
            text) and ``data_sha256``.
        """
        import pandas as pd

        return pd.DataFrame([self._row(one) for one in self.audits], columns=list(_COLUMNS))

    def _row(self, one: SeriesAudit) -> dict[str, Any]:
        bound = one.bound
        return {
            "position": one.position,
            "reserved": one.reserved,
            "confidence": one.confidence,
            "spent": one.spent,
            "left": self.budget / (one.position + 1),
            "name": one.audit.name if one.audit else "",
            "key": one.audit.key if one.audit else "",
            "epsilon": bound.value if bound else np.nan,
            "delta": bound.delta if bound else np.nan,
            "refuted": ", ".join(one.refuted),
            "data_sha256": one.data_sha256,
        }

    def __iter__(self) -> Iterator[SeriesAudit]:
        return iter(self.audits)

    def __len__(self) -> int:
        return len(self.audits)

    def __bool__(self) -> bool:
        return True  # a series without audits is one

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (
                one.position,
                f"{one.reserved.astimezone():%Y-%m-%d %H:%M}",
                percent(one.confidence),
                f"{one.bound.relation} {one.bound.rounded}" if one.bound else "not saved",
                f"refuted: {', '.join(one.refuted)}" if one.refuted else "",
            )
            for one in self.audits[-_SHOWN:]
        ]
        if len(self) > _SHOWN:
            rows.insert(0, ("…", f"{len(self) - _SHOWN:,} earlier", "", "", ""))
        return beside(table(f"Series “{self.name}”", rows, self.explain()), self)


_COLUMNS = (
    *("position", "reserved", "confidence", "spent", "left"),
    *("name", "key", "epsilon", "delta", "refuted", "data_sha256"),
)
