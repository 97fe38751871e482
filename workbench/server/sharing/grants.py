"""`Grants`: the table of what people let each other read."""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from operator import attrgetter
from threading import RLock
from typing import Any

from sqlalchemy import ColumnElement, Row, Update, delete, insert, or_, select, update

from workbench.audits.errors import ArchiveError
from workbench.server.people.person import Person, Role
from workbench.server.sharing.grant import (
    Grant,
    NotSharedError,
    ShareKind,
    ShareTarget,
    SharingError,
)
from workbench.server.storing.database import ServerDatabase
from workbench.server.storing.schema import SHARES
from workbench.storing.rows import require_sound

logger = logging.getLogger(__name__)

#: Days that a link may hold at most, and how long it holds unless somebody chooses.
MOST_DAYS, USUAL_DAYS = 365, 7

#: Grants of one person, and people who accept one link.
MOST_SHARES = MOST_ACCEPTED = 1000

#: What people call the owner of what is shared on a server where nobody signs in.
SOMEBODY = "somebody"

#: Seconds for which a grant that ended stays in the database, for whoever looks into it.
_KEPT = 30 * 24 * 3600.0

_DAY = 24 * 3600.0

#: Names and roles of the people who have accounts, by their keys.
People = Mapping[str, tuple[str, Role]]


class Grants:
    """The table of what people let each other read.

    All questions are answered from memory; `refresh` reads the database again after another program
    may have changed it. All methods may be called from any thread.

    Parameters
    ----------
    database : ServerDatabase
    people : callable, optional
        Returns the people who have accounts; None for a server where nobody signs in.

    Attributes
    ----------
    people : mapping
        As of the last `refresh`.
    has_people : bool
        Whether people sign in on this server.
    version : int
        Grows with every change of the grants that hold.
    """

    def __init__(self, database: ServerDatabase, people: Callable[[], People] | None = None):
        self._database, self._read_people = database, people
        self.people: People = {}
        self.has_people = people is not None
        self.version = 0
        self._lock = RLock()
        self._by_id: Mapping[str, Grant] = {}
        self._links: Mapping[str, str] = {}  # hash of a token -> id
        self._openings: Counter[str] = Counter()  # that are not written down yet
        self._damaged = ""
        self.refresh()

    # -- questions -----------------------------------------------------------------------------

    def holds(self, grant: Grant) -> bool:
        """Whether the owner may still share, has not revoked it, and the reader is still here."""
        known = self._by_id.get(grant.id)
        if known is None or known.item != grant.item or not known.in_time:
            return False
        if not self.has_people:
            return True
        there = known.target is not ShareTarget.PERSON or known.person in self.people
        _, role = self.people.get(known.owner, ("", Role.VIEWER))
        return there and role.edits

    def given_by(self, owner: str) -> list[Grant]:
        """What the person with a key shares, oldest first."""
        found = [one for one in self._by_id.values() if one.owner == owner]
        return [one for one in found if one.target is not ShareTarget.LEFT and one.in_time]

    def given_to(self, person: Person) -> list[Grant]:
        """What others share with a person, oldest first; each data set and audit once.

        What is shared with everyone reaches those who have an account.
        """
        grants, signed_in = list(self._by_id.values()), person.key in self.people
        left = {o.item for o in grants if o.target is ShareTarget.LEFT and o.person == person.key}
        found: dict[tuple[str, ShareKind, str], Grant] = {}
        for one in sorted(grants, key=lambda one: bool(one.link)):  # what a link ends comes last
            to_all = one.target is ShareTarget.EVERYONE and signed_in
            to_me = one.target is ShareTarget.PERSON and one.person == person.key
            others = one.owner != person.key and one.item not in left
            if (to_all or to_me) and others and self.holds(one):
                found.setdefault(one.item, one)
        return list(found.values())

    def by_token(self, token: str) -> Grant | None:
        """The grant of a link; None for a token that is unknown, revoked or has ended."""
        grant = self._by_id.get(self._links.get(_hash(token), ""))
        return grant if grant is not None and self.holds(grant) else None

    def accepted(self, link: Grant) -> list[Grant]:
        """What people accepted through a link, oldest first."""
        return [one for one in self.given_by(link.owner) if one.link == link.id]

    def name_of(self, key: str) -> str:
        """The name of a person; `SOMEBODY` for a visitor without an account."""
        return self.people.get(key, (SOMEBODY, Role.EDITOR))[0]

    # -- changes -------------------------------------------------------------------------------

    def add(self, owner: str, kind: ShareKind, key: str, person: str | None) -> Grant:
        """Share something with a person, or with everyone who is signed in.

        Parameters
        ----------
        owner : str
            Key of the person who shares.
        kind : ShareKind
        key : str
            Of the data set or the audit.
        person : str or None
            Key of the person who may read; None for everyone.

        Returns
        -------
        Grant
            The one that holds already, if there is one.
        """
        target = ShareTarget.EVERYONE if person is None else ShareTarget.PERSON
        new = _new(owner, kind, key, target, person or "")
        with self._lock:
            known = self._same(new)
            if known is None:
                self._require_room(owner)
                self._write(_left_no_longer(new), insert(SHARES).values(_row(new)))
        return known or new

    def add_link(
        self, owner: str, kind: ShareKind, key: str, days: int = USUAL_DAYS
    ) -> tuple[Grant, str]:
        """Share something by a link.

        Parameters
        ----------
        owner, kind, key
            See `add`.
        days : int
            For how long it holds.

        Returns
        -------
        grant : Grant
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
        new = _new(owner, kind, key, ShareTarget.LINK, "")
        new = replace(new, expires=_date(new.created.timestamp() + days * _DAY))
        with self._lock:
            self._require_room(owner)
            self._write(insert(SHARES).values(_row(new) | {"token_hash": _hash(token)}))
        return new, token

    def accept(self, link: Grant, person: str) -> Grant:
        """Share with a person what a link shows them, until the link ends or is revoked.

        Parameters
        ----------
        link : Grant
            See `by_token`.
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
        given = _new(*link.item, ShareTarget.PERSON, person)
        new = replace(given, link=link.id)
        with self._lock:
            with self._database.writing() as connection:
                # Another program may have revoked it just now.
                row = connection.execute(
                    select(SHARES).where(SHARES.c.id == link.id, _held())
                ).first()
                if row is None or row.to_kind != ShareTarget.LINK.value:
                    raise NotSharedError(link.kind)
                known = self._same(given) or self._same(new)
                if known is None:
                    if len(self.accepted(link)) >= MOST_ACCEPTED:
                        raise SharingError(
                            f"{MOST_ACCEPTED:,} people accepted this link, which is the most; ask "
                            "its owner for another one"
                        )
                    new = replace(new, expires=_date(row.expires))
                    connection.execute(insert(SHARES).values(_row(new)))
                connection.execute(_left_no_longer(new))
            self._read()
        return known or new

    def revoke(self, owner: str, id: str) -> None:
        """End a grant; with a link, what people accepted through it.

        Parameters
        ----------
        owner : str
            Key of the person who shares: nobody else's grants can be ended.
        id : str
            Of the grant.
        """
        which = or_(SHARES.c.id == id, SHARES.c.link == id)
        self._write(_revoke(which & (SHARES.c.owner == owner)))

    def leave(self, person: str, grant: Grant) -> None:
        """Have the person with a key no longer see what others share with them, or with all."""
        new = _new(*grant.item, ShareTarget.LEFT, person)
        self._write(_revoke(_about(new)), insert(SHARES).values(_row(new)))

    def note_opening(self, grant: Grant) -> None:
        """Count that a link was opened; `refresh` writes it down, as links may be opened often."""
        with self._lock:
            known = self._by_id.get(grant.id)
            if known is not None:
                self._by_id = {**self._by_id, known.id: replace(known, opened=known.opened + 1)}
                self._openings[known.id] += 1

    def purge(self) -> None:
        """Delete grants that ended a while ago."""
        before = time.time() - _KEPT
        ended = (SHARES.c.revoked < before) | (SHARES.c.expires < before)
        with self._lock, self._database.writing() as connection:
            connection.execute(delete(SHARES).where(ended))

    def refresh(self) -> bool:
        """Read the database again, and write openings down.

        Returns
        -------
        bool
            Whether other grants hold now, or other people are here; also where some grants have
            ended by themselves.
        """
        people = {} if self._read_people is None else self._read_people()
        with self._lock:
            version, others = self.version, people != self.people
            self.people = people
            if self._openings:
                with self._database.writing() as connection:
                    for id, number in self._openings.items():
                        row = update(SHARES).where(SHARES.c.id == id)
                        connection.execute(row.values(opened=SHARES.c.opened + number))
                self._openings.clear()
            self._read()
            return others or version != self.version

    # -- steps ---------------------------------------------------------------------------------

    def _write(self, *statements: Any) -> None:
        with self._lock:
            with self._database.writing() as connection:
                for one in statements:
                    connection.execute(one)
            self._read()

    def _read(self) -> None:
        """Read the grants that hold."""
        with self._lock:
            with self._database.reading() as connection:
                rows = connection.execute(
                    select(SHARES).where(_held()).order_by(SHARES.c.created, SHARES.c.id)
                ).all()
            grants, damaged = {}, ""
            for row in rows:  # a damaged one is none, and ends no other
                try:
                    with self._database.decoding("a share"):
                        require_sound(row, SHARES.c)
                        opened = row.opened + self._openings[row.id]
                        grants[row.id] = replace(_grant(row), opened=opened)
                except ArchiveError as error:
                    damaged = str(error)
            if damaged != self._damaged:
                self._damaged = damaged
                logger.warning("%s", damaged or "all shares can be read again")
            self._links = {r.token_hash: r.id for r in rows if r.token_hash and r.id in grants}
            before, self._by_id = self._by_id, grants
            self.version += grants.keys() != before.keys()

    def _same(self, new: Grant) -> Grant | None:
        """The grant that holds already, for the same readers, of the same, by the same way."""
        what = attrgetter("item", "target", "person", "link")
        return next((one for one in self.given_by(new.owner) if what(one) == what(new)), None)

    def _require_room(self, owner: str) -> None:
        # Not those that others accepted: they would take the room of the owner.
        if sum(not one.link for one in self.given_by(owner)) >= MOST_SHARES:
            raise SharingError(
                f"you share {MOST_SHARES:,} data sets and audits, which is the most; end some first"
            )


def _new(owner: str, kind: ShareKind, key: str, target: ShareTarget, person: str) -> Grant:
    id, created = secrets.token_urlsafe(12), _date(time.time())
    return Grant(id, owner, kind, key, target, person, created)


def _row(grant: Grant) -> dict[str, Any]:
    return {
        "id": grant.id,
        "owner": grant.owner,
        "kind": grant.kind.value,
        "key": grant.key,
        "to_kind": grant.target.value,
        "to_person": grant.person or None,
        "created": grant.created.timestamp(),
        "expires": None if grant.expires is None else grant.expires.timestamp(),
        "opened": grant.opened,
        "link": grant.link or None,
    }


def _grant(row: Row[Any]) -> Grant:
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


def _held() -> ColumnElement[bool]:
    """The rows that were not revoked and have not ended."""
    in_time = or_(SHARES.c.expires.is_(None), SHARES.c.expires > time.time())
    return SHARES.c.revoked.is_(None) & in_time


def _left_no_longer(grant: Grant) -> Update:
    """The statement after which a person who left what is shared has it again."""
    return _revoke(_about(grant) & (SHARES.c.to_kind == ShareTarget.LEFT.value))


def _revoke(which: ColumnElement[bool]) -> Update:
    return update(SHARES).where(which, SHARES.c.revoked.is_(None)).values(revoked=time.time())


def _about(grant: Grant) -> ColumnElement[bool]:
    """The rows of the reader of a grant, about what it shares."""
    columns = SHARES.c
    return (
        (columns.to_person == grant.person)
        & (columns.owner == grant.owner)
        & (columns.kind == grant.kind.value)
        & (columns.key == grant.key)
    )


def _date(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
