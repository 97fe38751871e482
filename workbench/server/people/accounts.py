"""`Accounts`: the people who may sign in, in the database of the server."""

from __future__ import annotations

import re
import secrets
import time
import unicodedata
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import Connection, and_, delete, insert, or_, select, update

from workbench.scores.refusals import did_you_mean
from workbench.server.people.checking.passwords import Passwords, check_password
from workbench.server.people.person import Person, Role
from workbench.server.storing.database import ServerDatabase
from workbench.server.storing.schema import PEOPLE, SHARES, SIGN_INS
from workbench.storing.rows import require_sound

#: Characters that a name has at most.
LONGEST = 64


class AccountError(ValueError):
    """Raised for an account that does not exist, and for a name that cannot be used."""


@dataclass(frozen=True)
class Account:
    """Somebody who may sign in.

    Parameters
    ----------
    key : str
        See `Person`.
    name : str
        Unique among all accounts, whatever the case of its letters.
    role : Role
    created : float
        Seconds since 1970.
    password : str, optional
        Its hash; None for somebody who signs in with a provider only.
    provider : str, optional
        Of OAuth, where they were first seen.
    """

    key: str
    name: str
    role: Role
    created: float
    password: str | None = field(default=None, repr=False)
    provider: str | None = None

    @property
    def person(self) -> Person:
        """The person who uses the account."""
        return Person(self.key, self.name, self.role, signed_in=True)


def check_name(name: str) -> str:
    """A name if an account may have it.

    Raises
    ------
    AccountError
        It is empty or too long, or has characters that cannot be seen or that act on others.
    """
    if not 1 <= len(name) <= LONGEST:
        raise AccountError(f"a name must have 1 to {LONGEST} characters, got {len(name)}")
    if not name.isprintable() or name != name.strip():
        raise AccountError(
            f"a name must have letters that can be seen, and no spaces around it; got {name!a}"
        )
    return name


def fold(name: str) -> str:
    """A name as names are compared: without the case and the style of letters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


class Accounts:
    """The accounts of a server.

    Every method sees what other programs have changed. Whoever loses an account or gets another
    password is signed out everywhere.

    Parameters
    ----------
    database : ServerDatabase
    passwords : Passwords, optional
        Hashes them.
    clock : callable, optional
        Seconds since 1970.
    """

    def __init__(
        self,
        database: ServerDatabase,
        passwords: Passwords | None = None,
        clock: Callable[[], float] = time.time,
    ):
        self.database, self._clock = database, clock
        self.passwords = Passwords() if passwords is None else passwords

    def add(self, name: str, role: Role, password: str | None = None) -> Account:
        """A new account.

        Parameters
        ----------
        name : str
        role : Role
        password : str, optional
            None for somebody who cannot sign in before they get one.

        Raises
        ------
        AccountError
            The name is taken, or cannot be used.
        ValueError
            The password is too short.
        """
        check_name(name)
        hashed = None if password is None else self._hashed(password, name)
        with self.database.writing() as connection:
            taken = self._found(connection, PEOPLE.c.folded == fold(name))
            if taken is not None:
                raise AccountError(f"there is an account {taken.name!r} already")
            return self._insert(connection, name, role, password=hashed)

    def list(self) -> list[Account]:
        """All accounts by name."""
        with self.database.reading() as connection:
            rows = connection.execute(select(PEOPLE).order_by(PEOPLE.c.folded)).all()
        return [account_of(self.database, row) for row in rows]

    def find(self, name: str) -> Account | None:
        """The account of a name; None if there is none."""
        with self.database.reading() as connection:
            return self._found(connection, PEOPLE.c.folded == fold(name))

    def by_key(self, key: str) -> Account | None:
        """The account of a key; None if there is none."""
        with self.database.reading() as connection:
            return self._found(connection, PEOPLE.c.key == key)

    def named(self, name: str) -> Account:
        """The account of a name.

        Raises
        ------
        AccountError
            There is none.
        """
        found = self.find(name)
        if found is None:
            names = [account.name for account in self.list()]
            raise AccountError(f"there is no account {name!r}{did_you_mean(name, names)}")
        return found

    def remove(self, name: str) -> Account:
        """Remove an account, its sign-ins, and all that was shared by and with it."""
        account = self.named(name)
        shared = or_(SHARES.c.owner == account.key, SHARES.c.to_person == account.key)
        with self.database.writing() as connection:
            connection.execute(delete(SHARES).where(shared))
            connection.execute(delete(PEOPLE).where(PEOPLE.c.key == account.key))
        return account

    def set_role(self, name: str, role: Role) -> Account:
        """Change what somebody may do; their open pages load again."""
        account = self.named(name)
        self._change(account, role=str(role))
        return account

    def set_password(self, name: str, password: str) -> Account:
        """Change a password, and sign its owner out everywhere."""
        account = self.named(name)
        hashed = self._hashed(password, account.name)
        with self.database.writing() as connection:
            row = PEOPLE.c.key == account.key
            connection.execute(update(PEOPLE).where(row).values(password=hashed))
            connection.execute(delete(SIGN_INS).where(SIGN_INS.c.person == account.key))
        return account

    def renew_hash(self, account: Account, password: str) -> None:
        """Hash a password that was right again, with the parameters of today."""
        if account.password is not None and self.passwords.is_outdated(account.password):
            self._change(account, password=self.passwords.hash(password))

    def sign_in_external(self, provider: str, subject: str, name: str, role: Role) -> Account:
        """The account of somebody whom an OAuth provider has identified, made if it has to be.

        An account is never found by its name: a provider does not say who somebody is here.

        Parameters
        ----------
        provider, subject : str
            The provider, and who they are there, for ever.
        name : str
            What they are called there.
        role : Role
            Of a new account.
        """
        there = and_(PEOPLE.c.provider == provider, PEOPLE.c.subject == subject)
        with self.database.reading() as connection:
            found = self._found(connection, there)
        if found is not None:
            return found
        with self.database.writing() as connection:
            found = self._found(connection, there)  # another request may have been faster
            if found is not None:
                return found
            taken = set(connection.scalars(select(PEOPLE.c.folded)))
            free = next(one for one in _names(name, provider) if fold(one) not in taken)
            return self._insert(connection, free, role, provider=provider, subject=subject)

    # -- steps --------------------------------------------------------------------------------

    def _found(self, connection: Connection, where: Any) -> Account | None:
        row = connection.execute(select(PEOPLE).where(where)).one_or_none()
        return None if row is None else account_of(self.database, row)

    def _hashed(self, password: str, name: str) -> str:
        return self.passwords.hash(check_password(password, name))

    def _insert(
        self,
        connection: Connection,
        name: str,
        role: Role,
        password: str | None = None,
        provider: str = "",
        subject: str = "",
    ) -> Account:
        made = Account(
            key=secrets.token_hex(16),
            name=name,
            role=role,
            created=self._clock(),
            password=password,
            provider=provider or None,
        )
        row = {**asdict(made), "role": str(role), "folded": fold(name), "subject": subject or None}
        connection.execute(insert(PEOPLE), [row])
        return made

    def _change(self, account: Account, **values: str) -> None:
        with self.database.writing() as connection:
            row = PEOPLE.c.key == account.key
            connection.execute(update(PEOPLE).where(row).values(**values))


def account_of(database: ServerDatabase, row: Any) -> Account:
    """The account of a row of `PEOPLE`, or of a join with it.

    Raises
    ------
    ArchiveError
        The row is damaged.
    """
    with database.decoding("an account"):
        require_sound([getattr(row, column.name) for column in PEOPLE.c], PEOPLE.c)
        return Account(
            key=row.key,
            name=row.name,
            role=Role(row.role),
            created=row.created,
            password=row.password,
            provider=row.provider,
        )


def _names(name: str, provider: str) -> Any:
    """Names that somebody could have here, the best first."""
    kept = re.sub(r" +", " ", "".join(c for c in name if c.isprintable())).strip()
    kept = kept[: LONGEST - len(provider) - 10].strip() or "unnamed"
    yield kept
    yield f"{kept} ({provider})"
    number = 2
    while True:
        yield f"{kept} ({provider} {number})"
        number += 1
