"""A risk as text and as JSON."""

from __future__ import annotations

from dataclasses import asdict

import workbench as wb
from workbench._format import round_safely
from workbench.cli.output import to_json
from workbench.risks.plain_words import plain_words
from workbench.risks.risk import RiskLimits

#: Version of the JSON.
VERSION = 1

#: What is printed of a risk, and the name of its attribute.
_NUMBERS = {
    "right with the release": "success",
    "largest gain, any baseline": "advantage",
    "members among the accused": "precision",
    "odds grow by": "odds",
}


def as_text(risk: wb.Risk) -> str:
    """Both ends in words and in numbers.

    Parameters
    ----------
    risk : Risk
    """
    found = {what: getattr(risk, name) for what, name in _NUMBERS.items()}
    shown = {what: limits for what, limits in found.items() if limits is not None}
    width = max(map(len, shown))
    rows = [f"{what:<{width}}  {_ends(limits)}" for what, limits in shown.items()]
    notes = [risk.kind.needs]
    if risk.evidence is not None:
        notes.append(f"Shown: {', '.join(risk.evidence.bound.terms)}.")
    if risk.claim is not None:
        notes.append(f"Promised: {risk.claim}.")
    return "\n".join([plain_words(risk), "", *rows, "", *notes])


def as_json(risk: wb.Risk) -> str:
    """All of the risk as JSON; NaN and ±∞ are strings.

    Parameters
    ----------
    risk : Risk
    """
    numbers = {name: getattr(risk, name) for name in _NUMBERS.values()}
    bound = None if risk.evidence is None else risk.evidence.bound
    return to_json(
        {
            "version": VERSION,
            "attack": risk.attack,
            "baseline": risk.baseline,
            "claim": None if risk.claim is None else str(risk.claim),
            "group": risk.group,
            "prior": risk.prior,
            **{name: None if one is None else asdict(one) for name, one in numbers.items()},
            "shown": None
            if bound is None
            else {
                "confidence": bound.confidence,
                "guarantee": bound.guarantee,
                "assumption": bound.assumption,
                "void": bound.void,
            },
            "contradicted": risk.contradicted,
            "needs": risk.kind.needs,
            "sentence": plain_words(risk),
        }
    )


def _ends(limits: RiskLimits) -> str:
    least, most = limits.at_least, limits.at_most
    ends = (
        "" if least is None else f"≥ {round_safely(least, 'down')}",
        "" if most is None else f"≤ {round_safely(most, 'up')}",
    )
    return "   ".join(filter(None, ends))
