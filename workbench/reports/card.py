"""`card_schema`: the published JSON Schema of the audit card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench import _json
from workbench.audits.audit import CARD_VERSION

#: The schema of this version's cards.
SCHEMA = Path(__file__).parent / f"audit-card-{CARD_VERSION}.schema.json"


def card_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what `Audit.to_dict` returns, the audit card.

    Returns
    -------
    dict
        Its ``$id`` ends in the version of the card.

    Examples
    --------
    >>> wb.card_schema()["properties"]["card"]["const"]
    1
    """
    return dict(_json.loads(SCHEMA.read_text(encoding="utf-8")))
