"""Signing in with a provider, which is a small server of this test."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import urllib.request
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from helpers.elsewhere import ACCESS, ADA, KEY, SECRET, provided
from helpers.people import Team
from helpers.servers import free_port

from workbench.cli.serving import oauth as cli
from workbench.dashboard.tab import Tab
from workbench.pages.registry import PAGES
from workbench.server.app import App
from workbench.server.people.oauth import CALLBACK, COOKIE, START, Asked, OAuth, RefusedError
from workbench.server.people.person import Role
from workbench.server.people.providers import (
    PROVIDERS,
    GitHub,
    Microsoft,
    Provider,
    ProviderError,
    provider,
)
from workbench.server.people.sign_ins import SIGN_IN


@pytest.fixture(scope="module")
def elsewhere():
    with provided() as made:
        yield made


def asked_of(elsewhere, **more):
    home = elsewhere.home
    return Provider("Test", "test", f"{home}/authorize", f"{home}/token", **more)


@pytest.fixture(scope="module")
def team(elsewhere):
    oauth = OAuth(asked_of(elsewhere), KEY, SECRET, allow=("example.org", "bob@gmail.com"))
    app = App([Tab(PAGES["counts"].kind, "/counts", "Counts")])
    made = Team(app=app, oauth=oauth)
    yield made
    made.close()


@pytest.fixture
def there(elsewhere):
    elsewhere.reset()
    return elsewhere


def begun(browser, goes=""):
    """The address of the provider to which a browser is sent."""
    asked = f"{START}?next={goes}" if goes else START
    status, headers, _ = browser.get(asked)
    assert status == 302
    return headers["Location"]


def back(browser, address):
    """The answer to a browser that comes back from the provider."""
    return browser.get(address.removeprefix(browser.home).removeprefix("/"))


def who(browser):
    """Whose pages a browser shows; "" for nobody's."""
    status, _, text = browser.get("password")
    return "" if status == 302 else text


# -- success ---------------------------------------------------------------------------------------


def test_somebody_signs_in_and_goes_where_they_wanted_to(team, there):
    browser = team.browser()
    _, _, text = browser.get("sign-in?next=counts%3Fa%3D1")
    assert f'href="./{START}?next=counts%3Fa%3D1"' in text
    address = begun(browser, "counts%3Fa%3D1")
    query = parse_qs(urlsplit(address).query)
    assert query["response_type"] == ["code"]
    assert query["redirect_uri"] == [f"http://localhost:{team.port}/{CALLBACK}"]
    assert query["code_challenge_method"] == ["S256"]
    assert SECRET not in address
    status, headers, text = back(browser, there.approve(address))
    assert (status, headers["Location"], text) == (302, "./counts?a=1", "")
    assert SIGN_IN in browser.cookies
    assert set(browser.cookies) <= {SIGN_IN, "form"}
    assert ACCESS not in str(headers)
    assert "You sign in with test" in who(browser)


def test_the_subject_is_the_identity_and_not_the_address(team, there):
    first = team.browser()
    back(first, there.approve(begun(first)))
    before = {account.name: account.key for account in team.accounts.list()}
    there.claims = {"email": "countess@example.org", "name": "Countess"}  # the same subject
    again = team.browser()
    assert back(again, there.approve(begun(again)))[0] == 302
    assert {account.name: account.key for account in team.accounts.list()} == before
    there.claims = {"sub": "somebody-else"}  # the same address and name
    other = team.browser()
    assert back(other, there.approve(begun(other)))[0] == 302
    after = {account.name: account.key for account in team.accounts.list()}
    assert len(after) == len(before) + 1
    assert "Ada Lovelace (test)" in after


def test_nobody_gets_an_account_with_a_password_by_its_name(team, there):
    there.claims = {"sub": "evil", "name": "Anna"}
    browser = team.browser()
    assert back(browser, there.approve(begun(browser)))[0] == 302
    anna = team.accounts.find("Anna")
    assert team.accounts.find("Anna (test)").key != anna.key
    assert anna.provider is None


def test_the_address_may_be_said_elsewhere_than_in_the_id_token(elsewhere, there):
    chosen = asked_of(elsewhere, user=f"{elsewhere.home}/user")
    oauth = OAuth(chosen, KEY, SECRET, allow=("example.org",))
    there.claims = {"email": None, "email_verified": None}
    there.info = {**ADA, "email_verified": True}
    assert entered(oauth, there).email == "ada@example.org"
    there.info["sub"] = "another"
    with pytest.raises(RefusedError, match="could not say who you are"):
        entered(oauth, there)


def entered(oauth, there):
    """Who an `OAuth` says has signed in, without a server of ours."""
    asked, here = Asked(), "http://localhost/"
    code = f"code-{len(there.codes)}"
    there.codes[code] = {
        "code_challenge": asked.challenge,
        "redirect_uri": oauth.redirect_uri(here),
        "nonce": asked.nonce,
    }
    return asyncio.run(oauth.identified(asked, code, here))


def test_github_has_its_own_way(elsewhere, there):
    home = elsewhere.home
    github = GitHub("GitHub", "GitHub", f"{home}/authorize", f"{home}/token", f"{home}/user")
    oauth = OAuth(github, KEY, SECRET, allow=("example.org",))
    there.token = {"id_token": None}
    there.info = {"id": 583231, "login": "ada", "name": None, "email": "ada@example.org"}
    verified = {"email": "ada@example.org", "primary": True, "verified": True}
    there.emails = [{"email": "ada@other.example", "primary": False, "verified": True}, verified]
    found = entered(oauth, there)
    assert (found.subject, found.name, found.email) == ("583231", "ada", "ada@example.org")
    for emails in ([], [verified | {"verified": False}], [verified | {"primary": False}], ["x"]):
        there.emails = emails
        with pytest.raises(RefusedError, match="has not allowed your account"):
            entered(oauth, there)


def test_microsoft_has_no_verified_addresses_but_a_tenant(elsewhere, there):
    home = elsewhere.home
    tenant = Microsoft("Microsoft", "t", f"{home}/authorize", f"{home}/token", issuer=f"{home}/t")
    oauth = OAuth(tenant, KEY, SECRET, allow=("example.org",))
    there.claims = {"email_verified": None, "iss": f"{home}/t"}
    assert entered(oauth, there).email == "ada@example.org"
    there.claims["iss"] = f"{home}/another-tenant"
    with pytest.raises(RefusedError, match="could not say who you are"):
        entered(oauth, there)


# -- refusals --------------------------------------------------------------------------------------


def is_refused(answer, browser, words, status=403):
    """Whether a browser got a sentence and nothing else."""
    got, headers, text = answer
    assert got == status, text
    assert words in text
    assert SIGN_IN not in browser.cookies
    assert who(browser) == ""
    assert "Traceback" not in text
    for hidden in (SECRET, ACCESS):
        assert hidden not in text
        assert hidden not in str(headers)
    return True


BEGIN_AGAIN = "Begin again."


def test_a_forged_state_is_refused(team, there):
    browser = team.browser()
    address = there.approve(begun(browser))
    forged = address.replace("state=", "state=x")
    assert is_refused(back(browser, forged), browser, BEGIN_AGAIN)
    assert there.asked == []  # the code was not used


def test_a_sign_in_that_somebody_else_began_is_refused(team, there):
    """An attacker gives away a link that signs others in as the attacker."""
    attacker, victim = team.browser(), team.browser()
    address = there.approve(begun(attacker))
    assert is_refused(back(victim, address), victim, BEGIN_AGAIN)
    begun(victim)
    assert is_refused(back(victim, address), victim, BEGIN_AGAIN)
    assert there.asked == []


def test_what_came_back_once_is_refused_the_second_time(team, there):
    browser = team.browser()
    address = there.approve(begun(browser))
    cookie = browser.cookies[COOKIE]
    assert back(browser, address)[0] == 302
    assert COOKIE not in browser.cookies
    thief = team.browser()
    assert is_refused(back(thief, address), thief, BEGIN_AGAIN)
    stolen = thief.get(back_path(address), Cookie=f"{browser.name(COOKIE)}={cookie}")
    assert is_refused(stolen, thief, BEGIN_AGAIN)
    assert len(there.asked) == 1


def back_path(address):
    parts = urlsplit(address)
    return f"{parts.path[1:]}?{parts.query}"


def test_a_code_is_bound_to_the_browser_that_asked_for_it(team, there):
    """An attacker who learns a code cannot use it in a sign-in of their own."""
    victim, attacker = team.browser(), team.browser()
    code = parse_qs(urlsplit(there.approve(begun(victim))).query)["code"][0]
    state = parse_qs(urlsplit(begun(attacker)).query)["state"][0]
    answer = attacker.get(f"{CALLBACK}?{urlencode({'code': code, 'state': state})}")
    assert is_refused(answer, attacker, "could not say who you are", 502)


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another-program"},
        {"aud": None},
        {"aud": [KEY, "another"]},
        {"aud": [KEY], "azp": "another"},
        {"iss": "https://evil.example"},
        {"iss": None},
        {"nonce": "of another sign-in"},
        {"nonce": None},
        {"exp": 1_000_000_000},
        {"exp": None},
        {"exp": float("nan")},
        {"exp": "later"},
        {"sub": None},
        {"sub": ""},
        {"sub": ["a"]},
        {"sub": True},
    ],
    ids=str,
)
def test_an_id_token_for_somebody_else_is_refused(team, there, claims):
    there.claims = claims
    browser = team.browser()
    answer = back(browser, there.approve(begun(browser)))
    assert is_refused(answer, browser, "Test could not say who you are.", 502)


@pytest.mark.parametrize(
    "claims",
    [
        {"email_verified": False},
        {"email_verified": None},
        {"email_verified": "false"},
        {"email_verified": 1.5},
        {"email": None},
        {"email": "eve@evil.example"},
        {"email": "eve@example.org.evil.example"},
        {"email": "eve@sub.example.org"},
        {"email": "alice@gmail.com"},
        {"email": "example.org"},
        {"email": "ada@example.org, eve@evil.example"},
        {"email": "eve@evil.example\n@example.org"},
        {"email": ["ada@example.org"]},
    ],
    ids=str,
)
def test_only_verified_addresses_that_are_allowed_may_enter(team, there, claims):
    there.claims = claims
    browser = team.browser()
    answer = back(browser, there.approve(begun(browser)))
    assert is_refused(answer, browser, "has not allowed your account")
    names = {account.name for account in team.accounts.list()}
    there.claims = {**claims, "sub": "new", "name": "Newcomer"}
    back(browser, there.approve(begun(browser)))
    assert {account.name for account in team.accounts.list()} == names


def test_an_address_may_be_allowed_without_its_domain(team, there):
    there.claims = {"email": "Bob@Gmail.com", "sub": "bob", "name": "Bob"}
    browser = team.browser()
    assert back(browser, there.approve(begun(browser)))[0] == 302


@pytest.mark.parametrize(
    "answer",
    [
        {"status": 500},
        {"status": 500, "raw": b"<html>our-secret-at-the-provider"},
        {"raw": b"not json"},
        {"raw": b'"text"'},
        {"raw": b""},
        {"raw": b"x" * 2**21},
        {"token": {"access_token": None}},
        {"token": {"id_token": None}},
        {"token": {"id_token": "nonsense"}},
        {"token": {"id_token": "a.b.c"}},
        {"token": {"id_token": 7}},
        {"token": {"id_token": "e30.W10.x"}},
        {"status": 302, "raw": b""},
    ],
    ids=str,
)
def test_a_provider_that_answers_something_else_gets_a_sentence(team, there, answer, caplog):
    caplog.set_level(logging.DEBUG)
    for name, value in answer.items():
        setattr(there, name, value)
    browser = team.browser()
    got = back(browser, there.approve(begun(browser)))
    assert is_refused(got, browser, "Test could not say who you are.", 502)
    events = [getattr(record, "event", "") for record in caplog.records]
    assert "oauth_failed" in events
    assert SECRET not in caplog.text
    assert ACCESS not in caplog.text


def test_a_provider_that_is_down_gets_a_sentence(there):
    gone = Provider("Test", "test", "https://x.example", f"http://localhost:{free_port()}/token")
    oauth = OAuth(gone, KEY, SECRET, allow_all=True)
    with pytest.raises(RefusedError, match="could not say who you are") as refused:
        entered(oauth, there)
    assert refused.value.status == 502


def test_nobody_can_have_the_server_ask_the_provider_without_end(there):
    """Each question takes time; those of one network do not hold up those of others."""
    from_one, other = "198.51.100.7", "203.0.113.9"

    async def crowd():
        arrived, answer = 0, asyncio.Event()

        class Slow(Provider):
            async def tokens(self, **fields):
                nonlocal arrived
                arrived += 1
                await answer.wait()
                raise ProviderError("late")

        home = there.home
        slow = Slow("Test", "test", f"{home}/authorize", f"{home}/token")
        oauth = OAuth(slow, KEY, SECRET, allow_all=True)

        async def status(address):
            with pytest.raises(RefusedError) as refused:
                await oauth.identified(Asked(), "code", "http://localhost/", address)
            return refused.value.status

        waiting = [asyncio.create_task(status(one)) for one in [from_one] * 30 + [other]]
        while arrived < 21:
            await asyncio.sleep(0)
        answer.set()
        found = await asyncio.gather(*waiting)
        assert await status(from_one) == 502  # there is place again
        return found

    found = asyncio.run(crowd())
    assert found[:30] == [502] * 20 + [429] * 10
    assert found[30] == 502


def test_a_provider_that_says_no_gets_a_sentence(team, there):
    browser = team.browser()
    state = parse_qs(urlsplit(begun(browser)).query)["state"][0]
    said = {"error": "access_denied", "error_description": "<script>alert(1)</script>"}
    answer = browser.get(f"{CALLBACK}?{urlencode({'state': state, **said})}")
    assert is_refused(answer, browser, "Test did not sign you in.")
    assert "alert(1)" not in answer[2]
    assert "access_denied" not in answer[2]


@pytest.mark.parametrize(
    "goes",
    ["//evil.example", "https://evil.example", "/%5Cevil.example", "javascript:alert(1)", "./x/.."],
)
def test_nobody_is_sent_to_another_server(team, there, goes):
    browser = team.browser()
    status, headers, _ = back(browser, there.approve(begun(browser, goes)))
    assert (status, headers["Location"]) == (302, "./")


def test_cookies_of_panel_are_neither_set_nor_believed(team, there):
    browser = team.browser()
    back(browser, there.approve(begun(browser)))
    theirs = {"user", "access_token", "id_token", "refresh_token", "oauth_expiry"}
    assert not theirs & set(browser.cookies)
    stranger = team.browser()
    for name in theirs:
        status, headers, _ = stranger.get("counts", Cookie=f"{name}=Ada")
        assert (status, headers["Location"]) == (302, "./sign-in?next=counts")


def test_a_page_that_is_opened_under_another_name_does_not_lead_to_the_provider(team, there):
    browser = team.browser()
    request = urllib.request.Request(f"{browser.home}/{START}", headers={"Host": "evil.example"})
    status, headers, text = browser._ask(request)
    assert status == 403
    assert "Location" not in headers
    assert "not meant to be opened" in text


def test_without_a_provider_its_addresses_lead_nowhere():
    made = Team(app=App([Tab(PAGES["counts"].kind, "/counts", "Counts")]))
    try:
        for path in (START, f"{CALLBACK}?code=x&state=y"):
            assert made.browser().get(path)[0] == 404
    finally:
        made.close()


# -- what the operator says ------------------------------------------------------------------------

EXTRA = {
    "azure": {"tenant": "12345678-1234-1234-1234-123456789abc"},
    "okta": {"url": "dev-1.okta.com"},
    "auth0": {"subdomain": "dev-1"},
    "generic": {
        "AUTHORIZE_URL": "https://login.example.org/authorize",
        "TOKEN_URL": "https://login.example.org/token",
    },
}


@pytest.mark.parametrize("name", PROVIDERS)
def test_the_addresses_of_every_provider_are_known(name):
    found = provider(name, EXTRA.get(name, {}))
    for address in filter(None, (found.authorize, found.token, found.user)):
        assert address.startswith("https://")
        assert "?" not in address
    assert found.issuer.startswith("https://") or name in ("github", "generic")


ISSUERS = {
    "gitlab": "https://gitlab.com",
    "google": "https://accounts.google.com",
    "azure": "https://login.microsoftonline.com/12345678-1234-1234-1234-123456789abc/v2.0",
    "okta": "https://dev-1.okta.com/oauth2/default",
    "auth0": "https://dev-1.auth0.com/",
}


def test_a_server_of_ones_own_has_the_addresses_of_its_kind():
    own = provider("gitlab", {"url": "git.example.org"})
    assert (own.realm, own.issuer) == ("git.example.org", "https://git.example.org")
    assert own.user == "https://git.example.org/oauth/userinfo"
    okta = {
        server: provider("okta", {"url": "x.okta.com", "server": server}) for server in ("", "s")
    }
    assert okta["s"].issuer == "https://x.okta.com/oauth2/s"
    assert okta["s"].token == "https://x.okta.com/oauth2/s/v1/token"
    assert okta[""].issuer == "https://x.okta.com"  # the server of the organization
    assert okta[""].token == "https://x.okta.com/oauth2/v1/token"
    assert {one.realm for one in okta.values()} == {"x.okta.com"}
    addresses = {"AUTHORIZE_URL": "https://a.example/in?x=1", "TOKEN_URL": "https://a.example/t"}
    assert provider("generic", addresses).authorize == "https://a.example/in"
    named = provider("generic", {**addresses, "ISSUER": "https://b.example", "TITLE": "{host}"})
    assert (named.title, named.realm) == ("{host}", "https://b.example")


@pytest.mark.parametrize("name", ISSUERS)
def test_the_issuers_are_those_that_the_providers_document(name):
    found = provider(name, EXTRA.get(name, {}))
    assert found.issuer == ISSUERS[name]
    assert found._is_issuer(ISSUERS[name])
    assert not found._is_issuer(f"{ISSUERS[name]}.evil.example")


@pytest.mark.parametrize(
    ("name", "extra", "words"),
    [
        ("myspace", {}, "a provider is one of github, gitlab"),
        ("password", {}, "a provider is one of github, gitlab"),
        ("okta", {}, "needs url"),
        ("generic", {"TOKEN_URL": "https://x.example"}, "needs AUTHORIZE_URL"),
        ("google", {"tenant": "x"}, "takes no additions; got 'tenant'"),
        ("azure", {"tenant": "common"}, "can claim any e-mail address"),
        (
            "generic",
            {"AUTHORIZE_URL": "https://a.example", "TOKEN_URL": "http://a.example"},
            "must begin with https",
        ),
    ],
)
def test_what_a_provider_cannot_use_is_refused(name, extra, words):
    with pytest.raises(ValueError, match=words):
        provider(name, extra)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "say who may sign in"),
        ({"allow": ("example.org",), "allow_all": True}, "say who may sign in"),
        ({"allow": ("*",)}, "who may sign in is an address"),
        ({"allow": ("*.example.org",)}, "who may sign in is an address"),
        ({"allow": ("org",)}, "who may sign in is an address"),
        ({"allow": ("",)}, "who may sign in is an address"),
        ({"allow_all": True, "role": Role.ADMIN}, "nobody becomes an administrator"),
        ({"allow_all": True, "secret": ""}, "needs the id that it has given"),
        ({"allow_all": True, "redirect_uri": "https://x.example/other"}, "must end with"),
    ],
)
def test_a_server_that_would_let_in_anybody_or_nobody_is_refused(elsewhere, given, words):
    options = {"key": KEY, "secret": SECRET, **given}
    with pytest.raises(ValueError, match=words):
        OAuth(asked_of(elsewhere), **options)


def test_nothing_shows_the_secret(elsewhere):
    oauth = OAuth(asked_of(elsewhere), KEY, SECRET, allow_all=True)
    assert SECRET not in repr(oauth)
    asked = Asked()
    assert asked.verifier not in repr(asked)


def options(*given):
    parser = argparse.ArgumentParser()
    cli.add(parser)
    return cli.options_of(parser.parse_args(given))


GOOGLE = ["--oauth-provider", "google", "--oauth-key", KEY]


def test_the_secret_comes_from_the_environment_which_forgets_it(monkeypatch):
    monkeypatch.setenv(cli.SECRET, SECRET)
    made = options(*GOOGLE, "--oauth-allow", "@example.org", "--oauth-role", "viewer")
    assert (made.key, made.role, made.provider.title) == (KEY, Role.VIEWER, "Google")
    assert cli.SECRET not in os.environ  # jobs and mechanisms do not inherit it


def test_the_secret_comes_from_a_file(tmp_path, monkeypatch):
    monkeypatch.delenv(cli.SECRET, raising=False)
    file = tmp_path / "secret"
    file.write_text(f"{SECRET}\n")
    given = ["--oauth-provider", "generic", "--oauth-key", KEY, "--oauth-secret-file", str(file)]
    for pair in EXTRA["generic"].items():
        given += ["--oauth-extra", "=".join(pair)]
    assert options(*given, "--oauth-allow-all").provider.title == "login.example.org"


def test_without_a_provider_there_is_none(monkeypatch):
    monkeypatch.setenv(cli.SECRET, SECRET)
    assert options() is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--oauth-allow-all"], "--oauth-allow-all needs --oauth-provider"),
        ([*GOOGLE, "--oauth-allow-all"], "must be in WORKBENCH_OAUTH_SECRET or --oauth-secret-f"),
        ([*GOOGLE, "--oauth-secret-file", "FILE"], "say who may sign in"),
        ([*GOOGLE[:2], "--oauth-secret-file", "FILE"], "needs the id that it has given"),
        ([*GOOGLE, "--oauth-extra", "tenant"], "must be KEY=VALUE, got 'tenant'"),
    ],
)
def test_options_that_do_not_fit_are_refused(given, words, tmp_path, monkeypatch):
    monkeypatch.delenv(cli.SECRET, raising=False)
    file = tmp_path / "secret"
    file.write_text(SECRET)
    with pytest.raises(ValueError, match=words) as refused:
        options(*(str(file) if one == "FILE" else one for one in given))
    assert SECRET not in str(refused.value)


def test_the_command_knows_all_providers():
    assert cli.PROVIDERS == PROVIDERS
