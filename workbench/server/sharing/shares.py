"""`Shares`: who shares what with whom, kept in the server's database and in memory."""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from operator import attrgetter
from threading import RLock
from typing import Any

from sqlalchemy import Row, delete, insert, or_, select, update

from workbench.audits.errors import ArchiveError
from workbench.server.sharing.errors import NotSharedError, SharingError
from workbench.server.sharing.share import Grant, ShareKind, ShareTarget
from workbench.server.storing.database import ServerDatabase
from workbench.server.storing.schema import SHARES
from workbench.storing.rows import require_sound

logger = logging.getLogger(__name__)

#: Days that a link may hold at most, and how long it holds unless somebody chooses.
MOST_DAYS, USUAL_DAYS = 365, 7

#: Shares of one person, and people who accept one link.
MOST_SHARES = MOST_ACCEPTED = 1000

#: Seconds for which a share that ended stays in the database, for whoever looks into it.
_KEPT = 30 * 24 * 3600.0

_DAY = 24 * 3600.0


@dataclass(frozen=True)
class _Live:
    """The shares that hold: by id, and the ids of links by the hash of their token."""

    shares: Mapping[str, Grant] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)


class Shares:
    """Who shares what with whom.

    All questions are answered from memory; `refresh` reads the database again after another program
    may have changed it. All methods may be called from any thread.

    Parameters
    ----------
    database : ServerDatabase

    Attributes
    ----------
    version : int
        Grows with every change of the shares that hold.
    """

    def __init__(self, database: ServerDatabase):
        self._database = database
        self._lock = RLock()
        self._live = _Live()
        self._unwritten: Counter[str] = Counter()
        self._damaged = ""
        self.version = 0
        self.refresh()

    # -- questions -----------------------------------------------------------------------------

    def holds(self, share: Grant) -> bool:
        """Whether a share was neither revoked nor has ended.

        Parameters
        ----------
        share : Grant
        """
        known = self._live.shares.get(share.id)
        return known is not None and _in_time(known)

    def of(self, owner: str) -> list[Grant]:
        """What a person shares, oldest first.

        Parameters
        ----------
        owner : str
            Key of the person.
        """
        found = [one for one in self._live.shares.values() if one.owner == owner]
        return [one for one in found if one.target is not ShareTarget.LEFT and _in_time(one)]

    def with_person(self, person: str, signed_in: bool) -> list[Grant]:
        """What others share with a person, oldest first; each data set and audit once.

        Parameters
        ----------
        person : str
            Key of the person.
        signed_in : bool
            Whether they have an account: to them goes what is shared with everyone.
        """
        live = list(self._live.shares.values())
        mine = [one for one in live if one.target is not ShareTarget.LINK and _in_time(one)]
        mine.sort(key=lambda one: bool(one.link))  # what a link ends comes last
        left = {o.reference for o in mine if o.target is ShareTarget.LEFT and o.person == person}
        found: dict[str, Grant] = {}
        for one in mine:
            to_all = one.target is ShareTarget.EVERYONE and signed_in
            to_me = one.target is ShareTarget.PERSON and one.person == person
            if (to_all or to_me) and one.owner != person and one.reference not in left:
                found.setdefault(one.reference, one)
        return list(found.values())

    def by_token(self, token: str) -> Grant | None:
        """The share of a link; None for a token that is unknown, revoked or has ended.

        Parameters
        ----------
        token : str
            The end of the address.
        """
        live = self._live
        share = live.shares.get(live.links.get(_hash(token), ""))
        return share if share is not None and _in_time(share) else None

    # -- changes -------------------------------------------------------------------------------

    def add(self, owner: str, kind: ShareKind, key: str, person: str | None) -> Grant:
        """Share something with a person, or with everyone who is signed in.

        Parameters
        ----------
        owner : str
            Key of the person whose it is.
        kind : ShareKind
        key : str
            Of the data set or the audit.
        person : str or None
            Key of the person; None for everyone.

        Returns
        -------
        Grant
            The one that holds already, if there is one.
        """
        target = ShareTarget.EVERYONE if person is None else ShareTarget.PERSON
        new = _new(owner, kind, key, target, person or "")
        with self._lock:
            known = self._same(new)
            if known is not None:
                return known
            self._require_room(owner)
            with self._database.writing() as connection:
                if person is not None:
                    connection.execute(_return(person, new))
                connection.execute(insert(SHARES).values(**_row(new)))
            self.refresh()
        return new

    def accept(self, link: Grant, person: str) -> Grant:
        """Share with a person what a link shows them, until the link ends or is revoked.

        Parameters
        ----------
        link : Grant
            The share of a link, see `by_token`.
        person : str
            Key of the person.

        Returns
        -------
        Grant
            The one that holds already, if there is one, also without this link.

        Raises
        ------
        NotSharedError
            The link does not hold.
        SharingError
            Too many people accepted it.
        """
        given = _new(link.owner, link.kind, link.key, ShareTarget.PERSON, person)
        new = replace(given, link=link.id)
        with self._lock:
            with self._database.writing() as connection:
                # Another program may have revoked it just now.
                row = connection.execute(
                    select(SHARES).where(SHARES.c.id == link.id, _held())
                ).first()
                if row is None or row.to_kind != ShareTarget.LINK.value:
                    raise NotSharedError(link.kind.words)
                known = self._same(given) or self._same(new)
                if known is None:
                    self._require_place(link)
                    new = replace(new, expires=_date(row.expires))
                    connection.execute(insert(SHARES).values(**_row(new)))
                connection.execute(_return(person, new))
            self.refresh()
        return known or new

    def accepted(self, link: Grant) -> list[Grant]:
        """What people accepted through a link, oldest first.

        Parameters
        ----------
        link : Grant
        """
        return [one for one in self.of(link.owner) if one.link == link.id]

    def add_link(
        self, owner: str, kind: ShareKind, key: str, days: int = USUAL_DAYS
    ) -> tuple[Grant, str]:
        """Share something by a link.

        Parameters
        ----------
        owner : str
            Key of the person whose it is.
        kind : ShareKind
        key : str
            Of the data set or the audit.
        days : int
            For how long it holds.

        Returns
        -------
        share : Grant
        token : str
            The end of its address, which is kept nowhere: only its hash is.

        Raises
        ------
        SharingError
            Too many days.
        """
        if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= MOST_DAYS:
            raise SharingError(f"a link holds for 1 to {MOST_DAYS} days, not {days!r}")
        token = secrets.token_urlsafe(32)
        new = _new(owner, kind, key, ShareTarget.LINK, "", days)
        with self._lock:
            self._require_room(owner)
            with self._database.writing() as connection:
                row = _row(new) | {"token_hash": _hash(token)}
                connection.execute(insert(SHARES).values(**row))
            self.refresh()
        return new, token

    def revoke(self, owner: str, id: str) -> None:
        """End a share; with a link, what people accepted through it.

        Parameters
        ----------
        owner : str
            Key of the person whose it is: nobody else's can be ended.
        id : str
            See `Grant`.
        """
        with self._lock:
            with self._database.writing() as connection:
                which = or_(SHARES.c.id == id, SHARES.c.link == id)
                connection.execute(_revoke(which & (SHARES.c.owner == owner)))
            self.refresh()

    def leave(self, person: str, share: Grant) -> None:
        """Have a person no longer see what others share with them, or with everyone.

        Parameters
        ----------
        person : str
            Key of the person.
        share : Grant
            One of `with_person`.
        """
        new = _new(share.owner, share.kind, share.key, ShareTarget.LEFT, person)
        with self._lock:
            with self._database.writing() as connection:
                connection.execute(_revoke(_ended_by(person, share)))
                connection.execute(insert(SHARES).values(**_row(new)))
            self.refresh()

    def note_opening(self, share: Grant) -> None:
        """Count that a link was opened; `refresh` writes it down, as links may be opened often.

        Parameters
        ----------
        share : Grant
        """
        with self._lock:
            known = self._live.shares.get(share.id)
            if known is not None:
                counted = replace(known, opened=known.opened + 1)
                self._live = replace(self._live, shares={**self._live.shares, share.id: counted})
                self._unwritten[share.id] += 1

    def purge(self) -> None:
        """Delete shares that ended a while ago."""
        before = time.time() - _KEPT
        with self._lock, self._database.writing() as connection:
            ended = or_(SHARES.c.revoked < before, SHARES.c.expires < before)
            connection.execute(delete(SHARES).where(ended))

    def refresh(self) -> bool:
        """Read the database again, and write openings down; whether other shares hold now.

        That they do may also be because some have ended since.
        """
        with self._lock:
            self._write_openings()
            with self._database.reading() as connection:
                rows = connection.execute(
                    select(SHARES).where(_held()).order_by(SHARES.c.created, SHARES.c.id)
                ).all()
            shares, damaged = {}, ""
            for row in rows:  # a damaged one is none, and ends no other
                try:
                    with self._database.decoding("a share"):
                        require_sound(row, SHARES.c)
                        shares[row.id] = _share(row)
                except ArchiveError as error:
                    damaged = str(error)
            if damaged != self._damaged:
                self._damaged = damaged
                logger.warning("%s", damaged or "all shares can be read again")
            links = {row.token_hash: row.id for row in rows if row.token_hash and row.id in shares}
            changed = shares.keys() != self._live.shares.keys()
            self._live = _Live(shares, links)
            self.version += changed
        return changed

    # -- steps ---------------------------------------------------------------------------------

    def _write_openings(self) -> None:
        if not self._unwritten:
            return
        with self._database.writing() as connection:
            for id, number in self._unwritten.items():
                row = update(SHARES).where(SHARES.c.id == id)
                connection.execute(row.values(opened=SHARES.c.opened + number))
        self._unwritten.clear()

    def _same(self, new: Grant) -> Grant | None:
        """The share that holds already, with the same people about the same and by the same way."""
        what = attrgetter("reference", "target", "person", "link")
        return next((one for one in self.of(new.owner) if what(one) == what(new)), None)

    def _require_room(self, owner: str) -> None:
        # Not those that others accepted: they would take the room of the owner.
        if sum(not one.link for one in self.of(owner)) >= MOST_SHARES:
            raise SharingError(
                f"you share {MOST_SHARES:,} data sets and audits, which is the most; end some first"
            )

    def _require_place(self, link: Grant) -> None:
        if len(self.accepted(link)) >= MOST_ACCEPTED:
            raise SharingError(
                f"{MOST_ACCEPTED:,} people accepted this link, which is the most; ask its owner "
                "for another one"
            )


def _new(
    owner: str, kind: ShareKind, key: str, target: ShareTarget, person: str, days: int | None = None
) -> Grant:
    now = time.time()
    return Grant(
        id=secrets.token_urlsafe(12),
        owner=owner,
        kind=kind,
        key=key,
        target=target,
        person=person,
        created=_date(now),
        expires=None if days is None else _date(now + days * _DAY),
    )


def _row(share: Grant) -> dict[str, Any]:
    return {
        "id": share.id,
        "owner": share.owner,
        "kind": share.kind.value,
        "key": share.key,
        "to_kind": share.target.value,
        "to_person": share.person or None,
        "created": share.created.timestamp(),
        "expires": None if share.expires is None else share.expires.timestamp(),
        "opened": share.opened,
        "link": share.link or None,
    }


def _share(row: Row[Any]) -> Grant:
    return Grant(
        id=row.id,
        owner=row.owner,
        kind=ShareKind(row.kind),
        key=row.key,
        target=ShareTarget(row.to_kind),
        person=row.to_person or "",
        created=_date(row.created),
        expires=None if row.expires is None else _date(row.expires),
        opened=row.opened,
        link=row.link or "",
    )


def _held() -> Any:
    """The rows that were not revoked and have not ended."""
    in_time = or_(SHARES.c.expires.is_(None), SHARES.c.expires > time.time())
    return SHARES.c.revoked.is_(None) & in_time


def _return(person: str, share: Grant) -> Any:
    """The statement after which a person who left what is shared has it again."""
    return _revoke(_ended_by(person, share) & (SHARES.c.to_kind == ShareTarget.LEFT.value))


def _revoke(which: Any) -> Any:
    return update(SHARES).where(which, SHARES.c.revoked.is_(None)).values(revoked=time.time())


def _ended_by(person: str, share: Grant) -> Any:
    """The rows of a person about what is shared."""
    columns = SHARES.c
    return (
        (columns.to_person == person)
        & (columns.owner == share.owner)
        & (columns.kind == share.kind.value)
        & (columns.key == share.key)
    )


def _date(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _in_time(share: Grant) -> bool:
    return share.expires is None or share.expires > datetime.now(UTC)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
