"""Modules of the workbench that a piece of work visits, in every thread, and its calls.

`drag_steps` has the way of a slider: from the frame that a socket receives to the message that is
written to it, on a server that runs in this process.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

import workbench
from helpers.served import MINE, Served, cookie_of
from workbench.dashboard.tab import Tab
from workbench.dashboard.worker import THREADS
from workbench.pages.registry import PAGES
from workbench.server.app import App

PACKAGE = Path(workbench.__file__).parent

#: What the modules of the front end begin with; a page and what it uses are none of it.
WAY = ("server.", "dashboard.", "assets.", "pages.core.", "_json", "workspaces.", "audits.storing.")


class Trace:
    """The calls into functions of the workbench, in their order.

    Attributes
    ----------
    visited : list of tuple
        Module and function of every call.
    cpu : float
        Seconds of CPU of this process, where nothing was traced; 0 until they are measured.
    """

    def __init__(self) -> None:
        self.visited: list[tuple[str, str]] = []
        self.cpu = 0.0

    @property
    def calls(self) -> int:
        """How many calls there were."""
        return len(self.visited)

    @property
    def modules(self) -> list[str]:
        """The modules, in the order in which they were first visited."""
        return list(dict.fromkeys(module for module, _ in self.visited))

    @property
    def way(self) -> list[str]:
        """The modules that bring a gesture to a page and its drawings to a browser.

        The others are what the page computes and draws.
        """
        return [one for one in self.modules if one.startswith(WAY)]

    @property
    def calls_of(self) -> Counter[str]:
        """The calls of each module."""
        return Counter(module for module, _ in self.visited)

    def note(self, frame: Any, event: str, arg: Any) -> None:
        """Note a call, as ``sys.setprofile`` has it; a generator that goes on is one as well."""
        code = frame.f_code
        if event == "call" and (module := module_of(code.co_filename)):
            self.visited.append((module, code.co_qualname))


def module_of(file: str, known: dict[str, str] = {}) -> str:  # noqa: B006
    """The module of a file, such as "pages.core.page"; "" if it is none of the workbench."""
    if file not in known:
        path = Path(file)
        inside = path.is_relative_to(PACKAGE)
        known[file] = ".".join(path.relative_to(PACKAGE).with_suffix("").parts) if inside else ""
    return known[file]


def in_all_threads(pool: Any, call: Callable[[], Any]) -> None:
    """Have every thread of a pool call something."""
    barrier = threading.Barrier(pool._max_workers + 1)

    def task() -> None:
        call()
        barrier.wait(60)

    for _ in range(pool._max_workers):
        pool.submit(task)
    barrier.wait(60)


class Slider:
    """A browser that moves a slider of a page on a server of this process.

    Parameters
    ----------
    page, name : str
        The page, and the parameter of the slider.
    """

    def __init__(self, page: str = "scores", name: str = "threshold"):
        self.page, self.name = page, name
        self.served = Served(App([Tab(PAGES[page].kind, f"/{page}")]))
        self._loop = asyncio.new_event_loop()
        self._serial = 0
        self._loop.run_until_complete(self._open())

    def close(self) -> None:
        """Close the browser and the server."""
        self._loop.run_until_complete(self._leave())
        self.served.close()
        self._loop.close()

    async def _leave(self) -> None:
        self._socket.close()
        await asyncio.sleep(0)

    async def _open(self) -> None:
        cookie = cookie_of(MINE, self.served.port)
        ask = self._loop.run_in_executor(None, self.served.get, self.page, MINE)
        status, _, body = await ask
        assert status == 200, body
        token = re.search(r'data-token="([^"]+)"', body.decode())[1]  # type: ignore[index]
        host = f"localhost:{self.served.port}"
        headers = {"Origin": f"http://{host}", "Cookie": cookie}
        asked = HTTPRequest(f"ws://{host}/{self.page}/ws", headers=headers)
        self._socket = await websocket_connect(asked, subprotocols=["bokeh", token])
        assert await self._socket.read_message() == "{}"

    def move(self, value: float, **more: Any) -> dict[str, Any]:
        """Move the slider, and return the message that answers."""
        return self._loop.run_until_complete(self._move(value, more))

    async def _move(self, value: float, more: dict[str, Any]) -> dict[str, Any]:
        self._serial += 1
        gesture = {"kind": "set", "name": self.name, "value": value, **more}
        await self._socket.write_message(
            json.dumps({**gesture, "page": self.page, "serial": self._serial})
        )
        while True:
            message = json.loads(await self._socket.read_message() or "null")
            if message["page"] == self.page and message.get("handled") == self._serial:
                return message

    @contextmanager
    def traced(self) -> Iterator[Trace]:
        """Context in which the calls of the event loop and of the threads of pages are noted."""
        trace = Trace()
        self._profile(trace.note)
        try:
            yield trace
        finally:
            self._profile(None)

    def _profile(self, note: Any) -> None:
        done = threading.Event()

        def on_loop() -> None:
            sys.setprofile(note)
            done.set()

        in_all_threads(THREADS, lambda: sys.setprofile(note))
        self.served._loop.add_callback(on_loop)
        assert done.wait(60)


def drag_steps(
    page: str = "scores", name: str = "threshold", steps: int = 5, done: bool = False
) -> list[Trace]:
    """The steps of a drag of a slider, but for its first and its last one; with the CPU of a step.

    Parameters
    ----------
    page, name : str
        The page, and the parameter of the slider.
    steps : int
    done : bool
        Whether each is a gesture of its own, as with the keys, and is kept and can be undone.
    """
    slider = Slider(page, name)
    try:
        first = slider.served.visitors.page(MINE, page)
        low, high = first.param[name].get_soft_bounds()
        values = iter(low + (high - low) * (0.3 + 0.001 * k) for k in range(10_000))
        for _ in range(3):
            slider.move(next(values), done=done)
        traces = []
        for _ in range(steps):
            with slider.traced() as trace:
                slider.move(next(values), done=done)
            traces.append(trace)
        for trace in traces:
            began = time.process_time()
            for _ in range(10):
                slider.move(next(values), done=done)
            trace.cpu = (time.process_time() - began) / 10
        slider.move(next(values))
        return traces
    finally:
        slider.close()


def drag_step(page: str = "scores", name: str = "threshold", done: bool = False) -> Trace:
    """The step of a drag of a slider with the fewest calls: nothing else went on meanwhile."""
    return min(drag_steps(page, name, done=done), key=lambda trace: trace.calls)
