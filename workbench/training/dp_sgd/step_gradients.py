"""`StepGradients`: the per-example gradients of one step, of records and of canaries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.training.dp_sgd.canary_gradients import CanaryGradients
from workbench.training.dp_sgd.network import BatchGradients, Vector


class StepGradients:
    """The per-example gradients of one step.

    The gradients of records come first, those of canaries follow.

    Parameters
    ----------
    records : BatchGradients
    canaries : CanaryGradients, optional
    chosen : array of int, optional
        The canaries that are in this batch.
    """

    def __init__(
        self,
        records: BatchGradients,
        canaries: CanaryGradients | None = None,
        chosen: NDArray[np.intp] | None = None,
    ):
        self._records, self._canaries = records, canaries
        self._chosen = np.zeros(0, dtype=np.intp) if chosen is None else chosen

    @property
    def size(self) -> int:
        """Number of gradients."""
        return self._records.size + self._chosen.size

    def norms(self) -> Vector:
        """Norm of each gradient."""
        norms = self._records.norms()
        if self._canaries is None or not self._chosen.size:
            return norms
        return np.concatenate([norms, self._canaries.norms(self._chosen)])

    def weighted_sum(self, weights: Vector) -> Vector:
        """Sum of the gradients times weights, shape (parameters,)."""
        total = self._records.weighted_sum(weights[: self._records.size])
        if self._canaries is not None and self._chosen.size:
            self._canaries.add(total, self._chosen, weights[self._records.size :])
        return total

    def part(self, start: int, stop: int) -> StepGradients:
        """The gradients from one place to before another."""
        first, last = max(start - self._records.size, 0), max(stop - self._records.size, 0)
        return StepGradients(
            self._records.part(start, stop), self._canaries, self._chosen[first:last]
        )
