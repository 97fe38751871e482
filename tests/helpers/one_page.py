"""Audits whose names, claims and texts are as long as people make them."""

from __future__ import annotations

import dataclasses

from workbench.audits.audit import Audit
from workbench.audits.items import AuditData, AuditSentence

#: Names that take much room: without a space, of wide letters, of many words.
LONG = {
    "one word": "W" * 3000,
    "wide letters": "\N{ARABIC LIGATURE BISMILLAH AR-RAHMAN AR-RAHEEM}" * 300,
    "words": "loss attack on the release of November, " * 60,
}


def stuffed(audit: Audit, text: str) -> Audit:
    """An audit with a text in place of each of its names and texts."""
    data = AuditData("data", text, text, "0" * 64, n_p=10**9, n_q=10**9, files=(text, text))
    return dataclasses.replace(
        audit,
        name=text,
        title=text,
        by=text,
        key="k" * 64,
        data=(data,) * 4,
        numbers=tuple(
            dataclasses.replace(one, title=text, note=text, text=one.text and text)
            for one in audit.numbers
        ),
        sentences=(
            AuditSentence("answer", text, "answer", text, "bad"),
            *(AuditSentence(f"warning{k}", text, "strip") for k in range(4)),
        ),
        verdicts=({"claim": text, "verdict": text, "explanation": text},),
        software={name: text for name in audit.software},
    )
