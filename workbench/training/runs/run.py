"""`run_training_audit`: train the models of an audit; `TrainingRun`: what came out.

`run_plan` and `ScoredRun` are the same for models that something else makes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from workbench import _checks
from workbench.bounds.power.judge import judge
from workbench.bounds.power.verdict import Verdict
from workbench.onerun.run import OneRun
from workbench.progress import Report, silent, time_left
from workbench.scores.sample import Scores
from workbench.tables.table import ScoreTable
from workbench.training.audits.base import TrainingAudit
from workbench.training.audits.rows import Rows
from workbench.training.audits.scored_models import ScoredModels
from workbench.training.dp_sgd.data import LabeledData
from workbench.training.runs.folder import RunFolder
from workbench.training.runs.plan import RunPlan, TrainingPlan
from workbench.training.runs.tasks import train_models
from workbench.training.runs.trained_models import TrainedModels

Run = TypeVar("Run", bound="ScoredRun")

#: Seconds between two partial results, and the share of the time that making them may take.
PACE, SHARE = 0.2, 0.1


@dataclass(frozen=True, eq=False, repr=False)
class ScoredRun:
    """The scores of models, of all or of those that are made so far, whatever makes them.

    Attributes
    ----------
    plan : RunPlan
        What the run can be repeated from.
    trained : TrainedModels
    provenance : dict
        Of a run in a folder: parameters, seed, hash of the data, accountant's pair, and of each
        session its date and the versions of the software.
    name : str
        Shown in titles: that of the folder; "" for that of the audit.
    """

    plan: RunPlan
    trained: TrainedModels
    provenance: dict[str, Any] = field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        _checks.fields(self)

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}({self.audit.name!r}, {self.models} of {self.audit.models} models)"

    @property
    def audit(self) -> ScoredModels:
        """What was trained and scored."""
        return self.plan.audit

    @property
    def seed(self) -> int:
        """The seed of all models."""
        return self.plan.seed

    @property
    def rows(self) -> Rows:
        """The scores, one row for each (model, subject)."""
        return self.trained.rows

    @property
    def models(self) -> int:
        """Number of models that are trained."""
        return self.trained.count

    @property
    def complete(self) -> bool:
        """Whether all models are trained."""
        return self.models == self.audit.models

    @property
    def cpu_seconds(self) -> float:
        """Processor time of the training and scoring, of all sessions together."""
        return self.trained.cpu_seconds

    @cached_property
    def result(self) -> Scores | OneRun | ScoreTable:
        """What the scores become; see `TrainingAudit.collect`.

        Where not all models are trained, bounds of a fixed size hold only if the run was stopped
        for a reason that does not depend on the scores.
        """
        return self.audit.collect(self.rows, self.name)

    @cached_property
    def verdict(self) -> Verdict | None:
        """The verdict on the claim of the plan, at its confidence.

        None without a claim, and where the result is no `Scores`.

        Raises
        ------
        ValueError
            Not all models are trained.
        """
        claim = self.plan.claimed
        if claim is None:
            return None
        if not self.complete:
            raise ValueError(
                f"{self.models} of {self.audit.models} models are trained, and a verdict on some "
                "of them would depend on when one looks; continue the run"
            )
        if not isinstance(self.result, Scores):
            return None
        return judge(self.result, claim, self.plan.confidence)


@dataclass(frozen=True, eq=False, repr=False)
class TrainingRun(ScoredRun):
    """The scores of the models of an audit, of all or of those that are trained so far.

    Attributes
    ----------
    plan : TrainingPlan
        What the run can be repeated from.
    trained : TrainedModels
    provenance : dict
        Of a run in a folder: parameters, seed, hash of the data, accountant's pair, and of each
        session its date and the versions of the software.
    name : str
        Shown in titles: that of the folder; "" for that of the audit.
    """

    plan: TrainingPlan

    @property
    def audit(self) -> TrainingAudit:
        """What was trained and scored."""
        return self.plan.audit


@_checks.arguments
def run_training_audit(
    audit: TrainingAudit | TrainingPlan,
    seed: int = 0,
    report: Report = silent,
    executor: Executor | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> TrainingRun:
    """The scores of all models of an audit.

    Parameters
    ----------
    audit : TrainingAudit or TrainingPlan
    seed : int
        The scores depend on it alone, not on how the models are spread. A plan has its own.
    report : Report, optional
        Partial results are `TrainingRun` of the models 0, 1, … up to the first that is not trained
        yet, so that their order does not depend on their scores.
    executor : concurrent.futures.Executor, optional
        Where the models are trained, such as ``dask.distributed.Client.get_executor()``; by
        default the processes of this program.
    folder : path, optional
        Where models are kept as they are trained. A run of the same plan that is there is
        continued.

    Raises
    ------
    RunFolderError
        The folder holds something else, or is in use by another program.
    OSError
        The folder cannot be written, as on a full disk. What was trained before stays there.
    ValueError
        A seed below 0.
    """
    plan = audit if isinstance(audit, TrainingPlan) else TrainingPlan(audit, seed)
    return run_plan(TrainingRun, plan, report, executor, folder)


def run_plan(
    kind: Callable[..., Run],
    plan: RunPlan,
    report: Report = silent,
    executor: Executor | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Run:
    """The scores of all models of a plan, whatever makes the models.

    Parameters
    ----------
    kind : type
        The class of the run.
    plan : RunPlan
    report, executor, folder
        See `run_training_audit`, which raises the same errors.
    """
    with nullcontext() if folder is None else RunFolder(folder).in_use() as kept:
        trained = TrainedModels.joined([]) if kept is None else kept.begin(plan)
        parts = [trained]
        missing = trained.missing(plan.audit.models)
        progress = _Progress(plan.audit.models, trained.count)
        report(*progress.after(0))
        for part in train_models(plan.audit, plan.seed, missing, report, executor):
            if kept is not None:
                kept.add(part)
            parts.append(part)
            partial = None
            if progress.is_due():
                parts = [TrainedModels.joined(parts)]
                if (first := parts[0].prefix()).count:
                    partial = kind(plan, first)
                    progress.made()
            report(*progress.after(part.count), partial)
        run = kind(plan, TrainedModels.joined(parts))
        if kept is None:
            return run
        run = replace(run, name=kept.name)
        kept.finish(run.trained, run.result)
        return replace(run, provenance=kept.provenance())


@_checks.arguments
def open_run(folder: str | os.PathLike[str], data: LabeledData | None = None) -> TrainingRun:
    """The training run in a folder, finished or not.

    Parameters
    ----------
    folder : path
        As of `run_training_audit` and of ``workbench train``.
    data : LabeledData, optional
        For a run on data of one's own, which the folder names but does not hold.

    Raises
    ------
    RunFolderError
        There is no run in the folder.
    TrainingPlanError
        Its plan was changed, or needs ``data``.
    """
    kept = RunFolder(folder)
    return TrainingRun(kept.plan(data), kept.trained(), kept.provenance(), kept.name)


class _Progress:
    """Share and words of what is done, and when a partial result is due.

    Parameters
    ----------
    models : int
        Of the audit.
    done : int
        Those that were trained before.
    """

    def __init__(self, models: int, done: int):
        self._models, self._done = models, done
        self._began: float | None = None
        self._start, self._asked, self._due = done, 0.0, 0.0

    def is_due(self) -> bool:
        """Whether a partial result is due."""
        self._asked = time.monotonic()
        return self._asked >= self._due

    def made(self) -> None:
        """Say that the partial result is made."""
        now = time.monotonic()
        self._due = now + max(PACE, (now - self._asked) / SHARE)

    def after(self, count: int) -> tuple[float, str]:
        """The share that is done and its words, after so many further models."""
        self._done += count
        left = ""
        if self._began is not None and self._start < self._models:
            share = (self._done - self._start) / (self._models - self._start)
            left = time_left(share, self._began)
        elif count:  # the start of processes tells nothing of the models
            self._began, self._start = time.monotonic(), self._done
        words = f"{self._done:,} of {self._models:,} models{', ' if left else ''}{left}"
        return self._done / self._models, words
