"""`train_models`: models of an audit in tasks of a second at most, on any executor."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.parallel import map_in_processes
from workbench.progress import Report, silent
from workbench.training.audits.rows import Rows
from workbench.training.audits.scored_models import ScoredModels
from workbench.training.runs.trained_models import TrainedModels

#: Seconds of a task: long enough for a process, short enough to be cancelled, or lost. First tasks
#: are short, so that a short run is seen to progress.
SHORTEST, LONGEST = 0.2, 1.0

#: The share of all the time so far that a task takes, between these.
SHARE = 0.05

#: Models of a task, at most.
MOST = 4096

#: Tasks that an executor is given at a time: enough for a cluster, few enough to learn their size.
AHEAD = 64


@dataclass(frozen=True)
class _Task:
    #: An audit, pickled once for all tasks.
    audit: bytes
    seed: int
    models: NDArray[np.int64]


def train_models(
    audit: ScoredModels,
    seed: int,
    models: Iterable[int],
    report: Report = silent,
    executor: Executor | None = None,
) -> Iterator[TrainedModels]:
    """Models and their rows, each part as soon as it is trained.

    Parameters
    ----------
    audit : ScoredModels
    seed : int
        The rows of a model depend on it and the index alone.
    models : iterable of int
        Indices.
    report : Report, optional
        Asked while waiting whether to go on.
    executor : concurrent.futures.Executor, optional
        Where the models are trained; by default the processes of this program.
    """
    waiting = np.fromiter(models, dtype=np.int64)
    content = pickle.dumps(audit)
    size, spent = 1, 0.0

    def tasks() -> Iterator[_Task]:
        start = 0
        while start < waiting.size:
            end = start + size  # as it is known by now
            yield _Task(content, seed, waiting[start:end])
            start = end

    ahead = None if executor is None else AHEAD
    for _, part in map_in_processes(_trained, tasks(), report, executor, ahead):
        spent += part.cpu_seconds
        seconds = max(SHORTEST, min(LONGEST, SHARE * spent))
        size = max(1, min(MOST, round(seconds * part.count / max(part.cpu_seconds, 1e-6))))
        yield part


def _trained(task: _Task) -> TrainedModels:
    began = time.thread_time()
    audit = _unpickled(task.audit)
    rows = [
        audit.score_model(index, audit.generator(task.seed, index))
        for index in task.models.tolist()
    ]
    return TrainedModels(task.models, Rows.joined(rows), time.thread_time() - began)


@lru_cache(maxsize=1)
def _unpickled(content: bytes) -> ScoredModels:
    """The audit, which a process keeps: what it prepares for all models is made once."""
    audit: ScoredModels = pickle.loads(content)
    return audit
