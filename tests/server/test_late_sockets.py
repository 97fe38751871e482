"""Sockets that come late, or go early: the visit goes on, or ends, and nothing is left of it."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from helpers.asking import ask
from helpers.served import MINE, THEIRS, Served, cookie_of
from helpers.servers import PATIENCE
from helpers.visits import wait
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from workbench.server.handlers import document
from workbench.server.handlers.document import READY, SocketHandler
from workbench.server.sockets.late import LateVisits


@pytest.fixture(scope="module")
def served():
    made = Served()
    yield made
    made.close()


@pytest.fixture
def place(served):
    """The server, once nothing is left of the test before."""
    let_go(served)
    wait(lambda: served.visitors.documents == 0)
    return served


def let_go(served):
    """Have all sessions end that nobody uses, as after some seconds."""
    done = []

    async def end():
        for context in served.application._applications.values():
            await context._cleanup_sessions(-1)
        done.append(True)

    served._loop.add_callback(end)
    wait(lambda: done)


def token_of(served, who=MINE, path="counts"):
    body = ask(served, f"/{path}", Cookie=cookie_of(who, served.port))[2].decode()
    return re.search(r'data-token="([^"]+)"', body)[1]


async def connected(served, token, who=MINE, path="counts"):
    origin = f"http://localhost:{served.port}"
    headers = {"Origin": origin, "Cookie": cookie_of(who, served.port)}
    request = HTTPRequest(f"ws://localhost:{served.port}/{path}/ws", headers=headers)
    return await websocket_connect(request, subprotocols=["bokeh", token])


async def first(served, token, who=MINE):
    """The first message of a socket: `READY`, or None if it is closed."""
    socket = await connected(served, token, who)
    message = await asyncio.wait_for(socket.read_message(), PATIENCE)
    socket.close()
    return message


async def sets(socket, value, serial=1):
    """Set a number of the page, and return what was answered about it."""
    gesture = {"kind": "set", "name": "tp", "value": value, "page": "counts", "serial": serial}
    await socket.write_message(json.dumps(gesture))
    found = []
    while not found or found[-1].get("handled", 0) < serial or found[-1]["page"] != "counts":
        found.append(json.loads(await asyncio.wait_for(socket.read_message(), PATIENCE)))
    return found


def test_a_socket_that_comes_after_the_session_has_one_all_the_same(place):
    token = token_of(place)
    let_go(place)
    assert place.visitors.documents == 0

    async def attempt():
        socket = await connected(place, token)
        assert await asyncio.wait_for(socket.read_message(), PATIENCE) == READY
        told = await sets(socket, 31)
        socket.close()
        return told

    told = [one for one in asyncio.run(attempt()) if one["page"] == "counts"]
    assert any("frame" in one for one in told)  # the server does not know what the document holds
    assert [one["settings"]["tp"] for one in told if "tp" in one.get("settings", {})][-1] == 31
    wait(lambda: place.visitors.documents == 0)


def test_what_was_done_before_is_in_it(place):
    async def before():
        socket = await connected(place, token_of(place))
        assert await asyncio.wait_for(socket.read_message(), PATIENCE) == READY
        await sets(socket, 33)
        socket.close()

    async def late():
        socket = await connected(place, token)
        assert await asyncio.wait_for(socket.read_message(), PATIENCE) == READY
        told = json.loads(await asyncio.wait_for(socket.read_message(), PATIENCE))
        while told.get("page") != "counts":
            told = json.loads(await asyncio.wait_for(socket.read_message(), PATIENCE))
        socket.close()
        return told

    asyncio.run(before())
    token = token_of(place)
    let_go(place)
    assert asyncio.run(late())["settings"]["tp"] == 33


def test_a_late_socket_comes_once_and_only_for_its_person(place):
    token = token_of(place)
    let_go(place)
    assert asyncio.run(first(place, token, THEIRS)) is None
    assert asyncio.run(first(place, token)) == READY
    assert asyncio.run(first(place, token)) is None


def test_a_session_that_was_used_is_not_made_again(place):
    token = token_of(place)
    assert asyncio.run(first(place, token)) == READY
    wait(lambda: place.visitors.documents == 0)
    let_go(place)
    assert asyncio.run(first(place, token)) is None


def test_late_visits_are_forgotten():
    now = [0.0]
    late = LateVisits(300.0, lambda: now[0])
    late.add("a", "me", "counts")
    now[0] = 200.0
    late.add("b", "me", "counts")
    now[0] = 301.0
    assert late.take("a", "me") is None
    late.add("c", "me", "")
    assert set(late._visits) == {"b", "c"}
    assert late.take("b", "me").page == "counts"
    for number in range(12_000):
        late.add(str(number), "me", "")
    assert len(late._visits) == 10_000


def test_a_socket_that_closes_before_its_turn_leaves_nothing(place, monkeypatch):
    """The handshake is done, and the browser is gone before the session is looked up."""
    turns = []
    real = SocketHandler._async_open

    async def waits(handler, token):
        handler.close()
        while not handler._gone:
            await asyncio.sleep(0.01)
        await real(handler, token)
        turns.append(handler)

    monkeypatch.setattr(SocketHandler, "_async_open", waits)
    token = token_of(place)
    assert asyncio.run(first(place, token)) is None
    wait(lambda: turns)
    let_go(place)
    wait(lambda: place.visitors.documents == 0)


def test_a_socket_that_closes_during_its_turn_leaves_nothing(place, monkeypatch):
    turns = []
    real = document.WSHandler._async_open

    async def closes(handler, token):
        await real(handler, token)
        handler.close()
        while not handler._gone:
            await asyncio.sleep(0.01)
        turns.append(handler)

    monkeypatch.setattr(document.WSHandler, "_async_open", closes)
    token = token_of(place)
    assert asyncio.run(first(place, token)) is None
    wait(lambda: turns)
    wait(lambda: place.visitors.documents == 0)
    assert not place.application._clients


def test_a_socket_whose_ping_has_failed_ends_its_visit(place, caplog):
    """Bokeh lets go of the connection first, and asks it for its session when the socket closes."""

    async def attempt():
        socket = await connected(place, token_of(place))
        assert await asyncio.wait_for(socket.read_message(), PATIENCE) == READY
        lost = []

        def lose():
            for connection in list(place.application._clients):
                place.application.client_lost(connection)
                lost.append(connection)

        place._loop.add_callback(lose)
        while not lost:
            await asyncio.sleep(0.01)
        assert place.visitors.documents == 1
        socket.close()

    asyncio.run(attempt())
    wait(lambda: place.visitors.documents == 0)
    assert not [one for one in caplog.records if one.exc_info]
