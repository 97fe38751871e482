"""How a server stops: in order, within its time, and at once when asked twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from helpers.programs import program
from helpers.servers import PATIENCE, ROOT, free_port
from helpers.visits import tabs

from benchmarks.visitors import Visitor
from workbench.dashboard.visitor.session import VisitorSession
from workbench.server.operations.access import AGAIN
from workbench.server.operations.state import ServerState
from workbench.server.operations.stopping import Stopping
from workbench.workspaces.workspace import Workspace

DEMO = str(ROOT / "tests" / "browser" / "demo_page.py")


class Demo:
    """A server of the demo page in a process of its own."""

    def __init__(self, process, port, log):
        self.process, self.port, self.log = process, port, log

    def answer(self, path):
        """Status, headers and body."""
        try:
            with urllib.request.urlopen(f"http://localhost:{self.port}/{path}", timeout=30) as said:
                return said.status, said.headers, said.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def ends(self):
        """The exit status."""
        return self.process.wait(PATIENCE)


@contextmanager
def demo(folder: Path, *more: str):
    port, log = free_port(), folder / "log"
    with (
        log.open("ab") as out,
        program(
            [sys.executable, DEMO, str(port), *more],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "WORKBENCH_HOME": str(folder / "home")},
            stdout=out,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        served = Demo(process, port, log)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                if served.answer("health")[0] == 200:
                    break
            except OSError:
                pass
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield served


class Guest(Visitor):
    """A visitor of the demo page who keeps what was sent."""

    async def sends(self, serial, **gesture):
        self._send({**gesture, "page": "page", "serial": serial})

    async def until(self, wanted):
        """The first message for which ``wanted(message)``."""
        while True:
            message = await asyncio.wait_for(self._message(), PATIENCE)
            if wanted(message):
                return message


def job(message):
    """How the job stands; None in a message that is not about it."""
    told = message.get("jobs", {}).get("job_repeat")
    return told and json.loads(told)["status"]


async def guest(port):
    visitor = Guest(port, page="page", address="")
    await visitor.open()
    return visitor


async def runs_a_job(visitor, samples):
    await visitor.sends(1, kind="set", name="samples", value=samples)
    await visitor.until(lambda said: said.get("handled") == 1)
    await visitor.sends(2, kind="job", job="repeat")
    await visitor.until(lambda said: job(said) == "running")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_without_work_stops_at_once_and_closes_its_documents(tmp_path, number):
    async def visits(served):
        visitor = await guest(served.port)
        served.process.send_signal(number)
        await visitor.until(lambda said: said.get("stopping"))
        with pytest.raises(EOFError):
            await visitor.until(lambda said: False)
        return visitor.socket.close_code

    with demo(tmp_path, "60") as served:
        assert asyncio.run(visits(served)) == 1012
        assert served.ends() == 0


def test_a_job_may_finish_while_nobody_new_comes_in(tmp_path):
    async def visits(served):
        visitor = await guest(served.port)
        await runs_a_job(visitor, 50)
        served.process.send_signal(signal.SIGTERM)
        await visitor.until(lambda said: said.get("stopping"))
        status, headers, body = await asyncio.to_thread(served.answer, "")
        assert (status, headers["Retry-After"]) == (503, AGAIN)
        assert b"data-token" not in body
        status, _, body = await asyncio.to_thread(served.answer, "health")
        assert (status, json.loads(body)["status"]) == (503, "stopping")
        await visitor.until(lambda said: job(said) == "done")

    with demo(tmp_path, "60") as served:
        asyncio.run(visits(served))
        assert served.ends() == 0


def test_a_job_that_takes_too_long_is_given_up(tmp_path):
    async def visits(served):
        visitor = await guest(served.port)
        await runs_a_job(visitor, 2000)
        served.process.send_signal(signal.SIGTERM)
        with pytest.raises(EOFError):
            await visitor.until(lambda said: job(said) == "done")

    with demo(tmp_path, "0.5") as served:
        asyncio.run(visits(served))
        assert served.ends() == 0


def test_a_second_signal_stops_at_once(tmp_path):
    async def visits(served):
        visitor = await guest(served.port)
        await runs_a_job(visitor, 2000)
        served.process.send_signal(signal.SIGTERM)
        await visitor.until(lambda said: said.get("stopping"))
        served.process.send_signal(signal.SIGTERM)

    with demo(tmp_path, "600") as served:
        asyncio.run(visits(served))
        assert served.ends() == 128 + signal.SIGTERM


def test_a_bench_settles_once_everything_is_done_that_was_asked_before():
    bench = VisitorSession(Workspace(), {}, lambda seconds, call: None)
    done = []
    bench.after(lambda: (time.sleep(0.2), done.append("asked")))
    assert bench.settle(PATIENCE)
    assert done == ["asked"]


def test_a_bench_that_is_at_work_for_longer_is_not_waited_for():
    bench, go_on = VisitorSession(Workspace(), {}, lambda seconds, call: None), Event()
    bench.after(lambda: go_on.wait(PATIENCE))
    assert not bench.settle(0.05)
    go_on.set()
    assert bench.settle(PATIENCE)


@pytest.mark.parametrize("end", [lambda: True, lambda: False, lambda: {}["lost"]])
def test_a_stop_says_whether_everything_was_kept(end, caplog):
    people = SimpleNamespace(jobs_running=lambda: 0, settle=lambda seconds: True)

    async def stops():
        over = asyncio.Event()
        loop = SimpleNamespace(asyncio_loop=asyncio.get_running_loop(), stop=over.set)
        stopping = Stopping(loop, ServerState(), people, end, lambda: None, PATIENCE)
        stopping.begin()
        await asyncio.wait_for(over.wait(), PATIENCE)
        return stopping.complete

    with caplog.at_level("INFO"):
        kept = asyncio.run(stops())
    assert kept == ("everything was kept" in caplog.text)
    assert kept != ("not everything could be written" in caplog.text)
    assert kept == (end.__code__.co_consts[-1] is True)


def test_a_job_that_starts_while_a_page_ends_does_not_keep_it_from_ending():
    page = tabs("coveragelab")["coveragelab"].make(Workspace())
    work = page.work
    name = next(iter(page.jobs()))
    cancelled = []

    class Run:
        def __init__(self, then=lambda: None):
            self.then = then

        def mute(self):
            self.then()

        def cancel(self):
            cancelled.append(self)

    first = Run(lambda: work._runs.update({f"another {name}": Run()}))
    work._runs[name] = first
    work.end()
    assert cancelled == [first]
