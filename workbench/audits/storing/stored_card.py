"""`audit_of_card`: the audit of a card that was stored, or that comes from a stranger."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from types import NoneType
from typing import Any

from workbench import _checks
from workbench.audits.audit import CARD_VERSION, Audit
from workbench.audits.errors import ArchiveError
from workbench.audits.items import AuditFigure
from workbench.bounds.bound import Bound

#: The types of fields by the text of their annotation; others are not checked here.
_TYPES: dict[str, Any] = {
    "str": str,
    "int": int,
    "float": (int, float),
    "bool": bool,
    "None": NoneType,
    "datetime": datetime,
    "Bound": Bound,
    "Mapping[str, Any]": Mapping,
    "Mapping[str, str]": Mapping,
}


def audit_of_card(card: str | bytes, figures: tuple[AuditFigure, ...], key: str) -> Audit:
    """The audit of a card, whose every field has its type.

    Parameters
    ----------
    card : str or bytes
        `Audit.text`, or the same with a key.
    figures : tuple of AuditFigure
    key : str
        The key of the audit.

    Raises
    ------
    ArchiveError
        No card, one of a newer version, or one with other fields.
    """
    try:
        values = json.loads(card)
        version = values["card"]
        if not isinstance(version, int) or version > CARD_VERSION:
            raise ArchiveError(
                f"the audit was saved by a newer version of the workbench (card "
                f"{_checks.shown(version)}; this one reads {CARD_VERSION}); update this program"
            )
        audit = Audit.from_dict({**values, "key": key}, figures)
        _require_types(audit)
        _require_shown(audit)
    except ArchiveError:
        raise
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise ArchiveError(f"this is no card of an audit: {_said(error)}") from error
    return audit


def _require_types(audit: Audit) -> None:
    """Raise a TypeError where a field of an audit or of its parts has another type."""
    _require(audit)
    parts = (*audit.data, *audit.numbers, *audit.sentences, *audit.deviations)
    for part in parts:
        _require(part)
    for bound in audit.bounds.values():
        _require(bound)
        _require(bound.at)
    if audit.plan is not None:
        _require(audit.plan)
    texts = (*audit.tags, *audit.software, *audit.software.values(), *audit.settings)
    if not all(isinstance(one, str) for one in texts):
        raise TypeError("a tag, a setting or a version of software that is no text")
    if not all(isinstance(one, dict) for one in audit.verdicts):
        raise TypeError("a verdict that is no object")
    if audit.made.tzinfo is None:
        raise ValueError("a time without its zone")


def _require(part: Any) -> None:
    for one in fields(part):
        kinds = [_TYPES.get(kind) for kind in str(one.type).split(" | ")]
        value = getattr(part, one.name)
        if None not in kinds and not any(isinstance(value, kind) for kind in kinds):  # type: ignore[arg-type]
            raise TypeError(f"{one.name} must be {one.type}, got {_checks.shown(value)}")


def _require_shown(audit: Audit) -> None:
    """Raise an error where a number has no text."""
    for number in audit.numbers:
        "".join((number.shown, *number.terms))


def _said(error: Exception) -> str:
    missing = isinstance(error, KeyError)
    return f"{error} is missing" if missing else str(error) or type(error).__name__
