"""`WorkspaceOwner`: the owner of the workspace on this computer, and how their browsers are let in.

The terminal shows an address with a ticket. Who opens it is signed in as people with accounts are:
the browser has a random id in a signed cookie, and the database its hash, bound to the key of the
owner. Another key ends all sign-ins.
"""

from __future__ import annotations

import asyncio
import getpass
import hashlib
import logging
import time
from collections.abc import Callable
from functools import partial

from sqlalchemy import delete, insert, select
from tornado.web import RequestHandler

from workbench.audits.errors import ArchiveError
from workbench.dashboard.worker import WAITING
from workbench.server.people.accounts import Account
from workbench.server.people.person import OWNER, Role
from workbench.server.people.sign_ins import SignIns
from workbench.server.storing.database import ServerDatabase
from workbench.server.storing.schema import TICKETS
from workbench.workspaces.home import TICKET_LIFE, make_ticket, ticket_end

logger = logging.getLogger(__name__)

#: Seconds without use after which a sign-in of the owner ends.
OWNER_IDLE = 7 * 24 * 3600.0


def user_name() -> str:
    """The name of the user of this computer; "" where the system does not know it."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return ""


class WorkspaceOwner:
    """The owner of the workspace on this computer: tickets, and the browsers that they let in.

    Parameters
    ----------
    database : ServerDatabase
    key : str
        Of the owner.
    idle : float
        See `OWNER_IDLE`.
    clock : callable, optional
        Seconds since 1970.
    **times
        Of `SignIns`.

    Attributes
    ----------
    sign_ins : SignIns
        The browsers.
    """

    def __init__(
        self,
        database: ServerDatabase,
        key: str,
        idle: float = OWNER_IDLE,
        clock: Callable[[], float] = time.time,
        **times: float,
    ):
        self._database, self._key, self._clock = database, key, clock
        self._account = Account(OWNER, user_name(), Role.EDITOR, 0.0)
        self.sign_ins = SignIns(database, idle, clock=clock, owner=(self._account, key), **times)

    def ticket(self) -> str:
        """A new ticket, for one browser."""
        return make_ticket(self._key, self._clock())

    async def admit(self, handler: RequestHandler, ticket: str) -> bool:
        """Sign in the browser that sent a request with a ticket; False if it is of no use."""
        until = ticket_end(self._key, ticket)
        if until <= self._clock():
            return False
        database, loop = self._database, asyncio.get_running_loop()
        use = partial(self._use, ticket, until)
        try:
            fresh = await loop.run_in_executor(WAITING, use, database)
        except ArchiveError:
            logger.warning(
                "the sign-ins of the owner cannot be written down, and end with the server",
                exc_info=True,
            )
            if self._database is database:  # else another request with the ticket was first
                self._database = self.sign_ins.database = ServerDatabase()
            fresh = await loop.run_in_executor(WAITING, use, self._database)
        if fresh:
            await self.begin(handler)
        return fresh

    async def begin(self, handler: RequestHandler) -> None:
        """Sign the owner in, in the browser that sent a request."""
        await self.sign_ins.begin(self._account, handler)

    def _use(self, ticket: str, until: float, database: ServerDatabase) -> bool:
        """Note that a ticket was used; False if it was before.

        It is remembered for a day more than it holds, as clocks are set back.
        """
        hashed = hashlib.sha256(ticket.encode()).hexdigest()
        with database.writing() as connection:
            connection.execute(
                delete(TICKETS).where(TICKETS.c.until <= self._clock() - TICKET_LIFE)
            )
            used = select(TICKETS.c.hash).where(TICKETS.c.hash == hashed)
            if connection.execute(used).first() is not None:
                return False
            connection.execute(insert(TICKETS), [{"hash": hashed, "until": until}])
        return True
