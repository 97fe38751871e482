"""Programs that tests start: none outlives the test that started it."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

#: Seconds to end when asked to.
PATIENCE = 10

#: Of Linux: the signal that a process gets when the one that started it is gone.
PR_SET_PDEATHSIG = 1


@contextmanager
def program(
    command: Sequence[str], sigint: signal.Handlers = signal.SIG_DFL, **options: Any
) -> Iterator[subprocess.Popen[Any]]:
    """A process that is ended, with those it started, however the test ends.

    ``subprocess.Popen`` waits for ever for a process that a failed test has left behind.

    Parameters
    ----------
    command : sequence of str
    sigint : signal.Handlers
        How it starts: a suite in the background of a script ignores SIGINT, and so would all that
        it starts.
    **options
        Of ``subprocess.Popen``.
    """
    libc = ctypes.CDLL(None)

    def begin() -> None:
        signal.signal(signal.SIGINT, sigint)
        if sys.platform == "linux":  # also when the suite itself is killed
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    process = subprocess.Popen(command, preexec_fn=begin, start_new_session=True, **options)
    try:
        yield process
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        with suppress(ProcessLookupError):  # the group of a session of its own has its number
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def alive(pid):
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return state not in b"ZX"
