"""`ReferenceComparison`: the fitted Gaussian curve, and the other curves beside the scores."""

from __future__ import annotations

import param

from workbench.bounds.bound import Bound
from workbench.bounds.parametric.gdp_fit import gdp_fit
from workbench.figures.compared import Compared
from workbench.pages.core.page import derived
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber, number_of
from workbench.pages.inputs.reference import ALL_REFERENCES
from workbench.pages.scores.bins import BIN_CONTROLS
from workbench.pages.scores.own_claim import AS_REFERENCE, OWN_CLAIM


class ReferenceComparison(Part):
    """The fitted Gaussian curve, and the curves that scores are compared with."""

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

    @derived(needs=(*OWN_CLAIM, *ALL_REFERENCES))
    def compared(self) -> tuple[Compared, ...]:
        """The claim and the references, as charts draw them."""
        claim = self.page.own_claim()
        found = [] if claim is None else [Compared.of_claim(claim)]
        for place, choice in enumerate(self.page.reference_choices):
            pair = choice.pair()
            if pair is not None and not (place == 0 and self.page.claim_kind == AS_REFERENCE):
                known = [one.style.name for one in found]
                name = f"{choice.label} ({place + 1})" if choice.label in known else choice.label
                found.append(Compared.of_reference(pair, name, place))
        return tuple(found)
