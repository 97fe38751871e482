"""`TrackedRun`: a run of a tracker, whatever it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from workbench.trackers.entries import LogEntry


class TrackedRun(ABC):
    """A run of an experiment tracker.

    Attributes
    ----------
    kind : str
        Of the tracker.
    where : str
        Which server or folder it writes to. Entries that wait are sent by any run of it.
    run : str
        The identifier of the run.
    """

    kind: ClassVar[str]
    where: str
    run: str

    @abstractmethod
    def send(self, entry: LogEntry, tried: bool) -> None:
        """Give an entry to the tracker, or raise what it raises.

        Parameters
        ----------
        entry : LogEntry
        tried : bool
            Whether it may have the entry already; nothing is logged twice then.
        """
