"""The server: what it refuses, and that it forgets a session that has ended."""

from __future__ import annotations

import asyncio
import gzip
import re
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from helpers.servers import ROOT, free_port
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from workbench.server.handlers.document import READY


@pytest.mark.parametrize("name", ["bokeh-session-id", "bokeh-token"])
def test_a_visit_cannot_choose_its_session(demo, name):
    body = urllib.request.urlopen(demo).read().decode()
    token = re.search(r'data-token="([^"]+)"', body)[1]
    for request in (f"{demo}?{name}={token}", urllib.request.Request(demo, headers={name: token})):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(request)
    for address in ("autoload.js", "metadata"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(demo + address)


async def answer_to(demo, token, cookie):
    """The first message of a socket that shows this token; None if it is closed."""
    who = {"Origin": demo.rstrip("/"), "Cookie": cookie}
    request = HTTPRequest(demo.replace("http", "ws") + "ws", headers=who)
    socket = await websocket_connect(request, subprotocols=["bokeh", token])
    return await socket.read_message(), socket


def visited(demo):
    """The token and the cookie of a new visitor."""
    with urllib.request.urlopen(demo) as answer:
        token = re.search(r'data-token="([^"]+)"', answer.read().decode())[1]
        return token, answer.headers["Set-Cookie"].split(";")[0]


def test_a_session_takes_one_reader_and_no_other_token(demo):
    async def attempts():
        token, mine = visited(demo)
        _, theirs = visited(demo)
        stolen, _ = await answer_to(demo, token, theirs)
        first, socket = await answer_to(demo, token, mine)
        second, _ = await answer_to(demo, token, mine)
        socket.close()
        third, _ = await answer_to(demo, token, mine)
        forged, _ = await answer_to(demo, token[:-4] + "AAAA", mine)
        return first == READY, stolen, second, third, forged

    assert asyncio.run(attempts()) == (True, None, None, None, None)


LEAK = f"""
import asyncio, gc, random, sys, time
from collections import Counter
sys.path[:0] = [{str(ROOT / "tests" / "browser")!r}, {str(ROOT)!r}]
from benchmarks.visitors import Visitor
from demo_page import DemoPage
from workbench.server.app import Tab, make_server
from workbench.dashboard.live_page import LivePage
from workbench.server.options import ServerOptions

def alive():
    gc.collect()
    found = [x for x in gc.get_objects() if isinstance(x, DemoPage | LivePage)]
    kinds = Counter(type(x).__name__ for x in found)
    return kinds["DemoPage"], kinds["LivePage"]

async def visits(port):
    first = Visitor(port, page="page", address="")
    await first.open()  # by then the first state is drawn
    first.close()
    before = alive()
    visitors = [Visitor(port, page="page", address="") for _ in range(8)]
    for visitor in visitors:
        await visitor.open()
        await visitor.move(0.6, random.Random(1))
    during = alive()
    for visitor in visitors:
        visitor.close()
    deadline = time.monotonic() + 60
    while alive()[1] and time.monotonic() < deadline:
        await asyncio.sleep(0.2)
    await asyncio.sleep(1)
    print(before, during, alive())

server = make_server([Tab(DemoPage)], ServerOptions(port=int(sys.argv[1])), grace=0.5)
server.start()
server.io_loop.run_sync(lambda: visits(int(sys.argv[1])))
"""


@pytest.mark.slow
def test_a_session_that_ended_leaves_nothing_behind():
    command = [sys.executable, "-c", LEAK, str(free_port())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, cwd=ROOT)
    # Each visitor has a page of their own, for as long as they stay.
    assert done.stdout.splitlines()[-1:] == ["(0, 0) (8, 8) (0, 0)"], done.stderr


def loaded(address, **headers):
    request = urllib.request.Request(address, headers=headers)
    with urllib.request.urlopen(request) as answer:
        return answer.status, dict(answer.headers), answer.read()


def addresses(demo):
    """All files that the document names."""
    _, _, body = loaded(demo)
    named = re.findall(r'(?:href|src|data-plotly)="\./(assets/[^"]+)"', body.decode())
    return [demo + address for address in dict.fromkeys(named)]


def test_files_come_packed_and_are_kept(demo):
    files = addresses(demo)
    assert {address.rsplit("/")[-1] for address in files} >= {
        "page.js",
        "board.js",
        "channel.js",
        "board.css",
        "plotly-basic.min.js",
    }
    for address in files:
        status, headers, packed = loaded(address, **{"Accept-Encoding": "gzip, br"})
        assert (status, headers["Content-Encoding"], headers["Vary"]) == (
            200,
            "gzip",
            "Accept-Encoding",
        )
        assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
        _, plain_headers, plain = loaded(address)
        assert "Content-Encoding" not in plain_headers
        assert gzip.decompress(packed) == plain
        assert plain_headers["Content-Type"] == headers["Content-Type"]
        with pytest.raises(urllib.error.HTTPError, match="304"):
            loaded(address, **{"If-None-Match": headers["Etag"]})


def test_all_that_the_document_loads_is_small(demo):
    sizes = [len(loaded(a, **{"Accept-Encoding": "gzip"})[2]) for a in addresses(demo)]
    _, headers, document = loaded(demo, **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert headers["Cache-Control"] == "no-store"
    assert sum(sizes) + len(document) < 550_000


@pytest.mark.parametrize(
    "address",
    ["assets/0123456789abcdef/page.js", "assets/{digest}/board.py", "assets/{digest}/../board.py"],
)
def test_other_files_are_not_served(demo, address):
    digest = next(a for a in addresses(demo) if a.endswith("page.js")).split("/")[-2]
    with pytest.raises(urllib.error.HTTPError, match="404"):
        loaded(demo + address.format(digest=digest))


def test_all_modules_are_named_in_the_document(demo):
    """A module that only another one names is asked for later."""
    named = {address.rsplit("/")[-1] for address in addresses(demo)}
    for address in addresses(demo):
        if address.endswith(".js") and "plotly" not in address:
            _, _, text = loaded(address)
            assert set(re.findall(r'from "\./([^"]+)"', text.decode())) <= named
