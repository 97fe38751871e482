"""`WidthLesson`: the estimated total variation for every bin width."""

from __future__ import annotations

from typing import Any

from workbench.estimators.bin_widths import BinWidthCurve, bin_width_curve
from workbench.figures.scores import fits as charts
from workbench.pages.core.page import derived, figure
from workbench.pages.core.part import Part


class WidthLesson(Part):
    """What the bin width does to the estimated total variation."""

    @derived(needs=("scores",), shared=True)
    def by_width(self) -> BinWidthCurve:
        """The total variation for many bin widths, plain and cross-fitted."""
        return bin_width_curve(self.page.scores)

    @figure(
        "Total variation by bin width",
        needs=("by_width", "histogram", "bin_width", "band"),
        span=6,
        formula="Plain: ½ Σ |p̂ − q̂|. Cross-fitted: the bins with p̂ > q̂ are found on one half of "
        "the scores, and P̂ − Q̂ of these bins is measured on the other, on average over all halves.",
        caution="The mean of the plain estimate is at least the total variation between the bins, "
        "by noise. The mean of the cross-fitted one is at most the true total variation, for bins "
        "fixed in advance. Wide bins lower both.",
        drag={"bin width": "bin_width"},
        folded=True,
    )
    def tv_by_width(self) -> dict[str, Any]:
        """On average the estimates bracket the total variation of the bins. Drag the line."""
        return charts.tv_by_bin_width(
            self.by_width(),
            self.page.bins.histogram(),
            self.page.bin_width,
            self.page.statistic.variation_at_least(),
            self.page.source.true_tv,
        )
