"""Origins: under which addresses browsers may use a server, for pages, sockets and changes.

A page of another site can have a browser send requests here, with the cookies of whoever looks at
it. Browsers then name that site in the header ``Origin``. A name of another site can also be made
to lead to this server; browsers then name it in ``Host``. Both are compared, with their scheme and
port, with the addresses that the operator has named.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from tornado.web import HTTPError, RequestHandler

from workbench.server.network.proxy import is_secure, public_host

#: Names of this machine that nobody else reaches.
LOCAL = ("localhost", "127.0.0.1", "::1")

#: Methods that change nothing.
SAFE = ("GET", "HEAD", "OPTIONS")

_STRANGE = (
    "this server is not meant to be opened as {}; whoever runs it can allow that with the option "
    "--allow-origin, or have the proxy before it say how it was opened"
)

_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|[0-9a-f:]+")


def origin(text: str) -> str:
    """An origin as browsers send it: in lower case, without the usual port of its scheme.

    Parameters
    ----------
    text : str
        Such as ``https://audit.example.org`` or ``http://10.0.0.5:8080``.

    Raises
    ------
    ValueError
        It is no origin, or holds a wildcard.
    """
    if "*" in text:
        raise ValueError(
            f"a wildcard would let other sites use the server with the cookies of whoever looks "
            f"at them; name each address, such as https://audit.example.org; got {text!r}"
        )
    problem = f"must be a scheme and a host, such as https://audit.example.org; got {text!r}"
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError as error:
        raise ValueError(problem) from error
    if parts.scheme not in _PORTS or not _HOST.fullmatch(host):
        raise ValueError(problem)
    if parts.path not in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError(problem)
    return _written(parts.scheme, host, port)


def accepted(origins: Sequence[str], address: str, port: int) -> frozenset[str]:
    """The origins of the pages of a server: those that are named, or where it listens.

    Parameters
    ----------
    origins : sequence of str
        Those of its options; empty for where it listens.
    address : str
    port : int
    """
    if origins:
        return frozenset(origin(one) for one in origins)
    return frozenset(_written("http", host, port) for host in (address, *LOCAL))


def is_accepted(handler: RequestHandler, sent: str) -> bool:
    """Whether a header ``Origin`` names one of the addresses of this server."""
    known: Collection[str] = handler.settings["origins"]
    return sent.lower() in known


def opened_at(handler: RequestHandler) -> str:
    """The origin under which a browser sent the request, such as ``https://audit.example.org``."""
    host = public_host(handler)
    parts = urlsplit(f"//{host}")
    scheme = "https" if is_secure(handler) else "http"
    return host and _written(scheme, parts.hostname or "", parts.port)


def check_name(handler: RequestHandler) -> None:
    """Refuse whatever is asked of a name that is not one of this server's.

    A stranger can make a name of theirs lead here, and their page could then read all answers. An
    IP address is no such name.

    Raises
    ------
    HTTPError
        With the status 403.
    """
    name = urlsplit(f"//{public_host(handler)}").hostname or ""
    known: Collection[str] = handler.settings["origins"]
    ours = {urlsplit(one).hostname for one in known}
    if name not in ours and name not in LOCAL and not _is_address(name):
        here = opened_at(handler) or "an address without a host"
        raise HTTPError(403, reason=_STRANGE.format(here))


def check(handler: RequestHandler) -> None:
    """Refuse what a page of another site asks for.

    A link from elsewhere may lead here; nothing else of another page is answered. A socket, or what
    changes something, is for pages of this server only. (Tornado accepts a socket if ``Origin`` and
    ``Host`` agree, which the sender has both chosen.)

    Raises
    ------
    HTTPError
        With the status 403.
    """
    said = handler.request.headers.get
    opens_socket = (said("Upgrade") or "").lower() == "websocket"
    if handler.request.method in SAFE and not opens_socket:
        # Old browsers, programs, and pages without TLS that are not on localhost send no such word.
        near = said("Sec-Fetch-Site") in (None, "same-origin", "none")
        # Of which sites a page may be in a frame, its policy tells the browser.
        into = ("document", "iframe") if handler.settings["options"].embed else ("document",)
        if near or (said("Sec-Fetch-Mode") == "navigate" and said("Sec-Fetch-Dest") in into):
            return
        raise HTTPError(403, reason="a page of another site asked for this")
    if not is_accepted(handler, said("Origin") or ""):
        raise HTTPError(403, reason="only a page of this server may ask for this")


def bound_here(addresses: Iterable[str]) -> bool:
    """Whether a server that listens on these IP addresses is reached from this machine alone."""
    return all(ip_address(one.partition("%")[0]).is_loopback for one in addresses)


def opens_only_here(handler: RequestHandler) -> bool:
    """Whether the address at which a page was opened leads to it on this machine alone.

    A name may be one that only this machine knows: where the server listens to nobody else, and
    its operator has named no origin that a proxy would have, no name leads here from elsewhere.
    """
    name = urlsplit(f"//{public_host(handler)}").hostname or ""
    if name in LOCAL or name.endswith(".localhost"):
        return True
    if _is_address(name):
        found = ip_address(name)
        return found.is_loopback or found.is_unspecified
    return bool(handler.settings["bound_here"])


def check_address(handler: RequestHandler) -> None:
    """Refuse a page that is opened under a name that is not one of this server's.

    Raises
    ------
    HTTPError
        With the status 403, and how to have the name accepted.
    """
    here = opened_at(handler)
    if not is_accepted(handler, here):
        raise HTTPError(403, reason=_STRANGE.format(here or "an address without a host"))


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _written(scheme: str, host: str, port: int | None) -> str:
    named = f"[{host}]" if ":" in host else host
    usual = port is None or port == _PORTS[scheme]
    return f"{scheme}://{named}" if usual else f"{scheme}://{named}:{port}"
