"""The explorable *Why tuning is not free*, and its page: many attacks where nothing leaks."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import percent
from workbench.bounds.bound import Bound
from workbench.bounds.counts.counts import Counts
from workbench.coverage_lab.exact.tables import least_false, level_of_two, likely
from workbench.explorables.explorable import Explorable
from workbench.explorables.questions import CheckedQuestion
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import LEFT, Style, label, line, markers, rule
from workbench.pages.core.page import Control, Fact, Page, Section, derived, figure, number

DELTA, CONFIDENCE, INTERVAL = 1e-5, 0.95, "joint"

#: Scores a group, the rate of each attack in both groups, and the most attacks that are tried.
SCORES, RATE, MOST = 1000, 0.02, 100

#: Seeds of the scores and of the fresh ones: the first by which chance favors no valid bound.
SEED, FRESH_SEED = 18, 1018

#: Places of the slider.
PLACES = (*range(1, 11), *range(12, 21), 25, 30, 40, 50, 75, MOST)

_TUNED = "it was chosen among several because it is the largest"

TRIED = Style("bound of one attack", "p")
REST = Style("not tried yet", "muted")
BEST = Style("the best so far", "bad")
CORRECTED = Style("corrected for the number", "good", "dash")
FRESH = Style("measured again on fresh scores", "p", "dot")
TRUTH = Style("truth: no leak", "ink", "dash", 1.5)


@cache
def _attacks(seed: int) -> tuple[Counts, ...]:
    """The counts of all attacks on scores without a leak."""
    rng = np.random.default_rng(seed)
    counts = rng.binomial(SCORES, RATE, (MOST, 2)).tolist()
    return tuple(Counts(tp=a, fn=SCORES - a, fp=b, tn=SCORES - b) for a, b in counts)


@cache
def _bounds(seed: int, confidence: float, attacks: int = MOST) -> tuple[Bound, ...]:
    return tuple(one.epsilon(DELTA, confidence, INTERVAL) for one in _attacks(seed)[:attacks])


def corrected_confidence(attacks: int) -> float:
    """The confidence of each of so many attacks by which all hold together with 95%."""
    return 1 - (1 - CONFIDENCE) / attacks


@cache
def false_claims(confidence: float) -> float:
    """Probability that one attack on scores without a leak has a bound above 0; a sum, exactly."""

    def is_false(tp: int, fp: int) -> bool:
        counts = Counts(tp=tp, fn=SCORES - tp, fp=fp, tn=SCORES - fp)
        return counts.epsilon(DELTA, confidence, INTERVAL).value > 0

    columns = likely(SCORES, RATE)
    least = least_false(is_false, SCORES, columns.tolist())
    rate = np.array([RATE])
    return float(level_of_two(least, columns, (SCORES, SCORES), rate, rate)[0])


def of_any(level: float, attacks: float) -> float:
    """Probability that one of so many independent attacks has a false bound."""
    return float(-np.expm1(attacks * np.log1p(-level)))


class TuningPage(Page):
    """Many attacks on a mechanism without a leak, of which the best is reported."""

    title = "Why tuning is not free"
    about = "How often does the best of many attacks claim a leak that is not there?"
    main: ClassVar[tuple[str, ...]] = ("attacks",)
    controls: ClassVar[tuple[Section, ...]] = (Section("Attacks", (Control("attacks"),)),)

    attacks = param.Integer(
        10, bounds=(1, MOST), label="Attacks tried", doc="All on the same scores."
    )

    @derived(needs=("attacks",))
    def best(self) -> int:
        """The place of the attack with the largest bound."""
        return int(np.argmax([one.value for one in _bounds(SEED, CONFIDENCE)[: self.attacks]]))

    @number("Best bound", needs=("best", "attacks"), main=True)
    def claimed(self) -> Bound:
        """The largest of the bounds, each of which holds for its own attack alone."""
        bound = _bounds(SEED, CONFIDENCE)[self.best()]
        return bound.voided(_TUNED) if self.attacks > 1 else bound

    @number(
        "Corrected for the number",
        needs=("attacks",),
        formula="Bonferroni: each of the k attacks gets 1/k of the error probability.",
    )
    def corrected(self) -> Bound:
        """The largest bound, where all attacks hold together with 95% confidence."""
        bounds = _bounds(SEED, corrected_confidence(self.attacks), self.attacks)
        best = max(bounds, key=lambda one: one.value)
        return replace(best, guarantee="simultaneous", confidence=CONFIDENCE)

    @number("On fresh scores", needs=("best",))
    def fresh(self) -> Bound:
        """The bound of the attack that was chosen, on scores that had no part in the choice."""
        return replace(_bounds(FRESH_SEED, CONFIDENCE)[self.best()], guarantee="held-out")

    @number(
        "Chance of a false claim",
        needs=("attacks",),
        formula="1 − (1 − a)^k, with a the exact level of one attack, a sum over all counts.",
    )
    def chance(self) -> Fact:
        """How often the best of so many attacks claims a leak that is not there."""
        share = percent(round(of_any(false_claims(CONFIDENCE), self.attacks), 3))
        return Fact(share, "exact, for independent attacks; 5% is allowed")

    @number("Truth", needs=())
    def truth(self) -> Fact:
        """The mechanism leaks nothing."""
        return Fact("ε = 0", "members and non-members have the same distribution")

    @figure("The bounds of all attacks", needs=("attacks", "best"))
    def each(self) -> dict[str, Any]:
        """One dot for each attack on the same scores. Every dot above 0 is a false claim."""
        k, best = self.attacks, self.best()
        x = np.arange(1, MOST + 1)
        y = np.array([one.value for one in _bounds(SEED, CONFIDENCE)])
        top = 1.6 * float(y.max())
        false = int((y[:k] > 0).sum())
        return chart(
            [
                rule(TRUTH, y=0),
                markers(REST, x[k:], y[k:], size=5, outline=None),
                markers(TRIED, x[:k], y[:k], size=7, outline=None),
                markers(BEST, [x[best]], [y[best]], size=12),
                key([TRIED, REST, BEST]),
            ],
            axis("attack", 0, MOST + 1),
            axis("lower bound on ε", -0.03 * top, top),
            summary=f"Of {k} attacks, {false} have a bound above 0, the largest "
            f"{y[best]:.3g}; the truth is 0.",
            closest=True,
        )

    @figure("Chance of a false claim", needs=("attacks",))
    def chances(self) -> dict[str, Any]:
        """How often something is claimed, by the number of attacks that were tried."""
        k = self.attacks
        x = np.arange(1, MOST + 1)
        level = false_claims(CONFIDENCE)
        tuned = np.array([of_any(level, one) for one in x.tolist()])
        paid = np.array([of_any((1 - CONFIDENCE) / one, one) for one in x.tolist()])
        pointwise = Style("the best of all", "bad")
        at_most = Style("corrected, at most", "good", "dash")
        once = Style("on fresh scores", "p", "dot")
        allowed = Style("allowed", "ink", "dash", 1)
        return chart(
            [
                rule(allowed, y=1 - CONFIDENCE),
                label(LEFT, 1 - CONFIDENCE, "5% allowed", "ink", ha="left", va="bottom", dx=4),
                line(once, x, np.full(x.size, level)),
                line(at_most, x, paid),
                line(pointwise, x, tuned),
                markers(pointwise, [k], [tuned[k - 1]]),
                key([pointwise, at_most, once]),
            ],
            axis("attacks tried", 0, MOST + 1),
            axis("chance of a false claim", 0, 1.35, format=".0%", ticks=_SHARES),
            summary=f"The best of {k} attacks claims a leak with probability {tuned[k - 1]:.1%}; "
            f"corrected for the number, with at most {paid[k - 1]:.1%}.",
            closest=True,
        )


_SHARES = {0.0: "0%", 0.25: "25%", 0.5: "50%", 0.75: "75%", 1.0: "100%"}

TUNING = Explorable(
    about=(
        "An auditor tries attack after attack on the same scores and reports the best bound. Each "
        "bound holds with 95% confidence. But “the best of a hundred” is another procedure: if "
        "each fails in at most five of a hundred audits, one of a hundred nearly always fails.",
        "This mechanism leaks nothing, so every bound above 0 is false. There are two remedies: "
        "share the 5% among all attacks that were tried, or measure the chosen attack again on "
        "scores that had no part in the choice.",
    ),
    make=TuningPage,
    items=("claimed", "corrected", "fresh", "chance", "truth", "each", "chances"),
    moves={"attacks": PLACES},
    tries=(
        "Move the slider from 1 to 100 and watch the best bound. It can only grow, although "
        "nothing leaks, and it is struck out from the second attack on.",
        "Watch the two valid bounds beside it: they stay at 0 here. Each of them is above 0 in at "
        "most five of a hundred such audits.",
        "Find the number of attacks from which a false claim is more likely than not.",
    ),
    questions=(
        CheckedQuestion(
            "From how many attacks on is a false claim more likely than not?",
            lambda: next(k for k in range(1, MOST) if of_any(false_claims(CONFIDENCE), k) > 0.5),
            "1 − (1 − a)^k passes one half there, with a the level of one attack.",
            within=1,
            mistakes={
                "with so many attacks one is expected to fail, which is more than “more likely "
                "than not”.": lambda: 20
            },
        ),
        CheckedQuestion(
            "You tried 50 attacks. With which confidence must each bound be computed so that all "
            "hold together with 95%? Give a share, such as 0.95.",
            lambda: corrected_confidence(50),
            "Each attack gets 1/50 of the error probability of 0.05.",
            within=0.0001,
            mistakes={"this is the confidence of one attack alone.": lambda: CONFIDENCE},
        ),
        CheckedQuestion(
            "You tune on one half of the scores and measure on the other. Which confidence may you "
            "state?",
            lambda: "a",
            "Given the first half, the attack is fixed when the second half is looked at.",
            choices=("95%", "95% divided by the number of attacks", "none"),
        ),
    ),
    page="counts",
    notebook="03",
)
