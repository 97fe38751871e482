"""`AccountIdentity`: people by their sign-in."""

from __future__ import annotations

from collections.abc import Callable

from tornado.web import RequestHandler

from workbench.server.people.accounts import Accounts
from workbench.server.people.checking.password_check import PasswordCheck
from workbench.server.people.person import Person
from workbench.server.people.sign_ins import SignIns


class AccountIdentity:
    """People by their sign-in, which a password or an OAuth provider began.

    Parameters
    ----------
    accounts : Accounts
    sign_ins : SignIns
    password_check : PasswordCheck, optional
        Checks passwords.
    """

    def __init__(
        self, accounts: Accounts, sign_ins: SignIns, password_check: PasswordCheck | None = None
    ):
        self.accounts, self.sign_ins = accounts, sign_ins
        self.password_check = PasswordCheck(accounts) if password_check is None else password_check

    def person(self, handler: RequestHandler) -> Person | None:
        """Who is signed in; None for nobody."""
        account = self.sign_ins.account(handler)
        return None if account is None else account.person

    async def arrive(self, handler: RequestHandler) -> Person | None:
        """As `person`."""
        return self.person(handler)

    def present(self, person: Person) -> Person | None:
        """The person with the name and the role of now; None if the account was removed."""
        account = self.accounts.by_key(person.key)
        return None if account is None else account.person

    def watch(self, handler: RequestHandler, end: Callable[[], None]) -> Callable[[], None]:
        """See `Identity.watch`."""
        return self.sign_ins.watch(handler, end)
