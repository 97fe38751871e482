"""Statistics of the noisy gradients of a training: the scores of white-box audits.

A canary with unit direction u has the products x_t = ⟨u, g_t⟩ with the noisy sums g_t of the steps,
in units of the clipping norm C. In DP-SGD without other records they are::

    in     q N(s, σ²) + (1 − q) N(0, σ²)        out     N(0, σ²)

with s ≤ 1 the clipped norm of the canary over C. Every statistic is a function of what the steps
release, so the claim about all noisy gradients covers it, whichever was chosen before the training.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.training.dp_sgd.canary_gradients import CanaryGradients
from workbench.training.dp_sgd.data import LabeledData
from workbench.training.dp_sgd.dp_sgd import DPSGDSettings, Watch
from workbench.training.dp_sgd.network import Vector


class StepStatistic(ABC):
    """A statistic that is updated in each step; larger values suggest that a canary is in.

    One object serves one training.

    Parameters
    ----------
    settings : DPSGDSettings
    canaries : int
        Number of canaries.

    Raises
    ------
    ValueError
        An infinite clipping norm, or one value of a model for several canaries.
    """

    #: What settles a choice of it in plans and on pages.
    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    #: Whether each canary has a value of its own; otherwise a model has one canary.
    of_each: ClassVar[bool] = True

    def __init__(self, settings: DPSGDSettings, canaries: int):
        if not np.isfinite(settings.clip):
            raise ValueError(
                "settings.clip is infinite, so canaries have no size; give a clipping norm"
            )
        if not self.of_each and canaries > 1:
            raise ValueError(
                f"statistic {self.name!r} is one value of a model, got {canaries} canaries; take "
                "one canary or another statistic"
            )
        self.settings = settings
        self.value: Floats = np.zeros(canaries)

    def watch_gradients(self, canaries: CanaryGradients, norm: float) -> Watch:
        """What takes in the steps of a training with gradient canaries.

        Parameters
        ----------
        canaries : CanaryGradients
            Those that are in, and those that are out.
        norm : float
            Of each before it is clipped, over the clipping norm.
        """
        s, unit = min(1.0, norm), self._unit

        def watch(step: int, theta: Vector, released: Vector) -> None:
            seen = released * unit
            self.add(canaries.products(seen), s, seen)

        return watch

    def watch_record(self, record: LabeledData) -> Watch:
        """What takes in the steps of a training with a record as canary.

        Parameters
        ----------
        record : LabeledData
            Its gradient at the model of a step is the canary of that step.
        """
        settings, unit = self.settings, self._unit

        def watch(step: int, theta: Vector, released: Vector) -> None:
            seen = released * unit
            gradient = settings.network.gradients(theta, record.x, record.y)
            norms = gradient.norms()
            products = gradient.products(seen) / np.maximum(norms, np.finfo(norms.dtype).tiny)
            self.add(products, np.minimum(1, norms / settings.clip), seen)

        return watch

    @property
    def _unit(self) -> np.float32:
        """From what is released to sums in units of the clipping norm."""
        return np.float32(self.settings.expected_batch / self.settings.clip)

    @abstractmethod
    def add(self, products: Vector, norms: Vector | float, released: Vector) -> None:
        """Take in one step.

        Parameters
        ----------
        products : array, shape (canaries,)
            x_t of each canary.
        norms : float or array, shape (canaries,)
            s of each canary.
        released : array, shape (parameters,)
            g_t in units of C, as far as the claimed divisor tells.
        """

    def scores(self) -> Floats:
        """The statistic of each canary, shape (canaries,)."""
        return self.value


class StepLikelihoodRatio(StepStatistic):
    """Log likelihood ratio of all products, the most powerful statistic where there is no bug.

    Neyman and Pearson's lemma; each step adds log(1 − q + q exp((2 s x − s²) / 2σ²)).

    Raises
    ------
    ValueError
        There is no noise.
    """

    name, title = "likelihood-ratio", "Log likelihood ratio"
    about = "Weighs each step as the claimed noise and sampling rate imply: the strongest attack."

    def __init__(self, settings: DPSGDSettings, canaries: int):
        super().__init__(settings, canaries)
        if settings.noise_multiplier == 0:
            raise ValueError(
                'statistic "likelihood-ratio" needs noise, got noise_multiplier = 0; take "sum"'
            )
        with np.errstate(divide="ignore"):
            self._out, self._in = np.log1p(-settings.sample_rate), np.log(settings.sample_rate)

    def add(self, products: Vector, norms: Vector | float, released: Vector) -> None:
        """See `StepStatistic`."""
        exponent = norms * (2.0 * products - norms)
        exponent /= 2 * self.settings.noise_multiplier**2
        exponent += self._in
        self.value += np.logaddexp(self._out, exponent)


class Sum(StepStatistic):
    """Sum of the products, as in federated audits (Andrew et al., 2024)."""

    name, title = "sum", "Sum over the steps"
    about = "Adds up what each step shows along the canary; it needs no noise level."

    def add(self, products: Vector, norms: Vector | float, released: Vector) -> None:
        """See `StepStatistic`."""
        self.value += products


class Spread(StepStatistic):
    """Largest minus smallest product."""

    name, title = "spread", "Spread over the steps"
    about = "Largest minus smallest step along the canary: noise that is repeated cancels."

    def __init__(self, settings: DPSGDSettings, canaries: int):
        super().__init__(settings, canaries)
        self._least, self._most = np.full(canaries, np.inf), np.full(canaries, -np.inf)

    def add(self, products: Vector, norms: Vector | float, released: Vector) -> None:
        """See `StepStatistic`."""
        np.minimum(self._least, products, out=self._least)
        np.maximum(self._most, products, out=self._most)

    def scores(self) -> Floats:
        """See `StepStatistic`."""
        return self._most - self._least


class Smallness(StepStatistic):
    """Minus the mean square of everything that is released."""

    name, title = "smallness", "Smallness of what is released"
    about = (
        "Minus the mean square of all noisy gradients: shows a divisor that depends on the data."
    )
    of_each = False

    def add(self, products: Vector, norms: Vector | float, released: Vector) -> None:
        """See `StepStatistic`."""
        self.value -= float(np.vdot(released, released)) / (released.size * self.settings.steps)


#: All statistics by name.
STATISTICS: dict[str, type[StepStatistic]] = {
    kind.name: kind for kind in (StepLikelihoodRatio, Sum, Spread, Smallness)
}


def step_statistic(name: str) -> type[StepStatistic]:
    """The statistic of a name.

    Raises
    ------
    ValueError
        No statistic of that name.
    """
    _checks.one_of(name, "statistic", tuple(STATISTICS))
    return STATISTICS[name]
