"""Limits of size, memory and time for reading a score file."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from workbench.scores.refusals import IF_TRUSTED, listed
from workbench.scores.sample import ScoresError

GB = 10**9
MB = 10**6


@dataclass(frozen=True)
class ReadLimits:
    """Limits for reading one file; `TRUSTED` has none.

    Parameters
    ----------
    file_size : float
        Bytes of the file.
    memory, memory_per_byte, most_memory : float
        Bytes of memory to read it: so many, and so many for each byte of the file, at most so many.
        The defaults suffice for tens of millions of rows.
    seconds, seconds_per_megabyte : float
        Of the processor to read it: so many, and so many for each megabyte of the file. Ten times
        what a machine takes.
    expanded, expansion : float
        Bytes to which a compressed file may expand whatever its size, and how many times its size
        where that is more.
    columns : float
        Columns of a table.
    name_length : float
        Characters in the name of a column.
    """

    file_size: float = 2 * GB
    memory: float = 2 * GB
    memory_per_byte: float = 6.0
    most_memory: float = 12 * GB
    seconds: float = 10.0
    seconds_per_megabyte: float = 0.2
    expanded: float = 1 * GB
    expansion: float = 100.0
    columns: float = 10_000
    name_length: float = 1_000

    def memory_for(self, size: int) -> float:
        """Bytes of memory to read a file of ``size`` bytes."""
        return min(self.memory + self.memory_per_byte * size, self.most_memory)

    def seconds_for(self, size: int) -> float:
        """Seconds of the processor to read a file of ``size`` bytes."""
        return self.seconds + self.seconds_per_megabyte * size / MB

    # Each of these raises ScoresError.

    def check_size(self, what: str, size: int) -> None:
        """Refuse a file that is too large to be read.

        Parameters
        ----------
        what : str
            What messages call the file.
        size : int
            Its bytes.
        """
        if size > self.file_size:
            raise ScoresError(
                f"{what} has {size / GB:.3g} GB, more than the {self.file_size / GB:g} "
                f"GB that are read; save the scores alone, as npz or parquet. {IF_TRUSTED}"
            )

    def check_expansion(self, what: str, stored: int, expanded: int) -> None:
        """Refuse a compressed file whose stated expanded size is too large.

        Parameters
        ----------
        what : str
            What messages call the file.
        stored, expanded : int
            Bytes of the file, and of its content.
        """
        most = min(max(self.expanded, self.expansion * stored), self.memory_for(stored))
        if expanded > most:
            raise ScoresError(
                f"{what} would expand from {stored / MB:.3g} MB to {expanded / GB:.3g} "
                f"GB, more than the {most / GB:.3g} GB that are read; save the scores alone. "
                f"{IF_TRUSTED}"
            )

    def check_names(self, what: str, names: Iterable[str]) -> None:
        """Refuse too many columns, duplicate names, and invalid ones.

        Parameters
        ----------
        what : str
            What messages call the file.
        names : iterable of str
        """
        names = list(names)
        if len(names) > self.columns:
            raise ScoresError(
                f"{what} has {len(names)} columns, more than the {self.columns:g} that "
                "are read; scores stand one below the other, so swap rows and columns, or save the "
                "columns of the scores alone"
            )
        times = Counter(names)
        if len(times) < len(names):
            doubles = [name for name in names if times[name] > 1]
            raise ScoresError(f"{what}: two columns have one name, rename one: {listed(doubles)}")
        for name in names:
            if len(name) > self.name_length:
                raise ScoresError(
                    f"{what} has a column whose name is {len(name)} characters long, "
                    f"{name[:20]!r}…; rename it, or check that the file is what its name says"
                )
            if not is_unicode(name):
                raise ScoresError(
                    f"{what} has a column whose name is no valid Unicode text, "
                    f"{name[:40]!a}; rename it"
                )


#: Limits for files that nobody vouches for.
LIMITS = ReadLimits()

TRUSTED = ReadLimits(
    file_size=math.inf,
    memory=math.inf,
    most_memory=math.inf,
    seconds=math.inf,
    expanded=math.inf,
    columns=math.inf,
    name_length=math.inf,
)


def is_unicode(text: str) -> bool:
    """Whether text can be written as UTF-8: an unpaired surrogate cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
