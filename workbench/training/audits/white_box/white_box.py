"""`WhiteBox`: many models with and without one canary, scored by all noisy gradients."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from workbench import _checks
from workbench.training.audits.one_record import OneRecordAudit
from workbench.training.audits.rows import Rows
from workbench.training.audits.white_box.step_statistics import StepStatistic, step_statistic
from workbench.training.dp_sgd.canary_gradients import DiracCanaries, RandomCanaries
from workbench.training.dp_sgd.data import LabeledData

CANARIES = ("dirac", "random", "record")


@dataclass(frozen=True, eq=False)
class WhiteBox(OneRecordAudit):
    """Models with and without one canary, in turn; the score is a statistic of all noisy gradients.

    A canary that is in belongs to the data: each step samples it with the sampling rate, clips it
    and adds it like any record. A canary that is out is only scored.

    Parameters
    ----------
    settings, data, models
        See `TrainingAudit`. Models of even index have the canary in. At least 4. Where the canary
        is a gradient, the data may be empty, which disturbs it least.
    canary : {"dirac", "random", "record"}
        A gradient that changes one parameter, chosen at random for each model; a gradient in a
        random direction; or a record of the data.
    canary_norm : float
        Of a gradient before it is clipped, over the clipping norm.
    record : AuditedRecord
        Of the data, where the canary is one.
    initial : InitialWeights
    statistic : {"likelihood-ratio", "sum", "spread", "smallness"}
        To be chosen before scores are seen; see
        `workbench.training.audits.white_box.step_statistics`.

    Raises
    ------
    ValueError
        An unknown canary or statistic, a likelihood ratio without noise, no finite clipping norm.

    Notes
    -----
    The scores may be held against ``reference``, the accountant's pair of all noisy gradients: they
    are functions of these, and that pair covers both directions of adding and removing a record.
    The models are independent, so that every bound for independent runs holds.

    References
    ----------
    Nasr et al. (2023); Koskela and Mohammadi (2024), Algorithm 4.
    """

    canary: str = "dirac"
    canary_norm: float = 1.0
    statistic: str = "likelihood-ratio"

    kind: ClassVar[str] = "white-box"
    title: ClassVar[str] = "White-box: many models, one canary"
    about: ClassVar[str] = "What do all noisy gradients reveal about one gradient among them?"
    larger_is_member: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _checks.one_of(self.canary, "canary", CANARIES)
        norm = _checks.positive(self.canary_norm, "canary_norm")
        object.__setattr__(self, "canary_norm", norm)
        super().__post_init__()
        _ = self._statistic()

    @property
    def final_model_only(self) -> bool:
        """See `TrainingAudit`."""
        return False

    @_checks.arguments
    def score_model(self, index: int, rng: np.random.Generator) -> Rows:
        """See `TrainingAudit`."""
        included, statistic = index % 2 == 0, self._statistic()
        if self.canary == "record":
            others, record = self._split
            data = self._with_record if included else others
            self.settings.train(data, rng, self._theta, watch=statistic.watch_record(record))
        else:
            made = DiracCanaries if self.canary == "dirac" else RandomCanaries
            norm = self.canary_norm * self.settings.clip
            canary = made.drawn(1, self.settings.network.size, rng, norm)
            watch = statistic.watch_gradients(canary, self.canary_norm)
            inserted = canary if included else None
            self.settings.train(self.data, rng, self._theta, inserted, watch)
        return Rows.one_model(index, [included], statistic.scores())

    def _statistic(self) -> StepStatistic:
        return step_statistic(self.statistic)(self.settings, 1)

    @cached_property
    def _split(self) -> tuple[LabeledData, LabeledData]:
        """The records that are always in, and the one that is audited, if one is."""
        if self.canary == "record":
            return self.record.split(self.data)
        return self.data, self.data.take(slice(0))
