"""`ProcessRunner`: has work done in processes, within the limits of each person and of all."""

from __future__ import annotations

import importlib
import logging
import math
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from workbench._format import plain
from workbench.dashboard.limits import LimitError, ServerLimits
from workbench.pages.core.jobs import Job, JobEnded
from workbench.pages.core.page import Page
from workbench.pages.registry import PAGES
from workbench.processes.calls import HEEDED, CallEnded, Ending, call
from workbench.processes.forkserver import ForkServer
from workbench.processes.limits import ProcessLimits
from workbench.progress import Cancelled, Report, silent
from workbench.server.operations import metrics
from workbench.server.work.job_slots import JobSlots, WorkItem

logger = logging.getLogger(__name__)

#: Modules that most work needs, besides the pages.
_MODULES = (
    "sklearn.ensemble",
    "sklearn.linear_model",
    "workbench.reports.write",
    "workbench.figures.paper.export",
    "workbench.assets.share",
    "workbench.server.work.files",
)

_GB = 2.0**30


def import_all() -> None:
    """Import what work needs, in the process that others are forks of."""
    for page in PAGES.values():
        page.kind  # noqa: B018  (imports its module)
    for name in _MODULES:
        with suppress(ImportError):  # an optional package
            importlib.import_module(name)
    for module in pkgutil.iter_modules(importlib.import_module("workbench.bounds").__path__):
        importlib.import_module(f"workbench.bounds.{module.name}")


#: The one of this program, whose servers have the same pages.
FORK_SERVER = ForkServer(import_all)


class ProcessRunner:
    """Has work done in processes of their own, which end at their limits and at its end.

    Work waits until there is a slot for it. Where it is ended, only the person who asked for it
    is told.

    Parameters
    ----------
    limits : ServerLimits
    what : str
        What is done, in words: "jobs".
    each, at_once : float, optional
        Of one person, and of all; by default as the limits say of jobs.
    """

    def __init__(
        self,
        limits: ServerLimits,
        what: str = "jobs",
        each: float | None = None,
        at_once: float | None = None,
    ):
        self._limits = limits
        self._slots = JobSlots(
            limits.jobs_each if each is None else each,
            limits.jobs if at_once is None else at_once,
            what,
        )
        self._draining = False

    def of(self, person: str) -> PersonRunner:
        """The runner of a person's jobs; ``person`` is the key of the person."""
        return PersonRunner(self, person)

    def warm(self) -> None:
        """Have everything ready for the first work; takes seconds."""
        FORK_SERVER.warm()

    def running(self) -> list[WorkItem]:
        """The work that is being done, oldest first."""
        return self._slots.working

    def waiting(self) -> list[WorkItem]:
        """The work that waits for a slot, oldest first."""
        return self._slots.waiting

    def end(self, person: str) -> None:
        """End all work of a person."""
        self._slots.end(person)

    def drain(self, seconds: float) -> int:
        """Take no more work, and end what is not done after so many seconds.

        Returns
        -------
        int
            How many were ended.
        """
        self._draining = True
        if self._slots.empty(seconds):
            return 0
        cut = len(self._slots.working) + len(self._slots.waiting)
        self._slots.end()
        self._slots.empty(HEEDED + 1.0)
        return cut

    def run(
        self,
        person: str,
        title: str,
        function: Callable[..., Any],
        arguments: tuple[Any, ...] = (),
        report: Report = silent,
        known: Mapping[str, Any] | None = None,
    ) -> Any:
        """The result of ``function(*arguments, report)``, called in a process of its own.

        Parameters
        ----------
        person, title : str
            Key of the person who asks for the work, and what it is in words.
        function : callable
            Of a module, with what it is called with.
        arguments : tuple
        report : Report, optional
            Takes the progress, also while the work waits for its slot.
        known : mapping of str to object, optional
            Parts of the arguments that are the same objects in what comes back.

        Raises
        ------
        JobEnded
            The process was ended from outside.
        LimitError
            It exceeded its memory or its time.
        workbench.progress.Cancelled
            From ``report``, or because the person left.
        """
        if self._draining:
            raise JobEnded("The server is being stopped and takes no more work.")
        with self._slots.slot(person, title, report) as item:

            def wanted(*told: Any, **named: Any) -> None:
                if item.unwanted:
                    raise Cancelled
                report(*told, **named)

            if item.unwanted:
                raise Cancelled
            try:
                fork = FORK_SERVER.fork(
                    ProcessLimits(self._limits.job_memory, self._limits.job_seconds)
                )
            except OSError as error:
                raise JobEnded(f"No process could be started for this ({error}).") from error
            ending = None
            try:
                return call(fork.pipe, function, arguments, wanted, known)
            except CallEnded as error:
                ending = FORK_SERVER.end(fork)
                raise self._ended(item, error.ending or ending) from None
            finally:
                if ending is None:
                    FORK_SERVER.end(fork)

    def _ended(self, item: WorkItem, ending: Ending) -> JobEnded | LimitError:
        """The error of work whose process was ended, which is logged."""
        limits = self._limits
        error: JobEnded | LimitError = JobEnded.by(ending.status)
        if ending.limit == "seconds":
            takes = f"it takes longer than {plain(limits.job_seconds)} seconds"
            error = LimitError(f"{takes}, the limit of this server", "--max-job-seconds")
        elif ending.limit and math.isinf(limits.job_memory):
            error = JobEnded("This job needs more memory than the machine has.")
        elif ending.limit:
            needs = f"it needs more than {limits.job_memory / _GB:.3g} GB of memory"
            error = LimitError(f"{needs}, the limit of this server", "--max-job-memory")
        refused = isinstance(error, LimitError)
        logger.warning(
            "the process of “%s” was ended: %s",
            item.title,
            error,
            extra={
                "event": metrics.LIMIT_REFUSED if refused else "job_ended",
                "limit": error.option if isinstance(error, LimitError) else "",
                "person": item.person[:8],
            },
        )
        return error


class InServer:
    """Does work in the thread that asks for it, on systems that cannot fork."""

    def run(
        self,
        person: str,
        title: str,
        function: Callable[..., Any],
        arguments: tuple[Any, ...] = (),
        report: Report = silent,
    ) -> Any:
        """The result of ``function(*arguments, report)``; see `ProcessRunner.run`."""
        return function(*arguments, report)


@dataclass(frozen=True)
class PersonRunner:
    """The `workbench.pages.core.jobs.JobRunner` of one person, by the person's key."""

    runner: ProcessRunner
    person: str

    def run(self, page: Page, job: Job, report: Report) -> Any:
        """The result of a job; see `workbench.pages.core.jobs.JobRunner`."""
        sent, known = page.for_process(job.needs)
        with _counted():
            return self.runner.run(self.person, job.title, run_job, (sent, job.name), report, known)


def run_job(page: Page, name: str, report: Report) -> Any:
    """The result of a job, by its name, of a page that came from another process."""
    return getattr(page, name)(report)


@contextmanager
def _counted() -> Iterator[None]:
    """Context of a job that is counted by how it ends."""
    outcome = "failed"
    try:
        yield
        outcome = "done"
    except Cancelled:
        outcome = "cancelled"
        raise
    except (JobEnded, LimitError):
        outcome = "killed"
        raise
    finally:
        metrics.job_ended(outcome)
