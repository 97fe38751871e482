"""Signing in and out over HTTP: cookies, forms, where people go, and when a sign-in ends."""

import re
import time

import pytest
from helpers.people import PASSWORD, TEAM, Browser, Team
from helpers.served import Served, cookie_name
from helpers.servers import PATIENCE
from sqlalchemy import select
from tornado.web import create_signed_value

from workbench.dashboard.tab import Tab
from workbench.pages.registry import PAGES
from workbench.server.app import App
from workbench.server.handlers.sign_in import next_page
from workbench.server.people.person import Role
from workbench.server.people.sign_ins import SIGN_IN
from workbench.server.storing.schema import SIGN_INS

SECRET = b"s" * 32


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self):
        self.now = time.time()

    def __call__(self):
        return self.now


@pytest.fixture(scope="module")
def clock():
    return Clock()


@pytest.fixture(scope="module")
def team(clock):
    made = Team(clock=clock, idle=3600.0, longest=10 * 3600.0)
    yield made
    made.close()


def rows(team):
    with team.database.reading() as connection:
        return connection.execute(select(SIGN_INS)).all()


def signed_in_as(browser):
    """Whose document the server sends; "" for the sign-in page."""
    status, headers, text = browser.get("counts")
    if status == 302:
        assert headers["Location"] == "./sign-in?next=counts"
        assert text == ""
        return ""
    assert status == 200
    return re.search(r'aria-label="Account of (\w+)"', text)[1]


# -- strangers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "counts", "scores", "audits", "counts?a=1&b=%2F"])
def test_a_page_asks_strangers_to_sign_in_and_brings_them_back(team, path):
    browser = team.browser()
    status, headers, text = browser.get(path)
    assert status == 302
    assert text == ""
    assert "no-store" in headers["Cache-Control"]
    assert browser.cookies == {}
    asked = headers["Location"]
    assert asked.startswith("./sign-in?next=")
    answer = browser.get(asked.removeprefix("./"))
    assert answer[0] == 200
    token = re.search(r'name="form" value="(\w+)"', answer[2])[1]
    fields = {"form": token, "name": "Anna", "password": PASSWORD}
    status, headers, text = browser.post(asked.removeprefix("./"), fields)
    assert (status, headers["Location"], text) == (303, f"./{path}", "")


@pytest.mark.parametrize(
    "path",
    [
        "report/counts.json",
        "figure/counts/intervals.csv",
        "texts/counts/epsilon.json",
        "data/example:gaussian.csv",
        "audits/x.audit.zip",
        "progress.json?of=./report/counts.md",
    ],
)
def test_strangers_get_no_files(team, path):
    status, _headers, text = team.browser().get(path)
    assert status == 401
    assert len(text) < 1_000
    assert "sign in first" in text.lower()


def test_no_session_opens_for_strangers(team):
    before = len(team.visitors.here._by_key)
    for _ in range(5):
        team.browser().get("scores")
    assert len(team.visitors.here._by_key) == before


@pytest.mark.parametrize(
    "asked",
    [
        "//evil.example",
        "/counts",
        "https://evil.example",
        "\\\\evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "counts/../..//evil.example",
        "counts\r\nX: y",
        "%2F%2Fevil.example",
        "counts\nx",
        ".",
    ],
)
def test_nobody_is_sent_to_another_server(team, asked):
    assert next_page(asked) == "./"
    status, headers, _ = team.browser().sign_in("Anna", goes=asked)
    assert (status, headers["Location"]) == (303, "./")


@pytest.mark.parametrize("path", ["sign-in", "sign-out", "password"])
def test_a_server_without_accounts_has_no_such_pages(path):
    served = Served(App([Tab(PAGES["counts"].kind, "/counts", "Counts")]))
    try:
        browser = Browser(f"http://localhost:{served.port}")
        for status, _, text in (browser.get(path), browser.post(path, {"name": "x"})):
            assert status in (404, 405)
            assert "<form" not in text
    finally:
        served.close()


def named(team):
    """The name of the cookie of somebody who is signed in."""
    return cookie_name(SIGN_IN, team.port)


# -- signing in ------------------------------------------------------------------------------------


def test_people_sign_in_and_see_who_they_are(team):
    for name in TEAM:
        assert signed_in_as(team.browser(name)) == name
    assert signed_in_as(team.browser("anna")) == "Anna"  # as it was added


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(team):
    answers = []
    for name, password in (("Ben", "not the password"), ("Nobody", PASSWORD), ("", "")):
        browser = team.browser()
        status, _headers, text = browser.sign_in(name, password)
        assert status == 401
        assert SIGN_IN not in browser.cookies
        assert text.count("The name or the password is wrong.") == 1
        assert password == "" or password not in text
        text = re.sub(r'value="[0-9a-f]{64}"', "", text)
        if name:
            answers.append(text.replace(name, "NAME"))
    assert answers[0] == answers[1]


def test_what_was_typed_is_text(team):
    name = '"><script>alert(1)</script>{{7*7}}'
    status, _, text = team.browser().sign_in(name, "x")
    assert status == 401
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "{{7*7}}" in text


def test_the_cookie_is_kept_from_scripts_and_other_sites(team):
    status, headers, _ = team.browser().sign_in("Anna")
    assert status == 303
    sent = [one for one in headers.get_all("Set-Cookie") if one.startswith(f"{named(team)}=")]
    assert len(sent) == 1
    assert {"httponly", "samesite=lax", "path=/"} <= set(sent[0].lower().split("; "))


def test_the_database_has_no_id_that_could_be_used(team):
    browser = team.browser("Anna")
    cookie = browser.cookies[SIGN_IN]
    for row in rows(team):
        assert len(row.id_hash) == 64
        assert row.id_hash not in cookie
    # What the database has, signed with the secret of the server, is no id either.
    stolen = Browser(browser.home)
    for row in rows(team):
        signed = create_signed_value(SECRET, named(team), row.id_hash).decode()
        status, headers, _ = stolen.get("counts", Cookie=f"{named(team)}={signed}")
        assert (status, headers["Location"]) == (302, "./sign-in?next=counts")


@pytest.mark.parametrize("kind", ["forged", "other secret", "cut", "other name", "guessed"])
def test_other_cookies_are_worth_nothing(team, kind):
    cookie = team.browser("Anna").cookies[SIGN_IN]
    value = {
        "forged": cookie[:-4] + ("0000" if cookie[-4:] != "0000" else "1111"),
        "other secret": create_signed_value(b"t" * 32, named(team), "x" * 43).decode(),
        "cut": cookie[: len(cookie) // 2],
        "other name": create_signed_value(
            SECRET, cookie_name("visitor", team.port), "x" * 43
        ).decode(),
        "guessed": create_signed_value(SECRET, named(team), "x" * 43).decode(),
    }[kind]
    stranger = Browser(team.browser().home)
    status, headers, text = stranger.get("counts", Cookie=f"{named(team)}={value}")
    assert (status, headers["Location"], text) == (302, "./sign-in?next=counts", "")
    status, _, text = stranger.get("report/counts.json", Cookie=f"{named(team)}={value}")
    assert status == 401
    assert "epsilon" not in text


def test_nobody_can_choose_the_id_of_a_sign_in(team):
    """A cookie that was there before is not what the person is known by afterwards."""
    attacker = team.browser("Ben")
    before = attacker.cookies[SIGN_IN]
    victim = team.browser("Ben")
    victim.jar.clear()
    for cookie in attacker.jar:
        victim.jar.set_cookie(cookie)
    status, _, text = victim.post(
        "sign-in",
        {"form": victim.token("password"), "name": "Anna", "password": PASSWORD},
    )
    assert status == 303, text
    assert victim.cookies[SIGN_IN] != before
    assert signed_in_as(victim) == "Anna"
    stale = Browser(victim.home)
    status, _, _ = stale.get("counts", Cookie=f"{named(team)}={before}")
    assert status == 302  # the one before has ended


# -- forms -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["", "0" * 64, "of another browser"])
def test_a_form_of_another_page_does_nothing(team, token):
    browser = team.browser()
    browser.token("sign-in")
    sent = team.browser().token("sign-in") if token.startswith("of") else token
    fields = {"form": sent, "name": "Anna", "password": PASSWORD}
    status, _, text = browser.post("sign-in", fields)
    assert status == 403
    assert "Try again" in text
    assert SIGN_IN not in browser.cookies

    browser = team.browser("Anna")
    sent = team.browser("Ben").token("counts") if token.startswith("of") else token
    assert browser.post("sign-out", {"form": sent})[0] == 403
    assert signed_in_as(browser) == "Anna"
    change = {"form": sent, "old": PASSWORD, "new": "another good one", "again": "another good one"}
    assert browser.post("password", change)[0] == 403
    assert team.accounts.passwords.verify(team.accounts.find("Anna").password, PASSWORD)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", ""])
def test_a_form_of_another_site_is_refused_even_with_the_token(team, origin):
    browser = team.browser()
    fields = {"form": browser.token("sign-in"), "name": "Anna", "password": PASSWORD}
    status, _, text = browser.post("sign-in", fields, Origin=origin)
    assert status == 403
    assert SIGN_IN not in browser.cookies
    assert "Account of" not in text


def test_the_token_of_a_form_ends_with_the_sign_in(team):
    browser = team.browser("Anna")
    old = browser.token("counts")
    browser.post("sign-out", {"form": old})
    browser.sign_in("Anna")
    assert browser.token("counts") != old
    assert browser.post("sign-out", {"form": old})[0] == 403


def test_a_form_may_not_be_large(team):
    browser = team.browser()
    fields = {"form": browser.token("sign-in"), "name": "Anna", "password": "x" * 100_000}
    try:
        status = browser.post("sign-in", fields)[0]
    except OSError:  # closed while it was being sent
        status = 400
    assert status in (400, 413)
    assert signed_in_as(team.browser("Anna")) == "Anna"  # the server goes on


# -- signing out -----------------------------------------------------------------------------------


def test_signing_out_ends_it_on_the_server(team):
    browser, elsewhere = team.browser("Anna"), team.browser("Anna")
    copied = browser.cookies[SIGN_IN]
    status, headers, text = browser.post("sign-out", {"form": browser.token("counts")})
    assert (status, headers["Location"], text) == (303, "./sign-in", "")
    assert not browser.cookies.get(SIGN_IN)
    assert signed_in_as(browser) == ""
    status, headers, _ = Browser(browser.home).get("counts", Cookie=f"{named(team)}={copied}")
    assert (status, headers["Location"]) == (302, "./sign-in?next=counts")
    assert signed_in_as(elsewhere) == "Anna"


def test_signing_out_everywhere(team):
    browsers = [team.browser("Ben") for _ in range(3)]
    other = team.browser("Anna")
    browsers[0].post("sign-out", {"form": browsers[0].token("counts"), "everywhere": "1"})
    assert [signed_in_as(one) for one in browsers] == ["", "", ""]
    assert signed_in_as(other) == "Anna"


def test_signing_out_when_signed_out(team):
    status, headers, _ = team.browser().post("sign-out", {})
    assert (status, headers["Location"]) == (303, "./sign-in")


def test_a_get_changes_nothing(team):
    browser = team.browser("Anna")
    assert browser.get("sign-out")[0] == 405
    assert signed_in_as(browser) == "Anna"


# -- passwords and roles ---------------------------------------------------------------------------


def test_changing_a_password_signs_out_everywhere_else(team):
    team.accounts.add("Cleo", Role.EDITOR, PASSWORD)
    browser, elsewhere = team.browser("Cleo"), team.browser("Cleo")
    new = "a quite different one"

    def change(**more):
        typed = {"old": PASSWORD, "new": new, "again": new, **more}
        return browser.post("password", {"form": browser.token("password"), **typed})

    for more, status, says in (
        ({"old": "not the old one"}, 401, "The old password is wrong."),
        ({"again": new + "x"}, 400, "The new passwords are not the same."),
        ({"new": "short", "again": "short"}, 400, "at least 12 characters"),
        ({"new": "a" * 12, "again": "a" * 12}, 400, "too easy to guess"),
    ):
        answer = change(**more)
        assert answer[0] == status
        assert says in answer[2]
        assert new not in answer[2]
    assert signed_in_as(elsewhere) == "Cleo"
    status, _, text = change()
    assert status == 200
    assert "Your password was changed" in text
    assert signed_in_as(browser) == "Cleo"
    assert signed_in_as(elsewhere) == ""
    assert team.browser().sign_in("Cleo", PASSWORD)[0] == 401
    assert team.browser().sign_in("Cleo", new)[0] == 303


def test_a_new_role_counts_within_seconds(team, clock):
    team.accounts.add("Dora", Role.EDITOR, PASSWORD)
    browser = team.browser("Dora")
    assert "<span>editor</span>" in browser.get("counts")[2]
    team.accounts.set_role("Dora", Role.VIEWER)  # as the command line does
    clock.now += 3
    assert "<span>viewer</span>" in browser.get("counts")[2]


def test_a_removed_account_is_signed_out(team, clock):
    team.accounts.add("Emil", Role.EDITOR, PASSWORD)
    browser = team.browser("Emil")
    assert signed_in_as(browser) == "Emil"
    team.accounts.remove("Emil")
    clock.now += 3
    assert signed_in_as(browser) == ""
    assert browser.get("report/counts.json")[0] == 401
    assert browser.sign_in("Emil")[0] == 401


# -- time ------------------------------------------------------------------------------------------


def test_a_sign_in_ends_without_use(team, clock):
    browser = team.browser("Anna")
    for _ in range(3):  # each use gives it another hour
        clock.now += 3000
        assert signed_in_as(browser) == "Anna"
        wait_for(lambda: max(row.used for row in rows(team)) == clock.now)
    clock.now += 3601
    assert signed_in_as(browser) == ""


def test_a_sign_in_ends_in_any_case(team, clock):
    browser = team.browser("Anna")
    for _ in range(11):
        assert signed_in_as(browser) == "Anna"
        wait_for(lambda: max(row.used for row in rows(team)) == clock.now)
        clock.now += 3300
    assert signed_in_as(browser) == ""
    team.browser("Ben")
    assert len(rows(team)) == 1  # those that have ended are forgotten


def wait_for(condition):
    give_up = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.01)


def test_requests_do_not_wait_for_the_database(team, clock, monkeypatch):
    browser = team.browser("Anna")
    signed_in_as(browser)
    asked = []
    ask = team.sign_ins._ask
    monkeypatch.setattr(team.sign_ins, "_ask", lambda hashes: asked.append(1) or ask(hashes))
    for _ in range(20):
        signed_in_as(browser)
    assert len(asked) == 0  # the clock stands still
    clock.now += 3
    for _ in range(20):
        signed_in_as(browser)
    assert len(asked) == 1
