"""`AuditedRecord`: the one record that is in or out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench import _checks
from workbench.training.dp_sgd.data import LabeledData

RECORDS = ("row", "mislabeled", "blank")


@dataclass(frozen=True)
class AuditedRecord:
    """The one record that is in or out.

    Parameters
    ----------
    kind : {"row", "mislabeled", "blank"}
        A row of the data as it is; the same with the next label; or a record outside the
        distribution of the data, all of whose features are 0, with label 0.
    row : int
        Number of the row, which a "blank" record does not have. A record of one's own is the last
        row of ``data.joined(data.record(x, label))``.

    Raises
    ------
    ValueError
        Another kind, or a row below 0.
    """

    kind: str = "row"
    row: int = 0

    def __post_init__(self) -> None:
        _checks.one_of(self.kind, "kind", RECORDS)
        object.__setattr__(self, "row", _checks.count(self.row, "row"))

    @_checks.arguments
    def split(self, data: LabeledData) -> tuple[LabeledData, LabeledData]:
        """The data without the record, and the record.

        Raises
        ------
        ValueError
            The data do not have the row.
        """
        if self.kind == "blank":
            return data, data.record(np.zeros(data.features), 0)
        if self.row >= data.size:
            raise ValueError(
                f"record.row must be below the {data.size} records of the data, got {self.row}"
            )
        one = data.take([self.row]) if self.kind == "row" else data.relabeled(self.row)
        return data.without(self.row), one
