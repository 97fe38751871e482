"""`ThresholdChoice`: the threshold of a scores page, and what holds at it."""

from __future__ import annotations

import math
from typing import Any

import param

from workbench.audits.deviations import THRESHOLD
from workbench.bounds.bound import Bound
from workbench.bounds.counts.intervals import interval_labels
from workbench.bounds.counts.threshold import ErrorRates, epsilon_at_threshold, error_rates
from workbench.estimators.threshold_places import threshold_places
from workbench.figures.kit.scales import Scale
from workbench.pages.core.page import NotChosen, derived
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import SCORE, PlacedNumber, snap
from workbench.pages.scores.ranges import placed_threshold, threshold_slider
from workbench.scores.sample import Scores

#: Thresholds at which the μ chart is drawn, across the displayed range.
MU_POINTS = 301

PLACED = NotChosen(
    "the threshold was placed at the median of these scores", ask="choose a threshold"
)
MOVED = "the threshold was chosen after seeing the scores"


class ThresholdChoice(Part):
    """The threshold, and whether it was chosen after seeing the scores."""

    threshold = PlacedNumber(
        0.0,
        bounds=SCORE,
        softbounds=(0, 1),
        step=0.01,
        label="Threshold",
        doc="Records whose score lies beyond it are classified as members. The slider moves by "
        "ranks: in steps of equal probability, of single scores near the ends. You can also drag "
        "the line in the chart, and type any number.",
    )
    interval = param.Selector(
        default="joint",
        objects=interval_labels(),
        label="Interval at the threshold",
        doc="The first two have guaranteed coverage. The others are included only for comparison "
        "with other tools.",
    )
    threshold_moved = param.Boolean(True, precedence=-1)

    def start(self, given: frozenset[str]) -> None:
        """Watch the threshold."""
        self.page.param.watch(self._moved, "threshold")

    def values_for(self, scores: Scores, fresh: bool) -> dict[str, Any]:
        """The parameters for scores that come into view, with a slider that spans them.

        Parameters
        ----------
        scores : Scores
        fresh : bool
            Whether they are a new sample of the pair that was in view: the threshold stays.
        """
        step, bounds = threshold_slider(scores)
        stays = fresh and bounds[0] <= self.threshold <= bounds[1]
        slider: Any = self.page.param.threshold
        slider.bounds = (min(SCORE[0], bounds[0]), max(SCORE[1], bounds[1]))
        slider.step, slider.places = step, threshold_places(scores)
        slider.softbounds = float(slider.places[0]), float(slider.places[-1])
        values = {"threshold_moved": not stays}
        return values if stays else {**values, "threshold": placed_threshold(scores)}

    def _moved(self, *events: Any) -> None:
        if not self.page.quiet:
            self.threshold_moved = True

    def to_fpr(self, fpr: float) -> None:
        """Move the threshold to where the observed false positive rate is about ``fpr``."""
        s: Scores = self.page.scores
        rank = min(max(round(fpr * s.n_q), 1), s.n_q)
        value = float(s.samples.most_member_like_q(rank))
        if math.isfinite(value):
            self.threshold = snap(self.page.param.threshold, value)

    def certified(self) -> Bound:
        """The bound at the threshold, void unless the threshold was fixed in advance."""
        page, bound = self.page, self.pointwise()
        if page.registered is not None and page.registered.threshold is not None:
            return page.under_plan.fixed_by_plan(bound, THRESHOLD, "The threshold was")
        if not self.threshold_moved:
            return page.validity.certified(bound)
        return bound.voided(PLACED if self.threshold == self.placed() else MOVED)

    @derived(needs=("scores",))
    def placed(self) -> float:
        """Where the page placed the threshold."""
        return placed_threshold(self.page.scores)

    @derived(needs=("scores", "confidence", "threshold"))
    def at_threshold(self) -> ErrorRates:
        """Error rates at the threshold."""
        return error_rates(self.page.scores, self.threshold, self.page.confidence)

    @derived(needs=("threshold", "fit_method"))
    def fit_threshold(self) -> float | None:
        """The threshold if the fit uses it, else None, so that moving it redraws nothing."""
        return self.threshold if self.page.fit_method == "threshold" else None

    @derived(needs=("scores", "threshold", "log_delta", "confidence", "interval"), shared=True)
    def pointwise(self) -> Bound:
        """The bound at the threshold, valid if it was fixed in advance."""
        return epsilon_at_threshold(
            self.page.scores,
            self.threshold,
            self.page.delta.value,
            self.page.confidence,
            self.interval,
        )

    @derived(needs=("scores", "scale"))
    def spanned(self) -> tuple[Scale, float, float]:
        """The axis of the score, and its ends: on a linear scale, of nearly all scores."""
        scale = self.page.chart_axes.scale()
        if scale.name == "linear":
            return (scale, *threshold_slider(self.page.scores)[1])
        pooled = self.page.scores.samples.pooled
        ends = threshold_places(self.page.scores)[[0, -1]].tolist()
        shown = [float(pooled.at(0)), float(pooled.at(-1)), *filter(scale.has, ends)]
        return scale, min(shown), max(shown)

    @derived(needs=("spanned", "threshold"))
    def reach(self) -> tuple[float, float]:
        """The least and the largest threshold that the charts show: also one that was typed."""
        scale, low, high = self.spanned()
        if low <= self.threshold <= high or not scale.has(self.threshold):
            return low, high
        return min(low, self.threshold), max(high, self.threshold)

    @derived(needs=("scores", "confidence", "reach", "scale"))
    def across(self) -> ErrorRates:
        """Error rates at thresholds across the displayed range."""
        scale = self.page.chart_axes.scale()
        thresholds = (
            threshold_places(self.page.scores)
            if scale.name == "rank"
            else scale.across(*self.reach(), MU_POINTS)
        )
        return error_rates(self.page.scores, thresholds, self.page.confidence)
