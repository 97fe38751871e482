"""`Imported`: when and by whom an audit was taken in from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Self


@dataclass(frozen=True)
class Imported:
    """When and by whom an audit was taken in from a file.

    Whoever has the file of an audit can change it. All that an imported audit states is therefore
    the statement of its file: it was neither computed nor checked here.

    Parameters
    ----------
    at : str
        The time, in ISO 8601 with a time zone.
    by : str
        Who imported it; "" where nobody said.
    """

    at: str
    by: str = ""

    @classmethod
    def now(cls, by: str = "") -> Self:
        """An import at this moment."""
        return cls(datetime.now(UTC).isoformat(), by)

    @property
    def short(self) -> str:
        """When and by whom, such as "imported on 2026-11-25 18:00 UTC by ada"."""
        when = datetime.fromisoformat(self.at).astimezone(UTC)
        return f"imported on {when:%Y-%m-%d %H:%M} UTC{f' by {self.by}' if self.by else ''}"

    def explain(self) -> str:
        """What a reader of the audit has to know, in sentences."""
        return (
            f"This audit was {self.short}. What it states, its numbers, who made it and when, its "
            "plan and its series, was not checked here."
        )

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The import that `to_dict` described (ValueError, TypeError for something else)."""
        found = cls(**values)
        if datetime.fromisoformat(found.at).tzinfo is None or not isinstance(found.by, str):
            raise ValueError(f"no time with a zone, or no name: {values!r}"[:200])
        return found
