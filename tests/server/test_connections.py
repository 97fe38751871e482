"""Somebody who opens connections and leaves them: all others are answered, and nothing is kept."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import resource
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace

import pytest
from helpers.asking import ask
from helpers.programs import program
from helpers.served import Served
from helpers.servers import PATIENCE, ROOT, free_port
from helpers.visits import wait

from benchmarks.visitors import Visitor
from workbench.server.network import connections
from workbench.server.network.connections import ConnectionBounds, WatchedStream

HALF = b"GET /scores HTTP/1.1\r\nHost: localhost\r\nX-A: "

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture(scope="module")
def one_server():
    made = Served()
    wait(lambda: ask(made, "/health")[0] == 200)
    yield made
    made.close()


@pytest.fixture
def served(one_server):
    wait(lambda: not one_server.http._streams)
    one_server.http.bounds = ConnectionBounds(6, 3)
    return one_server


@pytest.fixture
def proxied():
    made = Served(proxies=["127.0.0.1", "::1"])
    made.http.bounds = ConnectionBounds(6, 3)
    yield made
    made.close()


@contextmanager
def half_sent(port, number, text=HALF):
    """Connections that have sent a part of a request."""
    with ExitStack() as stack:
        made = []
        for _ in range(number):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
            one.sendall(text)
            made.append(one)
        yield made


def is_closed(connection):
    connection.setblocking(False)
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


class Page(Visitor):
    """A page that says something, and hears the answer."""

    async def looks(self):
        sent = json.dumps({"kind": "look", "look": "scores", "page": "", "serial": 77})
        await self.socket.write_message(sent)
        while True:
            message = await asyncio.wait_for(self.socket.read_message(), PATIENCE)
            assert message is not None, "the socket was closed"
            if json.loads(message).get("handled") == 77:
                return


def still_open(made):
    return [k for k, one in enumerate(made) if not is_closed(one)]


# -- bounds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "most", "each"),
    [(256, 128, 64), (1024, 512, 256), (65_536, 8192, 4096), (3, 2, 1)],
)
def test_bounds_are_a_share_of_the_descriptors(number, most, each):
    assert ConnectionBounds.of(number) == ConnectionBounds(most, each)


def test_a_server_asks_for_as_many_descriptors_as_it_may_have():
    code = (
        "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (256, 1000));"
        "from workbench.server.network import connections as c; c.raise_descriptors();"
        "print(r.getrlimit(r.RLIMIT_NOFILE), c.descriptors())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "(1000, 1000) 1000\n", done.stderr


def test_of_one_sender_the_connection_that_waits_longest_gives_way(served):
    with half_sent(served.port, 5) as made:
        wait(lambda: still_open(made) == [2, 3, 4])
        assert ask(served, "/scores")[0] == 200  # in place of the next one
        wait(lambda: still_open(made) == [3, 4])


@pytest.mark.parametrize(
    "text",
    [b"", b"G", b"POST /words.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx"],
    ids=["nothing", "a letter", "half a body"],
)
def test_whatever_is_missing_of_a_request_gives_way(served, text):
    with half_sent(served.port, 9, text) as made:
        wait(lambda: len(still_open(made)) == 3)
        for _ in range(5):
            assert ask(served, "/health")[0] == 200


def test_a_connection_that_is_kept_for_a_next_request_gives_way(served):
    request = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ExitStack() as stack:
        made = []
        for _ in range(8):
            made += stack.enter_context(half_sent(served.port, 1, request))
            assert made[-1].recv(4096).startswith(b"HTTP/1.1 200")
        wait(lambda: still_open(made) == [5, 6, 7])


def test_the_people_behind_a_proxy_have_no_bound_of_their_own(proxied):
    with half_sent(proxied.port, 5) as made:
        assert ask(proxied, "/scores")[0] == 200
        assert still_open(made) == [0, 1, 2, 3, 4]
    with half_sent(proxied.port, 20) as made:  # but that of all
        wait(lambda: len(still_open(made)) == 6)
        assert ask(proxied, "/scores")[0] == 200


def test_the_sender_with_the_most_gives_way_to_another_one(served):
    server = served.http
    server.bounds = ConnectionBounds(6, 6)
    with half_sent(served.port, 4) as many, ExitStack() as stack:
        few = []
        for host in ("127.0.0.2", "127.0.0.2", "127.0.0.3", "127.0.0.4"):
            one = socket.create_connection(("127.0.0.1", served.port), PATIENCE, (host, 0))
            one.sendall(HALF)
            few.append(stack.enter_context(one))
        wait(lambda: still_open(many) == [2, 3])
        assert still_open(few) == [0, 1, 2, 3]


def test_open_pages_stay_and_health_is_answered_where_nothing_can_give_way(served):
    served.http.bounds = ConnectionBounds(4, 4)

    async def attempt():
        pages = [Page(served.port) for _ in range(4)]
        for page in pages:
            await page.open()
        while len(served.http._streams) > 4:  # of the requests for the documents
            await asyncio.sleep(0.05)
        loop = asyncio.get_running_loop()
        for path, status in (("/scores", 503), ("/health", 200), ("/words.json", 503)):
            found = await loop.run_in_executor(None, ask, served, path)
            assert found[0] == status, path
        with half_sent(served.port, 3 * connections.NARROW) as made:
            found = await loop.run_in_executor(None, ask, served, "/health")
            assert found[0] == 200
            assert len(still_open(made)) <= connections.NARROW
        for page in pages:
            await page.looks()
            page.socket.close()

    asyncio.run(attempt())
    wait(lambda: ask(served, "/scores")[0] == 200)


# -- time ------------------------------------------------------------------------------------------


def test_headers_that_trickle_have_little_time(served, monkeypatch):
    monkeypatch.setattr(connections, "HEADERS", 1.0)

    def trickle(connection):
        for _ in range(20 * PATIENCE):
            connection.sendall(b"x")
            time.sleep(0.05)

    with half_sent(served.port, 1) as (slow,), pytest.raises(ConnectionError):
        trickle(slow)


def test_a_connection_without_a_request_has_more_time(served, monkeypatch):
    monkeypatch.setattr(connections, "HEADERS", 0.0)
    with half_sent(served.port, 1, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n") as (one,):
        assert one.recv(100).startswith(b"HTTP/1.1 200")
        with half_sent(served.port, 1) as (late,):
            wait(lambda: is_closed(late))
        assert not is_closed(one)


def test_whoever_takes_nothing_of_an_answer_is_let_go(served, monkeypatch):
    monkeypatch.setattr(connections, "STUCK", 1.0)
    from workbench.server.handlers.static import PLOTLY_ADDRESS

    path = "/" + PLOTLY_ADDRESS.removeprefix("./")
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", served.port))
        for _ in range(8):  # more than the buffers of the system hold
            slow.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        wait(lambda: any(one.writing() for one in list(served.http._streams)))
        wait(lambda: not served.http._streams)


# -- descriptors -----------------------------------------------------------------------------------


def test_where_the_system_has_no_descriptor_one_that_is_held_back_answers(served):
    """One accept that fails, then a connection: the way of a process that is full."""
    made = []
    full = OSError(errno.EMFILE, "Too many open files")

    class Listening:
        def __init__(self, *answers):
            self.answers = list(answers)

        def accept(self):
            answer = self.answers.pop(0) if self.answers else BlockingIOError()
            if isinstance(answer, Exception):
                raise answer
            return answer

    def attempt():
        mine, theirs = socket.socketpair()
        spare = len(served.http._spare)
        served.http._accept(Listening(full, (theirs, "")), 0)
        made.append((spare, len(served.http._spare), [s.narrow for s in served.http._streams]))
        mine.close()

    served._loop.add_callback(attempt)
    wait(lambda: made)
    assert made == [(connections.SPARE, connections.SPARE - 1, [True])]
    wait(lambda: len(served.http._spare) == connections.SPARE)

    def refused():
        while served.http._spare:
            os.close(served.http._spare.pop())
        served.http._accept(Listening(full), 0)
        made.append(served.http._rests)

    served._loop.add_callback(refused)
    wait(lambda: len(made) == 2)
    assert made[1]
    wait(lambda: not served.http._rests)
    assert ask(served, "/health")[0] == 200


def test_a_stream_notes_when_something_was_taken():
    mine, theirs = socket.socketpair()

    async def attempt():
        stream = WatchedStream(mine, SimpleNamespace(closed=lambda stream: None), "")
        assert not stream.is_stuck(0.0)
        stream.write(b"x" * 2**22)
        await asyncio.sleep(0.1)
        assert stream.is_stuck(0.05)
        stream.close()

    asyncio.run(attempt())
    theirs.close()


def open_files(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def test_a_thousand_half_requests_leave_health_pages_and_sockets_as_they_are(tmp_path):
    port, path = free_port(), tmp_path / "log"
    command = [sys.executable, "-m", "workbench", "serve", "--no-open", "--port", str(port)]
    limited = ["-c", 'ulimit -n 256; exec "$@"', "limited", *command, "--log-format", "text"]
    home = {**os.environ, "WORKBENCH_HOME": str(tmp_path / "home")}
    # For the connections of this process.
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
    served = SimpleNamespace(port=port)

    async def attempt(process):
        loop = asyncio.get_running_loop()
        tabs = [Page(port) for _ in range(20)]
        for tab in tabs:
            await tab.open()
        rest = open_files(process)
        found = []
        with ExitStack() as stack:
            for number in range(1000):
                one = socket.create_connection(("127.0.0.1", port), PATIENCE)
                stack.enter_context(one).sendall(HALF)
                if number % 20 == 19:
                    asked = "/health" if number % 100 != 99 else "/scores"
                    found.append((await loop.run_in_executor(None, ask, served, asked))[0])
                    assert open_files(process) < 200
        assert found == [200] * 50
        while open_files(process) > rest + 5:
            await asyncio.sleep(0.1)
        for tab in tabs:
            await tab.looks()
            tab.socket.close()

    with (
        path.open("wb") as out,
        program(["bash", *limited], cwd=ROOT, env=home, stdout=out, stderr=out) as process,
    ):
        while True:
            assert process.poll() is None, path.read_text()
            try:
                if ask(served, "/health")[0] == 200:
                    break
            except OSError:
                time.sleep(0.1)
        asyncio.run(asyncio.wait_for(attempt(process), 3 * PATIENCE))
        process.terminate()
        assert process.wait(PATIENCE) == 0
    lines = [
        line for line in path.read_text().splitlines() if " WARNING " in line or "ERROR" in line
    ]
    assert len(lines) <= 2, lines
    assert all("connections were closed or refused" in line for line in lines)
