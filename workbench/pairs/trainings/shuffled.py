"""DP-SGD whose epochs go through the data in a shuffled order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.pairs.accounting.accounted import Accounted, equal_steps
from workbench.pairs.accounting.composed import ComposedPair
from workbench.pairs.base import Pair
from workbench.pairs.functions import PrivacyFunctions
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.trainings.largest_sum import LargestSumPair
from workbench.pairs.trainings.limits import LimitsPair

#: Relation of neighbors -> how far, over the clipping norm, the sum of the record's batch lies
#: above that of a batch of other records, with the record and without it, where all the others
#: have the opposite gradient.
SHIFTS = {"zero-out": (2.0, 1.0), "substitute": (2.0, 0.0)}

#: Batches of an epoch at most, and epochs.
MOST_BATCHES, MOST_EPOCHS = 100_000_000, 1_000_000


def check_epochs(sigma: float, batches: int, epochs: int) -> tuple[float, int, int]:
    """Noise multiplier, batches and epochs, each in its range.

    Raises
    ------
    ValueError
        One that is not.
    """
    noise = _checks.positive(sigma, "noise_multiplier")
    if not 0.01 <= noise <= 1e6:
        raise ValueError(f"noise_multiplier must lie between 0.01 and 1e6, got {sigma!r}")
    counts = []
    for name, value, most in (
        ("batches", batches, MOST_BATCHES),
        ("epochs", epochs, MOST_EPOCHS),
    ):
        count = _checks.count(value, name, least=1)
        if count > most:
            raise ValueError(f"{name} must be at most {most:,}, got {count:,}; take fewer")
        counts.append(count)
    return noise, counts[0], counts[1]


@dataclass(frozen=True)
class ShuffledPair(LimitsPair):
    """DP-SGD that shuffles the data in each epoch and cuts them into batches.

    Two curves, between which the leakage for the worst data lies. The upper one, which this pair is
    as a `Pair`, has no amplification: given the order of an epoch, one sum changes, by up to twice
    the clipping norm where a record is replaced ("substitute") and by up to the clipping norm where
    its gradient becomes 0 ("zero-out"); the hockey-stick divergence is jointly convex, so that the
    order, which nobody sees, cannot make it larger::

        upper    N(c √E / σ, 1) against N(0, 1)       c = 2 (substitute) or 1 (zero-out)

    The lower one is an attack on data in which all other gradients are the opposite of the
    record's: one of the T sums of an epoch, nobody knows which, then lies 2 above the others with
    the record, and 1 (zero-out) or 0 (substitute) without it. :attr:`attack` looks at the largest
    sum of each epoch. No proof of a smaller ε than that of the lower curve can be right.

    Parameters
    ----------
    noise_multiplier : float
        σ, noise over clipping norm, from 0.01 to 10⁶.
    batches : int
        T, batches of an epoch.
    epochs : int
        E; each shuffles anew. If all go through one order, the lower curve is that of one epoch
        with σ/√E.
    neighboring_relation : {"zero-out", "substitute"}
        Adding or removing a record would move all records behind it to other places of the order.

    Raises
    ------
    ValueError
        An argument outside its range; scores are asked for, which :attr:`attack` has.

    Notes
    -----
    `DPSGDPair` with ``sample_rate=1/T`` and ``steps=E T`` is what an accountant says that takes
    these batches for Poisson samples. Where its ε lies below the lower curve, it is wrong.

    References
    ----------
    Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha and Zhang, How private are DP-SGD
    implementations? (2024), arXiv 2403.17673, Sections 3 and 4; by the same, Scalable DP-SGD:
    shuffling vs. Poisson subsampling (2024), arXiv 2411.04205, for several epochs.

    Examples
    --------
    >>> pair = wb.ShuffledPair(noise_multiplier=0.6, batches=1000)
    >>> low, high = pair.epsilon_interval(1e-5)
    >>> round(low, 1), round(high, 1)
    (8.0, 8.0)
    >>> round(wb.DPSGDPair(0.6, 1 / 1000, 1000).epsilon(1e-5), 1)
    1.4
    """

    noise_multiplier: float
    batches: int
    epochs: int = 1
    neighboring_relation: str = "zero-out"

    def __post_init__(self) -> None:
        noise, batches, epochs = check_epochs(self.noise_multiplier, self.batches, self.epochs)
        object.__setattr__(self, "noise_multiplier", noise)
        object.__setattr__(self, "batches", batches)
        object.__setattr__(self, "epochs", epochs)
        _checks.one_of(self.neighboring_relation, "neighboring_relation", tuple(SHIFTS))

    @property
    def name(self) -> str:
        epochs = "1 epoch" if self.epochs == 1 else f"{self.epochs:,} epochs"
        return (
            f"DP-SGD, σ = {self.noise_multiplier:g}, {self.batches:,} shuffled batches, {epochs}, "
            f"{self.neighboring_relation}"
        )

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "noise_multiplier": self.noise_multiplier,
            "batches": self.batches,
            "epochs": self.epochs,
            "neighboring_relation": self.neighboring_relation,
        }

    @property
    def attack(self) -> Pair:
        """The pair of the largest sum of each epoch, which can be sampled."""
        shift_in, shift_out = SHIFTS[self.neighboring_relation]
        one = LargestSumPair(self.batches, shift_in, shift_out, self.noise_multiplier)
        return one if self.epochs == 1 else ComposedPair(one, self.epochs)

    @property
    def _epoch(self) -> GaussianPair:
        """The upper curve of one epoch."""
        shift_in, shift_out = SHIFTS[self.neighboring_relation]
        changed = shift_in if self.neighboring_relation == "substitute" else shift_in - shift_out
        return GaussianPair(changed / self.noise_multiplier)

    def _closed_form(self) -> Pair:
        return GaussianPair(self._epoch.mu * math.sqrt(self.epochs))

    def _composed(self, k: int) -> ShuffledPair:
        return ShuffledPair(
            self.noise_multiplier, self.batches, k * self.epochs, self.neighboring_relation
        )

    @property
    def _functions(self) -> PrivacyFunctions:
        return self._closed_form()._functions

    @property
    def _accounted(self) -> Accounted:
        return equal_steps(self._epoch, self.epochs, symmetric=True)

    @property
    def _steps(self) -> NoReturn:
        raise self._no_scores()

    def _draw(self, n: int, rng: np.random.Generator, side: str) -> Floats:
        raise self._no_scores()

    def _privacy_loss(self, score: Floats) -> Floats:
        raise self._no_scores()

    def _no_scores(self) -> ValueError:
        return ValueError(
            f"{self.name} is an upper limit of privacy loss and has no scores of its own; sample "
            "its attack, pair.attack"
        )
