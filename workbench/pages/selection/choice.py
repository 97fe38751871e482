"""What is selected: how many runs there are, and how much each of them leaks."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import param

from workbench.curves.gdp import mu_from_profile
from workbench.pages.core.page import Control, Page, Section, derived
from workbench.pages.core.sliders import IntegerField
from workbench.pairs.gaussian import GaussianPair
from workbench.selection.base_pair import reduced_mu
from workbench.selection.runs import NegativeBinomial, PointMass, Poisson, RunCount, TwoPoint

RUN_COUNTS = {
    "Negative binomial": "negative-binomial",
    "Poisson": "poisson",
    "A fixed number": "point",
    "One, or many": "two-point",
}

BASES = {"μ": "mu", "ε of one run": "epsilon", "DP-SGD": "dp-sgd"}

#: Parameters that make the run counts, and one run.
FAMILY = ("runs_kind", "eta", "log_s")
RUNS = (*FAMILY, "log_mean", "log_most")
ONE_RUN = ("base_kind", "mu", "base_epsilon", "log_noise", "log_rate", "steps", "reduction")

#: The largest μ of one run that is shown; ε is then above 200.
MOST_MU = 20


def _is(name: str, *values: str) -> Any:
    return lambda page: getattr(page, name) in values


class SelectionChoice(Page):
    """State that ends in ``runs()`` and ``one_mu()``, at a ``delta``."""

    runs_kind = param.Selector(
        default="negative-binomial",
        objects=RUN_COUNTS,
        label="Number of runs",
        doc="Drawn at random before anything is run. Negative binomial: truncated, so that it "
        "starts at 1.",
    )
    eta = param.Number(
        1.0,
        bounds=(-1, None),
        inclusive_bounds=(False, True),
        softbounds=(-0.9, 5),
        step=0.1,
        label="η",
        doc="Shape: 1 is geometric, 0 logarithmic.",
    )
    log_mean = param.Number(
        2.0, bounds=(0.05, 4), step=0.05, label="log₁₀ of the mean runs", doc="2 is 100 runs."
    )
    log_most = param.Number(
        1.0, bounds=(0.3, 4), step=0.1, label="log₁₀ L", doc="The larger number of runs."
    )
    log_s = param.Number(
        -1.0, bounds=(-4, -0.05), step=0.05, label="log₁₀ s", doc="Chance of a single run."
    )

    base_kind = param.Selector(default="mu", objects=BASES, label="One run, given by")
    mu = param.Number(
        0.5,
        bounds=(0, 5),
        softbounds=(0.01, 5),
        step=0.01,
        label="μ",
        doc="One run is N(0,1) against N(μ,1).",
    )
    base_epsilon = param.Number(
        1.0,
        bounds=(0.01, 10),
        softbounds=(0.1, 10),
        step=0.1,
        label="ε of one run",
        doc="At the δ below, for N(0,1) against N(μ,1).",
    )
    log_noise = param.Number(
        math.log10(90.458),
        bounds=(-1, 3),
        step=0.02,
        label="log₁₀ σ",
        doc="Noise multiplier: noise over the clipping norm.",
    )
    log_rate = param.Number(
        0.0, bounds=(-4, 0), step=0.05, label="log₁₀ τ", doc="Sampling rate; 0 is full batches."
    )
    steps = IntegerField(500, (1, 10**6), label="Steps N")
    reduction = param.Selector(
        default="O",
        objects={"“O”: τ√N/σ": "O", "“G”: central limit": "G"},
        label="Reduced to μ by",
        doc="“O” ignores that batches are random; it is exact for full batches. “G” is the limit "
        "for many steps of both neighboring relations at once.",
    )
    log_delta = param.Number(
        -5.0, bounds=(-12, -1), step=0.5, label="log₁₀ δ", doc="The δ of (ε, δ)."
    )

    choice_controls: ClassVar[tuple[Section, ...]] = (
        Section(
            "Runs",
            (
                Control("runs_kind"),
                Control("eta", when=_is("runs_kind", "negative-binomial")),
                Control("log_mean", when=_is("runs_kind", *list(RUN_COUNTS.values())[:3])),
                Control("log_most", when=_is("runs_kind", "two-point")),
                Control("log_s", when=_is("runs_kind", "two-point")),
            ),
        ),
        Section(
            "One run",
            (
                Control("base_kind"),
                Control("mu", when=_is("base_kind", "mu")),
                Control("base_epsilon", when=_is("base_kind", "epsilon")),
                *(Control(name, when=_is("base_kind", "dp-sgd")) for name in ONE_RUN[3:]),
                Control("log_delta"),
            ),
        ),
    )

    @property
    def delta(self) -> float:
        """The δ that the slider shows."""
        return float(10**self.log_delta)

    @derived(needs=RUNS)
    def runs(self) -> RunCount:
        """How many runs there are."""
        return self.runs_of(self.log_most if self.runs_kind == "two-point" else self.log_mean)

    def runs_of(self, size: float) -> RunCount:
        """The run count of the chosen kind, of this size on a logarithmic scale."""
        if self.runs_kind == "two-point":
            return TwoPoint(max(2, round(10**size)), float(10**self.log_s))
        if self.runs_kind == "poisson":
            return Poisson(10**size)
        if self.runs_kind == "point":
            return PointMass(max(1, round(10**size)))
        return NegativeBinomial.from_mean(self.eta, 10**size)

    @derived(needs=(*ONE_RUN, "log_delta"))
    def one_mu(self) -> float:
        """The μ that stands for one run."""
        if self.base_kind == "epsilon":
            return float(mu_from_profile(self.delta, self.base_epsilon))
        if self.base_kind == "dp-sgd":
            return self._shown(reduced_mu(self.noise, self.rate, self.steps, self.reduction))
        return float(self.mu)

    def _shown(self, mu: float) -> float:
        """A μ that the page's grids reach (ValueError otherwise)."""
        if mu > MOST_MU:
            raise ValueError(
                f"σ = {self.noise:.3g} with τ = {self.rate:.3g} and N = {self.steps:,} reduces to "
                f"μ = {mu:.4g}, which hides nothing; the page shows up to μ = {MOST_MU}: add noise "
                "or take fewer steps"
            )
        return mu

    @derived(needs=("one_mu", "log_delta"))
    def one_epsilon(self) -> float:
        """ε of one run."""
        return float(GaussianPair(self.one_mu()).epsilon(self.delta))

    @property
    def noise(self) -> float:
        """Noise multiplier of DP-SGD."""
        return float(10**self.log_noise)

    @property
    def rate(self) -> float:
        """Sampling rate of DP-SGD."""
        return float(10**self.log_rate)
