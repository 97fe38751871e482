"""A server that notes how long its interpreter was held: python -m benchmarks._ticks NOTES serve …

A thread wakes up every `TICK` seconds. A wake-up that comes late was held up by another thread,
which kept the interpreter, or by other programs on the machine. The time that the thread waited for
a processor is subtracted. As what kept the interpreter used a processor, the hold is at most the
time on processors of the whole process.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TextIO

from workbench.cli import main

#: Seconds between two wake-ups, and from which delay on they are noted.
TICK, NOTED = 0.005, 0.02

#: Functions in which threads wait.
_IDLE = ("wait", "_worker", "select", "get", "_recv", "_wait_for_tstate_lock", "accept")


@dataclass(frozen=True)
class Hold:
    """A wake-up that came late: when, by how much, how long held, and what ran in other threads."""

    at: float
    delay: float
    held: float
    where: str


def holds(notes: Path, since: float = 0.0, until: float = float("inf")) -> list[Hold]:
    """What was noted between two moments of `time.monotonic`, the longest hold first."""
    found = []
    for line in notes.read_text().splitlines() if notes.exists() else ():
        at, delay, held, where = line.split("\t")
        if since <= float(at) <= until:
            found.append(Hold(float(at), float(delay), float(held), where))
    return sorted(found, key=lambda hold: -hold.held)


def _note(notes: TextIO) -> None:
    own = threading.get_ident()
    while True:
        began, used, queued = time.monotonic(), time.process_time(), _queued()
        time.sleep(TICK)
        delay = time.monotonic() - began - TICK
        if delay >= NOTED:
            held = min(delay - (_queued() - queued), time.process_time() - used)
            frames = sys._current_frames()
            found = [_place(frame) for ident, frame in frames.items() if ident != own]
            where = " | ".join(place for place in found if place)
            notes.write(f"{time.monotonic():.3f}\t{delay:.3f}\t{held:.3f}\t{where}\n")
            notes.flush()


def _queued() -> float:
    """Seconds that this thread has waited for a processor."""
    return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9


def _place(frame: FrameType) -> str:
    """The innermost functions of a thread; nothing if it waits."""
    frames = traceback.extract_stack(frame)[-6:]
    if frames[-1].name in _IDLE:
        return ""
    return " < ".join(f"{Path(f.filename).stem}.{f.name}:{f.lineno}" for f in reversed(frames))


if __name__ == "__main__":
    with Path(sys.argv.pop(1)).open("w") as notes:
        threading.Thread(target=_note, args=(notes,), daemon=True).start()
        sys.exit(main())
