"""What every answer says of itself, and how the server refuses what it does not take."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from helpers.asking import ask, raw
from helpers.served import MINE, Served, cookie_of

from workbench.server.app import LONGEST_MESSAGE
from workbench.server.handlers.base import Handler
from workbench.server.network.headers import EVERY, digest, document_policy
from workbench.server.network.origins import accepted, is_accepted

#: Addresses of all kinds, and the status of their answers.
ADDRESSES = {
    "/": 200,
    "/scores": 200,
    "/audits": 200,
    "/words.json": 200,
    "/progress.json?of=x/y": 200,
    "/report/counts.md": 200,
    "/figure/scores/tradeoff.csv": 200,
    "/data/example:gaussian.csv": 200,
    "/data/nobodys.csv": 404,
    "/report/counts.exe": 404,
    "/report/audit/nobodys.html": 404,
    "/audits/nobodys.audit.zip": 404,
    "/assets/0123456789abcdef/page.js": 404,
    "/no-such-page": 404,
    "/ws": 400,
    "/scores/ws": 400,
    "/?key=no-key-of-ours": 403,
    "/?bokeh-session-id=mine": 403,
}

#: Routes of the server, as their patterns begin; others would come from Bokeh or Panel.
ROUTES = {
    *("assets", "audits", "data", "docs", "explorables", "figure", "health", "metrics"),
    *("oauth", "oauth-callback", "oauth-start", "offered", "password", "progress", "report"),
    *("shared", "sign-in", "sign-out", "texts", "ws"),
}

#: What would tell which software answers.
SOFTWARE = re.compile(r"tornado|bokeh|panel|python|traceback|file \"", re.IGNORECASE)


@pytest.fixture(scope="module")
def served():
    made = Served()
    yield made
    made.close()


def is_complete(headers):
    for name in EVERY:
        assert headers.get_all(name) is not None, name
        assert len(headers.get_all(name)) == 1, name
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "Server" not in headers
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'self'" in policy
    assert "unsafe-inline" not in policy
    assert "unsafe-eval" not in policy
    return True


@pytest.mark.parametrize("path", ADDRESSES)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_every_answer_has_all_headers(served, path, method):
    status, headers, body = ask(served, path, method, Cookie=cookie_of(MINE, served.port))
    socket_head = method == "HEAD" and path.endswith("/ws")
    # The headers of a document are sent without looking at what its address asks for.
    assert status == (405 if socket_head else ADDRESSES[path])
    assert is_complete(headers)
    assert method == "GET" or body == b""
    if status >= 400:
        assert not SOFTWARE.search(body.decode())
        assert len(body) < 200
        assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "SPAM"])
@pytest.mark.parametrize("path", ["/", "/scores", "/words.json", "/data/a.csv", "/ws"])
def test_other_methods_are_refused(served, path, method):
    own = f"http://localhost:{served.port}"
    status, headers, body = ask(served, path, method, Origin=own)
    assert (status, body) == (405, b"this address takes no such request")
    assert "GET" in headers["Allow"].split(", ")
    assert is_complete(headers)
    assert headers["Set-Cookie"] is None  # nobody was asked who they are


def test_a_person_reads_an_error_as_a_page_and_a_program_as_text(served):
    _, headers, page = ask(served, "/no-such-page", Accept="text/html,*/*;q=0.8")
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert b"There is nothing at this address." in page
    assert not SOFTWARE.search(page.decode())
    style = re.search(rb"<style>(.*?)</style>", page, re.DOTALL)[1].decode()
    assert digest(style) in headers["Content-Security-Policy"]
    _, headers, text = ask(served, "/no-such-page", Accept="application/json")
    assert (headers["Content-Type"], text) == (
        "text/plain; charset=utf-8",
        b"there is nothing at this address",
    )


def test_what_fails_says_nothing_of_the_program(served, monkeypatch, caplog):
    def fails(*_):
        raise RuntimeError("secret of the program")

    monkeypatch.setattr(served.visitors, "workspace", fails)
    for accept in ("text/html", "*/*"):
        status, headers, body = ask(served, "/data/a.csv?key=a-secret-key", Accept=accept)
        assert status == 500
        assert is_complete(headers)
        assert b"secret" not in body
        assert b"log of the server" in body
    said = [record.getMessage() for record in caplog.records]
    assert any("/data/….csv" in words for words in said)
    assert not any("a-secret-key" in words or "/a" in words for words in said)


def test_a_document_allows_its_own_inline_texts_and_no_others(served):
    _, headers, body = ask(served, "/scores")
    policy, page = headers["Content-Security-Policy"], body.decode()
    inline = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert len(inline) == len(styles) == 1
    for text in (*inline, *styles):
        assert digest(text) in policy
    assert not re.search(
        r"\sstyle=|\son[a-z]+=", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    )
    assert f"ws://localhost:{served.port}" in policy
    assert "'unsafe" not in policy.replace("style-src-attr 'unsafe-hashes'", "")


def test_the_policy_of_a_document_is_closed_but_for_what_it_needs():
    found = dict(one.split(" ", 1) for one in document_policy().split("; "))
    assert found["default-src"] == found["object-src"] == found["base-uri"] == "'none'"
    assert found["script-src"] == found["connect-src"] == "'self'"


def test_only_handlers_of_ours_are_routed(served):
    rules = served.application.wildcard_router.rules
    assert all(issubclass(rule.target, Handler) for rule in rules)
    patterns = {rule.matcher.regex.pattern.strip("^$/?()") for rule in rules}
    found = {re.split(r"[/\\(\[.]", pattern)[0] or "ws" for pattern in patterns}
    pages = {name.lstrip("/") for name in (tab.address for tab in served.visitors.tabs.values())}
    assert found - pages - {""} <= ROUTES
    for path in ("/static/js/bokeh.min.js", "/autoload.js", "/metadata", "/scores/autoload.js",
                 "/scores/metadata", "/favicon.ico", "/liveness", "/static/extensions/panel/x.js",
                 "/rest/session_info", "/panel_dist/x.js", "/components/x", "/admin"):  # fmt: skip
        status, _, body = ask(served, path)
        assert (status, body) == (404, b"there is nothing at this address"), path


# -- who may ask -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:5006", "localhost.evil.example", "a b", ""]
)
def test_a_name_that_is_not_ours_gets_nothing(served, host):
    """A stranger's name that leads to this machine would make its page one of ours."""
    for path in ("/", "/words.json", "/data/example:gaussian.csv", "/report/counts.md"):
        status, _, body = ask(served, path, Host=host)
        assert status in (400, 403)
        assert b"<!DOCTYPE" not in body
        assert len(body) < 300


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:1", "127.0.0.1", "[::1]:5006", "10.1.2.3"]
)
def test_names_and_addresses_of_this_machine_are_answered(served, host):
    assert ask(served, "/words.json", Host=host)[0] == 200


CROSS = [
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"},
]


@pytest.mark.parametrize("headers", CROSS)
@pytest.mark.parametrize("path", ["/scores", "/report/counts.pdf", "/words.json"])
def test_a_page_of_another_site_is_refused(served, path, headers):
    status, _, body = ask(served, path, **headers)
    assert status == 403
    assert b"page of another site asked for this" in body


def test_a_link_from_another_site_leads_here(served):
    link = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
    assert ask(served, "/scores", **link)[0] == 200


OURS = SimpleNamespace(
    settings={
        "origins": accepted(
            ["http://localhost:5006", "https://audit.example.org", "http://192.168.3.4:5006"], "", 0
        )
    }
)


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "localhost:5006",
        "http://localhost:5007",
        "http://localhost",
        "ftp://localhost:5006",
        "file://localhost:5006",
        "http://localhost:5006/",
        "http://localhost:5006@evil.example",
        "http://evil.example@localhost:5006",
        "http://localhost:5006.evil.example",
        "http://localhost.evil.example:5006",
        "http://evil-localhost:5006",
        "http://audit.example.org",
        "http://audit.example.org.evil.example",
        "http://evilaudit.example.org",
        "http://x.audit.example.org",
        "http://192.168.1.2.evil.example:5006",
        "http://[::1:5006",
        "http://localhost:5006 http://evil.example",
    ],
)
def test_origins_that_look_like_ours_are_not(origin):
    assert not is_accepted(OURS, origin)


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:5006",
        "https://audit.example.org",
        "https://AUDIT.example.org",
        "http://192.168.3.4:5006",
    ],
)
def test_our_origins_are_ours(origin):
    assert is_accepted(OURS, origin)


# -- too much --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        b"GET /" + b"a" * 10**6 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 10**6 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: " + b"a=b; " * 10**5 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 10**5 + b"\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET http://[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"\x00\x01\x02\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 10 + b"\r\n\r\n",
    ],
)
def test_absurd_requests_are_refused_without_a_flood_in_the_log(served, text, caplog):
    answer = raw(served, text)
    assert not answer or re.match(rb"HTTP/1.1 4\d\d ", answer), answer[:100]
    assert not SOFTWARE.search(answer.decode(errors="replace"))
    loud = [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]
    assert loud == []
    assert sum(len(record.getMessage()) for record in caplog.records) < 2_000
    assert ask(served, "/words.json")[0] == 200


def test_a_message_is_bounded():
    """A piece of a file is 2²⁰ bytes; see connection.js."""
    assert 2**20 < LONGEST_MESSAGE < 2**23
