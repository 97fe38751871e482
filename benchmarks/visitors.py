"""Visitors of one server who all move a slider: time to the answer, CPU a move, memory afterwards.

python -m benchmarks visitors, or python -m benchmarks.visitors [VISITORS ...] for other numbers.

Each visitor opens the page as a browser does (document, then socket), then moves the threshold
twice a second. As on the page, one move is under way at a time, and of those that a person makes
meanwhile the latest follows; a move counts from when it was made to the answer that covers it.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

ROOT = Path(__file__).parents[1]

SECONDS = 60.0
PER_SECOND = 2.0
LINGER = 40.0  # the server looks for ended sessions every 17 s, and frees memory some seconds later
PATIENCE = 60.0


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("localhost", 0))
        return int(held.getsockname()[1])


class Server:
    """`workbench serve` in a process of its own, with a folder of its own.

    Parameters
    ----------
    *module : str
        What runs the command line: a module, and arguments in front of its own.
    options : sequence of str
        Further options of the command.
    tree : Path
        The checkout that serves.
    """

    def __init__(self, *module: str, options: Sequence[str] = (), tree: Path = ROOT) -> None:
        self.port = free_port()
        self.home = tempfile.TemporaryDirectory(prefix="workbench-bench-")
        serve = ("serve", "--no-open", "--port", str(self.port), *options)
        self.log = (Path(self.home.name) / "log").open("wb")
        self.process = subprocess.Popen(
            [sys.executable, "-m", *(module or ("workbench",)), *serve],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree), "WORKBENCH_HOME": self.home.name},
            stdout=self.log,
            stderr=self.log,
        )

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.log.close()
        with suppress(OSError):
            self.home.cleanup()

    @property
    def cpu(self) -> float:
        """Seconds of CPU so far."""
        numbers = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(numbers[11]) + int(numbers[12])) / 100

    @property
    def megabytes(self) -> float:
        """Resident memory."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * 4096 / 2**20

    async def up(self) -> None:
        deadline = time.monotonic() + 5 * PATIENCE
        while time.monotonic() < deadline:
            try:
                await AsyncHTTPClient().fetch(f"http://localhost:{self.port}/health")
                return
            except (OSError, HTTPClientError):  # it is not there yet
                await asyncio.sleep(0.2)
        raise TimeoutError("the server did not start")


@dataclass
class Visitor:
    """One open document.

    Attributes
    ----------
    page : str
        The page that it shows.
    address : str
        Of the page on the server.
    """

    port: int
    page: str = "scores"
    address: str = "scores"
    bytes: int = 0
    handled: int = 0
    waits: list[float] = field(default_factory=list)
    answers: int = 0
    errors: list[str] = field(default_factory=list)

    async def open(self) -> float:
        """Seconds until the document and the session are there."""
        began = time.monotonic()
        url = f"localhost:{self.port}/{self.address}"
        request = HTTPRequest(f"http://{url}", request_timeout=PATIENCE)
        answer = await AsyncHTTPClient(max_clients=100).fetch(request)
        body = answer.body.decode()
        token = re.search(r'data-token="([^"]+)"', body)[1]  # type: ignore[index]
        ws_url = f"ws://{url.rstrip('/')}/ws"
        cookies = [one.split(";")[0] for one in answer.headers.get_list("Set-Cookie")]
        who = {"Origin": f"http://localhost:{self.port}", "Cookie": "; ".join(cookies)}
        self.socket = await websocket_connect(
            HTTPRequest(ws_url, headers=who), subprotocols=["bokeh", token]
        )
        await self._message()
        return time.monotonic() - began

    async def move(self, seconds: float, rng: random.Random) -> None:
        """Move the threshold for a while, and note the time to each answer."""
        self._news = asyncio.Event()
        reader = asyncio.ensure_future(self._read())
        made: dict[int, float] = {}  # serial -> when the move was made
        serial, under_way, end = self.handled, 0, time.monotonic() + seconds
        due, waiting = time.monotonic() + rng.random() / PER_SECOND, None
        while time.monotonic() < end or under_way > self.handled:
            now = time.monotonic()
            if now >= due and now < end:
                waiting = waiting or now  # the first of those that one answer covers
                due += 1 / PER_SECOND
            if under_way <= self.handled:
                if under_way in made:
                    self.waits.append(self.answered_at - made.pop(under_way))
                if waiting:
                    serial += 1
                    made[serial], under_way, waiting = waiting, serial, None
                    value = round(rng.uniform(-0.5, 1.0), 2)
                    gesture = {"kind": "set", "name": "threshold", "value": value}
                    self._send({**gesture, "page": self.page, "serial": serial})
            if reader.done() or now > end + PATIENCE:
                self.errors.append(str(reader.exception()) if reader.done() else "no answer")
                break
            await self._news_until(due if due < end else max(end, now + 1.0))
        reader.cancel()

    def close(self) -> None:
        self.socket.close()

    def _send(self, gesture: dict[str, Any]) -> None:
        self.socket.write_message(json.dumps(gesture))

    async def _read(self) -> None:
        try:
            while True:
                news = await self._message()
                if news.get("page") == self.page and news.get("handled", 0) > self.handled:
                    self.handled, self.answered_at = news["handled"], time.monotonic()
                    self.answers += 1
                    self._news.set()
        finally:
            self._news.set()

    async def _news_until(self, moment: float) -> None:
        """Wait for an answer, at most until a moment of `time.monotonic`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(moment - time.monotonic()):
                await self._news.wait()
        self._news.clear()

    async def _message(self) -> Any:
        text = await self.socket.read_message()
        if text is None:
            raise EOFError("the server closed the connection")
        self.bytes += len(text)
        return json.loads(text)


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


async def crowd(count: int, seconds: float) -> list[tuple[str, str, str]]:
    """So many visitors at once on a fresh server."""
    server, rng = Server(), random.Random(count)
    try:
        await server.up()
        warm = Visitor(server.port)
        await warm.open()
        warm.close()
        await asyncio.sleep(5)  # the process of jobs starts meanwhile
        before, cpu = server.megabytes, server.cpu
        visitors = [Visitor(server.port) for _ in range(count)]
        opened = await asyncio.gather(*(v.open() for v in visitors))
        opening = (server.cpu - cpu) / count
        cpu = server.cpu
        for visitor in visitors:
            visitor.bytes = 0
        await asyncio.gather(*(v.move(seconds, rng) for v in visitors))
        waits = [wait for v in visitors for wait in v.waits]
        answers = sum(v.answers for v in visitors)
        moving, held = (server.cpu - cpu) / max(answers, 1), server.megabytes
        for visitor in visitors:
            visitor.close()
        await asyncio.sleep(LINGER)
        after = server.megabytes
    finally:
        server.close()
    errors = sum(len(v.errors) for v in visitors)
    who = f"{count} visitors"
    wanted = "1 s" if count > 10 else "0.2 s"
    return [
        (f"{who}: opening, p95", f"{p95(opened):.2f} s", "at most 5 s"),
        (f"{who}: CPU a visit", f"{1000 * opening:.0f} ms", "at most 150 ms"),
        (f"{who}: move to answer, median", f"{statistics.median(waits):.3f} s", ""),
        (f"{who}: move to answer, p95", f"{p95(waits):.3f} s", f"at most {wanted}"),
        (f"{who}: answers a second", f"{answers / seconds:.0f}", ""),
        (f"{who}: CPU a move", f"{1000 * moving:.1f} ms", "at most 15 ms"),
        (f"{who}: bytes a move", f"{sum(v.bytes for v in visitors) / max(answers, 1):,.0f}", ""),
        (f"{who}: errors", f"{errors}", "0"),
        (f"{who}: MB before, with them, after", f"{before:.0f}, {held:.0f}, {after:.0f}", ""),
    ]


async def coming_and_going(visits: int, linger: float) -> list[tuple[str, str, str]]:
    """Visits one after the other, ten at a time, and the memory that they leave behind."""
    server = Server()
    try:
        await server.up()
        measured = {}
        for done in range(0, visits, 10):
            visitors = [Visitor(server.port) for _ in range(10)]
            for visitor in visitors:
                await visitor.open()
            for visitor in visitors:
                visitor.close()
            if done in (0, visits - 10):
                await asyncio.sleep(LINGER)
                measured[done + 10] = server.megabytes
        await asyncio.sleep(linger)
        measured[-1] = server.megabytes
    finally:
        server.close()
    first, last, after = measured[10], measured[visits], measured[-1]
    told = f"{first:.0f}, {last:.0f}, {after:.0f} MB"
    return [
        (f"memory after 10 visits, {visits}, and {linger:.0f} s later", told, ""),
        ("the last to the first", f"{after / first:.3f}", "at most 1.1"),
    ]


def main(counts: tuple[int, ...] = (10, 50), seconds: float = SECONDS) -> list[Any]:
    """Rows: what, measured, target."""
    rows = asyncio.run(coming_and_going(200, 300.0))
    return [*rows, *(row for count in counts for row in asyncio.run(crowd(count, seconds)))]


if __name__ == "__main__":
    from benchmarks.__main__ import table

    print(table(main(tuple(map(int, sys.argv[1:])) or (10, 50))))
