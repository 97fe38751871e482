"""Conversion of datasets to the arrays that mechanisms work on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def vector(dataset: Any) -> NDArray[np.float64]:
    """A dataset with one number for each record, shape (records,); ValueError for another shape."""
    x = np.asarray(dataset, dtype=float)
    if x.ndim != 1:
        raise ValueError(f"this mechanism takes a vector, shape (records,); got {x.shape}")
    return x


def column_sums(dataset: Any) -> NDArray[np.float64]:
    """Sums of the columns of a table, shape (columns,); ValueError for another shape."""
    x = np.asarray(dataset, dtype=float)
    if x.ndim != 2:
        raise ValueError(f"this mechanism takes a table, shape (records, columns); got {x.shape}")
    return x.sum(axis=0)
