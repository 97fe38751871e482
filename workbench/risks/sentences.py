"""Risks in plain words, whose numbers never promise or prove more than the limits do.

"At most" is rounded up and "at least" down; the baseline is not rounded at all.
"""

from __future__ import annotations

from workbench._format import percent, round_safely
from workbench.risks.evidence import RiskEvidence
from workbench.risks.promise import Promise

#: Largest N of "1 in N".
_MOST_PEOPLE = 10**9

#: Attack -> how the baseline begins, the words of a success, and those of a promise's floor.
_WITHOUT = {
    "membership": "An attacker says who is in the data, and wrongly accuses {baseline} of those "
    "who are not.",
    "attribute": "Without the release, an attacker who guesses a person's secret is right "
    "{baseline} times.",
    "reconstruction": "Without the release, an attacker who guesses what a person's record says is "
    "close enough {baseline} times.",
    "singling-out": "Without the release, an attacker's description fits {baseline} people.",
}
_WITH = {
    "membership": "recognizes {limit} of those who are",
    "attribute": "is right {limit} of the times",
    "reconstruction": "is close enough {limit} of the times",
    "singling-out": "has a description that fits the person whom it is about {limit} of the times",
}


def sentence(
    attack: str,
    baseline: float,
    at_most: float | None,
    promise: Promise | None,
    at_least: float | None,
    evidence: RiskEvidence | None,
    contradicted: bool,
) -> str:
    """Both ends of a risk.

    Parameters
    ----------
    attack, baseline, at_most, promise, at_least, evidence, contradicted
        Of a `workbench.Risk`.
    """
    said = [_WITHOUT[attack].format(baseline=one_in(baseline))]
    if promise is not None and at_most is not None:
        done = _WITH[attack].format(limit=f"at most {share(at_most, 'up')}")
        of = "" if promise.group == 1 else f" for a group of up to {promise.group} records"
        said.append(f"If the claim {promise.claim} holds, the attacker {done}{of}.")
    if evidence is not None and at_least is not None:
        said.append(_shown(attack, baseline, at_least, evidence))
    if contradicted:
        said.append("More was shown than the claim allows: it is false.")
    if evidence is not None and evidence.bound.void:
        said.append(f"What was shown is not valid: {evidence.bound.void}.")
    return " ".join(one[0].upper() + one[1:] for one in said)


def _shown(attack: str, baseline: float, at_least: float, evidence: RiskEvidence) -> str:
    """What was demonstrated: of an event on members, or of claims."""
    confidence = evidence.bound.confidence
    sure = "" if confidence is None else f"With {percent(confidence)} confidence, "
    if at_least <= baseline:
        return f"{sure}nothing more than guessing was shown, which does not show privacy."
    low = share(at_least, "down")
    if attack == "membership" and evidence.curve is not None:
        done = _WITH[attack].format(limit=f"at least {low}")
        return f"{sure}the attack that was measured {done}."
    form = "" if evidence.form is None else f" of {evidence.form.title}"
    return (
        f"{sure}no true claim{form} promises less than {low}; that such an attack succeeded was "
        "not shown."
    )


def one_in(rate: float) -> str:
    """A rate as "1 in 100", where that is what it is, or in percent with all of its digits.

    Parameters
    ----------
    rate : float
        In (0, 1).
    """
    people = round(1 / rate) if rate > 1 / _MOST_PEOPLE else 0
    if people > 1 and 1 / people == rate:
        return f"1 in {people:,}"
    return f"{float(repr(rate)) * 100:.15g}%"


def share(rate: float, to: str) -> str:
    """A share in percent with three digits, rounded "up" or "down".

    Parameters
    ----------
    rate : float
        In [0, 1].
    to : {"up", "down"}
    """
    return f"{round_safely(100 * rate, to)}%"
