"""`AuditSeries`: audits of one pipeline over time, with one error budget over all of them.

Every audit errs with a probability of its own. Fifty audits of a pipeline that keeps its claim,
each at 95% confidence, refute the claim at least once with a probability of up to 92%. A series of
confidence 1 − α spends its error probability α over the audits instead: the k-th audit gets

    α_k = α / (k (k + 1)),   k = 1, 2, 3, …,

that is, it is made at the confidence 1 − α_k. As α_k = α/k − α/(k + 1), the first K audits spend
α − α/(K + 1); what is left for all later ones is α/(K + 1), and the whole sum is α.

Theorem. With a probability of at least 1 − α, no audit of the series, however many there are, makes
a false statement: no simultaneous bound exceeds the truth and no true claim is refuted.

Proof. Let F_{k−1} be everything that was known before the scores of audit k were drawn, and A_k the
event that audit k makes a false statement. Given F_{k−1}, the mechanism that is audited, the claims
and the confidence 1 − α_k are fixed, and the scores are fresh draws from the mechanism. All
statements of one audit rest on one event, that of `workbench.bounds.simultaneous.rank_band`, which
fails with a probability of at most α_k. So Pr[A_k | F_{k−1}] ≤ α_k, hence Pr[A_k] ≤ α_k, and
Pr[A_1 ∪ A_2 ∪ …] ≤ Σ α_k = α. ∎

The union bound needs nothing else. Audits may depend on each other. The pipeline may be changed
because of earlier results, another mechanism may be audited, and sample sizes and claims may differ
between audits, as long as each audit's own are fixed before its scores are seen. No number of
audits has to be planned. Two things are needed:

- *Fresh scores*, where anything was changed because of earlier results: scores that were used
  before are no new draws from what they led to. The same scores audited again get the position that
  they have, and give the same result; other claims on them cost nothing, as they rest on the same
  event.
- *Spending before looking*: a position is reserved before a number is computed, and is spent even
  if the computation fails or the audit is removed later. Otherwise one could look first and count
  only audits that one likes.

E-processes could add up the evidence of audits that each find little, but only against a claim that
every audit tests, of a mechanism that nobody changes. A series lets both change.

Choice of the levels. Any sequence with sum α is valid. Slower ones, such as k^(−1.6) or that of
Javanmard and Montanari (2018), double α_50. Against a Gaussian leak of μ = 1.25 where 1 is claimed,
with 1000 + 1000 scores, the 50th audit then has a power of 44% in place of 37%, the tenth 70% or
59% in place of 67%, and the second 90% or 70% in place of 91%. The small gain of late audits does
not pay for a budget without a closed form. Were 50 audits planned and no further one possible, α/50
each would have 75%: the price of a series without an end. The script ``benchmarks/series.py``
measures this, and that at most a share α of series refute a true claim: 2.2% to 2.6% of 1000 series
of 50 audits for α = 5%, against 61% to 67% where every audit is made at 95%.

References
----------
DeMets and Lan, Interim analysis: the alpha spending function approach, 1994.
Foster and Stine, α-investing: a procedure for sequential control of expected false discoveries,
2008. (The levels here are those of alpha spending: they do not grow again after a refuted claim, so
that the probability of *any* false statement is controlled.)
Javanmard and Montanari, Online rules for control of false discovery rate and false discovery
exceedance, 2018.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import _checks, _json
from workbench._format import percent, round_safely
from workbench._html import table
from workbench.audits.audit import Audit
from workbench.bounds.bound import Bound
from workbench.bounds.power.verdict import REFUTED
from workbench.claims.parse import parse_claim
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    import pandas as pd

#: ``"module:callable"`` that draws a series; above this floor.
_CHART = "workbench.figures.series:series_chart"

#: The number of the scores page that a series is about.
EPSILON = "epsilon"


def spent_at(position: int, confidence: float = 0.95) -> float:
    """The error probability of one audit of a series, α / (k (k + 1)).

    Parameters
    ----------
    position : int
        k, from 1.
    confidence : float
        1 − α, of the whole series.

    Raises
    ------
    ValueError
        A position below 1, a confidence out of range.

    Examples
    --------
    >>> from workbench.audits.series import spent_at
    >>> [round(spent_at(k), 5) for k in (1, 2, 3, 50)]
    [0.025, 0.00833, 0.00417, 2e-05]
    """
    k = _checks.count(position, "position", least=1)
    return (1 - _checks.confidence(confidence)) / (k * (k + 1))


def confidence_at(position: int, confidence: float = 0.95) -> float:
    """The confidence at which one audit of a series is made, 1 − α / (k (k + 1)).

    Parameters
    ----------
    position, confidence
        As of `spent_at`.
    """
    return 1 - spent_at(position, confidence)


def scores_sha256(scores: Scores) -> str:
    """Hash by which a series recognizes scores: of the scores and how they were read.

    Parameters
    ----------
    scores : Scores

    Returns
    -------
    str
        The same for the same values in the same order and direction, whatever their file; 64
        hexadecimal digits.
    """
    head = _json.dumps([scores.n_p, scores.n_q, scores.larger_is_member, scores.held_out])
    found = hashlib.sha256(f"{len(head)}:{head}".encode())
    for group in (scores.p, scores.q):
        found.update((np.asarray(group, dtype="<f8") + 0.0).tobytes())  # −0 becomes 0
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
    audit : Audit, optional
        None where the audit was not saved, or was removed.
    """

    position: int
    confidence: float
    data_sha256: str
    reserved: datetime
    audit: Audit | None = field(default=None, repr=False)

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
    however many there will be; `workbench.audits.series` has the proof. ``workspace.audits.series``
    makes and finds a series.

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

    def __post_init__(self) -> None:
        _checks.text(self.name, "name")
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
            f"will a later one. Spent: {error(self.spent)} of an error probability of "
            f"{error(self.budget)}; left: {error(self.left)}."
        )
        if not self.refuted:
            return f"{text} No claim is refuted."
        found = "; ".join(f"{', '.join(one.refuted)} by audit {one.position}"
                          for one in self.refuted)  # fmt: skip
        return f"{text} Refuted: {found}."

    def figure(self) -> dict[str, Any]:
        """The chart of the lower bounds on ε, as a dict in plotly's format."""
        found: dict[str, Any] = resolve_name(_CHART)(self.audits, self.name)
        return found

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
        rows = [
            (
                one.position,
                f"{one.reserved.astimezone():%Y-%m-%d %H:%M}",
                percent(one.confidence),
                f"{one.bound.relation} {one.bound.rounded}" if one.bound else "not saved",
                f"refuted: {', '.join(one.refuted)}" if one.refuted else "",
            )
            for one in self.audits
        ]
        return table(f"Series “{self.name}”", rows, self.explain())


_COLUMNS = (
    *("position", "reserved", "confidence", "spent", "left"),
    *("name", "key", "epsilon", "delta", "refuted", "data_sha256"),
)


def error(probability: float) -> str:
    """An error probability as text, such as "2.5%" or "0.002%"."""
    return f"{float(round_safely(100 * probability, 'nearest')):g}%"
