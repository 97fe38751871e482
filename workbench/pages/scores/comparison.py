"""`ReferenceComparison`: the fitted Gaussian curve, and the test of the reference as a claim."""

from __future__ import annotations

import param

from workbench.bounds.bound import Bound
from workbench.bounds.parametric.gdp_fit import gdp_fit
from workbench.bounds.power.judge import verdict_on
from workbench.bounds.power.verdict import Verdict
from workbench.pages.core.page import derived
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber, number_of
from workbench.pages.inputs.reference import REFERENCE
from workbench.pages.scores.bins import BIN_CONTROLS
from workbench.pairs.base import Pair


class ReferenceComparison(Part):
    """The fitted Gaussian curve, and the test of the reference as a claim."""

    fit_method = param.Selector(
        default="tv",
        objects={"from total variation": "tv", "at the threshold": "threshold",
                 "over a range": "range"},
        label="GDP fit",
    )  # fmt: skip

    log_floor = LogNumber(
        -3.0,
        bounds=(-6, -1),
        step=0.5,
        label="Smallest error rate",
        doc="The fit ignores points of the curve with a smaller false positive or false negative "
        "rate.",
    )

    @derived(needs=("scores", *BIN_CONTROLS, "fit_threshold", "fit_method", "log_floor"))
    def fit(self) -> Bound:
        """The fitted Gaussian curve."""
        if self.fit_method == "threshold":
            return gdp_fit(self.page.scores, "threshold", threshold=self.page.threshold)
        if self.fit_method == "tv":
            return gdp_fit(self.page.bins.histogram(), "tv")
        return gdp_fit(self.page.roc(), "range", floor=number_of(self.log_floor))

    @derived(needs=REFERENCE)
    def reference(self) -> Pair | None:
        """The reference that the scores are compared with."""
        return self.page.compared.pair()

    @derived(needs=("measured", "confidence", *REFERENCE), shared=True)
    def verdict(self) -> Verdict | None:
        """The test of the reference as a claim."""
        reference = self.reference()
        return (
            None
            if reference is None
            else verdict_on(self.page.statistic.measured(), reference, self.page.confidence)
        )
