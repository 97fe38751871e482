"""Measure the coverage of all methods and store it: `python data/make_coverage.py [PART ...]`.

There are three parts, which can be measured apart:

- ``scores``: every method that promises to keep its level meets every scenario, 1000 replicates
  each. Those that do not promise it, and the combination of several splits, which are slow and rest
  on the single split, meet a few scenarios that tell. Stored in ``coverage.json``.
- ``exact``: levels as sums over all likely data sets with few values, in ``coverage_exact.json``.
- ``cases``: score tables, canaries of one run and all else, 1000 replicates each, in
  ``coverage_cases.json``.

What is finished is kept in ``build/coverage`` and not measured again, unless the methods give other
values since or ``--fresh`` is given: an interrupted run goes on where it was. ``--stale`` lists the
methods that give other values than when they were measured. A changed case needs ``--fresh``, too.

The run fails when a method is caught with more false claims than it allows itself, when an exact
level is above 5%, or when a method that is known to fail is nowhere caught.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from coverage_programs import PROGRAMS

import workbench as wb
from workbench.coverage_lab.cases.case import count_false
from workbench.coverage_lab.cases.registry import CASES
from workbench.coverage_lab.exact.settings import Setting, settings
from workbench.coverage_lab.lab import SIGNIFICANCE, compare_methods
from workbench.coverage_lab.measured import (
    CASES_FILE,
    EXACT_FILE,
    FILE,
    measured,
    rounded,
    store,
)
from workbench.coverage_lab.methods import METHODS
from workbench.coverage_lab.probes import PROBES, probe
from workbench.coverage_lab.scenarios import SCENARIOS
from workbench.parallel import map_in_processes
from workbench.progress import silent

HERE = Path(__file__).parent
KEPT = HERE.parent / "build" / "coverage"

SIZES = {
    **dict.fromkeys(SCENARIOS, (300, 250)),
    "clustered-reduced": (4000, 3000),
    "strong-randomized-response": (1000, 1000),
}
#: Few scores, and far more of one group than of the other.
LOPSIDED = (
    ("no-leak", (20, 20)),
    ("gaussian-2", (20, 20)),
    *((scenario, (2000, 50)) for scenario in ("no-leak", "gaussian-2", "atom")),
)
#: Where methods that are not measured everywhere are.
TELLING = ("no-leak", "laplace", "clustered-rows")
#: Tuning does more harm with more scores: there are more thresholds to be lucky with.
TUNED = (("laplace", (1000, 1000)), ("no-leak", (3000, 3000)))
REPLICATES = 1000
DELTA = 1e-5
SEED = 2026

#: A nominal error probability of 5%, which exact levels may reach but for round-off.
ALLOWED = 0.05 + 1e-9


def scores(keep: Keep) -> list[str]:
    """All methods in all scenarios and sizes; what is wrong."""
    records: list[dict[str, Any]] = []
    for scenario, sizes, methods in plan():
        name = f"{scenario}-{sizes[0]}-{sizes[1]}-{zlib.crc32(repr(methods).encode())}"
        records += keep(name, partial(_measured, scenario, sizes, methods))
    probes = {name: probe(name) for name in METHODS}
    store(FILE, HERE, wb.__version__, probes=probes, records=records)
    caught = {r["method"] for r in records if r["p_value"] < SIGNIFICANCE}
    wrong = [r for r in records if r["claims"] and r["p_value"] < SIGNIFICANCE]
    found = [f"claims to hold and does not: {r['method']} on {r['scenario']}" for r in wrong]
    fails = (name for name, method in METHODS.items() if method.group == "fails")
    return found + [f"known to fail and nowhere caught: {m}" for m in fails if m not in caught]


def _measured(scenario: str, sizes: tuple[int, int], methods: list[str]) -> list[dict[str, Any]]:
    found = compare_methods(methods, scenario, n=sizes, reps=REPLICATES, delta=DELTA, seed=SEED)
    for result in found:
        print(
            f"    {result.method:<24}{result.rate:>8.2%}  median {result.quantity} "
            f"{float(result.quantile(0.5)):.4g} of {result.truth:.4g}  {result.verdict}",
            flush=True,
        )
    return [rounded(result.to_dict()) for result in found]


def plan() -> Iterator[tuple[str, tuple[int, int], list[str]]]:
    """Settings, sizes and the methods that meet them."""
    for scenario, sizes in SIZES.items():
        yield scenario, sizes, [m for m in METHODS if scenario in TELLING or everywhere(m)]
    for scenario, sizes in LOPSIDED:
        yield scenario, sizes, [m for m in METHODS if everywhere(m)]
    for scenario, sizes in TUNED:
        yield scenario, sizes, ["tuned-threshold", "tuned-katz-log"]


def everywhere(method: str) -> bool:
    """Whether a method meets every scenario."""
    return METHODS[method].group == "kept" and method != "held-out-splits"


def exact(keep: Keep) -> list[str]:
    """All exact levels; what is wrong."""
    every = list(settings())
    missing = [setting for setting in every if not keep.has(setting.key)]
    for index, row in map_in_processes(_level, missing, silent):
        keep(missing[index].key, lambda row=row: row)  # type: ignore[misc]
    rows = [keep(setting.key, partial(_level, setting)) for setting in every]
    store(EXACT_FILE, HERE, wb.__version__, rows=rows)
    return [f"a level above 5%: {row}" for row in rows if row["level"] - 3 * row["error"] > ALLOWED]


def _level(setting: Setting) -> dict[str, Any]:
    return rounded({**asdict(setting), **asdict(setting.level())})


def cases(keep: Keep) -> list[str]:
    """All cases; what is wrong."""
    rows: list[dict[str, Any]] = []
    for name, case in {**CASES, **PROGRAMS}.items():
        rows += keep(
            f"case-{zlib.crc32(name.encode())}",
            lambda case=case: [r.to_dict() for r in count_false(case, case.reps, SEED)],  # type: ignore[misc]
        )
    probes = {name: probe(name) for name in PROBES if name not in METHODS}
    store(CASES_FILE, HERE, wb.__version__, probes=probes, rows=rows)
    wrong = [r for r in rows if r["claims"] and r["p_value"] < SIGNIFICANCE / len(rows)]
    return [f"claims to hold and does not: {r['method']} in {r['case']}" for r in wrong]


PARTS: dict[str, Callable[[Keep], list[str]]] = {"exact": exact, "cases": cases, "scores": scores}


class Keep:
    """Results that were finished before, by name.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, name: str, compute: Callable[[], Any]) -> Any:
        """The kept result, or a new one, which is then kept."""
        if not self.has(name):
            began = time.monotonic()
            text = json.dumps(compute(), ensure_ascii=False)
            draft = self._path(name).with_suffix(".part")
            draft.write_text(text, encoding="utf-8")
            draft.rename(self._path(name))
            print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
        return json.loads(self._path(name).read_text(encoding="utf-8"))

    def has(self, name: str) -> bool:
        """Whether there is a result."""
        return self._path(name).exists()

    def _path(self, name: str) -> Path:
        return self.folder / f"{name.replace('/', '_')}.json"


def main(arguments: list[str] | None = None) -> int:
    """Measure, store, and say whether all is as claimed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--fresh", action="store_true", help="measure all of it again")
    parser.add_argument("--stale", action="store_true", help="list what has changed since")
    asked = parser.parse_args(arguments)
    if asked.stale:
        print(*measured().stale(PROBES), sep="\n")
        return 0
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if asked.fresh:
        shutil.rmtree(KEPT, ignore_errors=True)
    now = json.dumps([probe(name) for name in PROBES])
    folder = KEPT / hashlib.sha256(now.encode()).hexdigest()[:12]
    wrong: list[str] = []
    for part in asked.parts or PARTS:
        began = time.monotonic()
        wrong += PARTS[part](Keep(folder / part))
        print(f"{part}: {time.monotonic() - began:.0f} s", flush=True)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
