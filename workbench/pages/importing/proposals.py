"""Whether a table has labels, by its looks."""

from __future__ import annotations

from workbench.scores.layouts.guess import numeric_columns
from workbench.scores.layouts.labels import labels_of
from workbench.scores.table import DataTable


def has_labels(table: DataTable) -> bool:
    """Whether a column looks as if it held labels: text, or two different values."""
    numeric = set(numeric_columns(table))
    labels = {name: len(labels_of(table, name)) for name in table.columns}
    return any(n == 2 or (n > 2 and name not in numeric) for name, n in labels.items())
