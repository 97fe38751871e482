"""`SignIns`: who is signed in, in which browser, until when."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import secrets
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, func, insert, or_, select, update
from tornado.web import RequestHandler

from workbench.audits.errors import ArchiveError
from workbench.server.people.accounts import Account, account_of
from workbench.server.people.cookies import forget, keep, kept
from workbench.server.storing.database import ServerDatabase
from workbench.server.storing.schema import OWNER_SIGN_INS, PEOPLE, SIGN_INS

logger = logging.getLogger(__name__)

#: The cookies of somebody who is signed in, and of the owner of the workspace on this computer.
SIGN_IN, OWNER_COOKIE = "sign-in", "owner"

#: Seconds without use after which a sign-in ends, and after which it ends in any case.
IDLE, LONGEST = 12 * 3600.0, 30 * 24 * 3600.0

#: Seconds after which the database is asked again whether a sign-in has ended.
FRESH = 1.0

#: Share of the time without use that need not be written down.
_COARSE = 1 / 200

#: Characters of the name of a browser that are kept.
_AGENT = 200

#: Sign-ins that are held in memory.
_MOST = 10_000

_ID = re.compile(r"[A-Za-z0-9_-]{43}")

_DAY = 24 * 3600.0


@dataclass(frozen=True)
class Browsers:
    """The browsers in which somebody is signed in.

    Parameters
    ----------
    count : int
    used : float
        Seconds since 1970 at the last use, to some minutes.
    """

    count: int
    used: float


@dataclass
class Known:
    """What the database said of a sign-in.

    Parameters
    ----------
    account : Account
    used, asked : float
        Times of its last use, and of the question.
    """

    account: Account
    used: float
    asked: float


@dataclass(frozen=True, eq=False)
class _Watch:
    """A socket that ends with its sign-in."""

    id_hash: str
    account: Account
    end: Callable[[], None]


class SignIns:
    """The sign-ins of a server.

    A browser has a random id in a signed cookie; the database has its hash. Every sign-in has an id
    of its own, so nobody can choose it for somebody else.

    What other programs change, such as ``workbench users remove``, is noticed within `FRESH`
    seconds, in open sockets too.

    Parameters
    ----------
    database : ServerDatabase
    idle, longest : float
        See `IDLE` and `LONGEST`.
    clock : callable, optional
        Seconds since 1970.
    owner : tuple of Account and str, optional
        The owner of the workspace on this computer, and their key, to which sign-ins are bound.
        The browsers are then those of the owner alone; by default, of people with accounts.
    """

    def __init__(
        self,
        database: ServerDatabase,
        idle: float = IDLE,
        longest: float = LONGEST,
        clock: Callable[[], float] = time.time,
        owner: tuple[Account, str] | None = None,
    ):
        self.database, self._idle, self._longest = database, idle, longest
        self._owner = owner
        self.cookie, self.table = (
            (SIGN_IN, SIGN_INS) if owner is None else (OWNER_COOKIE, OWNER_SIGN_INS)
        )
        self._clock = clock
        self._known: dict[str, Known] = {}
        self._watches: set[_Watch] = set()
        self._looking: asyncio.Task[None] | None = None
        # Its own thread, so that no request waits for the disk.
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="workbench-sign-ins")

    async def begin(self, account: Account, handler: RequestHandler) -> None:
        """Sign somebody in, in this browser; whoever was signed in there is no longer.

        Parameters
        ----------
        account : Account
        handler : tornado.web.RequestHandler
            Its answer has the cookie.
        """
        made, now = secrets.token_urlsafe(32), self._clock()
        agent = handler.request.headers.get("User-Agent", "")[:_AGENT]
        row = {"id_hash": self._hash(made), "person": account.key, "agent": agent}
        await self._write(
            self._replace, self._hash_of(handler), row | {"created": now, "used": now}
        )
        keep(handler, self.cookie, made, self._longest / _DAY)

    def account(self, handler: RequestHandler) -> Account | None:
        """Who is signed in, in the browser that sent a request; None for nobody.

        Asks the database once in `FRESH` seconds.
        """
        id_hash = self._hash_of(handler)
        if not id_hash:
            return None
        now = self._clock()
        known = self._known.get(id_hash)
        if known is None or not 0 <= now - known.asked < FRESH:
            found = self._ask([id_hash]).get(id_hash)
            if found is None:
                self._known.pop(id_hash, None)
                return None
            known = self._known[id_hash] = found
            while len(self._known) > _MOST:
                self._known.pop(next(iter(self._known)))
        if now - known.used > _COARSE * self._idle:
            known.used = now
            self._writer.submit(self._touch, id_hash, now)
        return known.account

    async def end(self, handler: RequestHandler) -> None:
        """Sign out the browser that sent a request."""
        await self._write(self._delete, self.table.c.id_hash == self._hash_of(handler))
        forget(handler, self.cookie)

    async def end_all(self, account: Account) -> None:
        """Sign somebody out in all browsers."""
        await self._write(self._delete, self.table.c.person == account.key)

    def end_all_now(self, account: Account) -> int:
        """As `end_all`, for a program that serves nothing.

        Returns
        -------
        int
            The number of browsers.
        """
        return self._delete(SIGN_INS.c.person == account.key)

    def browsers(self) -> dict[str, Browsers]:
        """The browsers in which people are signed in, by the keys of the people."""
        asked = (
            select(SIGN_INS.c.person, func.count().label("number"), func.max(SIGN_INS.c.used))
            .where(*self._valid())
            .group_by(SIGN_INS.c.person)
        )
        with self.database.reading() as connection:
            rows = connection.execute(asked).all()
        with self.database.decoding("a sign-in"):
            return {key: Browsers(n, float(used)) for key, n, used in rows}

    def watch(self, handler: RequestHandler, end: Callable[[], None]) -> Callable[[], None]:
        """A function that ends the watch over a socket.

        Parameters
        ----------
        handler : tornado.web.RequestHandler
            Of the socket, of somebody who is signed in; on the event loop.
        end : callable
            Called once when the sign-in has ended or the role has changed.
        """
        account = self.account(handler)
        if account is None:
            end()
            return lambda: None
        one = _Watch(self._hash_of(handler), account, end)
        self._watches.add(one)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look())
        return lambda: self._watches.discard(one)

    # -- steps --------------------------------------------------------------------------------

    def _hash_of(self, handler: RequestHandler) -> str:
        """The hash of the id that a browser has; "" if it has none."""
        found = kept(handler, self.cookie, self._longest / _DAY)
        return self._hash(found) if _ID.fullmatch(found) else ""

    def _hash(self, made: str) -> str:
        bound = made if self._owner is None else f"{self._owner[1]} {made}"
        return hashlib.sha256(bound.encode()).hexdigest()

    async def _look(self) -> None:
        """End the sockets of ended sign-ins, as long as there are any."""
        loop = asyncio.get_running_loop()
        while self._watches:
            await asyncio.sleep(FRESH)
            watched = {one.id_hash for one in self._watches}
            try:
                there = await loop.run_in_executor(self._writer, self._ask, watched)
            except ArchiveError:  # requests are refused meanwhile
                logger.warning("the sign-ins cannot be read", exc_info=True)
            else:
                self._end(there, watched)

    def _end(self, there: dict[str, Known], watched: Collection[str]) -> None:
        for one in list(self._watches):
            if one.id_hash not in watched:
                continue
            found = there.get(one.id_hash)
            if found is None or found.account.role != one.account.role:
                self._watches.discard(one)
                self._known.pop(one.id_hash, None)
                try:
                    one.end()
                except Exception:  # the others end all the same
                    logger.exception("a socket of an ended sign-in could not be closed")

    async def _write(self, change: Callable[..., object], *given: object) -> None:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._writer, change, *given)
        self._known.clear()
        watched = {one.id_hash for one in self._watches}
        self._end(await loop.run_in_executor(self._writer, self._ask, watched), watched)

    def _ask(self, hashes: Collection[str]) -> dict[str, Known]:
        """Those of the sign-ins that have not ended."""
        if not hashes:
            return {}
        now, table = self._clock(), self.table
        asked = select(table.c.id_hash, table.c.used)
        if self._owner is None:
            asked = asked.add_columns(*PEOPLE.c).join(PEOPLE, PEOPLE.c.key == table.c.person)
        asked = asked.where(table.c.id_hash.in_(hashes), *self._valid())
        with self.database.reading() as connection:
            rows = connection.execute(asked).all()
        found = {}
        for row in rows:
            with suppress(ArchiveError):  # a damaged row lets nobody in
                account = account_of(self.database, row) if self._owner is None else self._owner[0]
                found[row.id_hash] = Known(account, float(row.used), now)
        return found

    def _valid(self) -> tuple[ColumnElement[bool], ...]:
        now = self._clock()
        table = self.table
        return table.c.created > now - self._longest, table.c.used > now - self._idle

    def _replace(self, before: str, row: dict[str, object]) -> None:
        """Write a new sign-in down instead of the one before, and forget those that have ended."""
        now = self._clock()
        table = self.table
        old = or_(
            table.c.id_hash == before,
            table.c.created <= now - self._longest,
            table.c.used <= now - self._idle,
        )
        with self.database.writing() as connection:
            connection.execute(delete(table).where(old))
            connection.execute(insert(table), [row])

    def _delete(self, where: object) -> int:
        with self.database.writing() as connection:
            return connection.execute(delete(self.table).where(where)).rowcount  # type: ignore

    def _touch(self, id_hash: str, now: float) -> None:
        try:
            with self.database.writing() as connection:
                row = self.table.c.id_hash == id_hash
                connection.execute(update(self.table).where(row).values(used=now))
        except ArchiveError:
            logger.warning("the use of a sign-in cannot be written down", exc_info=True)
