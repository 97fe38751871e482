"""Processes of Linux: what one may use, who belongs to it, and how all of them end.

A process that runs for somebody may start others, in sessions of their own, and may leave them
behind. `family` finds them all, and `end_family` ends them, also while they start more.
"""

from __future__ import annotations

import ctypes
import math
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import Any

#: Of prctl.
_PDEATHSIG, _SUBREAPER, _NO_NEW_PRIVS, _THP_DISABLE = 1, 36, 38, 41

#: Seconds for which `end_family` looks for processes that were started meanwhile; between looks.
_PATIENCE, _MOMENT = 5.0, 0.005


def on_linux() -> bool:
    """Whether this system has what this module is about."""
    return sys.platform == "linux"


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

    Parameters
    ----------
    wanted : bool
    """
    _prctl(_THP_DISABLE, not wanted)


def no_core_file() -> None:
    """Have the kernel write no memory of this process to disk when it crashes."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_data(more: float) -> None:
    """Let this process, and each that it starts, take so many more bytes of memory.

    Parameters
    ----------
    more : float
        Bytes; ``inf`` for no limit. An allocation beyond raises ``MemoryError``.
    """
    import resource

    if math.isfinite(more):
        most = data_size() + int(more)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def memory_of_machine() -> float:
    """Bytes of memory of the machine; ``inf`` where the system does not say."""
    if not on_linux():
        return math.inf
    return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")


def memory_in_use() -> int:
    """Bytes of memory in which this process is resident; 0 where the system does not say."""
    return _resident(os.getpid())


def data_size() -> int:
    """Bytes of private memory that this process has asked for."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData"))


def family(root: int) -> set[int]:
    """Ids of a process, its descendants, all of its session, and their descendants.

    Parameters
    ----------
    root : int
        A process that leads a session.
    """
    children, session = defaultdict(list), []
    for pid, parent, its_session in _table():
        children[parent].append(pid)
        if its_session == root:
            session.append(pid)
    found: set[int] = set()
    waiting = [root, *session]
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children[pid]
    return found


def children(parent: int) -> dict[int, int]:
    """Processes that one started or adopted, also those that have ended; id -> session."""
    return {pid: session for pid, its, session in _table(ended=True) if its == parent}


def memory_of(pids: Iterable[int], enough: float) -> int:
    """Bytes of memory of processes together, what they share counted once.

    Parameters
    ----------
    pids : iterable of int
    enough : float
        Below this many bytes an upper bound will do, which is found faster.
    """
    pids = list(pids)
    resident = sum(map(_resident, pids))
    return resident if resident < enough else sum(map(_proportional, pids))


def processor_seconds(root: int, without: int = 0) -> float:
    """Seconds of the processor that a `family` has used, with those of its ended processes.

    Parameters
    ----------
    root : int
        A process that leads a session.
    without : int
        One whose own seconds do not count.
    """
    ticks = 0
    for pid in family(root):
        with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
            own, ended = fields[11:13], fields[13:15]
            ticks += sum(map(int, ended if pid == without else own + ended))
    return ticks / os.sysconf("SC_CLK_TCK")


def tasks_of(pid: int) -> int:
    """Number of threads of a process."""
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 0


def end_family(root: int, spare: int = 0) -> None:
    """End a process and its `family`, also if they start others meanwhile.

    Parameters
    ----------
    root : int
        A process that leads a session, and was not waited for: its number is its own. It ends
        last, for it may adopt what the others leave behind.
    spare : int
        One of them that goes on.
    """
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        stopped = {spare}
        while found := family(root) - stopped:
            for pid in found:  # what is stopped starts nothing
                _signal(pid, signal.SIGSTOP)
            stopped |= found
        others = stopped - {root, spare}
        if not others:
            break
        for pid in others:
            _signal(pid, signal.SIGKILL)
        time.sleep(_MOMENT)  # one that was being started as its parent was stopped shows up
    if root != spare:
        _signal(root, signal.SIGKILL)


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _table(ended: bool = False) -> Iterable[tuple[int, int, int]]:
    """Id, parent and session of every process; if asked, also of those that have ended."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                # The name of a program may have spaces and brackets.
                state, parent, _, session, *_ = file.read().rpartition(b")")[2].split()
                if ended or state not in b"ZX":
                    yield int(name), int(parent), int(session)


def _resident(pid: int) -> int:
    with suppress(OSError, IndexError), open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _proportional(pid: int) -> int:
    with suppress(OSError), open(f"/proc/{pid}/smaps_rollup", "rb") as lines:
        for line in lines:
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    return _resident(pid)


def _prctl(option: int, value: int) -> None:
    if on_linux():
        _libc().prctl(option, value, 0, 0, 0)


@cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)
