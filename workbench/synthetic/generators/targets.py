"""`targets`: records that a generator is most likely to give away, proposed from the table alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._frames import to_frame

if TYPE_CHECKING:
    import pandas as pd

#: Neighbors whose mean distance says how far a record is from the others.
NEIGHBORS = 5


@dataclass(frozen=True, eq=False)
class Targets:
    """Records proposed for an audit with many runs, the most exposed first.

    Attributes
    ----------
    rows : array of int, shape (k,)
        Row numbers in the table, from 0.
    distance : array of float, shape (k,)
        Mean distance to the five nearest other records, over that of the median record.
    reasons : tuple of str
        Why each was proposed.
    """

    rows: NDArray[np.intp]
    distance: NDArray[np.float64]
    reasons: tuple[str, ...]

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)
