"""`MLflowRun`: a run of MLflow, through the client of your program's package."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

from workbench.trackers.entries import LogEntry
from workbench.trackers.runs import TrackedRun


class MLflowRun(TrackedRun):
    """A run of MLflow.

    Numbers are metrics, texts are tags, since those of an audit that goes on change, and files are
    artifacts.

    Parameters
    ----------
    module : module
        ``mlflow``.
    run : str
        The identifier of the run.
    """

    kind: ClassVar[str] = "mlflow"

    def __init__(self, module: Any, run: str):
        self.run = run
        self._entities = module.entities
        self._client = module.tracking.MlflowClient()
        self.where = str(module.get_tracking_uri())

    @classmethod
    def recognized(cls, run: Any) -> MLflowRun | None:
        """The run that a module or a run of MLflow is; None if it is neither.

        Parameters
        ----------
        run : object
        """
        if callable(getattr(run, "active_run", None)):
            active = run.active_run()
            if active is None:
                raise ValueError(
                    "mlflow has no active run; call mlflow.start_run() before, or give the run"
                )
            return cls(run, str(active.info.run_id))
        name = getattr(getattr(run, "info", None), "run_id", None)
        module = sys.modules.get("mlflow")
        return None if name is None or module is None else cls(module, str(name))

    def send(self, entry: LogEntry, tried: bool) -> None:
        """See `TrackedRun`; metrics, tags and then files."""
        moment = round(entry.made * 1000)
        metrics = [
            self._entities.Metric(key, value, moment, entry.step)
            for key, value in entry.numbers.items()
            if not (tried and self._has(entry, key, moment))
        ]
        tags = [self._entities.RunTag(key, text) for key, text in entry.texts.items()]
        _wait(self._client.log_batch(entry.run, metrics=metrics))
        for start in range(0, len(tags), 100):  # as many as MLflow takes at once
            _wait(self._client.log_batch(entry.run, tags=tags[start : start + 100]))
        for name, text in entry.files.items():
            self._client.log_text(entry.run, text, name)

    def _has(self, entry: LogEntry, key: str, moment: int) -> bool:
        """Whether the number arrived, though no answer came."""
        history = self._client.get_metric_history(entry.run, key)
        return any((one.timestamp, one.step) == (moment, entry.step) for one in history)


def _wait(answer: Any) -> None:
    """Wait for what MLflow does on the side, where it was told to."""
    wait = getattr(answer, "wait", None)
    if callable(wait):
        wait()
