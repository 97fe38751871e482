"""`output_of`: what a program of somebody else prints, within a limit of time."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from workbench.processes.child import ChildError, stop


def output_of(command: Sequence[str], seconds: float) -> str:
    """What a program prints, on both its outputs.

    Raises
    ------
    ChildError
        It did not end in so many seconds by the clock, and was ended with all that it started.
    """
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            return process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            stop(process)
            raise ChildError(f"it took longer than {seconds:g} s", "late", waited=True) from None
