"""`/health`: what it says to whom, while a server starts, serves, is unwell and stops."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request

import pytest
from helpers.served import Served
from helpers.visits import wait

import workbench as wb
from workbench.dashboard.worker import THREADS, WAITING
from workbench.server.operations import checks
from workbench.server.operations.checks import CheckResult, Checks, database_check, disk_check
from workbench.server.operations.state import Phase
from workbench.server.storing.database import ServerDatabase

TOKEN = "t" * 32

#: What strangers are told; the event loop of a busy machine may be late.
TOLD = ({"status": "ok"}, {"status": "degraded"})


@pytest.fixture(scope="module")
def served():
    made = Served(metrics_token=TOKEN)
    yield made
    made.close()


@pytest.fixture(scope="module")
def behind_a_proxy():
    made = Served(metrics_token=TOKEN, origins=["https://workbench.example.org"])
    yield made
    made.close()


def asked(served, path="health", **headers):
    """Status, headers and body of an answer."""
    request = urllib.request.Request(
        f"http://localhost:{served.port}/{path}",
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def health(served, **headers):
    status, _, body = asked(served, **headers)
    return status, json.loads(body)


def settings(served):
    return served.settings


def up(served):
    """Until it is ready, and everything was checked."""
    wait(lambda: health(served)[0] == 200)
    wait(lambda: "disk" in settings(served)["checks"].findings())


def test_a_program_on_this_machine_is_told_everything(served):
    up(served)
    status, said = health(served)
    assert (status, said["version"]) == (200, wb.__version__)
    assert {"status": said["status"]} in TOLD
    assert said["uptime_seconds"] >= 0
    wait(lambda: health(served)[1]["uptime_seconds"] > said["uptime_seconds"])
    assert set(said["checks"]) == {"event_loop", "disk"}
    assert said["checks"]["disk"]["free_bytes"] > 0
    assert said["checks"]["event_loop"]["delay_seconds"] >= 0


@pytest.mark.parametrize(
    "headers",
    [
        {"X_Forwarded_For": "203.0.113.7"},
        {"Forwarded": "for=203.0.113.7"},
        {"Via": "1.1 proxy"},
        {"Authorization": "Bearer " + "x" * 32, "Via": "1.1 proxy"},
        {"Authorization": "Basic " + TOKEN, "Via": "1.1 proxy"},
        {"Authorization": "Bearer", "Via": "1.1 proxy"},
    ],
)
def test_a_stranger_is_told_the_status_alone(served, headers):
    up(served)
    status, said = health(served, **headers)
    assert status == 200
    assert said in TOLD
    status, _, body = asked(served, "metrics", **headers)
    assert status == 404
    assert b"workbench_" not in body


@pytest.mark.parametrize(
    "host", ["workbench.example.org", "localhost.example.org:80", "127.0.0.1.x"]
)
def test_under_another_name_nobody_is_told_anything(served, host):
    up(served)
    for path in ("health", "metrics"):
        status, _, body = asked(served, path, Host=host)
        assert status == 403
        assert b"checks" not in body
        assert b"workbench_" not in body


def test_behind_a_proxy_nobody_is_from_here_without_the_token(behind_a_proxy):
    up(behind_a_proxy)
    status, said = health(behind_a_proxy)
    assert status == 200
    assert said in TOLD
    assert asked(behind_a_proxy, "metrics")[0] == 404
    status, said = health(behind_a_proxy, Authorization=f"Bearer {TOKEN}")
    assert status == 200
    assert set(said["checks"]) == {"event_loop", "disk"}


def test_an_empty_token_is_no_token():
    made = Served(origins=["https://workbench.example.org"])
    try:
        for given in ("Bearer ", "Bearer", "bearer  "):
            assert asked(made, "metrics", Authorization=given)[0] == 404
    finally:
        made.close()


@pytest.mark.parametrize(("phase", "word"), [("STARTING", "starting"), ("STOPPING", "stopping")])
def test_a_server_that_starts_or_stops_answers_503(served, phase, word):
    up(served)
    state = settings(served)["state"]
    state.phase = Phase[phase]
    try:
        status, headers, body = asked(served, Via="1.1 proxy")
        assert (status, json.loads(body)) == (503, {"status": word})
        assert headers["Retry-After"]
    finally:
        state.phase = Phase.SERVING


def test_a_failed_check_is_a_degraded_server_that_answers(served, monkeypatch):
    up(served)
    failed = {"disk": CheckResult("cannot be written: no space"), "event_loop": CheckResult()}
    monkeypatch.setattr(settings(served)["checks"], "findings", lambda: failed)
    status, said = health(served)
    assert (status, said["status"]) == (200, "degraded")
    assert said["checks"]["disk"] == {"ok": False, "problem": "cannot be written: no space"}
    assert health(served, Via="1.1 proxy") == (200, {"status": "degraded"})


def test_an_answer_waits_for_no_worker_thread_and_asks_nobody_who_it_is(served, monkeypatch):
    up(served)
    identity = settings(served)["options"].identity
    monkeypatch.setattr(identity, "person", lambda handler: pytest.fail("it asked who it is"))
    go_on = threading.Event()
    held = [pool.submit(go_on.wait, 60) for pool in (THREADS, WAITING) for _ in range(40)]
    try:
        assert health(served)[0] == 200
    finally:
        go_on.set()
        for one in held:
            one.result()


class Loop:
    """An event loop whose time the test makes."""

    def __init__(self):
        self.calls = []

    def call_later(self, seconds, call, *arguments):
        self.calls.append((call, arguments))

    def go(self):
        call, arguments = self.calls.pop()
        call(*arguments)


def test_an_event_loop_that_is_late_is_a_problem(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(checks.time, "monotonic", lambda: now[0])
    found, loop = Checks({}), Loop()
    found.start(loop)
    now[0] += checks.BEAT
    loop.go()
    assert found.findings()["event_loop"] == CheckResult("", {"delay_seconds": 0.0})
    now[0] += checks.BEAT + 2
    loop.go()
    assert found.findings()["event_loop"].problem == "the event loop was 2.0 s late"
    for _ in range(60):
        now[0] += checks.BEAT
        loop.go()
    assert found.findings()["event_loop"].passed


def test_a_check_that_hangs_or_raises_is_a_problem_and_the_answer_comes(monkeypatch, caplog):
    monkeypatch.setattr(checks, "LATE", 0.05)
    go_on = threading.Event()

    def hangs():
        go_on.wait(60)
        return CheckResult()

    def fails():
        raise OSError("a secret place")

    found = Checks({"failing": fails, "hanging": hangs})
    found.start(Loop())
    wait(lambda: found.findings().get("hanging", CheckResult()).problem == "no answer for 0 s")
    go_on.set()
    wait(lambda: found.findings()["hanging"].passed)
    assert found.findings()["failing"].problem == "failed: OSError"
    assert [record.event for record in caplog.records] == ["check_failed"]
    assert "secret" not in caplog.text


def no_space(*arguments, **more):
    raise OSError(28, "No space left on device")


def test_a_disk_that_takes_nothing_or_is_full_is_a_problem(tmp_path, monkeypatch):
    assert disk_check(tmp_path / "new")().passed
    assert list((tmp_path / "new").iterdir()) == []
    monkeypatch.setattr(checks, "ROOM", 2**80)
    assert "MB are free" in disk_check(tmp_path)().problem
    monkeypatch.setattr(checks.tempfile, "mkstemp", no_space)
    assert disk_check(tmp_path)().problem == "cannot be written: No space left on device"


def test_a_database_is_asked_once_it_is_there(tmp_path):
    database = ServerDatabase(tmp_path)
    check = database_check(database)
    assert check().passed
    assert not (tmp_path / "server.sqlite").exists()
    with database.writing():
        pass
    database.close()
    assert check().passed
    database.close()
    (tmp_path / "server.sqlite").write_bytes(b"damaged" * 100)
    found = Checks({"accounts": check})
    found.start(Loop())
    wait(lambda: found.findings().get("accounts", CheckResult()).problem == "failed: ArchiveError")
