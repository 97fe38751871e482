"""`AuditSummary`: what a list of audits shows of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from workbench import _json
from workbench.audits.audit import Audit
from workbench.audits.imported import Imported
from workbench.audits.items import AuditNumber

#: `AuditSummary.about` of a row that cannot be read.
_NOTHING: Mapping[str, Any] = {"tags": [], "data": [], "headline": None}

#: Characters of a note that a list shows.
LONGEST_NOTE = 300


@dataclass(frozen=True)
class AuditSummary:
    """What a list of audits shows of one, without its numbers and figures.

    Parameters
    ----------
    key, name, page, title, by, series : str
        As of `Audit`.
    note : str
        Its first 300 characters.
    made_at, saved_at : str
        When it was made and saved, in ISO 8601.
    previous : str
        Key of the version before; "" for none.
    position : int
        Its number in the series; 0 for none.
    versions : int
        How many versions had been saved when it was, this one included.
    about : str
        Tags, names of data and the first number, as JSON.
    imported_at : str or None
        When it was imported, in ISO 8601; "" for an audit that was made here, None for one that
        was saved by a version that did not note it.
    imported_by : str or None
    removed : bool
    """

    key: str
    name: str
    note: str
    page: str
    title: str
    made_at: str
    saved_at: str
    by: str
    previous: str
    series: str
    position: int
    versions: int
    about: str = field(repr=False)
    imported_at: str | None = ""
    imported_by: str | None = ""
    removed: bool = False

    @property
    def made(self) -> datetime:
        """When it was made."""
        return datetime.fromisoformat(self.made_at)

    @property
    def saved(self) -> datetime:
        """When it was saved."""
        return datetime.fromisoformat(self.saved_at)

    @property
    def imported(self) -> Imported | None:
        """When and by whom it was imported; None for an audit that was made here."""
        return Imported(self.imported_at, self.imported_by or "") if self.imported_at else None

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""
        return tuple(self._about["tags"])

    @property
    def data(self) -> tuple[str, ...]:
        """Names of its data sets."""
        return tuple(self._about["data"])

    @property
    def headline(self) -> AuditNumber | None:
        """Its first bound, else its first number; None where it has no number."""
        number = self._about["headline"]
        try:
            return None if number is None else AuditNumber.from_dict(number)
        except (ValueError, TypeError, KeyError, AttributeError):
            return None  # of a damaged row

    def of_damaged_row(self, why: str) -> AuditSummary:
        """What stands in a list for an audit whose row is damaged."""
        texts = {
            one.name: value if isinstance(value := getattr(self, one.name), str) else ""
            for one in fields(self)
            if one.type == "str"
        }
        readable: dict[str, Any] = {
            name: text.encode("utf-8", "replace").decode() for name, text in texts.items()
        }
        return AuditSummary(
            **readable
            | {
                "name": readable["name"] or "damaged",
                "note": f"The row of this audit in the list is damaged ({why}); open it to see "
                "whether the audit itself is.",
                "made_at": _time(readable["made_at"]),
                "saved_at": _time(readable["saved_at"]),
                "about": _json.dumps_ascii(_NOTHING),
            },
            position=self.position if isinstance(self.position, int) else 0,
            versions=self.versions if isinstance(self.versions, int) else 1,
        )

    @cached_property
    def _about(self) -> dict[str, Any]:
        try:
            found = _json.loads(self.about)
            return {
                "tags": [str(tag) for tag in found["tags"]],
                "data": [str(name) for name in found["data"]],
                "headline": found["headline"],
            }
        except (ValueError, TypeError, KeyError, RecursionError):
            # Of a damaged row; the audit itself is verified when it is opened.
            return dict(_NOTHING)


def _time(text: str) -> str:
    """A time as it is stored; 1970 where it cannot be read."""
    try:
        return datetime.fromisoformat(text).astimezone().isoformat()
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(0, UTC).isoformat()


def about(audit: Audit) -> str:
    """Tags, names of data and the first number of an audit, as JSON in ASCII."""
    told = [one for one in audit.numbers if one.bound is not None and not one.ask]
    first = next(iter([*told, *audit.numbers]), None)
    if first is not None:
        first = replace(first, help="", formula="", caution="")
    return _json.dumps_ascii(
        {
            "tags": list(audit.tags),
            "data": [one.name for one in audit.data],
            "headline": None if first is None else _short(first.to_dict()),
        }
    )


def _short(number: dict[str, Any]) -> dict[str, Any]:
    """A number without the fields that have their default: lists of many are read at once."""
    bound = number["bound"]
    if bound is not None:
        bound = {name: value for name, value in bound.items() if value is not None}
    return {name: value for name, value in number.items() if value} | {"bound": bound}
