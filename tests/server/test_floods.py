"""Somebody who sends too much, or takes nothing: the server reads no more, and keeps no more."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from contextlib import suppress

import pytest
from helpers.asking import ask
from helpers.served import MINE, THEIRS, Served, cookie_of
from helpers.visits import wait
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClosedError, websocket_connect

from workbench.server.app import HTTP, LONGEST_MESSAGE
from workbench.server.handlers import document
from workbench.server.handlers.document import READY
from workbench.server.sockets import channel as channels
from workbench.server.sockets.channel import Channel

GESTURE = {"kind": "data sets", "page": "", "serial": 1}


@pytest.fixture(scope="module")
def served():
    made = Served()
    yield made
    made.close()


def token_of(served, headers):
    body = ask(served, "/scores", **headers)[2].decode()
    return re.search(r'data-token="([^"]+)"', body)[1]


async def opened(served, who=MINE):
    """A socket of a new document."""
    headers = {"Cookie": cookie_of(who, served.port)}
    token = token_of(served, headers)
    address = f"ws://localhost:{served.port}/scores/ws"
    sent = {**headers, "Origin": f"http://localhost:{served.port}"}
    made = await websocket_connect(
        HTTPRequest(address, headers=sent), subprotocols=["bokeh", token]
    )
    assert await made.read_message() == READY
    return made


async def rest(made):
    """All further messages, until the socket is closed."""
    found = []
    while (message := await asyncio.wait_for(made.read_message(), 60)) is not None:
        found.append(message)
    return found


@pytest.mark.parametrize(
    "message",
    [
        "no JSON",
        "[]",
        json.dumps({**GESTURE, "serial": "x"}),
        json.dumps({**GESTURE, "serial": 1e300}),
        json.dumps({**GESTURE, "value": float("nan")}),
        "[" * 100_000,
        b"a content that nothing announced",
        "x" * (LONGEST_MESSAGE + 1),
        b"x" * (LONGEST_MESSAGE + 1),
    ],
    ids=["text", "list", "serial", "huge", "nan", "deep", "bytes", "long", "long bytes"],
)
def test_a_socket_that_sends_what_no_browser_sends_is_closed(served, message):
    async def attempt():
        made = await opened(served)
        with suppress(WebSocketClosedError):  # it may be closed before it has taken all
            await made.write_message(message, binary=isinstance(message, bytes))
        await rest(made)
        return made.close_code

    cut = [None] if len(message) > LONGEST_MESSAGE else []
    assert asyncio.run(attempt()) in (1003, 1009, *cut)
    assert ask(served, "/words.json")[0] == 200


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "more",
    [
        {"kind": "no such kind"},
        {"kind": "set", "page": "scores"},
        {"kind": "set", "page": "no such page"},
        {"kind": "set", "page": "scores", "name": "threshold", "value": [1e308] * 9},
        {"kind": "set", "page": "scores", "name": "__class__", "value": 1},
        {"kind": "set", "page": "scores", "name": "threshold", "value": "1e999"},
        {"kind": "set", "page": "scores", "name": "threshold", "value": 10**40, "typed": True},
        {"kind": "drag", "page": "scores", "item": "tradeoff", "shape": "line", "x": {}},
        {"kind": "click", "page": "scores", "item": "__init__", "x": 0, "y": 0},
        {"kind": "job", "page": "scores", "job": "__init__"},
        {"kind": "chunk", "page": "scores", "name": "x", "file": 1e9, "content": "x"},
        {"kind": "files", "page": "scores", "name": "upload", "files": [["x", 10**15]]},
        {"kind": "files", "files": [["x", -1]]},
        {"kind": "audit", "do": "list", "offset": -(10**9), "most": 10**12},
        {"kind": "audit", "do": "list", "offset": 10**30},
        {"kind": "restore", "settings": {"scores": {"__dict__": {}, "threshold": {}}}},
        {"kind": "restore", "settings": "scores"},
        {"kind": "show", "show": {}},
        {"kind": "look", "look": None},
    ],
)
def test_an_odd_gesture_changes_nothing_and_breaks_nothing(served, more):
    async def attempt():
        made = await opened(served)
        await made.write_message(json.dumps({**GESTURE, **more}))
        await made.write_message(json.dumps({"kind": "look", "look": "scores", "serial": 77}))
        while json.loads(await asyncio.wait_for(made.read_message(), 60)).get("handled") != 77:
            pass
        made.close()

    asyncio.run(attempt())
    assert ask(served, "/report/scores.md", Cookie=cookie_of(THEIRS, served.port))[0] == 200


def test_no_more_is_read_from_somebody_for_whom_much_waits(served, monkeypatch):
    monkeypatch.setattr(document, "MOST_WAITING", 0)
    held = served.visitors.bench(MINE)
    monkeypatch.setattr(type(held), "backlog", property(lambda one: waiting))
    received, waiting = [], 1
    monkeypatch.setattr(type(held), "carry_out", lambda one, gesture, reader: received.append(1))

    async def attempt():
        nonlocal waiting
        made = await opened(served)
        for _ in range(20):
            await made.write_message(json.dumps(GESTURE))
        await asyncio.sleep(0.5)
        before, waiting = len(received), 0
        for _ in range(600):
            if len(received) == 20:
                break
            await asyncio.sleep(0.1)
        made.close()
        return before

    assert asyncio.run(attempt()) <= 1
    assert len(received) == 20  # nothing is lost


def test_a_browser_that_takes_nothing_is_let_go(monkeypatch):
    monkeypatch.setattr(channels, "MOST_UNSENT", 1000)
    closed, sent = [], []

    class Stuck:
        async def write_message(self, text):
            sent.append(text)
            await asyncio.Event().wait()

        def close(self, code, reason):
            closed.append(code)

    async def attempt():
        channel = Channel()
        channel.join(Stuck())
        tasks = [asyncio.create_task(channel.send("x" * 300)) for _ in range(10)]
        await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()

    asyncio.run(attempt())
    assert len(sent) == 3
    assert closed == [1008]


def test_who_is_slow_to_ask_holds_no_connection(served, monkeypatch):
    """The time for a request is bounded; it is short here."""
    assert HTTP["idle_connection_timeout"] <= 120
    assert HTTP["body_timeout"] <= 60
    server = served.http
    monkeypatch.setattr(server.conn_params, "header_timeout", 0.5)
    monkeypatch.setattr(server.conn_params, "body_timeout", 0.5)
    for begun in (b"GET / HTTP/1.1\r\nHost: loc", b"POST / HTTP/1.1\r\nHost: localhost\r\n"
                  b"Content-Length: 100\r\n\r\nabc"):  # fmt: skip
        with socket.create_connection(("localhost", served.port), timeout=60) as slow:
            slow.sendall(begun)
            began = time.monotonic()
            while slow.recv(4096):
                pass
            assert time.monotonic() - began < 30
    wait(lambda: ask(served, "/words.json")[0] == 200)
