"""What choosing the best of many runs costs: bounds, the worst order, an audit, an example."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import param

from workbench.bounds.result import Bound, percent, plain, round_safely
from workbench.curves.gdp import mu_from_profile
from workbench.curves.tradeoff import TradeoffCurve
from workbench.figures import selection as charts
from workbench.figures.layout import empty
from workbench.pages.base import Control, Fact, Page, Section, derived, figure, number, sentence
from workbench.pages.jobs import job
from workbench.pairs.dpsgd import DPSGDPair
from workbench.pairs.gaussian import GaussianPair
from workbench.parallel import Report
from workbench.selection import renyi
from workbench.selection.audit import SelectionAudit, audit, decisive_event
from workbench.selection.base import base_renyi, reduced_mu
from workbench.selection.bounds import epsilon
from workbench.selection.curve import tradeoff_curve
from workbench.selection.outcomes import FiniteSelection
from workbench.selection.runs import NegativeBinomial, PointMass, Poisson, RunCount, TwoPoint
from workbench.selection.scores import Monotone
from workbench.selection.worst import WorstOrder, worst_order

RUN_COUNTS = {
    "Negative binomial": "negative-binomial",
    "Poisson": "poisson",
    "A fixed number": "point",
    "One, or many": "two-point",
}

KIND_OF = {
    NegativeBinomial: "negative-binomial",
    Poisson: "poisson",
    PointMass: "point",
    TwoPoint: "two-point",
}

BASES = {"μ": "mu", "ε of one run": "epsilon", "DP-SGD": "dp-sgd"}

#: Parameters that make the run counts, the base, and the example.
FAMILY = ("runs_kind", "eta", "log_s")
RUNS = (*FAMILY, "log_mean", "log_most")
ONE_RUN = ("base_kind", "mu", "base_epsilon", "log_noise", "log_rate", "steps", "reduction")
EXAMPLE = ("log_b", "log_d", "outcome_epsilon", "log_nu")

#: Values of δ, run counts and Rényi orders at which curves are drawn.
DELTAS, COUNTS, ORDERS = 41, 9, 40

OUTCOMES = ("A", "B", "C")

PENDING = Fact("–", "not simulated yet")


@dataclass(frozen=True)
class Simulated:
    """Audits of simulated selections, beside what is known of them without a sample.

    Attributes
    ----------
    runs : RunCount
    mu, delta : float
    n : int
        Selections a side, in the end.
    known : dict of str to Bound
        By "direct", "renyi", "generic" and "worst".
    found : dict of str to SelectionAudit
        By the name of the score, "monotone" and "worst order", as far as they are known.
    """

    runs: RunCount
    mu: float
    delta: float
    n: int
    known: dict[str, Bound]
    found: dict[str, SelectionAudit]


def _is(name: str, *values: str) -> Any:
    return lambda page: getattr(page, name) in values


class SelectionPage(Page):
    """State and drawings of the page."""

    title = "What choosing the best of many runs costs"
    menu = "Selection"
    about = (
        "Settings are tuned by training many times and releasing the best run. Its privacy loss is "
        "not that of one run. How much larger is it?"
    )

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
    steps = param.Integer(500, bounds=(1, None), label="Steps N")
    reduction = param.Selector(
        default="O",
        objects={"“O”: τ√N/σ": "O", "“G”: central limit": "G"},
        label="Reduced to μ by",
        doc="“O” ignores that batches are random; it is exact for full batches. “G” is the limit "
        "for many steps of both neighbouring relations at once.",
    )
    log_delta = param.Number(
        -5.0, bounds=(-12, -1), step=0.5, label="log₁₀ δ", doc="The δ of (ε, δ)."
    )

    log_n = param.Number(
        6.0, bounds=(4, 6), step=0.5, label="log₁₀ of the selections", doc="On each side."
    )
    confidence = param.Selector(
        default=0.95, objects={percent(c): c for c in (0.9, 0.95, 0.99)}, label="Confidence"
    )
    seed = param.Integer(0, bounds=(0, None), label="Seed")
    simulated = param.Parameter(precedence=-1, doc="A `Simulated`, partial or final.")

    log_b = param.Number(-3.0, bounds=(-8, -1), step=0.1, label="log₁₀ b", doc="Chance of B.")
    log_d = param.Number(
        2.0, bounds=(-1, 4), step=0.1, label="log₁₀ d", doc="C is d times as likely as B."
    )
    outcome_epsilon = param.Number(
        1.0, bounds=(0, 5), step=0.1, label="ε of one run", doc="Pure, of B and C."
    )
    log_nu = param.Number(
        -3.0, bounds=(-6, -0.1), step=0.1, label="log₁₀ ν", doc="Geometric; 1/ν runs on average."
    )

    controls: ClassVar[tuple[Section, ...]] = (
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
        Section(
            "Simulated audit",
            (Control("log_n"), Control("confidence"), Control("seed"), Control("simulate")),
        ),
        Section("Three outcomes", tuple(Control(name) for name in EXAMPLE)),
    )

    # -- results -----------------------------------------------------------------------------------

    @property
    def delta(self) -> float:
        """The δ that the slider shows."""
        return float(10**self.log_delta)

    @derived(needs=RUNS)
    def runs(self) -> RunCount:
        """How many runs there are."""
        return self._runs_of(self.log_most if self.runs_kind == "two-point" else self.log_mean)

    def _runs_of(self, size: float) -> RunCount:
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
            return reduced_mu(self._noise, self._rate, self.steps, self.reduction)
        return float(self.mu)

    @derived(needs=("one_mu", "log_delta"))
    def one_epsilon(self) -> float:
        """ε of one run."""
        return float(GaussianPair(self.one_mu()).epsilon(self.delta))

    @derived(needs=("runs", "one_mu", "log_delta"))
    def direct(self) -> Bound:
        """Exact for a monotone score."""
        return self._bound("direct")

    @derived(needs=("runs", "one_mu", "log_delta"))
    def renyi(self) -> Bound:
        """SELECT's improved bound."""
        return self._bound("renyi")

    @derived(needs=("runs", "one_mu", "log_delta"))
    def generic(self) -> Bound | None:
        """PS22's bound, or None where there is none."""
        return None if renyi.generic_refusal(self.runs()) else self._bound("generic")

    @derived(needs=("runs", "one_mu", "log_delta"))
    def worst(self) -> WorstOrder:
        """The largest leakage found."""
        return worst_order(self.runs(), self.one_mu(), delta=self.delta)

    @derived(needs=("runs", "one_mu"))
    def curve(self) -> TradeoffCurve:
        """Of the release under a monotone score."""
        return tradeoff_curve(self.runs(), self.one_mu())

    def _bound(self, bound: str) -> Bound:
        return epsilon(self.runs(), self.one_mu(), delta=self.delta, bound=bound)

    @property
    def _noise(self) -> float:
        return float(10**self.log_noise)

    @property
    def _rate(self) -> float:
        return float(10**self.log_rate)

    # -- the strip of numbers ----------------------------------------------------------------------

    @number(
        "One run",
        needs=("one_epsilon",),
        caution="This is what is often reported after tuning. It says nothing about the release.",
    )
    def base(self) -> Fact:
        """ε of a single run at this δ."""
        shown = round_safely(self.one_epsilon(), "nearest")
        return Fact(f"ε = {shown}", f"N(0,1) against N({plain(self.one_mu())}, 1)")

    @number(
        "Direct, monotone score",
        needs=("direct",),
        formula="The hockey-stick divergence of the densities G'(F) f of the release.",
        caution="No upper limit for other scores, and no score is known to be monotone unless it "
        "was made so.",
    )
    def direct_number(self) -> Bound:
        """An upper limit if the score is monotone in the privacy loss of a run; exact then."""
        return self.direct()

    @number(
        "Rényi, monotone score",
        needs=("renyi",),
        formula="SELECT's Algorithm 3: the Rényi divergence of the same densities, converted.",
        caution="As for the direct bound, which is never above this one.",
    )
    def renyi_number(self) -> Bound:
        """SELECT's improved bound: an upper limit if the score is monotone."""
        return self.renyi()

    @number(
        "Worst order found",
        needs=("worst",),
        caution="A lower limit on the worst case over scores; another score may leak more.",
    )
    def worst_number(self) -> Bound:
        """Some score makes the selection leak at least this much."""
        return self.worst().bound

    @number(
        "Generic, any score",
        needs=("generic",),
        formula="PS22 Theorems 2 and 6, converted from Rényi divergence.",
    )
    def generic_number(self) -> Bound | Fact:
        """The upper limit that holds whatever the score is."""
        bound = self.generic()
        return bound or Fact("none known", "PS22 does not cover these run counts")

    @number("Mean runs", needs=("runs",))
    def mean_runs(self) -> Fact:
        """Expected number of runs."""
        runs = self.runs()
        return Fact(_count(runs), runs.name)

    @number(
        "DP-SGD itself, monotone",
        needs=("runs", *ONE_RUN, "log_delta"),
        slow=True,
        caution="Neither “O” nor “G” enters: it rests on the trade-off function of the training.",
    )
    def exact_number(self) -> Bound | Fact:
        """The direct bound for the base's own trade-off function, in place of a Gaussian."""
        if self.base_kind != "dp-sgd":
            return Fact("–", "for a run given as DP-SGD")
        training = _training(self._noise, self._rate, self.steps)
        return epsilon(self.runs(), base=training, delta=self.delta)

    @number("Shown by the audit", needs=("simulated",))
    def shown(self) -> Bound | Fact:
        """The lower bound from simulated selections under the worst order found."""
        found = self.simulated.found if self.simulated is not None else {}
        return found["worst order"].simultaneous if "worst order" in found else PENDING

    # -- in plain words ----------------------------------------------------------------------------

    @sentence(needs=("one_epsilon", "direct", "worst", "runs"))
    def understated(self) -> str:
        """What a report of one run leaves out."""
        one, direct, worst = self.one_epsilon(), self.direct(), self.worst()
        if self.runs().mean <= 1:
            return "There is a single run, and so nothing to choose: it costs nothing."
        said = (
            f"Whoever reports the ε of one run, {round_safely(one, 'nearest')}, understates what "
            f"choosing among {_count(self.runs())} runs on average leaks: ε is "
            f"{direct.rounded} if the score is monotone"
        )
        if worst.bound.value > direct.value:
            factor = f", {worst.bound.value / one:.1f} times that of one run" if one else ""
            return f"{said}, and at least {worst.bound.rounded} for some other score{factor}."
        return f"{said}. No order of the outputs was found that leaks more."

    @sentence(needs=("generic", "worst", "direct"))
    def holds(self) -> str:
        """Which number may be relied on."""
        generic = self.generic()
        said = "The direct and the Rényi bound hold only if the score is monotone. "
        if generic is None:
            reason = renyi.generic_refusal(self.runs()) or ""
            return f"{said}For any other score nothing is guaranteed; {reason}."
        return f"{said}Whatever the score, the generic bound holds: ε ≤ {generic.rounded}."

    @sentence(needs=("base_kind", "reduction", "log_rate"))
    def reduced(self) -> str:
        """What a reduction leaves out."""
        if self.base_kind != "dp-sgd":
            return ""
        if self.reduction == "G":
            return "“G” is a limit for many steps: an approximation, and no bound by itself."
        if self.log_rate < 0:
            return (
                "“O” ignores that batches are drawn at random: with τ < 1 every number but that of "
                "DP-SGD itself may lie below the truth."
            )
        return "With full batches, as here, “O” is exact."

    @sentence(needs=("simulated",), place="foot")
    def gap(self) -> str:
        """Why an audit shows less than is true."""
        if self.simulated is None:
            return ""
        done, found = self.simulated, self.simulated.found["monotone"].simultaneous
        event = decisive_event(tradeoff_curve(done.runs, done.mu), done.delta)
        often, seldom = (plain(found.n_p * share) for share in (event.likely, event.rare))
        return (
            f"Why the audit shows {found.rounded} of {done.known['direct'].rounded} for the "
            f"monotone score: that ε is attained by an event of probability {plain(event.likely)} "
            f"on one side and {plain(event.rare)} on the other, which {found.n_p:,} selections "
            f"show about {often} and {seldom} times. Limits that hold whatever "
            "the distributions are, at all thresholds at once, give away what such small counts "
            "leave open. More selections narrow the gap."
        )

    # -- the charts --------------------------------------------------------------------------------

    @figure(
        "ε against δ",
        needs=("one_epsilon", "direct", "renyi", "generic", "worst", "curve"),
        caution="The worst order is the one found for the δ in view: at another δ another order "
        "may leak more.",
    )
    def profile(self) -> dict[str, Any]:
        """The curves between which the truth lies; dots at the δ in view."""
        runs, mu = self.runs(), self.one_mu()
        low = min(-12.0, self.log_delta)
        deltas = np.union1d(np.logspace(low, -1, DELTAS), self.delta)
        orders = np.array(renyi.ORDERS)
        some = orders[:: max(1, orders.size // ORDERS)]
        by_order = renyi.monotone_divergence(runs, mu, some)
        found = tradeoff_curve(runs, mu, score=self.worst().order)
        curves: dict[charts.Entry, Any] = {}
        here: dict[charts.Entry, float] = {}
        generic = self.generic()
        if generic is not None:
            any_score = renyi.generic_divergence(runs, orders, base_renyi(GaussianPair(mu), orders))
            curves[charts.GENERIC] = _converted(orders, any_score, deltas)
            here[charts.GENERIC] = generic.value
        direct = self.curve().epsilon(deltas)
        # The monotone order is one of those found, and may leak more far from the δ in view.
        curves[charts.WORST] = np.maximum(found.epsilon(deltas), direct)
        curves[charts.RENYI] = _converted(some, by_order, deltas)
        curves[charts.DIRECT] = direct
        curves[charts.BASE] = GaussianPair(mu).epsilon(deltas)
        here |= {
            charts.WORST: self.worst().bound.value,
            charts.RENYI: self.renyi().value,
            charts.DIRECT: self.direct().value,
            charts.BASE: self.one_epsilon(),
        }
        return charts.profiles({e: (deltas, y) for e, y in curves.items()}, here, self.delta)

    @derived(needs=(*FAMILY, "one_mu", "log_delta"))
    def by_mean(self) -> tuple[np.ndarray, dict[charts.Entry, np.ndarray]]:
        """Every bound at several mean numbers of runs."""
        low = 0.3 if self.runs_kind == "two-point" else 0.1
        counts = [self._runs_of(size) for size in np.linspace(low, 4, COUNTS)]
        mu, delta = self.one_mu(), self.delta
        curves = {}
        if not any(renyi.generic_refusal(runs) for runs in counts):
            curves[charts.GENERIC] = [
                epsilon(runs, mu, delta=delta, bound="generic").value for runs in counts
            ]
        found = [worst_order(runs, mu, delta=delta) for runs in counts]
        curves[charts.WORST] = [float(worst) for worst in found]
        curves[charts.DIRECT] = [worst.monotone for worst in found]
        curves[charts.BASE] = [float(GaussianPair(mu).epsilon(delta))] * COUNTS
        means = np.array([runs.mean for runs in counts])
        return means, {entry: np.array(y) for entry, y in curves.items()}

    @figure(
        "ε against the number of runs",
        needs=("by_mean", "runs", "one_epsilon", "direct", "generic", "worst"),
    )
    def against_runs(self) -> dict[str, Any]:
        """The same at other mean numbers of runs, with the shape, s and δ in view."""
        means, curves = self.by_mean()
        here = {
            charts.WORST: self.worst().bound.value,
            charts.DIRECT: self.direct().value,
            charts.BASE: self.one_epsilon(),
        }
        generic = self.generic()
        if generic is not None:
            here[charts.GENERIC] = generic.value
        return charts.against_runs(means, curves, (self.runs().mean, here))

    @figure(
        "The order that leaks most",
        needs=("worst",),
        caution="Found by a search over orders of blocks, for the δ in view. Within a block the "
        "score is monotone.",
    )
    def order(self) -> dict[str, Any]:
        """Any single run in the grey block hides the event: its release tells that none was."""
        worst = self.worst()
        return charts.worst_order(worst.order, worst.event, self.one_mu())

    @job(
        "Run the audit", needs=("worst", "direct", "log_n", "confidence", "seed"), into="simulated"
    )
    def simulate(self, report: Report) -> Simulated:
        """Simulate selections under a monotone score and under the worst order, and audit them."""
        n, known = round(10**self.log_n), {"direct": self.direct(), "renyi": self.renyi()}
        worst, generic = self.worst(), self.generic()
        known |= {"worst": worst.bound} | ({"generic": generic} if generic is not None else {})
        done = Simulated(self.runs(), self.one_mu(), self.delta, n, known, {})
        for i, (name, score) in enumerate(
            {"monotone": Monotone(), "worst order": worst.order}.items()
        ):
            for part in audit(
                done.runs,
                done.mu,
                score,
                n,
                delta=self.delta,
                confidence=self.confidence,
                seed=np.random.default_rng((self.seed, i)),
                report=report,
            ):
                done = replace(done, found={**done.found, name: part})
                drawn = part.simultaneous.n_p
                words = f"{name}: {drawn:,} of {n:,} selections a side"
                report((i + drawn / n) / 2, words, partial=done)
        return done

    @figure(
        "What an audit shows",
        needs=("simulated",),
        caution="The selections are simulated in the reduced game, and the attacker sees the "
        "privacy loss of the release: no attack on a real training does better.",
    )
    def audited(self) -> dict[str, Any]:
        """Known limits, and lower bounds from simulated selections (SELECT Fig. 6)."""
        done = self.simulated
        if done is None:
            return charts.waiting()
        one = float(GaussianPair(done.mu).epsilon(done.delta))
        return charts.audits(one, done.known, done.found)

    @figure("More selections", needs=("simulated",))
    def grown(self) -> dict[str, Any]:
        """Simultaneous lower bounds as selections come in; each holds by itself."""
        done = self.simulated
        if done is None:
            return charts.waiting()
        limits = {"monotone": done.known["direct"], "worst order": done.known["worst"]}
        return charts.growth(done.found, limits, done.n)

    @derived(needs=EXAMPLE)
    def three(self) -> FiniteSelection | str:
        """SELECT's worked example, or what is wrong with it."""
        b, d, grow = 10**self.log_b, 10**self.log_d, math.exp(self.outcome_epsilon)
        if b * max(grow + d, 1 + d * grow) > 1:
            return "B and C would take more than 1: take a smaller b or d."
        p = [1 - b * grow - d * b, b * grow, d * b]
        q = [1 - b - d * b * grow, b, d * b * grow]
        return FiniteSelection(NegativeBinomial(1, 10**self.log_nu), p, q)

    @figure(
        "Three outcomes: what is released",
        needs=("three", "log_delta"),
        formula="G(P(≤ y)) − G(P(< y)) for outcomes A < B < C. One run: A the rest, B with b·e^ε "
        "and b, C with d·b and d·b·e^ε.",
    )
    def outcomes(self) -> dict[str, Any]:
        """Each outcome with and without the record; the length of a line is its privacy loss."""
        three = self.three()
        if isinstance(three, str):
            return empty(three)
        return charts.outcomes(three, OUTCOMES, self.delta)

    @sentence(needs=("three", "log_delta"), place="foot")
    def example(self) -> str:
        """What the example shows."""
        three = self.three()
        if isinstance(three, str):
            return ""
        return (
            f"Three outcomes, A < B < C: a run that is {plain(self.outcome_epsilon)}-DP becomes a "
            f"selection with pure ε = {round_safely(three.epsilon(0), 'nearest')}, and ε = "
            f"{round_safely(three.epsilon(self.delta), 'nearest', 4)} at δ = {plain(self.delta)}."
        )

    # -- as Python ---------------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_selection``."""
        asked = f"runs, {self.one_mu()!r}, delta={self.delta!r}"
        lines = [
            "import workbench as wb",
            "",
            f"runs = wb.selection.{self.runs()!r}",
            f"direct = wb.selection.epsilon({asked})",
            f'renyi = wb.selection.epsilon({asked}, bound="renyi")',
            f"worst = wb.selection.worst_order({asked})",
        ]
        if self.generic() is not None:
            lines.append(f'generic = wb.selection.epsilon({asked}, bound="generic")')
        lines += [
            f"scores = wb.selection.simulate(runs, {self.one_mu()!r}, {round(10**self.log_n)}, "
            f"score=worst.order, seed={self.seed})",
            f"view = wb.explore_selection(spec={spec!r})",
            "",
        ]
        return "\n".join(lines)


def run_values(runs: RunCount) -> dict[str, Any]:
    """The page's parameters for given run counts (ValueError where it has none)."""
    if isinstance(runs, NegativeBinomial):
        kind = {"eta": runs.eta, "log_mean": math.log10(runs.mean)}
    elif isinstance(runs, Poisson | PointMass):
        kind = {"log_mean": math.log10(runs.mean)}
    elif isinstance(runs, TwoPoint):
        kind = {"log_most": math.log10(runs.k), "log_s": math.log10(runs.s)}
    else:
        raise ValueError(
            f"runs must be a NegativeBinomial, Poisson, PointMass or TwoPoint, got {runs!r}; for "
            "other run counts call wb.selection.epsilon and wb.selection.worst_order"
        )
    return {"runs_kind": KIND_OF[type(runs)], **kind}


def _converted(orders: np.ndarray, divergence: np.ndarray, deltas: np.ndarray) -> np.ndarray:
    return np.array([renyi.epsilon_from_renyi(orders, divergence, d)[0] for d in deltas])


@lru_cache(maxsize=8)
def _training(noise: float, rate: float, steps: int) -> DPSGDPair:
    """Composed once, since that may take a second."""
    return DPSGDPair(noise, rate, steps)


def _count(runs: RunCount) -> str:
    return plain(runs.mean) if runs.mean < 1000 else f"{runs.mean:,.0f}"
