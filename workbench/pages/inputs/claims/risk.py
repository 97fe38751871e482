"""Settings with which other pages open the page Risk; see `Part.about_risk`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from workbench.bounds.counts.counts import Counts
from workbench.claims.base import Claim
from workbench.pages.inputs.claims.stated import CLAIM, StatedClaim, stated_values

#: What the page Risk shows to be possible: from the scores in view, from four counts, or nothing.
EVIDENCE: dict[str, str] = {
    "the scores in view": "scores",
    "counts of one attack": "counts",
    "nothing": "none",
}

#: The page's parameters of the counts, and the attributes of `Counts`.
COUNTED: dict[str, str] = {f"counted_{name}": name for name in ("tp", "fn", "fp", "tn")}


def claim_for_risk(claim: Claim | None) -> dict[str, Any]:
    """The settings of a claim; those of none where the controls cannot show it."""
    values: dict[str, Any] = {"claim_kind": None}
    with suppress(ValueError):
        values = stated_values(claim)
    return {name: _setting(name, values[name]) for name in CLAIM if name in values}


def risk_without_scores(claim: Claim | None = None, counts: Counts | None = None) -> dict[str, Any]:
    """The settings for a claim and counts, of a page that is not about scores.

    Parameters
    ----------
    claim : Claim, optional
    counts : Counts, optional
        Of an attack.
    """
    evidence = "none" if counts is None else "counts"
    counted = {} if counts is None else {k: getattr(counts, n) for k, n in COUNTED.items()}
    label = next(one for one, value in EVIDENCE.items() if value == evidence)
    return {"evidence": label, **counted, **claim_for_risk(claim)}


#: The settings for the scores in view, of a page that is about these.
RISK_OF_SCORES: Mapping[str, Any] = {"evidence": "the scores in view"}

_CLAIMED = StatedClaim().declared()


def _setting(name: str, value: Any) -> Any:
    """A value as a setting: that of a selector is its label."""
    offered: Any = getattr(_CLAIMED[name], "get_range", dict)()
    return next((label for label, one in offered.items() if one == value), value)
