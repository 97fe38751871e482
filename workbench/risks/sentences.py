"""Risks in plain words, whose numbers never promise or prove more than the limits do.

"At most" is rounded up and "at least" down; the baseline is not rounded at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench._format import percent, round_safely

if TYPE_CHECKING:
    from workbench.risks.risk import Risk

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


def sentence(risk: Risk) -> str:
    """Both ends of a risk.

    Parameters
    ----------
    risk : Risk
    """
    limits = risk.success
    said = [_WITHOUT[risk.attack].format(baseline=one_in(risk.baseline))]
    done = _WITH[risk.attack]
    if limits.at_most is not None:
        high = f"at most {share(limits.at_most, 'up')}"
        of = "" if risk.group == 1 else f" for a group of up to {risk.group} records"
        said.append(f"If the claim {risk.claim} holds, the attacker {done.format(limit=high)}{of}.")
    if limits.at_least is not None and risk.evidence is not None:
        sure = "" if risk.confidence is None else f"With {percent(risk.confidence)} confidence, "
        low = share(limits.at_least, "down")
        if limits.at_least <= risk.baseline:
            said.append(f"{sure}nothing more than guessing was shown, which does not show privacy.")
        elif risk.attack == "membership" and risk.evidence.form is None:
            said.append(
                f"{sure}the attack that was measured {done.format(limit=f'at least {low}')}."
            )
        else:
            form = "" if risk.evidence.form is None else f" of {risk.evidence.form.title}"
            said.append(
                f"{sure}no true claim{form} promises less than {low}; that such an attack "
                "succeeded was not shown."
            )
    if risk.contradicted:
        said.append("More was shown than the claim allows: it is false.")
    if risk.evidence is not None and risk.evidence.bound.void:
        said.append(f"What was shown is not valid: {risk.evidence.bound.void}.")
    return " ".join(one[0].upper() + one[1:] for one in said)


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
