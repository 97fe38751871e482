"""Procedures with one mistake each, as they were found in public code: positive controls."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.training.dp_sgd.network import Vector
from workbench.training.dp_sgd.procedure import Procedure, clip_weights, clipped
from workbench.training.dp_sgd.step_gradients import StepGradients


class AverageFirst(Procedure):
    """The gradients are averaged, and the mean is clipped (Kong et al., 2023, Section 6.5)."""

    name, title = "average-first", "Averages before clipping"
    about = (
        "One record may turn the average around, by twice the clipping norm; the noise is made for "
        "the clipping norm over the size of a batch."
    )

    def total(self, batch: StepGradients) -> Vector:
        """See `Procedure`."""
        mean = batch.weighted_sum(np.ones(batch.size, dtype=np.float32)) / max(batch.size, 1)
        return self.settings.expected_batch * clipped(mean, self.settings.clip)


class DividedFirst(Procedure):
    """Gradients are divided by the batch size, then clipped (Xiang et al., 2025, Section 5.3).

    With batches of size L, the sum of the gradients g/L, each clipped to C, times L is the sum of
    the gradients g, each clipped to L C.
    """

    name, title = "divided-first", "Divides before clipping"
    about = "A record may move the sum by the clipping norm times the size of a batch."

    def total(self, batch: StepGradients) -> Vector:
        """See `Procedure`."""
        clip = self.settings.expected_batch * self.settings.clip
        return batch.weighted_sum(clip_weights(batch.norms(), clip))


class MicroBatches(Procedure):
    """The mean gradients of micro-batches are clipped, with noise for one record each."""

    name, title = "micro-batches", "Sensitivity of micro-batches"
    about = (
        "The mean gradient of each micro-batch is clipped, and one record can turn it around: the "
        "sum changes by twice the clipping norm, and by more where later records move up."
    )

    #: Records of a micro-batch.
    size = 2

    def total(self, batch: StepGradients) -> Vector:
        """See `Procedure`."""
        found = batch.weighted_sum(np.zeros(batch.size, dtype=np.float32))
        for start in range(0, batch.size, self.size):
            some = batch.part(start, start + self.size)
            mean = some.weighted_sum(np.full(some.size, 1 / self.size, dtype=np.float32))
            found += clipped(mean, self.settings.clip)
        return found

    def divisor(self, items: int) -> float:
        """See `Procedure`."""
        return self.settings.expected_batch / self.size


class ScaledNoise(Procedure):
    """The noise is smaller than claimed by a factor."""

    name, title = "scaled-noise", "Noise scaled by s"
    about = "The standard deviation of the noise is s times the claimed one."

    def noise(self, size: int, rng: np.random.Generator) -> Vector:
        """See `Procedure`."""
        return super().noise(size, rng) * np.float32(self.settings.noise_scale)


class SameSeed(Procedure):
    """The generator of the noise starts again from the same seed in each step."""

    name, title = "same-seed", "The same seed in each step"
    about = "All steps have the same noise, so that it cancels in the difference of two."
    _drawn: Vector | None = None

    def noise(self, size: int, rng: np.random.Generator) -> Vector:
        """See `Procedure`."""
        if self._drawn is None:
            self._drawn = super().noise(size, rng)
        return self._drawn


class LastUnclipped(Procedure):
    """The last gradient of each batch is not clipped."""

    name, title = "last-unclipped", "One record's gradient is not clipped"
    about = (
        "The loop over a batch ends one too early, and the gradient of its last record is whole."
    )

    def total(self, batch: StepGradients) -> Vector:
        """See `Procedure`."""
        weights = clip_weights(batch.norms(), self.settings.clip)
        weights[-1:] = 1
        return batch.weighted_sum(weights)


class NoNoise(Procedure):
    """There is no noise."""

    name, title = "no-noise", "No noise"
    about = "The gradients are clipped, and nothing is added."

    def noise(self, size: int, rng: np.random.Generator) -> Vector:
        """See `Procedure`."""
        return np.zeros(size, dtype=np.float32)


class DividedByData(Procedure):
    """The noisy sum is divided by ⌊q·|D|⌋, which differs between neighboring data sets."""

    name, title = "divided-by-data", "Divided by ⌊q·|D|⌋"
    about = (
        "The divisor depends on the number of records. If one more record changes it, the size of "
        "everything that is released reveals the record (arXiv 2605.15648)."
    )

    def divisor(self, items: int) -> float:
        """See `Procedure`."""
        return max(math.floor(self.settings.sample_rate * items * (1 + 1e-12)), 1)


class FixedSize(Procedure):
    """Batches have a fixed size, and the accounting is that of Poisson sampling."""

    name, title = "fixed-size", "Batches without replacement, accounted as Poisson"
    about = (
        "A record that enters a batch of fixed size replaces another one, so that the sum changes "
        "by up to twice the clipping norm."
    )

    def sample(self, items: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """See `Procedure`."""
        size = min(max(round(self.settings.expected_batch), 1), items)
        return np.sort(rng.choice(items, size, replace=False))


class Shuffled(Procedure):
    """Each epoch goes through the data in a new order, accounted as Poisson (Chua et al., 2024).

    The order of an epoch is cut into batches of a fixed size; the last one holds the rest.
    """

    name, title = "shuffled", "Shuffled batches, accounted as Poisson"
    about = (
        "The data are shuffled and cut into batches in each epoch, so that every record is used "
        "once and takes the place of another one; the accountant counts coins (arXiv 2403.17673)."
    )
    _rest: NDArray[np.intp] = np.zeros(0, dtype=np.intp)

    def sample(self, items: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """See `Procedure`."""
        if not self._rest.size:
            self._rest = rng.permutation(items)
        size = max(round(self.settings.expected_batch), 1)
        batch, self._rest = self._rest[:size], self._rest[size:]
        return np.sort(batch)


#: All procedures by name, the right one first.
PROCEDURES: dict[str, type[Procedure]] = {
    kind.name: kind
    for kind in (
        Procedure,
        AverageFirst,
        DividedFirst,
        MicroBatches,
        ScaledNoise,
        SameSeed,
        LastUnclipped,
        NoNoise,
        DividedByData,
        FixedSize,
        Shuffled,
    )
}


def procedure(name: str) -> type[Procedure]:
    """The procedure of a name, "none" being the right one.

    Raises
    ------
    ValueError
        No procedure of that name.
    """
    _checks.one_of(name, "bug", tuple(PROCEDURES))
    return PROCEDURES[name]
