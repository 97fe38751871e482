"""Claims in settings of earlier versions, which had them among the references."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.pages.core.sliders import number_of
from workbench.pages.inputs.claims.stated import KINDS
from workbench.pages.inputs.reference import REFERENCES

#: Settings that there are no more: the numbers of a claim, and what they are now.
FORMER = {
    "reference_claimed_epsilon": "claim_epsilon",
    "reference_log_claimed_delta": "claim_delta",
    "reference_order": "claim_order",
    "reference_table": "claim_table",
}

#: Former kinds of references by label: their value, and the kind of claim.
_KINDS = {
    "Claimed (ε, δ)": ("claimed-approx", "approx"),
    "Claimed μ": ("claimed-mu", "gdp"),
    "Claimed Rényi bound": ("claimed-renyi", "renyi"),
    "Claimed table of (ε, δ)": ("claimed-table", "table"),
}

#: The order that a claimed Rényi bound had at first.
_ORDER = 8.0


def from_former(settings: Mapping[str, Any], further: Mapping[str, str]) -> dict[str, Any]:
    """Settings in the names of today.

    A reference that was a claim is one; so is every other reference of complete settings of an
    earlier version, as it was tested, too.

    Parameters
    ----------
    settings : mapping
        Of selectors, values or their labels.
    further : mapping of str to str
        Titles of the kinds of claims that no text names, by their values.
    """
    found = {k: v for k, v in settings.items() if k not in FORMER}
    found |= {
        now: number_of(settings[name]) if name == "reference_log_claimed_delta" else settings[name]
        for name, now in FORMER.items()
        if name in settings
    }
    kind = settings.get("reference_kind")
    titles = {word: one.title for word, one in KINDS.items()} | dict(further)
    for label, (value, claim) in _KINDS.items():
        if kind in (label, value):
            labeled = kind == label
            found |= {
                "reference_kind": "none" if labeled else None,
                "claim_kind": titles[claim] if labeled else claim,
            }
            if claim == "gdp" and "reference_mu" in settings:
                found["claim_mu"] = settings["reference_mu"]
            if claim == "renyi":
                found.setdefault("claim_order", _ORDER)
            return found
    complete = FORMER.keys() <= settings.keys()
    if complete and "claim_kind" not in settings:
        if kind in REFERENCES:
            found["claim_kind"] = "reference"
        elif kind in [one.label for one in REFERENCES.values()]:
            found["claim_kind"] = further["reference"]
    return found
