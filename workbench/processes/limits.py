"""`ProcessLimits`: what a process may use, and how the kernel holds it to that."""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from workbench.processes import family

#: Of prctl.
_PDEATHSIG, _SUBREAPER, _NO_NEW_PRIVS, _THP_DISABLE = 1, 36, 38, 41

#: Variables that have libraries compute with one thread.
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}


@dataclass(frozen=True)
class ProcessLimits:
    """What a process and those that it starts may use together; ``inf`` is no limit.

    Attributes
    ----------
    memory : float
        Bytes.
    seconds : float
        By the clock.
    tasks : float
        Processes and threads at once.
    disk : float
        Bytes in its folder; a single file may have a fourth of it.
    files : float
        Files in its folder.
    open_files : float
        Files and pipes that each process may have open.
    """

    memory: float = math.inf
    seconds: float = math.inf
    tasks: float = math.inf
    disk: float = math.inf
    files: float = math.inf
    open_files: float = math.inf

    def exceeded(self, members: Iterable[int], began: float, folder: str = "") -> str:
        """The first limit that processes exceed, by its name; "" for none.

        Parameters
        ----------
        members : iterable of int
            The processes.
        began : float
            When they did, as of ``time.monotonic``.
        folder : str
            Their folder, if they have one.
        """
        members = list(members)
        if time.monotonic() - began > self.seconds:
            return "seconds"
        if self.tasks < math.inf and sum(map(family.tasks_of, members)) > self.tasks:
            return "tasks"
        if family.memory_of(members, self.memory) > self.memory:
            return "memory"
        size, files = _folder_size(folder, self.files) if folder else (0, 0)
        return "disk" if size > self.disk or files > self.files else ""


def hold_to(
    *,
    memory: float = math.inf,
    more_memory: float = math.inf,
    processor: float = math.inf,
    file_size: float = math.inf,
    open_files: float = math.inf,
    for_good: bool = False,
) -> None:
    """Have the kernel hold this process, and each that it starts, to limits, where it can.

    Parameters
    ----------
    memory, more_memory : float
        Bytes in all, or beyond those that it has now. What goes beyond raises ``MemoryError``.
    processor : float
        Seconds of the processor, from now on. The kernel ends this process also when the program
        is gone and C code holds the interpreter, so that nobody notices the closed pipe.
    file_size : float
        Bytes of a file.
    open_files : float
    for_good : bool
        The process cannot raise them again.
    """
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no memory is written to disk in a crash
    used = resource.getrusage(resource.RUSAGE_SELF)
    if math.isfinite(more_memory) and on_linux():
        memory = family.data_size() + more_memory
    for which, value in (
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_CPU, used.ru_utime + used.ru_stime + processor),
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_NOFILE, open_files),
    ):
        if math.isfinite(value):
            _, most = resource.getrlimit(which)
            within = int(value) if most == resource.RLIM_INFINITY else min(int(value), most)
            resource.setrlimit(which, (within, within if for_good else most))


def be_killed_first() -> None:
    """Where memory runs out all the same, let this process die and not the program."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def on_linux() -> bool:
    """Whether this system has all that is needed to find processes and hold them to limits."""
    return sys.platform == "linux"


def memory_of_machine() -> float:
    """Bytes of memory of the machine; ``inf`` where the system does not say."""
    if not on_linux():
        return math.inf
    return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")


def end_with_parent() -> None:
    """Have the kernel end this process when the thread that started it is gone."""
    _prctl(_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of processes that descendants of this one leave behind."""
    _prctl(_SUBREAPER, 1)


def no_new_privileges() -> None:
    """Have no program that this process starts gain rights, such as those of ``sudo``."""
    _prctl(_NO_NEW_PRIVS, 1)


def huge_pages(wanted: bool) -> None:
    """Let the kernel back the memory of this process, and of those it starts, with huge pages.

    NumPy asks for them in large arrays. Where one is freed, the kernel later fills what is left of
    it with whole huge pages: the memory of a process grows while it does nothing.
    """
    _prctl(_THP_DISABLE, not wanted)


def _folder_size(folder: str, most: float) -> tuple[int, int]:
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


def _prctl(option: int, value: int) -> None:
    if on_linux():
        _libc().prctl(option, value, 0, 0, 0)


@cache
def _libc() -> Any:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)
