"""`PasswordCheck`: lets in whoever knows the password of an account."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from functools import partial

from workbench.server.network.rates import networks
from workbench.server.operations import metrics
from workbench.server.people.accounts import LONGEST as LONGEST_NAME
from workbench.server.people.accounts import Account, Accounts, fold
from workbench.server.people.checking.devices import short
from workbench.server.people.checking.event_counts import EventCounts
from workbench.server.people.checking.fair_queue import CALM, KNOWN, OTHER, CrowdedError, FairQueue
from workbench.server.people.checking.passwords import LONGEST
from workbench.server.people.checking.throttle import Attempt, Throttle

logger = logging.getLogger(__name__)

#: Seconds after which somebody should come again who found too many others waiting.
_CROWDED = 5.0


class WrongPasswordError(Exception):
    """Raised for a name and a password that do not belong together."""


class TryLaterError(Exception):
    """Raised for an attempt that is not made, since there were too many before.

    Parameters
    ----------
    seconds : float
        Until the next one.
    """

    def __init__(self, seconds: float):
        super().__init__(seconds)
        self.seconds = math.ceil(seconds)


class PasswordCheck:
    """Lets in whoever knows the password of an account, as often as a `Throttle` lets them try.

    Parameters
    ----------
    accounts : Accounts
    clock : callable, optional
        Seconds.
    """

    def __init__(self, accounts: Accounts, clock: Callable[[], float] = time.monotonic):
        self._accounts = accounts
        self._throttle, self._turns, self._tally = (
            Throttle(clock),
            FairQueue(clock),
            EventCounts(clock),
        )

    async def enter(self, name: str, password: str, address: str, device: str = "") -> Account:
        """The account, if the password is right.

        Parameters
        ----------
        name, password : str
        address : str
            Of the sender.
        device : str
            See `workbench.server.people.checking.devices.device_of`.

        Raises
        ------
        TryLaterError
            There were too many failures; nothing was checked.
        WrongPasswordError
            There is no such account, or it has another password. Both take the same time.
        """
        attempt = Attempt(short(_folded(name)), networks(address), device)
        calm = CALM if self._throttle.is_calm(attempt) else OTHER
        wait = self._throttle.admit(attempt)
        if wait > 0:
            self._log("sign_in_refused", attempt)
            raise TryLaterError(wait)

        def check() -> tuple[Account | None, bool]:
            account = self._accounts.find(name) if len(name) <= LONGEST_NAME else None
            known = None if account is None else account.password
            right = self._accounts.passwords.verify(known, password)
            if account is not None and right:
                self._accounts.renew_hash(account, password)
            return account, right

        try:
            urgency = KNOWN if device else calm
            account, right = (
                await self._turns.run(urgency, attempt.networks[0], check)
                if len(password) <= LONGEST
                else (None, False)
            )
        except CrowdedError as error:
            self._throttle.give_back(attempt)
            self._log("sign_in_refused", attempt)
            raise TryLaterError(_CROWDED) from error
        if account is None or not right:
            self._log("sign_in_failed", attempt, account)
            raise WrongPasswordError
        self._throttle.give_back(attempt)
        self._log("sign_in", attempt, account)
        return account

    async def change(
        self, account: Account, old: str, new: str, address: str, device: str = ""
    ) -> Account:
        """Change a password, if the old one is right; signs its owner out everywhere.

        Parameters
        ----------
        account : Account
        old, new : str
        address, device : str
            See `enter`.

        Raises
        ------
        TryLaterError, WrongPasswordError
            As of `enter`.
        """
        await self.enter(account.name, old, address, device)
        change = partial(self._accounts.set_password, account.name, new)
        try:
            return await self._turns.run(KNOWN, networks(address)[0], change)
        except CrowdedError as error:
            raise TryLaterError(_CROWDED) from error

    def _log(self, event: str, attempt: Attempt, account: Account | None = None) -> None:
        """Write down what happened, without the name that was typed: it may be a password."""
        metrics.happened(event)
        network = attempt.networks[0]
        more: dict[str, object] = {"event": event, "counted": True, "address": network}
        if account is not None:
            more["person"] = account.key[:8]
        if event == "sign_in":
            logger.info("somebody signed in from %s", network, extra=more)
        elif count := self._tally.add(event, network):
            more["count"] = count
            logger.warning("%s from %s, %d so far", _WORDS[event], network, count, extra=more)


_WORDS = {
    "sign_in_failed": "a wrong name or password",
    "sign_in_refused": "an attempt was refused after too many wrong passwords",
}


def _folded(name: str) -> str:
    return fold(name[:LONGEST_NAME])
