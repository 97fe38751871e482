"""Long work on all cores: the public names of `workbench.processes.pool`."""

from workbench.processes.pool import (
    NICE,
    ProcessesEnded,
    cores,
    fork_processes,
    interruptible,
    map_in_processes,
    new_processes,
    one_blas_thread,
    one_thread,
    shared_processes,
)
from workbench.progress import Cancelled, Report, silent

__all__ = [
    "NICE",
    "Cancelled",
    "ProcessesEnded",
    "Report",
    "cores",
    "fork_processes",
    "interruptible",
    "map_in_processes",
    "new_processes",
    "one_blas_thread",
    "one_thread",
    "shared_processes",
    "silent",
]
