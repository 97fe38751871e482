"""`OneRunGrowth`: bounds against the number of canaries and their interference, simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import param

from workbench.figures.kit.layout import empty
from workbench.figures.one_run import growth as charts
from workbench.onerun.growth_with_canaries import EXACT, HOEFFDING, growth
from workbench.onerun.interference import (
    MOST_COMPARED,
    DimensionStudy,
    InterferenceStudy,
    dimension_study,
    interference_study,
)
from workbench.onerun.simulate import DPSGD, CanaryMechanism, RandomDirections, SharedGaussian
from workbench.onerun.studies import Auditor, Study
from workbench.pages.core.jobs import job
from workbench.pages.core.page import Control, Section, derived, figure
from workbench.pages.core.part import Part
from workbench.pages.core.stored import first_result
from workbench.pages.one_run.audit import FAMILY
from workbench.pages.one_run.source import LEAST_DIMENSION, SIMULATOR
from workbench.pages.one_run.values import IN_OR_OUT
from workbench.progress import Report

#: What a study of more canaries depends on.
STUDIED = ("simulated", *FAMILY, "confidence", "seeds", "seed")

#: Simulated runs at each strength of the interference.
INTERFERING_RUNS = 10


class OneRunGrowth(Part):
    """Simulation studies: with more canaries, and with canaries that interfere."""

    seeds = param.Integer(20, bounds=(5, 100), step=5, label="Runs for each n")

    studied = param.Parameter(precedence=-1, doc="A `Study`, partial or complete.")

    more: ClassVar[Section] = Section(
        "More canaries",
        (
            Control("seeds", when=lambda page: page.of_values.by_coins),
            Control("simulate", when=lambda page: page.of_values.by_coins),
        ),
    )

    def start(self, given: frozenset[str]) -> None:
        """Show the stored study of the first settings, where the run in view is simulated."""
        if self.page.source != "simulate":
            return
        if (stored := first_result(self.page, "simulate", "one-run")) is not None:
            study = study_of(stored, self.page.simulated(), self.page.family)
            self.page.work.show_stored("simulate", study)

    @job(
        "Simulate more canaries",
        needs=STUDIED,
        into="studied",
    )
    def simulate(self, report: Report) -> Study:
        """Simulates several runs of the mechanism with 100 to 10,000 canaries each."""
        return growth(
            self.page.simulated(),
            self.page.family,
            q=self.page.auditing.known_q,
            delta=self.page.delta.value,
            confidence=self.page.confidence,
            seeds=self.seeds,
            seed=self.page.seed,
            report=report,
        )

    @derived(needs=("studied", "job_states", *STUDIED))
    def study(self) -> Study | None:
        """The study in view; None where the one computed in advance is of other settings."""
        state = self.page.work.state("simulate")
        return None if state.status == "stored" and state.stale else self.studied

    @figure(
        "Bounds against the number of canaries",
        needs=("study", "candidates", "ranks"),
        span=6,
        caution="Each canary has a fair coin of its own here. The method of Steinke et al. guesses "
        "the share of canaries that was best in other runs of this mechanism, which is not known "
        "in practice. Bands reach from the smallest to the largest bound.",
    )
    def growth(self) -> dict[str, Any]:
        """Mean and range of the bounds over the runs."""
        if not self.page.of_values.by_coins:
            return empty(IN_OR_OUT, optional=True)
        study = self.study()
        if study is None:
            return empty("Press “Simulate more canaries”.")
        return charts.growth(study, _reference_of(study))

    @figure(
        "Bias and variance of the bit error",
        needs=("study", "candidates", "ranks"),
        span=6,
        formula="Independent canaries: (1 − TV)/2 ± √(p(1 − p)/n).",
        caution="Upward bias shows the cost of interference or poor guesses. If the band is wider "
        "than for independent canaries, bounds that assume independence may be too large.",
    )
    def spread(self) -> dict[str, Any]:
        """Share of wrong guesses in the same runs, compared with independent canaries."""
        if not self.page.of_values.by_coins:
            return empty(IN_OR_OUT, optional=True)
        study = self.study()
        if study is None:
            return empty("Press “Simulate more canaries”.")
        return charts.bit_error_growth(study)

    # -- interference ------------------------------------------------------------------------------

    @derived(needs=("source", *(name for name in SIMULATOR if name != "cosine")))
    def without_interference(self) -> SharedGaussian | None:
        """The simulated mechanism whatever its interference; None if it cannot have any."""
        mechanism = self.page.simulated()
        if self.page.source != "simulate" or not isinstance(mechanism, SharedGaussian):
            return None
        return replace(mechanism, interference=0.0)

    @derived(needs=("source", "mechanism", "leak"))
    def random_canaries(self) -> RandomDirections | None:
        """The simulated mechanism in the least dimension, if its canaries are random directions."""
        mechanism = self.page.simulated()
        if self.page.source != "simulate" or not isinstance(mechanism, RandomDirections):
            return None
        return replace(mechanism, dimension=LEAST_DIMENSION)

    @derived(needs=("random_canaries", "log_canaries", *FAMILY, "confidence", "seed"), shared=True)
    def by_dimension(self) -> DimensionStudy | None:
        """Bounds and largest cosines in many dimensions, of random canaries."""
        mechanism = self.random_canaries()
        if mechanism is None:
            return None
        return dimension_study(
            mechanism,
            self._auditors(),
            delta=self.page.delta.value,
            canaries=min(self.page.run_source.size, MOST_COMPARED),
            confidence=self.page.confidence,
            seeds=INTERFERING_RUNS,
            seed=self.page.seed,
        )

    def _auditors(self) -> dict[str, Auditor]:
        """The methods that the studies of interference compare: every canary is guessed."""
        exact = Auditor("bits", self.page.family, self.page.auditing.known_q)
        return {EXACT: exact, charts.EVERY_GUESS: Auditor("steinke")}

    @derived(
        needs=("without_interference", "log_canaries", *FAMILY, "confidence", "seed"), shared=True
    )
    def interfering(self) -> InterferenceStudy | str:
        """Bounds at several strengths of the interference, or why there are none."""
        mechanism = self.without_interference()
        if mechanism is None:
            return "This chart needs the simulated Gaussian mechanism."
        return interference_study(
            mechanism,
            self._auditors(),
            delta=self.page.delta.value,
            canaries=self.page.run_source.size,
            confidence=self.page.confidence,
            seeds=INTERFERING_RUNS,
            seed=self.page.seed,
        )

    @figure(
        "Bounds against the interference",
        needs=("interfering", "by_dimension", "cosine", "log_coordinates"),
        span=12,
        formula="Canary i adds √(1 − ρ) in its own coordinate and ±√ρ in a direction that all have "
        "in common, so that two canaries have the cosine ±ρ. ρ moves its score by about ρμ√n/2. "
        "Random directions in d dimensions have cosines of 0 ± 1/√d, and move a score by about "
        "μ√(n/2d).",
        caution=f"Each canary has a fair coin. Means of {INTERFERING_RUNS} runs at each strength "
        f"or dimension, of random directions with at most {MOST_COMPARED:,} canaries; every canary "
        "is guessed. The true ε of one canary does not depend on others (arXiv 2503.07199).",
    )
    def falling(self) -> dict[str, Any]:
        """Mean bounds against ρ, or against the dimension of random directions.

        They fall as canaries interfere; the true ε stays the same.
        """
        by_dimension = self.by_dimension()
        if by_dimension is not None:
            return charts.dimensions(by_dimension, 10**self.page.log_coordinates)
        study = self.interfering()
        if isinstance(study, str):
            return empty(study, optional=True)
        return charts.interference(study, self.page.cosine)

    @figure(
        "Cosines of random canaries",
        needs=("by_dimension", "log_coordinates"),
        span=12,
        formula="Typical: 1/√d. Largest of n canaries: about 2√(log n/d), as there are n²/2 pairs "
        "whose cosines are nearly N(0, 1/d).",
        caution="Lemmas G.2 and G.5 of Koskela and Mohammadi print 4 in place of 2, which no "
        "sample comes near.",
    )
    def cosines(self) -> dict[str, Any]:
        """Largest cosine of two canaries against the dimension, simulated, and its formula."""
        study = self.by_dimension()
        if study is None:
            return empty("This chart needs simulated random directions.", optional=True)
        return charts.cosines(study, 10**self.page.log_coordinates)


def stored_of(study: Study) -> dict[str, Any]:
    """A study as JSON values, without the mechanism; bounds in six digits."""
    return {
        "canaries": study.canaries.tolist(),
        "epsilon": {name: _digits(values) for name, values in study.epsilon.items()},
        "bit_error": _digits(study.bit_error),
        "shares": {name: auditor.share for name, auditor in study.auditors.items()},
        "truth": study.truth,
        "delta": study.delta,
        "confidence": study.confidence,
    }


def study_of(stored: Mapping[str, Any], mechanism: CanaryMechanism, family: str) -> Study:
    """The study of `stored_of`, of a mechanism and a family."""
    methods = {EXACT: ("bits", family), HOEFFDING: ("bits-hoeffding", family)}
    auditors = {
        name: Auditor(*methods.get(name, ("steinke", None)), share=share)
        for name, share in stored["shares"].items()
    }
    return Study(
        mechanism,
        auditors,
        np.array(stored["canaries"]),
        {name: np.array(values, dtype=float) for name, values in stored["epsilon"].items()},
        np.array(stored["bit_error"], dtype=float),
        *(stored[name] for name in ("truth", "delta", "confidence")),
    )


def _digits(values: np.ndarray) -> list[list[float]]:
    return [[float(f"{value:.6g}") for value in row] for row in values.tolist()]


def _reference_of(study: Study) -> charts.ReferenceValue:
    mechanism = study.mechanism
    if isinstance(mechanism, DPSGD) and mechanism.average_first:
        return charts.ReferenceValue("claimed", float(mechanism.claimed.epsilon(study.delta)))
    return charts.ReferenceValue("truth", study.truth)
