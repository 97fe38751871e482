"""False claims and strength of the bounds for score tables, by simulation.

``python -m benchmarks record_bounds`` takes half an hour on two cores; the tests run a small part.
Every table has 500 records, under 128 models unless its name says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

import workbench as wb
from workbench.parallel import map_in_processes
from workbench.tables.bounds.each_record import limits_of

MODELS, RECORDS = 128, 500
DELTA = 1e-5
REPLICATES = 1000

Member = NDArray[np.bool_]
Generator = np.random.Generator


@dataclass(frozen=True)
class Null:
    """A kind of table in which every record is (ε, δ)-DP.

    Attributes
    ----------
    scores : callable
        From a generator and memberships to scores.
    epsilon, delta : float
        What every record leaks, exactly or at most.
    member : callable, optional
        From a generator to memberships; independent fair coins by default.
    """

    scores: Callable[[Generator, Member], Any]
    epsilon: float = 0.0
    delta: float = DELTA
    member: Callable[[Generator], Member] = lambda rng: coins(rng)

    def table(self, rng: Generator) -> wb.ScoreTable:
        member = self.member(rng)
        return wb.ScoreTable(self.scores(rng, member), member)


def coins(rng: Generator, share: float = 0.5) -> Member:
    return rng.random((MODELS, RECORDS)) < share


def halves(rng: Generator) -> Member:
    """Every record in exactly half of the models."""
    return rng.random((MODELS, RECORDS)).argsort(axis=0) < MODELS // 2


def pairs(rng: Generator) -> Member:
    """Models in complementary pairs."""
    first = rng.random((MODELS // 2, RECORDS)) < 0.5
    return np.stack([first, ~first], axis=1).reshape(MODELS, RECORDS)


def noise(rng: Generator, member: Member) -> Any:
    return rng.normal(size=member.shape)


def dependent(rng: Generator, member: Member) -> Any:
    """One variable of each model moves all of its scores; half of the records are copies."""
    scores = 3 * rng.normal(size=(member.shape[0], 1)) + 0.3 * rng.normal(size=member.shape)
    scores[:, : member.shape[1] // 2] = scores[:, :1]
    return scores


def heavy(rng: Generator, member: Member) -> Any:
    """Cauchy noise, of a size of its own for each model."""
    return rng.standard_cauchy(member.shape) * rng.exponential(size=(member.shape[0], 1))


def ties(rng: Generator, member: Member) -> Any:
    return rng.integers(0, 3, member.shape).astype(float)


def answers(epsilon: float, delta: float = 0.0) -> Callable[[Generator, Member], Any]:
    """Randomized response: right with odds e^ε, and given away with probability δ."""

    def scores(rng: Generator, member: Member) -> Any:
        right = rng.random(member.shape) < expit(epsilon)
        said = np.where(member == right, 1.0, -1.0)
        return np.where(rng.random(member.shape) < delta, np.where(member, 2.0, -2.0), said)

    return scores


def given_away(rng: Generator, member: Member) -> Any:
    """With probability δ = 0.01 a model gives all memberships away at once, else none."""
    open_ = rng.random((member.shape[0], 1)) < 0.01
    return np.where(open_, np.where(member, 9.0, -9.0), rng.normal(size=member.shape))


NULLS = {
    "P = Q, independent records": Null(noise),
    "P = Q, strongly dependent records": Null(dependent),
    "P = Q, Cauchy noise": Null(heavy),
    "P = Q, three values": Null(ties),
    "each record leaks ε = 1": Null(answers(1.0), 1.0),
    "each record leaks ε = 3": Null(answers(3.0), 3.0),
    "each record leaks (1, 0.01)": Null(answers(1.0, 0.01), 1.0, 0.01),
    "all memberships at once, δ = 0.01": Null(given_away, 0.0, 0.01),
    "P = Q, coins of 20%": Null(noise, member=lambda rng: coins(rng, 0.2)),
    "P = Q, exactly half": Null(noise, member=halves),
    "P = Q, complementary pairs": Null(noise, member=pairs),
}

#: Name -> number of leaking records, μ, models.
LEAKS = {
    "1 record of μ = 4": (1, 4.0, MODELS),
    "5 records of μ = 4": (5, 4.0, MODELS),
    "50 records of μ = 4": (50, 4.0, MODELS),
    "5 records of μ = 2": (5, 2.0, MODELS),
    "5 records of μ = 4, 32 models": (5, 4.0, 32),
}


def worst_bounds(table: wb.ScoreTable, delta: float) -> tuple[dict[str, float], wb.RecordLimits]:
    """Bounds of the worst record by method, and the limits of all records."""
    limits = table.each_record(delta)
    errors = np.full(table.n_records, 1 - limits.confidence)
    return {
        "held-out": table.worst_record(delta).value,
        "simultaneous": table.worst_record(delta, method="simultaneous").value,
        "e-values": table.worst_record(delta, method="e-values").value,
        "uncorrected": float(limits_of(limits.counts, delta, errors).max()),
    }, limits


#: Tables that a process makes at a time.
AT_A_TIME = 20


def false_claims(name: str, replicates: int, seed: int, first: int = 0) -> dict[str, float]:
    """Share of tables with a false claim, by kind of claim; for "list" the mean share of it.

    ``first`` is the number of the first of the tables of this seed.
    """
    null, found = NULLS[name], {}
    for rng in np.random.default_rng(seed).spawn(first + replicates)[first:]:
        table = null.table(rng)
        worst, limits = worst_bounds(table, null.delta)
        claims = {name: value > null.epsilon + 1e-9 for name, value in worst.items()}
        claims["count"] = limits.at_least(null.epsilon) > 0
        # No record exceeds ε, so that every listed one is false: its share is 1.
        claims["list"] = len(table.leaking(null.epsilon, null.delta)) > 0
        for name, claim in claims.items():
            found.setdefault(name, []).append(float(claim))
    return {claim: float(np.mean(values)) for claim, values in found.items()}


def _tables(task: tuple[str, int]) -> dict[str, float]:
    name, first = task
    return false_claims(name, AT_A_TIME, seed=17, first=first)


def _strong_tables(task: tuple[str, int]) -> dict[str, Any]:
    name, seed = task
    return strength(*LEAKS[name], AT_A_TIME, seed)


def together(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Arrays of all parts, by name."""
    return {name: np.concatenate([np.atleast_1d(p[name]) for p in parts]) for name in parts[0]}


def leaking_table(rng: Generator, leaks: int, mu: float, models: int) -> wb.ScoreTable:
    member = rng.random((models, RECORDS)) < 0.5
    scores = rng.normal(size=member.shape)
    scores[:, :leaks] += mu * member[:, :leaks]
    return wb.ScoreTable(scores, member, sampling="independent runs")


def strength(leaks: int, mu: float, models: int, replicates: int, seed: int) -> dict[str, Any]:
    """Bounds of the worst record at δ = 1e-5 by method, shape (replicates,)."""
    found = [
        worst_bounds(leaking_table(rng, leaks, mu, models), DELTA)[0]
        for rng in np.random.default_rng(seed).spawn(replicates)
    ]
    return {name: np.array([values[name] for values in found]) for name in found[0]}


def main() -> list[tuple[str, str, str]]:
    rows = []
    for name in NULLS:
        tasks = [(name, first) for first in range(0, REPLICATES, AT_A_TIME)]
        parts = [part for _, part in map_in_processes(_tables, tasks)]
        for claim, shares in together(parts).items():
            target = "(an estimate)" if claim == "uncorrected" else "at most 5%"
            rows.append((f"{name}: {claim} false", f"{shares.mean():.1%}", target))
    for name in LEAKS:
        tasks = [(name, seed) for seed in range(REPLICATES // 5 // AT_A_TIME)]
        parts = [part for _, part in map_in_processes(_strong_tables, tasks)]
        for method, values in together(parts).items():
            target = "at least 2.3" if (name, method) == ("5 records of μ = 4", "held-out") else ""
            low, high = np.quantile(values, [0.05, 0.95])
            said = f"{values.mean():.2f} ({low:.2f} to {high:.2f} in 90%)"
            rows.append((f"{name}: ε at δ = 1e-5, {method}", said, target))
    return rows
