"""Signed cookies of people: `keep`, `kept` and `forget`.

Browsers do not tell the ports of a host apart, and send each cookie to every program that listens
on one. So a cookie has the port that the browser sees in its name, and the root path, and a server
takes and leaves only its own. No cookie holds anything that is of use without this server: what it
says is signed for its name, and ends. Where pages of other sites may show the page in a frame
(``--embed``), each of these sites has cookies of its own in a browser, which are partitioned
(CHIPS).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from http.cookies import SimpleCookie

from tornado.httputil import format_timestamp
from tornado.web import RequestHandler

from workbench.server.network.proxy import (
    Behind,
    cookie_attributes,
    is_framed,
    is_secure,
    public_host,
)

_PREFIX = "workbench-"

#: Names of the cookies of earlier versions, which had no port in them, or held a key.
FORMER = tuple(
    f"{_PREFIX}{kind}" for kind in ("key", "visitor", "sign-in", "form", "oauth", "device")
)

#: Cookies of servers on other ports that a browser may have here; each takes some bytes of every
#: request, of which there is a largest number.
_MOST = 40


def cookie_name(handler: RequestHandler, kind: str) -> str:
    """The name of a cookie of this server, such as ``workbench-visitor-5006``.

    Parameters
    ----------
    handler : tornado.web.RequestHandler
    kind : str
        What it is for.
    """
    return f"{_PREFIX}{kind}-{_place(handler)}"


def keep(handler: RequestHandler, kind: str, value: str, days: float) -> None:
    """Have the browser keep a signed cookie."""
    name = cookie_name(handler, kind)
    _tidy(handler)
    signed = handler.create_signed_value(name, value).decode()
    _set(handler, name, signed, datetime.now(UTC) + timedelta(days=days))


def kept(handler: RequestHandler, kind: str, days: float) -> str:
    """The value of a signed cookie; "" if there is none, or it is older, or not one of ours."""
    name = cookie_name(handler, kind)
    return (handler.get_signed_cookie(name, max_age_days=days) or b"").decode()


def forget(handler: RequestHandler, kind: str) -> None:
    """Have the browser forget a cookie."""
    _set(handler, cookie_name(handler, kind), "", datetime.now(UTC) - timedelta(days=365))


def forget_former(handler: RequestHandler) -> None:
    """Have the browser forget the cookies of earlier versions."""
    for name in FORMER:
        if name in handler.request.cookies:
            handler.clear_cookie(name, **cookie_attributes(handler))


def _set(handler: RequestHandler, name: str, value: str, until: datetime) -> None:
    if not is_framed(handler):
        handler.set_cookie(name, value, expires=until, **cookie_attributes(handler))
        return
    cookie = SimpleCookie({name: value})[name]  # which knows no such attribute before Python 3.14
    cookie.update({**cookie_attributes(handler), "expires": format_timestamp(until)})
    handler.add_header("Set-Cookie", f"{cookie.OutputString()}; Partitioned")


def _place(handler: RequestHandler) -> str:
    """Where the browser sees this server: the port, and the root path."""
    options: Behind = handler.settings["options"]
    port = re.search(r":(\d+)$", public_host(handler))
    usual = "443" if is_secure(handler) else "80"
    path = options.root_path.replace("/", ".")  # which no root path has
    return f"{port[1] if port else usual}{path}"


def _tidy(handler: RequestHandler) -> None:
    """Have the browser forget the cookies of other ports if there are many."""
    ours = [name for name in handler.request.cookies if name.startswith(_PREFIX)]
    if len(ours) <= _MOST:
        return
    for name in ours:
        if not name.endswith(f"-{_place(handler)}"):
            handler.clear_cookie(name, **cookie_attributes(handler))
