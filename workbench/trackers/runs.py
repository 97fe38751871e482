"""`TrackedRun`: a run of a tracker, whatever it is; `run_of` recognizes it by what it can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from workbench import _checks
from workbench.trackers.entries import LogEntry


class TrackedRun(ABC):
    """A run of an experiment tracker.

    Attributes
    ----------
    kind : str
        Of the tracker.
    where : str
        Which server or folder it writes to. Entries that wait are sent by any run of it.
    run : str
        The identifier of the run.
    """

    kind: ClassVar[str]
    where: str
    run: str

    @abstractmethod
    def send(self, entry: LogEntry, tried: bool) -> None:
        """Give an entry to the tracker, or raise what it raises.

        Parameters
        ----------
        entry : LogEntry
        tried : bool
            Whether it may have the entry already; nothing is logged twice then.
        """


def run_of(run: Any) -> TrackedRun:
    """The run of a tracker that an object is.

    Parameters
    ----------
    run : object
        The module ``mlflow`` or ``wandb`` with an active run, or a run of either.

    Raises
    ------
    TypeError
        None of these.
    ValueError
        A module without an active run.
    """
    from workbench.trackers.mlflow_runs import MLflowRun
    from workbench.trackers.wandb_runs import WandbRun

    if isinstance(run, TrackedRun):
        return run
    for kind in (MLflowRun, WandbRun):
        found = kind.recognized(run)
        if found is not None:
            return found
    raise TypeError(
        "run must be the module mlflow or wandb with an active run, or a run of either, such as "
        f"mlflow.start_run() or wandb.init() returns, got {_checks.shown(run)}"
    )
