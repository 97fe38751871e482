"""One trial: the mechanism is run on two neighboring datasets, and every tester has its say."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.claims.base import Claim
from workbench.parallel import Report, silent
from workbench.testers.error_budget import Budget
from workbench.testers.evidence import MechanismAudit, Replay, Trial
from workbench.testers.finders.neighbors import Neighbors
from workbench.testers.learning.encoding import check_alike
from workbench.testers.learning.histogram_of_outputs import picture
from workbench.testers.property_testers import registry
from workbench.testers.property_testers.base import Finding, Tester, Witness
from workbench.testers.running.independence import dependence
from workbench.testers.running.sandbox import (
    MechanismError,
    Portable,
    Sandbox,
    pickled,
    run,
    unpickled,
)

#: Calls of the mechanism on each dataset, of equal size: the first fits, the others measure.
CALLS = 5

#: Rows that a tester sees when it is asked whether it refuses.
_EXAMPLE = 200

#: Whose random stream it is: the first two are also places in (dataset, neighbor).
_P, _Q, _TESTER = range(3)


@dataclass(frozen=True)
class Settings:
    """What all trials of an audit have in common.

    Attributes
    ----------
    claim : Claim or Pair
    testers : mapping of str to Tester
    budget : Budget
    size : int
        Runs a call.
    seed : int
    time_limit : float, optional
        Seconds for the calls of one trial together.
    """

    claim: Claim
    testers: Mapping[str, Tester]
    budget: Budget
    size: int
    seed: int
    time_limit: float | None = None


def run_trial(
    mechanism: Portable,
    settings: Settings,
    index: int,
    neighbors: Neighbors,
    report: Report = silent,
) -> Trial:
    """One trial; whatever the mechanism does wrong loses it, with the reason.

    Parameters
    ----------
    mechanism : Portable
    settings : Settings
    index : int
    neighbors : Neighbors
    report : Report, optional
        Asked between calls whether to go on.
    """
    began = time.monotonic()
    trial = Trial(index, neighbors)
    source = _Source(mechanism, settings, index, neighbors, report)
    try:
        trial = _tested(source, settings, trial)
    except MechanismError as error:
        trial = replace(trial, error=str(error))
    finally:
        source.close()
    trial = replace(trial, seconds=time.monotonic() - began, runs=source.runs)
    return voided([trial])[0]


def _tested(source: _Source, settings: Settings, trial: Trial) -> Trial:
    fit = source.call(0)
    digest = _digest(fit)
    refused: dict[str, str] = {}
    witnesses: dict[str, Witness] = {}
    for k, (name, tester) in enumerate(settings.testers.items()):
        source.report()
        rng = stream(settings.seed, trial.index, _TESTER, k)
        try:  # outputs are anything; a tester that fails shows nothing
            why = tester.refuses(settings.claim, _example(fit))
            if why is None:
                witnesses[name] = tester.fit(*fit, settings.claim, rng)
        except Exception as error:
            why = f"it failed while fitting: {type(error).__name__}: {error}"
        if why is not None:
            refused[name] = why
    trial = replace(trial, digest=digest, refused=refused)
    if not witnesses:
        return trial
    # Only now are outputs drawn that are measured: who refused leaves its share to the others.
    confidence = settings.budget.level(len(witnesses))
    calls = [source.call(block) for block in range(1, CALLS)]
    p, q = (np.concatenate(side) for side in zip(*calls, strict=True))
    dependent = dependence(*zip(fit, *calls, strict=True))
    findings: dict[str, Finding] = {}
    for name, witness in witnesses.items():
        source.report()
        try:
            findings[name] = witness.measure(p, q, confidence)
        except Exception as error:
            refused[name] = f"it failed while measuring: {type(error).__name__}: {error}"
    promises = [w.promise for w in witnesses.values() if not math.isnan(w.promise)]
    trial = replace(
        trial,
        findings=findings,
        refused=refused,
        confidence=confidence,
        dependent=dependent,
        promise=float(max(promises)) if promises else None,
    )
    best = trial.best
    if best is None:
        return trial
    try:
        return replace(trial, pictures={best: picture(best, witnesses[best], p, q)})
    except Exception:  # no chart is worth a finding
        return trial


def voided(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """The trials of one mechanism; all findings void if one of them had no independent runs.

    Where outputs hardly vary it does not show, so one trial speaks for the others.
    """
    reason = next((trial.dependent for trial in trials if trial.dependent), None)
    if reason is None:
        return tuple(trials)
    return tuple(
        replace(trial, findings={k: _void(f, reason) for k, f in trial.findings.items()})
        for trial in trials
    )


def _void(finding: Finding, reason: str) -> Finding:
    return replace(finding, bound=finding.bound.voided(reason))


def _example(fit: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate([side[: _EXAMPLE // 2] for side in fit])


def _digest(fit: Sequence[NDArray[Any]]) -> str:
    """Of the outputs, bit for bit."""
    digest = hashlib.sha256()
    for side in fit:
        digest.update(f"{side.dtype.str}{side.shape}".encode())
        digest.update(np.ascontiguousarray(side).tobytes())
    return digest.hexdigest()[:16]


def stream(seed: int, *key: int) -> np.random.Generator:
    """The random stream of one purpose: independent of all others, and of where it is used."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


class _Source:
    """Draws outputs on both datasets, in this process or within a time limit in another."""

    def __init__(
        self,
        mechanism: Portable,
        settings: Settings,
        index: int,
        neighbors: Neighbors,
        report: Report,
    ) -> None:
        self._mechanism, self._settings, self._index = mechanism, settings, index
        self._sides = neighbors.dataset, neighbors.neighbor
        self._first: NDArray[Any] | None = None
        self._left = settings.time_limit
        self._sandbox: Sandbox | None = None
        self.report, self.runs = report, 0

    def call(self, *key: int, size: int | None = None) -> tuple[NDArray[Any], NDArray[Any]]:
        """Outputs of one call on each dataset, with random streams that ``key`` names."""
        size = self._settings.size if size is None else size
        p, q = (self._outputs(side, size, key) for side in (_P, _Q))
        return p, q

    def _outputs(self, side: int, size: int, key: tuple[int, ...]) -> NDArray[Any]:
        self.report()
        rng = stream(self._settings.seed, self._index, side, *key)
        outputs = self._run(self._sides[side], size, rng)
        self.runs += size
        if self._first is None:
            self._first = outputs[:1]
        try:
            check_alike(self._first, outputs)
        except ValueError as error:
            raise MechanismError(f"its outputs change from call to call: {error}") from error
        return outputs

    def _run(self, dataset: NDArray[Any], size: int, rng: np.random.Generator) -> NDArray[Any]:
        if self._left is None:
            return run(self._mechanism.function, dataset, size, rng)
        if self._sandbox is None or not self._sandbox.fresh:  # testers may have taken long
            self.close()
            self._sandbox = Sandbox.taken(self._mechanism)
        began = time.monotonic()
        try:
            return self._sandbox.run(dataset, size, rng, self._left)
        finally:
            self._left -= time.monotonic() - began

    def close(self) -> None:
        """Give the process back, if there is one."""
        if self._sandbox is not None:
            self._sandbox.give_back()


# -- in other processes ---------------------------------------------------------------------------


def packed(mechanism: Portable, settings: Settings, index: int, neighbors: Neighbors) -> bytes:
    """A trial, to be run by `unpacked` anywhere; ValueError if the mechanism cannot be sent."""
    return pickled((mechanism, settings, index, neighbors))


def unpacked(task: bytes) -> Trial:
    """Run a trial that was `packed`."""
    return run_trial(*unpickled(task))


# -- checked again --------------------------------------------------------------------------------


def replay(
    audit: MechanismAudit,
    mechanism: Callable[..., Any] | None,
    samples: int | None,
    confidence: float,
    seed: int,
    time_limit: float | None,
) -> Replay:
    """See `MechanismAudit.replay`."""
    confidence = _checks.confidence(confidence)
    seed = _checks.count(seed, "seed")
    if time_limit is not None:
        time_limit = _checks.positive(time_limit, "time_limit")
    evidence = audit.best
    neighbors = None if evidence is None else evidence.trial.neighbors
    if evidence is None or neighbors is None:
        raise ValueError(f"there is no finding to replay: {audit.in_words()}")
    size = audit.samples // CALLS
    samples = size * (CALLS - 1) if samples is None else _checks.count(samples, "samples", least=1)
    tester = audit.used.get(evidence.tester) or registry.tester(evidence.tester)
    place = audit.testers.index(evidence.tester)
    settings = Settings(
        audit.claim, {evidence.tester: tester}, Budget(confidence, 1), size, audit.seed, time_limit
    )
    trial = evidence.trial
    function = Portable(_found(audit, mechanism))
    source = _Source(function, settings, trial.index, neighbors, silent)
    try:
        fit = source.call(0)
        rng = stream(audit.seed, trial.index, _TESTER, place)
        witness = tester.fit(*fit, audit.claim, rng)
        p, q = source.call(CALLS, seed, size=samples)
    except MechanismError as error:
        raise ValueError(f"the mechanism failed: {error}") from error
    finally:
        source.close()
    finding = witness.measure(p, q, confidence)
    dependent = dependence([fit[0], p], [fit[1], q])
    if dependent is not None:
        finding = _void(finding, dependent)
    return Replay(evidence, finding, _digest(fit) != trial.digest, samples, seed)


def _found(audit: MechanismAudit, mechanism: Callable[..., Any] | None) -> Callable[..., Any]:
    if mechanism is not None or audit.mechanism is not None:
        return mechanism or audit.mechanism  # type: ignore[return-value]
    from workbench.testers.running.load_mechanism import find_mechanism

    try:
        return find_mechanism(audit.name)
    except ValueError as error:
        raise ValueError(
            f"the mechanism {audit.name!r} is not found ({error}); give it: replay(mechanism)"
        ) from error
