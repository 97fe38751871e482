"""The audit of a mechanism: a search over neighboring datasets for one on which it leaks."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace
from typing import Any, cast

import numpy as np

from workbench import _checks
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.mechanisms.base import Domain, Mechanism
from workbench.pairs.base import Pair
from workbench.parallel import Cancelled, Report, map_in_processes, silent
from workbench.testers.error_budget import Budget
from workbench.testers.evidence import MechanismAudit, Trial
from workbench.testers.finders.base import Finder, finder
from workbench.testers.finders.neighbors import Neighbors
from workbench.testers.property_testers import registry
from workbench.testers.property_testers.base import Tester
from workbench.testers.running.sandbox import Portable
from workbench.testers.trial import (
    CALLS,
    Settings,
    packed,
    run_trial,
    stream,
    unpacked,
    voided,
)

#: All testers, in the order in which they are fitted.
TESTERS = tuple(registry.TESTERS)

#: The fewest samples a side: with less no tester shows anything.
LEAST_SAMPLES = 50


def audit_mechanism(
    mechanism: Callable[..., Any],
    claim: str | Claim | Pair,
    datasets: Any = "random",
    testers: Sequence[str | Tester] = TESTERS,
    trials: int = 50,
    samples: int = 100_000,
    confidence: float = 0.95,
    seed: int | np.random.Generator = 0,
    neighboring_relation: str | None = None,
    domain: Domain | None = None,
    anytime: bool = False,
    time_limit: float | None = None,
    executor: Executor | str | None = None,
    report: Report = silent,
) -> MechanismAudit:
    """Search for neighboring datasets on which a mechanism breaks its claim.

    In each trial the mechanism is run on a dataset and on a neighbor, and every tester looks for
    evidence in a fifth of the outputs and measures it on the others.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(dataset, size, rng)`` returns the outputs of ``size`` independent runs, an array
        of shape (size,) or (size, d); all its randomness comes from ``rng``. A `Mechanism` of the
        gallery brings its neighboring relation and domain along.
    claim : str, Claim or Pair
        ``"approx(1, 1e-5)"`` or `ApproxDP` and the like; a pair claims its trade-off function.
    datasets : optional
        "random", "grid" or "bandit" search; one pair ``(dataset, neighbor)``; a list or generator
        of such pairs, one a trial; or a `Finder`.
    testers : sequence of str or Tester
        Among "hockey-stick", "renyi", "mmd" and "histogram", or testers of one's own.
    trials : int
        At most so many pairs of datasets; the error is shared among them.
    samples : int
        Runs a trial on each dataset, at least 50; rounded down to a multiple of 5.
    confidence : float
        All claims about all trials hold together with it: a mechanism that meets its claim is
        accused with a chance of at most ``1 − confidence``.
    seed : int or numpy.random.Generator
        Fixes datasets, outputs and testers, whatever the executor is.
    neighboring_relation : {"add-remove", "substitute"}, optional
        Which datasets are neighbors.
    domain : Domain, optional
        Which datasets a search may propose.
    anytime : bool
        Stop at the first violation. It costs nothing: see `workbench.testers.error_budget`.
    time_limit : float, optional
        Seconds that the mechanism may take in one trial. It then runs in a process of its own,
        which is ended when it takes longer or crashes.
    executor : "processes" or concurrent.futures.Executor, optional
        Where trials run: in this process by default; in the workbench's own processes, one a core;
        or in any executor, such as ``dask.distributed.Client.get_executor()``. A finder that
        learns from trial to trial ("bandit") has them run one after another.
    report : Report, optional
        Is given each finished trial's result so far as ``partial``.

    Returns
    -------
    MechanismAudit
        A mechanism that raises, hangs or returns something else has lost that trial. Ctrl-C keeps
        the trials so far.

    Raises
    ------
    ValueError
        An argument that is none of these; a mechanism that cannot be sent to other processes.
    Cancelled
        From ``report``; the last partial result holds.

    References
    ----------
    Kong et al., AUDITORIUM (arXiv 2307.05608), with disjoint parts and one error budget.
    """
    if not callable(mechanism):
        raise ValueError(
            f"the mechanism must be a function (dataset, size, rng), got {mechanism!r}"
        )
    found = _testers(testers)
    budget = Budget(confidence, trials)
    samples = _checks.count(samples, "samples", least=LEAST_SAMPLES) // CALLS * CALLS
    if isinstance(seed, np.random.Generator):
        seed = int(seed.integers(2**63))
    seed = _checks.count(seed, "seed")
    if time_limit is not None:
        time_limit = _checks.positive(time_limit, "time_limit")
    if isinstance(mechanism, Mechanism):
        neighboring_relation, domain = (
            neighboring_relation or mechanism.neighboring_relation,
            domain or mechanism.domain,
        )
    settings = Settings(as_claim(claim), found, budget, samples // CALLS, seed, time_limit)
    source = finder(datasets, neighboring_relation, domain, stream(seed, 0))
    audit = MechanismAudit(
        name=name_of(mechanism),
        claim=settings.claim,
        testers=tuple(found),
        trials=(),
        planned=budget.trials,
        samples=samples,
        confidence=budget.confidence,
        seed=seed,
        neighboring_relation=neighboring_relation or "add-remove",
        finder=source.name,
        anytime=bool(anytime),
        complete=False,
        mechanism=mechanism,
        used=found,
    )
    return _Search(audit, Portable(mechanism), settings, source, executor, report).run()


class _Search:
    """An audit at work."""

    def __init__(
        self,
        audit: MechanismAudit,
        mechanism: Portable,
        settings: Settings,
        source: Finder,
        executor: Executor | str | None,
        report: Report,
    ) -> None:
        self._audit, self._mechanism, self._settings = audit, mechanism, settings
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
        if not self._here or settings.time_limit is not None:
            _ = mechanism.data  # tells now if it cannot be sent
        self._done: dict[int, Trial] = {}
        self._ended: int | None = None  # after so many trials there were no more datasets
        self._stopped: str | None = None  # why it did not get done
        self._at_violation = False  # stopped there, as was asked
        self._power: dict[tuple[str, float], float | None] = {}
        self._began = time.monotonic()

    def run(self) -> MechanismAudit:
        """All trials, or as many as are wanted."""
        planned = self._audit.planned
        self._report(0.0, f"Trial 1 of {planned}")
        with closing(self._trials()) as trials:
            try:
                for trial in trials:
                    self._done[trial.index] = trial
                    partial = self._result(complete=False)
                    done = len(partial.trials)
                    said = f"{_count(done, 'trial')} of {planned}: {partial.verdict}"
                    self._report(done / planned, said, partial)
                    if self._audit.anytime and self._settled():
                        break
            except KeyboardInterrupt:
                if not self._done:
                    raise
                self._stopped = "Interrupted"
        return self._result(complete=self._stopped is None)

    # -- trials -----------------------------------------------------------------------------------

    def _trials(self) -> Generator[Trial, None, None]:
        """Trials as they are finished."""
        if self._here:
            for index, found in self._proposals():
                if isinstance(found, str):
                    yield Trial(index, None, error=found)
                else:
                    yield run_trial(self._mechanism, self._settings, index, found, self._report)
        elif self._source.batch:
            yield from self._elsewhere(self._proposals())
        else:  # what is proposed next depends on what was found
            for proposal in self._proposals():
                yield from self._elsewhere([proposal])

    def _proposals(self) -> Iterator[tuple[int, Neighbors | str]]:
        """Datasets, or why there are none, with the index of their trial."""
        for index in range(self._audit.planned):
            history = [
                (trial.neighbors, trial.promise)
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
        """The same with an executor."""
        lost: list[Trial] = []

        def tasks() -> Iterator[bytes]:
            for index, found in proposals:
                if isinstance(found, str):
                    lost.append(Trial(index, None, error=found))
                else:
                    yield packed(self._mechanism, self._settings, index, found)

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
        """Whether the first violation is known; trials after it are dropped.

        They are finished in any order, and the result must not depend on it.
        """
        for index in range(self._audit.planned):
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
        return replace(
            self._audit,
            trials=trials,
            complete=complete,
            neighboring_relation=_relation(trials) or self._audit.neighboring_relation,
            seconds=time.monotonic() - self._began,
            detectable=self._detectable(trials),
            notes=tuple(self._notes(trials)),
        )

    def _detectable(self, trials: tuple[Trial, ...]) -> Mapping[str, float | None]:
        levels = {
            name: trial.confidence
            for trial in reversed(trials)
            for name in trial.findings
            if trial.confidence is not None
        }
        return _Power(self._settings, levels, self._power)

    def _notes(self, trials: tuple[Trial, ...]) -> Iterator[str]:
        planned = self._audit.planned
        for reason, count in Counter(t.error for t in trials if t.error is not None).items():
            yield f"{_count(count, 'trial')} lost: {reason}."
        for reason, count in Counter(t.dependent for t in trials if t.dependent).items():
            yield (
                f"All findings are void, for independent runs are needed: in "
                f"{_count(count, 'trial')}, {reason}."
            )
        refused = Counter(pair for trial in trials for pair in trial.refused.items())
        for (name, reason), count in refused.items():
            yield f"{name} took no part in {_count(count, 'trial')}: {reason}."
        if self._ended is not None:
            yield f"The datasets ended after {_count(self._ended, 'trial')} of {planned}."
        if self._at_violation:
            runs = sum(trial.runs for trial in trials)
            yield (
                f"Stopped at the first violation, after {_count(len(trials), 'trial')} of "
                f"{planned} and {_count(runs, 'run')} of the mechanism."
            )
        if self._stopped is not None:
            yield f"{self._stopped} after {_count(len(trials), 'trial')} of {planned}."


class _Power(Mapping[str, float | None]):
    """What each tester could have found in a trial, at the level that it had there.

    Computed when asked for, since it takes longer than a small audit, and only once.
    """

    def __init__(
        self,
        settings: Settings,
        levels: Mapping[str, float],
        known: dict[tuple[str, float], float | None],
    ) -> None:
        self._settings, self._known = settings, known
        self._levels = {name: levels[name] for name in settings.testers if name in levels}

    def __getitem__(self, name: str) -> float | None:
        key = name, self._levels[name]
        if key not in self._known:
            n, claim = self._settings.size * (CALLS - 1), self._settings.claim
            self._known[key] = self._settings.testers[name].detectable(claim, n, n, key[1])
        return self._known[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._levels)

    def __len__(self) -> int:
        return len(self._levels)

    def __repr__(self) -> str:
        return repr(dict(self))


def _drained(trials: list[Trial]) -> Iterator[Trial]:
    while trials:
        yield trials.pop(0)


def name_of(mechanism: Callable[..., Any]) -> str:
    """By which `find_mechanism` finds it again, where it can."""
    if isinstance(mechanism, Mechanism):  # a card may stand for a function that was named
        return str(getattr(mechanism.run, "name", mechanism.name))
    name = getattr(mechanism, "name", None)
    if isinstance(name, str):
        return name
    module = getattr(mechanism, "__module__", None)
    name = getattr(mechanism, "__qualname__", None)
    if not isinstance(name, str):
        return type(mechanism).__qualname__
    lost = module in (None, "__main__") or "<" in name
    return name if lost else f"{module}:{name}"


def _testers(testers: Sequence[str | Tester]) -> dict[str, Tester]:
    if isinstance(testers, (str, Tester)):
        testers = (testers,)
    found = [registry.tester(each) for each in testers]
    names = [each.name for each in found]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"testers must be at least one, each once; got {names!r}")
    return dict(zip(names, found, strict=True))


def _relation(trials: tuple[Trial, ...]) -> str:
    """By which the datasets of all trials are neighbors."""
    relations = {t.neighbors.neighboring_relation for t in trials if t.neighbors is not None}
    return " or ".join(sorted(relations))


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
