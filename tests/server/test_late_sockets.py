"""Sockets that come late, or go early: the visit goes on, or ends, and nothing is left of it."""

from __future__ import annotations

import asyncio
import json
import re
from types import SimpleNamespace

import pytest
from helpers.asking import ask
from helpers.served import MINE, THEIRS, Served, cookie_of
from helpers.servers import PATIENCE
from helpers.visits import wait
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from workbench.server.handlers.document import READY, SocketHandler
from workbench.server.sockets.channel import Channel
from workbench.server.sockets.connection import Connection
from workbench.server.sockets.documents import LATE, UNUSED, Documents
from workbench.server.visitors import Visit


@pytest.fixture(scope="module")
def served():
    made = Served()
    yield made
    made.close()


@pytest.fixture
def place(served):
    """The server, once nothing is left of the test before."""
    let_go(served)
    wait(lambda: served.visitors.here.documents == 0)
    return served


def let_go(served):
    """Have all documents end whose sockets have not come, as after some seconds."""
    done = []

    def end():
        documents = served.settings["documents"]
        for id in list(documents._sent):
            documents.let_go(id)
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
    assert place.visitors.here.documents == 0

    async def attempt():
        socket = await connected(place, token)
        assert await asyncio.wait_for(socket.read_message(), PATIENCE) == READY
        told = await sets(socket, 31)
        socket.close()
        return told

    told = [one for one in asyncio.run(attempt()) if one["page"] == "counts"]
    assert any("frame" in one for one in told)  # the server does not know what the document holds
    assert [one["settings"]["tp"] for one in told if "tp" in one.get("settings", {})][-1] == 31
    wait(lambda: place.visitors.here.documents == 0)


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
    wait(lambda: place.visitors.here.documents == 0)
    let_go(place)
    assert asyncio.run(first(place, token)) is None


class Doors:
    """Visitors who may always open one more document."""

    def require_document(self, person):
        pass


def test_documents_whose_sockets_do_not_come_are_let_go_of_and_forgotten():
    now, closed, timers = [0.0], [], []

    def opened(visit):
        channel = Channel()
        channel.closed = lambda: closed.append(visit.page)
        return channel

    documents = Documents(Doors(), opened, lambda *timer: timers.append(timer), lambda: now[0])
    old = documents.add(Visit(MINE, "old", "", None, {}))
    (seconds, end) = timers.pop()
    assert (seconds, len(old)) == (UNUSED, 43)
    end()
    end()
    assert closed == ["old"]
    now[0] = 200.0
    new = documents.add(Visit(MINE, "new", "", None, {}))
    now[0] = LATE
    assert documents.take(old, MINE) is None
    assert documents.take(new, THEIRS) is None
    documents.add(Visit(MINE, "third", "", None, {}))
    assert old not in documents._sent
    assert documents.take(new, MINE) is not None
    assert documents.take(new, MINE) is None
    timers.clear()
    for _ in range(12_000):
        documents.add(Visit(MINE, "many", "", None, {}))
    assert len(documents._sent) == 10_000
    assert closed.count("many") == 2_000
    assert closed.count("new") == 0


def test_a_socket_that_closes_before_its_turn_leaves_nothing(place, monkeypatch):
    """The handshake is done, and the browser is gone before the session is looked up."""
    turns = []
    real = SocketHandler._join

    async def waits(handler):
        handler.close()
        while not handler._gone:
            await asyncio.sleep(0.01)
        await real(handler)
        turns.append(handler)

    monkeypatch.setattr(SocketHandler, "_join", waits)
    token = token_of(place)
    assert asyncio.run(first(place, token)) is None
    wait(lambda: turns)
    let_go(place)
    wait(lambda: place.visitors.here.documents == 0)


def test_a_socket_that_closes_during_its_turn_leaves_nothing(place, monkeypatch):
    turns = []

    async def closes(channel, text):
        handler = channel._socket
        handler.close()
        while not handler._gone:
            await asyncio.sleep(0.01)
        turns.append(handler)

    monkeypatch.setattr(Channel, "send", closes)
    token = token_of(place)
    assert asyncio.run(first(place, token)) is None
    wait(lambda: turns)
    wait(lambda: place.visitors.here.documents == 0)
    assert not place.settings["state"].documents


def test_a_browser_that_is_gone_without_a_word_ends_its_visit(place, caplog):

    async def attempt():
        socket = await connected(place, token_of(place))
        assert await asyncio.wait_for(socket.read_message(), PATIENCE) == READY
        assert place.visitors.here.documents == 1
        socket.protocol.stream.close()  # no frame says so

    asyncio.run(attempt())
    wait(lambda: place.visitors.here.documents == 0)
    assert not [one for one in caplog.records if one.exc_info]


class Page:
    """A page that notes who views it."""

    def __init__(self, when_closed=lambda: None):
        self.ended, self.viewers, self._when_closed = False, [], when_closed

    def open(self, viewer):
        self.viewers.append(viewer)

    def close(self, viewer):
        self.viewers.remove(viewer)
        self._when_closed()


def document_of(live):
    """A document of pages that ``live`` makes by name."""
    browsers = SimpleNamespace(readers=[], state=dict)
    pages = SimpleNamespace(live=live)
    session = SimpleNamespace(browsers=browsers, pages=pages, leave=browsers.readers.remove)
    return Connection({}, lambda text: None, lambda: session, lambda: False, "", None)


def test_a_document_that_is_closed_while_a_page_is_made_does_not_view_it():
    page, answers = Page(), []

    def live(name):
        document.end()
        return page

    document = document_of(live)
    document._open("scores", lambda: answers.append("an answer"))
    assert page.viewers == answers == []
    document.carry_out({"kind": "set", "page": "scores", "serial": 1})
    document._open("scores")
    assert page.viewers == []


def test_a_document_that_is_closed_leaves_all_pages_whatever_is_made_meanwhile():
    pages = {"late": Page()}
    document = document_of(lambda name: pages[name])
    pages |= {name: Page(lambda: document._view("late")) for name in ("scores", "counts")}
    for name in ("scores", "counts"):
        document._view(name)
    assert [len(one.viewers) for one in pages.values()] == [0, 1, 1]
    document.end()
    assert [one.viewers for one in pages.values()] == [[], [], []]
