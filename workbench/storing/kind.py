"""`DatabaseKind`: what differs between a file of SQLite, one in memory, and PostgreSQL."""

# Most of it has no meaning for some kind.
# ruff: noqa: B027

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from sqlalchemy import Connection, Engine

from workbench.storing.errors import StorageError
from workbench.storing.wording import DatabaseWording


class DatabaseKind(ABC):
    """What differs between databases; what has no meaning for a kind does nothing.

    Parameters
    ----------
    where : str
        The place, as people say it, without user and password.
    words : DatabaseWording

    Attributes
    ----------
    writable : bool
        False after `engine` found that nothing can be written.
    turns : context manager
        Held while a connection is in use, where threads have to take turns.
    """

    def __init__(self, where: str, words: DatabaseWording):
        self.where, self.words = where, words
        self.writable = True
        self.turns: AbstractContextManager[Any] = nullcontext()

    @abstractmethod
    def engine(self) -> Engine:
        """The engine."""

    @abstractmethod
    def exists(self) -> bool:
        """Whether there is a database already; nothing is made in order to know it."""

    @abstractmethod
    def error(self, error: BaseException, lost: bool) -> StorageError:
        """The error of the driver in words; ``lost``: with the connection."""

    def make(self, build: Callable[[Engine], None]) -> None:
        """Make the database before anybody sees it; ``build`` makes the tables with an engine."""

    def exclude_others(self, connection: Connection) -> None:
        """Let no other program come here before the transaction of ``connection`` ends."""

    def keep_copy(self, revision: str) -> None:
        """Keep a copy of the database before it becomes this version."""

    def settle(self, engine: Engine) -> None:
        """What is done once the tables are there."""

    def delete(self) -> None:
        """Delete all of it, where it belongs to a single person."""
