"""`RecordLimits`: lower limits on ε for all records of a table, valid together.

Each record has exact tests at ranks of its non-member scores
(`workbench.bounds.simultaneous.rank_tests`) with its share of the error budget. The shares add up
to 1 − confidence, so all limits hold together, however the records influence each other
(Bonferroni). A choice of records after seeing the limits, such as the largest, costs nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from workbench import _checks
from workbench._format import percent, plain, round_safely
from workbench._markup import table as html_table
from workbench._plot import beside, figure, plot
from workbench.curves.gdp import epsilon_from_mu
from workbench.curves.validation import Floats
from workbench.progress import Report, part, silent
from workbench.tables.bounds.counting import rank_counts
from workbench.tables.bounds.rank_counts import RankCounts
from workbench.tables.bounds.tabulated import Tabulated, of_each, require_table

if TYPE_CHECKING:
    import pandas as pd

#: Records that a notebook shows.
_SHOWN = 5


@dataclass(frozen=True, eq=False, repr=False)
class RecordLimits:
    """Lower limits on ε for all records of a table, all of them valid together.

    Attributes
    ----------
    table : ScoreTable
    delta : float
    confidence : float
        The probability, at least, with which all limits hold.
    values : ndarray, shape (R,)
        Lower limit on ε at δ of each record; 0 where nothing is shown.
    estimates : ndarray, shape (R,)
        Estimate of each record's ε: that of the Gaussian pair with the same area under the ROC
        curve. It has no guarantee. NaN for records that are not auditable.
    counts : RankCounts
        What the limits were computed from.
    """

    table: Tabulated
    delta: float
    confidence: float
    values: Floats
    estimates: Floats
    counts: RankCounts

    plot = plot
    figure = figure

    def __post_init__(self) -> None:
        require_table(self.table)
        _checks.delta(self.delta)
        _checks.confidence(self.confidence)
        of_each(self.table, self.values, "values")
        of_each(self.table, self.estimates, "estimates")
        need = "a RankCounts, as RecordLimits of table.each_record(...) have"
        _checks.instance(self.counts, RankCounts, "counts", need)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Columns of the table from the largest limit down; estimates decide between equal ones."""
        estimates = np.where(np.isnan(self.estimates), -1.0, self.estimates)
        return np.lexsort((-estimates, -self.values))

    @property
    def assumption(self) -> str:
        """As of a `Bound`."""
        return str(self.table.assumption)

    def p_values(self, epsilon: float) -> Floats:
        """p-values of "the record is (ε, δ)-DP", each valid by itself, shape (R,).

        Parameters
        ----------
        epsilon : float
            At least 0.
        """
        return self.counts.p_values(_checks.non_negative(epsilon, "epsilon"), self.delta)

    def refuted(self, epsilon: float) -> NDArray[np.bool_]:
        """Records that exceed ε, shape (R,); with this confidence all of them do.

        Parameters
        ----------
        epsilon : float
            At least 0, chosen before the limits were seen. For an ε chosen later take
            ``values > epsilon``.

        References
        ----------
        Holm (1979).
        """
        return holm(self.p_values(epsilon), int(self.table.auditable.sum()), 1 - self.confidence)

    def at_least(self, epsilon: float) -> int:
        """Number of records, at least, that exceed ε: those of `refuted`.

        Parameters
        ----------
        epsilon : float
            As in `refuted`.
        """
        return int(self.refuted(epsilon).sum())

    @cached_property
    def distribution(self) -> tuple[Floats, NDArray[np.int64]]:
        """Limits of ε and the number of records, at least, that reach each; valid for all at once.

        The limits rise, and the numbers fall. Empty where nothing is shown.
        """
        shown = np.sort(self.values[self.values > 0])
        limits, first = np.unique(shown, return_index=True)
        return limits, (shown.size - first).astype(np.int64)

    def to_frame(self) -> pd.DataFrame:
        """One row for each record, from the largest limit down."""
        import pandas as pd

        t, order = self.table, self.order
        columns = {
            "record": t.record_names,
            "epsilon_at_least": self.values,
            "epsilon_estimate": self.estimates,
            "auc": self.counts.auc,
            "models_with": t.n_in,
            "models_without": t.n_out,
        }
        columns |= {k: v for k, v in t.attributes.items() if np.ndim(v) == 1 and k not in columns}
        return pd.DataFrame({name: np.asarray(column)[order] for name, column in columns.items()})

    def __repr__(self) -> str:
        largest = round_safely(float(self.values.max()), "down")
        return (
            f"RecordLimits({self.values.size} records, {int((self.values > 0).sum())} above 0, the "
            f"largest ε ≥ {largest} at δ = {plain(self.delta)}, {self._terms})"
        )

    def _repr_html_(self) -> str:
        t = self.table
        rows = [
            (t.record_names[r], f"ε ≥ {round_safely(float(self.values[r]), 'down')}")
            for r in self.order[:_SHOWN]
        ]
        title = f"Limits for {self.values.size:,} records at δ = {plain(self.delta)}"
        return beside(html_table(title, rows, self._terms), self)

    @property
    def _terms(self) -> str:
        return f"simultaneous, {percent(self.confidence)}, {self.assumption}"


def record_limits(
    table: Tabulated, delta: float, confidence: float = 0.95, progress: Report | None = None
) -> RecordLimits:
    """Lower limits on ε for all records, valid together. See `ScoreTable.each_record`."""
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    report = silent if progress is None else progress
    counts = rank_counts(table, part(report, 0.0, 0.6))
    budget = np.full(table.n_records, (1 - confidence) / max(int(table.auditable.sum()), 1))
    values = limits_of(counts, delta, budget, part(report, 0.6, 1.0))
    estimates = estimates_of(counts, delta)
    report(1.0, "finished")
    return RecordLimits(table, delta, confidence, values, estimates, counts)


def limits_of(counts: RankCounts, delta: float, errors: Floats, report: Report = silent) -> Floats:
    """Lower limits on ε, each with an error probability of its own, shape (R,).

    Parameters
    ----------
    counts : RankCounts
    delta : float
    errors : ndarray, shape (R,)
    report : Report
    """
    values = np.zeros(counts.auc.size)
    for i, group in enumerate(counts.groups):
        report(i / len(counts.groups), "bounding each record")
        values[group.records] = group.limits(delta, errors[group.records])
    return values


def estimates_of(counts: RankCounts, delta: float) -> Floats:
    """ε of the Gaussian pair with each record's area under the ROC curve, shape (R,)."""
    found = np.full(counts.auc.size, np.nan)
    for group in counts.groups:
        pairs = group.n_p * group.n_q
        auc = np.clip(counts.auc[group.records], 0.5, 1 - 0.5 / pairs)
        found[group.records] = epsilon_from_mu(np.sqrt(2) * ndtri(auc), delta)
    return found


def holm(p_values: Floats, claims: int, error: float) -> NDArray[np.bool_]:
    """Claims that are refuted together, by Holm's (1979) procedure.

    Parameters
    ----------
    p_values : ndarray, shape (R,)
        They may depend on each other in any way.
    claims : int
        Number of claims that were tested; p-values of others are 1.
    error : float
        Probability, at most, with which any true claim is refuted.
    """
    order = np.argsort(p_values, kind="stable")
    steps = np.maximum(claims - np.arange(order.size), 1)
    stands = p_values[order] > error / steps
    refuted = int(stands.argmax()) if stands.any() else order.size
    found = np.zeros(order.size, bool)
    found[order[:refuted]] = True
    return found
