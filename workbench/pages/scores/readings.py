"""`OtherReadings`: what else the scores say, as posterior mass and as exposure."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import param

from workbench.bounds.counts.posterior import masses_of, rows_at
from workbench.curves.validation import Floats
from workbench.estimators.exposures import ExposureCurve, exposure_curve
from workbench.figures.kit.layout import empty
from workbench.figures.kit.marks import Style
from workbench.figures.scores import readings as charts
from workbench.pages.core.page import derived, figure
from workbench.pages.core.part import Part
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair

#: Thresholds with a posterior, at most, and nodes of each panel of its integral: both few enough
#: for a slider that moves.
THRESHOLDS, NODES = 41, 3


class OtherReadings(Part):
    """The posterior mass of what the claim and references allow, and the exposure of canaries."""

    show_posterior = param.Boolean(
        False,
        label="Show posterior mass",
        doc="A Bayesian chart: how probable it is, at each threshold, that the error rates are "
        "ones that the claim or a reference allows. Without these, it is about the GDP fit.",
    )

    @derived(needs=("scores", "across"))
    def posterior_rows(self) -> tuple[Floats, Floats, dict[Pair, Floats]]:
        """Some of the thresholds that are displayed, the counts there, and masses found so far."""
        across = self.page.cut.across().thresholds
        chosen = np.unique(np.linspace(0, across.size - 1, THRESHOLDS).round().astype(int))
        return across[chosen], rows_at(self.page.scores, across[chosen]), {}

    @derived(needs=("show_posterior", "posterior_rows", "compared", "fit"))
    def posterior_masses(self) -> list[tuple[Style, Floats]]:
        """The posterior mass of each curve's region at these thresholds."""
        if not self.show_posterior:
            return []
        _, rows, known = self.posterior_rows()
        curves: list[tuple[Style, Pair]] = [(one.style, one.pair) for one in self.page.compared()]
        if not curves and math.isfinite(mu := self.page.fit().value):
            curves = [(charts.FIT, GaussianPair(mu))]
        found = {
            pair: known[pair] if pair in known else masses_of(rows, pair, NODES)
            for _, pair in curves
        }
        # Only what is drawn is kept: a slider that moves makes a new pair with every step.
        known.clear()
        known.update(found)
        return [(style, found[pair]) for style, pair in curves]

    @figure(
        "Posterior mass at every threshold",
        needs=("show_posterior", "posterior_masses", "posterior_rows", "scale"),
        span=6,
        formula="∫ Beta(α; FP + ½, TN + ½)·P[f(α) ≤ β ≤ 1 − f(1 − α)] dα, β ~ Beta(FN + ½, TP + "
        "½): Jeffreys priors on both error rates (Koskela and Mohammadi, eq. 2.5).",
        caution="A Bayesian credibility under this prior, no confidence. Near 0 it speaks against "
        "the curve at that threshold; near 1 it does not speak for the curve, as a weak attack "
        "gives 1 for all of them. The least of many thresholds is picked: the verdict on a claim "
        "rests on simultaneous limits instead.",
    )
    def posterior_chart(self) -> dict[str, Any]:
        """Probability, given the counts at a threshold, of error rates that the curve allows."""
        if not self.show_posterior:
            return charts.no_posterior()
        masses = self.posterior_masses()
        if not masses:
            return empty("The scores are separated: no Gaussian curve fits them. Choose a claim.")
        thresholds = self.posterior_rows()[0]
        return charts.posterior_mass(thresholds, masses, self.page.chart_axes.scale())

    @derived(needs=("scores",), shared=True)
    def exposures(self) -> ExposureCurve:
        """The mean exposure that these scores show, against the number of candidates."""
        return exposure_curve(self.page.scores)

    @figure(
        "Exposure",
        needs=("exposures", "band", "compared"),
        span=6,
        formula="Exposure = log₂ k − log₂ rank. Mean of a score with true positive rate T(u): ∫ "
        "T(u) dg(u), g(u) = E log₂(1 + Bin(k − 1, u)). A claim allows at most Σ (1 − f(r/k)) "
        "log₂(1 + 1/r), r < k.",
        caution="Observed: an estimate. Simultaneous: a lower bound, among independent "
        "non-members. Without a leak the exposure is not 0 but tends to 1.44 bits. Averages "
        "hide single records: see the trade-off curve.",
        folded=True,
    )
    def exposure_chart(self) -> dict[str, Any]:
        """Bits by which a member stands out among k candidates (Carlini et al. 2019).

        Dashed curves are the most that the claim and the references allow.
        """
        return charts.exposure(self.exposures(), self.page.statistic.band(), self.page.compared())
