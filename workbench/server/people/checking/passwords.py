"""`Passwords`: passwords hashed with Argon2id, and what a new one must be."""

from __future__ import annotations

import secrets
import unicodedata
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

#: Characters that a password has at least and at most.
SHORTEST, LONGEST = 12, 1024

#: Different characters that a password has at least.
_DIFFERENT = 5


def check_password(password: str, name: str) -> str:
    """A new password if it is strong enough.

    Parameters
    ----------
    password : str
    name : str
        Of the account.

    Raises
    ------
    ValueError
        It is too short or too long, or easily guessed.
    """
    if len(password) < SHORTEST:
        raise ValueError(
            f"the password must have at least {SHORTEST} characters, got {len(password)}; "
            "several words are easy to remember"
        )
    if len(password) > LONGEST:
        raise ValueError(f"the password must have at most {LONGEST:,} characters")
    if len(set(password)) < _DIFFERENT or password.casefold().replace(name.casefold(), "") == "":
        raise ValueError("the password is too easy to guess; use several words, for example")
    return password


class Passwords:
    """Argon2id hashes of passwords, with the parameters that argon2-cffi recommends (RFC 9106).

    A check takes about 0.1 s and 64 MB, and lets other threads run.

    Parameters
    ----------
    hasher : argon2.PasswordHasher, optional
        With other parameters.
    """

    def __init__(self, hasher: PasswordHasher | None = None):
        self._hasher = PasswordHasher() if hasher is None else hasher

    def hash(self, password: str) -> str:
        """The hash of a password, with its parameters and a new salt."""
        return self._hasher.hash(_bytes(password))

    def verify(self, known: str | None, password: str) -> bool:
        """Whether this is the password; takes as long where there is none.

        Parameters
        ----------
        known : str, optional
            The hash. None for an account that does not exist, or has no password.
        password : str
        """
        nobody = self._nobody  # made at the first check of all, whichever account it is of
        try:
            self._hasher.verify(nobody if known is None else known, _bytes(password))
        except (VerificationError, InvalidHashError):
            return False
        return known is not None

    def is_outdated(self, known: str) -> bool:
        """Whether a hash was made with other parameters, and should be made again."""
        return self._hasher.check_needs_rehash(known)

    @cached_property
    def _nobody(self) -> str:
        return self.hash(secrets.token_urlsafe(32))


def _bytes(password: str) -> bytes:
    """A password as it is hashed, the same for all ways to type a letter with an accent."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")
