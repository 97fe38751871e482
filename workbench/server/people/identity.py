"""`Identity`: who sent a request."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from hmac import compare_digest
from typing import Any, Protocol

from tornado.web import HTTPError, RequestHandler

from workbench.server.people.cookies import forget, keep, kept
from workbench.server.people.owner import WorkspaceOwner, user_name
from workbench.server.people.person import OWNER, Person
from workbench.server.people.sign_ins import OWNER_COOKIE
from workbench.server.storing.database import ServerDatabase

#: The cookie that says who a visitor is, and the days for which a browser keeps it.
WHO, DAYS = "visitor", 365.0

#: What it says.
_WHO = re.compile(r"[A-Za-z0-9_-]{43}")

_USED = (
    "this address was used before, is more than a day old, or is of another server. The terminal "
    "of the server has a new one, and so has the command: workbench serve --show"
)
_ENDED = (
    "the sign-in of this browser has ended; everything is kept. Open the address that the terminal "
    "of the server shows, or that of the command: workbench serve --show"
)


class Identity(Protocol):
    """How a server knows who sent a request."""

    def person(self, handler: RequestHandler) -> Person | None:
        """Who sent a request; None for somebody who has to sign in first."""

    async def arrive(self, handler: RequestHandler) -> Person | None:
        """Who opens a document, remembered by their browser from now on; None as of `person`."""

    def present(self, person: Person) -> Person | None:
        """A person as they are now, with their present role; None for one who may not come."""

    def watch(self, handler: RequestHandler, end: Callable[[], None]) -> Callable[[], None]:
        """Have ``end`` called when a socket may no longer be used; returns what stops that."""


class VisitorIdentity:
    """Visitors by a random cookie, and the owner by a sign-in that a ticket began.

    Parameters
    ----------
    key : str
        The key of the owner; "" where there is none.
    database : ServerDatabase, optional
        Where the browsers of the owner are written down; by default in memory.
    launch_key : str
        What lets the owner in as often as it is used: of the program that starts the server, and
        checks by itself who asks. "" for none.
    **times
        Of `WorkspaceOwner`.

    Attributes
    ----------
    owner : WorkspaceOwner or None
    ticket_used : callable
        Called when a ticket was used.
    """

    def __init__(
        self,
        key: str = "",
        database: ServerDatabase | None = None,
        launch_key: str = "",
        **times: Any,
    ):
        database = ServerDatabase() if database is None else database
        self.owner = WorkspaceOwner(database, key, **times) if key else None
        self.ticket_used: Callable[[], None] = lambda: None
        self._launch_key = launch_key

    def person(self, handler: RequestHandler) -> Person:
        """The owner, the visitor of the cookie, or a new one if the cookie is not one of ours."""
        if self.owner is not None and self.owner.sign_ins.account(handler) is not None:
            return Person(OWNER, user_name())
        known = kept(handler, WHO, DAYS)
        return Person(known if _WHO.fullmatch(known) else secrets.token_urlsafe(32))

    def present(self, person: Person) -> Person:
        """The same: the roles of visitors never change."""
        return person

    async def arrive(self, handler: RequestHandler) -> Person:
        """As `person`; a ticket in the address lets the owner in, and leaves the address."""
        person = self.person(handler)
        ticket = handler.get_query_argument("key", None)
        if ticket is not None:
            if person.key != OWNER:
                await self._admit(handler, ticket)
            handler.redirect(f"./{handler.request.path.rsplit('/', 1)[-1]}")
        elif person.key != OWNER:
            if self.owner is not None and kept(handler, OWNER_COOKIE, DAYS):
                forget(handler, OWNER_COOKIE)
                raise HTTPError(401, reason=_ENDED)
            keep(handler, WHO, person.key, DAYS)
        return person

    async def _admit(self, handler: RequestHandler, ticket: str) -> None:
        if self.owner is None:
            raise HTTPError(403, reason=_USED)
        launched = self._launch_key.encode()
        if launched and compare_digest(ticket.encode(), launched):
            await self.owner.begin(handler)
        elif handler.request.method == "HEAD" or not await self.owner.admit(handler, ticket):
            raise HTTPError(403, reason=_USED)
        else:
            self.ticket_used()

    def watch(self, handler: RequestHandler, end: Callable[[], None]) -> Callable[[], None]:
        """A function that ends the watch over a socket; there is none over that of a visitor."""
        if self.owner is None or self.owner.sign_ins.account(handler) is None:
            return lambda: None
        return self.owner.sign_ins.watch(handler, end)
