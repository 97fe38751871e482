"""`RiskAsked`: the claim, the attack and its baseline; the risk, and its answer."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import param

from workbench.audits.items import Tone
from workbench.claims.base import Claim
from workbench.figures import risk as charts
from workbench.figures.kit.layout import empty
from workbench.pages.answers import nothing_concluded, unfinished
from workbench.pages.core.page import (
    Answer,
    Control,
    Section,
    answer,
    derived,
    figure,
    sentence,
)
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import IntegerField, LogNumber, number_of
from workbench.pages.inputs.claims.stated import CLAIM, KeptClaim, stated_values
from workbench.risks.attacks import ATTACKS
from workbench.risks.plain_words import broken, ends_in_words, frequency, plain_words
from workbench.risks.promise import Promise
from workbench.risks.risk import Risk, RiskCurve
from workbench.risks.success import MOST_RECORDS
from workbench.workspaces.dataset import DataSet

#: log₁₀ of the largest N of "1 in N", and of that of the least baseline that can be typed.
MOST, MOST_TYPED = 6, 9

#: Points of the chart's curves.
POINTS = 97

#: What a risk rests on, besides what was measured.
ASKED = ("attack", "log_one_in", "log_prior")

NOTHING = "state what was promised, or choose scores that were measured"


class RiskClaim(KeptClaim):
    """What is promised: of the scores in view, where these are the evidence, or of anything."""

    def values_of(self, claim: Claim | str | None) -> dict[str, Any]:
        """The page's parameters for a claim."""
        return stated_values(claim)

    def start(self, given: frozenset[str]) -> None:
        """Have the claim follow the evidence: what is promised of other things is no claim here."""
        self.page.param.watch(self._take, "evidence")

    def data_came(self, before: Any) -> None:
        """Take a claim that was changed elsewhere, where it is about the data in view."""
        if self._about_scores:
            super().data_came(before)

    def keep_with_data(self) -> None:
        """Keep the claim with the data set in view, where it is about that."""
        if self._about_scores:
            super().keep_with_data()

    def values_with(self, dataset: DataSet | None) -> dict[str, Any]:
        """The page's parameters for a data set that comes into view."""
        return super().values_with(dataset) if self._about_scores else {}

    @property
    def _about_scores(self) -> bool:
        return bool(self.page.evidence == "scores")

    def _take(self, *events: Any) -> None:
        if not self.page.quiet and self.page.given is None:
            self.page.param.update(**self.values_with(self.page.source.dataset))

    @derived(needs=CLAIM)
    def claim(self) -> Claim | None:
        """The claim; None where nothing is promised."""
        return self.stated()


class RiskAsked(Part):
    """The attack, how often it would succeed without the release, and both ends with it."""

    attack = param.Selector(
        default="membership",
        objects={kind.label: name for name, kind in ATTACKS.items()},
        label="What does the attacker want?",
    )
    log_one_in = LogNumber(
        2.0,
        bounds=(0.3, MOST_TYPED),
        softbounds=(0.3, MOST),
        step=0.05,
        whole=True,
        label="Without the release right 1 in",
        doc="How often the attacker would be right from all else that is known. For membership: "
        "how often somebody is accused whose record was not used.",
    )
    log_prior = LogNumber(
        -2.0,
        bounds=(-6, -0.05),
        step=0.05,
        label="Share of members among the suspects",
        doc="Before the attack: how many of the people whom the attacker suspects were in the "
        "data.",
    )
    group = IntegerField(
        1,
        (1, MOST_RECORDS),
        label="Records of a person or family",
        doc="The promise for so many records together, if it is stated for one.",
    )

    section: ClassVar[Section] = Section(
        "Attack",
        (
            Control("attack"),
            Control("log_one_in"),
            Control("log_prior", when=lambda page: page.attack == "membership"),
            Control("group", when=lambda page: page.claim() is not None),
        ),
    )

    @property
    def baseline(self) -> float:
        """How often the attacker is right without the release."""
        return 1 / max(round(10**self.log_one_in), 2)

    @derived(needs=("claim", "group"))
    def promise(self) -> Promise | None:
        """What the claim allows; None without one."""
        claim = self.page.claim()
        return None if claim is None else Promise(claim, self.group)

    @derived(needs=("promise", "measured", *ASKED))
    def risk(self) -> Risk | None:
        """Both ends at the baseline; None where nothing is promised or measured."""
        promise, evidence = self.promise(), self.page.measured()
        if promise is None and evidence is None:
            return None
        prior = number_of(self.log_prior) if self.attack == "membership" else None
        return Risk(self.attack, self.baseline, promise, evidence, prior)

    @derived(needs=("promise", "measured"))
    def curve(self) -> RiskCurve | None:
        """Both ends at all baselines; None where nothing is promised or measured."""
        risk = self.risk()
        return None if risk is None else risk.curve(charts.baselines(POINTS))

    # -- what is shown -----------------------------------------------------------------------------

    @derived(needs=("curve", "measured"))
    def broken_at(self) -> float | None:
        """The baseline at which the tests exceed the promise by most; None where they do not."""
        curve, evidence = self.curve(), self.page.measured()
        if curve is None or evidence is None or evidence.bound.void:
            return None
        with np.errstate(invalid="ignore"):
            excess = np.nan_to_num(curve.at_least / curve.at_most)
        most = int(excess.argmax())
        return float(curve.baseline[most]) if excess[most] > 1 else None

    @answer(needs=("risk", "broken_at", "why_not_measured"))
    def answer(self) -> Answer:
        """Both ends: the headline in a few words, and one sentence for each."""
        risk, why, at = self.risk(), self.page.why_not_measured(), self.broken_at()
        if risk is None:
            return nothing_concluded(why) if why else unfinished(NOTHING)
        said = plain_words(risk)
        if at is None and not broken(risk):
            return Answer(headline(risk), said, tone_of(risk))
        if at is not None and not broken(risk):
            said = f"{said} At {frequency(at, 'up')} without the release, the tests show more."
        return Answer("The promise is broken", said, "bad")

    @figure(
        "What an attacker could do",
        needs=("risk", "curve"),
        span=12,
        drag={"baseline": "log_one_in"},
        formula="Promised: 1 − f(κ), with the trade-off function f of the claim. Shown: the "
        "largest true positive rate at a false positive rate of at most κ, by limits that hold at "
        "all κ at once.",
        caution="What is shown is what this attack can do; a better one may do more. What is "
        "promised holds if the claim is true.",
    )
    def success(self) -> dict[str, Any]:
        """How often an attacker is right with the release, by how often without it.

        Above the upper curve is what the promise excludes, below the lower one what the tests have
        shown. Between them, nobody knows. Drag the line to another baseline.
        """
        risk, curve = self.risk(), self.curve()
        if risk is None or curve is None:
            return empty(f"{NOTHING[0].upper()}{NOTHING[1:]}.")
        return charts.success(curve, risk, *ends_in_words(risk))

    @sentence(needs=("attack", "claim"))
    def assumption(self) -> str:
        """What has to be true."""
        kind = ATTACKS[self.attack]
        claim = self.page.claim()
        promised = "" if claim is None else f" What is promised: {claim}."
        return f"{kind.needs}{promised}"


def headline(risk: Risk) -> str:
    """Both ends in a few words."""
    shown, promised = ends_in_words(risk)
    if shown and promised:
        least, most = shown.removeprefix("at least "), promised.removeprefix("at most ")
        return f"Between {least} and {most}" if least != most else f"Close to {least}"
    return (promised or shown).capitalize() or "Nothing is shown"


def tone_of(risk: Risk) -> Tone:
    """What both ends mean: a leak is shown where the tests show more than guessing."""
    shown, promised = ends_in_words(risk)
    if promised:
        return "open"
    void = risk.evidence is not None and risk.evidence.bound.void
    return "void" if void else "bad" if shown else "open"
