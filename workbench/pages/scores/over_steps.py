"""`OverSteps`: what many steps leak, if the scores in view are those of one."""

from __future__ import annotations

from typing import Any

from workbench.bounds.bound import Bound
from workbench.bounds.estimates import checked_against
from workbench.bounds.simultaneous.composition import (
    ComposedBand,
    ComposedHistogram,
    compose_band,
    compose_histogram,
)
from workbench.curves.validation import Floats
from workbench.figures.compared import Compared
from workbench.figures.scores import over_steps as charts
from workbench.pages.core.page import Fact, derived, figure, number
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber, number_of
from workbench.pages.inputs.reference import ALL_REFERENCES, references_shown
from workbench.pairs.accounting.composed import ComposedPair
from workbench.pairs.accounting.pld import AccountantError

#: Whether a reference can be composed does not depend on the δ.
_ANY_DELTA = 1e-5

#: What is shown of a single step: nothing, as the rest of the page is about it.
ONE_STEP = Fact("", "choose more than one step")


class OverSteps(Part):
    """The leakage of k independent steps, each with the pair whose scores are in view.

    The certified curve of one step holds with its confidence everywhere at once, and composition
    keeps the order of trade-off functions: what follows holds for all k together, so that k may be
    chosen after looking. Compositions take a tenth of a second. They are drawn once a slider rests,
    and none is computed for a single step.
    """

    log_steps = LogNumber(
        0.0,
        bounds=(0, 3),
        step=0.1,
        whole=True,
        label="Steps k",
        doc="If these are the scores of one step, such as a gradient of DP-SGD, what do k "
        "independent steps leak together? At 1 nothing is composed. Bounds for all k hold at once.",
    )

    @derived(needs=("log_steps",))
    def steps_composed(self) -> int:
        """The number of steps."""
        return round(number_of(self.log_steps))

    @derived(needs=("band", "steps_composed"), shared=True)
    def composed_band(self) -> ComposedBand | None:
        """The certified curve of one step, composed; None for a single step."""
        k = self.steps_composed()
        return None if k == 1 else compose_band(self.page.statistic.band(), k)

    @derived(needs=("histogram", "steps_composed"), shared=True)
    def composed_histogram(self) -> ComposedHistogram | None:
        """The histograms of one step, composed; None for a single step."""
        k = self.steps_composed()
        return None if k == 1 else compose_histogram(self.page.bins.histogram(), k)

    @derived(needs=("composed_band",), shared=True)
    def certified_over_steps(self) -> Floats | None:
        """Lower bounds on ε of the steps at the δ of the chart."""
        composed = self.composed_band()
        return None if composed is None else composed.epsilons(charts.DELTAS)

    @derived(needs=("composed_histogram",), shared=True)
    def estimated_over_steps(self) -> Floats | None:
        """Estimates of ε of the steps at the δ of the chart."""
        composed = self.composed_histogram()
        return None if composed is None else composed.epsilons(charts.DELTAS)

    @derived(needs=("composed_band", "log_delta"), shared=True)
    def epsilon_over_steps(self) -> Bound | None:
        """Lower bound on ε of the steps at the chosen δ."""
        composed = self.composed_band()
        return None if composed is None else composed.epsilon(self.page.delta.value)

    @derived(needs=("composed_histogram", "log_delta"), shared=True)
    def estimate_over_steps(self) -> Bound | None:
        """Estimate of ε of the steps at the chosen δ."""
        composed = self.composed_histogram()
        return None if composed is None else composed.epsilon(self.page.delta.value)

    @derived(needs=("steps_composed", *ALL_REFERENCES))
    def compared_over_steps(self) -> tuple[tuple[Compared, ...], tuple[str, ...]]:
        """The references that are shown, composed; and names of those that cannot be.

        A heuristic says nothing about several steps.
        """
        k, found, left_out = self.steps_composed(), [], []
        for pair, name, place in references_shown(self.page.reference_choices) if k > 1 else ():
            composed = ComposedPair(pair, k)
            one = Compared.of_reference(composed.closed_form or composed, name, place)
            try:
                known = not pair.heuristic and one.epsilon(_ANY_DELTA) >= 0
            except AccountantError:
                known = False
            if known:
                found.append(one)
            else:
                left_out.append(name)
        return tuple(found), tuple(left_out)

    @number(
        "ε of k steps",
        needs=("epsilon_over_steps", "void_words"),
        formula="The simultaneous upper bound on the trade-off function f of one step, composed k "
        "times, is one on the k-fold composition of f. The error of the numerical convolution is "
        "taken off.",
        caution="It holds if the steps are independent and each has the pair that was measured. "
        "For all k and δ at once, so that both may be chosen after looking.",
        slow=True,
    )
    def steps_epsilon(self) -> Bound | Fact:
        """With this confidence, k such steps together are not (ε′, δ)-DP for any smaller ε′."""
        bound = self.epsilon_over_steps()
        return ONE_STEP if bound is None else self.page.validity.certified(bound)

    @number(
        "ε of k steps by histogram",
        needs=("estimate_over_steps", "epsilon_over_steps", "void_words"),
        formula="The privacy losses log p̂/q̂ of the bins, convolved k times.",
        caution="The noise of every bin leaks k times, which makes it too large, the more the "
        "finer the bins; coarse bins make it too small. A bin that holds scores of one group only "
        "counts as certain disclosure: ε is infinite where the mass on such bins, over k steps, "
        "exceeds δ.",
        slow=True,
    )
    def steps_histogram(self) -> Bound | Fact:
        """Estimate of ε of the k steps from the composed histograms. It promises nothing."""
        estimate, bound = self.estimate_over_steps(), self.epsilon_over_steps()
        if estimate is None or bound is None:
            return ONE_STEP
        return checked_against(estimate, self.page.validity.certified(bound))

    @figure(
        "Privacy profile of k steps",
        needs=(
            *("certified_over_steps", "estimated_over_steps", "composed_histogram"),
            *("epsilon_over_steps", "estimate_over_steps", "compared_over_steps"),
        ),
        span=6,
        formula="δ(ε) of the k-fold composition. Simultaneous: of the upper bound on the trade-off "
        "function of one step, composed, a lower bound for every k, ε and δ at once. Histogram: "
        "the bins' privacy losses, convolved. References: their own compositions.",
        caution="The histogram's curve does not fall below the mass on bins that are empty on one "
        "side. Wider bins, or bins of equal probability, leave less of it.",
        slow=True,
    )
    def profile_over_steps(self) -> dict[str, Any]:
        """δ(ε) of k independent steps, each as leaky as the one whose scores these are."""
        return charts.profile_over_steps(
            self.certified_over_steps(),
            self.estimated_over_steps(),
            self.composed_histogram(),
            self.epsilon_over_steps(),
            self.estimate_over_steps(),
            *self.compared_over_steps(),
        )
