"""The explorable *Composition*, and its page: what the scores of one step say of many steps."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.bounds.simultaneous.composition import (
    ComposedBand,
    ComposedHistogram,
    compose_band,
    compose_histogram,
)
from workbench.estimators.histogram import histogram
from workbench.explorables.explorable import Explorable
from workbench.explorables.questions import CheckedQuestion
from workbench.figures.kit.axes import axis, delta_axis, gaps, positive
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import LEFT, Style, label, line, markers, rule
from workbench.pages.core.page import Control, Fact, Page, Section, derived, figure, number
from workbench.pages.core.sliders import LogNumber
from workbench.pairs.accounting.composed import ComposedPair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair

DELTA = 1e-5

#: One step, as HIST §9.2 has it: a subsampled Gaussian with q = ½ and σ = 2.
STEP = SubsampledGaussianPair(0.5, 2.0)

#: Places of the slider, and what the axes reach to.
STEPS = (1, 2, 4, 7, 10, 20, 50)
REACH, LEAST = 12.0, -8.0

#: Scores a group, as log₁₀.
SIZES = (3.0, 4.0, 5.0)

CERTIFIED = Style("composed band, lower bound", "good")
HEURISTIC = Style("composed histograms, estimate", "p", "dot")
TRUTH = Style("truth", "ink", "dash", 1.5)
HERE = Style("", "muted", "dash", 1)


@cache
def of_band(log_scores: float, steps: int) -> ComposedBand:
    """Lower bounds for so many steps from the scores of one."""
    return compose_band(tradeoff_band(STEP.sample(round(10**log_scores), seed=0)), steps)


@cache
def of_histogram(log_scores: float, steps: int) -> ComposedHistogram:
    """Estimates for so many steps from the histograms of one, with bins as HIST has them.

    In the tails of few scores, some bins are empty on one side.
    """
    return compose_histogram(
        histogram(STEP.sample(round(10**log_scores), seed=0), rule="scott"), steps
    )


@cache
def of_pair(steps: int) -> ComposedPair:
    """The truth: the accountant's composition of so many steps."""
    return ComposedPair(STEP, steps)


@cache
def certified(log_scores: float, steps: int) -> Bound:
    """Lower bound on ε of so many steps."""
    return of_band(log_scores, steps).epsilon(DELTA)


@cache
def estimated(log_scores: float, steps: int) -> Bound:
    """Estimate of ε of so many steps."""
    return of_histogram(log_scores, steps).epsilon(DELTA)


@cache
def true_epsilon(steps: int) -> float:
    """ε of so many steps."""
    return float(of_pair(steps).epsilon(DELTA))


class CompositionPage(Page):
    """Bounds and estimates for k steps from the scores of one."""

    title = "Composition"
    about = "What do the scores of one step say of many steps?"
    main: ClassVar[tuple[str, ...]] = ("steps",)
    controls: ClassVar[tuple[Section, ...]] = (
        Section("Steps", (Control("steps"), Control("log_scores"))),
    )

    steps = param.Integer(10, bounds=(1, 50), label="Steps k", doc="Independent, all alike.")
    log_scores = LogNumber(5.0, bounds=(3, 5), step=1, whole=True, label="Scores a group")

    @derived(needs=("steps", "log_scores"))
    def band(self) -> ComposedBand:
        """The composed band."""
        return of_band(self.log_scores, self.steps)

    @derived(needs=("steps", "log_scores"))
    def convolved(self) -> ComposedHistogram:
        """The composed histograms."""
        return of_histogram(self.log_scores, self.steps)

    @number(
        "ε lower bound",
        needs=("band",),
        caution="Holds if the steps are independent, each as leaky as the one that was measured.",
        main=True,
    )
    def certified(self) -> Bound:
        """With 95% confidence, the k steps together are not (ε′, δ)-DP for a smaller ε′."""
        return certified(self.log_scores, self.steps)

    @number(
        "ε by histograms",
        needs=("convolved",),
        caution="The noise of every bin leaks k times, and a bin that is empty on one side counts "
        "as certain disclosure.",
    )
    def estimated(self) -> Bound:
        """Estimate: the histograms of one step are taken for the distributions and convolved."""
        return estimated(self.log_scores, self.steps)

    @number("Mass on empty bins", needs=("convolved",))
    def infinite(self) -> Fact:
        """Probability that the k steps hit a bin that is empty on one side."""
        mass = round_safely(self.convolved().infinite_mass, "nearest")
        return Fact(mass, "δ of the estimate is never below it")

    @number("True ε", needs=("steps",))
    def truth(self) -> Fact:
        """ε of the k steps, by the accountant."""
        found = true_epsilon(self.steps)
        return Fact(f"ε = {round_safely(found, 'up')}", f"at δ = {plain(DELTA)}, known here")

    @number("k times ε of one step", needs=("steps",))
    def added(self) -> Fact:
        """What simple addition says: a valid upper bound, but far from the truth."""
        one = float(STEP.epsilon(DELTA / self.steps))
        return Fact(f"ε = {round_safely(self.steps * one, 'up')}", "upper bound by basic addition")

    @figure(
        "Privacy profile of k steps",
        needs=("steps", "band", "convolved"),
        caution="The estimate ends at its mass on empty bins, below which no δ of it falls.",
    )
    def profile(self) -> dict[str, Any]:
        """δ as a function of ε. The dot is the lower bound on ε at δ = 1e-5."""
        epsilon = np.linspace(0, REACH, 81)
        bound = self.certified()
        curves = {
            TRUTH: of_pair(self.steps).profile(epsilon),
            HEURISTIC: self.convolved().profile(epsilon),
            CERTIFIED: self.band().profile(epsilon),
        }
        shown = {one: np.where(np.asarray(y) >= 10**LEAST, y, 0.0) for one, y in curves.items()}
        return chart(
            [
                *(line(one, epsilon, positive(y)) for one, y in shown.items()),
                markers(CERTIFIED, [bound.value], [DELTA]),
                key(list(shown)),
                rule(HERE, y=DELTA),
                label(LEFT, DELTA, f"δ = {plain(DELTA)}", "muted", ha="left", va="top"),
            ],
            axis("ε", 0, REACH),
            delta_axis(LEAST),
            summary=f"Privacy profile of {self.steps} steps. At δ = {plain(DELTA)} every ε below "
            f"{bound.rounded} is refuted with 95% confidence; {self.truth().text} is true.",
            closest=True,
        )

    @derived(needs=("log_scores",))
    def by_steps(self) -> dict[Style, np.ndarray]:
        """ε at every number of steps of the slider."""
        return {
            TRUTH: np.array([true_epsilon(k) for k in STEPS]),
            HEURISTIC: np.array([estimated(self.log_scores, k).value for k in STEPS]),
            CERTIFIED: np.array([certified(self.log_scores, k).value for k in STEPS]),
        }

    @figure("ε against the number of steps", needs=("steps", "by_steps", "band", "convolved"))
    def growth(self) -> dict[str, Any]:
        """ε at δ = 1e-5 grows like the square root of k, and not like k."""
        here = {
            TRUTH: true_epsilon(self.steps),
            HEURISTIC: self.estimated().value,
            CERTIFIED: self.certified().value,
        }
        curves = self.by_steps()
        top = 1.7 * float(curves[TRUTH].max())
        parts = "; ".join(f"{one.name} {_shown(y)}" for one, y in here.items())
        return chart(
            [
                *(line(one, STEPS, gaps(np.minimum(y, 2 * top))) for one, y in curves.items()),
                *(markers(one, [self.steps], [y]) for one, y in here.items() if y < top),
                key(list(curves)),
            ],
            axis("steps k", 0, 51),
            axis("ε", 0, top),
            summary=f"After {self.steps} steps, ε: {parts}.",
            closest=True,
        )


def _shown(epsilon: float) -> str:
    return "∞" if math.isinf(epsilon) else round_safely(epsilon, "nearest")


COMPOSITION = Explorable(
    about=(
        "Training repeats a small step many times, and each step leaks a little. An auditor who "
        "has the scores of one step can compose them. If the steps are independent and alike, this "
        "costs no further training.",
        "There are two ways. The histograms of one step may be convolved as if they were the "
        "distributions: an estimate, whose noise is composed as well. Or the simultaneous band of "
        "one step is composed: a lower bound that keeps the band's 95% for all steps at once.",
    ),
    make=CompositionPage,
    items=("certified", "estimated", "truth", "added", "infinite", "profile", "growth"),
    moves={"steps": STEPS, "log_scores": SIZES},
    tries=(
        "Move k from 1 to 50. ε grows more slowly than k: compare the truth with k times ε of one "
        "step.",
        "Take only 1,000 scores a group. The lower bound falls to little, and remains true; the "
        "estimate becomes infinite, because its mass on empty bins is above δ.",
        "Look at where the dotted curve then runs level: that is the mass on empty bins. With more "
        "scores the estimate is a little above the truth, so it is no lower bound.",
    ),
    questions=(
        CheckedQuestion(
            "A Gaussian mechanism with μ = 0.5 is released 9 times. Together the releases are a "
            "Gaussian mechanism with which μ?",
            lambda: float(GaussianPair(0.5).compose(9).parameters["mu"]),
            "μ grows with the square root of k: 0.5 · √9.",
            within=0.001,
            mistakes={"it grows with the square root of k, and not with k.": lambda: 4.5},
        ),
        CheckedQuestion(
            "With 100,000 scores a group: which ε is proven for 10 steps? To two digits after the "
            "point.",
            lambda: certified(5.0, 10).value,
            "The composed band has the confidence of the band of one step.",
            within=0.02,
            mistakes={
                "this is the true ε, which an auditor does not know.": lambda: true_epsilon(10),
                "this is the estimate by histograms, which has no guarantee.": lambda: (
                    estimated(5.0, 10).value
                ),
            },
        ),
        CheckedQuestion(
            "The estimate by histograms says ε = ∞. What follows?",
            lambda: "b",
            "A bin without scores of one group is counted as certain disclosure.",
            choices=(
                "the mechanism discloses the record",
                "some bin holds scores of one group only",
                "the steps are not independent",
            ),
        ),
    ),
    page="scores",
    notebook="08",
)
