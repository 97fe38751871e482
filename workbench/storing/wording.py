"""`DatabaseWording`: the errors of a database in words, each with what to do."""

from __future__ import annotations

import errno
from dataclasses import dataclass

from workbench.storing.errors import StorageError

_NO_RIGHT = (errno.EROFS, errno.EACCES, errno.EPERM)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True)
class DatabaseWording:
    """The errors of a database in words.

    Parameters
    ----------
    title : str
        The database.
    place : str
        What can be full, or be without rights: the database, or its folder.
    error : type
    elsewhere : str
        The last advice.
    left : str
        What a damaged database leaves, after "It was left as it is".
    again : str
        What a caller does after a failure that ends by itself.
    """

    title: str
    place: str
    error: type[StorageError] = StorageError
    elsewhere: str = "or name another database"
    left: str = ". What stands in other parts of it may still be read"
    again: str = "try again"

    def busy(self, seconds: float) -> StorageError:
        """Another program is writing for too long."""
        again = f". Nothing was changed; {self.again}" if self.again else ""
        return self.error(
            f"another program is writing to {self.title} and did not finish within {seconds:g} "
            f"seconds{again}"
        )

    def full(self) -> StorageError:
        """There is no room."""
        nothing, again = (". Nothing was changed", f" and {self.again}") if self.again else ("", "")
        return self.error(f"the disk of {self.place} is full{nothing}; make room{again}", full=True)

    def read_only(self) -> StorageError:
        """Nothing can be changed."""
        return self.error(
            f"{self.place} cannot be written; what is in it can be read. Make it writable, "
            f"{self.elsewhere}"
        )

    def moved(self) -> StorageError:
        """The file is not there any more."""
        return self.error(f"{self.title} cannot be opened: it was moved or deleted")

    def damaged(self, why: str) -> StorageError:
        """It is not what was written."""
        return self.error(
            f"{self.title} is damaged ({why}). It was left as it is{self.left}. Put a copy of it "
            f"back, rename it to begin anew, {self.elsewhere}",
            lasting=True,
        )

    def damaged_row(self, what: str, why: object) -> StorageError:
        """A row is not what was written."""
        return self.error(
            f"{what} in {self.title} is damaged ({why}). It was left as it is, and the rest can be "
            "read; put a copy of the database back"
        )

    def newer(self, found: str, known: str) -> StorageError:
        """It has a version that this program does not know."""
        return self.error(
            f"{self.title} was made by a newer version of the workbench (format {found}; this one "
            f"knows {known}). It was not touched. Update this program, {self.elsewhere}",
            lasting=True,
        )

    def foreign(self, table: str) -> StorageError:
        """Another program has a table of our name in it."""
        return self.error(
            f"{self.title} holds a table {table!r} that is not of the workbench. It was not "
            f"touched; use another one, {self.elsewhere}",
            lasting=True,
        )

    def unusable(self, why: object) -> StorageError:
        """Anything else is wrong."""
        return self.error(f"{self.title} cannot be used: {why}; mend that, {self.elsewhere}")

    def of_system(self, error: OSError) -> StorageError:
        """What the operating system refused."""
        if error.errno in _NO_ROOM:
            return self.full()
        if error.errno in _NO_RIGHT:
            return self.error(
                f"{self.place} cannot be written or made ({error.strerror}); change the rights of "
                f"its folder, {self.elsewhere}"
            )
        return self.unusable(error.strerror or error)
