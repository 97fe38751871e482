"""Waits for files: csv in memory, parquet counted here and on a cluster.

The files are written once for each run of the benchmarks, to a folder that is deleted at its end.
"""

from __future__ import annotations

import atexit
import importlib.util
import shutil
import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np

from benchmarks.large_files import write_parquet
from benchmarks.waits.measuring import ROOT, Wait, printed_by

ROWS_OF_CSV = 10**7

#: Rows of parquet files that are counted here, and on a cluster. ``benchmarks.large_files --full``
#: measures 2·10⁸.
ROWS, ROWS_ON_CLUSTER = (10**6, 10**7), 5 * 10**7

#: CPU seconds of reading with the process that parses; what a program imports first is left out.
_IN_MEMORY = """
import resource, sys
import pandas
import workbench as wb, workbench.scores.files

def used():
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(sum(resource.getrusage(who)[:2]) for who in both)

before = used()
wb.read_scores(sys.argv[1], counted=False)
print(used() - before)
"""

_PANDAS = """
import sys, time
import pandas
before = time.process_time()
pandas.read_csv(sys.argv[1])
print(time.process_time() - before)
"""

_COUNTED = """
import sys, time
import pandas, pyarrow.compute, pyarrow.parquet
from workbench.scores.counting.one_pass import count_scores
before = time.process_time()
count_scores(sys.argv[1])
print(time.process_time() - before)
"""

_SCAN = """
import sys, time
import pandas, pyarrow.compute
from pyarrow import parquet
before = time.process_time()
file = parquet.ParquetFile(sys.argv[1], pre_buffer=False, buffer_size=10**6)
sum(batch.num_rows for batch in file.iter_batches(2**18, columns=["score", "member"]))
print(time.process_time() - before)
"""

#: CPU seconds of two workers and of the client, all of which have imported what they need.
_ON_CLUSTER = """
import resource, sys, time
import pandas, pyarrow.compute, pyarrow.parquet
from distributed import Client, LocalCluster
from workbench.scores.counting.one_pass import count_scores

def used():
    import resource
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])

def imported():
    import pandas, pyarrow.compute, pyarrow.parquet
    import workbench.scores.counting.piece

if __name__ == "__main__":
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster) as client:
        client.run(imported)
        before = used() + sum(client.run(used).values())
        count_scores(sys.argv[1], client=client)
        print(used() + sum(client.run(used).values()) - before)
"""


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="waits-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def parquet_of(rows: int) -> str:
    """Path of a parquet file of scores with labels."""
    path = _folder() / f"{rows}.parquet"
    write_parquet(path, rows)
    return str(path)


@cache
def csv_of(rows: int) -> str:
    """Path of a csv file of scores with labels."""
    path = _folder() / f"{rows}.csv"
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        file.write("score,member\n")
        for start in range(0, rows, 10**6):
            member = rng.random(min(10**6, rows - start)) < 0.5
            score = rng.standard_normal(member.size) + member
            pairs = zip(score.tolist(), member.tolist(), strict=True)
            file.write("".join(f"{x!r},{int(m)}\n" for x, m in pairs))
    return str(path)


def in_memory(tree: Path) -> float:
    """CPU seconds to read a csv file, all rows kept."""
    return printed_by(_IN_MEMORY, csv_of(ROWS_OF_CSV), tree=tree)


def counted(tree: Path, rows: int) -> float:
    """CPU seconds to count a parquet file in one process."""
    return printed_by(_COUNTED, parquet_of(rows), tree=tree)


def scanned(rows: int) -> float:
    """CPU seconds in which pyarrow alone reads the same columns."""
    return printed_by(_SCAN, parquet_of(rows))


def on_cluster(tree: Path) -> float:
    """CPU seconds of the client and of two workers of dask to count a parquet file."""
    if importlib.util.find_spec("distributed") is None:
        raise ImportError("distributed is not installed")
    # A cluster starts its workers from a file.
    script = _folder() / "on_cluster.py"
    script.write_text(_ON_CLUSTER)
    code = "import runpy, sys; runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    return printed_by(code, str(script), parquet_of(ROWS_ON_CLUSTER), tree=tree)


WAITS: tuple[Wait, ...] = (
    Wait(
        "csv of 10⁷ rows in memory",
        "at most 2.5 CPU s",
        in_memory,
        peer="pandas.read_csv",
        measure_peer=lambda: printed_by(_PANDAS, csv_of(ROWS_OF_CSV)),
    ),
    *(
        Wait(
            f"parquet of {written} rows counted",
            f"at most {most} times the scan",
            partial(counted, rows=rows),
            peer="scan by pyarrow",
            measure_peer=partial(scanned, rows),
        )
        for rows, written, most in zip(ROWS, ("10⁶", "10⁷"), (3, 2), strict=True)
    ),
    Wait(
        "parquet of 5·10⁷ rows counted by 2 workers of dask",
        "at most 1.3 times one process, workers and client together",
        on_cluster,
        peer="one process",
        measure_peer=lambda: counted(ROOT, ROWS_ON_CLUSTER),
    ),
)
