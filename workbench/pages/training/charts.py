"""`TrainingCharts`: the charts of what the scores so far show."""

from __future__ import annotations

from typing import Any

from workbench.estimators.roc import roc
from workbench.figures.kit.layout import empty
from workbench.figures.training import arriving as live_charts
from workbench.figures.training import certified as final_charts
from workbench.pages.core.page import figure
from workbench.pages.core.part import Part
from workbench.pages.training.findings import MORE, NO_CLAIM, PRESS


class TrainingCharts(Part):
    """The charts of what the scores so far show."""

    @figure(
        "Scores so far",
        needs=("result", "trained"),
        span=6,
        caution="This chart only counts scores; the bounds do not use its bins. A few far scores "
        "may lie beyond the ends.",
    )
    def distributions(self) -> dict[str, Any]:
        """How many scores lie in each bin, of what was in the training data and what was not."""
        result = self.page.result()
        if result is None:
            return empty(PRESS if self.page.trained is None else MORE)
        return live_charts.arriving(*result.groups)

    @figure(
        "Anytime bound as models are trained",
        needs=("path", "trained", "log_delta", "claim", "heuristic"),
        span=6,
        caution="The bound never decreases, and holds whenever the training is stopped. Above the "
        "line of the claim, the claim is refuted.",
    )
    def growth(self) -> dict[str, Any]:
        """Lower bound on ε after each number of models, the claim, and the heuristic."""
        path = self.page.path()
        if path is None:
            return empty(PRESS if self.page.trained is None else self._no_path())
        planned = self.page.trained.audit.models
        return live_charts.bounds(
            path, planned, self.page.delta.value, self.page.claim(), self.page.heuristic()
        )

    @figure(
        "Evidence against the claim",
        needs=("evidence", "trained", "confidence"),
        span=6,
        formula="Average wealth of bets, each against a line above the trade-off curve of the "
        "claim.",
        caution="The evidence may decrease again, but a claim once refuted stays refuted. Evidence "
        "below 1 does not support the claim.",
    )
    def wealth(self) -> dict[str, Any]:
        """The e-value against the whole curve of the claim after each number of models."""
        found = self.page.evidence()
        if found is None:
            return empty(PRESS if self.page.trained is None else self._no_path())
        return live_charts.evidence(found, self.page.trained.audit.models, self.page.confidence)

    @figure(
        "Trade-off curve of all models",
        needs=("band", "trained", "claim_pair", "heuristic_pair"),
        span=6,
        caution="Certified simultaneously at all thresholds, for the number of models that was set "
        "before the training.",
    )
    def tradeoff(self) -> dict[str, Any]:
        """Error rates of attacks by threshold, and those that the claim allows."""
        band = self.page.band()
        if band is None:
            return empty(PRESS if self.page.trained is None else self._no_band())
        return final_charts.tradeoff(
            roc(self.page.trained.result), band, self.page.claim_pair(), self.page.heuristic_pair()
        )

    def _no_path(self) -> str:
        if self.page.result() is None:
            return MORE
        if self.page.claim_pair() is None and self.page.path() is not None:
            return f"{NO_CLAIM[0].upper()}{NO_CLAIM[1:]}."
        return "This audit has no score for each model: see the bound after the last one."

    def _no_band(self) -> str:
        if not self.page.trained.complete:
            return f"Shown after the last of {self.page.trained.audit.models:,} models."
        return "Open the result to see its curves."
