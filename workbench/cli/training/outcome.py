"""What `workbench train` says at the end, and its exit status."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.output import complain, say
from workbench.scores.layouts.folders import RUN_SCORES

if TYPE_CHECKING:
    from workbench.training.runs.run import TrainingRun

NO_CONCLUSION = 3

#: Exit statuses by verdict.
_STATUS = {"not refuted": 0, "refuted": 1, "too few samples": NO_CONCLUSION}


def say_kept(folder: Path, why: str) -> None:
    """Say on the standard error what a run that was stopped has kept.

    Parameters
    ----------
    folder : Path
    why : str
        Why it was stopped, as a sentence and a space; "" where the person knows.
    """
    from workbench.training.runs.run import open_run

    try:
        run = open_run(folder)
    except (ValueError, OSError):  # it was stopped before it began
        kept = "nothing is kept"
    else:
        kept = (
            f"{run.models:,} of {run.audit.models:,} models are kept in '{folder}'; "
            f"'workbench train {folder}' continues"
        )
    complain(f"{why}{kept}")


def say_result(run: TrainingRun, folder: Path) -> int:
    """Print what came out of a run, and return the exit status."""
    cost = f"{run.cpu_seconds:,.1f} s of processor time"
    say(f"{run.audit.name}: {run.models:,} model{'s' * (run.models > 1)}, {cost}")
    say(repr(run.result))
    pair = run.audit.reference
    if pair is not None:
        say(f"accountant: {pair}")
    say(f"scores: {folder / RUN_SCORES}")
    verdict = run.verdict
    if verdict is not None:
        say(f"claim: {verdict}")
        return _STATUS[verdict.verdict]
    if not run.plan.claim:
        return 0
    kind = type(run.result).__name__
    say(f"claim: {run.plan.claimed}: not judged, for the result is a {kind} and no Scores")
    return NO_CONCLUSION
