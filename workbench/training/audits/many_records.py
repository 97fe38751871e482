"""`ManyRecords`: many models, each record in by its own fair coin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench import _checks
from workbench.tables.table import ScoreTable
from workbench.training.audits.base import TrainingAudit
from workbench.training.audits.loss_score import FINAL_LOSS, LossScore
from workbench.training.audits.rows import Rows


@dataclass(frozen=True, eq=False)
class ManyRecords(TrainingAudit):
    """Many models, each record in by its own fair coin in each of them.

    The models are independent and so are their coins. For one record, the coins of the others make
    a mixture of trainings, which is as private as each of them (joint convexity). So bounds for a
    record, and bounds for the worst one that pay for its choice, hold as for independent runs.

    Parameters
    ----------
    settings, data, models
        See `TrainingAudit`. At least 2 models; bounds for a record need some with and without it.
    records : int
        The first so many records of the data are in or out; the others are always in.
    score : LossScore

    See Also
    --------
    workbench.ScoreTable : what the scores become.
    """

    records: int = 100
    score: LossScore = FINAL_LOSS

    kind: ClassVar[str] = "many-records"
    title: ClassVar[str] = "Many records: a table of models and records"
    about: ClassVar[str] = "Which records leak most through the losses of final models?"
    sampling: ClassVar[str] = "independent runs"
    least_models: ClassVar[int] = 2

    def _check_own(self) -> None:
        records = _checks.count(self.records, "records", least=1)
        if records > self.data.size:
            raise ValueError(
                f"records must be at most the {self.data.size} records of the data, got {records}"
            )
        object.__setattr__(self, "records", records)

    @property
    def subjects(self) -> int:
        """See `TrainingAudit`."""
        return self.records

    @_checks.arguments
    def score_model(self, index: int, rng: np.random.Generator) -> Rows:
        """See `TrainingAudit`."""
        included = np.ones(self.data.size, dtype=bool)
        included[: self.records] = rng.random(self.records) < 0.5
        model = self.settings.train(self.data.take(included), rng)
        audited = self.data.take(slice(0, self.records))
        score = self.score.of(self.settings.network, model, audited)
        return Rows.one_model(index, included[: self.records], score)

    @_checks.arguments
    def collect(self, rows: Rows, name: str = "") -> ScoreTable:
        """See `TrainingAudit`."""
        audited = self.data.take(slice(0, self.records))
        attributes = {"label": audited.y, "image": audited.images}
        return self._score_table(rows, name, audited.rows, attributes)
