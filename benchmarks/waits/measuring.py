"""What a wait is, and CPU seconds of processes.

A wait is measured in processes of its own, so that another checkout can be measured in the same
way: each function takes the folder of the checkout.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: One thread for each library, as on the pages.
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}


@dataclass(frozen=True)
class Wait:
    """Something that people wait for.

    Attributes
    ----------
    work : str
        What is done, with its size: ``"csv of 10⁷ rows in memory"``.
    goal : str
        ``"at most 2.5 CPU s"``.
    measure : callable
        The figure of the checkout in a folder, in `unit`.
    unit : str
        Of the figure: ``"CPU s"``, ``"ms"``, ``"MB"``.
    peer : str
        What the figure is compared with: ``"pandas.read_csv"``. Empty for none.
    measure_peer : callable, optional
        The figure of the peer, in the same unit. ImportError if the peer is not installed.
    """

    work: str
    goal: str
    measure: Callable[[Path], float]
    unit: str = "CPU s"
    peer: str = ""
    measure_peer: Callable[[], float] | None = None


def environment(tree: Path = ROOT, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a process that imports the checkout in `tree`."""
    # As of installed programs, whose modules are compiled already.
    compiled = {
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "workbench-waits"),
    }
    return {**os.environ, **ONE_THREAD, **compiled, "PYTHONPATH": str(tree), **(more or {})}


def printed_by(code: str, *arguments: str, tree: Path = ROOT) -> float:
    """The number that a Python program prints last."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=tree,
        env=environment(tree),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the measured program ended with an error: {done.stderr[-2000:]}")
    return float(done.stdout.split()[-1])


def cpu_of(command: Sequence[str], *, tree: Path = ROOT, home: Path | None = None) -> float:
    """CPU seconds of a command of ``python``, with the processes that it starts.

    Parameters
    ----------
    command : sequence of str
        What follows ``python``: ``["-m", "workbench", "audit", "scores.csv"]``.
    tree : Path
        The checkout.
    home : Path, optional
        The folder in which the workbench keeps its data.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tree,
        env=environment(tree, {"WORKBENCH_HOME": str(home)} if home else None),
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{command} ended with an error: {done.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
