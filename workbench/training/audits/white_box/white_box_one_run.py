"""`WhiteBoxOneRun`: many canary gradients in one model, scored by all noisy gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench import _checks
from workbench.scores.sample import Scores
from workbench.training.audits.base import TrainingAudit
from workbench.training.audits.rows import Rows
from workbench.training.audits.white_box.step_statistics import StepStatistic, step_statistic
from workbench.training.dp_sgd.canary_gradients import (
    CanaryGradients,
    DiracCanaries,
    RandomCanaries,
)

CANARIES = ("dirac", "random")

#: Numbers in the directions of random canaries, 400 MB.
MOST_NUMBERS = 100_000_000


@dataclass(frozen=True, eq=False)
class WhiteBoxOneRun(TrainingAudit):
    """One model, many canary gradients in it against others that are not.

    Canaries are sampled, clipped and scored as those of `WhiteBox`. All canaries of a model share
    its noise, batches and other records, so bounds state the assumption "one run": they hold if the
    canaries behave like independent ones. That is exact for Dirac canaries in DP-SGD without a bug
    and without other records, where the sampling, the clipping and the noise of each are its own.

    Parameters
    ----------
    settings, data, models
        See `TrainingAudit`. The data may be empty. Canaries of several models count as more
        canaries.
    canary : {"dirac", "random"}
        Gradients that change one parameter each, all different; or gradients in random directions.
    canaries : int
        At least 1.
    inclusion : float
        Probability with which a canary is in, independently of the others.
    left_out : int
        Further canaries that are always out; they cost no more than their scores.
    canary_norm : float
        Of a gradient before it is clipped, over the clipping norm.
    statistic : {"likelihood-ratio", "sum", "spread"}
        To be chosen before scores are seen; see
        `workbench.training.audits.white_box.step_statistics`.

    Raises
    ------
    ValueError
        An argument outside its range, more Dirac canaries than parameters, or random canaries of
        more than 100 million numbers.

    References
    ----------
    Nasr et al. (2023); Steinke, Nasr and Jagielski (2023); Koskela and Mohammadi (2024), Section 9.
    """

    canary: str = "dirac"
    canaries: int = 1000
    inclusion: float = 0.5
    left_out: int = 0
    canary_norm: float = 1.0
    statistic: str = "likelihood-ratio"

    kind: ClassVar[str] = "white-box-one-run"
    title: ClassVar[str] = "White-box in one run: many canaries"
    about: ClassVar[str] = "What do the noisy gradients of one model reveal about many gradients?"
    sampling: ClassVar[str] = "one run"
    larger_is_member: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _checks.one_of(self.canary, "canary", CANARIES)
        for name, checked in (
            ("canaries", _checks.count(self.canaries, "canaries", 1, _checks.DRAWN)),
            ("left_out", _checks.count(self.left_out, "left_out", 0, _checks.DRAWN)),
            ("canary_norm", _checks.positive(self.canary_norm, "canary_norm")),
            ("inclusion", _checks.positive(self.inclusion, "inclusion")),
        ):
            object.__setattr__(self, name, checked)
        if self.inclusion > 1:
            raise ValueError(
                f"inclusion must lie in (0, 1], got {self.inclusion:g}; it is the probability that "
                "a canary is in the data"
            )
        super().__post_init__()
        _ = self._statistic()
        size = self.settings.network.size
        most = size if self.canary == "dirac" else MOST_NUMBERS // size
        if self.subjects > most:
            raise ValueError(
                f"canaries and left_out must be at most {most} together for {self.canary} canaries "
                f"and a network of {size} parameters, got {self.subjects}; take fewer of them"
            )

    @property
    def final_model_only(self) -> bool:
        """See `TrainingAudit`."""
        return False

    @property
    def items(self) -> int:
        """See `TrainingAudit`."""
        return self.data.size + self.canaries

    @property
    def subjects(self) -> int:
        """See `TrainingAudit`."""
        return self.canaries + self.left_out

    @_checks.arguments
    def score_model(self, index: int, rng: np.random.Generator) -> Rows:
        """See `TrainingAudit`."""
        included = np.zeros(self.subjects, dtype=bool)
        included[: self.canaries] = rng.random(self.canaries) < self.inclusion
        norm, statistic = self.canary_norm * self.settings.clip, self._statistic()
        every: CanaryGradients
        inserted: CanaryGradients
        if self.canary == "dirac":
            every = DiracCanaries.drawn(self.subjects, self.settings.network.size, rng, norm)
            inserted = DiracCanaries(every.places[included], norm)
        else:
            every = RandomCanaries.drawn(self.subjects, self.settings.network.size, rng, norm)
            inserted = RandomCanaries(every.directions[included], norm)
        watch = statistic.watch_gradients(every, self.canary_norm)
        self.settings.train(self.data, rng, canaries=inserted, watch=watch)
        return Rows.one_model(index, included, statistic.scores())

    @_checks.arguments
    def collect(self, rows: Rows, name: str = "") -> Scores:
        """See `TrainingAudit`."""
        return self.two_samples(rows, name)

    def _statistic(self) -> StepStatistic:
        return step_statistic(self.statistic)(self.settings, self.subjects)
