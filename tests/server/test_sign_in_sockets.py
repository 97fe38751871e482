"""Open sockets of people with accounts: whose they are, and that they end with the sign-in."""

import asyncio
import json
import re
from types import SimpleNamespace

import pytest
from helpers.people import PASSWORD, Team
from helpers.served import SECRET
from helpers.servers import PATIENCE
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.web import decode_signed_value
from tornado.websocket import websocket_connect

from workbench.dashboard.tab import Tab
from workbench.pages.registry import PAGES
from workbench.server.app import App
from workbench.server.people.person import Role
from workbench.server.people.sign_ins import SignIns


@pytest.fixture(scope="module")
def team():
    made = Team(app=App([Tab(PAGES["counts"].kind, "/counts", "Counts")]))
    for name in ("removed", "demoted", "renewed", "out", "everywhere"):
        made.accounts.add(name, Role.EDITOR, PASSWORD)
    yield made
    made.close()


def document(browser):
    """The token of a new document."""
    status, _, text = browser.get("counts")
    assert status == 200
    return re.search(r'data-token="([^"]+)"', text)[1]


async def connect(browser, token):
    """A socket; the status if there is none."""
    cookies = {"Cookie": browser.header()} if browser.cookies else {}
    home = browser.home
    request = HTTPRequest(
        f"{home.replace('http', 'ws')}/counts/ws", headers={"Origin": home, **cookies}
    )
    try:
        return await websocket_connect(request, subprotocols=["bokeh", token])
    except HTTPClientError as refused:
        return refused.code


async def first(socket):
    return await asyncio.wait_for(socket.read_message(), PATIENCE)


async def drag(socket, serial, value):
    """The answer to a moved slider; None where the socket is closed."""
    gesture = {"page": "counts", "kind": "set", "name": "fp", "value": value, "serial": serial}
    await socket.write_message(json.dumps(gesture))
    while True:
        text = await first(socket)
        if text is None or json.loads(text).get("handled") == serial:
            return text


def test_a_socket_is_joined_by_whose_document_it_is_and_by_nobody_else(team):
    anna, ben, stranger = team.browser("Anna"), team.browser("Ben"), team.browser()
    token = document(anna)

    async def try_all():
        assert await connect(stranger, token) == 401
        socket = await connect(ben, token)
        assert await first(socket) is None
        socket = await connect(anna, token)
        assert await first(socket) == "{}"
        assert await drag(socket, 1, 12) is not None
        again = await connect(anna, token)  # a second time
        assert await first(again) is None
        socket.close()

    asyncio.run(try_all())


def sign_out_elsewhere(team):
    """Sign out everywhere, in another browser."""
    other = team.browser("everywhere")
    status, _, _ = other.post("sign-out", {"form": other.token("counts"), "everywhere": "1"})
    assert status == 303


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("out", lambda team, browser, token: browser.post("sign-out", {"form": token})),
        ("everywhere", lambda team, browser, token: sign_out_elsewhere(team)),
        ("removed", lambda team, browser, token: team.accounts.remove("removed")),
        ("demoted", lambda team, browser, token: team.accounts.set_role("demoted", Role.VIEWER)),
        (
            "renewed",
            lambda team, browser, token: team.accounts.set_password("renewed", "another password"),
        ),
    ],
)
def test_a_socket_ends_with_the_sign_in_within_seconds(team, name, end):
    """Also where another program, as the command line, has ended it."""
    browser = team.browser(name)
    token = document(browser)
    form = browser.token("counts")

    async def visit():
        socket = await connect(browser, token)
        assert await first(socket) == "{}"
        assert await drag(socket, 1, 12) is not None
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, end, team, browser, form)
        ended = loop.time()
        while await first(socket) is not None:
            pass
        assert loop.time() - ended < PATIENCE / 2
        assert socket.close_reason == "you are signed out"

    asyncio.run(visit())
    status, _, text = browser.get("report/counts.json")
    if name == "demoted":  # may still look
        assert status == 200
    else:
        assert status == 401
        assert "epsilon" not in text


def test_a_gesture_of_somebody_who_was_signed_out_has_no_effect(team, monkeypatch):
    """Even before the socket is found to have ended."""
    monkeypatch.setattr("workbench.server.people.sign_ins.FRESH", 600.0)
    monkeypatch.setattr("workbench.server.handlers.document.OFTEN", 0.0)
    browser = team.browser("Ada")
    token = document(browser)
    account = team.accounts.find("Ada")

    async def visit():
        socket = await connect(browser, token)
        assert await first(socket) == "{}"
        assert await drag(socket, 1, 12) is not None
        team.sign_ins.end_all_now(account)
        team.sign_ins._known.clear()
        assert await drag(socket, 2, 40) is None

    asyncio.run(visit())
    assert team.visitors.bench(account.person).pages.ask("counts", lambda live: live.page.fp) == 12


def test_one_socket_that_fails_to_close_keeps_no_other_open(team, caplog):
    handler = Asked(team, team.browser("Vera"))
    sign_ins = SignIns(team.database)  # whose look is on the loop of this test
    ended = []

    def fail():
        raise RuntimeError("it is gone already")

    async def visit():
        for end in (fail, lambda: ended.append(1), fail, lambda: ended.append(2)):
            sign_ins.watch(handler, end)
        sign_ins.end_all_now(team.accounts.find("Vera"))
        give_up = asyncio.get_running_loop().time() + PATIENCE
        while len(ended) < 2 and asyncio.get_running_loop().time() < give_up:
            await asyncio.sleep(0.05)

    asyncio.run(visit())
    assert sorted(ended) == [1, 2]
    assert "could not be closed" in caplog.text


class Asked:
    """A request of a browser."""

    def __init__(self, team, browser):
        self.settings, self._browser = team.settings, browser
        self.request = SimpleNamespace(
            host=f"localhost:{team.port}", headers={}, remote_ip="127.0.0.1", protocol="http"
        )

    def get_signed_cookie(self, name, max_age_days):
        kept = {cookie.name: cookie.value for cookie in self._browser.jar}
        value = kept[name].strip('"')
        return decode_signed_value(SECRET, name, value, max_age_days)
