"""All waits measured, and compared with what was measured before.

What was measured stands in ``docs/waits.csv``, which the documentation shows.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import platform
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

import benchmarks.waits
from benchmarks.waits.measuring import ROOT, Wait, printed_by

RECORD = ROOT / "docs" / "waits.csv"

#: A ratio that grew by this factor is a regression.
REGRESSION = 1.3

#: What CPU seconds are compared with where no peer does the same work.
YARDSTICK = "import numpy, scipy.special"

_IMPORTS = f"""
import time
{YARDSTICK}
print(time.process_time())
"""

#: Units in which a figure grows with the load and the age of the machine.
_OF_CPU = {"CPU s": 1.0, "CPU ms": 1e3}


@dataclass(frozen=True)
class Measured:
    """A wait as it was measured: a line of the record.

    Attributes
    ----------
    ours, theirs : float
        Medians of some repetitions, in `unit`; `theirs` is nan if the peer is not installed.
    ratio : float
        Of both, which other work on the machine changes least. A figure that is no CPU time and
        has no peer is its own ratio.
    machine : str
        Processor, cores, load.
    """

    work: str
    unit: str
    goal: str
    ours: float
    peer: str
    theirs: float
    ratio: float
    date: str
    machine: str


def all_waits(words: str = "") -> Iterator[Wait]:
    """The waits of all modules, of those only whose work has these words."""
    for found in pkgutil.iter_modules(benchmarks.waits.__path__):
        module = importlib.import_module(f"benchmarks.waits.{found.name}")
        for wait in getattr(module, "WAITS", ()):
            if words in wait.work:
                yield wait


def measured(wait: Wait, *, repetitions: int = 3, tree: Path = ROOT) -> Measured:
    """A wait measured some times, in turns with its peer."""
    ours, theirs = [], []
    name, ask = wait.peer, wait.measure_peer
    if ask is None and wait.unit in _OF_CPU:
        name, ask = YARDSTICK, _yardstick(wait.unit)
    for _ in range(repetitions):
        ours.append(wait.measure(tree))
        theirs.append(_figure_of(ask))
    our, peer = statistics.median(ours), statistics.median(theirs)
    return Measured(
        wait.work,
        wait.unit,
        wait.goal,
        our,
        name,
        peer,
        our / peer if name else our,
        datetime.now(UTC).date().isoformat(),
        this_machine(),
    )


def _yardstick(unit: str) -> Callable[[], float]:
    return lambda: printed_by(_IMPORTS) * _OF_CPU[unit]


def _figure_of(ask: Callable[[], float] | None) -> float:
    try:
        return ask() if ask else float("nan")
    except ImportError:
        return float("nan")


def this_machine() -> str:
    """Processor, cores, load and Python of this machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    version = ".".join(platform.python_version_tuple()[:2])
    model = " ".join(
        re.sub(r"\(\w+\)|Processor|CPU", " ", (models or [platform.machine()])[0]).split()
    )
    load = round(os.getloadavg()[0])
    return f"{model}, {os.cpu_count()} cores, load {load}, Python {version}"


def read(path: Path = RECORD) -> list[Measured]:
    """What was measured before; nothing if the file is not there."""
    if not path.exists():
        return []
    missing = {"theirs": [""], "ratio": [""]}
    frame = pd.read_csv(path, keep_default_na=False, na_values=missing)
    return [Measured(**row) for row in frame.to_dict("records")]


def write(lines: Sequence[Measured], path: Path = RECORD) -> None:
    """Replace the lines of the same work, and add the others."""
    kept = {line.work: line for line in [*read(path), *lines]}
    columns = [field.name for field in fields(Measured)]
    frame = pd.DataFrame([asdict(line) for line in kept.values()], columns=columns)
    frame.to_csv(path, index=False, float_format="%.3g")


def regressions(now: Sequence[Measured], before: Sequence[Measured]) -> dict[str, str]:
    """What became slower: for each work whose ratio grew by more than 30%, since when.

    A work that is compared with another peer than before is left out.
    """
    former = {(line.work, line.peer): line for line in before}
    pairs = [(line, former.get((line.work, line.peer))) for line in now]
    return {
        line.work: f"slower: {old.ratio:.3g} on {old.date}"
        for line, old in pairs
        if old and line.ratio > REGRESSION * old.ratio
    }
