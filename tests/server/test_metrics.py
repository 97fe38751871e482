"""`/metrics`: what is counted, and who may read it."""

from __future__ import annotations

import asyncio
import logging
import random
import re

import pytest
from helpers.served import MINE, Served
from helpers.visits import wait
from prometheus_client.parser import text_string_to_metric_families

from benchmarks.visitors import Visitor
from workbench.dashboard.limits import LimitError
from workbench.server.operations import metrics
from workbench.server.people.person import Person, Role


@pytest.fixture(scope="module")
def served():
    made = Served()
    yield made
    made.close()


def numbers(served):
    """All samples, by name and labels."""
    status, headers, body = served.get("metrics")
    assert status == 200
    assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = {}
    for family in text_string_to_metric_families(body.decode()):
        assert family.documentation
        for sample in family.samples:
            found[sample.name, *sorted(sample.labels.values())] = sample.value
    return found


def test_requests_are_counted_by_kind_and_status_never_by_address(served):
    before = numbers(served)
    served.get("scores", MINE)
    served.get("report/scores.canary", MINE)
    served.get("canary-address?canary=1", MINE)
    after = numbers(served)

    def more(*key):
        return after.get(key, 0) - before.get(key, 0)

    assert more("workbench_requests_total", "200", "page") == 1
    assert more("workbench_requests_total", "404", "report") == 1
    assert more("workbench_request_seconds_count", "page") == 1
    assert not any("canary" in part for key in after for part in key)


def test_open_documents_people_and_gestures_are_counted(served):
    async def visit():
        visitor = Visitor(served.port, page="counts", address="counts")
        await visitor.open()
        try:
            during = await asyncio.to_thread(numbers, served)
            await visitor.move(0.5, random.Random(1))
            return during, await asyncio.to_thread(numbers, served)
        finally:
            visitor.close()

    before = numbers(served)
    during, moved = asyncio.run(visit())
    assert (during["workbench_open_documents",], during["workbench_people",]) == (1, 1)
    gestures = ("workbench_gestures_total", "counts")
    assert moved[gestures] > before.get(gestures, 0)
    for part in ("count", "sum"):
        key = (f"workbench_answer_seconds_{part}",)
        assert moved[key] > before[key]
    wait(lambda: numbers(served)["workbench_open_documents",] == 0)
    assert numbers(served)["workbench_people",] == 0


def test_process_phase_and_checks_are_there(served):
    wait(lambda: numbers(served).get(("workbench_check", "disk")) == 1)
    found = numbers(served)
    assert found["process_resident_memory_bytes",] > 2**20
    assert found["process_cpu_seconds_total",] > 0
    assert found["workbench_phase", "serving"] + found["workbench_phase", "starting"] == 1
    assert found["workbench_phase", "stopping"] == 0


def test_what_is_logged_is_counted(served):
    log = logging.getLogger("workbench.server.counted")
    before = numbers(served)
    log.warning("signed in", extra={"event": "sign_in_failed"})
    log.warning("too large", extra={"event": "limit_refused", "limit": "--max-upload"})
    log.error("it broke")
    metrics.uploaded(1000)
    metrics.job_ended("killed")
    after = numbers(served)

    def more(*key):
        return after[key] - before.get(key, 0)

    assert more("workbench_events_total", "sign_in_failed") == 1
    assert more("workbench_events_total", "limit_refused") == 1
    assert more("workbench_refusals_total", "--max-upload") == 1
    assert more("workbench_errors_total", "workbench.server.counted") == 1
    assert more("workbench_uploaded_bytes_total") == 1000
    assert (after["workbench_jobs", "running"], after["workbench_jobs", "waiting"]) == (0, 0)
    assert more("workbench_jobs_ended_total", "killed") == 1


def test_every_refusal_of_a_limit_is_counted(served):
    logging.getLogger("workbench").setLevel(logging.INFO)  # as the command line has it
    key = ("workbench_refusals_total", "--max-jobs")
    before = numbers(served).get(key, 0)
    assert LimitError("there are two jobs; one may run", "--max-jobs").option == "--max-jobs"
    assert numbers(served)[key] == before + 1


class Somebody:
    """An identity that takes everybody for one person."""

    def __init__(self, person):
        self.given = person

    def person(self, handler):
        return self.given

    arrive = person

    def present(self, person):
        return person

    def watch(self, handler, end):
        return lambda: None


@pytest.mark.parametrize(
    ("person", "status"),
    [
        (Person("a" * 43, "Ada", Role.ADMIN, signed_in=True), 200),
        (Person("a" * 43, "Ada", Role.ADMIN, signed_in=False), 404),
        (Person("e" * 43, "Eve", Role.EDITOR, signed_in=True), 404),
        (Person("v" * 43, "Vic", Role.VIEWER, signed_in=True), 404),
        (None, 404),
    ],
)
def test_behind_a_proxy_administrators_alone_may_read_them(person, status):
    made = Served(origins=["https://workbench.example.org"], identity=Somebody(person))
    try:
        found, _, body = made.get("metrics")
        assert found == status
        assert (b"workbench_requests_total" in body) == (status == 200)
    finally:
        made.close()


def test_every_line_is_of_the_text_format(served):
    served.get("scores", MINE)
    lines = served.get("metrics")[2].decode().splitlines()
    sample = re.compile(r'[a-z_]+(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? [0-9.e+-]+')
    for line in lines:
        assert line.startswith(("# HELP ", "# TYPE ")) or sample.fullmatch(line), line
