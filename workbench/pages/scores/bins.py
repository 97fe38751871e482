"""`BinChoice`: the bins of a scores page, and the histogram over them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import param

from workbench._format import percent
from workbench.audits.deviations import BINS
from workbench.audits.plan import RegisteredPlan
from workbench.bounds.simultaneous.fixed_bins import METHODS, hockey_stick_limits
from workbench.estimators.bin_rules import WIDTH_RULES, bin_width, quantile_bins
from workbench.estimators.histogram import Histogram, histogram
from workbench.pages.core.page import Control, derived, sentence
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import SCORE, NumberField
from workbench.pages.scores.ranges import nice_below, snap_to, span
from workbench.scores.sample import Scores

#: The narrowest bins the slider offers number at most about twice this; the widest are this many
#: times as wide.
MOST_BINS = 500
WIDEST = 200

#: The largest number of bins that can be chosen, as of 10⁸ scores in a group.
MOST_COUNT = 500

#: Bins that are typed may be this many times as narrow as the narrowest of the slider.
FINER = 10

#: The controls that choose the bins.
BIN_CONTROLS = ("bin_rule", "bin_width", "bin_count", "fixed_range", "range_low", "range_high")

MOVED = "the bins were chosen after seeing the scores"


class BinChoice(Part):
    """The bins, by a rule or as chosen, and whether they were chosen after seeing the scores."""

    bin_rule = param.Selector(
        default="quantile",
        objects={
            "Equal probability": "quantile",
            "Scott": "scott",
            "Freedman–Diaconis": "fd",
            "Plug-in": "plugin",
            "Wand": "wand",
            "Knuth": "knuth",
            "Fixed width": "width",
            "Fixed number": "count",
        },
        label="Bins",
        doc="The rule that chooses the bins. Bins of equal probability do not depend on the unit "
        "of the score. Moving the width switches to a fixed width.",
    )
    bin_count = param.Integer(20, bounds=(2, MOST_COUNT), label="Number of bins")
    bin_width = param.Number(
        0.1,
        bounds=(1e-3, SCORE[1]),
        softbounds=(0.01, 1),
        step=0.01,
        label="Bin width",
        doc="Of bins of equal probability, the median width. Moving it switches to bins of this "
        "width.",
    )
    fixed_range = param.Boolean(
        False,
        label="Fix the range",
        doc="If off, bins reach from the 0.1% to the 99.9% quantile of the scores.",
    )
    range_low = NumberField(-1.0, SCORE, label="From", step=0.1, doc="Lower end of the bins.")
    range_high = NumberField(2.0, SCORE, label="To", step=0.1, doc="Upper end of the bins.")
    bins_moved = param.Boolean(True, precedence=-1)

    controls = (
        Control("bin_rule"),
        Control("bin_count", when=lambda p: p.bin_rule in ("count", "quantile")),
        Control("bin_width", when=lambda p: p.bin_rule != "count"),
        Control("fixed_range", when=lambda p: p.bin_rule != "quantile"),
        Control("range_low", when=lambda p: p.fixed_range and p.bin_rule != "quantile"),
        Control("range_high", when=lambda p: p.fixed_range and p.bin_rule != "quantile"),
    )

    def start(self, given: frozenset[str]) -> None:
        """Watch the controls."""
        self.page.param.watch(self._moved, list(BIN_CONTROLS))

    def independent(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Settings without a width of bins that their rule chooses."""
        choice: Any = self.page.param.bin_rule
        rules, stated = choice.get_range(), settings.get("bin_rule")
        if rules.get(stated, stated) not in ("quantile", *WIDTH_RULES):
            return settings
        return {name: value for name, value in settings.items() if name != "bin_width"}

    @property
    def _range(self) -> tuple[float, float] | None:
        return (self.range_low, self.range_high) if self.fixed_range else None

    def arguments(self) -> dict[str, Any]:
        """The bins as arguments of `workbench.histogram`."""
        if self.bin_rule == "quantile":
            return {"bins": self.bin_count, "rule": "quantile"}
        if self.bin_rule in WIDTH_RULES:  # the slider shows the width rounded
            return {"rule": self.bin_rule, "range": self._range}
        bins = {"bins": self.bin_count} if self.bin_rule == "count" else {"width": self.bin_width}
        return {**bins, "range": self._range}

    @derived(needs=("scores", *BIN_CONTROLS), shared=True)
    def histogram(self) -> Histogram:
        """Histograms of both groups over the chosen bins."""
        return histogram(self.page.scores, **self.arguments())

    def values_for(self, scores: Scores, drawn: bool, fresh: bool) -> dict[str, Any]:
        """The parameters for scores that come into view, with sliders that span them.

        Parameters
        ----------
        scores : Scores
        drawn : bool
            Whether they are drawn from a pair.
        fresh : bool
            Whether they are a new sample of the pair that was in view: the bins stay.
        """
        low, high = span(scores)
        narrowest = nice_below((high - low) / MOST_BINS)
        values: dict[str, Any] = {}
        if self.bin_rule == "width" and not drawn:
            values["bin_rule"] = "quantile"
        rule = values.get("bin_rule", self.bin_rule)
        # A rule takes its bins from these very scores, however fixed the range is.
        values["bins_moved"] = not (fresh and self.fixed_range and rule in ("width", "count"))
        count = self.bin_count
        if rule == "quantile" and not fresh:
            count = values["bin_count"] = _count_by_rule(scores)
        widths = (narrowest, narrowest * WIDEST)
        width = _width_by_rule(scores, rule, count)
        if width is not None:
            width = values["bin_width"] = _shown_width(width, narrowest)
        elif not fresh:
            width = values["bin_width"] = snap_to(self.bin_width, narrowest, widths)
        else:
            width = self.bin_width
        widths = (min(widths[0], width), max(widths[1], width))
        slider: Any = self.page.param.bin_width
        slider.bounds = (min(narrowest / FINER, widths[0]), max(SCORE[1], widths[1]))
        slider.softbounds, slider.step = widths, narrowest
        return values

    def _moved(self, *events: Any) -> None:
        if self.page.quiet:
            return
        changed = {event.name for event in events}
        values: dict[str, Any] = {"bins_moved": True}
        if "bin_width" in changed and not changed & {"bin_rule", "bin_count"}:
            if self.bin_rule in ("quantile", *WIDTH_RULES):
                values["bin_rule"] = "width"
        elif changed & {"bin_rule", "bin_count"}:
            values |= self._bins_by_rule(count_chosen="bin_count" in changed)
        # A drag calls this at every step, and mostly nothing has changed.
        news = {name: v for name, v in values.items() if getattr(self, name) != v}
        if news:
            self.page.set_quietly(**news)

    def _bins_by_rule(self, count_chosen: bool) -> dict[str, Any]:
        """The number and the width of bins that the rule chooses, as the controls show them."""
        values: dict[str, Any] = {}
        count = self.bin_count
        if self.bin_rule == "quantile" and not count_chosen:
            count = values["bin_count"] = _count_by_rule(self.page.scores)
        width = _width_by_rule(self.page.scores, self.bin_rule, count)
        if width is not None:
            slider = self.page.param.bin_width
            width = values["bin_width"] = _shown_width(width, slider.step)
            slider.bounds = (min(slider.bounds[0], width), max(slider.bounds[1], width))
        return values

    @sentence(
        needs=("histogram", "confidence", "bins_moved", "void_words", "registered", "departures"),
        place="foot",
    )
    def fixed_bins(self) -> str:
        """Confidence interval for TV, valid for bins fixed in advance, or why it is not valid."""
        plan: RegisteredPlan | None = self.page.registered
        planned = plan is not None and plan.bins is not None
        limits = []
        void = None
        for method, name in METHODS.items():
            low, high = hockey_stick_limits(self.histogram(), 0, self.page.confidence, method)
            if planned and low.void is None:
                low = self.page.under_plan.fixed_by_plan(low, BINS, "The bins were")
            elif self.bins_moved:
                low = low.voided(MOVED) if low.void is None else low
            void = self.page.validity.certified(low).void
            limits.append(
                f"{low.rounded} to {high.rounded} ({name.removeprefix('fixed bins (')[:-1]})"
            )
        level = percent(self.page.confidence)
        text = f"{level} interval for TV with these bins: {' or '.join(limits)}"
        if void:
            return f"{text}. Not valid here: {void}."
        by = f" ({plan.label})" if plan is not None and planned else ""
        return f"{text}, {self.histogram().scores.assumption}; the bins were fixed in advance{by}."


def _count_by_rule(scores: Scores) -> int:
    """The number of bins of equal probability that the rule chooses."""
    return min(quantile_bins(scores), MOST_COUNT)


def _width_by_rule(scores: Scores, rule: str, count: int) -> float | None:
    """The width of a rule, of bins of equal probability their median; None where it is chosen."""
    if rule in WIDTH_RULES:
        return bin_width(scores, rule)
    if rule == "quantile":
        return float(np.median(np.diff(histogram(scores, bins=count, rule="quantile").edges)))
    return None


def _shown_width(width: float, step: float) -> float:
    """A width as the slider shows it: a multiple of its step, or with two digits below that."""
    if width < step:
        return float(f"{width:.1e}")
    return snap_to(width, step, (step, math.inf))
