"""What each extra installs, and how long its import takes, beside that of numpy.

Sizes are those of the files of the installed distributions, without compiled Python, and with all
that a distribution needs; the extras have to be installed. Import times are the CPU seconds of new
interpreters, the median of several, without those of an interpreter that imports nothing.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

NAME, ROOT = "dp-audit-workbench", Path(__file__).parents[1]

#: Extra -> what a program imports that uses it; "" is the core.
IMPORTS = {
    "": "import workbench",
    "files": "import pyarrow.parquet",
    "mechanisms": "import sklearn.ensemble, bayes_opt, cloudpickle",
    "paper": "import matplotlib.figure",
    "reports": "import workbench as wb; wb.audit",
    "workspace": "import workbench as wb; wb.Archive; wb.audit",
    "panel": "import panel",
    "serve": "import workbench.server.app",
    "lab": "import workbench as wb; wb.explore",
    "all": "import workbench as wb; wb.explore; import workbench.server.app, panel, distributed",
}

#: Interpreters that are started for each of them.
TIMES = 3

#: Megabytes that the core was meant to have at most.
MOST = 150


def main() -> list[tuple[str, str, str]]:
    numpy, found = seconds("import numpy"), []
    for extra, program in IMPORTS.items():
        size = _own() + sum(map(megabytes, installed(NAME) | installed(NAME, extra)))
        took = seconds(program) / numpy
        what = f"[{extra}]" if extra else "the core"
        target = f"<= {MOST} MB, <= 1 x" if not extra else ""
        found.append((what, f"{size:.0f} MB, {program}: {took:.2f} x import numpy", target))
    large = {one: megabytes(one) for one in installed(NAME)} | {NAME: _own()}
    largest = sorted(large, key=large.__getitem__, reverse=True)[:4]
    parts = ", ".join(f"{one} {large[one]:.0f} MB" for one in largest)
    return [*found, ("of the core", parts, "")]


def seconds(program: str) -> float:
    """CPU seconds of the imports of a program."""
    return max(_median(program) - _median(""), 1e-4)


@cache
def _median(program: str) -> float:
    took = []
    for _ in range(TIMES + 1):  # the first compiles
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", program], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(took[1:])


def installed(name: str, extra: str = "") -> set[str]:
    """Names of a distribution and of all that it needs with one of its extras."""
    found: set[str] = set()
    waiting = [(name, extra)]
    seen = set()
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        name, extra = here
        found.add(name)
        for line in _requirements(name, extra):
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": extra}):
                waiting += [(need.name.lower(), one) for one in ("", *need.extras)]
    return found - {NAME}


def _requirements(name: str, extra: str) -> list[str]:
    if name != NAME:
        return distribution(name).requires or []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["optional-dependencies"][extra] if extra else project["dependencies"]


@cache
def megabytes(name: str) -> float:
    """Size of the files of a distribution, without compiled Python."""
    try:
        files = distribution(name).files or ()
    except PackageNotFoundError:  # for another system
        return 0.0
    sizes = (file.locate().stat().st_size for file in files if _counts(str(file)))
    return sum(sizes) / 1e6


def _own() -> float:
    """Size of this package, with its data."""
    files = [*(ROOT / "workbench").rglob("*"), *(ROOT / "data").rglob("*")]
    return sum(one.stat().st_size for one in files if one.is_file() and _counts(str(one))) / 1e6


def _counts(file: str) -> bool:
    return not file.endswith(".pyc") and not file.startswith("..")
