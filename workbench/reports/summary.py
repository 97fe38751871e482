"""`summary`: what an audit tested, what it showed, and what not, in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench._format import percent, plain, round_safely
from workbench.audits.audit import Audit
from workbench.audits.items import AuditNumber, AuditSentence
from workbench.bounds.bound import Bound

#: Page -> what was done, for readers who do not know differential privacy.
TESTED = {
    "scores": "Someone who wants to find out whether a person’s data were used gives every person "
    "a score. This audit compares the scores of people whose data were used (members) with those "
    "of people whose data were not (non-members). The further apart the two groups are, the more "
    "the mechanism gives away.",
    "counts": "Someone guessed of each person whether the person’s data were used. This audit "
    "rests on four counts: how many members and how many non-members were called members, and how "
    "many were not.",
    "onerun": "Test records, called canaries, were put into one training run or left out, or each "
    "was put in with one of several values, and someone guessed which. The more guesses are right, "
    "the more the training gives away.",
    "records": "Many models were trained, each on some of the records. This audit compares, for "
    "every record, the scores of the models that were trained on it with those of the others, and "
    "asks which records give away that they were used.",
    "synthetic": "A computer made an artificial table from real records. By chance, some records "
    "were shown to it and others were held back. This audit looks at the artificial table alone "
    "and asks of each record whether it was shown. The more answers are right, the more the "
    "artificial table gives away.",
    "mechanism": "A program promises that its output hardly depends on any one person’s data. It "
    "was run many times on pairs of datasets that differ in one person, in search of a pair whose "
    "outputs differ more than the promise allows.",
    "watch": "Scores of members and non-members arrived one after the other. This audit asks which "
    "numbers stay valid although someone watched and could have stopped at any time.",
    "compare": "Two sets of scores, A and B, were compared: in which of them does an attacker tell "
    "members from non-members better?",
    "family": "The audit asks whether the scores of members and non-members follow a family of "
    "simple curves, and what would follow if they did.",
    "risk": "A privacy promise limits how often an attacker can be right about a person. This "
    "calculation puts it in numbers: how often at most by the promise, and how often at least by "
    "an attack that was measured, where there is one.",
    "selection": "Models are often trained many times, and only the best one is published. This "
    "calculation shows how much larger the privacy loss of that is than the loss of one training.",
    "train": "Many small models were trained, half of them with one record and half of them "
    "without it, or one model with many test records. This audit asks what the models give away "
    "about the record, and whether that is more than the training promises.",
    "plan": "No mechanism was audited. This calculation shows how many scores an audit would need, "
    "if they followed a known pair of distributions.",
    "pairlab": "No mechanism was audited. Scores were simulated from distributions whose privacy "
    "loss is known, to see how close audits come to the truth.",
    "coveragelab": "No mechanism was audited. Scores were simulated many times, to see how often "
    "each method claims more than the truth.",
}

#: What pages that audit nothing do not show.
_NO_AUDIT = "This report says nothing about any real mechanism or any person’s data."
_NOT_SHOWN = {
    "selection": "Nothing was measured. The calculation takes the privacy loss of one training as "
    "given, and shows nothing about a training whose loss is another.",
    "plan": _NO_AUDIT,
    "pairlab": _NO_AUDIT,
    "coveragelab": _NO_AUDIT,
}

#: Pages whose results are also in their sentences.
_SPOKEN = ("mechanism", "watch", "compare", "family", "selection", "train", "plan", "coveragelab")

_NO_PROOF = (
    "This report does not show that anything is private. An audit can find a leak, but it cannot "
    "rule one out: a better attack or more data may show more."
)

#: Assumption of a bound -> what it means; "" for none.
_RESTS_ON = {
    "independent runs": "The scores come from independent runs. The scores alone cannot show that.",
    "if rows are independent": "The scores are treated as independent of each other. Nobody has "
    "confirmed that they are.",
    "clustered": "Scores that belong together were combined into one; these are treated as "
    "independent.",
    "one run": "All scores come from one run. They are treated as if they were independent.",
    "no samples": "",
    "members and non-members of one population": "Nobody drew who was in the training data: "
    "members and non-members are taken to be alike but for the training, which no data show.",
    "independent fair coins": "Each canary was put in or left out by its own fair coin.",
    "independent uniform values": "Each canary had one of several values, which was drawn for it "
    "alone, each value with the same chance.",
    "independent bits": "Each canary was put in or left out by its own fair coin, and for some "
    "numbers no canary may influence the score of another.",
}

_MARKS = {
    "pointwise": "Numbers marked “pointwise” hold only if the threshold, the bins and the attack "
    "were fixed before anyone saw these data.",
    "approximate": "Numbers marked “approximate” come from methods that keep their stated "
    "certainty only roughly.",
    "estimate": "Numbers marked “estimate” (≈) come without any certainty: they may lie above or "
    "below the truth.",
}


@dataclass(frozen=True)
class Summary:
    """An audit in plain sentences.

    Parameters
    ----------
    answer : AuditSentence, optional
        The answer of the page, as it was recorded.
    tested : str
        What was done.
    warnings : tuple of str
        That it was imported, and what the page warned of.
    shown : tuple of (str, str)
        What was shown, and with which certainty: the title of a number, or "", and a sentence.
    void : tuple of str
        Numbers that are not valid or not there, and why.
    rests_on : tuple of str
        What has to be true for the numbers to hold.
    not_shown : tuple of str
        What must not be concluded.
    """

    answer: AuditSentence | None
    tested: str
    warnings: tuple[str, ...]
    shown: tuple[tuple[str, str], ...]
    void: tuple[str, ...]
    rests_on: tuple[str, ...]
    not_shown: tuple[str, ...]


def summary(audit: Audit) -> Summary:
    """An audit in sentences for readers who do not know differential privacy."""
    valid = [n for n in audit.numbers if n.bound is not None and not n.bound.void]
    bounds = [n.bound for n in valid if n.bound is not None]
    levels = sorted({b.confidence for b in bounds if b.confidence is not None})
    rests = [_RESTS_ON.get(b.assumption, f"{b.assumption}.") for b in bounds]
    warnings = [] if audit.imported is None else [audit.imported.explain()]
    warnings += [s.text for s in audit.sentences if s.place == "strip" and s.text]
    return Summary(
        answer=next((one for one in audit.sentences if one.tone), None),
        tested=TESTED.get(audit.page, ""),
        warnings=tuple(warnings),
        shown=(
            *(("", str(one["explanation"])) for one in audit.verdicts),
            *((n.title, _shown(n.bound)) for n in valid if n.bound is not None),
            *(("", text) for text in _spoken(audit)),
            *(("", _certainty(level)) for level in levels),
        ),
        void=tuple(_void(audit.numbers)),
        rests_on=_unique(
            (*rests, *(b.note or "" for b in bounds), *_marked(bounds), *_planned(audit))
        ),
        not_shown=(_NOT_SHOWN.get(audit.page, _NO_PROOF), *_zero(bounds)),
    )


def _shown(bound: Bound) -> str:
    """What a valid number shows."""
    if bound.guarantee == "estimate":
        return f"about {bound.rounded}. This is an estimate, not a proof."
    sure = f"with {percent(bound.confidence)} certainty" if bound.confidence else "by proof"
    if bound.family:
        sure += f", and only {next(t for t in bound.terms if t.startswith('if '))}"
    say = {"epsilon": _epsilon, "mu": _mu, "total variation": _total_variation, "tpr": _tpr}
    one_sided = bound.side != "two" and bound.quantity in say
    found = say[bound.quantity](bound) if one_sided else None
    if found is None:
        relation = {"lower": "at least", "upper": "at most", "two": "from"}[bound.side]
        found = f"{bound.symbol} is {relation} {bound.rounded}"
    return f"{sure}, {found}."


def _epsilon(bound: Bound) -> str | None:
    lower, at = bound.side == "lower", f"ε {bound.relation} {bound.rounded}"
    at += f" at δ = {plain(bound.delta)}" if bound.delta is not None else ""
    if lower and bound.value <= 0:
        return f"no leak is shown ({at})"
    if not math.isfinite(bound.value) or bound.value > 300:
        return None
    factor = round_safely(math.exp(float(bound.rounded)), "down" if lower else "up")
    if lower:
        return (
            "any promise of differential privacy that holds here must allow one person’s "
            f"data to make some outcome at least {factor} times as probable ({at})"
        )
    rare = " apart from rare events" if bound.delta else ""
    return f"one person’s data make no outcome more than {factor} times as probable{rare} ({at})"


def _mu(bound: Bound) -> str | None:
    at = f"μ {bound.relation} {bound.rounded}"
    if bound.side != "lower":
        return None
    if bound.value <= 0:
        return f"no leak is shown ({at})"
    return (
        "at some error rates, some attack distinguishes members from non-members at least as well "
        f"as a test distinguishes two bell curves {bound.rounded} standard deviations apart ({at})"
    )


def _total_variation(bound: Bound) -> str | None:
    if bound.side != "lower":
        return None
    if bound.value <= 0:
        return f"no leak is shown (TV ≥ {bound.rounded})"
    points = round_safely(100 * float(bound.rounded), "down")
    return (
        f"some attack calls at least {points} percentage points more of the members “member” than "
        f"of the non-members (TV ≥ {bound.rounded})"
    )


def _tpr(bound: Bound) -> str | None:
    if bound.side != "lower" or bound.fpr is None:
        return None
    if float(bound.rounded) <= bound.fpr:
        return "no attack is shown that does better than guessing"
    found = round_safely(100 * float(bound.rounded), "down")
    return (
        f"some attack that wrongly accuses {percent(bound.fpr)} of the non-members finds at least "
        f"{found}% of the members"
    )


def _spoken(audit: Audit) -> Iterator[str]:
    """Results that the page has in its sentences."""
    if audit.page in _SPOKEN:
        yield from (one.text for one in audit.sentences if one.place == "text" and one.text)


def _certainty(level: float) -> str:
    wrong = f"{round(100 * (1 - level), 6):g}"
    return (
        f"“With {percent(level)} certainty” means: of 100 audits that are made in this way, on "
        f"average at most {wrong} report such a number wrongly."
    )


def _void(numbers: Iterable[AuditNumber]) -> Iterator[str]:
    reasons: dict[tuple[str, bool], list[str]] = {}
    for one in numbers:
        if one.bound is not None and one.bound.void:
            reasons.setdefault((str(one.bound.void), bool(one.ask)), []).append(f"“{one.title}”")
    for (reason, asked), titles in reasons.items():
        many = len(titles) > 1
        names = f"{', '.join(titles[:-1])} and {titles[-1]}" if many else titles[0]
        if asked:
            yield f"{names} {'have' if many else 'has'} no value here: {reason}."
        else:
            yield f"{names} {'are' if many else 'is'} not valid and must not be used: {reason}."


def _marked(bounds: list[Bound]) -> Iterator[str]:
    yield from (text for mark, text in _MARKS.items() if any(b.guarantee == mark for b in bounds))


def _planned(audit: Audit) -> Iterator[str]:
    if audit.plan is None:
        return
    plan = f"the plan “{audit.plan.name}” of {audit.plan.created:%Y-%m-%d}"
    if audit.deviations:
        voids = " Some of them void numbers." if any(d.voids for d in audit.deviations) else ""
        yield f"The audit departs from {plan} in {_count(audit)}; they are listed below.{voids}"
    else:
        yield f"The choices of the audit were fixed in {plan}, before any score was loaded."


def _count(audit: Audit) -> str:
    n = len(audit.deviations)
    return "one point" if n == 1 else f"{n} points"


def _zero(bounds: list[Bound]) -> Iterator[str]:
    if any(b.side == "lower" and b.guarantee != "estimate" and b.value <= 0 for b in bounds):
        yield "A number of 0 means that these data show no leak, not that there is none."


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, texts)))
