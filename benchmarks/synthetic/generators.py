"""Synthetic tables of real generators: what an audit shows of each."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.synthetic.environments import answer, read, written
from benchmarks.synthetic.power import DELTA, SEED, audited
from benchmarks.synthetic.tables import population
from workbench.scores.chance import BITS

#: Name, script, its arguments, and what the generator claims; "" for nothing.
GENERATORS = (
    ("Gaussian copula (SDV)", "_in_sdv.py", ("copula",), ""),
    ("CTGAN (SDV)", "_in_sdv.py", ("ctgan",), ""),
    ("MST, ε = 1 (dpmm)", "_in_dpmm.py", ("mst", "1"), "approx(1, 1e-5)"),
    ("AIM, ε = 1 (dpmm)", "_in_dpmm.py", ("aim", "1"), "approx(1, 1e-5)"),
)

RECORDS = 1000

HEADING = (
    *("generator", "run", "ε ≥ (chosen)", "attack chosen", "ε ≥ (all)", "threats that leak"),
    *("claim", "verdict", "CPU s: generator, audit"),
)


def main(runs: int = 1, names: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Rows: generator, run, bounds, verdict."""
    return list(rows(runs, names))


def rows(runs: int, names: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, script, arguments, claim in GENERATORS:
        for run in range(runs if not names or arguments[0] in names else 0):
            yield (name, str(run + 1), *one(script, arguments, claim, run))


def one(script: str, arguments: tuple[str, ...], claim: str, run: int) -> tuple[str, ...]:
    """One run of a generator, and its audit."""
    rng = np.random.default_rng([SEED, run])
    table = population(rng, RECORDS)
    member = rng.random(RECORDS) < 0.5
    train, holdout = table[member], table[~member]
    with tempfile.TemporaryDirectory() as name:
        folder = written(Path(name), train=train)
        said = answer(script, folder, *arguments, str(run))
        if "missing" in said:
            return "", "", "", "", claim, said["missing"], ""
        made = read(folder, "synthetic")
    audit, threats, cpu = audited((train, holdout, made), int(rng.integers(2**BITS)))
    return (
        f"{audit.epsilon(DELTA).rounded}",
        audit.chosen,
        f"{audit.epsilon(DELTA, attack='all').rounded}",
        ", ".join(one.label for one in threats if one.leaks) or "none",
        claim or "none",
        audit.judge(claim).verdict if claim else "",
        f"{said['cpu']:.0f}, {cpu:.1f}",
    )
