"""Forwarded headers: who is believed, and what of a chain of proxies counts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tornado.httputil import HTTPHeaders

from workbench.server.network.proxy import client_address, is_secure, network, public_host
from workbench.server.options import ServerOptions

PROXY, OTHER, BROWSER = "10.0.0.1", "10.0.0.2", "203.0.113.9"


def handler(peer, proxies=(PROXY,), host="page.example", protocol="http", **headers):
    """A request as Tornado has it; a list is a header that was sent more than once."""
    sent = HTTPHeaders()
    for name, value in headers.items():
        for one in [value] if isinstance(value, str) else value:
            sent.add(name.replace("_", "-"), one)
    request = SimpleNamespace(remote_ip=peer, headers=sent, protocol=protocol, host=host)
    return SimpleNamespace(
        request=request, settings={"options": ServerOptions(proxies=tuple(proxies))}
    )


def address(peer, chain, proxies=(PROXY,)):
    made = handler(peer, proxies, X_Forwarded_For=chain)
    return client_address(made.request, made.settings["options"])


SPOOFED = {
    "X_Forwarded_For": "127.0.0.1",
    "X_Forwarded_Proto": "https",
    "X_Forwarded_Host": "evil.example",
    "X_Real_Ip": "127.0.0.1",
    "X_Scheme": "https",
    "Forwarded": "for=127.0.0.1;proto=https;host=evil.example",
}


@pytest.mark.parametrize("proxies", [(), (PROXY,), ("10.0.0.0/24", "::1")])
def test_a_browser_that_is_no_proxy_is_not_believed(proxies):
    made = handler(BROWSER, proxies, **SPOOFED)
    assert client_address(made.request, made.settings["options"]) == BROWSER
    assert not is_secure(made)
    assert public_host(made) == "page.example"


def test_a_proxy_is_believed():
    made = handler(
        PROXY,
        X_Forwarded_For=BROWSER,
        X_Forwarded_Proto="https",
        X_Forwarded_Host="Public.example:8443",
    )
    assert client_address(made.request, made.settings["options"]) == BROWSER
    assert is_secure(made)
    assert public_host(made) == "public.example:8443"


def test_without_headers_the_proxy_is_the_sender():
    made = handler(PROXY)
    assert client_address(made.request, made.settings["options"]) == PROXY
    assert not is_secure(made)
    assert public_host(made) == "page.example"


@pytest.mark.parametrize(
    ("chain", "proxies", "expected"),
    [
        # The browser wrote the first entries; each proxy appended who had connected to it.
        (f"127.0.0.1, {BROWSER}", [PROXY], BROWSER),
        ([f"127.0.0.1, {PROXY}", BROWSER], [PROXY], BROWSER),
        (f"127.0.0.1, {BROWSER}, {OTHER}", [PROXY, OTHER], BROWSER),
        (f"127.0.0.1, {BROWSER}, {OTHER}", [PROXY], OTHER),
        (f"{OTHER}, {PROXY}", ["10.0.0.0/8"], OTHER),  # all are proxies: the first of them
        # What cannot be read ends the chain at the last address that was.
        ("unknown", [PROXY], PROXY),
        ("_hidden, nonsense", [PROXY], PROXY),
        (f", {BROWSER}, ,", [PROXY], BROWSER),
        (f"{BROWSER}, <script>, {OTHER}", [PROXY, OTHER], OTHER),
        ("1.2.3.4.5", [PROXY], PROXY),
        ("x" * 60_000, [PROXY], PROXY),
        # With a port, in brackets, as IPv6, as IPv4 in IPv6.
        (f"{BROWSER}:4711", [PROXY], BROWSER),
        ("[2001:db8::5]:4711", [PROXY], "2001:db8::5"),
        ("2001:db8::5", [PROXY], "2001:db8::5"),
        (f"::ffff:{BROWSER}", [PROXY], BROWSER),
        ("fe80::1%eth0", [PROXY], "fe80::1"),
    ],
)
def test_a_chain_is_read_from_its_end(chain, proxies, expected):
    assert address(PROXY, chain, proxies) == expected


@pytest.mark.parametrize("peer", ["::ffff:10.0.0.1", "::1", "fe80::1%eth0"])
def test_addresses_of_proxies_may_be_written_in_other_ways(peer):
    assert address(peer, BROWSER, ["10.0.0.1", "::1", "fe80::/10"]) == BROWSER


@pytest.mark.parametrize(
    ("chain", "said", "secure"),
    [
        (BROWSER, "https", True),
        (BROWSER, "HTTPS", True),
        (BROWSER, "http", False),
        (BROWSER, "https, http", False),  # the browser wrote "https", the proxy appended
        (BROWSER, "gopher", False),
        (BROWSER, "https;", False),
        (f"{BROWSER}, {OTHER}", "https, http", True),  # TLS ends at the outer one of two proxies
        (f"{BROWSER}, {OTHER}", "https", True),
        (f"{BROWSER}, {OTHER}", "https, http, http", False),
    ],
)
def test_the_scheme_is_what_the_outer_proxy_saw(chain, said, secure):
    made = handler(PROXY, [PROXY, OTHER], X_Forwarded_For=chain, X_Forwarded_Proto=said)
    assert is_secure(made) == secure


def test_a_server_with_tls_of_its_own_is_secure():
    assert is_secure(handler(BROWSER, protocol="https"))
    assert not is_secure(handler(PROXY, protocol="https", X_Forwarded_Proto="http"))


@pytest.mark.parametrize(
    "said", ["evil.example/path", "a b", "user@evil.example", "x\\y", "", "a:999999", "<script>"]
)
def test_a_host_that_is_none_is_ignored(said):
    made = handler(PROXY, X_Forwarded_Host=said)
    assert public_host(made) == "page.example"
    assert public_host(handler(BROWSER, host=said)) == ""


@pytest.mark.parametrize("text", ["proxy.example", "10.0.0.1/8", "10.0.0.0/33", "", "*"])
def test_a_proxy_is_an_address_or_a_network(text):
    with pytest.raises(ValueError, match="a proxy is an IP address, or a network"):
        network(text)


@pytest.mark.parametrize("text", ["0.0.0.0/0", "::/0"])
def test_nobody_trusts_everybody(text):
    with pytest.raises(ValueError, match="every browser would be believed"):
        network(text)
