"""`SelectionChoice`: the distribution of the number of runs, and the privacy of one run."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import param

from workbench.curves.gdp import mu_from_profile
from workbench.pages.core.page import Control, Section, derived
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import IntegerField, LogNumber, number_of
from workbench.pairs.gaussian import GaussianPair
from workbench.selection.base_pair import reduced_mu
from workbench.selection.finite_runs import PointMass, TwoPoint
from workbench.selection.runs import NegativeBinomial, Poisson, RunCount

RUN_COUNTS = {
    "Negative binomial": "negative-binomial",
    "Poisson": "poisson",
    "Fixed": "point",
    "Two-point": "two-point",
}

BASES = {"μ": "mu", "ε of one run": "epsilon", "DP-SGD": "dp-sgd"}

#: Parameters of the number of runs, and of one run.
FAMILY = ("runs_kind", "eta", "log_s")
RUNS = (*FAMILY, "log_mean", "log_most")
ONE_RUN = ("base_kind", "mu", "base_epsilon", "log_noise", "log_rate", "steps", "reduction")

#: Largest μ of one run on the page; ε is then above 200.
MOST_MU = 20


def _is(name: str, *values: str) -> Any:
    return lambda page: getattr(page, name) in values


class SelectionChoice(Part):
    """The number of runs, and the privacy of one run."""

    runs_kind = param.Selector(
        default="negative-binomial",
        objects=RUN_COUNTS,
        label="Number of runs",
        doc="Its distribution. The number is drawn before any run. The negative binomial "
        "distribution is truncated to start at 1.",
    )
    eta = param.Number(
        1.0,
        bounds=(-1, None),
        inclusive_bounds=(False, True),
        softbounds=(-0.9, 5),
        step=0.1,
        label="Shape η",
        doc="1 is the geometric distribution, 0 the logarithmic one.",
    )
    log_mean = LogNumber(2.0, bounds=(0.05, 4), step=0.05, label="Mean number of runs")
    log_most = LogNumber(
        1.0,
        bounds=(0.3, 4),
        step=0.1,
        whole=True,
        label="Larger number of runs L",
        doc="The other possible number is 1.",
    )
    log_s = LogNumber(-1.0, bounds=(-4, -0.05), step=0.05, label="Probability s of a single run")

    base_kind = param.Selector(default="mu", objects=BASES, label="Privacy of one run given by")
    mu = param.Number(
        0.5,
        bounds=(0, 5),
        softbounds=(0.01, 5),
        step=0.01,
        label="μ of one run",
        doc="One run is μ-GDP: N(0,1) against N(μ,1).",
    )
    base_epsilon = param.Number(
        1.0,
        bounds=(0.01, 10),
        softbounds=(0.1, 10),
        step=0.1,
        label="ε of one run",
        doc="ε at the chosen δ of a Gaussian pair N(0,1) against N(μ,1).",
    )
    log_noise = LogNumber(
        math.log10(90.458),
        bounds=(-1, 3),
        step=0.02,
        label="Noise multiplier σ",
        doc="Standard deviation of the noise, divided by the clipping norm.",
    )
    log_rate = LogNumber(
        0.0, bounds=(-4, 0), step=0.05, label="Sampling rate τ", doc="1 is full batches."
    )
    steps = IntegerField(500, (1, 10**6), label="Steps N")
    reduction = param.Selector(
        default="O",
        objects={"full-batch formula τ√N/σ": "O", "central limit": "G"},
        label="Gaussian approximation of DP-SGD",
        doc="The full-batch formula ignores that batches are random; it is exact for full batches. "
        "The central limit is for many steps, and covers both neighboring relations.",
    )

    sections: ClassVar[tuple[Section, ...]] = (
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

    @derived(needs=RUNS)
    def runs(self) -> RunCount:
        """The distribution of the number of runs."""
        return self.runs_of(self.log_most if self.runs_kind == "two-point" else self.log_mean)

    def runs_of(self, size: float) -> RunCount:
        """The chosen distribution at another size, given as log₁₀ of the mean (or of L)."""
        if self.runs_kind == "two-point":
            return TwoPoint(max(2, round(10**size)), number_of(self.log_s))
        if self.runs_kind == "poisson":
            return Poisson(number_of(size))
        if self.runs_kind == "point":
            return PointMass(max(1, round(10**size)))
        return NegativeBinomial.from_mean(self.eta, number_of(size))

    @derived(needs=(*ONE_RUN, "log_delta"))
    def one_mu(self) -> float:
        """The μ of one run."""
        if self.base_kind == "epsilon":
            return float(mu_from_profile(self.page.delta.value, self.base_epsilon))
        if self.base_kind == "dp-sgd":
            return self._supported(reduced_mu(self.noise, self.rate, self.steps, self.reduction))
        return float(self.mu)

    def _supported(self, mu: float) -> float:
        """The μ, if the page can show it (ValueError otherwise)."""
        if mu > MOST_MU:
            raise ValueError(
                f"σ = {self.noise:.3g} with τ = {self.rate:.3g} and N = {self.steps:,} reduces to "
                f"μ = {mu:.4g}, which gives no privacy; the page supports up to μ = {MOST_MU}: "
                "increase the noise or reduce the number of steps"
            )
        return mu

    @derived(needs=("one_mu", "log_delta"))
    def one_epsilon(self) -> float:
        """ε of one run."""
        return float(GaussianPair(self.one_mu()).epsilon(self.page.delta.value))

    @property
    def noise(self) -> float:
        """Noise multiplier of DP-SGD."""
        return number_of(self.log_noise)

    @property
    def rate(self) -> float:
        """Sampling rate of DP-SGD."""
        return number_of(self.log_rate)
