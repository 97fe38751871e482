"""`DatabaseKind`: what differs between the databases that audits can be kept in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from workbench.audits.errors import ArchiveError


class DatabaseKind(ABC):
    """What differs between the databases that audits can be kept in.

    Attributes
    ----------
    writable : bool
        False after `engine` found that nothing can be written.
    turns : context manager
        Held while a connection is in use, where threads have to take turns.
    """

    writable = True
    turns: AbstractContextManager[Any] = nullcontext()

    @property
    @abstractmethod
    def where(self) -> str:
        """The place, as people say it, without user and password."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The database in a message."""

    @abstractmethod
    def exists(self) -> bool:
        """Whether there is a database already; nothing is made in order to know it."""

    @abstractmethod
    def delete(self) -> None:
        """Delete all of it, where it belongs to a single person; else nothing."""

    @abstractmethod
    def make(self, build: Callable[[Engine], None]) -> None:
        """Make the database with its tables before anybody sees it, where that is possible.

        Parameters
        ----------
        build : callable
            Makes the tables with an engine.
        """

    @abstractmethod
    def engine(self) -> Engine:
        """The engine (ArchiveError where it cannot be made)."""

    @abstractmethod
    def error(self, error: DBAPIError) -> ArchiveError:
        """What went wrong, and what to do."""

    def read_only(self) -> ArchiveError:
        """The error of a change where nothing can be written."""
        return ArchiveError(
            f"{self.title} cannot be written; what is in it can be read. Make it writable, or name "
            "another database"
        )

    def damaged(self, said: str) -> ArchiveError:
        """The error of a database that says what cannot be.

        Parameters
        ----------
        said : str
            What is wrong with it.
        """
        return ArchiveError(f"{self.title} is damaged ({said}). It was left as it is")

    @abstractmethod
    def exclude_others(self, connection: Connection) -> None:
        """Let no other program come here before the transaction of ``connection`` ends."""

    @abstractmethod
    def keep_copy(self, revision: str) -> None:
        """Keep a copy of the database before it becomes this version, where that is a file."""

    @abstractmethod
    def settle(self, engine: Engine) -> None:
        """What is done once the tables are there."""
