"""`check`: record a mechanism on a data set, replay it on a neighbor, and say what differs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.claims.base import Claim
from workbench.mechanisms.adapting.adapt import mechanism_from
from workbench.pairs.base import Pair
from workbench.testing.record import comparing, laws
from workbench.testing.record.comparing import Pairing, pairings
from workbench.testing.record.findings import CodeFinding, RecordCheck, RecordedPrimitive
from workbench.testing.record.places import Place, place_of, raised_at
from workbench.testing.record.running import Call, called, run_once
from workbench.testing.record.session import Shift
from workbench.testing.record.trace import Trace

#: How far out noise is moved in two more runs, in units of its scale: Laplace noise is further
#: out with probability 3e-4, which pure ε-DP does not forgive.
FAR = 8.0

#: What is added to the seed of a run that is replayed on the same data set.
OTHER = 10**6


def check(
    mechanism: Any,
    dataset: Any = None,
    neighbor: Any = None,
    claim: Claim | Pair | str | None = None,
    *,
    runs: int = 4,
    seed: int = 0,
) -> RecordCheck:
    """What recorded runs of a mechanism on two neighboring data sets show.

    Each run is recorded on the data set, and replayed on the neighbor with every noisy value as it
    was recorded. What then still differs did not pass through noise.

    Parameters
    ----------
    mechanism : callable or object
        As of `workbench.mechanism_from`, called for one run. It needs no change: noise of numpy's
        generators and of ``numpy.random`` is recorded; `laplace` and the other primitives of this
        package state in addition what the code relies on.
    dataset, neighbor : object, optional
        Of any kind. That they are neighbors is not checked. By default the mechanism's own pair.
    claim : Claim, Pair or str, optional
        As of `workbench.audit_mechanism`; by default the mechanism's own.
    runs : int
        Recorded runs, with seeds from ``seed`` on. Two more have all symmetric noise 8 scales below
        and above 0: rare values, on which code may take other ways.
    seed : int

    Returns
    -------
    RecordCheck
        Findings that are certain are facts of these runs: a value moves further than its primitive
        states, calls or outputs depend on data that did not pass through noise. They name a fault
        in the argument for privacy; whether one alone breaks the claim is its ``refutes``.
        Nothing found does not show that a mechanism is private.

    Raises
    ------
    ValueError
        The mechanism raises on the data set, or takes other arguments.

    References
    ----------
    Cebere, Erb, Desfontaines, Bellet, Fitzsimons (2026), *Privacy in theory, bugs in practice*,
    arXiv 2602.17454, who compare declared and measured sensitivities, and the control flow, of
    two runs with the same randomness.

    Examples
    --------
    >>> from workbench.testing import record
    >>> def release(data, rng):
    ...     return record.laplace(data.sum(), sensitivity=1, epsilon=0.5, rng=rng)
    >>> found = record.check(release, np.array([1.0]), np.array([1.0, 5.0]), "pure(0.5)")
    >>> [one.kind for one in found.certain]
    ['sensitivity']
    """
    adapted = mechanism_from(mechanism, claim)
    dataset, neighbor = pair_of(mechanism, dataset, neighbor)
    runs, seed = _checks.count(runs, "runs", least=1, most=1000), _checks.count(seed, "seed")
    call, home = called(adapted), place_of(adapted)
    settings = _Settings(call, dataset, neighbor, shift_of(dataset, neighbor), adapted.claim, home)
    far = [(seed + i, 0.0) for i in range(runs)] + [(seed, -FAR), (seed, FAR)]
    found = [_run(settings, *each) for each in far]
    findings = [one for run in found for one in run.findings]
    findings += comparing.varying_scales([run.pairs for run in found])
    traces = [run.trace for run in found]
    untrusted = dict.fromkeys(one.place for trace in traces for one in trace.untrusted)
    return RecordCheck(
        name_of(mechanism), adapted.claim, _distinct(findings), _rows(found), runs, tuple(untrusted)
    )


def pair_of(mechanism: Any, dataset: Any, neighbor: Any) -> tuple[Any, Any]:
    """The given data sets, or those of the mechanism; ValueError where there are none."""
    own = getattr(mechanism, "pair", None)
    if dataset is None and neighbor is None and own is not None:
        return own[0], own[1]
    if dataset is None or neighbor is None:
        raise ValueError(
            f"give a dataset and a neighbor, as in check({name_of(mechanism)}, dataset, neighbor); "
            "only mechanisms of the gallery have some"
        )
    return dataset, neighbor


def name_of(mechanism: Any) -> str:
    """What a mechanism is called in results."""
    return str(getattr(mechanism, "name", None) or getattr(mechanism, "__name__", "mechanism"))


@dataclass(frozen=True, eq=False)
class _Run:
    trace: Trace
    pairs: list[Pairing]
    findings: list[CodeFinding]


@dataclass(frozen=True, eq=False)
class _Settings:
    call: Call
    dataset: Any
    neighbor: Any
    shift: Shift | None
    claim: Claim | None
    home: Place


def _run(settings: _Settings, seed: int, far: float) -> _Run:
    """One recorded run, under the reading of noisy values with fewer certain findings."""
    lazy = _read(settings, seed, far, eager=False)
    if any(one.certain and not one.refutes for one in lazy.findings):
        eager = _read(settings, seed, far, eager=True)
        if not any(one.certain for one in eager.findings):
            lazy = eager
    if not far:
        return lazy
    rare = f" (with noise {FAR:g} scales {'above' if far > 0 else 'below'} 0, which is rare)"
    findings = [replace(one, words=one.words + rare) for one in lazy.findings]
    return _Run(lazy.trace, lazy.pairs, findings)


def _read(settings: _Settings, seed: int, far: float, eager: bool) -> _Run:
    call, home = settings.call, settings.home
    try:
        recorded = run_once(call, settings.dataset, seed, eager=eager, far=far).trace
    except Exception as error:
        if far:
            return _Run(Trace(), [], [])
        raise ValueError(
            f"the mechanism raises on the data set: {type(error).__name__}: {error}"
        ) from error
    # With another seed: what is not recorded differs, unless there is nothing.
    again = run_once(call, settings.dataset, seed + OTHER, recorded, eager=eager)
    if strange := list(comparing.unrecorded(recorded, again, home)):
        return _Run(recorded, [], strange)
    trusted = not recorded.untrusted
    try:
        replay = run_once(call, settings.neighbor, seed, recorded, settings.shift, eager)
    except Exception as error:
        words = (
            f"it raises on the neighbor only, with the same random numbers: "
            f"{type(error).__name__}: {error}"
        )
        raises = CodeFinding("control flow", trusted, False, raised_at(error), words)
        return _Run(recorded, [], [raises])
    if replay.uncoupled:
        return _Run(recorded, [], list(comparing.bounds(recorded, replay.trace)))
    pairs = pairings(recorded, replay.trace)
    # A noisy threshold hides what is compared with it: then nothing else is certain.
    hidden = any(_may_hide(one) for one in pairs)
    sure = trusted and not hidden
    findings = list(comparing.bounds(recorded, replay.trace))
    if flow := list(comparing.control_flow(recorded, replay, sure)):
        return _Run(recorded, [], findings + flow)
    findings += comparing.budget(pairs, settings.claim)
    findings += comparing.sensitivities(pairs, sure)
    findings += comparing.scales(pairs, settings.claim, sure)
    reused = list(comparing.reuses(replay, sure))
    findings += reused
    if not reused and not any(one.kind == "no noise" for one in findings):
        bare = not recorded.draws and trusted
        findings += comparing.outputs(recorded, replay, sure, bare, home)
    return _Run(recorded, pairs, findings)


def _may_hide(one: Pairing) -> bool:
    """Whether it is noise, without data, that the code looked at; a primitive is what it states."""
    noisy = any(layer.spread.any() for layer in one.old.layers)
    return bool(noisy and one.old.seen.file and not one.old.declared and not one.apart.any())


def shift_of(dataset: Any, neighbor: Any) -> Shift | None:
    """Where a neighbor has one record more or less; None where sizes agree or it is not to see."""
    try:
        return _shift(_rows_of(dataset), _rows_of(neighbor))
    except (TypeError, ValueError):
        return None


def _shift(first: NDArray[Any], second: NDArray[Any]) -> Shift | None:
    if abs(len(first) - len(second)) != 1:
        return None
    few, many = (first, second) if len(first) < len(second) else (second, first)
    before = _equal_rows(few, many[:-1])
    at = len(few) if before.all() else int(np.argmin(before))
    if not _equal_rows(few[at:], many[at + 1 :]).all():
        return None
    return Shift(len(first), len(second) > len(first), at)


def _rows_of(dataset: Any) -> NDArray[Any]:
    return np.asarray(dataset.to_numpy() if hasattr(dataset, "to_numpy") else dataset)


def _equal_rows(first: Any, second: Any) -> NDArray[np.bool_]:
    """Which rows are equal, with NaN equal to itself; ValueError for rows of several shapes."""
    a, b = np.asarray(first), np.asarray(second)
    same = np.asarray((a == b) | ((a != a) & (b != b)))
    return np.asarray(same.reshape(len(a), -1).all(axis=1)) if len(a) else np.ones(0, dtype=bool)


def _distinct(findings: list[CodeFinding]) -> tuple[CodeFinding, ...]:
    """One finding for each kind and place: the surest, which is the first of its kind."""
    kept: dict[tuple[str, Place], CodeFinding] = {}
    for one in findings:
        key = one.kind, one.place
        if key not in kept or _rank(one) < _rank(kept[key]):
            kept[key] = one
    # A wrong control flow in one run says more than what other runs make of it.
    return tuple(sorted(kept.values(), key=_rank))


def _rank(one: CodeFinding) -> tuple[bool, bool]:
    return not one.refutes, not one.certain


def _rows(runs: list[_Run]) -> tuple[RecordedPrimitive, ...]:
    """One row for each primitive: what it is, and the most that was measured of it."""
    first = runs[0].trace
    rows = []
    for place in dict.fromkeys(one.place for one in first.values):
        own = [[one for one in run.pairs if one.old.place == place] for run in runs]
        pairs = [one for some in own for one in some]
        values = [one for one in first.values if one.place == place]
        known = laws.law(values[0])
        name = known[0] if known else values[0].layers[0].draw.name
        declared = max((one.declared.sensitivity for one in values if one.declared), default=None)
        costs = [[one.cost for one in some if one.cost is not None] for some in own]
        spent = None
        if known and any(costs):
            power = 1 if name == laws.LAPLACE else 2
            spent = float(max(sum(c**power for c in some) for some in costs) ** (1 / power))
        rows.append(
            RecordedPrimitive(
                "noise",
                name,
                place,
                len(values),
                scale=min((one.scales[0] for one in pairs), default=None),
                declared=declared,
                measured=max((laws.distance(name, one.apart) for one in pairs), default=None),
                epsilon=spent if name == laws.LAPLACE else None,
                mu=spent if name == laws.GAUSSIAN else None,
            )
        )
    for (name, place), choices in first.choices.items():
        kind = "sample" if choices[0].trusted else "choice"
        rows.append(RecordedPrimitive(kind, name, place, len(choices)))
    for place, many in first.bounds.items():
        rows.append(RecordedPrimitive("clip", "clip", place, len(many)))
    for (name, place), queries in first.queries.items():
        rows.append(RecordedPrimitive("count", name, place, len(queries)))
    return tuple(rows)
