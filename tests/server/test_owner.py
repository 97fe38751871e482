"""The owner of the workspace: what an address and a cookie are worth, where, and for how long."""

from __future__ import annotations

import asyncio
import re
import time
from concurrent.futures import Future
from hashlib import sha256
from types import SimpleNamespace

import pytest
from helpers.asking import ask
from helpers.people import Browser
from helpers.served import SECRET, Served, cookie_name
from helpers.servers import Restartable, owner_address
from sqlalchemy import select
from tornado.web import create_signed_value

from workbench.cli import main
from workbench.server.people import owner as module
from workbench.server.people.cookies import FORMER
from workbench.server.people.identity import WHO, VisitorIdentity
from workbench.server.people.sign_ins import OWNER_COOKIE
from workbench.server.storing.database import ServerDatabase
from workbench.server.storing.schema import OWNER_SIGN_INS, TICKETS
from workbench.workspaces.home import TICKET_LIFE, make_ticket, ticket_end

KEY = "k" * 43
HOUR = 3600.0


class Clock:
    def __init__(self):
        self.now = time.time()

    def __call__(self):
        return self.now


class Own(Served):
    """A server for its owner, with a clock that a test sets."""

    def __init__(self, folder=None, key=KEY, launch_key="", **more):
        self.clock = Clock()
        self.database = ServerDatabase(folder)
        self.identity = VisitorIdentity(key, self.database, launch_key, clock=self.clock)
        super().__init__(identity=self.identity, **more)

    def ticket(self):
        return self.identity.owner.ticket()

    def browser(self, ticket=None, host="localhost"):
        made = Browser(f"http://{host}:{self.port}")
        if ticket:
            status, headers, text = made.get(f"?key={ticket}")
            assert (status, headers["Location"], text) == (302, "./", "")
        return made


@pytest.fixture(scope="module")
def one_server():
    made = Own()
    yield made
    made.close()


@pytest.fixture
def own(one_server):
    one_server.clock.now = time.time()
    return one_server


def is_owner(browser):
    status, _, text = browser.get("scores")
    return status == 200 and "owner of this computer" in text


# -- tickets ---------------------------------------------------------------------------------------


def test_a_ticket_says_until_when_it_holds_and_not_the_key():
    now = 1_800_000_000
    ticket = make_ticket(KEY, now)
    assert re.fullmatch(r"[\w-]+", ticket)
    assert ticket_end(KEY, ticket) == now + TICKET_LIFE
    assert KEY not in ticket
    assert make_ticket(KEY, now) != ticket


def test_nobody_makes_a_ticket_without_the_key():
    ticket = make_ticket(KEY, 1_800_000_000)
    until, nonce, mark = ticket.split("-", 2)
    for other in (
        *("", KEY, "x", ticket[:-1], ticket + "x", ticket.upper()),
        f"{int(until, 16) + 1:x}-{nonce}-{mark}",
        f"{until}-{nonce[::-1]}-{mark}",
        make_ticket("l" * 43, 1_800_000_000),
        make_ticket("", 1_800_000_000),
    ):
        assert ticket_end(KEY, other) == 0
    assert ticket_end("", make_ticket("", 1_800_000_000)) == 0


def test_a_ticket_lets_one_browser_in_and_no_second_one(own):
    ticket = own.ticket()
    assert is_owner(own.browser(ticket))
    status, _, text = own.browser().get(f"?key={ticket}")
    assert status == 403
    assert "workbench serve --show" in text
    thief = own.browser()
    thief.get(f"scores?key={ticket}")
    assert not is_owner(thief)


def test_the_browser_that_used_it_may_open_the_address_again(own):
    ticket = own.ticket()
    browser = own.browser(ticket)
    status, headers, _ = browser.get(f"scores?key={ticket}")
    assert (status, headers["Location"]) == (302, "./scores")
    assert is_owner(browser)


def test_a_ticket_ends_after_a_day_and_a_used_one_stays_used(own):
    used, late = own.ticket(), own.ticket()
    own.browser(used)
    own.clock.now += TICKET_LIFE - 10
    assert own.browser().get(f"?key={used}")[0] == 403
    own.clock.now += 20
    assert own.browser().get(f"?key={late}")[0] == 403
    own.browser(own.ticket())
    own.clock.now -= HOUR  # the clock is set back
    assert own.browser().get(f"?key={used}")[0] == 403


def test_asking_for_the_headers_uses_nothing_up(own):
    ticket = own.ticket()
    assert ask(own, f"/?key={ticket}", "HEAD")[0] == 403
    assert is_owner(own.browser(ticket))


def test_the_key_itself_opens_nothing(own):
    for sent in ({}, {"Cookie": f"workbench-key={KEY}"}, {"Cookie": f"{OWNER_COOKIE}={KEY}"}):
        assert own.browser().get(f"?key={KEY}", **sent)[0] == 403
        assert "owner of this computer" not in own.browser().get("scores", **sent)[2]


def test_the_terminal_is_told_of_a_used_ticket():
    made = []
    own = Own()
    own.identity.ticket_used = lambda: made.append(own.ticket())
    try:
        own.browser(own.ticket())
        own.browser().get("?key=x")
        assert len(made) == 1
        assert is_owner(own.browser(made[0]))
    finally:
        own.close()


def test_a_program_that_checks_who_asks_has_a_key_that_is_not_used_up():
    own = Own(launch_key="l" * 43)
    try:
        for _ in range(2):
            assert is_owner(own.browser("l" * 43))
        assert own.browser().get("?key=")[0] == 403
    finally:
        own.close()


def test_servers_without_an_owner_take_no_ticket():
    served = Served()
    try:
        for key in ("", make_ticket(""), make_ticket(KEY)):
            assert ask(served, f"/?key={key}")[0] == 403
        here = f"http://localhost:{served.port}"
        assert ask(served, "/sign-out", "POST", Origin=here)[0] == 404
    finally:
        served.close()


# -- cookies ---------------------------------------------------------------------------------------


def test_the_cookie_is_no_key_and_only_for_this_server(own):
    browser = own.browser()
    _, headers, _ = browser.get(f"?key={own.ticket()}")
    (sent,) = headers.get_all("Set-Cookie")
    assert sent.startswith(f"workbench-owner-{own.port}=")
    assert KEY not in sent
    assert {"httponly", "samesite=lax", "path=/"} <= set(sent.lower().split("; "))
    with own.database.reading() as connection:
        rows = connection.execute(select(OWNER_SIGN_INS)).all()
        tickets = connection.execute(select(TICKETS)).all()
    for secret in (KEY, browser.cookies["owner"]):
        assert secret not in str(rows) + str(tickets)


def copied(own, browser, value=None, name=None):
    """Whether another program that got the cookie of a browser is taken for it."""
    value = browser.cookies["owner"] if value is None else value
    name = cookie_name(OWNER_COOKIE, own.port) if name is None else name
    _, _, text = Browser(browser.home).get("scores", Cookie=f"{name}={value}")
    return "owner of this computer" in text


def test_a_copied_cookie_is_worth_nothing_after_the_sign_out(own):
    browser, elsewhere = own.browser(own.ticket()), own.browser(own.ticket())
    value = browser.cookies["owner"]
    assert copied(own, browser)  # until then; see docs/operations.md
    assert browser.post("sign-out", {"form": "0" * 64})[0] == 403
    status, _, text = browser.post("sign-out", {"form": browser.token("scores")})
    assert status == 200
    assert "This browser is signed out" in text
    assert not is_owner(browser)
    assert not copied(own, browser, value=value)
    assert is_owner(elsewhere)
    more = own.browser(own.ticket())
    more.post("sign-out", {"form": more.token("scores"), "everywhere": "1"})
    assert not is_owner(elsewhere)


def test_a_copied_cookie_is_worth_nothing_after_a_week_without_use(own):
    browser = own.browser(own.ticket())
    own.clock.now += 6 * 24 * HOUR
    assert is_owner(browser)
    own.clock.now += 6 * 24 * HOUR  # use has lengthened it
    assert is_owner(browser)
    own.clock.now += 8 * 24 * HOUR
    value = browser.cookies["owner"]
    assert not copied(own, browser)
    status, _, text = browser.get("scores")
    assert status == 401
    assert "workbench serve --show" in text
    assert not browser.cookies.get("owner")
    assert not copied(own, browser, value=value)
    assert is_owner(own.browser(own.ticket()))


def test_use_does_not_lengthen_it_beyond_a_month(own):
    browser = own.browser(own.ticket())
    for _ in range(9):
        own.clock.now += 3.5 * 24 * HOUR
        is_owner(browser)
    assert not is_owner(browser)


def test_a_clock_that_jumps_an_hour_signs_nobody_out_and_nobody_in(own):
    browser = own.browser(own.ticket())
    gone = own.browser(own.ticket())
    value = gone.cookies["owner"]
    gone.post("sign-out", {"form": gone.token("scores")})
    for jump in (-HOUR, 2 * HOUR, -HOUR):
        own.clock.now += jump
        assert is_owner(browser)
        assert not copied(own, gone, value=value)


def test_a_cookie_of_another_name_secret_or_server_is_worth_nothing(own):
    browser = own.browser(own.ticket())
    value, name = browser.cookies["owner"], cookie_name(OWNER_COOKIE, own.port)
    assert not copied(own, browser, name=cookie_name(OWNER_COOKIE, own.port + 1))
    assert not copied(own, browser, name="workbench-owner")
    assert copied(own, browser, value.strip('"'))
    for wrong in (
        value.strip('"')[:-2],
        create_signed_value(b"t" * 32, name, "x" * 43).decode(),
        create_signed_value(SECRET, name, "x" * 43).decode(),
        create_signed_value(SECRET, name, "owner").decode(),
        create_signed_value(SECRET, name, sha256(b"x").hexdigest()).decode(),
    ):
        assert not copied(own, browser, value=wrong)


def test_after_a_restart_the_owner_is_signed_in_and_a_signed_out_cookie_is_not(tmp_path):
    first = Own(tmp_path)
    browser, gone, ticket = (
        first.browser(first.ticket()),
        first.browser(first.ticket()),
        first.ticket(),
    )
    value = gone.cookies["owner"]
    gone.post("sign-out", {"form": gone.token("scores")})
    first.browser(ticket)
    first.close()
    again = Own(tmp_path, port=first.port)
    assert is_owner(browser)
    assert not copied(again, gone, value=value)
    assert again.browser().get(f"?key={ticket}")[0] == 403  # it stays used
    again.close()
    other = Own(tmp_path, key="m" * 43, port=first.port)  # the file of the key was deleted
    assert not is_owner(browser)
    assert other.browser().get(f"?key={make_ticket(KEY)}")[0] == 403
    other.close()


def test_where_nothing_can_be_written_the_owner_is_let_in_until_the_end(tmp_path):
    (tmp_path / "file").write_text("")
    own = Own(tmp_path / "file")
    try:
        assert is_owner(own.browser(own.ticket()))
    finally:
        own.close()


def test_where_nothing_can_be_written_a_ticket_lets_one_of_two_in_at_once(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")

    class AtOnce:
        """Both find that nothing can be written before one of them goes on."""

        def submit(self, work, *given):
            done = Future()
            try:
                done.set_result(work(*given))
            except Exception as error:
                done.set_exception(error)
            return done

    async def begins(handler):
        pass

    async def both():
        ticket = owner.ticket()
        return await asyncio.gather(owner.admit(None, ticket), owner.admit(None, ticket))

    owner = module.WorkspaceOwner(ServerDatabase(tmp_path / "file"), KEY)
    monkeypatch.setattr(module, "WAITING", AtOnce())
    monkeypatch.setattr(owner, "begin", begins)
    assert sorted(asyncio.run(both())) == [False, True]


@pytest.mark.parametrize("name", FORMER)
def test_cookies_of_earlier_versions_are_deleted_at_the_first_answer(own, name):
    for path in ("/scores", "/words.json", "/nothing-there"):
        _, headers, _ = ask(own, path, Cookie=f"{name}=x")
        (sent,) = [one for one in headers.get_all("Set-Cookie") if one.startswith(f"{name}=")]
        assert sent.startswith(f'{name}="";')
        assert "path=/" in sent.lower()


def test_behind_a_proxy_two_servers_of_one_host_have_their_own_cookies():
    from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine

    from workbench.server.people.cookies import cookie_name as named

    def name(host, root="", **headers):
        context = SimpleNamespace(remote_ip="10.0.0.1", protocol="http")
        request = HTTPServerRequest(
            start_line=RequestStartLine("GET", "/", "HTTP/1.1"),
            headers=HTTPHeaders({"Host": host, **headers}),
            connection=SimpleNamespace(context=context),
        )
        options = SimpleNamespace(proxies=("10.0.0.1",), root_path=root)
        return named(SimpleNamespace(request=request, settings={"options": options}), WHO)

    assert name("localhost:5006") == "workbench-visitor-5006"
    assert name("[::1]") == "workbench-visitor-80"
    forwarded = {"X-Forwarded-Host": "audit.example.org", "X-Forwarded-Proto": "https"}
    names = [name("localhost:5006", root, **forwarded) for root in ("", "/a", "/a/b", "/a-b", "/b")]
    assert names[:3] == [f"workbench-visitor-443{end}" for end in ("", ".a", ".a.b")]
    assert len(set(names)) == 5
    assert all(re.fullmatch(r"[A-Za-z0-9._~-]+", one) for one in names)


def test_cookies_of_many_ports_do_not_fill_every_request(own):
    cookies = "; ".join(f"workbench-visitor-{port}=x" for port in range(2000, 2050))
    _, headers, _ = ask(own, "/scores", Cookie=cookies)
    forgotten = [one for one in headers.get_all("Set-Cookie") if '=""' in one]
    assert len(forgotten) == 50
    cookies = "; ".join(f"workbench-visitor-{port}=x" for port in range(2000, 2030))
    _, headers, _ = ask(own, "/scores", Cookie=cookies)
    assert not [one for one in headers.get_all("Set-Cookie") if '=""' in one]


# -- the command -----------------------------------------------------------------------------------


def test_the_terminal_shows_an_address_and_then_another_one(tmp_path, monkeypatch, capsys):
    server = Restartable(tmp_path)
    server.start()
    try:
        (first,) = re.findall(r"http://localhost:\d+/\?key=[\w-]+", server.log.read_text())
        key = (server.home / "key").read_text()
        browser = Browser(server.url.rstrip("/"))
        assert browser.get(first.removeprefix(server.url))[0] == 302
        assert is_owner(browser)
        _, second = re.findall(r"http://localhost:\d+/\?key=[\w-]+", server.log.read_text())
        monkeypatch.setenv("WORKBENCH_HOME", str(server.home))
        assert main(["serve", "--show", "--port", str(server.port)]) == 0
        shown = capsys.readouterr().out
        for address in (second, shown.strip(), owner_address(server.home, server.url)):
            more = Browser(server.url.rstrip("/"))
            assert more.get(address.removeprefix(server.url))[0] == 302, address
            assert is_owner(more)
        assert key not in server.log.read_text() + shown
        assert main(["serve", "--show", "--accounts"]) == 2
        assert "--show is for the owner" in capsys.readouterr().err
    finally:
        server.close()
