"""`run_of`: the run of a tracker that an object is, recognized by what it can do."""

from __future__ import annotations

from typing import Any

from workbench import _checks
from workbench.trackers.mlflow_runs import MLflowRun
from workbench.trackers.runs import TrackedRun
from workbench.trackers.wandb_runs import WandbRun


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
