"""`CombinedLimits`: what several attacks prove together about each record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._format import percent, plain, round_safely
from workbench.progress import Report, part
from workbench.tables.bounds.each_record import RecordLimits, holm
from workbench.tables.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class CombinedLimits:
    """Lower limits on ε for all records from several attacks, all of them valid together.

    Attributes
    ----------
    attacks : mapping of str to RecordLimits
        The limits of each attack, each with its share of the error probability.
    confidence : float
        The probability, at least, with which all limits of all attacks hold.
    """

    attacks: Mapping[str, RecordLimits]
    confidence: float

    def __post_init__(self) -> None:
        _checks.fields(self)
        if len({limits.values.shape for limits in self.attacks.values()}) != 1:
            raise ValueError("attacks must be limits of the same records, by one attack at least")

    @property
    def delta(self) -> float:
        """The δ of all limits."""
        return next(iter(self.attacks.values())).delta

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """Lower limit on ε of each record, the largest of its attacks', shape (R,)."""
        return np.max([limits.values for limits in self.attacks.values()], axis=0)

    @cached_property
    def best(self) -> NDArray[np.str_]:
        """Name of the attack with the largest limit for each record, "" where none is above 0."""
        names = np.array([*self.attacks])
        place = np.argmax([limits.values for limits in self.attacks.values()], axis=0)
        return np.where(self.values > 0, names[place], "")

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Columns of the tables from the largest limit down."""
        return np.argsort(-self.values, kind="stable")

    @property
    def assumption(self) -> str:
        """The assumptions of the attacks, each once."""
        return ", ".join(dict.fromkeys(one.assumption for one in self.attacks.values()))

    def p_values(self, epsilon: float) -> NDArray[np.float64]:
        """p-values of "the record is (ε, δ)-DP", each valid by itself, shape (R,).

        Parameters
        ----------
        epsilon : float
            At least 0, chosen before the limits were seen.
        """
        least = np.min([one.p_values(epsilon) for one in self.attacks.values()], axis=0)
        return np.minimum(len(self.attacks) * least, 1.0)

    def refuted(self, epsilon: float) -> NDArray[np.bool_]:
        """Records that exceed ε, shape (R,); with this confidence all of them do.

        Parameters
        ----------
        epsilon : float
            As in `p_values`.

        References
        ----------
        Holm (1979).
        """
        return holm(self.p_values(epsilon), self.values.size, 1 - self.confidence)

    def to_frame(self) -> pd.DataFrame:
        """One row for each record, from the largest limit down, with the attack that gives it."""
        import pandas as pd

        names = next(iter(self.attacks.values())).table.record_names
        columns = {"record": names, "epsilon_at_least": self.values, "attack": self.best}
        return pd.DataFrame({name: column[self.order] for name, column in columns.items()})

    def __repr__(self) -> str:
        largest = round_safely(float(self.values.max()), "down")
        return (
            f"CombinedLimits({self.values.size} records, {int((self.values > 0).sum())} above 0, "
            f"the largest ε ≥ {largest} at δ = {plain(self.delta)}, {len(self.attacks)} attacks, "
            f"simultaneous, {percent(self.confidence)}, {self.assumption})"
        )


def combined_limits(
    tables: Mapping[str, ScoreTable], delta: float, confidence: float, report: Report
) -> CombinedLimits:
    """The limits of several attacks on the same records, which share the error probability.

    Parameters
    ----------
    tables : mapping of str to ScoreTable
        By the name of the attack.
    delta, confidence : float
    report : Report
        Takes the progress.
    """
    level = 1 - (1 - confidence) / len(tables)
    each = {}
    for i, (name, table) in enumerate(tables.items()):
        report(i / len(tables), f"bounding the records by {name}")
        own = part(report, i / len(tables), (i + 1) / len(tables))
        each[name] = table.each_record(delta=delta, confidence=level, progress=own)
    report(1.0)
    return CombinedLimits(each, confidence)
