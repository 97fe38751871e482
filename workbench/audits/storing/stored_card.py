"""`audit_of_card`: the audit of a card that was stored, or that comes from a stranger."""

from __future__ import annotations

from workbench import _checks, _json
from workbench.audits.audit import CARD_VERSION, Audit
from workbench.audits.errors import ArchiveError
from workbench.audits.items import AuditFigure


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
        values = _json.loads(card)
        version = values["card"]
        if not isinstance(version, int) or version > CARD_VERSION:
            raise ArchiveError(
                f"the audit was saved by a newer version of the workbench (card "
                f"{_checks.shown(version)}; this one reads {CARD_VERSION}); update this program"
            )
        audit = Audit.from_dict({**values, "key": key}, figures)
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


def _require_shown(audit: Audit) -> None:
    """Raise an error where a number has no text, or a time no zone."""
    if audit.made.tzinfo is None:
        raise ValueError("a time without its zone")
    for number in audit.numbers:
        "".join((number.shown, *number.terms))


def _said(error: Exception) -> str:
    missing = isinstance(error, KeyError)
    return f"{error} is missing" if missing else str(error) or type(error).__name__
