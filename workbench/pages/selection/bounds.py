"""What is known of a selection without any sample: its bounds, and the order that leaks most."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from workbench._format import plain, round_safely
from workbench.bounds.bound import Bound
from workbench.curves.tradeoff import TradeoffCurve
from workbench.figures.selection import bounds as charts
from workbench.pages.core.page import Fact, derived, figure, number, sentence
from workbench.pages.selection.choice import FAMILY, ONE_RUN, SelectionChoice
from workbench.pairs.accounting.dpsgd import DPSGDPair
from workbench.pairs.gaussian import GaussianPair
from workbench.selection import renyi
from workbench.selection.base_pair import base_renyi
from workbench.selection.bounds import epsilon
from workbench.selection.curve import tradeoff_curve
from workbench.selection.runs import RunCount
from workbench.selection.worst_order import WorstOrder, worst_order

#: Values of δ, run counts and Rényi orders at which curves are drawn.
DELTAS, COUNTS, ORDERS = 41, 9, 40


class SelectionBounds(SelectionChoice):
    """Numbers, words and charts of the exact mathematics."""

    # -- results -----------------------------------------------------------------------------------

    @derived(needs=("runs", "one_mu", "log_delta"), shared=True)
    def direct(self) -> Bound:
        """Exact for a monotone score."""
        return self._bound("direct")

    @derived(needs=("runs", "one_mu", "log_delta"), shared=True)
    def renyi(self) -> Bound:
        """SELECT's improved bound."""
        return self._bound("renyi")

    @derived(needs=("runs", "one_mu", "log_delta"), shared=True)
    def generic(self) -> Bound | None:
        """PS22's bound, or None where there is none."""
        return None if renyi.generic_refusal(self.runs()) else self._bound("generic")

    @derived(needs=("runs", "one_mu", "log_delta"), shared=True)
    def worst(self) -> WorstOrder:
        """The largest leakage found."""
        return worst_order(self.runs(), self.one_mu(), delta=self.delta)

    @derived(needs=("runs", "one_mu"), shared=True)
    def curve(self) -> TradeoffCurve:
        """Of the release under a monotone score."""
        return tradeoff_curve(self.runs(), self.one_mu())

    def _bound(self, bound: str) -> Bound:
        return epsilon(self.runs(), self.one_mu(), delta=self.delta, bound=bound)

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
        training = _training(self.noise, self.rate, self.steps)
        return epsilon(self.runs(), base=training, delta=self.delta)

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
        curves: dict[charts.Style, Any] = {}
        here: dict[charts.Style, float] = {}
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

    @derived(needs=(*FAMILY, "one_mu", "log_delta"), shared=True)
    def by_mean(self) -> tuple[np.ndarray, dict[charts.Style, np.ndarray]]:
        """Every bound at several mean numbers of runs."""
        low = 0.3 if self.runs_kind == "two-point" else 0.1
        counts = [self.runs_of(size) for size in np.linspace(low, 4, COUNTS)]
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
        """Any single run in the gray block hides the event: its release tells that none was."""
        worst = self.worst()
        return charts.worst_order(worst.order, worst.event, self.one_mu())


def _converted(orders: np.ndarray, divergence: np.ndarray, deltas: np.ndarray) -> np.ndarray:
    return np.array([renyi.epsilon_from_renyi(orders, divergence, d)[0] for d in deltas])


@lru_cache(maxsize=8)
def _training(noise: float, rate: float, steps: int) -> DPSGDPair:
    """Composed once, since that may take a second."""
    return DPSGDPair(noise, rate, steps)


def _count(runs: RunCount) -> str:
    return plain(runs.mean) if runs.mean < 1000 else f"{runs.mean:,.0f}"
