"""`OwnerSignIns`: the browsers of the owner of the workspace on this computer.

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
from collections.abc import Callable, Collection

from sqlalchemy import delete, insert, select
from tornado.web import RequestHandler

from workbench.audits.errors import ArchiveError
from workbench.server.people.accounts import Account
from workbench.server.people.person import OWNER, Role
from workbench.server.people.sign_ins import LONGEST, Known, SignIns
from workbench.server.storing.database import ServerDatabase
from workbench.server.storing.schema import OWNER_SIGN_INS, TICKETS
from workbench.workspaces.home import TICKET_LIFE, make_ticket, ticket_end

logger = logging.getLogger(__name__)

#: The cookie of a browser of the owner.
OWNER_COOKIE = "owner"

#: Seconds without use after which a sign-in of the owner ends.
OWNER_IDLE = 7 * 24 * 3600.0


def user_name() -> str:
    """The name of the user of this computer; "" where the system does not know it."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return ""


class OwnerSignIns(SignIns):
    """The browsers of the owner; see `SignIns`.

    Parameters
    ----------
    database : ServerDatabase
    key : str
        Of the owner.
    idle, longest : float
        See `SignIns`.
    clock : callable, optional
        Seconds since 1970.
    """

    cookie, table = OWNER_COOKIE, OWNER_SIGN_INS

    def __init__(
        self,
        database: ServerDatabase,
        key: str,
        idle: float = OWNER_IDLE,
        longest: float = LONGEST,
        clock: Callable[[], float] = time.time,
    ):
        super().__init__(database, idle, longest, clock)
        self._key = key
        self._owner = Account(OWNER, user_name(), Role.EDITOR, 0.0)

    def ticket(self) -> str:
        """A new ticket, for one browser."""
        return make_ticket(self._key, self._clock())

    async def admit(self, handler: RequestHandler, ticket: str) -> bool:
        """Sign in the browser that sent a request with a ticket; False if it is of no use.

        Parameters
        ----------
        handler : tornado.web.RequestHandler
        ticket : str
            As the address has it.
        """
        until = ticket_end(self._key, ticket)
        if until <= self._clock():
            return False
        loop = asyncio.get_running_loop()
        try:
            fresh = await loop.run_in_executor(self._writer, self._use, ticket, until)
        except ArchiveError:
            logger.warning(
                "the sign-ins of the owner cannot be written down, and end with the server",
                exc_info=True,
            )
            self._database = ServerDatabase()
            fresh = await loop.run_in_executor(self._writer, self._use, ticket, until)
        if fresh:
            await self.begin_here(handler)
        return fresh

    async def begin_here(self, handler: RequestHandler) -> None:
        """Sign the owner in, in the browser that sent a request.

        Parameters
        ----------
        handler : tornado.web.RequestHandler
        """
        await self.begin(self._owner, handler)

    async def end_everywhere(self) -> None:
        """Sign the owner out in all browsers."""
        await self.end_all(self._owner)

    # -- steps --------------------------------------------------------------------------------

    def _hash(self, made: str) -> str:
        return hashlib.sha256(f"{self._key} {made}".encode()).hexdigest()

    def _use(self, ticket: str, until: float) -> bool:
        """Note that a ticket was used; False if it was before.

        It is remembered for a day more than it holds, as clocks are set back.
        """
        hashed = hashlib.sha256(ticket.encode()).hexdigest()
        with self._database.writing() as connection:
            connection.execute(
                delete(TICKETS).where(TICKETS.c.until <= self._clock() - TICKET_LIFE)
            )
            used = select(TICKETS.c.hash).where(TICKETS.c.hash == hashed)
            if connection.execute(used).first() is not None:
                return False
            connection.execute(insert(TICKETS), [{"hash": hashed, "until": until}])
        return True

    def _ask(self, hashes: Collection[str]) -> dict[str, Known]:
        if not hashes:
            return {}
        now, table = self._clock(), self.table
        asked = select(table.c.id_hash, table.c.used).where(
            table.c.id_hash.in_(hashes), *self._valid()
        )
        with self._database.reading() as connection:
            rows = connection.execute(asked).all()
        return {row.id_hash: Known(self._owner, row.used, now) for row in rows}
