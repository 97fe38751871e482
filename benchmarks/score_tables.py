"""Score tables of 1000 models × 60,000 records: time and memory to load and to rank them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

MODELS, RECORDS = 1000, 60_000

#: CPU seconds to load a table, and times the size of its scores.
MOST_SECONDS, MOST_MEMORY = 20.0, 1.3

_LOAD = """
import resource, sys, time
import numpy as np
import workbench as wb
wb.ScoreTable, wb.read_score_table
before = resource.getrusage(resource.RUSAGE_SELF)
table = wb.read_score_table(sys.argv[1])
after = resource.getrusage(resource.RUSAGE_SELF)
seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
more = (after.ru_maxrss - before.ru_maxrss) * 1024
assert table.n_models == int(sys.argv[2]) and table.n_records == int(sys.argv[3])
print(seconds, more / table.scores.nbytes, table.scores.nbytes)
"""


#: CPU seconds to bound all records, and seconds at most between two reports of progress.
MOST_RANKING, MOST_SILENCE = 12.0, 1.0

_RANK = """
import resource, sys, time
import numpy as np
import workbench as wb
rng = np.random.default_rng(0)
shape = int(sys.argv[1]), int(sys.argv[2])
member = rng.random(shape) < 0.5
scores = rng.standard_normal(shape, dtype=np.float32)
scores[:, ::500] += 4 * member[:, ::500]
table = wb.ScoreTable(scores, member)
reports = []
def progress(*_):
    reports.append(time.process_time())
for ask in (
    lambda: table.each_record(delta=1e-5, progress=progress),
    lambda: table.worst_record(delta=1e-5, progress=progress),
    lambda: table.leaking(1, delta=1e-5, progress=progress),
):
    reports.clear()
    progress()
    ask()
    progress()
    print(reports[-1] - reports[0], max(np.diff(reports)))
"""


def lira_folder(folder: Path, augmentations: int, models: int = MODELS) -> Path:
    """A folder of LiRA with an experiment for each model."""
    rng = np.random.default_rng(0)
    shape = (RECORDS, augmentations) if augmentations else (RECORDS,)
    for m in range(models):
        one = folder / f"experiment-{m}_{models}"
        (one / "scores").mkdir(parents=True)
        keep = rng.random(RECORDS) < 0.5
        np.save(one / "keep.npy", keep)
        scores = rng.standard_normal(shape) + keep.reshape(-1, *[1] * (len(shape) - 1))
        np.save(one / "scores" / f"{100:010d}.npy", scores)
    return folder


def archive(path: Path, models: int = MODELS) -> Path:
    """An npz file of one array of scores and one of memberships."""
    rng = np.random.default_rng(0)
    member = rng.random((models, RECORDS)) < 0.5
    np.savez(path, scores=rng.standard_normal((models, RECORDS)) + member, member=member)
    return path


def loaded(path: Path, models: int = MODELS) -> tuple[float, float, float]:
    """CPU seconds to load a table, memory as a multiple of its scores, and their bytes."""
    command = [sys.executable, "-c", _LOAD, str(path), str(models), str(RECORDS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, multiple, size = map(float, done.stdout.split())
    return seconds, multiple, size


def ranked(models: int = MODELS, records: int = RECORDS) -> list[tuple[str, float, float]]:
    """CPU seconds of bounds for all records, and the longest time between two reports."""
    command = [sys.executable, "-c", _RANK, str(models), str(records)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
    names = ("limits for all records", "worst record", "list of leaking records")
    return [(name, *times) for name, times in zip(names, found, strict=True)]


def main() -> list[tuple[str, str, str]]:
    rows = []
    with tempfile.TemporaryDirectory() as home:
        for name, make in (
            ("npz", lambda path: archive(path / "t.npz")),
            ("LiRA folder, 1 score", lambda path: lira_folder(path / "one", 0)),
            ("LiRA folder, 2 augmentations", lambda path: lira_folder(path / "two", 2)),
        ):
            path = make(Path(home))
            seconds, multiple, size = loaded(path)
            rows.append(
                (f"load {name} ({size / 1e6:.0f} MB of scores), CPU", f"{seconds:.1f} s",
                 f"{MOST_SECONDS:g} s")
            )  # fmt: skip
            rows.append(
                (f"load {name}, memory over that of its scores", f"{multiple:.2f} times",
                 f"{MOST_MEMORY:g} times")
            )  # fmt: skip
    for name, seconds, silence in ranked():
        rows.append((f"{name}, CPU", f"{seconds:.1f} s", f"{MOST_RANKING:g} s"))
        rows.append((f"{name}, between reports", f"{silence:.1f} s", f"{MOST_SILENCE:g} s"))
    return rows
