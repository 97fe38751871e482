"""`LogEntry`: what one call of `wb.trackers.log` sends, as it is kept until the tracker has it."""

from __future__ import annotations

import itertools
import os
import time
from dataclasses import asdict, dataclass, field

from workbench import _checks, _json

VERSION = 1

_numbers_of_this_program = itertools.count()


def _new_id() -> str:
    """A name that no other entry has; later ones come later in the alphabet."""
    return f"{time.time_ns():020d}-{os.getpid()}-{next(_numbers_of_this_program):06d}"


@dataclass(frozen=True)
class LogEntry:
    """Numbers, texts and files for one run of a tracker.

    Parameters
    ----------
    kind : str
        Of the tracker.
    where : str
        Which server or folder it writes to.
    run : str
        The identifier of the run there.
    step : int
    numbers : dict from str to float
    texts : dict from str to str
    files : dict from str to str
        From the name of a file to its content.
    made : float
        When, in seconds since 1970.
    key : str
        Names the entry.
    """

    kind: str
    where: str
    run: str
    step: int
    numbers: dict[str, float]
    texts: dict[str, str]
    files: dict[str, str]
    made: float = field(default_factory=time.time)
    key: str = field(default_factory=_new_id)

    def __post_init__(self) -> None:
        _checks.fields(self)

    def to_json(self) -> str:
        """The entry as a text."""
        return _json.dumps_ascii(_json.plain({"version": VERSION, **asdict(self)}, "tagged"))

    @classmethod
    def from_json(cls, text: str) -> LogEntry:
        """The entry of a text.

        Raises
        ------
        ValueError
            A text that is none, or of a later version.
        """
        try:
            values = dict(_json.loads(text))
            if values.pop("version") != VERSION:
                raise ValueError("another version")
            values["numbers"] = {
                key: float(value["float"]) if isinstance(value, dict) else value
                for key, value in values["numbers"].items()
            }
            return cls(**values)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"no entry for a tracker: {error}") from None
