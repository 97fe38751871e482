"""`Checks`: whether a server is well, found out in the background.

An answer of ``/health`` must come at once under full load, so it states what was found last: disk
and database are asked in a thread of its own, and the event loop is timed by itself.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import text

from workbench.storing.database import Database

logger = logging.getLogger(__name__)

#: Seconds between two rounds of checks, and after which a check counts as one without an answer.
EVERY = 5.0
LATE = 30.0

#: Seconds between two looks at the event loop, and how many of them count.
BEAT = 0.25
_BEATS = 40

#: Seconds that the event loop may be late, and bytes that must be free on the disk.
SLOW = 1.0
ROOM = 200 * 2**20


@dataclass(frozen=True)
class CheckResult:
    """What a check found.

    Parameters
    ----------
    problem : str
        "" if the check is passed.
    figures : mapping
        Measured values.
    """

    problem: str = ""
    figures: Mapping[str, float] | None = None

    @property
    def passed(self) -> bool:
        """Whether the check is passed."""
        return not self.problem


#: Finds something out; may wait.
Check = Callable[[], CheckResult]


class Checks:
    """Whether a server is well.

    Parameters
    ----------
    checks : mapping of str to Check
        What is found out in a thread.
    """

    def __init__(self, checks: Mapping[str, Check]):
        self._checks = dict(checks)
        self._found: dict[str, CheckResult] = {}
        self._begun: float | None = None  # of a round that has not ended
        self._late: deque[float] = deque(maxlen=_BEATS)
        self._next_round = 0.0

    def start(self, loop: Any) -> None:
        """Begin on an event loop, and go on for as long as it runs."""

        def beat(due: float) -> None:
            self._late.append(max(0.0, time.monotonic() - due))
            wait()

        def wait() -> None:
            self._begin_round()
            loop.call_later(BEAT, beat, time.monotonic() + BEAT)

        wait()

    def findings(self) -> dict[str, CheckResult]:
        """What every check found last; waits for nothing."""
        delay = max(self._late, default=0.0)
        slow = f"the event loop was {delay:.1f} s late" if delay > SLOW else ""
        found = {"event_loop": CheckResult(slow, {"delay_seconds": round(delay, 4)}), **self._found}
        if self._begun is not None and time.monotonic() - self._begun > LATE:
            missing = CheckResult(f"no answer for {LATE:.0f} s")
            found |= {name: missing for name in self._checks}
        return found

    def _begin_round(self) -> None:
        now = time.monotonic()
        if self._begun is None and now >= self._next_round:
            self._begun, self._next_round = now, now + EVERY
            # A thread of its own, which nobody waits for: a disk can hang for ever.
            threading.Thread(target=self._round, name="workbench-checks", daemon=True).start()

    def _round(self) -> None:
        try:
            for name, check in self._checks.items():
                self._found = {**self._found, name: self._finding(name, check)}
        finally:
            self._begun = None

    def _finding(self, name: str, check: Check) -> CheckResult:
        try:
            found = check()
        except Exception as error:  # whatever it is, the server is not well
            found = CheckResult(f"failed: {type(error).__name__}")
        before = self._found.get(name)
        if not found.passed and (before is None or before.passed):
            logger.error(
                "the check %s failed: %s", name, found.problem, extra={"event": "check_failed"}
            )
        return found


def disk_check(folder: Path | None) -> Check:
    """A check that a folder takes a file, and that there is room.

    Parameters
    ----------
    folder : Path, optional
        By default the one of temporary files.
    """
    place = Path(tempfile.gettempdir()) if folder is None else folder

    def check() -> CheckResult:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        free = shutil.disk_usage(place).free
        figures = {"free_bytes": float(free)}
        try:
            descriptor, name = tempfile.mkstemp(prefix="check-", dir=place)
            try:
                os.write(descriptor, b"written")
            finally:
                os.close(descriptor)
                os.unlink(name)
        except OSError as error:
            return CheckResult(f"cannot be written: {error.strerror}", figures)
        if free < ROOM:
            return CheckResult(f"only {free // 2**20} MB are free", figures)
        return CheckResult("", figures)

    return check


def database_check(database: Database) -> Check:
    """A check that a database answers, once it was made."""

    def check() -> CheckResult:
        if database.exists():
            with database.reading() as connection:
                connection.execute(text("SELECT 1"))
        return CheckResult()

    return check
