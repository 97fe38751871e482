"""Under which addresses browsers may use a server, and the root path below which it is."""

from __future__ import annotations

import asyncio
import http.client
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from helpers.served import Served
from helpers.servers import ROOT
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from workbench.dashboard.tab import Tab
from workbench.pages.registry import PAGES
from workbench.server.app import App
from workbench.server.handlers.document import READY
from workbench.server.network.origins import bound_here, opens_only_here, origin

PUBLIC = "https://audit.example.org"
PROXIED = {"Host": "audit.example.org", "X-Forwarded-Proto": "https"}


def app():
    return App([Tab(PAGES[name].kind, f"/{name}", name) for name in ("counts", "family")])


@pytest.fixture(scope="module")
def local():
    made = Served(app())
    yield made
    made.close()


@pytest.fixture(scope="module")
def proxied():
    """A server below a path behind a proxy at 127.0.0.1, which is this test."""
    made = Served(
        app(),
        address="127.0.0.1",
        origins=(PUBLIC,),
        root_path="/workbench",
        proxies=("127.0.0.1",),
    )
    yield made
    made.close()


def asked(served, path, method="GET", **headers):
    """Status, headers and body, with exactly these headers."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    connection.request(method, path, headers={"Host": f"localhost:{served.port}", **headers})
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, body


def first_message(served, path, document, **headers):
    """The first message of the socket of a document; the status if there is no socket."""
    _, sent, body = document
    token = re.search(r'data-token="([^"]+)"', body)[1]
    cookie = sent["Set-Cookie"].split(";")[0]

    async def opened():
        request = HTTPRequest(
            f"ws://127.0.0.1:{served.port}{path}", headers={"Cookie": cookie, **headers}
        )
        try:
            socket = await websocket_connect(request, subprotocols=["bokeh", token])
        except HTTPClientError as refused:
            return refused.code
        message = await socket.read_message()
        socket.close()
        return message

    return asyncio.run(opened())


# -- what the operator names -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("https://Audit.Example.org", "https://audit.example.org"),
        ("https://audit.example.org:443/", "https://audit.example.org"),
        ("http://audit.example.org:443", "http://audit.example.org:443"),
        ("http://10.0.0.5:8080", "http://10.0.0.5:8080"),
        ("http://[::1]:5006", "http://[::1]:5006"),
        ("https://prüfung.example", "https://xn--prfung-4ya.example"),
    ],
)
def test_an_origin_is_written_as_browsers_send_it(text, sent):
    assert origin(text) == sent


@pytest.mark.parametrize("text", ["*", "https://*", "https://*.example.org", "*:5006"])
def test_wildcards_are_refused_with_a_reason(text):
    with pytest.raises(ValueError, match="would let other sites use the server"):
        origin(text)


@pytest.mark.parametrize(
    "text",
    [
        "audit.example.org",
        "audit.example.org:8080",
        "null",
        "",
        "ftp://audit.example.org",
        "https://",
        "https://audit.example.org/workbench",
        "https://audit.example.org?x",
        "https://user@audit.example.org",
        "https://audit.example.org:99999",
        "https://a b",
        "https://[::1",
        "javascript:alert(1)",
    ],
)
def test_what_is_no_origin_is_refused(text):
    with pytest.raises(ValueError, match="must be a scheme and a host"):
        origin(text)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--allow-origin", "*"], "would let other sites use the server"),
        (["--allow-origin", "audit.example.org:80"], "must be a scheme and a host"),
        (["--proxy", "*"], "a proxy is an IP address, or a network"),
        (["--proxy", "0.0.0.0/0"], "every browser would be believed"),
        (["--root-path", "workbench"], "must begin with a slash"),
        (["--root-path", "/a/../b"], "must begin with a slash"),
        (["--root-path", "//evil.example"], "must begin with a slash"),
    ],
)
def test_the_command_refuses_them_in_words(options, words):
    command = [sys.executable, "-m", "workbench", "serve", "--no-open", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


# -- what is accepted of browsers ------------------------------------------------------------------


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])
def test_a_server_of_this_machine_takes_its_own_addresses(local, host):
    status, *_ = document = asked(local, "/counts", Host=f"{host}:{local.port}")
    assert status == 200
    here = f"http://{host}:{local.port}"
    assert first_message(local, "/counts/ws", document, Origin=here) == READY


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "0.0.0.0"])
def test_a_page_opened_at_an_address_of_this_machine_alone_says_so(local, host):
    status, _, document = asked(local, "/counts", Host=f"{host}:{local.port}")
    if status == 200:  # others of this machine are no address of the server
        assert "<body" in document
        assert " data-here>" in document
    else:
        assert host in ("127.1.2.3", "0.0.0.0")


def test_a_page_opened_at_a_public_address_does_not(proxied):
    for host in (PUBLIC.removeprefix("https://"),):
        headers = {"Host": host, "X-Forwarded-Proto": "https"}
        status, _, document = asked(proxied, "/workbench/counts", **headers)
        assert status == 200
        assert "data-here" not in document.partition("<body")[2].partition(">")[0]


@pytest.mark.parametrize(
    ("host", "alone", "only_here"),
    [
        ("localhost:5006", False, True),
        ("audit.localhost", False, True),
        ("127.0.0.1:5006", False, True),
        ("127.9.9.9", False, True),
        ("[::1]:5006", False, True),
        ("0.0.0.0:5006", False, True),
        ("192.168.1.7:5006", False, False),
        ("audit.example.org", False, False),
        ("my-laptop:5006", False, False),
        ("my-laptop:5006", True, True),  # a name that the server's machine has for itself
        ("notlocalhost", False, False),
    ],
)
def test_which_addresses_open_on_one_computer_only(host, alone, only_here):
    request = SimpleNamespace(host=host, headers={}, remote_ip="127.0.0.1")
    options = SimpleNamespace(proxies=())
    settings = {"bound_here": alone, "options": options}
    handler = SimpleNamespace(request=request, settings=settings, server=options)
    assert opens_only_here(handler) is only_here


@pytest.mark.parametrize(
    ("addresses", "here"),
    [
        (["127.0.0.1", "::1"], True),
        (["::1%lo"], True),
        (["0.0.0.0", "::"], False),
        (["127.0.0.1", "10.0.0.5"], False),
    ],
)
def test_a_server_that_listens_to_this_machine_alone_is_known(addresses, here):
    assert bound_here(addresses) is here


STRANGE = [
    "http://evil.example",
    "http://evil.example:{port}",
    "https://localhost:{port}",  # the scheme counts
    "http://localhost",
    "http://localhost:{port}.evil.example",
    "http://localhost:{port}@evil.example",
    "http://localhost:{port}/",
    "http://notlocalhost:{port}",
    "null",
    "",
    "*",
]


@pytest.mark.parametrize("sent", STRANGE)
def test_sockets_of_other_origins_are_refused(local, sent):
    document = asked(local, "/counts")
    sent = sent.format(port=local.port)
    assert first_message(local, "/counts/ws", document, Origin=sent) == 403


@pytest.mark.parametrize("sent", [*STRANGE, None])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_changes_are_taken_from_pages_of_the_server_alone(local, sent, method):
    headers = {} if sent is None else {"Origin": sent.format(port=local.port)}
    status, _, body = asked(local, "/data/some.csv", method, **headers)
    assert status == 403
    assert "only a page of this server may ask for this" in body
    here = {"Origin": f"http://localhost:{local.port}"}
    assert asked(local, "/data/some.csv", method, **here)[0] == 405  # there is no such change


@pytest.mark.parametrize("host", ["evil.example:{port}", "localhost", "localhost:1", "", "a b"])
def test_a_page_under_another_name_is_refused(local, host):
    """The name of another site can be made to lead here; its scripts could then read the page."""
    status, headers, body = asked(local, "/counts", Host=host.format(port=local.port))
    assert status in (400, 403)
    assert "Set-Cookie" not in headers
    assert "data-token" not in body


def test_the_refusal_says_what_to_do(local):
    _, _, body = asked(local, "/counts", Host="tunnel.example:9000")
    assert "not meant to be opened as http://tunnel.example:9000" in body
    assert "--allow-origin" in body


# -- below a path ----------------------------------------------------------------------------------


def test_pages_files_and_sockets_are_below_the_root_path(proxied):
    for path in ("/workbench/", "/workbench/counts", "/workbench/audits"):
        status, headers, body = document = asked(proxied, path, **PROXIED)
        assert status == 200, path
        (cookie,) = headers.get_all("Set-Cookie")
        assert "Path=/workbench;" in f"{cookie};"
        assert "Secure" in cookie
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        for file in re.findall(r'(?:href|src)="\./(assets/[^"]+)"', body):
            assert asked(proxied, f"/workbench/{file}", **PROXIED)[0] == 200
        socket = f"{path.rstrip('/')}/ws"
        assert first_message(proxied, socket, document, Origin=PUBLIC, **PROXIED) == READY
        plain = PUBLIC.replace("https", "http")
        assert first_message(proxied, socket, document, Origin=plain, **PROXIED) == 403
        here = f"http://localhost:{proxied.port}"  # the operator did not name it
        assert first_message(proxied, socket, document, Origin=here, **PROXIED) == 403
    for path in ("/workbench/words.json", "/workbench/health", "/workbench/report/counts.json"):
        assert asked(proxied, path, **PROXIED)[0] == 200


@pytest.mark.parametrize(
    "path", ["/", "/counts", "/audits", "/words.json", "/counts/ws", "/workbenchx/", "/health"]
)
def test_nothing_is_outside_the_root_path(proxied, path):
    assert asked(proxied, path, **PROXIED)[0] == 404


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("/workbench", "./workbench/"),
        ("/workbench?theme=dark", "./workbench/?theme=dark"),
        ("/workbench/counts/", "../counts"),
        ("/workbench/counts/?a=//evil.example", "../counts?a=//evil.example"),
        ("/workbench/audits/", "../audits"),
    ],
)
def test_slashes_at_the_end_are_put_right_by_relative_redirects(proxied, path, to):
    status, headers, _ = asked(proxied, path, **PROXIED)
    assert (status, headers["Location"]) == (302, to)
    assert "Set-Cookie" not in headers


def test_a_page_that_the_proxy_does_not_vouch_for_is_refused(proxied):
    for headers in ({"Host": "audit.example.org"}, {"X-Forwarded-Proto": "https"}, {}):
        assert asked(proxied, "/workbench/", **headers)[0] == 403


def test_without_a_root_path_a_trailing_slash_is_put_right_too(local):
    status, headers, _ = asked(local, "/counts/?theme=dark")
    assert (status, headers["Location"]) == (302, "../counts?theme=dark")
