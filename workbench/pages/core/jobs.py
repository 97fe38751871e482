"""Long work of a page: it runs beside the page, reports progress, and can be cancelled.

A page marks a method, and names the parameter that takes the result::

    class Coins(Page):
        controls = (Section("Coins", (Control("n"), Control("toss"))),)

        n = param.Integer(1000, bounds=(1, 10_000), label="Tosses")
        heads = param.Parameter(precedence=-1)

        @job("Toss the coins", needs=("n",), into="heads")
        def toss(self, report):
            "Counts heads."
            heads = 0
            for k in range(self.n):
                heads += toss_one()
                report((k + 1) / self.n, f"{k + 1} tossed", partial=heads)
            return heads

        @number("Heads", needs=("heads",))
        def count(self): ...

The method's ``self`` is a snapshot of the page, taken when the job starts. Values set on it are
lost; values that it reports or returns reach the page.

A `JobRunner` has the work done: in a thread of this process, or, on a server, in a process of its
own. There the snapshot has its settings and what the ``needs`` of the job name, and no workspace.
"""

from __future__ import annotations

import inspect
import logging
import threading
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, Protocol, TypeVar

import param

from workbench.pages.core.part import Part
from workbench.pages.core.state import same
from workbench.progress import Cancelled, Report

F = TypeVar("F", bound=Callable[..., Any])

logger = logging.getLogger(__name__)

#: Seconds between two updates of a page by its job.
EVERY = 0.2

#: Seconds within which two clicks count as one.
DOUBLE_CLICK = 0.4

#: Label of the button of a running job.
CANCEL = "Cancel"

#: What the button of a job says about a result that comes with the package.
IN_ADVANCE = "This result was computed in advance, with the default settings of the page."

#: ``post(key, change)``: have ``change`` run soon in the thread that may change the page, in place
#: of an earlier one with the same key that has not run yet.
Post = Callable[[Hashable, Callable[[], None]], None]


@dataclass(frozen=True)
class Job:
    """Long work that a page offers.

    Attributes
    ----------
    name : str
        Name of the page's method.
    title : str
        Label of its button.
    needs : tuple of str
        The parameters and derived results that it depends on.
    into : str
        The parameter that takes its partial results and its result.
    help : str
        Help text: the docstring of the method.
    """

    name: str
    title: str
    needs: tuple[str, ...]
    into: str
    help: str = ""


@dataclass(frozen=True)
class JobState:
    """Progress or outcome of a job.

    Attributes
    ----------
    status : {"idle", "stored", "running", "done", "cancelled", "failed"}
        Where the job stands; "stored" if its result was computed before there was a page.
    fraction : float, optional
        The share that is done; None while it is unknown.
    message : str
        The last progress message.
    error : str
        Why it failed.
    seconds : float
        Seconds since it started, or that it took.
    shown : {"nothing", "this run", "an earlier run"}
        The run that produced the result on the page.
    stale : bool
        True if the inputs of that result have changed since.
    """

    status: Literal["idle", "stored", "running", "done", "cancelled", "failed"] = "idle"
    fraction: float | None = None
    message: str = ""
    error: str = ""
    seconds: float = 0.0
    shown: Literal["nothing", "this run", "an earlier run"] = "nothing"
    stale: bool = False

    @property
    def running(self) -> bool:
        """True while the job is at work."""
        return self.status == "running"

    @property
    def words(self) -> str:
        """The state in a sentence or two; empty before the first run."""
        took = f"{self.seconds:.1f} s" if self.seconds < 10 else f"{self.seconds:.0f} s"
        text = {
            "idle": "",
            "stored": IN_ADVANCE,
            "running": self.message or "Starting …",
            "done": f"Done in {took}.",
            "cancelled": f"Cancelled after {took}.",
            "failed": f"Failed after {took}: {self.error}",
        }[self.status]
        more = []
        if self.status in ("cancelled", "failed"):
            more += {
                "nothing": [],
                "this run": ["The result shown is partial."],
                "an earlier run": ["The result shown is from an earlier run."],
            }[self.shown]
        if self.stale and not (self.running and self.shown == "an earlier run"):
            more.append("The settings have changed since.")
        if more and not text.endswith((".", "…")):
            text += "."
        return " ".join([text, *more])


def job(title: str, needs: tuple[str, ...], into: str) -> Callable[[F], F]:
    """Decorator that marks a method as long work.

    The method takes a `workbench.progress.Report`. A `Control` with its name is its button. Its
    docstring is the help text that people read on the page.

    Parameters
    ----------
    title, needs, into
        See `Job`.
    """

    def mark(method: F) -> F:
        help_text = inspect.getdoc(method) or ""
        method._job = Job(method.__name__, title, needs, into, help_text)  # type: ignore[attr-defined]
        return method

    return mark


class JobEnded(RuntimeError):  # noqa: N818
    """Raised where the process of a job ended in the middle of its work; says so in a sentence."""

    @classmethod
    def by(cls, status: int | None) -> JobEnded:
        """The error of a process that ended by itself or was ended from outside.

        Parameters
        ----------
        status : int or None
            As of ``subprocess``: a negative number is that of a signal; None if it is not known.
        """
        if status is not None and status >= 0:
            return cls(f"The process of this job ended by itself (exit status {status}).")
        by = "" if status is None else f" (signal {-status})"
        return cls(
            f"The process of this job was ended from outside{by}, perhaps because the machine ran "
            "out of memory."
        )


class JobRunner(Protocol):
    """Has the jobs of pages done."""

    def run(self, page: Any, job: Job, report: Report) -> Any:
        """The result of a job; waits for it, in a thread of its own.

        Parameters
        ----------
        page : Page
            A snapshot.
        job : Job
        report : Report
            Takes the progress and may raise, as it does for the method itself.
        """


class InThread:
    """The `JobRunner` that does the work in the thread that asks for it."""

    def run(self, page: Any, job: Job, report: Report) -> Any:
        """See `JobRunner`."""
        return getattr(page, job.name)(report)


class Run:
    """One run of a job.

    Parameters
    ----------
    job : Job
        The job.
    work : callable
        ``work(report)`` does it and returns the result, or None if the last partial one is it.
    inputs : tuple
        The values that the work depends on.
    tell : callable
        ``tell(run, state, value)`` is called in the thread of the work with the `JobState`, and
        the result so far or None.
    """

    def __init__(
        self,
        job: Job,
        work: Callable[..., Any],
        inputs: tuple[Any, ...],
        tell: Callable[[Run, JobState, Any], None],
    ):
        self.job, self.inputs = job, inputs
        self._work, self._tell_page = work, tell
        self._began = time.monotonic()
        self._last = 0.0
        self._cancelled = threading.Event()
        self._fraction: float | None = None
        self._message = ""
        self._value: Any = None
        #: Whether its process ended in the middle of the work.
        self.ended = False

    def __call__(self) -> None:
        """Do the work, and tell how it ended; errors are raised as well."""
        try:
            result = self._work(self.report)
        except (Cancelled, KeyboardInterrupt):
            self._tell("cancelled")
            raise
        except Exception as error:
            self.ended = isinstance(error, JobEnded)
            self._tell("failed", str(error) or type(error).__name__)
            raise
        self._value = self._value if result is None else result
        self._fraction = 1.0
        self._tell("done")

    def __reduce__(self) -> tuple[Any, ...]:
        """In another process: which inputs a result is of."""
        return Run, (self.job, _nothing, self.inputs, _ignore)

    def start(self) -> None:
        """Do the work in a new thread."""
        threading.Thread(target=self._in_thread, name=f"job-{self.job.name}", daemon=True).start()

    def cancel(self) -> None:
        """Let the next report raise `Cancelled`."""
        self._cancelled.set()

    def mute(self) -> None:
        """Tell nothing from now on."""
        self._tell_page = _ignore

    def report(
        self, fraction: float | None = None, message: str | None = None, partial: Any = None
    ) -> None:
        """See `workbench.progress.Report`."""
        if self._cancelled.is_set():
            raise Cancelled
        self._fraction = self._fraction if fraction is None else min(max(fraction, 0.0), 1.0)
        self._message = self._message if message is None else message
        self._value = self._value if partial is None else partial
        asked_only = fraction is None and message is None and partial is None
        if not asked_only and time.monotonic() - self._last > EVERY:
            self._tell("running")
            self._last = time.monotonic()

    def _in_thread(self) -> None:
        try:
            self()
        except Cancelled:
            pass
        except Exception:
            logger.exception("the job %s failed", self.job.name)

    def _tell(self, status: Any, error: str = "") -> None:
        seconds = time.monotonic() - self._began
        state = JobState(status, self._fraction, self._message, error, seconds)
        self._tell_page(self, state, self._value)


@dataclass(frozen=True)
class Shown:
    """A result of a job as a page shows it: its value, the run it is of, and the state."""

    value: Any
    run: Run | None = None
    state: JobState = JobState()


def _remedy(run: Run, value: Any) -> list[str]:
    """What to do about a run whose process ended."""
    if not run.ended:
        return []
    partly = ["The result shown is partial."] if value is not None else []
    return [*partly, f"Press “{run.job.title}” to run it again."]


def _nothing(report: Report) -> None:
    """Do nothing."""


def _ignore(run: Run, state: JobState, value: Any) -> None:
    """Tell nobody."""


class Jobs(Part):
    """The jobs of a page: started, cancelled, and their results taken."""

    #: Has the jobs done.
    runner: JobRunner = InThread()

    stays: ClassVar[tuple[str, ...]] = ("runner",)
    stays_from_work: ClassVar[tuple[str, ...]] = ("_runs", "_results")

    job_states = param.Dict({}, precedence=-1, doc="The `JobState` of every job that was started.")

    def start(self, given: frozenset[str]) -> None:
        """Begin without a run."""
        self._runs: dict[str, Run] = {}
        self._results: dict[str, Run] = {}
        self._turned: dict[str, float] = {}

    def state(self, name: str) -> JobState:
        """The state of the job of this name."""
        state, job = self.job_states.get(name, JobState()), self.page.jobs()[name]
        run = self._results.get(job.into)
        if run is None or run.job != job or getattr(self.page, job.into) is None:
            return state
        stale = not same(run.inputs, self._inputs_of(job))
        shown = "this run" if run is self._runs.get(name) else "an earlier run"
        return replace(state, shown=shown, stale=stale)

    def begin(self, name: str, post: Post = lambda key, change: change()) -> None:
        """Start a job in a thread, unless it runs already.

        Parameters
        ----------
        name : str
            The job.
        post : callable
            Runs the changes of the page; see `Post`. By default in the thread of the job.
        """
        if not self.state(name).running:
            self._run(name, post).start()

    def press(self, name: str, post: Post) -> None:
        """Start a job, or cancel it while it runs, as its button does; see `begin`.

        A click just after the label of the button changed was meant for the label before, and is
        ignored.
        """
        if time.monotonic() - self._turned.get(name, -DOUBLE_CLICK) < DOUBLE_CLICK:
            return
        if self.state(name).running:
            self.cancel(name)
        else:
            self.begin(name, post)

    def run(self, name: str, after: Callable[[], None] = lambda: None) -> Any:
        """Result of a job that is run to its end in this thread.

        Parameters
        ----------
        name : str
            The job.
        after : callable, optional
            Called after each change of the page.

        Returns
        -------
        object
            The page's result, which is partial if the job was cancelled.

        Raises
        ------
        RuntimeError
            The job runs already.
        KeyboardInterrupt
            Ctrl-C; the page keeps the partial result.
        """
        job = self.page.jobs()[name]
        if self.state(name).running:
            raise RuntimeError(f"{job.title!r} is running already; cancel it first")

        def post(key: Any, change: Callable[[], None]) -> None:
            change()
            after()

        with suppress(Cancelled):
            self._run(name, post)()
        return getattr(self.page, job.into)

    def show_stored(self, name: str, value: Any) -> None:
        """Show a result that was computed in advance with the present settings.

        Parameters
        ----------
        name : str
            The job that it is a result of.
        value : object
            The result.
        """
        job = self.page.jobs()[name]
        self._results[job.into] = Run(job, lambda report: value, self._inputs_of(job), _ignore)
        setattr(self.page, job.into, value)
        self._mark(name, JobState("stored"))

    def shown(self, name: str) -> Shown:
        """The result of a job that the page shows."""
        job = self.page.jobs()[name]
        state = self.job_states.get(name, JobState())
        return Shown(getattr(self.page, job.into), self._results.get(job.into), state)

    def show(self, name: str, found: Shown) -> None:
        """Show a result again, or one that no job of the page has made.

        Parameters
        ----------
        name : str
            The job.
        found : Shown
            As of `shown`.
        """
        job = self.page.jobs()[name]
        self._results.pop(job.into, None)
        if found.run is not None:
            self._results[job.into] = found.run
        self._mark(name, found.state)
        self.page.param.update({job.into: found.value, "message": ""})

    def cancel(self, name: str) -> None:
        """Stop a job at its next report; the partial result stays."""
        if self.state(name).running:
            self._runs[name].cancel()
            self._mark(name, replace(self.job_states[name], message="Cancelling …"))

    def end(self) -> None:
        """Cancel all jobs, and ignore what they report from now on."""
        for name, run in list(self._runs.items()):  # another thread may be starting one
            run.mute()
            run.cancel()
            if self.state(name).running:
                self._mark(name, replace(self.job_states[name], status="cancelled"))

    def _hear(self, run: Run, state: JobState, value: Any) -> None:
        page, into = self.page, run.job.into
        with param.parameterized.batch_call_watchers(page):
            if value is not None and value is not getattr(page, into):
                self._results[into] = run
                setattr(page, into, value)
            if state.error:
                page.message = " ".join([f"{run.job.title}: {state.error}", *_remedy(run, value)])
            self._mark(run.job.name, state)

    def _run(self, name: str, post: Post) -> Run:
        def tell(run: Run, state: JobState, value: Any) -> None:
            post(("job", name), partial(self._hear, run, state, value))

        job = self.page.jobs()[name]
        work = partial(self.runner.run, self.page.snapshot(), job)
        run = self._runs[name] = Run(job, work, self._inputs_of(job), tell)
        self._mark(name, JobState("running"))
        return run

    def _mark(self, name: str, state: JobState) -> None:
        if state.running != self.state(name).running:
            self._turned[name] = time.monotonic()
        self.job_states = {**self.job_states, name: state}

    def _inputs_of(self, job: Job) -> tuple[Any, ...]:
        return self.page.values_of(tuple(sorted(self.page.parameters_of(job.needs))))
