"""Long work of a page: it runs in a thread of its own, tells its progress, and can be cancelled.

A page marks a method, and names the parameter that takes what it computes::

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

The method's ``self`` is a snapshot: the page as it stood when the job began. What it sets there is
lost; what it reports or returns reaches the page.
"""

from __future__ import annotations

import inspect
import logging
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from workbench.progress import Cancelled

if TYPE_CHECKING:
    from workbench.pages.core.page import Page

F = TypeVar("F", bound=Callable[..., Any])

logger = logging.getLogger(__name__)

#: Seconds between two updates of a page by its job.
EVERY = 0.2

#: What the button of a running job says.
CANCEL = "Cancel"

#: ``post(key, change)``: have ``change`` run soon where the page may be changed, in place of an
#: older one of the same key that still waits.
Post = Callable[[Hashable, Callable[[], None]], None]


@dataclass(frozen=True)
class Job:
    """Long work that a page offers.

    Attributes
    ----------
    name : str
        The page's method.
    title : str
        What the button says.
    needs : tuple of str
        The parameters and derived results that it rests on.
    into : str
        The parameter that takes its partial results and its result.
    help : str
        What it does.
    """

    name: str
    title: str
    needs: tuple[str, ...]
    into: str
    help: str = ""


@dataclass(frozen=True)
class JobState:
    """How a job stands.

    Attributes
    ----------
    status : {"idle", "running", "done", "cancelled", "failed"}
    fraction : float, optional
        The share that is done; None while nobody knows.
    message : str
        What it is at, or was at last.
    error : str
        Why it failed.
    seconds : float
        How long it has run, or ran.
    shown : {"nothing", "this run", "an earlier run"}
        Where the result that the page holds comes from.
    stale : bool
        Whether what that result rests on has changed since.
    """

    status: Literal["idle", "running", "done", "cancelled", "failed"] = "idle"
    fraction: float | None = None
    message: str = ""
    error: str = ""
    seconds: float = 0.0
    shown: Literal["nothing", "this run", "an earlier run"] = "nothing"
    stale: bool = False

    @property
    def running(self) -> bool:
        """Whether it is at work."""
        return self.status == "running"

    @property
    def words(self) -> str:
        """How it stands, in a sentence or two; empty before the first run."""
        took = f"{self.seconds:.1f} s" if self.seconds < 10 else f"{self.seconds:.0f} s"
        said = {
            "idle": "",
            "running": self.message or "Starting …",
            "done": f"Done in {took}.",
            "cancelled": f"Cancelled after {took}.",
            "failed": f"Failed after {took}: {self.error}",
        }[self.status]
        more = []
        if self.status in ("cancelled", "failed"):
            more += {
                "nothing": [],
                "this run": ["What is shown is partial."],
                "an earlier run": ["What is shown is of an earlier run."],
            }[self.shown]
        if self.stale and not (self.running and self.shown == "an earlier run"):
            more.append("The settings have changed since.")
        if more and not said.endswith((".", "…")):
            said += "."
        return " ".join([said, *more])


def job(title: str, needs: tuple[str, ...], into: str) -> Callable[[F], F]:
    """Mark a method as long work; see `Job` for the arguments.

    The method is called with a `workbench.progress.Report`. A `Control` of its name is its button.
    """

    def mark(method: F) -> F:
        help_text = inspect.getdoc(method) or ""
        method._job = Job(method.__name__, title, needs, into, help_text)  # type: ignore[attr-defined]
        return method

    return mark


class Run:
    """One run of a job, from the page's present state.

    Parameters
    ----------
    page : Page
    job : Job
    post : callable
        Where changes of the page are made; see `Post`.

    Attributes
    ----------
    inputs : tuple
        What it rests on, as that stood when it began.
    """

    def __init__(self, page: Page, job: Job, post: Post):
        self.job, self._page, self._post = job, page, post
        self.inputs = page.inputs_of(job)
        self._work = partial(getattr(page.snapshot(), job.name), self.report)
        self._began = time.monotonic()
        self._told = 0.0
        self._cancelled = threading.Event()
        self._fraction: float | None = None
        self._message = ""
        self._value: Any = None

    def __call__(self) -> None:
        """Do the work, and tell the page how it ended; errors are raised, too."""
        try:
            result = self._work()
        except (Cancelled, KeyboardInterrupt):
            self._tell("cancelled")
            raise
        except Exception as error:
            self._tell("failed", str(error) or type(error).__name__)
            raise
        self._value = self._value if result is None else result
        self._fraction = 1.0
        self._tell("done")

    def start(self) -> None:
        """Do the work in a thread."""
        threading.Thread(target=self._in_thread, name=f"job-{self.job.name}", daemon=True).start()

    def cancel(self) -> None:
        """Let the next report raise `Cancelled`."""
        self._cancelled.set()

    def mute(self) -> None:
        """Tell the page nothing any more."""
        self._post = lambda key, change: None

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
        if not asked_only and time.monotonic() - self._told > EVERY:
            self._tell("running")
            self._told = time.monotonic()

    def _in_thread(self) -> None:
        try:
            self()
        except Cancelled:
            pass
        except Exception:
            logger.exception("the job %s failed", self.job.name)

    def _tell(self, status: Any, error: str = "") -> None:
        state = JobState(
            status, self._fraction, self._message, error, time.monotonic() - self._began
        )
        self._post(("job", self.job.name), partial(self._page.hear, self, state, self._value))
