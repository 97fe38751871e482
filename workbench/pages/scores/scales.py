"""`ChartAxes`: the scale of the score in charts, proposed without labels; that of error rates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import param

from workbench.curves.validation import Floats
from workbench.estimators.threshold_places import threshold_places
from workbench.figures.kit.scales import LINEAR, LOG, LOGIT, Rank, RateAxes, Scale, rate_axes
from workbench.pages.core.page import Item, derived
from workbench.pages.core.part import Part
from workbench.pages.core.value_selector import DataSelector
from workbench.scores.sample import Scores

PROPOSED = "proposed"

#: Scores are laid out on a logarithmic axis if 99% of them span more than this ratio.
RATIO = 1e3

#: Scores are skewed if the 99% quantile is this many times as far from the median as the 1%
#: quantile, or the other way around.
SKEWED = 10.0

#: Scores crowd at 0 or 1 if a tenth of them are as close as this.
CROWDED = 0.01

#: Fewer distinct scores stand apart on a linear axis.
FEW = 20


class ChartAxes(Part):
    """The scale of the axes that show the score, and the axes of error rates."""

    score_axis = DataSelector(
        default=PROPOSED,
        objects={
            PROPOSED: PROPOSED,
            "linear": "linear",
            "logarithmic": "log",
            "logit": "logit",
            "ranks": "rank",
        },
        label="Score axis",
        doc="An audit by thresholds is the same on every increasing scale of the score. Proposed, "
        "without looking at who is a member: logit for scores between 0 and 1 that crowd at an "
        "end, logarithmic for positive scores over three decades or with a long tail, ranks for "
        "other scores with a long tail, otherwise linear.",
    )

    tradeoff_axes = param.Selector(
        default="linear",
        objects={"linear": "linear", "log–log": "log", "probit": "probit"},
        label="Trade-off axes",
        doc="Log–log shows small rates, as is the custom for membership inference. On probit axes, "
        "the curve of a Gaussian pair is a straight line.",
    )

    def values_for(self, scores: Scores) -> dict[str, Any]:
        """The parameters for scores that come into view, of which the choice may be refused."""
        choice: Any = self.page.param.score_axis
        choice.refused = refused_scales(scores)
        return {"score_axis": PROPOSED} if self.score_axis in choice.refused else {}

    @derived(needs=("scores", "score_axis"))
    def scale(self) -> Scale:
        """The scale in use."""
        scores: Scores = self.page.scores
        name = proposed_scale(scores) if self.score_axis == PROPOSED else self.score_axis
        fixed = {scale.name: scale for scale in (LINEAR, LOG, LOGIT)}
        if name in fixed:
            return fixed[name]
        # One object for all pages that show these scores: what was drawn on it is known again.
        ranks: Scale = scores.results.setdefault("rank scale", Rank(scores.samples.pooled))
        return ranks

    @derived(needs=("scores", "tradeoff_axes"))
    def rates_on(self) -> RateAxes:
        """The axes of the trade-off curve."""
        scores: Scores = self.page.scores
        return rate_axes(self.tradeoff_axes, max(scores.n_p, scores.n_q))

    @derived(needs=("scores", "scale"))
    def on_axis(self) -> Floats:
        """Where the places of the threshold lie on the axis; of a logarithmic one, logarithms."""
        places = self.scale().place(threshold_places(self.page.scores))
        return np.log(places) if self.scale().name == "log" else places

    def dragged(self, item: Item, x: float) -> float:
        """The threshold whose place is nearest to where its line was dragged."""
        at = math.log(x) if self.scale().name == "log" else x
        nearest = int(np.nanargmin(np.abs(self.on_axis() - at)))
        return float(threshold_places(self.page.scores)[nearest])


def refused_scales(scores: Scores) -> dict[str, str]:
    """The scales on which not all scores have a place, and why, in a few words.

    Parameters
    ----------
    scores : Scores
    """
    pooled = scores.samples.pooled
    least, most = float(pooled.at(0)), float(pooled.at(-1))
    infinite = scores.nonfinite == "keep" and any(
        odd.total - odd.nan for odd in (scores.nonfinite_p, scores.nonfinite_q)
    )
    refused = {}
    if infinite:
        refused["log"] = refused["logit"] = "there are infinite scores"
    elif least <= 0:
        refused["log"] = f"the least score is {least:.4g}"
    if "logit" not in refused and not 0 < least <= most < 1:
        refused["logit"] = f"scores are from {least:.4g} to {most:.4g}, not between 0 and 1"
    return refused


def proposed_scale(scores: Scores) -> str:
    """The scale that fits scores best, by their pooled order statistics alone.

    Parameters
    ----------
    scores : Scores

    Returns
    -------
    str
        "linear", "log", "logit" or "rank": the same for other labels of the same scores.
    """
    if threshold_places(scores).size <= FEW:
        return "linear"
    refused = refused_scales(scores)
    levels = (0.005, 0.01, 0.1, 0.5, 0.9, 0.99, 0.995)
    first, low, tenth, middle, ninth, high, last = scores.quantile(levels).tolist()
    pooled = scores.samples.pooled
    within = float(pooled.at(0)) >= 0 and float(pooled.at(-1)) <= 1
    if within and (tenth < CROWDED or ninth > 1 - CROWDED):
        return "rank" if "logit" in refused else "logit"
    above, below = high - middle, middle - low
    right, left = above > SKEWED * below, below > SKEWED * above
    if "log" not in refused and (right or last > RATIO * first):
        return "log"
    return "rank" if right or left else "linear"
