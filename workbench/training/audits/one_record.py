"""`OneRecordAudit`: the common part of audits with many models, with and without one record."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from workbench import _checks
from workbench.scores.sample import Scores
from workbench.training.audits.audited_record import AuditedRecord
from workbench.training.audits.base import TrainingAudit
from workbench.training.audits.initial_weights import InitialWeights
from workbench.training.audits.rows import Rows
from workbench.training.dp_sgd.data import LabeledData
from workbench.training.dp_sgd.network import Vector


@dataclass(frozen=True, eq=False)
class OneRecordAudit(TrainingAudit):
    """Models with and without one record or canary, in turn: those of even index have it in.

    The models are independent, so that every bound for independent runs holds.

    Parameters
    ----------
    settings, data, models
        See `TrainingAudit`. At least 4 models.
    record : AuditedRecord
        Of the data.
    initial : InitialWeights
    """

    record: AuditedRecord = field(default_factory=AuditedRecord)
    initial: InitialWeights = field(default_factory=InitialWeights)

    sampling: ClassVar[str] = "independent runs"
    least_models: ClassVar[int] = 4

    @property
    def items(self) -> int:
        """See `TrainingAudit`."""
        return self._split[0].size + 1

    @property
    def subjects(self) -> int:
        """See `TrainingAudit`."""
        return 1

    @_checks.arguments
    def collect(self, rows: Rows, name: str = "") -> Scores:
        """See `TrainingAudit`."""
        return self.two_samples(rows, name)

    @cached_property
    def _split(self) -> tuple[LabeledData, LabeledData]:
        """The records that are always in, and the one that is audited."""
        return self.record.split(self.data)

    @cached_property
    def _with_record(self) -> LabeledData:
        others, record = self._split
        return others.joined(record)

    @cached_property
    def _theta(self) -> Vector | None:
        """The initial weights that all models share, if they do."""
        return self.initial.theta(self.settings, self._split[0])

    def __getstate__(self) -> dict[str, Any]:
        """The audit with the weights that its models share: no process trains them again."""
        _ = self._theta
        return vars(self)
