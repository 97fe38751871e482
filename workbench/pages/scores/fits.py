"""`GaussianFit`: the Gaussian curve that fits the scores, its number, and what it leaves over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import param

from workbench.bounds.bound import Bound
from workbench.bounds.parametric.binormal_fit import BinormalFit, binormal_fit
from workbench.bounds.parametric.gdp_fit import gdp_fit
from workbench.bounds.parametric.residuals import LocalMu, local_mu
from workbench.figures.scores import fits as charts
from workbench.pages.core.page import derived, figure, number
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber, number_of
from workbench.pages.scores.bins import BIN_CONTROLS
from workbench.pairs.gdp_regret import distance_to_gaussian


class GaussianFit(Part):
    """The Gaussian curve that fits the scores best, by one of four methods."""

    fit_method = param.Selector(
        default="likelihood",
        objects={"by likelihood": "likelihood", "from total variation": "tv",
                 "at the threshold": "threshold", "over a range": "range"},
        label="GDP fit",
        doc="By likelihood: by the ranks of all scores, so that the unit of the score does not "
        "matter. From total variation: by the histogram. Over a range: the largest μ of any "
        "threshold, which is above 0 even without a leak.",
    )  # fmt: skip

    log_floor = LogNumber(
        -3.0,
        bounds=(-6, -1),
        step=0.5,
        label="Smallest error rate",
        doc="The fit ignores points of the curve with a smaller false positive or false negative "
        "rate.",
    )

    @derived(needs=("scores", "confidence"), shared=True)
    def likeliest(self) -> BinormalFit:
        """The likeliest Gaussian curve, its interval, and whether it fits."""
        return binormal_fit(self.page.scores, self.page.confidence)

    @derived(needs=("fit_method", *BIN_CONTROLS))
    def fit_bins(self) -> tuple[Any, ...] | None:
        """The choice of bins if the fit uses them, else None, so that moving it changes nothing."""
        if self.fit_method != "tv":
            return None
        return tuple(getattr(self.page, name) for name in BIN_CONTROLS)

    @derived(needs=("scores", "confidence", "fit_bins", "fit_threshold", "fit_method", "log_floor"))
    def fit(self) -> Bound:
        """The fitted Gaussian curve."""
        if self.fit_method == "likelihood":
            return self.likeliest().estimate
        if self.fit_method == "threshold":
            return gdp_fit(self.page.scores, "threshold", threshold=self.page.threshold)
        if self.fit_method == "tv":
            return gdp_fit(self.page.bins.histogram(), "tv")
        return gdp_fit(self.page.roc(), "range", floor=number_of(self.log_floor))

    @derived(needs=("scores", "confidence"), shared=True)
    def local_mu(self) -> LocalMu:
        """The μ that each false positive rate implies, with two-sided limits."""
        return local_mu(self.page.roc(), self.page.confidence)

    @derived(needs=("scores", "fit"))
    def distance(self) -> float:
        """Between the observed curve and the fitted one, along both error rates."""
        return distance_to_gaussian(self.page.roc().curve, self.fit().value)

    @number(
        "μ fit",
        needs=("fit", "band", "void_words"),
        formula="By likelihood: the line Φ⁻¹(TPR) = μ + Φ⁻¹(FPR) that is likeliest by the ranks of "
        "the scores. From total variation: 2Φ⁻¹((1 + TV)/2). At the threshold: Φ⁻¹(TPR) − "
        "Φ⁻¹(FPR). Over a range: the largest of these.",
        caution="One number for the whole curve. It is no bound, and where the curve is not "
        "Gaussian, parts of it leak more than it says.",
    )
    def mu_fit(self) -> Bound:
        """The μ of the Gaussian pair that is most like these scores."""
        fit = self.fit()
        certified = self.page.validity.certified(self.page.statistic.band().mu())
        if certified.void or certified.value <= fit.value:
            return fit
        more = f"Some thresholds leak more: μ ≥ {certified.rounded} is certified."
        return replace(fit, note=f"{fit.note} {more}" if fit.note else more)

    @figure(
        "Residuals of the μ fit",
        needs=("fit", "local_mu", "distance", "compared"),
        span=6,
        formula="Φ⁻¹(TPR) − Φ⁻¹(FPR) − μ at every false positive rate. Shaded: two-sided limits "
        "that hold at all of them at once, for any pair.",
        caution="Where the shaded area contains 0, noise explains the difference to the fit. The "
        "same holds for a claim or a reference whose curve lies within the area.",
        folded=True,
    )
    def residuals(self) -> dict[str, Any]:
        """What the fitted μ leaves over, along the trade-off curve; 0 if the pair is Gaussian."""
        return charts.residuals(self.fit(), self.local_mu(), self.distance(), self.page.compared())
