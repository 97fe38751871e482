"""Options on where a server listens, and on the proxy before it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any

#: Addresses that stand for all those of this machine; no browser opens them.
_ALL = ("0.0.0.0", "::", "")

_ROOT = re.compile(r"(/[A-Za-z0-9_~-]+)+/?")


def add(command: argparse.ArgumentParser) -> None:
    """Add the options to the command."""
    group = command.add_argument_group("network")
    group.add_argument("--port", type=int, default=5006)
    group.add_argument("--address", default="localhost", help="0.0.0.0 to serve colleagues")
    group.add_argument(
        "--allow-origin",
        metavar="ORIGIN",
        action="append",
        type=_checked(_origin),
        default=[],
        help="an address under which browsers reach the page, such as https://audit.example.org; "
        "may be repeated; those of this machine by default",
    )
    group.add_argument(
        "--root-path",
        metavar="PATH",
        type=_checked(_root_path),
        default="",
        help="the path under which a proxy serves the page, such as /workbench",
    )
    group.add_argument(
        "--embed",
        metavar="ORIGIN",
        action="append",
        type=_checked(_origin),
        default=[],
        help="a site whose pages may show the page in a frame, such as https://course.example.org; "
        "may be repeated; none by default",
    )
    group.add_argument(
        "--proxy",
        metavar="ADDRESS",
        action="append",
        type=_checked(_proxy),
        default=[],
        help="an address or a network of proxies, whose forwarded headers are believed; may be "
        "repeated; none by default",
    )


def options_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The arguments of `ServerOptions` that the options give."""
    return {
        "port": arguments.port,
        "address": arguments.address,
        "origins": tuple(arguments.allow_origin),
        "root_path": arguments.root_path,
        "embed": tuple(arguments.embed),
        "proxies": tuple(arguments.proxy),
    }


def is_local(arguments: argparse.Namespace) -> bool:
    """Whether only people at this machine reach the server: no other address, and no proxy."""
    from workbench.server.network.origins import LOCAL

    proxied = arguments.proxy or arguments.root_path or arguments.allow_origin
    return arguments.address in LOCAL and not proxied


def missing(arguments: argparse.Namespace) -> str:
    """What should be said where others cannot use what is served; "" for nothing."""
    plain = [one for one in arguments.allow_origin if one.startswith("http://")]
    if arguments.embed and plain:
        return (
            f"in frames of other sites, browsers keep no cookies of {plain[0]}, which has no TLS: "
            "serve it by https, see docs/elsewhere.md"
        )
    if arguments.address not in _ALL or arguments.allow_origin:
        return ""
    return (
        "only this machine can open the page: name the address that other browsers show, such as "
        f"--allow-origin http://NAME-OF-THIS-MACHINE:{arguments.port}"
    )


def _checked(kind: Callable[[str], str]) -> Callable[[str], str]:
    """A type for `argparse` that prints why a value is refused.

    What it calls imports the server then, so that other commands start without it.
    """

    def checked(text: str) -> str:
        try:
            return kind(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return checked


def _origin(text: str) -> str:
    from workbench.server.network.origins import origin

    return origin(text)


def _proxy(text: str) -> str:
    from workbench.server.network.proxy import network

    return str(network(text))


def _root_path(text: str) -> str:
    if text in ("", "/"):
        return ""
    if not _ROOT.fullmatch(text):
        raise ValueError(
            "must begin with a slash and have letters, digits, '-', '_' and '~' between slashes, "
            f"such as /workbench; got {text!r}"
        )
    return text.rstrip("/")
