"""Waits for score tables: ranking, each further question, e-values, and memory to read one.

`growth` measures the questions by the number of models and of records.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.waits.measuring import ROOT, Wait, printed_by

MODELS, RECORDS = 1000, 60_000

#: Numbers of models at 1000 records, and of records at 200 models, at which growth is measured.
BY_MODELS, BY_RECORDS = (100, 1000, 10_000), (1000, 10_000, 100_000)

_TABLE = """
import inspect, sys, time
import numpy as np
import workbench as wb
models, records = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
member = rng.random((models, records)) < 0.5
scores = rng.standard_normal((models, records), dtype=np.float32)
leaking = rng.choice(records, max(records // 200, 1), replace=False)
scores[:, leaking] += np.float32(2.5) * member[:, leaking]
table = wb.ScoreTable(scores, member, sampling="independent runs", seed=0)
table.keys, table.auditable, table.n_in, table.n_out
def seconds(work):
    began = time.process_time()
    work()
    return time.process_time() - began
"""

#: Question -> what is asked of a table.
QUESTIONS = {
    "each_record": "table.each_record(1e-5)",
    "held-out": "table.worst_record(1e-5)",
    "simultaneous": "table.worst_record(1e-5, method='simultaneous')",
    "e-values": "table.worst_record(1e-5, method='e-values')",
    "exceeding": "table.exceeding(1, 1e-5)",
    "leaking": "table.leaking(1, 1e-5)",
}

_RANKING = "\nfrom workbench.pages.records.ranking import rank\n"

_SILENCE = """
reports = [time.process_time()]
rank(table, "", 1e-5, 0.95, lambda *said: reports.append(time.process_time()))
reports.append(time.process_time())
print(max(np.diff(reports)))
"""

#: The peak of a process begins with that of the one that started it, unless it is reset.
_PEAK = """
import sys
from pathlib import Path
def peak():
    return 1024 * int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
"""
_RESET = """
Path("/proc/self/clear_refs").write_text("5")
before = peak()
"""

_MEMORY = f"""{_PEAK}
import workbench as wb
wb.ScoreTable, wb.read_score_table
{_RESET}
table = wb.read_score_table(sys.argv[1])
print((peak() - before) / table.scores.nbytes)
"""

_SAVED = """
import sys
import numpy as np
rng = np.random.default_rng(0)
member = rng.random((int(sys.argv[2]), int(sys.argv[3]))) < 0.5
scores = rng.standard_normal(member.shape, dtype=np.float32)
np.savez(sys.argv[1], scores=scores + member.astype(np.float32), member=member)
print(0)
"""

_LOADED = f"""{_PEAK}
import numpy as np
{_RESET}
with np.load(sys.argv[1]) as arrays:
    scores, member = arrays["scores"], arrays["member"]
print((peak() - before) / scores.nbytes)
"""


def _asked(code: str, tree: Path, models: int = MODELS, records: int = RECORDS) -> float:
    """The number that a program prints of a table of this size."""
    return printed_by(_TABLE + code, str(models), str(records), tree=tree)


def first(question: str, tree: Path = ROOT, models: int = MODELS, records: int = RECORDS) -> float:
    """CPU seconds of a question to a table that was not asked before.

    Parameters
    ----------
    question : str
        One of `QUESTIONS`.
    tree : Path
        The checkout.
    models, records : int
        The size of the table.
    """
    code = f"print(seconds(lambda: {QUESTIONS[question]}))"
    return _asked(code, tree, models, records)


def further(question: str, before: str, tree: Path = ROOT) -> float:
    """CPU seconds of a question after another one to the same table."""
    return _asked(f"{QUESTIONS[before]}\nprint(seconds(lambda: {QUESTIONS[question]}))", tree)


def ranking(tree: Path = ROOT) -> float:
    """CPU seconds of the ranking of the page Records."""
    return _asked(_RANKING + "print(seconds(lambda: rank(table, '', 1e-5, 0.95)))", tree)


def silence(tree: Path = ROOT) -> float:
    """Most CPU seconds between two reports of the ranking of the page Records."""
    return _asked(_RANKING + _SILENCE, tree)


def small_e_values(tree: Path = ROOT) -> float:
    """CPU seconds of the bound from e-values at 1000 × 500, where five records leak much."""
    code = f"scores += np.float32(4) * member\n{_REMADE}print(seconds(lambda: {{}}))"
    return _asked(code.format(QUESTIONS["e-values"]), tree, MODELS, 500)


_REMADE = "table = wb.ScoreTable(scores, member, sampling='independent runs', seed=0)\ntable.keys\n"


def memory(code: str, tree: Path = ROOT) -> float:
    """Memory to read a table, as a multiple of that of its scores."""
    with tempfile.TemporaryDirectory() as home:
        path = str(Path(home) / "table.npz")
        printed_by(_SAVED, path, str(MODELS), str(RECORDS))
        return printed_by(code, path, tree=tree)


def by_numpy(name: str, models: int = MODELS, records: int = RECORDS) -> float:
    """CPU seconds of a function of numpy over the models of all records."""
    code = f"scores = np.ascontiguousarray(scores.T)\nprint(seconds(lambda: np.{name}(scores)))"
    return _asked(code, ROOT, models, records)


def growth(
    question: str, tree: Path = ROOT
) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """CPU seconds of a question by models and by records, each a list of sizes and seconds.

    Parameters
    ----------
    question : str
        One of `QUESTIONS`.
    tree : Path
        The checkout.
    """
    by_models = [(n, first(question, tree, models=n, records=1000)) for n in BY_MODELS]
    by_records = [(n, first(question, tree, models=200, records=n)) for n in BY_RECORDS]
    return by_models, by_records


def _question(
    what: str, goal: str, measure: Callable[[Path], float], peer: str = "argsort"
) -> Wait:
    size = f"score table {MODELS} × {RECORDS:,}"
    return Wait(
        f"{size}: {what}", goal, measure, peer=f"np.{peer}", measure_peer=partial(by_numpy, peer)
    )


_EACH_AGAIN = partial(further, "each_record", "each_record")
_EXCEEDING = partial(further, "exceeding", "each_record")

WAITS: tuple[Wait, ...] = (
    _question("ranking of the page Records", "at most 6 CPU s, with progress", ranking),
    Wait(
        f"score table {MODELS} × {RECORDS:,}: between two reports of the ranking",
        "at most 1 CPU s",
        silence,
    ),
    _question("each_record", "at most 6 CPU s", partial(first, "each_record")),
    _question("each_record again", "at most 1 CPU s", _EACH_AGAIN),
    _question("exceeding, further", "at most 1 CPU s", _EXCEEDING),
    _question("worst_record, held out", "at most 1 CPU s", partial(first, "held-out")),
    _question("leaking", "at most 6 CPU s", partial(first, "leaking")),
    _question("leaking again", "at most 1 CPU s", partial(further, "leaking", "leaking")),
    _question("e-values", "at most 6 CPU s", partial(first, "e-values")),
    _question("e-values, further", "at most 1 CPU s", partial(further, "e-values", "leaking")),
    Wait(
        f"worst_record by e-values at {MODELS} × 500",
        "at most 0.5 CPU s",
        small_e_values,
        peer="np.sort",
        measure_peer=partial(by_numpy, "sort", MODELS, 500),
    ),
    Wait(
        f"read_score_table {MODELS} × {RECORDS:,}, memory",
        "at most 1.3 times the scores",
        partial(memory, _MEMORY),
        unit="times",
        peer="np.load",
        measure_peer=partial(memory, _LOADED),
    ),
)
