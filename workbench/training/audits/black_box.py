"""`BlackBox`: many models with and without one record, scored by the record's loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench import _checks
from workbench.training.audits.loss_score import FINAL_LOSS, LossScore
from workbench.training.audits.one_record import OneRecordAudit
from workbench.training.audits.rows import Rows


@dataclass(frozen=True, eq=False)
class BlackBox(OneRecordAudit):
    """Models with and without one record, in turn; the score is its loss.

    The models are independent, so that every bound for independent runs holds for this record, with
    these settings and initial weights, and an anytime bound may be watched model by model. Choose
    the record, the weights and the score before you see scores: the largest bound over several
    choices is not a bound at the stated confidence.

    Parameters
    ----------
    settings, data, models
        See `TrainingAudit`. Models of even index have the record in. At least 4.
    record : AuditedRecord
        Of the data.
    initial : InitialWeights
    score : LossScore

    References
    ----------
    Nasr et al. (2023); Koskela and Mohammadi (2024), Algorithm 3.

    Examples
    --------
    >>> settings = wb.training.DPSGDSettings(
    ...     wb.training.Network((64, 10)),
    ...     steps=20,
    ...     sample_rate=0.1,
    ...     noise_multiplier=1.0,
    ...     expected_batch=10,
    ... )
    >>> data = wb.training.labeled_data("digits").take(range(100))
    >>> audit = wb.training.BlackBox(settings, data, models=200)
    >>> audit.sampling, round(audit.reference.epsilon(1e-5), 2)
    ('independent runs', 3.59)
    """

    score: LossScore = FINAL_LOSS

    kind: ClassVar[str] = "black-box"
    title: ClassVar[str] = "Black-box: many models, one record"
    about: ClassVar[str] = "What does the loss of the final model reveal about one record?"

    def _check_own(self) -> None:
        _ = self._split

    @_checks.arguments
    def score_model(self, index: int, rng: np.random.Generator) -> Rows:
        """See `TrainingAudit`."""
        included = index % 2 == 0
        others, record = self._split
        data = self._with_record if included else others
        model = self.settings.train(data, rng, theta=self._theta)
        return Rows.one_model(
            index, [included], self.score.of(self.settings.network, model, record)
        )
