"""Planning an audit: how many scores let a bound show what is there?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import percent, plain, round_safely
from workbench.bounds.power import sample_size
from workbench.bounds.power.plan_results import BoundDistribution, Power, SampleSize
from workbench.figures import plan as charts
from workbench.figures.kit.layout import empty
from workbench.pages.core.jobs import job
from workbench.pages.core.page import (
    Control,
    Fact,
    Page,
    Section,
    derived,
    figure,
    number,
    sentence,
)
from workbench.pages.inputs.pair import chosen_pair, pair_choice, pair_controls, pair_parameters
from workbench.pairs.base import Pair
from workbench.parallel import map_in_processes
from workbench.progress import Report

METHODS = {
    "simultaneous: all thresholds": "simultaneous",
    "pointwise: one known threshold": "pointwise",
    "held-out": "held-out",
    "anytime": "anytime",
}

#: Ends of the slider and the charts, in log₁₀.
SPAN = (2.0, 6.0)

#: Points of a power curve, as multiples of the n needed.
FACTORS = (0.1, 0.25, 0.45, 0.65, 0.85, 1.0, 1.2, 1.6, 2.5, 5.0)

#: Sizes, in log₁₀, at which bounds are simulated, and how many audits each. Whole audits of a
#: million scores would take minutes.
GRID = tuple(np.arange(2.0, 6.01, 0.25).tolist())
COARSE = tuple(np.arange(2.0, 5.01, 0.5).tolist())
REPS, FEW, LIVE = 400, 40, 24

PAIR = pair_parameters("pair")
ASKED = ("log_delta", "confidence")
AIM = ("target", "power")
SETTINGS = (*PAIR, *ASKED, "method", *AIM, "seed")

#: Pairs whose scores have ties: even a single power takes whole audits.
TIED = ("randomized-response",)


@dataclass(frozen=True)
class Plan:
    """What was simulated of one method, in full or so far.

    Attributes
    ----------
    asked : tuple
        The settings.
    needed : SampleSize or str, optional
        Or why no number of scores will do.
    curve : tuple of Power
    bounds : tuple of BoundDistribution
    """

    asked: tuple[Any, ...]
    needed: SampleSize | str | None = None
    curve: tuple[Power, ...] = ()
    bounds: tuple[BoundDistribution, ...] = ()


class PlanPage(Page, pair_choice("pair", optional=False, label="Pair", default="gaussian")):
    """State and drawings of the page."""

    title = "How many scores?"
    about = (
        "Suppose the leak were that of a known pair. How many scores would an audit need to show "
        "it, and what would its bound be?"
    )

    method = param.Selector(
        default="simultaneous",
        objects=METHODS,
        label="Bound",
        doc="“One known threshold” is the one that suits the pair best, written down before the "
        "scores are seen.",
    )
    log_delta = param.Number(
        -5.0, bounds=(-12, -1), step=0.5, label="log₁₀ δ", doc="The δ of (ε, δ)."
    )
    confidence = param.Selector(
        default=0.95, objects={percent(c): c for c in (0.9, 0.95, 0.99)}, label="Confidence"
    )
    target = param.Number(
        1.5, bounds=(0, 10), step=0.05, label="Target ε", doc="A claim to refute, or ε to reach."
    )
    power = param.Number(
        0.8,
        bounds=(0.5, 0.95),
        step=0.05,
        label="Power",
        doc="The chance, over audits, that the bound exceeds the target.",
    )
    log_n = param.Number(
        3.0, bounds=SPAN, step=0.05, label="log₁₀ of the scores a side",
        doc="3 is 1,000. Drag the line in the charts, too.",
    )  # fmt: skip
    seed = param.Integer(0, bounds=(0, 99), label="Seed", doc="Of all that is simulated.")

    plan = param.Parameter(None, precedence=-1, doc="A `Plan`, partial or full.")

    controls: ClassVar[tuple[Section, ...]] = (
        Section("Truth", tuple(pair_controls("pair"))),
        Section("Audit", (Control("method"), Control("log_delta"), Control("confidence"))),
        Section("Plan", (Control("target"), Control("power"), Control("log_n"))),
        Section(
            "Simulation",
            (Control("seed"), Control("simulate", when=lambda page: page.method != "pointwise")),
        ),
    )

    # -- results, each computed once a state ---------------------------------------------------

    @property
    def delta(self) -> float:
        """The δ that the slider shows."""
        return float(10**self.log_delta)

    @property
    def n(self) -> int:
        """Scores a side."""
        return round(10**self.log_n)

    @derived(needs=PAIR)
    def pair(self) -> Pair:
        """What is supposed to be true."""
        pair = chosen_pair(self, "pair")
        if pair is None:
            raise ValueError("choose a pair to plan for")
        return pair

    @derived(needs=("pair", "log_delta"))
    def truth(self) -> float:
        """The pair's ε at δ."""
        return float(self.pair().epsilon(self.delta))

    @derived(needs=("truth", "target"))
    def reachable(self) -> bool:
        """Whether any number of scores shows the target."""
        return self.target < self.truth()

    @derived(needs=("pair", *ASKED, *AIM), shared=True)
    def known(self) -> SampleSize | str:
        """The n that one known threshold needs, or why none will do; exact."""
        return _needed(self._arguments("pointwise"), self.target, self.power)

    @derived(needs=("known",), shared=True)
    def known_curve(self) -> tuple[Power, ...]:
        """Powers with one known threshold."""
        known = self.known()
        if isinstance(known, str):
            return ()
        power = partial(sample_size.power, known.power.pair, claim_epsilon=self.target)
        asked = {"delta": self.delta, "confidence": self.confidence, "guarantee": "pointwise"}
        return tuple(power(n=n, **asked) for n in _around(known.n))

    @derived(needs=("pair", *ASKED, "seed"), shared=True)
    def known_bounds(self) -> tuple[BoundDistribution, ...]:
        """Bounds at one known threshold."""
        asked = self._arguments("pointwise")
        return tuple(_distribution(asked, REPS, 10**log_n) for log_n in GRID)

    @derived(needs=("pair", *ASKED, "method", "target", "log_n", "seed"), shared=True)
    def live_power(self) -> Power | None:
        """The power at n, where it takes no whole audits."""
        if not self._quick:
            return None
        return sample_size.power(
            **self._arguments(self.method), claim_epsilon=self.target, n=self.n
        )

    @derived(needs=("pair", *ASKED, "method", "log_n", "seed"), shared=True)
    def live_bounds(self) -> BoundDistribution | None:
        """The bounds at n, where they take no whole audits."""
        if not self._quick:
            return None
        reps = REPS if self.method == "pointwise" else LIVE
        return _distribution(self._arguments(self.method), reps, self.n)

    @property
    def _quick(self) -> bool:
        counted = self.method == "simultaneous" and self.pair_kind not in TIED
        return counted or self.method == "pointwise"

    def _arguments(self, guarantee: str) -> dict[str, Any]:
        return {
            "pair": self.pair(),
            "delta": self.delta,
            "confidence": self.confidence,
            "guarantee": guarantee,
            "seed": self.seed,
        }

    @derived(needs=("plan", *SETTINGS))
    def own(self) -> Plan | None:
        """What was simulated with the settings as they stand; None if with others."""
        plan: Plan | None = self.plan
        if plan is None or self.method == "pointwise" or plan.asked != self._asked():
            return None
        return plan

    def _asked(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in SETTINGS)

    # -- the simulation ------------------------------------------------------------------------

    @job("Simulate this bound", needs=SETTINGS, into="plan")
    def simulate(self, report: Report) -> Plan:
        """The n needed, the power curve and the bound's distribution; all cores are in use."""
        asked, plan = self._arguments(self.method), Plan(self._asked())
        grid, reps = (GRID, LIVE) if self._quick else (COARSE, FEW)
        # From the largest on: what takes longest is not left for the end.
        tasks: list[Callable[[], Any]] = [
            partial(_needed, asked, self.target, self.power),
            *(partial(_distribution, asked, reps, 10**log_n) for log_n in reversed(grid)),
        ]
        total = len(tasks) + (len(FACTORS) if self.reachable() else 0)
        done = 0
        for _, found in map_in_processes(_call, tasks, report):
            if isinstance(found, BoundDistribution):
                plan = replace(plan, bounds=(*plan.bounds, found))
            else:
                plan = replace(plan, needed=found)
            done += 1
            report(done / total, f"{done} of {total} parts", partial=plan)
        if isinstance(plan.needed, SampleSize):
            power = partial(sample_size.power, **asked, claim_epsilon=self.target)
            tasks = [partial(power, n=n) for n in reversed(_around(plan.needed.n))]
            for _, found in map_in_processes(_call, tasks, report):
                plan = replace(plan, curve=(*plan.curve, found))
                done += 1
                report(done / total, f"{done} of {total} parts", partial=plan)
        return plan

    # -- the strip of numbers ------------------------------------------------------------------

    @number("True ε", needs=("truth", "log_delta"))
    def true_epsilon(self) -> Fact:
        """What is supposed to be true; bounds approach it from below."""
        return Fact(round_safely(self.truth(), "nearest"), f"at δ = {plain(self.delta)}, exact")

    @number(
        "Scores needed a side",
        needs=("own", "known", "method", "reachable"),
        formula="The smallest n at which the bound exceeds the target with the wanted chance.",
        caution="For the best attack on this very pair; a weaker attack needs more.",
    )
    def needed(self) -> Fact:
        """As many members, and as many non-members, for the bound that you chose."""
        if not self.reachable():
            return Fact("none", "the target is not below the truth")
        if self.method == "pointwise":
            return self._size(self.known())
        own = self.own()
        if own is None or own.needed is None:
            return Fact("–", f"press “{self.jobs()['simulate'].title}”")
        return self._size(own.needed)

    @number(
        "With one known threshold",
        needs=("known", "reachable"),
        caution="Who does not know the threshold beforehand needs a bound that holds for all.",
    )
    def needed_known(self) -> Fact:
        """The same for limits at the one threshold that suits the pair best; nothing simulated."""
        if not self.reachable():
            return Fact("none", "the target is not below the truth")
        return self._size(self.known())

    @number("Power at n", needs=("live_power", "own", "method", "log_n", "reachable", "target"))
    def power_at_n(self) -> Fact:
        """The chance that the bound exceeds the target with n scores a side."""
        live, own = self.live_power(), self.own()
        what = "" if self.reachable() else "a false alarm · "
        if live is not None:
            value, how = live.value, live.how
        elif own is not None and own.curve:
            curve = sorted(own.curve, key=lambda power: power.n_p)
            logs = np.log10([power.n_p for power in curve])
            value = float(np.interp(self.log_n, logs, [power.value for power in curve]))
            how = f"read off the chart, {curve[0].how} a point"
        else:
            return Fact("–", f"press “{self.jobs()['simulate'].title}”")
        seeded = "" if how == "exact" else f", seed {self.seed}"
        return Fact(f"{round(100 * value, 1):g} %", f"{what}{self.n:,} a side · {how}{seeded}")

    @number(
        "Median bound at n",
        needs=("live_bounds", "own", "method", "log_n"),
        caution="Half of all audits show less.",
    )
    def median_at_n(self) -> Fact:
        """What an audit with n scores a side shows in the middle, and 10 to 90 %."""
        live, own = self.live_bounds(), self.own()
        if live is not None:
            low, median, high = live.quantile([0.1, 0.5, 0.9])
            how = f"{live.values.size} simulated audits"
        elif own is not None and own.bounds:
            grid = sorted(own.bounds, key=lambda one: one.n_p)
            logs = np.log10([one.n_p for one in grid])
            if not logs[0] <= self.log_n <= logs[-1]:
                return Fact("–", f"simulated up to {grid[-1].n_p:,} a side")
            quantiles = np.array([one.quantile([0.1, 0.5, 0.9]) for one in grid])
            low, median, high = (np.interp(self.log_n, logs, q) for q in quantiles.T)
            how = f"read off the chart, {grid[0].values.size} simulated audits a point"
        else:
            return Fact("–", f"press “{self.jobs()['simulate'].title}”")
        ends = f"{round_safely(float(low), 'down')} to {round_safely(float(high), 'up')}"
        return Fact(
            f"ε ≥ {round_safely(float(median), 'down')}",
            f"10–90 %: {ends} · {how}, seed {self.seed}",
        )

    def _size(self, found: SampleSize | str) -> Fact:
        if isinstance(found, str):
            return Fact("–", found)
        how = found.power.how
        simulated = "" if how == "exact" else f", seed {self.seed}"
        return Fact(f"{found.n:,}", f"for {percent(found.wanted)} · {how}{simulated}")

    # -- in plain words ------------------------------------------------------------------------

    @sentence(needs=("known", "own", "truth", "target", "power", "method", "reachable"))
    def in_words(self) -> str:
        """The plan as a sentence."""
        target, truth = plain(self.target), round_safely(self.truth(), "down")
        at = f"at δ = {plain(self.delta)}"
        if not self.reachable():
            return (
                f"{self.pair().name} has ε = {truth} {at}: no number of scores shows a target of "
                f"{target}, and a bound that exceeds it is a false alarm. Choose a smaller target, "
                "a smaller δ, or a pair that leaks more."
            )
        known = self.known()
        if isinstance(known, str):
            return f"{known[0].upper()}{known[1:]}."
        text = (
            f"To show more than ε = {target} {at} in {percent(self.power)} of all audits, where "
            f"the truth is {self.pair().name}: {known.n:,} scores a side with one threshold that "
            "is known beforehand"
        )
        own = self.own()
        if own is None or not isinstance(own.needed, SampleSize):
            return f"{text}."
        return f"{text}; {own.needed.n:,} with the {self.method} bound."

    @sentence(needs=("pair",), place="foot")
    def note(self) -> str:
        """What a plan is worth."""
        return (
            f"A plan supposes {self.pair().name}, and the best attack on it. The simultaneous "
            "bound may need fewer scores than Clopper–Pearson limits at one known threshold: it "
            "tests both counts at once, and takes the best of many thresholds."
        )

    # -- the charts ----------------------------------------------------------------------------

    @figure(
        "Power",
        needs=("known", "known_curve", "own", "reachable", "method", "log_n", *AIM, "truth"),
        span=6,
        caution="One known threshold: exact. The others: simulated, with the seed of the controls.",
        drag={"log_n": "log_n"},
    )
    def power_curve(self) -> dict[str, Any]:
        """The chance that the bound exceeds the target; the dots are the scores needed."""
        if not self.reachable():
            return empty("The target is not below the truth.")
        known, own = self.known(), self.own()
        curves: dict[str, Any] = {"pointwise": self.known_curve()} if self.known_curve() else {}
        needed = {} if isinstance(known, str) else {"pointwise": known}
        if own is not None and own.curve:
            curves[self.method] = own.curve
        if own is not None and isinstance(own.needed, SampleSize):
            needed[self.method] = own.needed
        if not curves:
            return empty("No number of scores that can be planned for.")
        ends = [math.log10(size.n) for size in needed.values()]
        span = (math.floor(min(SPAN[0], *ends)), math.ceil(max(SPAN[1], *ends)))
        return charts.power_curves(
            curves, needed, self.power, self.n, self.log_n, span, self.target
        )

    @figure(
        "The bound grows with n",
        needs=("known_bounds", "own", "truth", "target", "method", "log_n"),
        span=6,
        caution="Simulated audits, with the seed of the controls. A bound far below the truth is "
        "no fault of the method: rare outcomes do not show in few scores.",
        drag={"log_n": "log_n"},
    )
    def growth(self) -> dict[str, Any]:
        """Median of the bound and its 10–90 % range, toward the truth."""
        found: dict[str, Any] = {"pointwise": self.known_bounds()}
        own = self.own()
        if own is not None and own.bounds:
            found[self.method] = own.bounds
        return charts.bounds(found, self.truth(), self.target, self.n, self.log_n, SPAN)

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; `spec` is for ``wb.explore_plan``."""
        pair = self.pair()
        arguments = ", ".join(f"{name}={value!r}" for name, value in pair.parameters.items())
        asked = (
            f"delta={self.delta!r}, confidence={self.confidence!r}, "
            f"guarantee={self.method!r}, seed={self.seed}"
        )
        claim = f"claim_epsilon={self.target!r}"
        needed = f"wb.samples_needed(pair, {claim}, power={self.power!r}, {asked})"
        kept = {name: value for name, value in spec.items() if name not in PAIR}
        lines = [
            "import workbench as wb",
            "",
            f"pair = wb.{type(pair).__name__}({arguments})",
            f"true_epsilon = pair.epsilon({self.delta!r})",
            f"needed = {needed}" if self.reachable() else "# the target is not below the truth",
            f"power_at_n = wb.power(pair, {claim}, n={self.n}, {asked})",
            f"bounds_at_n = wb.plan_distribution(pair, n={self.n}, {asked})",
            f"view = wb.explore_plan(pair, spec={kept!r})",
            "",
        ]
        return "\n".join(lines)


def _call(task: Callable[[], Any]) -> Any:
    return task()


def _needed(asked: dict[str, Any], target: float, power: float) -> SampleSize | str:
    """How many, or why no number will do."""
    try:
        return sample_size.samples_needed(**asked, claim_epsilon=target, power=power)
    except ValueError as error:
        return str(error)


def _distribution(asked: dict[str, Any], reps: int, n: float) -> BoundDistribution:
    return sample_size.plan_distribution(**asked, n=round(n), reps=reps)


def _around(n: int) -> tuple[int, ...]:
    """Sizes at which a power curve is drawn."""
    return tuple(sorted({max(2, round(factor * n)) for factor in FACTORS}))
