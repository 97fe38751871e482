"""What audits show of generators that copy some of their rows, with noise, and what others say."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import workbench as wb
from benchmarks.synthetic.environments import answer, written
from benchmarks.synthetic.tables import population
from workbench.scores.chance import BITS
from workbench.synthetic.generators.copying import CopyingGenerator
from workbench.synthetic.threats.base import Threat

#: Records, training table and holdout together; shares of synthetic rows that are copies.
SIZES, SHARES = (1000, 4000), (0.01, 0.03, 0.1)

#: Noise of a copy: share of a column's standard deviation, and of other cells that are drawn anew.
NOISE = 0.02

REPEATS, SEED, DELTA = 5, 2026, 1e-5

#: Records, share of copies -> tables.
Tables = tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]

HEADING = (
    *("records", "copies", "ε ≥ (chosen)", "attack chosen", "ε ≥ (all)"),
    *("threats that leak", "CPU s"),
)
PEERS = ("records", "copies", "who", "what", "value", "CPU s")


def tables(records: int, share: float, repeat: int) -> Tables:
    """Training table, holdout and a synthetic table of which a share of the rows are copies.

    The others are new records of the population, so that nothing else leaks.
    """
    rng = np.random.default_rng([SEED, records, round(1000 * share), repeat])
    table = population(rng, records)
    member = rng.random(records) < 0.5
    train, holdout = table[member], table[~member]
    made = [population(rng, len(train) - round(share * len(train)))]
    if copies := len(train) - len(made[0]):
        made += [CopyingGenerator(1.0, NOISE).fit(train).sample(copies, seed=rng)]
    return train, holdout, pd.concat(made).sample(frac=1, random_state=repeat)


def audited(made: Tables, seed: int) -> tuple[wb.SyntheticAudit, tuple[Threat, ...], float]:
    """The audit, its threats, and the CPU seconds of both."""
    start = time.process_time()
    audit = wb.SyntheticAudit(*made, split="coin", seed=seed)
    audit.epsilon(DELTA)
    threats = audit.threats(delta=DELTA)
    return audit, threats, time.process_time() - start


def main(repeats: int = REPEATS) -> list[tuple[str, ...]]:
    """Rows for each size and share: medians of the repeats."""
    return list(rows(repeats))


def rows(repeats: int) -> Iterator[tuple[str, ...]]:
    for records in SIZES:
        for share in (0.0, *SHARES):
            chosen, names, both, leaks, cpu = [], [], [], [], []
            for repeat in range(repeats):
                seed = int(np.random.default_rng([SEED, repeat]).integers(2**BITS))
                audit, threats, taken = audited(tables(records, share, repeat), seed)
                chosen.append(audit.epsilon(DELTA).value)
                both.append(audit.epsilon(DELTA, attack="all").value)
                names.append(audit.chosen)
                leaks += [one.label for one in threats if one.leaks]
                cpu.append(taken)
            yield (
                *(f"{records:,}", f"{share:.0%}", _spread(chosen), _counted(names), _spread(both)),
                *(_counted(leaks) or "none", f"{np.median(cpu):.1f}"),
            )


def peers(repeats: int = 1) -> list[tuple[str, ...]]:
    """Rows: what anonymeter and SDMetrics say of the tables of `main`."""
    found: list[tuple[str, ...]] = []
    for records in SIZES:
        for share in (0.0, *SHARES):
            for repeat in range(repeats):
                for who, what, value, cpu in of_peers(tables(records, share, repeat)):
                    found.append((f"{records:,}", f"{share:.0%}", who, what, value, cpu))
    return found


def of_peers(made: Tables) -> Iterator[tuple[str, str, str, str]]:
    """Who, what, value and CPU seconds."""
    with tempfile.TemporaryDirectory() as name:
        train, holdout, synthetic = made
        folder = written(Path(name), train=train, holdout=holdout, synthetic=synthetic)
        risks = answer("_in_anonymeter.py", folder)
        if "missing" in risks:
            yield "anonymeter", "all", risks["missing"], ""
        for what, value in risks.get("risks", {}).items():
            said = (
                f"{value[0]:.3f} [{value[1]:.3f}, {value[2]:.3f}]" if len(value) == 3 else value[0]
            )
            yield "anonymeter", what, said, f"{risks['cpu']:.0f} for all"
        scores = answer("_in_sdv.py", folder, "metrics")
        if "missing" in scores:
            yield "SDMetrics", "all", scores["missing"], ""
        for what, value in scores.items():
            if what not in ("missing", "cpu"):
                yield "SDMetrics", what, f"{value:.3f}", f"{scores['cpu']:.0f} for all"


def _spread(values: list[float]) -> str:
    """Median, smallest and largest, rounded down."""
    low, middle, high = (np.floor(100 * one) / 100 for one in np.quantile(values, [0, 0.5, 1]))
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def _counted(names: list[str]) -> str:
    """Each name and how often it is there, the most frequent first."""
    return ", ".join(f"{name} {many}" for name, many in Counter(names).most_common())
