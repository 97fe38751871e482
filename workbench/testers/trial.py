"""One trial: run the mechanism on two neighboring datasets, and let every tester measure."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.claims.base import Claim
from workbench.progress import Report, silent
from workbench.testers.error_budget import Budget
from workbench.testers.evidence import Trial
from workbench.testers.finders.neighbors import Neighbors
from workbench.testers.learning.histogram_of_outputs import picture
from workbench.testers.outputs.table_encoding import fit_encoding
from workbench.testers.property_testers.base import Finding, FittedWitness, Tester
from workbench.testers.running.independence import dependence
from workbench.testers.running.portable import PortableMechanism, pickled, unpickled
from workbench.testers.running.sandbox import MechanismError
from workbench.testers.running.source import TESTER, OutputSource, digest, stream

#: Calls of the mechanism on each dataset, of equal size: the first fits, the others measure.
CALLS = 5

#: Rows that a tester sees when it is asked whether it supports such outputs.
_EXAMPLE = 200


@dataclass(frozen=True)
class TrialSettings:
    """What all trials of an audit have in common; it is sent to the processes that run them.

    Attributes
    ----------
    claim : Claim or Pair
    testers : mapping of str to Tester
    budget : Budget
    size : int
        Runs of each call of the mechanism.
    seed : int
    time_limit : float, optional
        Seconds for which the calls of one trial together may compute.
    """

    claim: Claim
    testers: Mapping[str, Tester]
    budget: Budget
    size: int
    seed: int
    time_limit: float | None = None


def run_trial(
    mechanism: PortableMechanism,
    settings: TrialSettings,
    index: int,
    neighbors: Neighbors,
    report: Report = silent,
) -> Trial:
    """The result of one trial; a mechanism that fails loses the trial, with the reason.

    Parameters
    ----------
    mechanism : PortableMechanism
    settings : TrialSettings
    index : int
    neighbors : Neighbors
    report : Report, optional
        Is called between calls of the mechanism; it may raise to cancel.

    Returns
    -------
    Trial
    """
    began = time.monotonic()
    trial = Trial(index, neighbors)
    key = settings.seed, index
    limit = settings.time_limit
    source = OutputSource(mechanism, neighbors, settings.size, key, limit, report)
    try:
        trial = _tested(source, settings, trial)
    except MechanismError as error:
        trial = replace(trial, error=str(error))
    finally:
        source.close()
    trial = replace(trial, seconds=time.monotonic() - began, runs=source.runs)
    return voided([trial])[0]


def _tested(source: OutputSource, settings: TrialSettings, trial: Trial) -> Trial:
    raw = source.call(0)
    fitted_on = digest(raw)  # before testers see it
    encoding = fit_encoding(*raw)
    fit = encoding(raw[0]), encoding(raw[1])
    refused: dict[str, str] = {}
    witnesses: dict[str, FittedWitness] = {}
    for k, (name, tester) in enumerate(settings.testers.items()):
        source.report()
        rng = stream(settings.seed, trial.index, TESTER, k)
        try:  # outputs may be anything; a tester that fails is skipped
            why = tester.unsupported_reason(settings.claim, _example(fit))
            if why is None:
                witnesses[name] = tester.fit(*fit, settings.claim, rng)
        except Exception as error:
            why = f"it failed while fitting: {type(error).__name__}: {error}"
        if why is not None:
            refused[name] = why
    trial = replace(trial, digest=fitted_on, refused=refused)
    if not witnesses:
        return trial
    # Outputs to measure are drawn only now: skipped testers leave their share to the others.
    confidence = settings.budget.level(len(witnesses))
    calls = [source.call(block) for block in range(1, CALLS)]
    p, q = (np.concatenate([encoding(x) for x in side]) for side in zip(*calls, strict=True))
    dependent = dependence(*zip(raw, *calls, strict=True))
    findings: dict[str, Finding] = {}
    for name, witness in witnesses.items():
        source.report()
        try:
            findings[name] = witness.measure_in_words(p, q, confidence, encoding)
        except Exception as error:
            refused[name] = f"it failed while measuring: {type(error).__name__}: {error}"
    predictions = [w.predicted for w in witnesses.values() if not math.isnan(w.predicted)]
    trial = replace(
        trial,
        findings=findings,
        refused=refused,
        confidence=confidence,
        dependent=dependent,
        predicted=float(max(predictions)) if predictions else None,
    )
    best = trial.best
    if best is None:
        return trial
    try:
        return replace(trial, pictures={best: picture(best, witnesses[best], p, q, encoding)})
    except Exception:  # no chart is worth a finding
        return trial


def voided(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """The trials of one mechanism, with all findings void if the runs of one are dependent.

    Where outputs hardly vary, dependence does not show, so one trial stands for the others.
    """
    reason = next((trial.dependent for trial in trials if trial.dependent), None)
    if reason is None:
        return tuple(trials)
    return tuple(
        replace(trial, findings={k: f.voided(reason) for k, f in trial.findings.items()})
        for trial in trials
    )


def _example(fit: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate([side[: _EXAMPLE // 2] for side in fit])


# -- in other processes ---------------------------------------------------------------------------


def packed(
    mechanism: PortableMechanism, settings: TrialSettings, index: int, neighbors: Neighbors
) -> bytes:
    """A trial as bytes, to be run by `unpacked`; ValueError if it cannot be pickled.

    Parameters
    ----------
    mechanism, settings, index, neighbors
        As in `run_trial`.
    """
    return pickled((mechanism, settings, index, neighbors))


def unpacked(task: bytes) -> Trial:
    """The result of a trial that was `packed`."""
    return run_trial(*unpickled(task))
