"""`ProcessRunner`: has work done in processes, within the limits of each person and of all."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from workbench._format import plain
from workbench.dashboard.limits import LimitError, ServerLimits
from workbench.pages.core.jobs import Job, JobEnded
from workbench.pages.core.page import Page
from workbench.progress import Cancelled, Report
from workbench.server.operations import metrics
from workbench.server.work.messages import receive, send
from workbench.server.work.places import Places, WorkItem
from workbench.server.work.template import TEMPLATE, Ending, Forked, ProcessLimits, Template
from workbench.server.work.worker import CANCEL

logger = logging.getLogger(__name__)

#: Seconds after which the process of cancelled work is ended.
HEEDED = 2.0

#: Seconds between two questions whether the work is still wanted.
PATIENCE = 0.1

_GB = 2.0**30


class ProcessRunner:
    """Has work done in processes of their own, which end at their limits and at its end.

    Work waits until there is a place for it. Where it is ended, only the person whose it is hears
    of it.

    Parameters
    ----------
    limits : ServerLimits
    what : str
        What is done, in words: "jobs".
    each, at_once : float, optional
        Of one person, and of all; by default as the limits say of jobs.
    template : Template, optional
        The process that others are forks of.
    """

    def __init__(
        self,
        limits: ServerLimits,
        what: str = "jobs",
        each: float | None = None,
        at_once: float | None = None,
        template: Template = TEMPLATE,
    ):
        self._limits, self._template = limits, template
        self._places = Places(
            limits.jobs_each if each is None else each,
            limits.jobs if at_once is None else at_once,
            what,
        )
        self._draining = False

    def of(self, person: str) -> PersonRunner:
        """The runner of a person's jobs.

        Parameters
        ----------
        person : str
            Key of the person.
        """
        return PersonRunner(self, person)

    def warm(self) -> None:
        """Have everything ready for the first work; takes seconds."""
        self._template.warm()

    def running(self) -> list[WorkItem]:
        """The work that is being done, oldest first: whose, what, since when."""
        return self._places.working

    def waiting(self) -> list[WorkItem]:
        """The work that waits for a place, oldest first."""
        return self._places.waiting

    def end(self, person: str) -> None:
        """End all work of a person.

        Parameters
        ----------
        person : str
            Key of the person.
        """
        self._places.end(person)

    def drain(self, seconds: float) -> int:
        """Take no more work, and end what is not done after so many seconds.

        Parameters
        ----------
        seconds : float

        Returns
        -------
        int
            How many were ended.
        """
        self._draining = True
        if self._places.empty(seconds):
            return 0
        cut = len(self._places.working) + len(self._places.waiting)
        self._places.end()
        self._places.empty(HEEDED + 1.0)
        return cut

    def run(
        self,
        person: str,
        title: str,
        function: Callable[..., Any],
        arguments: tuple[Any, ...] = (),
        report: Report = lambda *told, **named: None,
        known: Mapping[str, Any] | None = None,
    ) -> Any:
        """The result of ``function(*arguments, report)``, called in a process of its own.

        Parameters
        ----------
        person, title : str
            Key of the person whose work it is, and what it is in words.
        function : callable
            Of a module, with what it is called with.
        arguments : tuple
        report : Report, optional
            Takes the progress, also while the work waits for its place.
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
        with self._places.taken(person, title, report) as place:
            if place.unwanted:
                raise Cancelled
            request = (function, arguments, dict(known or {}))
            with self._forked(place) as forked:
                kind, *told = _Conversation(place, forked, report).answer(request)
        if kind == "done":
            return told[0]
        if kind == "cancelled":
            raise Cancelled
        if kind == "memory":
            raise self._ended(place, Ending(None, "memory"))
        if kind == "ended":
            raise self._ended(place, Ending(-told[0] if told[0] else None))
        error, trace = told
        error.add_note(f"In its process:\n{trace}")
        raise error

    @contextmanager
    def _forked(self, place: WorkItem) -> Iterator[Forked]:
        """Context with a process; what ended it is raised as an error in words."""
        limits = ProcessLimits(self._limits.job_memory, self._limits.job_seconds)
        try:
            forked = self._template.fork(limits)
        except OSError as error:
            raise JobEnded(f"No process could be started for this ({error}).") from error
        ending = None
        try:
            yield forked
        except (EOFError, OSError):
            ending = self._template.end(forked)
            raise self._ended(place, ending) from None
        finally:
            if ending is None:
                self._template.end(forked)

    def _ended(self, place: WorkItem, ending: Ending) -> JobEnded | LimitError:
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
            place.title,
            error,
            extra={
                "event": metrics.LIMIT_REFUSED if refused else "job_ended",
                "limit": error.option if isinstance(error, LimitError) else "",
                "person": place.person[:8],
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
        report: Report = lambda *told, **named: None,
    ) -> Any:
        """The result of ``function(*arguments, report)``; see `ProcessRunner.run`."""
        return function(*arguments, report)


@dataclass(frozen=True)
class PersonRunner:
    """The `workbench.pages.core.jobs.JobRunner` of one person.

    Parameters
    ----------
    runner : ProcessRunner
    person : str
        Key of the person.
    """

    runner: ProcessRunner
    person: str

    def run(self, page: Page, job: Job, report: Report) -> Any:
        """The result of a job; see `workbench.pages.core.jobs.JobRunner`."""
        sent, known = page.for_process(job.needs)
        with _counted():
            return self.runner.run(self.person, job.title, run_job, (sent, job.name), report, known)


def run_job(page: Page, name: str, report: Report) -> Any:
    """The result of a job of a page that came from another process.

    Parameters
    ----------
    page : Page
    name : str
        The job.
    report : Report
    """
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


class _Conversation:
    """What the server and a process say to each other about one piece of work."""

    def __init__(self, place: WorkItem, forked: Forked, report: Report):
        self._place, self._process, self._report = place, forked.connection, report
        self._give_up = float("inf")  # when the process has to have heeded that it is cancelled

    def answer(self, request: tuple[Any, ...]) -> tuple[Any, ...]:
        """What the process says at the end of its work."""
        send(self._process, request)
        while True:
            self._ask_whether_wanted()
            if not self._process.poll(PATIENCE):
                continue
            answer: tuple[Any, ...] = receive(self._process, request[-1])
            if answer[0] != "report":
                return answer
            self._pass_on(**answer[1])

    def _ask_whether_wanted(self) -> None:
        if time.monotonic() > self._give_up:
            raise Cancelled
        self._pass_on()

    def _pass_on(self, **told: Any) -> None:
        if self._give_up < float("inf"):
            return
        try:
            if self._place.unwanted:
                raise Cancelled
            self._report(**told)
        except Cancelled:
            self._give_up = time.monotonic() + HEEDED
            with suppress(OSError):  # it has ended by itself
                self._process.send_bytes(CANCEL)
