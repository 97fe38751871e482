"""A risk in sentences for people who know no statistics, which never promise or show too much.

"At most" is rounded up and "at least" down, by exact fractions of the floats. Each sentence has at
most 25 words, and none of the terms of the field.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from workbench._format import percent

if TYPE_CHECKING:
    from workbench.risks.risk import Risk

#: Frequencies below this are said as "1 in N", with so many digits of N; others as "k in 100".
RARE, DIGITS = Fraction(1, 10), 3

#: Out of how many a frequency is said that is not rare, the fewest that tell it from "always".
_OUT_OF = tuple(10**k for k in range(2, 10))

#: Attack -> what the attacker would do.
_DOES = {
    "attribute": "guess a secret",
    "reconstruction": "rebuild a record",
    "singling-out": "single somebody out",
}

#: What is said where a promise excludes nothing, by whether the attack is membership.
_NO_LIMIT = {
    True: "The promise does not keep an attacker from finding all insiders.",
    False: "The promise does not keep an attacker from always being right.",
}

NOTHING_SHOWN = "The tests show nothing beyond guessing, which does not prove privacy."
BROKEN = "The promise is broken: the tests show more than it allows."


def frequency(rate: float, to: str) -> str:
    """A rate as "1 in 14" or "74 in 100", rounded to the safe side.

    Parameters
    ----------
    rate : float
        In [0, 1].
    to : {"up", "down"}
        The frequency is at least the rate, or at most.

    Returns
    -------
    str
        "always" for 1, and "never" for 0.

    Examples
    --------
    >>> frequency(0.0739, "up"), frequency(0.0739, "down"), frequency(0.735, "up")
    ('1 in 13', '1 in 14', '74 in 100')
    """
    exact, up = Fraction(rate), to == "up"
    if exact in (0, 1):
        return "always" if exact else "never"
    if exact < RARE:
        return f"1 in {_people(1 / exact, up):,}"
    for people in _OUT_OF:
        right = math.ceil(exact * people) if up else math.floor(exact * people)
        if right < people:
            return f"{right:,} in {people:,}"
    return "always"


def _people(n: Fraction, fewer: bool) -> int:
    """The N of "1 in N" in few digits: fewer for a rate that is at least the true one."""
    whole = math.floor(n) if fewer else math.ceil(n)
    unit = 10 ** max(len(str(whole)) - DIGITS, 0)
    return whole // unit * unit if fewer else -(-whole // unit) * unit


def plain_words(risk: Risk) -> str:
    """Both ends, what they rest on, and whether they contradict each other.

    Parameters
    ----------
    risk : Risk
    """
    said = (promised_words(risk), shown_words(risk), BROKEN if broken(risk) else "")
    return " ".join(filter(None, said))


def ends_in_words(risk: Risk) -> tuple[str, str]:
    """What is shown and what is promised, such as "at least 1 in 14"; "" for none.

    Parameters
    ----------
    risk : Risk
    """
    limits, evidence = risk.success, risk.evidence
    least = 0.0 if evidence is None or evidence.bound.void else limits.at_least or 0.0
    return (
        f"at least {frequency(least, 'down')}" if least > risk.baseline else "",
        "" if limits.at_most is None else f"at most {frequency(limits.at_most, 'up')}",
    )


def broken(risk: Risk) -> bool:
    """Whether the tests show more than is promised; not where the tests do not count.

    Parameters
    ----------
    risk : Risk
    """
    return risk.evidence is not None and not risk.evidence.bound.void and risk.contradicted


def promised_words(risk: Risk) -> str:
    """What is promised, as a sentence or two; "" where nothing is.

    Parameters
    ----------
    risk : Risk
    """
    most = risk.success.at_most
    if most is None:
        return ""
    member = risk.attack == "membership"
    limit, start = frequency(most, "up"), baseline_words(risk.baseline)
    if limit == "always":
        said = _NO_LIMIT[member]
    elif member:
        said = (
            f"An attacker who wrongly suspects {start} outsiders can find at most {limit} insiders."
        )
    else:
        said = (
            f"An attacker who would {_DOES[risk.attack]} {start} times without the release can do "
            f"so at most {limit} times with it."
        )
    if risk.group > 1:
        said += f" This holds for up to {risk.group} records together."
    return said


def shown_words(risk: Risk) -> str:
    """What was shown, as a sentence; "" where nothing was measured.

    Parameters
    ----------
    risk : Risk
    """
    if risk.evidence is None:
        return ""
    bound = risk.evidence.bound
    if bound.void:
        return f"The tests do not count: {bound.void}."
    least = risk.at_least
    if least is None or least <= risk.baseline:
        return NOTHING_SHOWN
    limit, start = frequency(least, "down"), baseline_words(risk.baseline)
    alone = risk.promise is None
    if risk.attack != "membership" or risk.evidence.form is not None:
        at = f"At {start} without the release, the" if alone else "The"
        said = f"{at} tests rule out every promise below {limit}"
    elif alone:
        said = (
            f"An attack that wrongly suspects at most {start} outsiders finds at least {limit} "
            "insiders"
        )
    else:
        said = f"The tested attack finds at least {limit}"
    sure = "" if bound.confidence is None else f", with {percent(bound.confidence)} confidence"
    return f"{said}{sure}."


def baseline_words(baseline: float) -> str:
    """A baseline as "1 in 100", or "3 in 10", with all of its digits.

    Parameters
    ----------
    baseline : float
        In (0, 1).
    """
    n = round(1 / baseline)
    if 1 / n == baseline:
        return f"1 in {n:,}"
    exact = Fraction(repr(float(baseline)))
    return f"{exact.numerator:,} in {exact.denominator:,}"
