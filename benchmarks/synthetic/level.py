"""How often bounds of synthetic audits are false: 1000 audits of generators with a known ε."""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import workbench as wb
from benchmarks.synthetic.tables import GENERATORS, KnownGenerator, drawn
from workbench.bounds.bound import Bound
from workbench.coverage_lab.lab import EXCESS_ROUND_OFF
from workbench.scores.chance import BITS
from workbench.synthetic.columns import SyntheticTablesError

#: Records of an audit, training table and holdout together, and audits of each generator.
RECORDS, AUDITS = 200, 1000

SEED = 2026
KEPT = Path("build/synthetic")
HEADING = ("generator", "what", "false", "of", "share", "p of ≤ 5%")


def main(audits: int = AUDITS, names: Iterable[str] = GENERATORS) -> list[tuple[str, ...]]:
    """Rows: generator, what was claimed, how often falsely."""
    rows = []
    for name in names:
        rows += table(name, done(GENERATORS[name], audits))
    return rows


def done(generator: KnownGenerator, audits: int) -> list[dict[str, bool]]:
    """Which claims of each audit are false; each audit has random numbers of its own."""
    KEPT.mkdir(parents=True, exist_ok=True)
    file = KEPT / f"level-{generator.name.replace(' ', '-')}-{RECORDS}.jsonl"
    found = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    with file.open("a") as kept:
        for i in range(len(found), audits):
            found.append(claims_of(generator, i))
            kept.write(json.dumps(found[-1]) + "\n")
            kept.flush()
    return found[:audits]


def claims_of(generator: KnownGenerator, i: int, records: int = RECORDS) -> dict[str, bool]:
    """What one audit claims, and whether it is false."""
    rng = np.random.default_rng([SEED, zlib.crc32(generator.name.encode()), i])
    tables = drawn(generator, rng, records)
    try:
        audit = wb.SyntheticAudit(*tables, split="coin", seed=int(rng.integers(2**BITS)))
    except SyntheticTablesError:  # such as too few members for fair coins
        return {"refused": True}
    if audit.why_estimate:
        return {"the split is called not random": True}

    def false(bound: Bound | None) -> bool:
        return (
            bound is not None
            and bound.void is None
            and bound.value > generator.epsilon + EXCESS_ROUND_OFF
        )

    at = generator.delta
    claims = {"the split is called not random": False}
    for one in audit.attacks:
        claims[f"attack {one.name}"] = false(audit.epsilon(at, attack=one.name))
    for which in ("chosen", "all"):
        claims[f"attacks, {which}"] = false(audit.epsilon(at, attack=which))
    claims["claim of the truth is refuted"] = audit.judge(
        wb.ApproxDP(generator.epsilon, at)
    ).refuted
    for threat in audit.threats(delta=at):
        claims[f"{threat.label}, ε"] = false(threat.epsilon)
        if generator.independent:
            claims[f"{threat.label}, test of the coins"] = threat.leaks
    return claims


def table(name: str, found: list[dict[str, bool]]) -> list[tuple[str, ...]]:
    """Rows of one generator: each kind of claim, and how often it was false."""
    from scipy.special import bdtrc

    rows: list[tuple[str, ...]] = []
    for what in dict.fromkeys(what for one in found for what in one):
        tried = [one[what] for one in found if what in one]
        false = sum(tried)
        p = float(bdtrc(false - 1, len(tried), 0.05)) if false else 1.0
        row = (name, what, str(false), str(len(tried)), f"{false / len(tried):.1%}", f"{p:.2g}")
        rows.append(row)
    return rows


def measured(names: Iterable[str] = GENERATORS) -> str:
    """The table of what is done so far."""
    from benchmarks.__main__ import table as text

    rows = []
    for name in names:
        file = KEPT / f"level-{name.replace(' ', '-')}-{RECORDS}.jsonl"
        if file.exists():
            rows += table(name, [json.loads(line) for line in file.read_text().splitlines()])
    return text(rows, HEADING)


if __name__ == "__main__":
    sys.stdout.write(measured() + "\n")
