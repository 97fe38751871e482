"""The process that all jobs are forks of: no request ends it, each is answered with a reason."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.programs import alive, program

from workbench.processes.calls import Ending
from workbench.processes.forkserver import ForkServer
from workbench.processes.limits import ProcessLimits, on_linux
from workbench.processes.messages import ready
from workbench.processes.values import receive_value, send_value

pytestmark = pytest.mark.skipif(not on_linux(), reason="processes are forked on Linux only")

#: Seconds that a busy machine may take.
PATIENCE = 60

NO_LIMITS = {"memory": float("inf"), "seconds": float("inf")}

#: A server whose next forks fail with the errors of a file, and that imports little.
SERVER = """
import os
from pathlib import Path
from workbench.processes import forking

faults, fork = Path({faults!r}), os.fork

def failing():
    errors = faults.read_text().split() if faults.exists() else []
    if errors:
        faults.write_text(" ".join(errors[1:]))
        if errors[0] == "MemoryError":
            raise MemoryError
        raise OSError(int(errors[0]), os.strerror(int(errors[0])))
    return fork()

os.fork = failing
forking.serve({control}, "time", "monotonic")
"""


def echo(report):
    """Answers that it is there for as long as it is asked to."""
    report(None, str(os.getpid()))
    while True:
        time.sleep(0.05)
        report(None, "here")


def leave(report):
    return os.getpid()


class Forking:
    """A real one, asked with any bytes."""

    def __init__(self, process, control):
        self.process, self._control = process, control

    def ask(self, request, *files):
        """What is answered to a request, or to bytes."""
        text = request if isinstance(request, bytes) else json.dumps(request).encode()
        socket.send_fds(self._control, [text], [one.fileno() for one in files])
        return json.loads(self._control.recv(4096))

    def fork(self, function):
        ours, theirs = socket.socketpair()
        with theirs:
            answer = self.ask({"do": "fork", **NO_LIMITS}, theirs)
        job = os.fdopen(ours.detach(), "r+b", buffering=0)
        send_value(job, (function, (), {}))
        return answer["pid"], job

    def sockets(self):
        """Those that it holds; what it opens to look at processes is closed in a moment."""
        folder, found = Path(f"/proc/{self.process.pid}/fd"), []
        for one in folder.iterdir():
            with suppress(OSError):
                found.append(os.readlink(one))
        return sorted(name for name in found if name.startswith("socket:"))

    def allow(self, files):
        """Let it open no file with such a number; None for any."""
        _, most = resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, (files or most, most))


@pytest.fixture
def faults(tmp_path):
    return tmp_path / "faults"


@pytest.fixture
def forking(faults):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(PATIENCE)
    code = SERVER.format(faults=str(faults), control=theirs.fileno())
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code]
    log = (faults.parent / "log").open("w")
    with (
        theirs,
        ours,
        log,
        program(command, pass_fds=[theirs.fileno()], env=path, stderr=log) as process,
    ):
        theirs.close()
        yield Forking(process, ours)


@pytest.fixture
def job(forking):
    """A job that must survive whatever a test does."""
    pid, connection = forking.fork(echo)
    assert receive_value(connection, {})[1]["message"] == str(pid)
    yield pid
    while ready(connection, 0):
        receive_value(connection, {})
    kind, told = receive_value(connection, {})  # what it says now
    assert (kind, told["message"]) == ("report", "here")
    assert forking.ask({"do": "end", "pid": pid}) == {"status": -9, "limit": ""}
    assert not alive(pid)
    connection.close()


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({"do": "end", "pid": 2**22 + 1}, "there is no process 4194305 to end"),
        ({"do": "end", "pid": 1}, "there is no process 1 to end"),
        ({"do": "end", "pid": -1}, "there is no process -1 to end"),
        ({"do": "end", "pid": None}, "there is no process None to end"),
        ({"do": "end", "pid": [1]}, "not understood (TypeError)"),
        ({"do": "end", "pid": {}}, "not understood (TypeError)"),
        ({"do": "end"}, "not understood (TypeError)"),
        ({"do": "fork"}, "not understood (TypeError)"),
        ({"do": "fork", "memory": 1, "seconds": 1}, "not understood (TypeError)"),  # no connection
        ({"do": "dance"}, "not understood (KeyError)"),
        ({"do": ["end"]}, "not understood (TypeError)"),
        ({}, "not understood (KeyError)"),
        ([], "not understood"),
        (None, "not understood"),
        (7, "not understood"),
        (b"{", "not understood (JSONDecodeError)"),
        (b"\xff\xfe\x00", "not understood"),
        # A RecursionError, or with Python 3.13, whose parser goes deeper, a JSONDecodeError.
        (b"[" * 4000, "not understood ("),
        (b"9" * 4096, "not understood"),
        (b'{"do": "nothing"}' + b" " * 4096, "longer than 4096 bytes"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_a_request_that_cannot_be_met_is_answered_in_words(forking, job, request_, says):
    assert says in forking.ask(request_)["problem"]
    assert forking.ask({"do": "nothing"}) == {}


@pytest.mark.parametrize(
    "limits",
    [{"memory": 0, "seconds": 1}, {"memory": 1, "seconds": float("nan")}, {"memory": "x"}],
)
def test_limits_that_are_none(forking, job, limits):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert "problem" in forking.ask({"do": "fork", **NO_LIMITS, **limits}, theirs)


def test_files_that_come_with_a_refused_request_are_closed(forking, job):
    before = forking.sockets()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for request in ({"do": "nothing"}, {"do": "end", "pid": 1}, {"do": "fork"}, b"{"):
            assert "problem" in forking.ask(request, theirs)
            assert "problem" in forking.ask(request, theirs, ours)
    assert forking.sockets() == before


def test_a_process_is_ended_once(forking, job):
    pid, connection = forking.fork(leave)
    assert receive_value(connection, {}) == ("done", pid)
    end = {"do": "end", "pid": pid}
    assert forking.ask(end)["status"] in (0, -9)
    assert forking.ask(end) == {"problem": f"there is no process {pid} to end"}
    connection.close()


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("11", "the system allows no more processes"),
        ("12", "no memory for one more process"),
        ("MemoryError", "no memory for one more process"),
        ("24", "Too many open files"),
    ],
)
def test_a_system_that_makes_no_process(forking, job, faults, fault, says):
    before = forking.sockets()
    faults.write_text(f"{fault} {fault}")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for _ in range(2):
            assert says in forking.ask({"do": "fork", **NO_LIMITS}, theirs)["problem"]
    pid, connection = forking.fork(leave)  # and then it does
    assert receive_value(connection, {}) == ("done", pid)
    assert forking.ask({"do": "end", "pid": pid})["status"] in (0, -9)
    connection.close()
    assert forking.sockets() == before


def test_no_file_can_be_opened(forking, job, faults):
    """Neither the connection of a new process nor what others use can be read; all go on."""
    forking.allow(3)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for _ in range(3):
            assert "problem" in forking.ask({"do": "fork", **NO_LIMITS}, theirs)
    assert "problem" in forking.ask({"do": "end", "pid": 1})
    time.sleep(1.0)  # several looks at the jobs
    assert forking.ask({"do": "nothing"}) == {}
    forking.allow(None)
    assert (faults.parent / "log").read_text().count("Traceback") <= 1


def test_a_process_that_could_not_be_ended_is_ended_later(forking, job):
    pid, connection = forking.fork(echo)
    forking.allow(3)
    assert forking.ask({"do": "end", "pid": pid}) == {"problem": "Too many open files"}
    assert alive(pid)
    forking.allow(None)
    deadline = time.monotonic() + PATIENCE
    while alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    connection.close()


@pytest.mark.parametrize("said", [b"", b"\x00", b"\x00\x00\x10", b"\x7f\xff\xff\xff", b"\xff" * 8])
def test_a_server_that_is_gone_in_the_middle_of_a_message(forking, job, said):
    """The process of that job ends, and nothing else."""
    ours, theirs = socket.socketpair()
    with theirs:
        pid = forking.ask({"do": "fork", **NO_LIMITS}, theirs)["pid"]
    with ours:
        ours.send(said)
    deadline = time.monotonic() + PATIENCE
    while "State:\tZ" not in Path(f"/proc/{pid}/status").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert forking.ask({"do": "end", "pid": pid}) == {"status": 1, "limit": ""}


def test_a_process_that_is_killed_is_told_as_such(forking, job):
    pid, connection = forking.fork(echo)
    os.kill(pid, signal.SIGKILL)
    assert forking.ask({"do": "end", "pid": pid}) == {"status": -9, "limit": ""}
    connection.close()


def test_the_end_of_the_server_ends_it_and_its_jobs(forking):
    pid, connection = forking.fork(echo)
    forking._control.close()
    assert forking.process.wait(PATIENCE) == 0
    assert not alive(pid)
    connection.close()


# -- as the server asks ----------------------------------------------------------------------------


@pytest.fixture
def fork_server(faults, monkeypatch):
    made, start = ForkServer(time.monotonic), subprocess.Popen

    def popen(command, **options):
        control = options["pass_fds"][0]
        code = SERVER.format(faults=str(faults), control=control)
        path = {**options.pop("env"), "PYTHONPATH": os.pathsep.join(sys.path)}
        return start([*command[:-1], code], env=path, **options)

    monkeypatch.setattr(subprocess, "Popen", popen)
    yield made
    made.close()


UNLIMITED = ProcessLimits(**NO_LIMITS)


def test_a_refused_request_costs_no_other_job(fork_server, faults):
    mine = fork_server.fork(UNLIMITED)
    faults.write_text("11 11")
    for _ in range(2):
        with pytest.raises(OSError, match="allows no more processes"):
            fork_server.fork(UNLIMITED)
    gone = fork_server.fork(UNLIMITED)
    assert fork_server.end(gone).status is not None
    assert fork_server.end(gone) == Ending(None)  # it knows of none
    assert alive(mine.pid)
    assert fork_server.end(mine).status is not None


def test_no_process_is_made_to_end_what_has_ended(fork_server):
    mine = fork_server.fork(UNLIMITED)
    os.kill(fork_server.pid, signal.SIGKILL)
    fork_server._process.wait()
    assert fork_server.end(mine) == Ending(None)
    assert not fork_server._is_alive()
    assert fork_server.fork(UNLIMITED).server == fork_server.pid


def test_a_process_that_cannot_be_started_leaves_no_file_open(monkeypatch):
    def refuse(*command, **options):
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="temporarily unavailable"):
        ForkServer(time.monotonic).fork(UNLIMITED)
    assert len(os.listdir("/proc/self/fd")) == before
