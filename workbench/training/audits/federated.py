"""`FederatedCanaries`: one model, random canary updates in it against fresh ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.scores.sample import Scores
from workbench.training.audits.base import TrainingAudit
from workbench.training.audits.rows import Rows
from workbench.training.dp_sgd.canary_gradients import RandomCanaries
from workbench.training.dp_sgd.network import Vector

STATISTICS = ("final", "largest-step")

#: Numbers in the canaries of a model, 400 MB.
MOST_NUMBERS = 100_000_000


@dataclass(frozen=True, eq=False)
class FederatedCanaries(TrainingAudit):
    """One model, random canary updates in it against fresh ones that are not.

    A canary is a client of federated learning whose update is a random direction of the length of
    the clipping norm, sampled as a record is. Its score is an inner product with what was learned.
    As the number of parameters grows, the scores become independent (Koskela and Mohammadi, 2024,
    Theorem 1). They come from one model: bounds state the assumption "one run".

    Parameters
    ----------
    settings, data, models
        See `TrainingAudit`; what is audited is not in the data. Several models are trials with new
        canaries; a trial's scores are ``collect(rows.of_models([trial]))``.
    canaries : int
        Number that are in, and number that are out; at least 2. Those of a model hold at most 100
        million numbers, 400 MB.
    statistic : {"final", "largest-step"}
        Inner product of the canary with the initial minus the final model, or its largest inner
        product with the noisy gradient of a step.

    Raises
    ------
    ValueError
        An argument outside its range, or too many canaries for the network.

    References
    ----------
    Andrew et al. (2024), Algorithms 1 and 2; Koskela and Mohammadi (2024), Section 8.
    """

    canaries: int = 200
    statistic: str = "final"

    kind: ClassVar[str] = "federated"
    title: ClassVar[str] = "Federated: random canary updates"
    about: ClassVar[str] = "Does one model show which random updates went into it?"
    sampling: ClassVar[str] = "one run"
    larger_is_member: ClassVar[bool] = True

    def _check_own(self) -> None:
        canaries = _checks.count(self.canaries, "canaries", least=2)
        object.__setattr__(self, "canaries", canaries)
        _checks.one_of(self.statistic, "statistic", STATISTICS)
        size = self.settings.network.size
        if 2 * canaries * size > MOST_NUMBERS:
            raise ValueError(
                f"canaries must be at most {MOST_NUMBERS // (2 * size)} for a network of {size} "
                f"parameters, got {canaries}; take fewer canaries or more models"
            )

    @property
    def final_model_only(self) -> bool:
        """See `TrainingAudit`."""
        return self.statistic == "final"

    @property
    def items(self) -> int:
        """See `TrainingAudit`."""
        return self.data.size + self.canaries

    @property
    def subjects(self) -> int:
        """See `TrainingAudit`."""
        return 2 * self.canaries

    @_checks.arguments
    def score_model(self, index: int, rng: np.random.Generator) -> Rows:
        """See `TrainingAudit`."""
        n, size = self.canaries, self.settings.network.size
        both = RandomCanaries.drawn(2 * n, size, rng, norm=self.settings.clip)
        inside = RandomCanaries(both.directions[:n], norm=self.settings.clip)
        largest = np.full(2 * n, -np.inf)

        def watch(step: int, theta: Vector, released: Vector) -> None:
            np.maximum(largest, both.products(released), out=largest)

        of_steps = self.statistic == "largest-step"
        model = self.settings.train(
            self.data, rng, canaries=inside, watch=watch if of_steps else None
        )
        score: NDArray[np.floating] = (
            largest if of_steps else both.products(model.initial - model.final)
        )
        return Rows.one_model(index, np.arange(2 * n) < n, score)

    @_checks.arguments
    def collect(self, rows: Rows, name: str = "") -> Scores:
        """See `TrainingAudit`."""
        return self.two_samples(rows, name)
