"""What a request says of its sender where proxies stand before the server.

A browser can send any forwarded header, so these headers count only if the server that connects to
us is a trusted proxy (``--proxy``). Headers that cannot be read are ignored. The header
``Forwarded`` (RFC 7239) is not used: no proxy writes it unless asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Protocol

from tornado.httputil import HTTPServerRequest
from tornado.web import RequestHandler

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

#: A name or an address with a port, or without: what ``Host`` may be.
_HOST = re.compile(r"([A-Za-z0-9_-][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?")

#: An entry of ``X-Forwarded-For`` with a port, which some proxies add.
_WITH_PORT = re.compile(r"\[(?P<six>[^\]]*)\](?::\d+)?|(?P<four>\d+\.\d+\.\d+\.\d+):\d+")


class Behind(Protocol):
    """What counts here of `workbench.server.options.ServerOptions`."""

    @property
    def proxies(self) -> Sequence[str]:
        """Addresses and networks of trusted proxies."""

    @property
    def root_path(self) -> str:
        """The path under which a proxy serves the page."""

    @property
    def embed(self) -> Sequence[str]:
        """The origins whose pages may show the page in a frame."""


def network(text: str) -> Network:
    """The addresses of proxies that are trusted.

    Parameters
    ----------
    text : str
        An IP address, or a network such as ``10.0.0.0/8``.

    Raises
    ------
    ValueError
        It is neither, or holds every address.
    """
    try:
        found = ip_network(text.strip())
    except ValueError as error:
        raise ValueError(
            f"a proxy is an IP address, or a network such as 10.0.0.0/8; got {text!r}"
        ) from error
    if found.prefixlen == 0:
        raise ValueError(f"{text} holds every address, so that every browser would be believed")
    return found


def client_address(request: HTTPServerRequest, options: Behind) -> str:
    """The IP address from which a request was sent, as far as it is known.

    ``X-Forwarded-For`` is read from its end: each entry was written by the proxy behind it, so the
    first address that is not a trusted proxy's is the sender's. What stands before it, the sender
    wrote.
    """
    hops = list(_hops(request, options))
    return str(hops[-1]) if hops else request.remote_ip or ""


def is_trusted(request: HTTPServerRequest, options: Behind) -> bool:
    """Whether a trusted proxy has sent a request to us."""
    return is_proxy(request.remote_ip or "", options.proxies)


def is_proxy(address: str, proxies: Sequence[str]) -> bool:
    """Whether an address is one of a trusted proxy.

    Parameters
    ----------
    address : str
        Of whoever connects to us.
    proxies : sequence of str
        Addresses and networks of trusted proxies.
    """
    found = _address(address)
    return found is not None and _is_in(found, _networks(tuple(proxies)))


def is_secure(handler: RequestHandler) -> bool:
    """Whether the browser sent the request over TLS."""
    said = _said(handler, "X-Forwarded-Proto")
    return (handler.request.protocol if said is None else said.lower()) == "https"


def public_host(handler: RequestHandler) -> str:
    """The host, with its port if that is not the usual one, that the browser asked for.

    It is what the browser, or a program in its place, has sent; only `origins` says whether it is
    one of ours.
    """
    said = _said(handler, "X-Forwarded-Host")
    usable = said is not None and _HOST.fullmatch(said)
    host: str = said if said is not None and usable else handler.request.host
    return host.lower() if _HOST.fullmatch(host) else ""


def cookie_attributes(handler: RequestHandler) -> dict[str, Any]:
    """Attributes of every cookie of the server, for `RequestHandler.set_signed_cookie`.

    Scripts cannot read it, other sites cannot have it sent with a form or a socket, it is never
    sent in plain text where the page came over TLS, and only pages below the root path get it.
    In a frame of another site there are cookies only without ``SameSite``, which browsers keep over
    TLS or from this machine; what other sites ask for is then refused by `origins.check` alone.
    """
    options: Behind = handler.settings["options"]
    framed = is_framed(handler)
    return {
        "httponly": True,
        "samesite": "None" if framed else "Lax",
        "secure": framed or is_secure(handler),
        "path": options.root_path or "/",
    }


def is_framed(handler: RequestHandler) -> bool:
    """Whether pages of other sites may show the page in a frame, and browsers keep cookies there.

    They keep none from a server without TLS, except from one on their own machine.
    """
    options: Behind = handler.settings["options"]
    return bool(options.embed) and (is_secure(handler) or _is_here(public_host(handler)))


def _is_here(host: str) -> bool:
    """Whether a host is a name of the browser's machine for itself, whatever leads there."""
    name = host.rpartition(":")[0] or host if not host.endswith("]") else host
    return name in ("localhost", "127.0.0.1", "[::1]") or name.endswith(".localhost")


def _hops(request: HTTPServerRequest, options: Behind) -> Iterator[Address]:
    """The peer, and what each trusted proxy says who was before it."""
    trusted = _networks(tuple(options.proxies))
    address = _address(request.remote_ip or "")
    entries = _entries(request, "X-Forwarded-For")
    while address is not None:
        yield address
        if not entries or not _is_in(address, trusted):
            return
        address = _address(entries.pop())


def _said(handler: RequestHandler, name: str) -> str | None:
    """What the trusted proxy that is nearest to the browser says; None where there is none."""
    options: Behind = handler.settings["options"]
    hops = list(_hops(handler.request, options))
    entries = _entries(handler.request, name)
    if not entries or not hops or not _is_in(hops[0], _networks(tuple(options.proxies))):
        return None
    proxies = max(len(hops) - 1, 1)
    return entries[max(len(entries) - proxies, 0)]


def _entries(request: HTTPServerRequest, name: str) -> list[str]:
    return [entry.strip() for entry in request.headers.get(name, "").split(",") if entry.strip()]


def _address(text: str) -> Address | None:
    """An address without its port and zone; None if it is not one."""
    found = _WITH_PORT.fullmatch(text)
    try:
        address = ip_address((found["six"] or found["four"] if found else text).partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in one for one in networks)


@cache
def _networks(proxies: tuple[str, ...]) -> tuple[Network, ...]:
    return tuple(network(one) for one in proxies)
