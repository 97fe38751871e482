"""Numbers and lists of records that exceed an ε: `RecordCount` and `LeakingRecords`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from workbench import _checks
from workbench._format import percent, plain
from workbench._markup import table as html_table
from workbench.curves.validation import Floats
from workbench.progress import Report, part, silent
from workbench.scores.sample import ScoresError
from workbench.tables.bounds.counting import rank_counts
from workbench.tables.bounds.e_values import assumption_of, log_e_values
from workbench.tables.bounds.each_record import holm
from workbench.tables.bounds.tabulated import Tabulated, of_each, require_table

if TYPE_CHECKING:
    import pandas as pd

#: Records that a text names.
_NAMED = 5


@dataclass(frozen=True, eq=False, repr=False)
class RecordCount:
    """A number of records, at least, that exceed an ε.

    Attributes
    ----------
    table : ScoreTable
    epsilon, delta : float
        The claim that these records refute is (ε, δ)-DP.
    confidence : float
        The probability, at least, with which all ``refuted`` records exceed ε.
    refuted : ndarray of bool, shape (R,)
    """

    table: Tabulated
    epsilon: float
    delta: float
    confidence: float
    refuted: NDArray[np.bool_]

    def __post_init__(self) -> None:
        require_table(self.table)
        _keep(
            self,
            epsilon=_checks.non_negative(self.epsilon, "epsilon"),
            delta=_checks.delta(self.delta),
            confidence=_checks.confidence(self.confidence),
        )
        _checks.mask(self.refuted, self.table.n_records, "refuted")

    @property
    def value(self) -> int:
        """The number of records."""
        return int(self.refuted.sum())

    @property
    def records(self) -> NDArray[Any]:
        """Their names."""
        return np.asarray(self.table.record_names[self.refuted])

    @property
    def assumption(self) -> str:
        """As of a `Bound`."""
        return self.table.assumption

    def __int__(self) -> int:
        return self.value

    def __format__(self, spec: str) -> str:
        """The number by a format of whole numbers, such as ``","``; the text without one."""
        return format(self.value, spec) if spec else str(self)

    def __str__(self) -> str:
        n, of = self.value, self.table.n_records
        return (
            f"at least {n:,} of {of:,} records exceed ε = {plain(self.epsilon)} at δ = "
            f"{plain(self.delta)} ({percent(self.confidence)}, {self.assumption})"
        )

    def __repr__(self) -> str:
        return f"RecordCount({self})"

    def _repr_html_(self) -> str:
        return html_table(str(self), [(name,) for name in self.records[:_NAMED]])

    def to_frame(self) -> pd.DataFrame:
        """One row for each record that exceeds ε."""
        import pandas as pd

        return pd.DataFrame({"record": self.records})


@dataclass(frozen=True, eq=False, repr=False)
class LeakingRecords:
    """A list of records that exceed an ε, with a false discovery rate.

    Attributes
    ----------
    table : ScoreTable
    epsilon, delta : float
        The claim that these records refute is (ε, δ)-DP.
    error : float
        The mean share, at most, of listed records that do not exceed ε.
    attacks : int
        Number of attacks whose evidence was averaged.
    log_e_values : ndarray, shape (R,)
        Logs of the e-values.
    """

    table: Tabulated
    epsilon: float
    delta: float
    error: float
    attacks: int
    log_e_values: Floats

    def __post_init__(self) -> None:
        require_table(self.table)
        _keep(
            self,
            epsilon=_checks.non_negative(self.epsilon, "epsilon"),
            delta=_checks.delta(self.delta),
            error=_checks.open_unit(self.error, "error"),
            attacks=_checks.count(self.attacks, "attacks", least=1),
        )
        of_each(self.table, self.log_e_values, "log_e_values")

    @cached_property
    def listed(self) -> NDArray[np.bool_]:
        """Which records are listed, shape (R,)."""
        return e_benjamini_hochberg(self.log_e_values, int(self.table.auditable.sum()), self.error)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Columns of the listed records, from the largest e-value down."""
        order = np.argsort(-self.log_e_values, kind="stable")
        return np.asarray(order[self.listed[order]])

    @property
    def records(self) -> NDArray[Any]:
        """Names of the listed records, from the largest e-value down."""
        return np.asarray(self.table.record_names[self.order])

    @property
    def assumption(self) -> str:
        """As of a `Bound`."""
        return assumption_of(self.table)

    def __len__(self) -> int:
        return int(self.listed.sum())

    def to_frame(self) -> pd.DataFrame:
        """One row for each listed record, from the largest e-value down."""
        import pandas as pd

        return pd.DataFrame({"record": self.records, "log_e_value": self.log_e_values[self.order]})

    def __str__(self) -> str:
        return (
            f"{len(self):,} of {self.table.n_records:,} records exceed ε = {plain(self.epsilon)} "
            f"at δ = {plain(self.delta)} (false discovery rate {percent(self.error)}, "
            f"{self.assumption})"
        )

    def __repr__(self) -> str:
        return f"LeakingRecords({self})"

    def _repr_html_(self) -> str:
        rows = [
            (name, f"log e = {self.log_e_values[r]:.3g}")
            for name, r in zip(self.records[:_NAMED], self.order[:_NAMED], strict=True)
        ]
        return html_table(str(self), rows)


def _keep(result: object, **checked: float) -> None:
    """Keep numbers as checks return them: a Decimal or the text "0.5" becomes a float."""
    for name, value in checked.items():
        object.__setattr__(result, name, value)


def records_exceeding(
    table: Tabulated,
    epsilon: float,
    delta: float,
    confidence: float = 0.95,
    progress: Report | None = None,
) -> RecordCount:
    """Records that exceed ε, all of them with this confidence. See `ScoreTable.exceeding`."""
    epsilon, delta = _checks.non_negative(epsilon, "epsilon"), _checks.delta(delta)
    confidence = _checks.confidence(confidence)
    report = silent if progress is None else progress
    counts = rank_counts(table, part(report, 0.0, 0.8))
    p_values = counts.p_values(epsilon, delta, part(report, 0.8, 1.0))
    refuted = holm(p_values, int(table.auditable.sum()), 1 - confidence)
    report(1.0, "finished")
    return RecordCount(table, epsilon, delta, confidence, refuted)


def leaking_records(
    table: Tabulated,
    epsilon: float,
    delta: float,
    error: float = 0.05,
    attacks: Sequence[Tabulated] = (),
    progress: Report | None = None,
) -> LeakingRecords:
    """Records that exceed ε, with a false discovery rate. See `ScoreTable.leaking`."""
    epsilon, delta = _checks.non_negative(epsilon, "epsilon"), _checks.delta(delta)
    error = _checks.open_unit(error, "error", "the share of false discoveries, such as 0.05")
    for other in attacks:
        if other.member.shape != table.member.shape or (other.member != table.member).any():
            raise ScoresError(
                f"an attack has the memberships of {other.n_models} models and {other.n_records} "
                "records that differ from this table's; attacks to combine must be on the same "
                "models and records, in the same order"
            )
    report = silent if progress is None else progress
    tables = (table, *attacks)
    found = [
        log_e_values(t, epsilon, delta, part(report, i / len(tables), (i + 1) / len(tables)))
        for i, t in enumerate(tables)
    ]
    mean = logsumexp(found, axis=0) - np.log(len(found))
    report(1.0, "finished")
    return LeakingRecords(table, epsilon, delta, error, len(found), mean)


def e_benjamini_hochberg(log_e_values: Floats, claims: int, error: float) -> NDArray[np.bool_]:
    """Claims on the list, whatever the dependence of the e-values.

    Parameters
    ----------
    log_e_values : ndarray, shape (R,)
    claims : int
        Number of claims that were tested.
    error : float
        The false discovery rate.

    References
    ----------
    Wang & Ramdas (2022).
    """
    ordered = np.sort(log_e_values)[::-1]
    goals = np.log(claims) - np.log(np.arange(1, ordered.size + 1)) - np.log(error)
    reached = np.flatnonzero(ordered >= goals)
    if not reached.size:
        return np.zeros(log_e_values.size, bool)
    return np.asarray(log_e_values >= ordered[reached[-1]])
