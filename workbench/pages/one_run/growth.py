"""`OneRunGrowth`: bounds against the number of canaries, for the simulated mechanism."""

from __future__ import annotations

from typing import Any, ClassVar

import param

from workbench.figures.kit.layout import empty
from workbench.figures.one_run import growth as charts
from workbench.onerun.growth_with_canaries import growth
from workbench.onerun.simulate import DPSGD
from workbench.onerun.studies import Study
from workbench.pages.core.jobs import job
from workbench.pages.core.page import Control, Section, figure
from workbench.pages.one_run.audit import FAMILY, OneRunAudit
from workbench.progress import Report


class OneRunGrowth(OneRunAudit):
    """Adds a simulation study with more canaries.

    Provides the job ``simulate``, its charts and the section ``more``. Needs ``simulated()`` and
    the settings of `OneRunAudit`.
    """

    seeds = param.Integer(20, bounds=(5, 100), step=5, label="Runs for each n")

    studied = param.Parameter(precedence=-1, doc="A `Study`, partial or complete.")

    more: ClassVar[Section] = Section("More canaries", (Control("seeds"), Control("simulate")))

    @job(
        "Simulate more canaries",
        needs=("simulated", *FAMILY, "confidence", "seeds", "seed"),
        into="studied",
    )
    def simulate(self, report: Report) -> Study:
        """Simulates several runs of the mechanism with 100 to 10,000 canaries each."""
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
        caution="The method of Steinke et al. guesses the share of canaries that was best in other "
        "runs of this mechanism, which is not known in practice. Bands reach from the smallest to "
        "the largest bound.",
    )
    def growth(self) -> dict[str, Any]:
        """Mean and range of the bounds over the runs."""
        study: Study | None = self.studied
        if study is None:
            return empty("Press “Simulate more canaries”.")
        return charts.growth(study, _reference_of(study))

    @figure(
        "Bias and variance of the bit error",
        needs=("studied",),
        span=6,
        formula="Independent canaries: (1 − TV)/2 ± √(p(1 − p)/n).",
        caution="Upward bias shows the cost of interference or poor guesses. If the band is wider "
        "than for independent canaries, bounds that assume independence may be too large.",
    )
    def spread(self) -> dict[str, Any]:
        """Share of wrong guesses in the same runs, compared with independent canaries."""
        study: Study | None = self.studied
        if study is None:
            return empty("Press “Simulate more canaries”.")
        return charts.bit_error_growth(study)


def _reference_of(study: Study) -> charts.ReferenceValue:
    mechanism = study.mechanism
    if isinstance(mechanism, DPSGD) and mechanism.average_first:
        return charts.ReferenceValue("claimed", float(mechanism.claimed.epsilon(study.delta)))
    return charts.ReferenceValue("truth", study.truth)
