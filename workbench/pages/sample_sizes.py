"""`SampleSizes`: sample sizes and distributions of bounds, for the pair that is assumed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import param

from workbench.bounds.power import sample_size
from workbench.bounds.power.plan_results import BoundDistribution, Power, SampleSize
from workbench.pages.core.jobs import job
from workbench.pages.core.page import (
    derived,
)
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber
from workbench.pages.core.stored import first_result
from workbench.pages.inputs.pair import pair_parameters
from workbench.pairs.base import Pair
from workbench.parallel import map_in_processes
from workbench.progress import Report

METHODS = {
    "simultaneous: all thresholds": "simultaneous",
    "one question: ε fixed in advance": "one question",
    "pointwise: threshold fixed in advance": "pointwise",
    "held-out": "held-out",
    "anytime": "anytime",
}

#: Methods whose audits are simulated by drawn counts.
COUNTED = ("simultaneous", "one question")

#: log₁₀ of the ends of the slider and the charts.
SPAN = (2.0, 6.0)

#: Points of a power curve, as multiples of the n needed.
FACTORS = (0.1, 0.25, 0.45, 0.65, 0.85, 1.0, 1.2, 1.6, 2.5, 5.0)

#: log₁₀ of the sizes at which bounds are simulated, and numbers of audits. Complete audits of a
#: million scores would take minutes.
GRID = tuple(np.arange(2.0, 6.01, 0.25).tolist())

COARSE = tuple(np.arange(2.0, 5.01, 0.5).tolist())

REPS, FEW, LIVE = 400, 40, 24

PAIR = pair_parameters("pair")

ASKED = ("log_delta", "confidence")

AIM = ("target", "power")

SETTINGS = (*PAIR, *ASKED, "method", *AIM, "seed")

#: Pairs whose scores have ties: even a single power needs complete simulated audits.
TIED = ("randomized-response",)


@dataclass(frozen=True)
class Plan:
    """Simulation results for one method, complete or partial.

    Attributes
    ----------
    asked : tuple
        The settings of the simulation.
    needed : SampleSize or str, optional
        The sample size, or why none suffices.
    curve : tuple of Power
        Power at several sample sizes.
    bounds : tuple of BoundDistribution
        Distribution of the bound at several sample sizes.
    """

    asked: tuple[Any, ...]
    needed: SampleSize | str | None = None
    curve: tuple[Power, ...] = ()
    bounds: tuple[BoundDistribution, ...] = ()


class SampleSizes(Part):
    """Sample sizes and distributions of bounds, for the pair that is assumed."""

    method = param.Selector(
        default="simultaneous",
        objects=METHODS,
        label="Bound",
        doc="“Threshold fixed in advance” is the best one for the pair, chosen before the scores "
        "are seen.",
    )

    target = param.Number(
        1.5,
        bounds=(0, 10),
        step=0.05,
        label="Target ε",
        doc="The claim to refute, or ε to show.",
    )

    power = param.Number(
        0.8,
        bounds=(0.5, 0.95),
        step=0.05,
        label="Power",
        doc="Probability that the bound exceeds the target.",
    )

    log_n = LogNumber(
        3.0,
        bounds=SPAN,
        step=0.05,
        whole=True,
        label="Scores per group",
        doc="Number of members, and of non-members. You can also drag the line in the charts.",
    )

    seed = param.Integer(0, bounds=(0, 99), label="Seed", doc="Seed of all simulations.")

    plan = param.Parameter(None, precedence=-1, doc="A `Plan`, partial or complete.")

    def start(self, given: frozenset[str]) -> None:
        """Show the stored simulation of the first settings."""
        if (stored := first_result(self.page, "simulate", "plan")) is not None:
            plan = plan_of(stored, self.asked(), self.pair())
            self.page.work.show_stored("simulate", plan)

    @property
    def n(self) -> int:
        """Scores per group."""
        return round(10**self.log_n)

    @derived(needs=PAIR)
    def pair(self) -> Pair:
        """The assumed pair."""
        return self.page.chosen.pair()

    @derived(needs=("pair", "log_delta"))
    def truth(self) -> float:
        """ε of the pair at the chosen δ."""
        return float(self.pair().epsilon(self.page.delta.value))

    @derived(needs=("truth", "target"))
    def reachable(self) -> bool:
        """Whether the target is below the true ε, so that some number of scores shows it."""
        return self.target < self.truth()

    @derived(needs=("pair", *ASKED, *AIM), shared=True)
    def known(self) -> SampleSize | str:
        """Exact sample size with a threshold fixed in advance, or why none suffices."""
        return _needed(self.arguments("pointwise"), self.target, self.power)

    @derived(needs=("known",), shared=True)
    def known_curve(self) -> tuple[Power, ...]:
        """Power at several sample sizes, with a threshold fixed in advance."""
        known = self.known()
        if isinstance(known, str):
            return ()
        power = partial(sample_size.power, known.power.pair, claim_epsilon=self.target)
        asked = {
            "delta": self.page.delta.value,
            "confidence": self.page.confidence,
            "guarantee": "pointwise",
        }
        return tuple(power(n=n, **asked) for n in _around(known.n))

    @derived(needs=("pair", *ASKED, "seed"), shared=True)
    def known_bounds(self) -> tuple[BoundDistribution, ...]:
        """Distributions of the bound, with a threshold fixed in advance."""
        asked = self.arguments("pointwise")
        return tuple(_distribution(asked, REPS, 10**log_n) for log_n in GRID)

    @derived(needs=("pair", *ASKED, "method", "target", "log_n", "seed"), shared=True)
    def live_power(self) -> Power | None:
        """Power at n; None if it needs complete simulated audits."""
        if not self.quick:
            return None
        return sample_size.power(**self.arguments(self.method), claim_epsilon=self.target, n=self.n)

    @derived(needs=("pair", *ASKED, "method", "log_n", "seed"), shared=True)
    def live_bounds(self) -> BoundDistribution | None:
        """Distribution of the bound at n; None if it needs complete simulated audits."""
        if not self.quick:
            return None
        reps = REPS if self.method == "pointwise" else LIVE
        return _distribution(self.arguments(self.method), reps, self.n)

    @property
    def quick(self) -> bool:
        """Whether the bound is simulated at once, without the job."""
        counted = self.method in COUNTED and self.page.pair_kind not in TIED
        return counted or self.method == "pointwise"

    def arguments(self, guarantee: str) -> dict[str, Any]:
        """Arguments of `workbench.plan` and its kind for a guarantee."""
        return {
            "pair": self.pair(),
            "delta": self.page.delta.value,
            "confidence": self.page.confidence,
            "guarantee": guarantee,
            "seed": self.seed,
        }

    @derived(needs=("plan", *SETTINGS))
    def own(self) -> Plan | None:
        """The simulation if it was made with the present settings, else None."""
        plan: Plan | None = self.plan
        if plan is None or self.method == "pointwise" or plan.asked != self.asked():
            return None
        return plan

    def asked(self) -> tuple[Any, ...]:
        """The settings that the simulation depends on."""
        return tuple(getattr(self.page, name) for name in SETTINGS)

    @job("Simulate this bound", needs=SETTINGS, into="plan")
    def simulate(self, report: Report) -> Plan:
        """Computes the sample size, the power curve and the bounds, on all processor cores."""
        asked, plan = self.arguments(self.method), Plan(self.asked())
        grid, reps = (GRID, LIVE) if self.quick else (COARSE, FEW)
        # The largest first: the slowest tasks should not be the last ones.
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


def stored_of(plan: Plan) -> dict[str, Any]:
    """A simulation as JSON values, without the pair; bounds in six digits."""
    needed = plan.needed
    return {
        "needed": needed
        if not isinstance(needed, SampleSize)
        else {"n": needed.n, "power": _power_values(needed.power), "wanted": needed.wanted},
        "curve": [_power_values(power) for power in plan.curve],
        "bounds": [
            {
                **{name: value for name, value in vars(one).items() if name != "pair"},
                "values": [float(f"{value:.6g}") for value in one.values],
            }
            for one in plan.bounds
        ],
    }


def plan_of(stored: Mapping[str, Any], asked: tuple[Any, ...], pair: Pair) -> Plan:
    """The simulation of `stored_of`, with these settings and of this pair."""
    needed = stored["needed"]
    if isinstance(needed, dict):
        needed = SampleSize(**{**needed, "power": Power(pair=pair, **needed["power"])})
    curve = tuple(Power(pair=pair, **power) for power in stored["curve"])
    bounds = tuple(
        BoundDistribution(**{**one, "pair": pair, "values": np.array(one["values"], dtype=float)})
        for one in stored["bounds"]
    )
    return Plan(asked, needed, curve, bounds)


def _power_values(power: Power) -> dict[str, Any]:
    return {name: value for name, value in vars(power).items() if name != "pair"}


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
