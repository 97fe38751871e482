"""The numbers of ``/metrics``, in the text format of Prometheus.

They count since the start of the process. No label holds anything that a person typed: labels are
names of handlers, limits, pages, loggers and events, of which there is a fixed number.

Two numbers come from what is logged, so that everybody who logs an event need not count it as well:
``workbench_events_total`` counts records with an ``event``, and ``workbench_errors_total`` those of
the level ERROR and above. A record with ``event="limit_refused"`` and a ``limit`` counts as a
refusal, too.
"""

from __future__ import annotations

import logging

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from workbench.server.operations.state import Phase, ServerState

REGISTRY = CollectorRegistry()

#: Media type of `text`.
CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4

#: The event of a record that says that something would exceed a limit, which is its ``limit``.
LIMIT_REFUSED = "limit_refused"

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0)

ProcessCollector(registry=REGISTRY)  # memory, CPU time, open files
PlatformCollector(registry=REGISTRY)

_REQUESTS = Counter(
    "workbench_requests", "Requests by handler and status.", ["route", "status"], registry=REGISTRY
)
_REQUEST_SECONDS = Histogram(
    "workbench_request_seconds",
    "Seconds from a request to its answer.",
    ["route"],
    buckets=_SECONDS,
    registry=REGISTRY,
)
_GESTURES = Counter("workbench_gestures", "Gestures by page.", ["page"], registry=REGISTRY)
_ANSWER_SECONDS = Histogram(
    "workbench_answer_seconds",
    "Seconds from a gesture to its complete answer.",
    buckets=_SECONDS,
    registry=REGISTRY,
)
_UPLOADED = Counter("workbench_uploaded_bytes", "Bytes of uploads.", registry=REGISTRY)
_JOBS = Gauge("workbench_jobs", "Jobs that run or wait.", ["state"], registry=REGISTRY)
_JOBS_ENDED = Counter(
    "workbench_jobs_ended", "Jobs that ended, by outcome.", ["outcome"], registry=REGISTRY
)
_REFUSALS = Counter(
    "workbench_refusals", "Refusals by the limit that was reached.", ["limit"], registry=REGISTRY
)
_EVENTS = Counter("workbench_events", "Events of the log.", ["event"], registry=REGISTRY)
_ERRORS = Counter("workbench_errors", "Errors in the log.", ["logger"], registry=REGISTRY)

_DOCUMENTS = Gauge("workbench_open_documents", "Documents open in browsers.", registry=REGISTRY)
_PEOPLE = Gauge("workbench_people", "Persons with an open document.", registry=REGISTRY)
_PHASE = Gauge("workbench_phase", "1 for the present phase.", ["phase"], registry=REGISTRY)
_UPTIME = Gauge("workbench_uptime_seconds", "Seconds since the start.", registry=REGISTRY)
_FOLLOWED = Gauge(
    "workbench_followed_rows", "Rows of the followed file that are used.", registry=REGISTRY
)
_LEFT_OUT = Gauge(
    "workbench_followed_rows_left_out", "Rows of the followed file left out.", registry=REGISTRY
)
_CHECKS = Gauge(
    "workbench_check", "1 where a check of /health is passed, else 0.", ["check"], registry=REGISTRY
)


def answered_request(route: str, status: int, seconds: float) -> None:
    """Count a request.

    Parameters
    ----------
    route : str
        Kind of request; not its address.
    status : int
    seconds : float
    """
    _REQUESTS.labels(route, str(status)).inc()
    _REQUEST_SECONDS.labels(route).observe(seconds)


def gesture(page: str) -> None:
    """Count something that a person did on a page; "" is what is not about one page."""
    _GESTURES.labels(page or "bench").inc()


def answered_gesture(seconds: float) -> None:
    """Count the answer to a gesture, after this time."""
    _ANSWER_SECONDS.observe(seconds)


def uploaded(size: int) -> None:
    """Count bytes of an upload."""
    _UPLOADED.inc(size)


def jobs(running: int, waiting: int) -> None:
    """Set how many jobs there are."""
    _JOBS.labels("running").set(running)
    _JOBS.labels("waiting").set(waiting)


def job_ended(outcome: str) -> None:
    """Count a job by its outcome: "done", "failed", "cancelled", "killed"."""
    _JOBS_ENDED.labels(outcome).inc()


def followed(rows: int, left_out: int) -> None:
    """Set how many rows of the followed file are used.

    Parameters
    ----------
    rows : int
    left_out : int
        Rows that are no scores.
    """
    _FOLLOWED.set(rows)
    _LEFT_OUT.set(left_out)


def happened(event: str) -> None:
    """Count an event of which not every one is logged; its records have ``counted=True``."""
    _EVENTS.labels(event).inc()


class CountingHandler(logging.Handler):
    """Log handler that counts events, refusals and errors."""

    def emit(self, record: logging.LogRecord) -> None:
        """Count a record."""
        event = getattr(record, "event", None)
        if event is not None and not getattr(record, "counted", False):
            _EVENTS.labels(str(event)).inc()
        if event == LIMIT_REFUSED:
            _REFUSALS.labels(str(getattr(record, "limit", ""))).inc()
        if record.levelno >= logging.ERROR:
            _ERRORS.labels(record.name).inc()

    @classmethod
    def install(cls) -> None:
        """Have all records counted, once."""
        root = logging.getLogger()
        if not any(isinstance(one, cls) for one in root.handlers):
            root.addHandler(cls())


def text(state: ServerState, checks: dict[str, bool]) -> bytes:
    """All numbers as Prometheus reads them.

    Parameters
    ----------
    state : ServerState
    checks : dict of str to bool
        Whether the checks of ``/health`` are passed.
    """
    _DOCUMENTS.set(len(state.documents))
    _PEOPLE.set(state.people)
    _UPTIME.set(state.uptime)
    for phase in Phase:
        _PHASE.labels(phase.value).set(phase is state.phase)
    for name, passed in checks.items():
        _CHECKS.labels(name).set(passed)
    return generate_latest(REGISTRY)
