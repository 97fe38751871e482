"""`SelectionBounds`: bounds on the privacy of a selection, and the worst score order found."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from workbench._format import plain, round_safely
from workbench.bounds.bound import Bound
from workbench.claims.approx import ApproxDP
from workbench.curves.tradeoff import TradeoffCurve
from workbench.figures.selection import bounds as charts
from workbench.pages.core.page import Answer, Fact, answer, derived, figure, number, sentence
from workbench.pages.core.part import Part
from workbench.pages.inputs.claims.risk import risk_without_scores
from workbench.pages.selection.choice import FAMILY, ONE_RUN
from workbench.pairs.accounting.dpsgd import DPSGDPair
from workbench.pairs.gaussian import GaussianPair
from workbench.selection import renyi
from workbench.selection.base_pair import base_renyi
from workbench.selection.bounds import epsilon
from workbench.selection.composition import composed_runs
from workbench.selection.curve import tradeoff_curve
from workbench.selection.runs import RunCount
from workbench.selection.worst_order import WorstOrder, worst_order

#: Numbers of δ, run counts and Rényi orders at which curves are drawn.
DELTAS, COUNTS, ORDERS = 41, 9, 40

#: Numbers of ε at which the bound by composition is drawn, and the multiple of the worst order
#: found beyond which it would hide the other curves.
CELLS, MUCH_LARGER = 81, 4


class SelectionBounds(Part):
    """Bounds on the privacy of the selection, which need no samples."""

    def about_risk(self) -> dict[str, Any]:
        """What is proven for any score, as a claim."""
        limit = self.any_score().value
        proven = ApproxDP(float(round_safely(limit, "up", 6)), self.page.delta.value)
        return risk_without_scores(proven if math.isfinite(limit) else None)

    # -- results -----------------------------------------------------------------------------------

    @derived(needs=("runs", "one_mu", "log_delta"), shared=True)
    def direct(self) -> Bound:
        """The direct bound, exact for a monotone score."""
        return self._bound("direct")

    @derived(needs=("runs", "one_mu", "log_delta"), shared=True)
    def renyi(self) -> Bound:
        """The improved Rényi bound for a monotone score."""
        return self._bound("renyi")

    @derived(needs=("runs", "one_mu", "log_delta"), shared=True)
    def generic(self) -> Bound | None:
        """The generic bound for any score, or None if there is none for these run counts."""
        return None if renyi.generic_refusal(self.page.runs()) else self._bound("generic")

    @derived(needs=("runs", "one_mu", "log_delta"), shared=True)
    def composition(self) -> Bound:
        """The bound by composition, for any score and any run count."""
        return self._bound("composition")

    @derived(needs=("generic", "composition"))
    def any_score(self) -> Bound:
        """The smaller of the bounds for any score."""
        generic, composition = self.generic(), self.composition()
        return composition if generic is None or composition.value < generic.value else generic

    @derived(needs=("runs", "one_mu", "log_delta"), shared=True)
    def worst(self) -> WorstOrder:
        """The score order with the largest leak found."""
        return worst_order(self.page.runs(), self.page.one_mu(), delta=self.page.delta.value)

    @derived(needs=("runs", "one_mu"), shared=True)
    def curve(self) -> TradeoffCurve:
        """Trade-off function of the release under a monotone score."""
        return tradeoff_curve(self.page.runs(), self.page.one_mu())

    def _bound(self, bound: str) -> Bound:
        return epsilon(
            self.page.runs(), self.page.one_mu(), delta=self.page.delta.value, bound=bound
        )

    # -- the answer and the strip of numbers -------------------------------------------------------

    @answer(needs=("one_epsilon", "direct", "worst", "any_score", "runs"))
    def answer(self) -> Answer:
        """What the release of the best run costs beyond one run."""
        one, limit, runs = self.page.one_epsilon(), self.any_score(), self.page.runs()
        single = f"ε = {round_safely(one, 'nearest')}"
        if runs.mean <= 1:
            return Answer("Selection costs nothing", f"there is a single run, of {single}", "good")
        least = max((self.worst().bound, self.direct()), key=lambda bound: bound.value)
        proven = f"ε ≤ {limit.rounded} is proven for any score"
        at = f"at δ = {plain(self.page.delta.value)}"
        said = (
            f"one run has {single}; releasing the best of {_count(runs)} on average reaches ε = "
            f"{round_safely(least.value, 'down')} {at} for some score; {proven}"
        )
        if least.value <= one:
            return Answer("No cost of selection is shown", said)
        return Answer("Selection costs privacy", said, "bad")

    @number(
        "One run",
        needs=("one_epsilon",),
        caution="Does not hold for the best of several runs, although it is often reported for it.",
    )
    def base(self) -> Fact:
        """ε of a single run at the chosen δ."""
        shown = round_safely(self.page.one_epsilon(), "nearest")
        return Fact(f"ε = {shown}", f"N(0,1) against N({plain(self.page.one_mu())}, 1)")

    @number(
        "Exact, if scores rank by privacy loss",
        needs=("direct",),
        formula="Hockey-stick divergence of the densities G'(F) f of the release.",
        caution="Not an upper bound for other scores. Whether a score is monotone in the privacy "
        "loss is usually unknown, unless it was constructed that way.",
    )
    def direct_number(self) -> Bound:
        """Exact ε if the selection score is monotone in the privacy loss of a run."""
        return self.direct()

    @number(
        "Rényi bound, if scores rank by privacy loss",
        needs=("renyi",),
        formula="Rényi divergence of the same densities, converted to ε at δ.",
        caution="Same assumption as the exact value, which is never above this bound.",
    )
    def renyi_number(self) -> Bound:
        """Upper bound if the selection score is monotone in the privacy loss of a run."""
        return self.renyi()

    @number(
        "Worst case found (search)",
        needs=("worst",),
        caution="A lower bound on the worst case over all scores. Another score may leak more.",
        main=True,
    )
    def worst_number(self) -> Bound:
        """Largest ε among the selection scores that the search tried."""
        return self.worst().bound

    @number(
        "Any score (proven)",
        needs=("any_score",),
        formula="The smaller of Papernot & Steinke (2022), Theorems 2 and 6, converted from Rényi "
        "divergence, and composition: δ(ε) ≤ Σ ξ(k) δ_k(ε), with δ_k of all k runs together.",
        main=True,
    )
    def generic_number(self) -> Bound:
        """Upper bound that holds for every selection score; see `holds` for which of the two."""
        return self.any_score()

    @number(
        "Composition of all runs (proven)",
        needs=("composition",),
        formula="δ(ε) ≤ Σ ξ(k) δ_k(ε): the release is a function of the number of runs k, drawn "
        "independently of the data, and of all k outputs.",
        caution="Says little where many runs are likely.",
    )
    def composition_number(self) -> Bound:
        """Upper bound for every score and every number of runs."""
        return self.composition()

    @number("Mean number of runs", needs=("runs",))
    def mean_runs(self) -> Fact:
        """Expected number of runs, and their distribution."""
        runs = self.page.runs()
        return Fact(_count(runs), runs.name)

    @number(
        "DP-SGD without Gaussian approximation",
        needs=("runs", *ONE_RUN, "log_delta"),
        slow=True,
        caution="Uses the trade-off function of the training itself. Assumes that scores rank by "
        "privacy loss.",
    )
    def exact_number(self) -> Bound | Fact:
        """ε for the trade-off function of DP-SGD, if scores rank by privacy loss."""
        if self.page.base_kind != "dp-sgd":
            return Fact("–", "only if one run is given as DP-SGD")
        training = _training(self.page.choice.noise, self.page.choice.rate, self.page.steps)
        return epsilon(self.page.runs(), base=training, delta=self.page.delta.value)

    # -- in plain words ----------------------------------------------------------------------------

    @sentence(needs=("one_epsilon", "direct", "worst", "runs"))
    def understated(self) -> str:
        """How much the ε of one run understates the leak of the selection."""
        one, direct, worst = self.page.one_epsilon(), self.direct(), self.worst()
        if self.page.runs().mean <= 1:
            return "There is a single run, so selection has no privacy cost."
        said = (
            f"Reporting the ε of one run ({round_safely(one, 'nearest')}) understates the leak of "
            f"releasing the best of {_count(self.page.runs())} runs on average: ε is "
            f"{direct.rounded} if scores rank by privacy loss"
        )
        if worst.bound.value > direct.value:
            factor = f", {worst.bound.value / one:.1f} times that of one run" if one else ""
            return f"{said}, and at least {worst.bound.rounded} for some other score{factor}."
        return f"{said}. The search found no score that leaks more."

    @sentence(needs=("generic", "composition", "worst", "direct"))
    def holds(self) -> str:
        """Which bounds hold for which scores, and between which the worst score lies."""
        limit, worst = self.any_score(), self.worst().bound
        said = "The exact value and the Rényi bound hold only if scores rank by privacy loss. "
        generic = self.generic()
        if generic is None:
            reason = "by composition; the generic bound is not for this distribution of the number"
        elif limit is generic:
            reason = f"by the generic bound; composition gives {self.composition().rounded}"
        else:
            reason = f"by composition; the generic bound gives {generic.rounded}"
        return (
            f"{said}For any score, ε ≤ {limit.rounded} is proven {reason}. The worst score lies "
            f"between {worst.rounded}, of the worst order found, and {limit.rounded}."
        )

    @sentence(needs=("base_kind", "reduction", "log_rate"))
    def reduced(self) -> str:
        """The validity of the Gaussian approximation of DP-SGD."""
        if self.page.base_kind != "dp-sgd":
            return ""
        if self.page.reduction == "G":
            return "The central limit is an approximation for many steps, not a bound."
        if self.page.log_rate < 0:
            return (
                "The full-batch formula ignores that batches are random. With τ < 1, all numbers "
                "except “DP-SGD without Gaussian approximation” may be too small."
            )
        return "With full batches (τ = 1), the full-batch formula is exact."

    # -- the charts --------------------------------------------------------------------------------

    @figure(
        "ε against δ",
        needs=("one_epsilon", "direct", "renyi", "generic", "composition", "worst", "curve"),
        caution="The worst order was found for the chosen δ. At another δ, another order may leak "
        "more.",
    )
    def profile(self) -> dict[str, Any]:
        """ε of the selection lies between these curves. The dots mark the chosen δ."""
        runs, mu = self.page.runs(), self.page.one_mu()
        low = min(-12.0, self.page.log_delta)
        deltas = np.union1d(np.logspace(low, -1, DELTAS), self.page.delta.value)
        orders = np.array(renyi.ORDERS)
        some = orders[:: max(1, orders.size // ORDERS)]
        by_order = renyi.monotone_divergence(runs, mu, some)
        found = tradeoff_curve(runs, mu, score=self.worst().order)
        curves: dict[charts.Style, Any] = {}
        here: dict[charts.Style, float] = {}
        generic = self.generic()
        if generic is not None:
            any_score = renyi.generic_divergence(runs, orders, base_renyi(GaussianPair(mu), orders))
            curves[charts.GENERIC] = _converted(orders, any_score, deltas)
            here[charts.GENERIC] = generic.value
        if self._shown(self.composition().value):
            composed = composed_runs(runs, GaussianPair(mu), float(deltas.min()))
            curves[charts.COMPOSITION] = composed.read_off(deltas, CELLS)
            here[charts.COMPOSITION] = self.composition().value
        direct = self.curve().epsilon(deltas)
        # The monotone order is among those tried, and may leak more at another δ.
        curves[charts.WORST] = np.maximum(found.epsilon(deltas), direct)
        curves[charts.RENYI] = _converted(some, by_order, deltas)
        curves[charts.DIRECT] = direct
        curves[charts.BASE] = GaussianPair(mu).epsilon(deltas)
        here |= {
            charts.WORST: self.worst().bound.value,
            charts.RENYI: self.renyi().value,
            charts.DIRECT: self.direct().value,
            charts.BASE: self.page.one_epsilon(),
        }
        return charts.profiles(
            {e: (deltas, y) for e, y in curves.items()}, here, self.page.delta.value
        )

    def _shown(self, composition: float) -> bool:
        """Whether the bound by composition is near enough to the others for one chart."""
        return composition <= MUCH_LARGER * self.worst().bound.value

    @derived(needs=(*FAMILY, "one_mu", "log_delta"), shared=True)
    def by_mean(self) -> tuple[np.ndarray, dict[charts.Style, np.ndarray]]:
        """Every bound at several mean numbers of runs."""
        low = 0.3 if self.page.runs_kind == "two-point" else 0.1
        counts = [self.page.choice.runs_of(size) for size in np.linspace(low, 4, COUNTS)]
        mu, delta = self.page.one_mu(), self.page.delta.value
        curves = {}
        if not any(renyi.generic_refusal(runs) for runs in counts):
            curves[charts.GENERIC] = [
                epsilon(runs, mu, delta=delta, bound="generic").value for runs in counts
            ]
        found = [worst_order(runs, mu, delta=delta) for runs in counts]
        composed = [epsilon(r, mu, delta=delta, bound="composition").value for r in counts]
        curves[charts.COMPOSITION] = [
            limit if limit <= MUCH_LARGER * float(worst) else np.nan
            for limit, worst in zip(composed, found, strict=True)
        ]
        curves[charts.WORST] = [float(worst) for worst in found]
        curves[charts.DIRECT] = [worst.monotone for worst in found]
        curves[charts.BASE] = [float(GaussianPair(mu).epsilon(delta))] * COUNTS
        means = np.array([runs.mean for runs in counts])
        return means, {entry: np.array(y) for entry, y in curves.items()}

    @figure(
        "ε against the number of runs",
        needs=("by_mean", "runs", "one_epsilon", "direct", "generic", "composition", "worst"),
    )
    def against_runs(self) -> dict[str, Any]:
        """Bounds on ε against the mean number of runs. Dots mark the chosen number.

        Composition is drawn up to four times the worst order found.
        """
        means, curves = self.by_mean()
        here = {
            charts.WORST: self.worst().bound.value,
            charts.DIRECT: self.direct().value,
            charts.BASE: self.page.one_epsilon(),
        }
        generic, composition = self.generic(), self.composition().value
        if generic is not None:
            here[charts.GENERIC] = generic.value
        if self._shown(composition):
            here[charts.COMPOSITION] = composition
        return charts.against_runs(means, curves, (self.page.runs().mean, here))

    @figure(
        "Worst score order found",
        needs=("worst",),
        caution="Found by a search over orders of blocks, for the chosen δ. Within a block, scores "
        "rank by privacy loss.",
    )
    def order(self) -> dict[str, Any]:
        """If any run lands in the gray block, the selection releases it.

        So a release from the red block shows that no run was in the gray one, and the
        probability of that differs with and without the record.
        """
        worst = self.worst()
        return charts.worst_order(worst.order, worst.event, self.page.one_mu())


def _converted(orders: np.ndarray, divergence: np.ndarray, deltas: np.ndarray) -> np.ndarray:
    return np.array([renyi.epsilon_from_renyi(orders, divergence, d)[0] for d in deltas])


@lru_cache(maxsize=8)
def _training(noise: float, rate: float, steps: int) -> DPSGDPair:
    """Cached, because composing may take a second."""
    return DPSGDPair(noise, rate, steps)


def _count(runs: RunCount) -> str:
    return plain(runs.mean) if runs.mean < 1000 else f"{runs.mean:,.0f}"
