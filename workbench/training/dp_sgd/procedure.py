"""`Procedure`: one step of DP-SGD, from the data to the gradient that is released."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.training.dp_sgd.network import Vector
from workbench.training.dp_sgd.step_gradients import StepGradients


class StepSettings(Protocol):
    """What a step needs of the settings, `DPSGDSettings`."""

    @property
    def sample_rate(self) -> float:
        """Probability that a record is in a batch."""

    @property
    def noise_multiplier(self) -> float:
        """Standard deviation of the noise over the clipping norm."""

    @property
    def clip(self) -> float:
        """Clipping norm."""

    @property
    def expected_batch(self) -> float:
        """What noisy sums are divided by."""

    @property
    def noise_scale(self) -> float:
        """Factor of the noise, where that is the mistake."""


class Procedure:
    """DP-SGD as it should be (Abadi et al., 2016, Algorithm 1, with Poisson sampling).

    A step takes each record with the sampling rate, clips each gradient, adds noise to the sum, and
    divides by the expected size of a batch, which does not depend on the data. One object serves
    one training.
    """

    #: What settles a choice of it in plans and on pages.
    name: ClassVar[str] = "none"
    title: ClassVar[str] = "No bug"
    about: ClassVar[str] = "Each gradient is clipped, and the noise is as large as claimed."

    def __init__(self, settings: StepSettings):
        self.settings = settings

    def sample(self, items: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """The items (records, then canaries) of a batch, in increasing order."""
        return np.flatnonzero(rng.random(items) < self.settings.sample_rate)

    def total(self, batch: StepGradients) -> Vector:
        """Sum of the clipped gradients."""
        return batch.weighted_sum(clip_weights(batch.norms(), self.settings.clip))

    def noise(self, size: int, rng: np.random.Generator) -> Vector:
        """Noise for the sum."""
        if not self.settings.noise_multiplier:
            return np.zeros(size, dtype=np.float32)  # the clipping norm may be infinite
        drawn = rng.standard_normal(size, dtype=np.float32)
        drawn *= np.float32(self.settings.noise_multiplier * self.settings.clip)
        return drawn

    def divisor(self, items: int) -> float:
        """What the noisy sum is divided by."""
        return self.settings.expected_batch


#: What the steps of a training go through, in this thread: a recorder sets it, and gives back a
#: procedure that tells it what is sampled, summed and added.
RECORDER: ContextVar[Callable[[Procedure], Procedure] | None] = ContextVar("recorder", default=None)


def recorded(steps: Procedure) -> Procedure:
    """The procedure, or what a recorder of this thread makes of it."""
    recorder = RECORDER.get()
    return steps if recorder is None else recorder(steps)


def clip_weights(norms: Vector, clip: float) -> Vector:
    """Factors min(1, clip/norm) that clip gradients."""
    with np.errstate(divide="ignore", over="ignore"):  # ∞ where a norm is 0: the factor is 1
        return np.asarray(np.minimum(1, clip / norms))


def clipped(vector: Vector, clip: float) -> Vector:
    """A vector, shortened to a norm of at most ``clip``."""
    return vector * clip_weights(np.atleast_1d(np.linalg.norm(vector)), clip)
