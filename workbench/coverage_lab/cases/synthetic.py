"""Audits of synthetic tables whose generator has a known ε, on tables with dependent rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.coverage_lab.cases.case import SimulatedCase, exceeds
from workbench.scores.chance import BITS
from workbench.synthetic.audit import SyntheticAudit
from workbench.synthetic.columns import SyntheticTablesError
from workbench.synthetic.threats.copies import Copies

#: What is tried on the same tables.
METHODS = ("chosen attack", "all attacks", "named attack", "copies")

#: The attacks, which need no training of trees.
ATTACKS = ("distance", "density-ratio", "queries")

#: Records that have much in common.
FAMILY = 2


@dataclass(frozen=True)
class Answering:
    """A generator that has each record by randomized response to whether it was in.

    The records of the pool are the universe, which is public, so that adding or removing a record
    (or unit) is at the edge of its ε, and substituting one at twice that.

    Attributes
    ----------
    records : int
        In the training table and the holdout together.
    split : {"coin", "fixed-size"}
    epsilon : float
        Of adding or removing; 0 for a table that does not depend on who was in.
    revealed : float
        Probability that all answers are true: δ.
    units : bool
        Whether a family is a unit, with one coin and one answer.
    """

    records: int
    split: str = "coin"
    epsilon: float = 0.0
    revealed: float = 0.0
    units: bool = False

    def table(self, rng: np.random.Generator) -> pd.DataFrame:
        """Records in families, with columns of five kinds."""
        family = np.arange(self.records) // FAMILY
        base = rng.normal(size=family.max() + 1)[family]
        days = pd.to_timedelta(rng.integers(0, 900, base.size), unit="D")
        return pd.DataFrame(
            {
                "family": family,
                "amount": base + 0.1 * rng.normal(size=base.size),
                "place": np.array(list("abcd"))[np.digitize(base, [-1.0, 0.0, 1.0])],
                "day": pd.Timestamp("2020-01-01") + days,
                "smokes": rng.random(base.size) < 0.3,
                "dose": np.where(
                    rng.random(base.size) < 0.2, np.nan, rng.exponential(size=base.size)
                ),
            }
        )

    def _members(self, rng: np.random.Generator, canaries: int) -> NDArray[np.bool_]:
        if self.split == "coin":
            return rng.random(canaries) < 0.5
        return rng.permutation(np.arange(canaries) < canaries // 2)

    def audit(self, rng: np.random.Generator) -> SyntheticAudit:
        """An audit of fresh tables."""
        pool = self.table(rng)
        canary = pool["family"].to_numpy() if self.units else np.arange(len(pool))
        member = self._members(rng, canary.max() + 1)
        true = rng.random(member.size) < 1 / (1 + math.exp(-self.epsilon))
        if rng.random() < self.revealed:
            true[:] = True
        told = np.where(true, member, ~member)
        made = pool[told[canary]]
        if len(made) < 2:
            made = pool.iloc[:2]
        made = made.iloc[rng.permutation(len(made))].drop(columns="family")
        if not self.units:
            pool = pool.drop(columns="family")
        return SyntheticAudit(
            pool[member[canary]], pool[~member[canary]], made, split=self.split,
            unit="family" if self.units else None, attacks=ATTACKS, seed=int(rng.integers(2**BITS)),
        )  # fmt: skip

    def __call__(self, rng: np.random.Generator) -> tuple[bool, ...]:
        try:
            audit, delta = self.audit(rng), self.revealed
        except SyntheticTablesError:  # such as too few members for fair coins
            return (False,) * len(METHODS)
        truth = self.epsilon if self.split == "coin" else 2 * self.epsilon
        bounds = [
            exceeds(lambda w=which: audit.epsilon(delta, attack=w), truth)  # type: ignore[misc]
            if not audit.why_estimate
            else False
            for which in ("chosen", "all", ATTACKS[0])
        ]
        (copies,) = audit.threats([Copies(exact=True)], delta=delta)
        found = copies.epsilon
        return (*bounds, found is not None and exceeds(lambda: found, truth))


def _case(name: str, about: str, drawn: Answering) -> SimulatedCase:
    rows = "training and held-out records in families of two, columns of five kinds"
    return SimulatedCase(
        f"synthetic table, {name}", f"{drawn.records} {rows}, {about}.", METHODS, drawn
    )


SYNTHETIC = (
    _case("nothing told", "a table that does not depend on who was in", Answering(80)),
    _case("answers", "randomized response to each record, ε = 1", Answering(80, epsilon=1.0)),
    _case(
        "answers, δ > 0", "as before, and all revealed with probability δ = 0.002",
        Answering(80, epsilon=1.0, revealed=0.002),
    ),
    _case(
        "units", "each family a unit, randomized response to it, ε = 1",
        Answering(120, epsilon=1.0, units=True),
    ),
    _case(
        "fixed size", "half of them in, randomized response, ε = 1 for substitution",
        Answering(100, "fixed-size", 0.5),
    ),
)  # fmt: skip
