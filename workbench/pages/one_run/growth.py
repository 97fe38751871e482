"""What more canaries would do: audits of the simulator's mechanism, by the number of canaries."""

from __future__ import annotations

from typing import Any, ClassVar

import param

from workbench.figures.kit.layout import empty
from workbench.figures.one_run import growth as charts
from workbench.onerun.growth_with_canaries import growth
from workbench.onerun.simulate import DPSGD, Study
from workbench.pages.core.jobs import job
from workbench.pages.core.page import Control, Section, figure
from workbench.pages.one_run.audit import FAMILY, OneRunAudit
from workbench.parallel import Report


class OneRunGrowth(OneRunAudit):
    """A study of the simulator, and its charts."""

    seeds = param.Integer(20, bounds=(5, 100), step=5, label="Runs for each n")

    studied = param.Parameter(precedence=-1, doc="The `Study` of the simulator, maybe partial.")

    more: ClassVar[Section] = Section("More canaries", (Control("seeds"), Control("simulate")))

    @job(
        "Simulate more canaries",
        needs=("simulated", *FAMILY, "confidence", "seeds", "seed"),
        into="studied",
    )
    def simulate(self, report: Report) -> Study:
        """The simulator's mechanism with 100 to 10,000 canaries, several runs each."""
        return growth(
            self.simulated(),
            self.family,
            q=self.known_q,
            delta=self.delta,
            confidence=self.confidence,
            seeds=self.seeds,
            seed=self.seed,
            report=report,
        )

    @figure(
        "Bounds against the number of canaries",
        needs=("studied",),
        span=6,
        caution="STEINKE23 guesses the share that did best on other runs of this very mechanism, "
        "which nobody knows in practice. Bands go from the smallest to the largest run.",
    )
    def growth(self) -> dict[str, Any]:
        """Mean and range over the runs (BITS Figs. 6–8 and 10)."""
        study: Study | None = self.studied
        if study is None:
            return empty("Press “Simulate more canaries”.")
        return charts.growth(study, _reference_of(study))

    @figure(
        "Bias and variance of the bit error",
        needs=("studied",),
        span=6,
        formula="Independent bits: (1 − TV)/2 ± √(p(1 − p)/n).",
        caution="A bias upward is what interference or poor guesses cost. A wider band than that "
        "of independent bits is what would make bounds that assume them false.",
    )
    def spread(self) -> dict[str, Any]:
        """Wrong guesses in the same runs, beside what independent bits would do."""
        study: Study | None = self.studied
        if study is None:
            return empty("Press “Simulate more canaries”.")
        return charts.bit_error_growth(study)


def _reference_of(study: Study) -> charts.ReferenceValue:
    mechanism = study.mechanism
    if isinstance(mechanism, DPSGD) and mechanism.average_first:
        return charts.ReferenceValue("claimed", float(mechanism.claimed.epsilon(study.delta)))
    return charts.ReferenceValue("truth", study.truth)
