"""`audit_mechanism`: search for neighboring datasets on which a mechanism breaks its claim."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from typing import Any, cast

import numpy as np

from workbench import _checks
from workbench.claims.base import Claim
from workbench.claims.parse import claim_or_largest
from workbench.mechanisms.adapting.adapt import mechanism_from
from workbench.mechanisms.adapting.adapted import AdaptedMechanism, CallError
from workbench.mechanisms.base import Domain
from workbench.mechanisms.table_domain import TableDomain
from workbench.pairs.base import Pair
from workbench.parallel import map_in_processes
from workbench.progress import Cancelled, Report, silent
from workbench.testers.error_budget import Budget
from workbench.testers.evidence import Trial
from workbench.testers.finders import finder
from workbench.testers.finders.base import Finder, FinishedTrial
from workbench.testers.finders.neighbors import Neighbors
from workbench.testers.mechanism_audit import AuditSettings, MechanismAudit
from workbench.testers.property_testers import registry
from workbench.testers.property_testers.base import Tester
from workbench.testers.report import DIGITS, count_in_words
from workbench.testers.running.portable import PortableMechanism
from workbench.testers.running.source import stream
from workbench.testers.trial import (
    CALLS,
    TrialSettings,
    packed,
    run_trial,
    unpacked,
    voided,
)

#: Our testers of values, in the order in which they are fitted. That of bits is asked for by name,
#: since it refutes nearly everything that adds noise in floating point; so are those of plug-ins.
TESTERS = tuple(name for name in registry.TESTERS.ours if name != "bits")

#: How the reason of a lost trial begins where its mechanism cannot be called at all.
_NOT_CALLED = f"{CallError.__name__}: "

#: Fewest runs on each dataset: with fewer no tester finds anything.
LEAST_SAMPLES = 50


def audit_mechanism(
    mechanism: Any,
    claim: str | Claim | Pair | None = None,
    datasets: Any = "random",
    *,
    delta: float | None = None,
    testers: Sequence[str | Tester] = TESTERS,
    trials: int = 50,
    samples: int = 100_000,
    confidence: float = 0.95,
    seed: int | np.random.Generator = 0,
    neighboring_relation: str | None = None,
    domain: Domain | TableDomain | None = None,
    anytime: bool = False,
    time_limit: float | None = None,
    executor: Executor | str | None = None,
    report: Report = silent,
) -> MechanismAudit:
    """Search for neighboring datasets on which a mechanism breaks its claim.

    In each trial the mechanism runs on a dataset and on a neighbor; every tester chooses what to
    measure on a fifth of the outputs, and measures it on the others.

    Parameters
    ----------
    mechanism : callable or object
        ``mechanism(dataset, size, rng)`` returns the outputs of ``size`` independent runs, an array
        of shape (size,) or (size, d); all its randomness comes from ``rng``. Or anything that
        `mechanism_from` takes, such as a function of a dataset, or a measurement of OpenDP. A
        `Mechanism` of the gallery brings its neighboring relation and domain along.
    claim : str, Claim or Pair, optional
        ``"approx(1, 1e-5)"`` or `ApproxDP` and the like; a pair claims its trade-off function. By
        default what the mechanism itself states; where it states nothing, the audit finds the
        largest ε that its runs prove.
    datasets : optional
        "random", "grid" or "bandit" search; one pair ``(dataset, neighbor)``; a list or generator
        of such pairs, one for each trial; or a `Finder`.
    delta : float, optional
        Find the largest ε at this δ, whatever the mechanism states; 0 without any claim.
    testers : sequence of str or Tester
        Among "hockey-stick", "renyi", "mmd", "histogram" and "bits", or your own; by default all
        but "bits", which also views the digits of floats.
    trials : int
        Largest number of pairs of datasets; the error is shared among them.
    samples : int
        Runs on each dataset in each trial, at least 50; rounded down to a multiple of 5.
    confidence : float
        Of all findings together: a violation is reported for a mechanism that meets its claim with
        probability at most ``1 − confidence``.
    seed : int or numpy.random.Generator
        Determines datasets, outputs and testers, with any executor.
    neighboring_relation : {"add-remove", "substitute", "user", "label", "stated"}, optional
        Which datasets are neighbors; see `Neighbors`. With "stated", a pair may be any two objects,
        and the guarantee rests on the caller's word that they are neighbors.
    domain : Domain or TableDomain, optional
        Which datasets a search may propose: arrays, or data frames.
    anytime : bool
        Stop at the first violation. This does not weaken the guarantee; see
        `workbench.testers.error_budget`.
    time_limit : float, optional
        Seconds for which the mechanism may compute in one trial. It then runs in a separate
        process, which is ended at the limit. Seconds in which it sleeps or waits for the processor
        do not count (on Linux), but it is ended after 20 times as many by the clock.
    executor : "processes" or concurrent.futures.Executor, optional
        Where trials run: in this process by default; in the workbench's own processes, one for each
        core; or in any executor, such as ``dask.distributed.Client.get_executor()``. With a
        finder that learns from trial to trial ("bandit") they run one after another.
    report : Report, optional
        Is called after each trial, with the result so far as ``partial``.

    Returns
    -------
    MechanismAudit
        Trials in which the mechanism raises, exceeds the time limit or returns something else are
        lost, with the reason. After Ctrl-C the result has the trials so far.

    Raises
    ------
    ValueError
        An invalid argument; a mechanism that cannot be called, or not be sent to other processes.
    Cancelled
        From ``report``; the last partial result holds.

    References
    ----------
    Kong, Muñoz Medina, Ribero and Syed (2023), *DP-Auditorium*, arXiv 2307.05608; here with
    disjoint parts for fitting and measuring, and one error budget.
    """
    adapted = mechanism_from(mechanism)
    stated = claim_or_largest(claim, adapted.claim, delta)
    found = _testers(testers)
    budget = Budget(confidence, trials)
    samples = _checks.count(samples, "samples", LEAST_SAMPLES, _checks.DRAWN) // CALLS * CALLS
    if isinstance(seed, np.random.Generator):
        seed = int(seed.integers(2**63))
    seed = _checks.count(seed, "seed")
    if time_limit is not None:
        time_limit = _checks.positive(time_limit, "time_limit")
    neighboring_relation = neighboring_relation or adapted.neighboring_relation
    domain = domain or adapted.domain
    if neighboring_relation == "stated" and isinstance(datasets, str) and adapted.stated_pair:
        datasets = adapted.pair  # no search finds neighbors that are stated
    if adapted.takes_frame and isinstance(datasets, str) and isinstance(domain, Domain | None):
        raise ValueError(
            f"{adapted.name} takes data frames; give the columns by "
            "domain=wb.TableDomain(columns=...), or datasets=(frame, neighbor)"
        )
    source = finder(datasets, neighboring_relation, domain, stream(seed, 0))
    settings = AuditSettings(
        name=adapted.name,
        claim=stated,
        testers=tuple(found),
        trials=budget.trials,
        samples=samples,
        confidence=budget.confidence,
        seed=seed,
        neighboring_relation=neighboring_relation or "add-remove",
        finder=source.name,
        anytime=bool(anytime),
    )
    trial = TrialSettings(settings.claim, found, budget, samples // CALLS, seed, time_limit)
    return _Search(settings, trial, (mechanism, adapted), source, executor, report).run()


class _Search:
    """A running audit: the trials that are finished, and why it stopped."""

    def __init__(
        self,
        settings: AuditSettings,
        trial: TrialSettings,
        mechanism: tuple[Any, AdaptedMechanism],
        source: Finder,
        executor: Executor | str | None,
        report: Report,
    ) -> None:
        self._settings, self._trial = settings, trial
        self._function, self._adapted = mechanism
        self._mechanism = PortableMechanism(self._adapted)
        self._source, self._report = source, report
        self._here = executor is None
        if isinstance(executor, str):
            _checks.one_of(executor, "executor", ("processes",))
        elif not (executor is None or isinstance(executor, Executor)):
            raise ValueError(
                "executor must be None, 'processes' or a concurrent.futures.Executor, got "
                f"{executor!r}; of a dask client take client.get_executor()"
            )
        self._executor = executor if isinstance(executor, Executor) else None
        if not self._here or trial.time_limit is not None:
            _ = self._mechanism.data  # raises now if it cannot be sent
        self._done: dict[int, Trial] = {}
        self._ended: int | None = None  # number of trials after which the datasets ended
        self._stopped: str | None = None  # why it was not completed
        self._at_violation = False  # stopped there, as requested
        self._began = time.monotonic()

    def run(self) -> MechanismAudit:
        """The result of all trials, or of those until the audit is settled or interrupted."""
        planned = self._settings.trials
        self._report(0.0, f"Trial 1 of {planned}")
        with closing(self._trials()) as trials:
            try:
                for trial in trials:
                    if (trial.error or "").startswith(_NOT_CALLED):
                        raise ValueError(str(trial.error).removeprefix(_NOT_CALLED))
                    self._done[trial.index] = trial
                    partial = self._result(complete=False)
                    done = len(partial.trials)
                    said = f"{count_in_words(done, 'trial')} of {planned}: {partial.verdict}"
                    self._report(done / planned, said, partial)
                    if self._settings.anytime and self._settled():
                        break
            except KeyboardInterrupt:
                if not self._done:
                    raise
                self._stopped = "Interrupted"
        return self._result(complete=self._stopped is None)

    # -- trials -----------------------------------------------------------------------------------

    def _trials(self) -> Generator[Trial, None, None]:
        """Trials, in the order in which they finish."""
        if self._here:
            for index, found in self._proposals():
                if isinstance(found, str):
                    yield Trial(index, None, error=found)
                else:
                    yield run_trial(self._mechanism, self._trial, index, found, self._report)
        elif self._source.batch:
            yield from self._elsewhere(self._proposals())
        else:  # what is proposed next depends on what was found
            for proposal in self._proposals():
                yield from self._elsewhere([proposal])

    def _proposals(self) -> Iterator[tuple[int, Neighbors | str]]:
        """Index and datasets of each trial, or why it has none."""
        for index in range(self._settings.trials):
            history = [
                FinishedTrial(trial.neighbors, trial.predicted)
                for _, trial in sorted(self._done.items())
                if trial.neighbors is not None
            ]
            try:
                found = self._source.propose(history)
            except ValueError as error:
                yield index, str(error)
                continue
            if found is None:
                self._ended = index
                return
            yield index, found

    def _elsewhere(self, proposals: Iterable[tuple[int, Neighbors | str]]) -> Iterator[Trial]:
        """Trials that run in an executor."""
        lost: list[Trial] = []

        def tasks() -> Iterator[bytes]:
            for index, found in proposals:
                if isinstance(found, str):
                    lost.append(Trial(index, None, error=found))
                else:
                    yield packed(self._mechanism, self._trial, index, found)

        results = map_in_processes(unpacked, tasks(), self._report, self._executor)
        with closing(cast(Generator[tuple[int, Trial], None, None], results)):
            while True:
                try:
                    _, trial = next(results)
                except StopIteration:
                    break
                except Cancelled:
                    raise
                except Exception as error:  # executors have errors of their own
                    if not self._done:
                        raise
                    self._stopped = (
                        f"The executor failed ({type(error).__name__}: {error}). A mechanism that "
                        "ends its process needs a time_limit: it then has a process of its own. "
                        "Stopped"
                    )
                    break
                yield trial
                yield from _drained(lost)
        yield from _drained(lost)

    def _settled(self) -> bool:
        """Whether the first violation is known; later trials are dropped.

        Trials finish in any order, and the result must not depend on it.
        """
        for index in range(self._settings.trials):
            trial = self._done.get(index)
            if trial is None or trial.dependent:  # the latter voids all that comes
                return False
            if trial.violation:
                self._done = {k: self._done[k] for k in range(index + 1)}
                self._at_violation = True
                return True
        return False

    # -- result -----------------------------------------------------------------------------------

    def _result(self, complete: bool) -> MechanismAudit:
        trials = voided([trial for _, trial in sorted(self._done.items())])
        return MechanismAudit(
            settings=self._settings,
            trials=trials,
            complete=complete,
            seconds=time.monotonic() - self._began,
            notes=tuple(self._notes(trials)),
            mechanism=self._function,
            used=self._trial.testers,
            domain=self._source.domain,
        )

    def _notes(self, trials: tuple[Trial, ...]) -> Iterator[str]:
        planned = self._settings.trials
        if isinstance(self._source.domain, TableDomain):
            yield f"Domain: {self._source.domain.in_words()}"
        if self._adapted.caveat:
            yield f"{self._adapted.caveat}."
        for reason, count in Counter(t.error for t in trials if t.error is not None).items():
            yield f"{count_in_words(count, 'trial')} lost: {reason}."
        for reason, count in Counter(t.dependent for t in trials if t.dependent).items():
            yield (
                f"No finding is valid, because the runs are not independent: in "
                f"{count_in_words(count, 'trial')}, {reason}."
            )
        refused = Counter(pair for trial in trials for pair in trial.refused.items())
        for (name, reason), count in refused.items():
            yield f"The {name} tester was skipped in {count_in_words(count, 'trial')}: {reason}."
        if any(finding.digits for trial in trials for finding in trial.findings.values()):
            yield DIGITS
        if self._ended is not None:
            yield f"The datasets ended after {count_in_words(self._ended, 'trial')} of {planned}."
        if self._at_violation:
            runs = sum(trial.runs for trial in trials)
            yield (
                f"Stopped at the first violation, after {count_in_words(len(trials), 'trial')} of "
                f"{planned} and {count_in_words(runs, 'run')} of the mechanism."
            )
        if self._stopped is not None:
            yield f"{self._stopped} after {count_in_words(len(trials), 'trial')} of {planned}."


def _drained(trials: list[Trial]) -> Iterator[Trial]:
    while trials:
        yield trials.pop(0)


def _testers(testers: Sequence[str | Tester]) -> dict[str, Tester]:
    if isinstance(testers, (str, Tester)):
        testers = (testers,)
    found = [registry.tester(each) for each in testers]
    names = [each.name for each in found]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"testers must be at least one, each once; got {names!r}")
    return dict(zip(names, found, strict=True))
