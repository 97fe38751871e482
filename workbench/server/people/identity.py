"""`Identity`: who sent a request."""

from __future__ import annotations

import getpass
import re
import secrets
from collections.abc import Callable
from hmac import compare_digest
from typing import Protocol

from tornado.web import HTTPError, RequestHandler

from workbench.server.network.proxy import cookie_attributes
from workbench.server.people.person import OWNER, Person

#: Cookies that say who a visitor is, and that it is the owner of the workspace on disk.
WHO, KEY = "workbench-visitor", "workbench-key"

#: Days for which a browser keeps them.
DAYS = 365

#: What the cookie of a visitor says.
_WHO = re.compile(rb"[A-Za-z0-9_-]{43}")


class Identity(Protocol):
    """How a server knows who sent a request."""

    def person(self, handler: RequestHandler) -> Person | None:
        """Who sent a request; None for somebody who has to sign in first."""

    def arrive(self, handler: RequestHandler) -> Person | None:
        """Who opens a document, remembered by their browser from now on; None as of `person`."""

    def present(self, person: Person) -> Person | None:
        """A person as they are now, with their present role; None for one who may not come."""

    def watch(self, handler: RequestHandler, end: Callable[[], None]) -> Callable[[], None]:
        """Have ``end`` called when a socket may no longer be used; returns what stops that."""


def user_name() -> str:
    """The name of the user of this computer; "" where the system does not know it."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return ""


class VisitorIdentity:
    """Visitors by a random cookie, and the owner by the key of the workspace on disk.

    Parameters
    ----------
    key : str
        The key of the owner; "" where there is none.
    """

    def __init__(self, key: str = ""):
        self._key = key

    def is_key(self, given: str) -> bool:
        """Whether this is the key of the owner."""
        return bool(self._key) and compare_digest(given.encode(), self._key.encode())

    def person(self, handler: RequestHandler) -> Person:
        """The owner, the visitor of the cookie, or a new one if the cookie is not one of ours."""
        if self.is_key(handler.get_cookie(KEY, "") or ""):
            return Person(OWNER, user_name())
        known = handler.get_signed_cookie(WHO, max_age_days=DAYS) or b""
        return Person(known.decode() if _WHO.fullmatch(known) else secrets.token_urlsafe(32))

    def present(self, person: Person) -> Person:
        """The same: the roles of visitors never change."""
        return person

    def arrive(self, handler: RequestHandler) -> Person:
        """As `person`; a key in the address lets the owner in, and leaves the address."""
        key = handler.get_query_argument("key", None)
        if key is not None:
            if not self.is_key(key):
                reason = "this is not the key of this server; see what it printed"
                raise HTTPError(403, reason=reason)
            handler.set_cookie(KEY, key, expires_days=DAYS, **cookie_attributes(handler))
            handler.redirect(f"./{handler.request.path.rsplit('/', 1)[-1]}")
        person = self.person(handler)
        if person.key != OWNER:
            handler.set_signed_cookie(
                WHO, person.key, expires_days=DAYS, **cookie_attributes(handler)
            )
        return person

    def watch(self, handler: RequestHandler, end: Callable[[], None]) -> Callable[[], None]:
        """A function that does nothing: a visitor's socket ends with the document."""
        return lambda: None
