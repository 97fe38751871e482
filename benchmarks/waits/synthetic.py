"""Audits of large synthetic tables: reading them, all attacks and the bound."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from benchmarks.waits.measuring import ROOT, Wait, printed_by

#: Records of the training table, of the holdout and of the synthetic table; columns.
RECORDS, COLUMNS = 100_000, 20

_TABLES = """
import sys, time
from pathlib import Path
import numpy as np
import pandas as pd
import workbench as wb
n = int(sys.argv[1])
rng = np.random.default_rng(0)
def table():
    z = rng.standard_normal((n, 4))
    frame = {f"x{j}": (z[:, j % 4] + rng.standard_normal(n)).round(3) for j in range(10)}
    frame |= {f"c{j}": (abs(z[:, j % 4]) * (5 + 8 * j)).astype(int).astype(str) for j in range(7)}
    frame["many"] = rng.integers(0, 10_000, n).astype(str)
    frame["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta((z[:, 0] * 500).round(), unit="D")
    frame["yes"] = z[:, 1] > 0
    made = pd.DataFrame(frame)
    made.loc[rng.random(n) < 0.05, "x3"] = np.nan
    return made
train, holdout, synthetic = table(), table(), table()
copies = n // 100
noise = rng.normal(0, 0.02, (copies, 10))
synthetic.iloc[:copies] = train.iloc[:copies]
synthetic.iloc[:copies, :10] += noise
def peak():
    return 1024 * int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
Path("/proc/self/clear_refs").write_text("5")
before, began = peak(), time.process_time()
audit = wb.SyntheticAudit(train, holdout, synthetic, split="coin", seed=1)
bound = audit.epsilon(1e-5)
assert bound.value > 4, bound
"""

#: What is printed of it: CPU seconds, or megabytes more than the three tables.
_CPU, _MEMORY = "print(time.process_time() - began)", "print((peak() - before) / 1e6)"


def audited(code: str, tree: Path = ROOT, records: int = RECORDS) -> float:
    """A figure of an audit of three tables of this size.

    Parameters
    ----------
    code : str
        What prints it.
    tree : Path
        The checkout.
    records : int
        Of each table.
    """
    return printed_by(_TABLES + code, str(records), tree=tree)


_WORK = f"audit of synthetic tables {RECORDS:,} × {COLUMNS}"

WAITS: tuple[Wait, ...] = (
    Wait(_WORK, "at most 60 CPU s", partial(audited, _CPU)),
    Wait(f"{_WORK}, memory", "at most 1000 MB", partial(audited, _MEMORY), unit="MB"),
)
