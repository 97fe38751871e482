"""Bound: a number together with what it guarantees. No result of the library is less."""

from __future__ import annotations

import html
import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from workbench import _checks
from workbench._format import percent, plain, round_safely

if TYPE_CHECKING:
    import pandas as pd

GUARANTEES = (
    "estimate",
    "approximate",
    "pointwise",
    "simultaneous",
    "held-out",
    "anytime",
    "proven",
)

#: What each guarantee promises, in one line; the badges' help.
GUARANTEE_HELP = {
    "estimate": "A plain estimate: it promises nothing and may lie above the truth.",
    "approximate": "An interval that does not keep its stated level for every sample size.",
    "pointwise": "Holds for a threshold or bins chosen before these data were seen.",
    "simultaneous": "Holds for all thresholds at once.",
    "held-out": "Tuned on one part of the data, measured on the other.",
    "anytime": "Holds at every sample size at once, so it survives watching and stopping.",
    "proven": "Computed from the distributions themselves; no sample and no chance is in it.",
    "of a family": "No threshold and no bins enter it, and it holds for all δ at once.",
}

#: What a choice made with the bound in view does to it; shown with the help of a badge.
SURVIVAL = {
    "simultaneous": "It survives changes of the threshold, the bins, δ, the reference and the "
    "direction of the divergence: one error budget covers them all. It does not survive changing "
    "the confidence, the column, the file, the side that is member-like, the treatment of "
    "non-finite scores or the method because of what a bound showed; such a bound is marked until "
    "Reset.",
    "pointwise": "It survives changes of δ and the reference; dragging the threshold or the bins "
    "with the scores in view makes it false.",
    "approximate": "It exceeds the truth more often than its level says at some sample sizes, "
    "however it was chosen; use it to compare, not to claim.",
    "held-out": "It survives any tuning on the part of the data that it was tuned on; a second "
    "split, chosen because of what the first showed, makes it false.",
    "anytime": "It survives watching the data arrive and stopping at any moment because of what "
    "was seen.",
    "of a family": "It survives changes of δ and of the family, since it says nothing of pairs "
    "outside its own. It does not survive changing the confidence, the column, the file, the side "
    "that is member-like or the treatment of non-finite scores because of what a bound showed.",
}

_SYMBOLS = {
    "epsilon": "ε",
    "mu": "μ",
    "total variation": "TV",
    "auc": "AUC",
    "tpr": "TPR",
    "delta": "δ",
    "precision": "precision",
    "renyi": "Rényi divergence",
}


#: How families read that are not a property of the pair.
_FAMILIES = {"monotone score": "if the score is monotone"}


@dataclass(frozen=True, repr=False)
class Bound:
    """A number, what it bounds, and under which guarantee and assumptions it does so.

    Attributes
    ----------
    quantity : str
        "epsilon", "mu", "total variation", "auc", "tpr" (at ``fpr``), "delta" (at ``epsilon``),
        "precision" (at the prior probability ``prior`` of being a member), "renyi" (the Rényi
        divergence of order ``order``).
    value : float
        In the unit of the quantity; ``inf`` where no finite value exists. Of a two-sided
        interval, the lower end.
    guarantee : str
        "estimate" (none) · "approximate" (a level that is not kept) · "pointwise" ·
        "simultaneous" · "held-out" · "anytime" (kept) · "proven" (of known distributions).
    method : str
        How it was computed, the key of :meth:`cite`.
    assumption : str
        "independent runs", "clustered", "one run", "if rows are independent"; "no samples" for
        what was read off a curve; for guesses on canaries "independent fair coins" (canaries may
        influence each other) or "independent bits" (they may not).
    confidence, delta : float, optional
        The confidence level of a bound, and the δ at which ε was asked.
    family : str, optional
        None is distribution-free; "Gaussian" holds if the pair is Gaussian, "monotone score" if
        the best of many runs is chosen by a score that is monotone in the privacy loss.
    side : {"lower", "upper", "two"}
        The truth is at least, or at most, the value, or between ``value`` and ``upper``. Ignored
        for estimates.
    upper : float, optional
        The upper end of a two-sided interval; its confidence is that of both ends together.
    direction : str, optional
        "P‖Q" or "Q‖P": the divergence that attains the value.
    threshold : float, optional
        The witness, in score units.
    fpr, epsilon, prior, order : float, optional
        The false positive rate of a "tpr", the ε of a "delta", the prior of a "precision", the
        order of a "renyi".
    n_p, n_q : int
        Scores used a side; of canaries, those in and out, or 0 where only the guesses are known.
    canaries, guesses, correct : int, optional
        The counts of an audit by one run.
    discarded : int
        Non-finite scores left out.
    void : str, optional
        Why the guarantee does not hold after all; None when it does.
    note : str, optional
        One sentence that a reader of this very value needs, such as that n is too small.
    """

    quantity: str
    value: float
    guarantee: str
    method: str
    assumption: str
    n_p: int
    n_q: int
    confidence: float | None = None
    delta: float | None = None
    family: str | None = None
    side: str = "lower"
    direction: str | None = None
    threshold: float | None = None
    fpr: float | None = None
    epsilon: float | None = None
    discarded: int = 0
    void: str | None = None
    upper: float | None = None
    prior: float | None = None
    note: str | None = None
    canaries: int | None = None
    guesses: int | None = None
    correct: int | None = None
    order: float | None = None

    def __post_init__(self) -> None:
        _checks.one_of(self.quantity, "quantity", _SYMBOLS)
        _checks.one_of(self.guarantee, "guarantee", GUARANTEES)
        _checks.one_of(self.side, "side", ("lower", "upper", "two"))
        _checks.number_or_infinite(self.value, "value")
        if self.upper is not None:
            _checks.number_or_infinite(self.upper, "upper")
        if (self.side == "two") != (self.upper is not None):
            raise ValueError(
                f"upper is the upper end of a two-sided bound: got side={self.side!r} and "
                f"upper={self.upper!r}"
            )

    def __float__(self) -> float:
        return float(self.value)

    # -- how it reads ---------------------------------------------------------------------------

    @property
    def rounded(self) -> str:
        """The value with three significant digits, rounded to the safe side."""
        if self.guarantee == "estimate":
            return round_safely(self.value, "nearest")
        if self.upper is not None:
            return f"{round_safely(self.value, 'down')} to {round_safely(self.upper, 'up')}"
        return round_safely(self.value, "down" if self.side == "lower" else "up")

    @property
    def symbol(self) -> str:
        """The quantity's symbol, with its argument: ``ε at δ = 1e-5``, ``TPR at FPR 0.01``."""
        symbol = _SYMBOLS[self.quantity]
        if self.quantity == "tpr" and self.fpr is not None:
            return f"TPR at FPR {plain(self.fpr)}"
        if self.quantity == "epsilon" and self.delta is not None:
            return f"ε at δ = {plain(self.delta)}"
        if self.quantity == "delta" and self.epsilon is not None:
            return f"δ at ε = {plain(self.epsilon)}"
        if self.quantity == "precision" and self.prior is not None:
            return f"precision at prior {plain(self.prior)}"
        if self.quantity == "renyi" and self.order is not None:
            return f"Rényi divergence of order {plain(self.order)}"
        return symbol

    @property
    def badge(self) -> str:
        """The guarantee in a word or two: what the screens print beside the number."""
        return f"void: {self.guarantee}" if self.void else self.guarantee

    @property
    def relation(self) -> str:
        """How the truth stands to the value: "≥", "≤", "in", or "≈" for an estimate."""
        if self.guarantee == "estimate":
            return "≈"
        return {"lower": "≥", "upper": "≤", "two": "in"}[self.side]

    @property
    def terms(self) -> tuple[str, ...]:
        """Everything the number rests on: guarantee, confidence, family, assumption, what voids."""
        terms = (
            self.badge,
            self.confidence is not None and percent(self.confidence) + self._sided,
            self.family and self._if_family,
            self.assumption,
            self.void,
        )
        return tuple(term for term in terms if term)

    @property
    def survival(self) -> str:
        """What a choice made with the bound in view does to it; empty where that is no question."""
        return SURVIVAL.get(self._promise, "")

    @property
    def _promise(self) -> str:
        """Whose words tell what is promised: a family's parameter is found without a threshold."""
        at_a_choice = self.threshold is not None or self.canaries is not None
        if self.guarantee == "pointwise" and self.family and not at_a_choice:
            return "of a family"
        return self.guarantee

    @property
    def _if_family(self) -> str:
        return _FAMILIES.get(self.family or "", f"if the pair is {self.family}")

    @property
    def _sided(self) -> str:
        return " two-sided" if self.side == "two" else ""

    def __str__(self) -> str:
        return f"{self.symbol} {self.relation} {self.rounded} ({', '.join(self.terms)})"

    def __repr__(self) -> str:
        return f"Bound({self})"

    def explain(self) -> str:
        """The bound as sentences for a reader who knows no formula."""
        value, what = self.rounded, self.symbol
        if self.guarantee == "estimate":
            note = f" {self.note}" if self.note else ""
            return f"{what} is estimated at {value}. {GUARANTEE_HELP['estimate']}{note}"
        if self.guarantee == "proven":
            given = f"By proof, {_given(self.assumption)}"
        else:
            given = f"With {percent(self.confidence or 0)} confidence, {_given(self.assumption)}"
        if self.family:
            given += f" and {self._if_family}"
        if self.quantity == "tpr" and self.fpr is not None:
            text = self._explain_tpr(given, self.fpr)
        else:
            relation = {"lower": "at least", "upper": "at most", "two": "between"}[self.side]
            value = value.replace(" to ", " and ")
            text = f"{given}, {what} is {relation} {value}. {GUARANTEE_HELP[self._promise]}"
            if self.side == "lower" and self.value <= 0:
                text += " The bound is 0: these data show no leak, which does not show privacy."
            elif self.side == "lower":
                text += (
                    " The truth may be larger; this does not show that the mechanism is private."
                )
        if self.note:
            text += f" {self.note}"
        if self.void:
            text += f" The guarantee is void: {self.void}."
        return text

    def _explain_tpr(self, given: str, fpr: float) -> str:
        people, wrong = _one_in(fpr)
        # Rounded down, and never to more people than were shown.
        found = math.floor(self.value * people)
        if found <= wrong:
            return (
                f"{given}, these scores do not show that any attacker does better than guessing; "
                "this does not show that the mechanism is private."
            )
        return (
            f"{given}, an attacker who wrongly accuses {wrong} in {people:,} people correctly "
            f"identifies at least {found:,} in {people:,} members; this does not show that the "
            "mechanism is private."
        )

    def cite(self) -> str:
        """BibTeX of the method's sources."""
        from workbench.bounds.citations import bibtex

        return bibtex(self.method)

    def voided(self, reason: str) -> Bound:
        """The same number with its guarantee declared void; estimates have none to lose."""
        _checks.text(reason, "reason")
        return self if self.guarantee == "estimate" else replace(self, void=reason)

    # -- how it travels -------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """All fields, as plain Python values."""
        return asdict(self)

    def to_frame(self) -> pd.DataFrame:
        """One row with all fields; ``pd.concat`` stacks several."""
        import pandas as pd

        return pd.DataFrame([self.to_dict()])

    def _repr_html_(self) -> str:
        border = "dashed" if self.guarantee == "estimate" or self.void else "solid"
        return (
            f'<div title="{html.escape(self.explain(), quote=True)}">'
            f'<b style="font-size:1.4em">{self.symbol} {self.relation} {self.rounded}</b> '
            f'<span style="border:1px {border};border-radius:9px;padding:1px 8px">'
            f"{html.escape(self.badge)}</span> "
            f"<small>{html.escape(' · '.join(self.terms[1:]))}</small></div>"
        )


def _one_in(rate: float) -> tuple[int, int]:
    """A rate as people of whom some: 0.001 is 1 in 1000, 0.03 is 3 in 100."""
    people = 10 ** min(max(2, math.ceil(-math.log10(rate))), 300)  # no float holds 10**309
    return people, max(1, round(rate * people))


def _given(assumption: str) -> str:
    return {
        "if rows are independent": "if rows are independent",
        "independent runs": "for independent runs",
        "clustered": "for independent clusters",
        "one run": "if the records of this one run behave like independent ones",
        "no samples": "for the given distributions",
        "independent fair coins": "if each canary was in by its own fair coin",
        "independent bits": "if each canary was in by its own fair coin and no canary influences "
        "the score of another",
        "independent bits, half of them in": "if half of the canaries were in, drawn at random, "
        "and no canary influences the score of another or the guess about it",
    }[assumption]
