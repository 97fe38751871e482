"""CPU seconds and memory of an audit of large tables, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

#: Records in training table and holdout together, and columns.
SIZES = ((1000, 6), (10_000, 20), (100_000, 20))

HEADING = ("records", "columns", "step", "CPU s", "memory, MB", "target")

PROGRAM = """
import json, resource, sys, time
import numpy as np, pandas as pd
import workbench as wb

records, columns = map(int, sys.argv[1:])
rng = np.random.default_rng(0)


def table(n):
    kinds = [
        lambda: rng.normal(size=n),
        lambda: rng.choice(list("abcdefgh"), n),
        lambda: pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 2000, n), "D"),
        lambda: rng.random(n) < 0.3,
        lambda: np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(size=n)),
    ]
    return pd.DataFrame({f"c{i}": kinds[i % 5]() for i in range(columns)})


pool, member = table(records), rng.random(records) < 0.5
train, made = pool[member], table(records // 2)
made.iloc[: records // 100] = train.iloc[: records // 100].to_numpy()
made = made.astype(train.dtypes)
found = []


def step(name, run):
    start = time.process_time()
    run()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found.append((name, time.process_time() - start, memory))


audit = None


def attacks():
    global audit
    audit = wb.SyntheticAudit(train, pool[~member], made, split="coin", seed=1)
    audit.epsilon(1e-5)


step("read, and all attacks", attacks)
step("threats", lambda: audit.threats())
print(json.dumps(found))
"""


def main() -> list[tuple[str, ...]]:
    """Rows: size, step, CPU seconds, memory of the process at its peak."""
    rows: list[tuple[str, ...]] = []
    for records, columns in SIZES:
        command = [sys.executable, "-c", PROGRAM, str(records), str(columns)]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        for name, cpu, memory in json.loads(run.stdout.splitlines()[-1]):
            target = "60 s, 1 GB" if (records, name[:4]) == (100_000, "read") else ""
            cells = (f"{records:,}", str(columns), name, f"{cpu:.1f}", f"{memory:.0f}", target)
            rows.append(cells)
    return rows
