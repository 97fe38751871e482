"""Damaged score files: each must be read or refused with a message, in time and within memory.

python -m benchmarks.hostile_files [--mutants 10000] [--seed 0] [--suffix .feather]
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import workbench as wb
from benchmarks.mutants import mutants
from workbench.scores.parsing import reading_process
from workbench.scores.parsing.limits import LIMITS

READ, REFUSED = "read", "refused with a message"


@dataclass
class Found:
    """What became of some files."""

    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    slowest: str = ""

    @property
    def wrong(self) -> int:
        return sum(n for outcome, n in self.outcomes.items() if outcome not in (READ, REFUSED))


def main() -> list[tuple[str, str, str]]:
    """Rows: what, measured, target."""
    return rows(tried(500, 0, ""))


def rows(found: Found) -> list[tuple[str, str, str]]:
    total = sum(found.outcomes.values())
    return [
        ("damaged files", f"{total:,}", ""),
        *((outcome, f"{n:,}", "") for outcome, n in sorted(found.outcomes.items())),
        *((f"   {reason}", f"{n:,}", "") for reason, n in found.reasons.most_common()),
        ("anything else", f"{found.wrong}", "0"),
        (f"slowest by the clock ({found.slowest})", f"{found.seconds:.2f} s", ""),
        (
            "memory of a reading process",
            f"{memory() / 1e6:.0f} MB",
            f"≤ {LIMITS.memory / 1e6:g} MB",
        ),
    ]


def tried(count: int, seed: int, suffix: str) -> Found:
    found = Found()
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(reading_process.AT_A_TIME) as threads,
    ):
        files = (
            (Path(folder) / f"{i}-{name}", data)
            for i, (name, data) in enumerate(mutants(seed, count, suffix))
        )
        for path, outcome, reason, seconds in threads.map(one, files):
            found.outcomes[outcome] += 1
            if outcome == REFUSED:
                found.reasons[reason] += 1
            elif outcome != READ:
                print(f"{path.name}: {outcome}: {reason}", file=sys.stderr)
            if seconds > found.seconds:
                found.seconds, found.slowest = seconds, path.name
    return found


def one(file: tuple[Path, bytes]) -> tuple[Path, str, str, float]:
    path, data = file
    path.write_bytes(data)
    began = time.monotonic()
    outcome, reason = READ, ""
    try:
        wb.read_scores(path)
    except wb.ScoresError as error:
        outcome, reason = REFUSED, kind_of(str(error))
    except BaseException as error:
        outcome, reason = type(error).__name__, str(error)[:300]
    path.unlink()
    return path, outcome, reason, time.monotonic() - began


def kind_of(message: str) -> str:
    kinds = {
        "for ending its process": "ended its process",
        "for a wrong answer": "wrong in an answer",
        "for its time": "took longer",
        "for its memory": "of memory to read",
        "for what it would become": "would expand",
    }
    return next((kind for kind, sign in kinds.items() if sign in message), "for what it says")


def memory() -> int:
    """Most bytes that a reading process held."""
    for reader in reading_process._readers.idle:
        reader.close()
    return 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--suffix", default="", help="of the files that are damaged: .feather, …")
    given = parser.parse_args()
    seen = tried(given.mutants, given.seed, given.suffix)
    for row in rows(seen):
        print("  ".join(row))
    sys.exit(1 if seen.wrong else 0)
