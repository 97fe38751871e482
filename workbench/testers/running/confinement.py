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
from dataclasses import dataclass
from pathlib import Path

from workbench import _process

#: Seconds between two looks at what the code uses.
TICK = 0.2

#: Exit statuses of the guard, and what they say.
MEMORY, TASKS, DISK = 121, 122, 123
WORDS = {
    MEMORY: "it needed more than {memory:.3g} GB of memory, and was ended",
    TASKS: "it ran more than {tasks} processes and threads at once, and was ended",
    DISK: "it wrote more than {disk:.3g} GB or {files:,} files, and was ended",
}

#: Bytes that code may print, before the rest is left out; bytes that a pipe holds.
MOST_PRINTED, _PIPE = 10**6, 2**16

#: The status of a fork that was to run nothing.
_ORPHAN = 124

_GB = 2.0**30


@dataclass(frozen=True)
class Confinement:
    """What code may use in its process and those that it starts, together.

    Attributes
    ----------
    memory : float
        Bytes.
    tasks : int
        Processes and threads at once.
    disk : float
        Bytes in its folder; a single file may have a fourth of it.
    files : int
        Files in its folder.
    open_files : int
        Files and pipes that a process may have open.
    """

    memory: float
    tasks: int
    disk: float = 2 * _GB
    files: int = 10_000
    open_files: int = 512

    @classmethod
    def of_this_machine(cls) -> Confinement:
        """Half of the memory, and enough threads for libraries that start one for each core."""
        cores = os.cpu_count() or 1
        return cls(memory=_process.memory_of_machine() / 2, tasks=max(512, 8 * cores))

    def words(self, status: int) -> str:
        """Which limit an exit status of the guard is about, in words; "" for none."""
        return WORDS.get(status, "").format(
            memory=self.memory / _GB, tasks=self.tasks, disk=self.disk / _GB, files=self.files
        )


def confine(limits: Confinement, folder: str, run: Callable[[], None]) -> None:
    """Run code within limits, and end this process as the code ends its own.

    Parameters
    ----------
    limits : Confinement
    folder : str
        Of the code; is removed at the end.
    run : callable
        Reads requests from standard input, and answers on standard output.
    """
    if not _process.on_linux():
        run()
        return
    guard = os.getpid()
    _process.adopt_orphans()
    _process.no_core_file()
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
    _process.end_family(guard, spare=guard)
    prints_on.pass_on()
    shutil.rmtree(folder, ignore_errors=True)
    if status < 0:
        with suppress(OSError):  # SIGKILL has no other handler
            signal.signal(-status, signal.SIG_DFL)
        os.kill(guard, -status)
    os._exit(abs(status))


def _begin(limits: Confinement, guard: int) -> None:
    """In the fork: take on the limits that the kernel keeps."""
    import resource

    _process.end_with_parent()
    if os.getppid() != guard:  # it ended before that
        os._exit(_ORPHAN)
    _process.no_new_privileges()
    _process.limit_data(limits.memory)
    one = int(limits.disk / 4)
    resource.setrlimit(resource.RLIMIT_FSIZE, (one, one))
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    fewer = limits.open_files if most == resource.RLIM_INFINITY else min(limits.open_files, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (fewer, fewer))
    with suppress(OSError):  # where memory runs out, let this process die first
        Path("/proc/self/oom_score_adj").write_text("1000")


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


def _guarded(limits: Confinement, folder: str, code: int, printed: _Printed) -> int:
    """Status with which the code ended, or that says what it exceeded."""
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
        _wait_for_orphans(code)
        if exceeded := _exceeded(limits, folder):
            return exceeded


def _exceeded(limits: Confinement, folder: str) -> int:
    """The status that says which limit is exceeded; 0 for none."""
    family = _process.family(os.getpid())
    if sum(map(_process.tasks_of, family)) > limits.tasks:
        return TASKS
    if _process.memory_of(family, limits.memory) > limits.memory:
        return MEMORY
    size, files = _folder_size(folder, limits.files)
    return DISK if size > limits.disk or files > limits.files else 0


def _wait_for_orphans(code: int) -> None:
    """Let go of processes that the code left behind and that have ended."""
    for pid in _process.children(os.getpid()):
        if pid != code:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def _folder_size(folder: str, most: int) -> tuple[int, int]:
    """Bytes on disk and number of files in a folder; counts a few more than ``most`` files."""
    size = files = 0
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            with suppress(OSError):
                size += os.lstat(os.path.join(place, name)).st_blocks * 512
        files += len(folders) + len(names)
        if files > most:
            break
    return size, files
