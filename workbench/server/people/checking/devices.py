"""Device cookies: in which accounts a browser has signed in before (OWASP)."""

from __future__ import annotations

import hashlib
import re
import secrets

from tornado.web import RequestHandler

from workbench.server.people.cookies import keep, kept

#: The cookie, and the days for which it is kept.
DEVICE, DAYS = "device", 365.0

#: Accounts of one browser that are remembered.
_MOST = 8

_VALUE = re.compile(r"([0-9a-f]{32})((?: [0-9a-f]{16})+)")


def short(folded: str) -> str:
    """What stands for the name of an account: 16 digits of its hash.

    Parameters
    ----------
    folded : str
        The name, as names are compared.
    """
    return hashlib.sha256(folded.encode()).hexdigest()[:16]


def device_of(handler: RequestHandler, account: str) -> str:
    """The id of a browser that has signed in to an account before; "" for others.

    Parameters
    ----------
    handler : tornado.web.RequestHandler
    account : str
        See `short`.
    """
    device, accounts = _read(handler)
    return device if account in accounts else ""


def remember(handler: RequestHandler, account: str) -> None:
    """Have a browser remember that it has signed in to an account.

    Parameters
    ----------
    handler : tornado.web.RequestHandler
    account : str
        See `short`.
    """
    device, accounts = _read(handler)
    others = [one for one in accounts if one != account][: _MOST - 1]
    keep(handler, DEVICE, " ".join([device or secrets.token_hex(16), account, *others]), DAYS)


def _read(handler: RequestHandler) -> tuple[str, list[str]]:
    found = _VALUE.fullmatch(kept(handler, DEVICE, DAYS))
    return (found[1], found[2].split()) if found else ("", [])
