"""Holds a process that runs code of somebody else to limits of memory, processes and files.

The process forks once: the fork runs the code, and the first one guards it. The guard ends the
fork, with all that it started, where it exceeds a limit or when the program that wanted it is gone.
What the code prints reaches the program's standard error through the guard, the first of it.
It runs on Linux; elsewhere only the time is limited.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from workbench.processes import limits as of_process
from workbench.processes.family import children, end_family, family, let_go
from workbench.processes.limits import ProcessLimits

#: Seconds between two looks at what the code uses.
TICK = 0.2

#: Exit statuses of the guard, and the limits that they stand for.
EXCEEDED = {120: "seconds", 121: "memory", 122: "tasks", 123: "disk"}

#: Bytes that code may print, before the rest is left out; bytes that a pipe holds.
MOST_PRINTED, _PIPE = 10**6, 2**16

#: The status of a fork that was to run nothing.
_ORPHAN = 124


def run_guarded(limits: ProcessLimits, folder: str, run: Callable[[], None]) -> None:
    """Run code within limits, and end this process as the code ends its own.

    Parameters
    ----------
    limits : ProcessLimits
    folder : str
        Of the code; is removed at the end.
    run : callable
        Reads requests from standard input, and answers on standard output.
    """
    if not of_process.on_linux():
        run()
        return
    guard = os.getpid()
    of_process.adopt_orphans()
    of_process.hold_to()
    printed, prints = os.pipe()
    code = os.fork()
    if not code:
        try:
            os.close(printed)
            os.dup2(prints, 2)
            os.close(prints)
            _begin(limits, guard)
            run()
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201
            os._exit(1)
        os._exit(0)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)  # the program hears of the end of the code, not of the guard's
    os.close(prints)
    prints_on = _Printed(printed)
    status = _guarded(limits, folder, code, prints_on)
    end_family(guard, spare=guard)
    prints_on.pass_on()
    shutil.rmtree(folder, ignore_errors=True)
    if status < 0:
        with suppress(OSError):  # SIGKILL has no other handler
            signal.signal(-status, signal.SIG_DFL)
        os.kill(guard, -status)
    os._exit(abs(status))


def _begin(limits: ProcessLimits, guard: int) -> None:
    """In the fork: take on the limits that the kernel keeps."""
    of_process.end_with_parent()
    if os.getppid() != guard:  # it ended before that
        os._exit(_ORPHAN)
    of_process.no_new_privileges()
    of_process.hold_to(
        more_memory=limits.memory,
        file_size=limits.disk / 4,
        open_files=limits.open_files,
        for_good=True,
    )
    of_process.be_killed_first()


class _Printed:
    """What code prints, of which the first `MOST_PRINTED` bytes are passed on."""

    def __init__(self, pipe: int):
        self.pipe, self._left = pipe, MOST_PRINTED
        os.set_blocking(pipe, False)

    def pass_on(self) -> bool:
        """Pass on what the pipe holds; whether there may be more."""
        try:
            data = os.read(self.pipe, _PIPE)
        except BlockingIOError:
            return True
        if self._left and data:
            more = (
                b"" if len(data) < self._left else b"\n(the rest of what it prints is left out)\n"
            )
            shown = data[: self._left] + more
            self._left -= min(len(data), self._left)
            with suppress(OSError):  # the program has closed it
                os.write(2, shown)
        return bool(data)


def _guarded(limits: ProcessLimits, folder: str, code: int, printed: _Printed) -> int:
    """Status with which the code ended, or that says what it exceeded."""
    began = time.monotonic()
    statuses = {limit: status for status, limit in EXCEEDED.items()}
    waiting = select.poll()
    waiting.register(0, 0)  # it hangs up when the program ends
    waiting.register(printed.pipe, select.POLLIN)
    looked = -TICK
    while True:
        pid, status = os.waitpid(code, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        for file, _ in waiting.poll(1000 * TICK):
            if file == 0:
                return 0
            if not printed.pass_on():
                waiting.unregister(printed.pipe)
        if time.monotonic() - looked < TICK:
            continue
        looked = time.monotonic()
        for pid in children(os.getpid()):  # what the code left behind, and has ended
            if pid != code:
                let_go(pid)
        if exceeded := limits.exceeded(family(os.getpid()), began, folder):
            return statuses[exceeded]
