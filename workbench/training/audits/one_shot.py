"""`OneShot`: one model, records that it was trained on against records that were held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench import _checks
from workbench.onerun.half.matching import MatchedPairs, matched_pairs
from workbench.onerun.half.stability import HalfStability, half_stability
from workbench.onerun.run import OneRun
from workbench.scores.sample import Scores
from workbench.training.audits.base import TrainingAudit
from workbench.training.audits.loss_score import LOSS_CHANGE, LossScore
from workbench.training.audits.rows import Rows


@dataclass(frozen=True, eq=False)
class OneShot(TrainingAudit):
    """One model, records that it was trained on against records that were held out.

    A random half of randomly chosen records is held out; the model is trained on all others. No
    record is made up, and the auditor needs nothing but losses. The scores share a model and are
    not independent: bounds state the assumption "one run", that the scores behave as if they were,
    and they are about an average record. `matched_pairs` needs no such assumption: the half is
    drawn at random, so pairs of a member and a held-out record have fair coins.

    Parameters
    ----------
    settings, data, models
        See `TrainingAudit`. Several models are trials, with records chosen anew; a trial's scores
        are ``collect(rows.of_models([trial]))``.
    audited : int
        Records that are scored, an even number of at least 4.
    score : LossScore
        By default the loss of the final minus the initial model. The initial loss differs between
        records; where that is more than what training changes, the final loss alone shows more.

    References
    ----------
    Koskela and Mohammadi, Black box differential privacy auditing using total variation distance
    (2024), Algorithm 1.

    See Also
    --------
    CanariesInOneRun : with a fair coin for each record, for adding or removing a record.
    """

    audited: int = 1000
    score: LossScore = LOSS_CHANGE

    kind: ClassVar[str] = "one-shot"
    title: ClassVar[str] = "One-shot: training records against held-out ones"
    about: ClassVar[str] = "How much better does one model know the records that it was trained on?"
    sampling: ClassVar[str] = "one run"

    def _check_own(self) -> None:
        audited = _checks.count(self.audited, "audited", least=4)
        if audited % 2 or audited > self.data.size:
            raise ValueError(
                f"audited must be an even number of at most the {self.data.size} records of the "
                f"data, got {audited}; half of them are held out"
            )
        object.__setattr__(self, "audited", audited)

    @property
    def items(self) -> int:
        """See `TrainingAudit`."""
        return self.data.size - self.audited // 2

    @property
    def subjects(self) -> int:
        """See `TrainingAudit`."""
        return self.audited

    @_checks.arguments
    def score_model(self, index: int, rng: np.random.Generator) -> Rows:
        """See `TrainingAudit`."""
        chosen = rng.permutation(self.data.size)[: self.audited]
        held_out = chosen[self.audited // 2 :]
        included = ~np.isin(np.arange(self.data.size), held_out)
        model = self.settings.train(self.data.take(included), rng)
        score = self.score.of(self.settings.network, model, self.data.take(chosen))
        return Rows.one_model(index, included[chosen], score, subject=chosen)

    @_checks.arguments
    def collect(self, rows: Rows, name: str = "") -> Scores:
        """See `TrainingAudit`."""
        return self.two_samples(rows, name)

    @_checks.arguments
    def matched_pairs(self, rows: Rows) -> MatchedPairs:
        """Members and held-out records of each model, matched at random: canaries with fair coins.

        Parameters
        ----------
        rows : Rows

        See Also
        --------
        workbench.matched_pairs : the proof, and what the pairs are good for.
        """
        run = OneRun(
            rows.score,
            rows.included,
            larger_is_member=self.larger_is_member,
            design="fixed-half",
            name=self.name,
        )
        return matched_pairs(run, within=rows.model)

    @_checks.arguments
    def stability(self, rows: Rows) -> HalfStability:
        """How much the scores of one model depend on which half was in, from several models.

        Parameters
        ----------
        rows : Rows

        See Also
        --------
        workbench.half_stability
        """
        return half_stability(
            [self.collect(rows.of_models([model])) for model in np.unique(rows.model).tolist()]
        )
