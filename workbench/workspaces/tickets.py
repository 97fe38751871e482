"""Tickets: what an address has in place of the key of the owner.

A ticket lets one browser in, once, within a day. Whoever may read the key makes tickets: the
server, a notebook, a command. The server notes which were used; see
`workbench.server.people.owner`. No browser and no address ever has the key itself.
"""

from __future__ import annotations

import base64
import hmac
import re
import secrets
import time

#: Seconds for which a ticket may be used.
LIFE = 24 * 3600

_TICKET = re.compile(r"([0-9a-f]{8,12})-([0-9a-f]{24})-([A-Za-z0-9_-]{43})")


def make_ticket(key: str, now: float | None = None) -> str:
    """A new ticket of the owner: letters, digits, ``-`` and ``_``.

    Parameters
    ----------
    key : str
        See `workbench.workspaces.home.owner_key`.
    now : float, optional
        Seconds since 1970.
    """
    until = int(time.time() if now is None else now) + LIFE
    body = f"{until:x}-{secrets.token_hex(12)}"
    return f"{body}-{_mark(key, body)}"


def ticket_end(key: str, text: str) -> float:
    """The time at which a ticket ends, in seconds since 1970; 0 for what is no ticket of this key.

    Parameters
    ----------
    key : str
    text : str
        As an address has it.
    """
    found = _TICKET.fullmatch(text)
    if not key or found is None:
        return 0.0
    right = _mark(key, f"{found[1]}-{found[2]}")
    return float(int(found[1], 16)) if hmac.compare_digest(right, found[3]) else 0.0


def _mark(key: str, body: str) -> str:
    made = hmac.new(key.encode(), f"ticket {body}".encode(), "sha256").digest()
    return base64.urlsafe_b64encode(made).decode().rstrip("=")
