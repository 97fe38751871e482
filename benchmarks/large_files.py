"""Files larger than memory: speed against a bare scan of the same columns, and memory.

python -m benchmarks.large_files [--full] [--folder FOLDER]

The full size is 2·10^8 rows. Files are written to a folder and deleted again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROWS, FULL = 2 * 10**7, 2 * 10**8

#: Rows that are made at a time.
PART = 2**20

#: Bytes of a file that is larger than memory.
SPARSE = 30 * 10**9

#: What each child prints: seconds on the wall and of the processor, and its peak memory.
MEASURE = """
import json, resource, time
wall, cpu = time.perf_counter(), time.process_time()
{code}
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
peak = [1024 * resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(json.dumps(dict(wall=wall, cpu=cpu, peak=max(peak), said=said)))
"""

SCAN = """
from pyarrow import parquet
file = parquet.ParquetFile({path!r}, pre_buffer=False, buffer_size=10**6)
wall, cpu = time.perf_counter(), time.process_time()
said = sum(batch.num_rows for batch in file.iter_batches(2**18, columns=["score", "member"]))
"""

COUNT = """
import pandas, pyarrow.parquet, pyarrow.compute
from workbench.scores.counting.one_pass import count_scores
wall, cpu = time.perf_counter(), time.process_time()
scores = count_scores({path!r})
said = scores.n_p + scores.n_q
"""

APART = """
import workbench as wb
try:
    scores = wb.read_scores({path!r}, counted=True)
    said = scores.n_p + scores.n_q
except wb.ScoresError as error:
    said = str(error)
"""


def measured(code: str, path: Path) -> dict[str, object]:
    """What a process of its own measured."""
    code = MEASURE.format(code=code.format(path=str(path)))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


ONE_GROUP = """
import numpy as np, pyarrow as pa
from pyarrow import parquet
rng = np.random.default_rng(0)
member = rng.random({rows}) < 0.5
table = pa.table(dict(score=rng.standard_normal({rows}) + member, member=member))
parquet.write_table(table, {path!r}, row_group_size={rows})
"""


def write_one_group(path: Path, rows: int) -> None:
    """In another process: the peak memory of a child begins with that of its parent."""
    code = ONE_GROUP.format(path=str(path), rows=rows)
    subprocess.run([sys.executable, "-c", code], check=True)


def write_parquet(path: Path, rows: int) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    schema = pa.schema({"score": pa.float64(), "member": pa.bool_()})
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, PART):
            n = min(PART, rows - start)
            member = rng.random(n) < 0.5
            score = rng.standard_normal(n) + member
            writer.write_table(pa.table({"score": score, "member": member}))


def write_csv(path: Path, size: int) -> int:
    """A csv file of so many bytes; its number of rows."""
    rng = np.random.default_rng(0)
    lines = "".join(f"{x!r},{int(x > 0)}\n" for x in rng.standard_normal(10**5).tolist()).encode()
    rows = 0
    with path.open("wb") as file:
        file.write(b"score,member\n")
        while file.tell() < size:
            file.write(lines)
            rows += 10**5
    return rows


def main(rows: int = ROWS, folder: str | None = None) -> list[tuple[str, str, str]]:
    """Rows: what, measured, target."""
    with tempfile.TemporaryDirectory(dir=folder) as made:
        path = Path(made) / "scores.parquet"
        write_parquet(path, rows)
        scan, count = (
            min((measured(code, path) for _ in range(2)), key=lambda found: float(found["cpu"]))
            for code in (SCAN, COUNT)
        )
        apart = measured(APART, path)
        found = [
            ("rows of a parquet file", f"{rows:,} ({path.stat().st_size / 1e9:.2f} GB)", ""),
            ("bare scan", _speed(scan, rows), ""),
            ("counting", _speed(count, rows), ""),
            ("counting against scan, processor", f"{scan['cpu'] / count['cpu']:.2f}", "≥ 0.33"),
            ("counting against scan, wall", f"{scan['wall'] / count['wall']:.2f}", "≥ 0.33"),
            ("peak memory here", _memory(count), "≤ 1 GB"),
            ("read_scores, with its process", f"{apart['wall']:.1f} s", ""),
            ("peak memory of that process", _memory(apart), "≤ 1 GB"),
            (
                "10^9 rows, extrapolated",
                f"{count['wall'] * 1e9 / rows:.0f} s, {count['cpu'] * 1e9 / rows:.0f} s CPU",
                "",
            ),
        ]
        path.unlink()
        write_one_group(path, ROWS)
        one = measured(APART, path)
        found.append((f"{ROWS:,} rows in one row group: peak", _memory(one), "≤ 1 GB"))
        path.unlink()

        path = Path(made) / "scores.csv"
        size = 5 * rows // 2
        lines = write_csv(path, size)
        began = time.perf_counter()
        csv = measured(APART, path)
        seconds = time.perf_counter() - began
        found += [
            (
                f"csv of {size / 1e9:.2g} GB, {lines:,} rows",
                f"{seconds:.1f} s ({size / seconds / 1e6:.0f} MB/s)",
                "",
            ),
            ("   peak memory", _memory(csv), "≤ 1 GB"),
        ]
        with path.open("wb") as file:
            file.truncate(SPARSE)
        sparse = measured(APART, path)
        found += [
            ("sparse csv of 30 GB", f"refused in {sparse['wall']:.1f} s", "refused"),
            ("   peak memory", _memory(sparse), "≤ 1 GB"),
        ]
    return found


def _speed(found: dict[str, object], rows: int) -> str:
    ns = [1e9 * float(found[kind]) / rows for kind in ("cpu", "wall")]
    return f"{ns[0]:.1f} ns a row of the processor, {ns[1]:.1f} ns on the wall"


def _memory(found: dict[str, object]) -> str:
    return f"{float(found['peak']) / 1e6:.0f} MB"


if __name__ == "__main__":
    from benchmarks.__main__ import table

    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true", help="2·10^8 rows")
    parser.add_argument("--folder", help="where the files are written")
    given = parser.parse_args()
    print(table(main(FULL if given.full else ROWS, given.folder)))
