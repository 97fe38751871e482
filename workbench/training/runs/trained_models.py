"""`TrainedModels`: models that were trained, their rows, and what they cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from workbench.training.audits.rows import Rows


@dataclass(frozen=True, eq=False)
class TrainedModels:
    """Some models of an audit and their rows.

    Attributes
    ----------
    models : array of int
        Indices, ascending; a model may have no row.
    rows : Rows
        In the order of models, then subjects.
    cpu_seconds : float
        Processor time of the training and scoring.
    """

    models: NDArray[np.int64]
    rows: Rows
    cpu_seconds: float = 0.0

    @classmethod
    def joined(cls, parts: Iterable[TrainedModels]) -> Self:
        """The models of several parts; of a model in two parts, the first rows are kept.

        Both are the same, for they depend on the seed and the index alone.
        """
        found, known = [], np.zeros(0, dtype=np.int64)
        for part in parts:
            new = np.setdiff1d(part.models, known)
            found.append(part if new.size == part.count else part._of(new))
            known = np.concatenate([known, new])
        rows = Rows.joined(part.rows for part in found)
        return cls(np.sort(known), rows, sum(part.cpu_seconds for part in found))

    @property
    def count(self) -> int:
        """Number of models."""
        return self.models.size

    def missing(self, models: int) -> NDArray[np.int64]:
        """Indices below a number of models that are not among these."""
        return np.setdiff1d(np.arange(models), self.models)

    def prefix(self) -> Self:
        """The models 0, 1, … up to the first that is missing."""
        later = np.flatnonzero(self.models != np.arange(self.count))
        return self._of(self.models[: later[0]]) if later.size else self

    def _of(self, models: NDArray[np.int64]) -> Self:
        share = models.size / max(self.count, 1)
        return type(self)(models, self.rows.of_models(models), self.cpu_seconds * share)
