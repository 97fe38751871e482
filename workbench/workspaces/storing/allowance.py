"""`Allowance`: how much a workspace may hold."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Allowance(Protocol):
    """How much a workspace may hold; both methods raise a ValueError where it is too much."""

    def require_data_set(self, there: int, removed: int) -> None:
        """Refuse one more data set.

        Parameters
        ----------
        there : int
            Data sets that there are.
        removed : int
            Of them, those that were removed and not yet deleted.
        """

    def require_room(self, used: int, more: int) -> None:
        """Refuse content for which there is no room.

        Parameters
        ----------
        used, more : int
            Bytes that are in use, and that would be added.
        """
