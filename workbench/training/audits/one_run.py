"""`CanariesInOneRun`: one model, many canary records that are in by fair coins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from workbench import _checks
from workbench.onerun.run import OneRun
from workbench.training.audits.base import TrainingAudit
from workbench.training.audits.loss_score import LOSS_CHANGE, LossScore
from workbench.training.audits.rows import Rows
from workbench.training.dp_sgd.data import LabeledData

CANARIES = ("row", "mislabeled")


@dataclass(frozen=True, eq=False)
class CanariesInOneRun(TrainingAudit):
    """One model, many canary records that are in by fair coins.

    Each coin decides on one canary of one model. The bound of Steinke, Nasr and Jagielski (2023)
    needs no more than that; other bounds for one run state what they assume. Several models have
    coins of their own, none of which decides on two canaries, so all their canaries together are
    one run with more canaries.

    Parameters
    ----------
    settings, data, models
        See `TrainingAudit`.
    canaries : int
        The first so many records of the data are in or out; the others are always in. At least 2.
    canary : {"row", "mislabeled"}
        Canaries as they are, or with the next label, of which a model remembers more.
    score : LossScore
        By default the loss of the final minus the initial model.

    References
    ----------
    Steinke, Nasr and Jagielski, Privacy auditing with one (1) training run (2023).
    """

    canaries: int = 500
    canary: str = "mislabeled"
    score: LossScore = LOSS_CHANGE

    kind: ClassVar[str] = "one-run"
    title: ClassVar[str] = "One run: many canary records by fair coins"
    about: ClassVar[str] = "How many coins does one model give away?"
    sampling: ClassVar[str] = "one run"

    def _check_own(self) -> None:
        canaries = _checks.count(self.canaries, "canaries", least=2)
        if canaries > self.data.size:
            raise ValueError(
                f"canaries must be at most the {self.data.size} records of the data, got {canaries}"
            )
        object.__setattr__(self, "canaries", canaries)
        _checks.one_of(self.canary, "canary", CANARIES)

    @property
    def subjects(self) -> int:
        """See `TrainingAudit`."""
        return self.canaries

    @_checks.arguments
    def score_model(self, index: int, rng: np.random.Generator) -> Rows:
        """See `TrainingAudit`."""
        coins = rng.random(self.canaries) < 0.5
        model = self.settings.train(self._others.joined(self._canaries.take(coins)), rng)
        score = self.score.of(self.settings.network, model, self._canaries)
        return Rows.one_model(index, coins, score)

    @_checks.arguments
    def collect(self, rows: Rows, name: str = "") -> OneRun:
        """See `TrainingAudit`."""
        ids = [f"{m}:{c}" for m, c in zip(rows.model, rows.subject, strict=True)]
        return OneRun(
            rows.score,
            rows.included,
            larger_is_member=self.larger_is_member,
            ids=np.array(ids, dtype=object),
            name=name or self.name,
        )

    @cached_property
    def _canaries(self) -> LabeledData:
        found = self.data.take(slice(0, self.canaries))
        if self.canary == "row":
            return found
        return LabeledData(found.x, (found.y + 1) % found.classes, found.classes, found.name)

    @cached_property
    def _others(self) -> LabeledData:
        return self.data.take(slice(self.canaries, None))
