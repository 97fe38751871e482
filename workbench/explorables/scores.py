"""Three explorables of the page *Scores*: threshold, bin width, simultaneous against pointwise."""

from __future__ import annotations

from functools import cache
from typing import Any

from workbench.bounds.counts.threshold import error_rates
from workbench.bounds.estimates import total_variation_estimate
from workbench.bounds.lower_bounds import epsilon_lower_bound
from workbench.estimators.histogram import histogram
from workbench.explorables.explorable import Explorable
from workbench.explorables.questions import CheckedQuestion
from workbench.pages.inputs.data import draw_key
from workbench.pages.scores.page import ScoresPage
from workbench.pairs.gaussian import GaussianPair
from workbench.scores.sample import Scores
from workbench.workspaces.workspace import Workspace

DELTA = 1e-5

#: The sample without a leak: of those that look so, the first whose tuned limit is above ¼.
LUCKY = 592

#: Scores a group and μ of the sample of the bin widths.
FEW, SMALL = 1000, 0.3


@cache
def leaking() -> Scores:
    """10,000 + 10,000 scores of the Gaussian pair with μ = 1."""
    return GaussianPair(1).sample(10_000, 0)


@cache
def alike() -> Scores:
    """500 + 500 scores of a mechanism that leaks nothing."""
    return GaussianPair(0).sample(500, LUCKY)


@cache
def few() -> Scores:
    """1000 + 1000 scores with a small leak."""
    return GaussianPair(SMALL).sample(FEW, 0)


THRESHOLD = Explorable(
    about=(
        "Each score is one run of a mechanism: blue with a person's record in the data (P), orange "
        "without it (Q). An attacker sees a score and says “in” if it lies beyond a threshold.",
        "Every threshold makes two kinds of error: it accuses runs without the record (false "
        "positives) and it misses runs with it (false negatives). The trade-off curve has one "
        "point for each threshold. The further it lies below the diagonal, the more leaks.",
    ),
    make=lambda: ScoresPage(leaking(), workspace=Workspace()),
    items=("epsilon", "epsilon_here", "mu", "auc", "distributions", "tradeoff"),
    moves={"threshold": 61, "log_delta": (-8.0, -6.0, -5.0, -4.0, -3.0, -2.0, -1.0)},
    tries=(
        "Drag the line in the left chart, or click on the curve. The dot moves along the observed "
        "curve; the green curve, which has the guarantee, stays.",
        "Watch the two bounds on ε. The simultaneous one holds for all thresholds at once and does "
        "not move. The one at the threshold is struck out as soon as you choose the threshold by "
        "what you see.",
        "Make δ larger: the same scores prove a smaller ε, because more may go wrong.",
    ),
    questions=(
        CheckedQuestion(
            "The threshold is at 2. Which share of the runs without the record does the attack "
            "accuse? Give a number between 0 and 1, to two digits, from the chart.",
            lambda: float(error_rates(leaking(), 2.0, 0.95).fpr),
            "It is the horizontal position of the dot: the observed false positive rate.",
            within=0.01,
            mistakes={
                "this is the share of the runs with the record that the attack misses.": lambda: (
                    float(error_rates(leaking(), 2.0, 0.95).fnr)
                )
            },
        ),
        CheckedQuestion(
            "You drag the threshold to where “ε at the threshold” is largest. Which number may you "
            "report with 95% confidence?",
            lambda: "b",
            "It holds for all thresholds at once, so also for one that was chosen after looking.",
            choices=("ε at the threshold", "the simultaneous ε lower bound", "the larger of both"),
        ),
        CheckedQuestion(
            "What does a lower bound of ε = 2.2 say about the mechanism?",
            lambda: "a",
            "A bound from below never shows privacy: another attack or more scores may show more.",
            choices=(
                "it leaks at least this much",
                "it leaks at most this much",
                "it leaks about this much",
            ),
        ),
    ),
    page="scores",
    notebook="01",
)


def _bins() -> Any:
    data = draw_key("gaussian", n=FEW, seed=0, mu=SMALL)
    page: Any = ScoresPage(workspace=Workspace(), data=data)
    page.bin_width = 0.25  # a width, and not a rule
    return page


def _estimate(width: float) -> float:
    return total_variation_estimate(histogram(few(), width=width)).value


BIN_WIDTH = Explorable(
    about=(
        "The total variation distance (TV) is the advantage of the best attacker. A histogram "
        "estimates it: count how often members and non-members fall into each bin, and add up the "
        "differences.",
        "Wide bins hide what differs within a bin, so the estimate is too small. Narrow bins add "
        "up random differences as if they were a leak, so it is too large. Here the truth is "
        "known: members are shifted by 0.3 standard deviations, and TV = 0.119.",
    ),
    make=_bins,
    items=("histogram_tv", "total_variation", "sizes", "distributions", "tv_by_width"),
    moves={
        "bin_width": (
            *(round(0.01 * k, 2) for k in (2, 3, 4, 5, 7, 10, 15, 20, 25, 30)),
            0.4,
            0.5,
            0.6,
            0.8,
            1.0,
            1.2,
            1.5,
            1.8,
            2.0,
        )
    },
    tries=(
        "Drag the line in the chart “Total variation by bin width” to the left. The estimate grows "
        "to more than twice the truth, although the scores stay the same.",
        "Compare with the certified lower bound. It counts scores beyond thresholds and needs no "
        "bins, so it does not move.",
        "Look at the cross-fitted estimate: bins are chosen on one half of the scores and measured "
        "on the other, so noise cannot add up.",
    ),
    questions=(
        CheckedQuestion(
            "What is the estimated TV at a bin width of 0.02? Give two digits.",
            lambda: _estimate(0.02),
            "More than twice the truth of 0.119: nearly all of the difference is noise.",
            within=0.006,
        ),
        CheckedQuestion(
            "Members and non-members have the same distribution. What is the plain estimate, on "
            "average?",
            lambda: "c",
            "Differences count by their absolute value, so they never cancel.",
            choices=("0", "below 0 as often as above", "above 0"),
        ),
        CheckedQuestion(
            "Which number is a bound with 95% confidence, whatever bins you look at?",
            lambda: "b",
            "The estimate has no guarantee: it moves with the bins, and nobody knows which are "
            "right.",
            choices=("TV by histogram", "the TV lower bound", "both"),
        ),
    ),
    page="scores",
    notebook="02",
    helps={"distributions": "Histograms of members and non-members, in bins of this width."},
)


def _without_leak() -> ScoresPage:
    return ScoresPage(alike(), workspace=Workspace())


def _at(threshold: float) -> float:
    return float(error_rates(alike(), threshold, 0.95).epsilon_lower(DELTA))


SIMULTANEOUS = Explorable(
    about=(
        "These 500 + 500 scores come from a mechanism that leaks nothing: both groups have the "
        "same distribution, the true ε and μ are 0, and every bound above 0 is false.",
        "A pointwise limit holds with 95% confidence for one threshold that was fixed in advance. "
        "Whoever drags the threshold tries hundreds, and finds the luckiest. A simultaneous bound "
        "shares the 5% among all thresholds at once, so looking cannot spoil it.",
    ),
    make=_without_leak,
    items=("epsilon", "epsilon_here", "mu", "mu_curve", "distributions"),
    moves={"threshold": 101},
    tries=(
        "Drag the threshold to the left, below −2, and watch “ε at the threshold”: it claims a "
        "leak that is not there. It is struck out, because the threshold was chosen by its result.",
        "Look at the shaded area of “μ at every threshold”. Each of its points is a valid limit "
        "for its own threshold; its highest point is no bound at all.",
        "The green dots, the simultaneous limits, stay at or below 0 everywhere.",
    ),
    questions=(
        CheckedQuestion(
            "Which ε does the simultaneous bound prove for these scores?",
            lambda: epsilon_lower_bound(alike(), DELTA).value,
            "The truth is 0, and this bound says so.",
        ),
        CheckedQuestion(
            "The largest pointwise limit over all thresholds is above 0 here. What went wrong?",
            lambda: "c",
            "Each limit keeps its 95%; the largest of hundreds was never one of them.",
            choices=(
                "there are too few scores",
                "the limit at this threshold is computed wrongly",
                "its threshold was chosen by the result",
            ),
        ),
        CheckedQuestion(
            "A colleague fixed the threshold 1 before these scores existed. Is the pointwise limit "
            "there valid?",
            lambda: "a",
            "A threshold that was fixed in advance is one attack, for which the limit holds.",
            choices=("yes", "no"),
        ),
    ),
    page="scores",
    notebook="03",
)
