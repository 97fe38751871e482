"""Families of processes of Linux: who belongs to one, what it uses, and how all of it ends.

A process that runs for somebody may start others, in sessions of their own, and may leave them
behind. `family` finds them all, and `end_family` ends them, also while they start more.
"""

from __future__ import annotations

import os
import signal
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress

#: Seconds for which `end_family` looks for processes that were started meanwhile; between looks.
_PATIENCE, _MOMENT = 5.0, 0.005


def family(root: int) -> set[int]:
    """Ids of a process that leads a session, its descendants, all of its session, and theirs."""
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


def end_orphans(mine: Iterable[int]) -> None:
    """End what descendants of processes left behind to this one, unless it is in their session.

    Parameters
    ----------
    mine : iterable of int
        Processes that lead sessions and that somebody else waits for.
    """
    mine = set(mine)
    for pid, session in children(os.getpid()).items():
        if pid not in mine and session not in mine:
            end_family(pid)
            let_go(pid)


def let_go(pid: int) -> None:
    """Have the system forget a child of this process, if it has ended."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


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


def memory_in_use() -> int:
    """Bytes of memory in which this process is resident; 0 where the system does not say."""
    return _resident(os.getpid())


def data_size() -> int:
    """Bytes of private memory that this process has asked for."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData"))


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
        with suppress(OSError):
            fields = _stat(pid)
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


def _stat(pid: int | str) -> list[bytes]:
    """What the kernel says of a process, after its name, which may have spaces and brackets."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()


def _table(ended: bool = False) -> Iterator[tuple[int, int, int]]:
    """Id, parent and session of every process; if asked, also of those that have ended."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                state, parent, _, session, *_ = _stat(name)
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
