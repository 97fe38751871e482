"""Words for a bound: symbols, badges, sentences and HTML (`Wording`, the base of `Bound`)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from workbench._format import (
    asks_for_number,
    format_number,
    percent,
    plain,
    round_safely,
)
from workbench._markup import escape_html as escape
from workbench.bounds.quantities import QuantityArguments

#: Quantity -> symbol.
SYMBOLS = {
    "epsilon": "ε",
    "mu": "μ",
    "total variation": "TV",
    "auc": "AUC",
    "tpr": "TPR",
    "delta": "δ",
    "precision": "precision",
    "renyi": "Rényi divergence",
}

#: Guarantee -> what it promises, in one line; the help text of the badges.
GUARANTEE_HELP = {
    "estimate": "An estimate without a guarantee: it may lie above the truth.",
    "approximate": "An interval whose coverage is below its stated level for some sample sizes.",
    "pointwise": "Holds if the threshold, the bins and the attack were fixed before these data "
    "were seen.",
    "simultaneous": "Holds for all thresholds at once.",
    "one question": "Holds for all thresholds at once, for this one quantity only, which was fixed "
    "before these data were seen.",
    "held-out": "Tuned on one part of the data, measured on the other.",
    "anytime": "Holds at all sample sizes at once, so watching and stopping do not invalidate it.",
    "proven": "Computed from the distributions themselves, without samples or error probability.",
    "of a family": "Uses no threshold and no bins, and holds for all δ at once.",
}

#: Guarantee -> how a choice made after seeing the bound affects it.
SURVIVAL = {
    "simultaneous": "It stays valid when the threshold, the bins, δ, the reference or the "
    "direction of the divergence changes: one error budget covers them all. Changing the "
    "confidence, the column, the file, the direction of the score, the treatment of non-finite "
    "scores or the method because of a result invalidates it; such a bound is marked until "
    "Reset.",
    "one question": "It stays valid when the threshold, the bins, the reference or the direction "
    "of the divergence changes. Asking for another quantity, δ or confidence after seeing the data "
    "invalidates it, and so does a second bound of this kind on the same data: use the "
    "simultaneous bound for those.",
    "pointwise": "It stays valid when δ or the reference changes. Choosing the threshold or the "
    "bins after seeing the scores invalidates it.",
    "approximate": "At some sample sizes it exceeds the truth more often than its level states. "
    "Use it to compare with other tools, not to prove a leak.",
    "held-out": "It stays valid under any tuning on the first part of the data. A second split, "
    "chosen because of the first result, invalidates it.",
    "anytime": "It stays valid if somebody watches the data arrive and stops because of a result.",
    "of a family": "It stays valid when δ or the family changes, since it says nothing about "
    "pairs outside its own family. Changing the confidence, the column, the file, the direction "
    "of the score or the treatment of non-finite scores because of a result invalidates it.",
}

#: Families that are not a property of the pair.
_FAMILIES = {"monotone score": "if the score is monotone"}

#: Check of a family -> what it says, as a sentence; a term names the check where there is none.
_CHECKED = {
    "not refuted": "The data do not contradict this family, which does not show that it is right.",
    "refuted": "The data contradict this family.",
    "cannot be checked": "These data cannot show whether the mechanism is of this family.",
    "not recorded": "Whether these data contradict this family is not recorded.",
}
_UNCHECKED = ("cannot be checked", "not recorded")

#: Assumption -> term beside a number, where the two differ.
_TERMS = {
    "if rows are independent": "assuming independent rows",
    "if each model drew the record by a fair coin": "assuming fair coins, independent rows",
    "independent rows and fair coins": "assuming independent rows and fair coins",
    "independent scores of canaries": "assuming independent canaries",
    "fair coins of pairs of records": "if members were drawn at random",
    "independent bits of pairs of records": "if members were drawn at random",
    "labels that follow the stated law": "if labels follow the stated law",
    "fair coins of labels": "assuming fair coins of labels",
    "values that follow the stated law": "if values follow the stated law",
}

#: Assumption -> further terms: what else is assumed, and the relation of neighbors.
_MORE_TERMS = {
    "fair coins of pairs of records": ("substituting a record",),
    "independent bits of pairs of records": ("assuming independent pairs", "substituting a record"),
    "labels that follow the stated law": ("replacing a label",),
    "fair coins of labels": ("replacing a label",),
}

#: Assumption -> clause of a sentence.
_GIVEN = {
    "if rows are independent": "assuming independent rows",
    "independent runs": "for independent runs",
    "complementary pairs of models": "if models of complementary pairs behave like independent "
    "ones",
    "each record in exactly half of the models": "if models behave like independent ones, though "
    "each record is in exactly half of them",
    "independent fair coins of all models": "if every model drew every record by a fair coin of "
    "its own",
    "if each model drew the record by a fair coin": "if each model drew the record by a fair coin, "
    "and its score depends on that model alone",
    "independent rows and fair coins": "if the scores of each model depend on this model alone, "
    "and every model drew every record by a fair coin of its own",
    "average over records, one run": "on the average over records, if the records of a model "
    "behave like independent ones",
    "clustered": "for independent clusters",
    "members and non-members of one population": "if nothing but the training tells members from "
    "non-members",
    "one run": "if the records of this one run behave like independent ones",
    "independent scores of canaries": "if the canaries' scores are independent given who was in, "
    "those of members of one law and those of the others of one",
    "no samples": "for the given distributions",
    "independent fair coins": "if each canary was in by its own fair coin",
    "independent uniform values": "if each canary had a value that was drawn uniformly and "
    "independently of the others",
    "independent bits": "if each canary was in by its own fair coin and no canary influences "
    "the score of another",
    "independent bits, half of them in": "if half of the canaries were in, drawn at random, "
    "and no canary influences the score of another or the guess about it",
    "fair coins of pairs of records": "if the members were drawn at random, so that each member "
    "and its partner that was held out were as likely the other way round",
    "independent bits of pairs of records": "if the members were drawn at random, and no pair of a "
    "member and a record that was held out influences the scores of another",
    "labels that follow the stated law": "if each label was drawn from the stated law of its "
    "record, independently of the other labels",
    "values that follow the stated law": "if each value was drawn from the law of its "
    "alternatives, independently of everything else",
    "fair coins of labels": "if a fair coin decided for each of these records, before the "
    "training, which of two labels it was trained on",
}


class Wording:
    """How a bound reads; its fields are those of `workbench.Bound`."""

    quantity: str
    value: float
    high: float | None
    at: QuantityArguments
    guarantee: str
    assumption: str
    confidence: float | None
    family: str | None
    checked: str | None
    side: str
    threshold: float | None
    canaries: int | None
    void: str | None
    note: str | None

    @property
    def rounded(self) -> str:
        """The value with three significant digits, rounded to the safe side."""
        return self._written(round_safely)

    def _written(self, write: Callable[[float, str], str]) -> str:
        """The value, or both ends of an interval; ``write`` takes a number and its rounding."""
        if self.guarantee == "estimate":
            return write(self.value, "nearest")
        if self.high is not None:
            return f"{write(self.value, 'down')} to {write(self.high, 'up')}"
        return write(self.value, "down" if self.side == "lower" else "up")

    @property
    def symbol(self) -> str:
        """The quantity's symbol with its argument: ``ε at δ = 1e-5``, ``TPR at FPR 0.01``."""
        if self.quantity == "tpr" and self.at.fpr is not None:
            return f"TPR at FPR {plain(self.at.fpr)}"
        if self.quantity == "epsilon" and self.at.delta is not None:
            return f"ε at δ = {plain(self.at.delta)}"
        if self.quantity == "delta" and self.at.epsilon is not None:
            return f"δ at ε = {plain(self.at.epsilon)}"
        if self.quantity == "precision" and self.at.prior is not None:
            return f"precision at prior {plain(self.at.prior)}"
        if self.quantity == "renyi" and self.at.order is not None:
            return f"Rényi divergence of order {plain(self.at.order)}"
        return SYMBOLS[self.quantity]

    @property
    def badge(self) -> str:
        """The guarantee in one or two words, as the pages print it beside the number."""
        return "not valid" if self.void else self.guarantee

    @property
    def relation(self) -> str:
        """The sign between truth and value: "≥", "≤", "in", or "≈" for an estimate."""
        if self.guarantee == "estimate":
            return "≈"
        return {"lower": "≥", "upper": "≤", "two": "in"}[self.side]

    @property
    def terms(self) -> tuple[str, ...]:
        """What the number rests on: guarantee, confidence, family, assumption, why it is void."""
        terms = (
            self.badge,
            self.confidence is not None and percent(self.confidence) + self._two_sided,
            self.family and self._if_family + self._unchecked,
            _TERMS.get(self.assumption, self.assumption),
            *_MORE_TERMS.get(self.assumption, ()),
            self.void,
        )
        return tuple(term for term in terms if term)

    @property
    def survival(self) -> str:
        """How a choice made after seeing the bound affects it; empty where that does not apply."""
        return SURVIVAL.get(self._promise, "")

    def explain(self) -> str:
        """The bound as sentences for a reader without formulas."""
        value, what = self.rounded, self.symbol
        if self.guarantee == "estimate":
            text = f"{what} is estimated at {value}. {GUARANTEE_HELP['estimate']}"
            text += f" {self.note}" if self.note else ""
            return text + (f" This number is not valid: it is {self.void}." if self.void else "")
        under = _GIVEN.get(self.assumption, f"assuming {self.assumption}")
        if self.guarantee == "proven":
            given = f"By proof, {under}"
        else:
            given = f"With {percent(self.confidence or 0)} confidence, {under}"
        if self.family:
            given += f" and {self._if_family}"
        if self.quantity == "tpr" and self.at.fpr is not None:
            text = self._explain_tpr(given, self.at.fpr)
        else:
            relation = {"lower": "at least", "upper": "at most", "two": "between"}[self.side]
            value = value.replace(" to ", " and ")
            text = f"{given}, {what} is {relation} {value}. {GUARANTEE_HELP[self._promise]}"
            if self.side == "lower" and self.value <= 0:
                text += " The bound is 0: these data show no leak. That does not show privacy."
            elif self.side == "lower":
                text += (
                    " The truth may be larger: no lower bound shows that a mechanism is private."
                )
        if self.checked:
            text += f" {_CHECKED[self.checked]}"
        if self.note:
            text += f" {self.note}"
        if self.void:
            text += f" This number is not valid: {self.void}."
        return text

    def __str__(self) -> str:
        return f"{self.symbol} {self.relation} {self.rounded} ({', '.join(self.terms)})"

    def __format__(self, spec: str) -> str:
        """The number, rounded to the safe side: ``f"{bound:.3f}"``; the text for other formats.

        A lower bound is rounded down, an upper one up, and an estimate to the nearest number; an
        interval is "1.20 to 1.61". A number that is not valid says so behind it.
        """
        if not asks_for_number(spec):
            return format(str(self), spec)
        fill, align, rest, width = _parts(spec)
        if self.high is None and self.void is None:
            return self._written(lambda value, to: format_number(value, spec, to))
        text = self._written(lambda value, to: format_number(value, rest, to))
        if self.void:
            text += " (not valid)"
        return format(text, f"{fill}{align}{width}")

    def _repr_html_(self) -> str:
        border = "dashed" if self.guarantee == "estimate" or self.void else "solid"
        return (
            f'<div title="{escape(self.explain())}">'
            f'<b style="font-size:1.4em">{self.symbol} {self.relation} {self.rounded}</b> '
            f'<span style="border:1px {border};border-radius:9px;padding:1px 8px">'
            f"{escape(self.badge)}</span> "
            f"<small>{escape(' · '.join(self.terms[1:]))}</small></div>"
        )

    def _explain_tpr(self, given: str, fpr: float) -> str:
        people, wrong = _one_in(fpr)
        # Rounded down, and never to more people than were shown.
        found = math.floor(self.value * people)
        if found <= wrong:
            return (
                f"{given}, these scores do not show that any attacker does better than guessing. "
                "That does not show that the mechanism is private."
            )
        return (
            f"{given}, an attacker who wrongly accuses {wrong} in {people:,} people correctly "
            f"identifies at least {found:,} in {people:,} members. A lower bound "
            "cannot show that a mechanism is private."
        )

    @property
    def _promise(self) -> str:
        """Key of `GUARANTEE_HELP`: a family's parameter is found without a threshold."""
        at_a_choice = self.threshold is not None or self.canaries is not None
        if self.guarantee == "pointwise" and self.family and not at_a_choice:
            return "of a family"
        return self.guarantee

    @property
    def _if_family(self) -> str:
        return _FAMILIES.get(self.family or "", f"if the pair is {self.family}")

    @property
    def _unchecked(self) -> str:
        return f" ({self.checked})" if self.checked in _UNCHECKED else ""

    @property
    def _two_sided(self) -> str:
        return " two-sided" if self.side == "two" else ""


#: A format of numbers: fill and alignment, sign, "#" and zeros, width, and the rest.
_FORMAT = re.compile(r"(?:(.)?([<>=^]))?([-+ ]?z?#?)(0?)(\d*)(.*)", re.DOTALL)


def _parts(spec: str) -> tuple[str, str, str, str]:
    """Fill, alignment, the rest and the width of a format of numbers."""
    found = _FORMAT.fullmatch(spec)
    if found is None:
        return "", ">", spec, ""
    fill, align, sign, _, width, rest = found.groups()
    return fill or "", "^" if align == "^" else "<" if align == "<" else ">", sign + rest, width


def _one_in(rate: float) -> tuple[int, int]:
    """A rate as a number of people and how many of them: 0.001 is 1 in 1000, 0.03 is 3 in 100."""
    people = 10 ** min(max(2, math.ceil(-math.log10(rate))), 300)  # no float holds 10**309
    return people, max(1, round(rate * people))
