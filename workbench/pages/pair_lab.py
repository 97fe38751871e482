"""A pair with known truth, samples drawn from it, and how often which bound overstates."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import param
from numpy.typing import NDArray

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.counts.threshold import epsilon_at_threshold, error_rates
from workbench.bounds.estimates import total_variation_estimate
from workbench.bounds.parametric.gdp_fit import gdp_fit
from workbench.bounds.simultaneous.band import TradeoffBand, tradeoff_band
from workbench.curves.error_rates import epsilon_of_point
from workbench.estimators.histogram import RANGE_TAIL, Histogram, histogram
from workbench.estimators.roc import Roc, roc
from workbench.figures import pair as pair_charts
from workbench.figures import scores as charts
from workbench.figures.past_bounds import past_bounds
from workbench.pages.core.page import Control, Fact, Page, Section, derived, figure, number
from workbench.pages.inputs.pair import chosen_pair, pair_choice, pair_controls, pair_parameters
from workbench.pairs.accounting.accounted import AccountedPair
from workbench.pairs.accounting.composed import ComposedPair
from workbench.pairs.base import Pair
from workbench.pairs.gdp_tangent import Meeting, meeting_point, symmetric_local_mu
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair
from workbench.scores.sample import Scores

#: Thresholds among which the best-looking one is picked, as a person who drags would.
THRESHOLDS = 201

#: Draws at a press, and samples a side that they may have together.
MANY, MOST_DRAWN = 100, 4_000_000

DRAWS = "New samples, for the chart of past bounds; fewer where samples are large."

#: Releases that are simulated for one side; a chart under a moving slider waits for them.
MOST_RELEASES = 1_000_000

#: False positive rates at which local μ is drawn.
ALPHAS = 161

PICKED = "threshold picked because of its bound"
HIDDEN = Fact("?", "hidden: make a guess first")

PAIR = (*pair_parameters("pair"), "releases")
SAMPLE = (*PAIR, "log_n", "seed")
ASKED = ("log_delta", "confidence")


class PairLabPage(
    Page, pair_choice("pair", optional=False, label="Pair", default="subsampled-gaussian")
):
    """State and drawings of the page."""

    title = "Truth and estimate"
    about = (
        "Draw scores from a pair whose privacy loss is known, and see what an audit makes of it."
    )

    releases = param.Integer(
        1, bounds=(1, 20), label="Releases k", doc="Independent releases, all of them seen."
    )
    log_n = param.Number(
        4.0, bounds=(2, 6), step=0.25, label="log₁₀ of the samples a side", doc="4 is 10,000."
    )
    log_delta = param.Number(
        -5.0, bounds=(-12, -1), step=0.5, label="log₁₀ δ", doc="The δ of (ε, δ)."
    )
    log_floor = param.Number(
        -4.5,
        bounds=(pair_charts.LEAST_LOG_ALPHA, -0.5),
        step=0.1,
        label="log₁₀ of the floor",
        doc="Error rates below it do not count for the tight μ.",
    )
    confidence = param.Selector(
        default=0.95, objects={percent(c): c for c in (0.9, 0.95, 0.99)}, label="Confidence"
    )
    draw_again = param.Event(label="Draw again", doc="A new sample of the same pair.")
    draw_many = param.Event(label=f"Draw {MANY}", doc=DRAWS)
    hide_truth = param.Boolean(False, label="Hide the truth", doc="To guess before you look.")

    seed = param.Integer(0, precedence=-1, doc="Seed of the sample in view.")
    past = param.Parameter((), precedence=-1, doc="Both bounds of every draw so far.")

    controls: ClassVar[tuple[Section, ...]] = (
        Section("Pair", (*pair_controls("pair"), Control("releases"))),
        Section("Sample", (Control("log_n"), Control("draw_again"), Control("draw_many"))),
        Section("Audit", (Control("log_delta"), Control("confidence"))),
        Section("Truth", (Control("log_floor"), Control("hide_truth"))),
    )

    def __init__(self, **params: Any):
        super().__init__(**params)
        self.param.watch(self._again, "draw_again")
        self.param.watch(self._many, "draw_many")
        self.param.watch(self._restart, [*PAIR, "log_n", *ASKED])
        self._restart()

    def _restart(self, *events: Any) -> None:
        """Bounds of another pair, size, δ or confidence are no comparison."""
        self.past = (self.both(),)

    def _again(self, *events: Any) -> None:
        self.seed += 1
        self.past = (*self.past, self.both())

    def _many(self, *events: Any) -> None:
        drawn: list[tuple[float, float]] = []
        many = min(MANY, max(MOST_DRAWN // (self.n * self.releases), 1))
        if many < MANY:
            self.message = f"Drew {many}, not {MANY}: samples of {self.n:,} a side take long."
        try:
            for _ in range(many):
                self.seed += 1
                drawn.append(self.both())
        except KeyboardInterrupt:
            self.message = f"Interrupted after {len(drawn)} of {many} draws."
        self.past = (*self.past, *drawn)

    # -- results, each computed once a state ---------------------------------------------------

    @property
    def n(self) -> int:
        """Samples a side; fewer where many releases would take too long to draw."""
        return min(round(10**self.log_n), MOST_RELEASES // self.releases)

    @property
    def delta(self) -> float:
        """The δ that the slider shows."""
        return float(10**self.log_delta)

    @derived(needs=PAIR)
    def pair(self) -> Pair:
        """The pair as chosen."""
        pair = chosen_pair(self, "pair")
        if pair is None:
            raise ValueError("choose a pair to sample from")
        # Releases that leak nothing have equal losses, and one of them is as good as all.
        if self.releases == 1 or pair.total_variation == 0:
            return pair
        return ComposedPair(pair, self.releases)

    @derived(needs=SAMPLE)
    def scores(self) -> Scores:
        """The sample in view."""
        return self.pair().sample(self.n, seed=self.seed)

    @derived(needs=("scores",))
    def histogram(self) -> Histogram:
        """Both sides in bins by Scott's rule."""
        return histogram(self.scores())

    @derived(needs=("scores",))
    def roc(self) -> Roc:
        """All threshold attacks on this sample."""
        return roc(self.scores())

    @derived(needs=("histogram",))
    def fit(self) -> Bound:
        """The Gaussian curve with the histogram's total variation."""
        return gdp_fit(self.histogram(), "tv")

    @derived(needs=("scores", "confidence"))
    def band(self) -> TradeoffBand:
        """Limits at all thresholds at once."""
        return tradeoff_band(self.scores(), self.confidence)

    @derived(needs=("scores",))
    def reach(self) -> tuple[float, float]:
        """Where thresholds are tried."""
        low, high = self.scores().quantile([RANGE_TAIL, 1 - RANGE_TAIL])
        return float(low), float(high)

    @derived(needs=("scores", "reach", *ASKED))
    def best_threshold(self) -> float:
        """The threshold with the largest pointwise bound, as somebody who drags would find it."""
        s = self.scores()
        thresholds = np.linspace(*self.reach(), THRESHOLDS)
        rates = error_rates(s, thresholds, self.confidence)
        bounds = epsilon_of_point(rates.fpr_upper, rates.fnr_upper, self.delta)
        return float(thresholds[np.argmax(bounds)])

    @derived(needs=("band", "best_threshold", *ASKED))
    def both(self) -> tuple[float, float]:
        """The simultaneous bound on ε, and the pointwise one at the best threshold."""
        return self.epsilon().value, self.epsilon_best().value

    @derived(needs=PAIR)
    def true_local_mu(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """log₁₀ α up to where both error rates are the same, and the symmetrised local μ there."""
        last = max((1 - self.pair().total_variation) / 2, 10.0**pair_charts.LEAST_LOG_ALPHA)
        log_alpha = np.linspace(pair_charts.LEAST_LOG_ALPHA, np.log10(last), ALPHAS)
        return log_alpha, symmetric_local_mu(self.pair(), 10.0**log_alpha)

    @derived(needs=(*PAIR, "log_floor"))
    def tight(self) -> tuple[float, Meeting | None]:
        """The tight μ, and where its Gaussian meets the pair."""
        floor = 10.0**self.log_floor
        return self.pair().gdp_mu(floor), meeting_point(self.pair(), floor)

    @derived(needs=(*PAIR, "log_delta"))
    def epsilon_truth(self) -> float:
        """The pair's own ε at this δ, or the accountant's upper limit."""
        return float(self.pair().epsilon(self.delta))

    # -- the strip of numbers ------------------------------------------------------------------

    @number("ε lower bound", needs=("band", "log_delta"))
    def epsilon(self) -> Bound:
        """From limits that hold at all thresholds at once."""
        return self.band().epsilon(self.delta)

    @number(
        "ε at the best threshold",
        needs=("best_threshold", *ASKED),
        caution="Its level was meant for one threshold chosen beforehand.",
    )
    def epsilon_best(self) -> Bound:
        """The largest of all pointwise bounds: what dragging until it looks good gives."""
        t = self.best_threshold()
        return epsilon_at_threshold(self.scores(), t, self.delta, self.confidence).voided(PICKED)

    @number("True ε", needs=("epsilon_truth", "hide_truth"))
    def true_epsilon(self) -> Fact:
        """The pair's own ε at this δ; of many releases it may be the accountant's upper limit."""
        return self._truth(self.epsilon_truth())

    @number(
        "TV by histogram",
        needs=("histogram",),
        caution="A maximum of noise: with few samples it lies above the truth.",
    )
    def histogram_tv(self) -> Bound:
        """Estimated distance of the two histograms."""
        return total_variation_estimate(self.histogram())

    @number("True TV", needs=(*PAIR, "hide_truth"))
    def true_total_variation(self) -> Fact:
        """The pair's own total variation distance."""
        return self._truth(self.pair().total_variation)

    @number(
        "Tight μ",
        needs=("tight", "hide_truth"),
        formula="max Φ⁻¹(1−α) − Φ⁻¹(f(α)) over α, f(α) ≥ floor",
        caution="It means nothing without its floor: many pairs have a larger one below.",
    )
    def tight_mu(self) -> Fact:
        """The smallest μ for which the pair is GDP, as far as error rates above the floor go."""
        if self.hide_truth:
            return HIDDEN
        mu, meeting = self.tight()
        floor = plain(10.0**self.log_floor)
        note = f"both error rates ≥ {floor}"
        if meeting is None:
            note = f"the whole curve lies below the floor {floor}, and counts as lying on it"
        return Fact(round_safely(mu, "nearest", 4), note)

    @number(
        "Simultaneous, above the truth",
        needs=("past", "epsilon_truth", *ASKED, "hide_truth"),
        caution="The promise is about many draws; a few may be unlucky.",
    )
    def simultaneous_above(self) -> Fact:
        """Draws whose simultaneous bound exceeds the true ε."""
        return self._above(0, f"promised: at most {percent(1 - self.confidence)} of draws")

    @number(
        "Best threshold, above the truth", needs=("past", "epsilon_truth", *ASKED, "hide_truth")
    )
    def best_above(self) -> Fact:
        """Draws whose bound at the best threshold exceeds the true ε."""
        kept = f"{percent(1 - self.confidence)} is promised for one threshold fixed beforehand only"
        return self._above(1, kept)

    @number("Samples", needs=("log_n", "releases", "seed"))
    def sizes(self) -> Fact:
        """Members (P) and non-members (Q)."""
        fewer = self.n < round(10**self.log_n)
        note = f"seed {self.seed}" + (f"; no more for {self.releases} releases" if fewer else "")
        return Fact(f"{self.n:,} a side", note)

    def _truth(self, value: float) -> Fact:
        if self.hide_truth:
            return HIDDEN
        pair = self.pair()
        if isinstance(pair, AccountedPair) and not pair.exact:
            if np.isinf(value):
                return Fact("∞", "the accountant does not resolve such a δ")
            return Fact(round_safely(value, "up"), "upper limit, by accounting")
        return Fact(round_safely(value, "nearest"), "exact, from the pair's formula")

    def _above(self, which: int, note: str) -> Fact:
        if self.hide_truth:
            return HIDDEN
        true = self.epsilon_truth()
        count = sum(bounds[which] > true for bounds in self.past)
        return Fact(f"{count} of {len(self.past)}", note)

    # -- the charts ----------------------------------------------------------------------------

    @figure("Score distributions", needs=("histogram", "best_threshold", "reach"), span=6)
    def distributions(self) -> dict[str, Any]:
        """Histograms of both sides; the line is the threshold with the largest bound."""
        return charts.histograms(self.histogram(), self.best_threshold(), self.reach())

    @figure(
        "Trade-off curve",
        needs=("roc", "histogram", "band", "best_threshold", "fit", *PAIR, "hide_truth"),
        span=6,
        caution="The certified curve lies above the truth in most samples, the observed one below.",
    )
    def tradeoff(self) -> dict[str, Any]:
        """Error rates of every attack on this sample; the reference is the pair itself."""
        return charts.tradeoff(
            self.roc(),
            self.histogram(),
            self.band(),
            error_rates(self.scores(), self.best_threshold(), self.confidence),
            self.fit(),
            None if self.hide_truth else self.pair(),
        )

    @figure(
        "μ at every error rate",
        needs=("true_local_mu", "band", "tight", "hide_truth"),
        span=6,
        formula="μ(α) = Φ⁻¹(1−α) − Φ⁻¹(f(α)), f symmetrised",
        caution="A μ without a floor means nothing: where μ(α) rises as α → 0, as for q = 0.25, "
        "σ = 0.3, a lower floor gives a larger one. The 1/0.404 = 2.475 that Koskela & "
        "Mohammadi (2024) print for that pair is where their search stopped (floor 3.17e-5 gives "
        "2.471), and 1/σ = 3.33 the limit.",
        drag={"floor": "log_floor"},
    )
    def mu_at_rates(self) -> dict[str, Any]:
        """One μ covers a Gaussian pair; others need a larger one at rarer errors. Drag the floor.

        Each α stands for its mirror image too, where the two error rates are exchanged.
        """
        log_alpha, local = self.true_local_mu()
        if self.hide_truth:
            log_alpha = np.linspace(pair_charts.LEAST_LOG_ALPHA, np.log10(0.5), ALPHAS)
        pair = self.pair()
        rises = isinstance(pair, SubsampledGaussianPair) and pair.q < 1
        return pair_charts.mu_at_rates(
            log_alpha,
            None if self.hide_truth else local,
            symmetric_local_mu(self.band(), 10.0**log_alpha),
            self.confidence,
            self.log_floor,
            self.tight()[0],
            1 / self.pair_sigma if rises else None,
        )

    @figure(
        "Privacy profile and tight μ",
        needs=("band", "tight", *PAIR, "log_delta", "hide_truth"),
        span=6,
        caution="Koskela & Mohammadi (2024, Appendix A) look for a Gaussian profile that touches "
        "the pair's, with equal value and slope. Where μ(α) still rises at the floor there is "
        "none: the two cross, and beyond the crossing the pair leaks more than this μ says.",
    )
    def profile(self) -> dict[str, Any]:
        """The pair's own δ(ε), and that of a Gaussian pair with the tight μ."""
        pair = None if self.hide_truth else self.pair()
        return pair_charts.profile_of_truth(pair, self.band(), self.delta, *self.tight())

    @figure("Past bounds", needs=("past", "epsilon_truth", "hide_truth"), span=12)
    def bounds_so_far(self) -> dict[str, Any]:
        """Both bounds of every draw. A dot above the line claims a leak that is not there."""
        return past_bounds(self.past, None if self.hide_truth else self.epsilon_truth())

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is what ``wb.explore_pair`` restores."""
        pair = chosen_pair(self, "pair") or self.pair()
        arguments = ", ".join(f"{name}={value!r}" for name, value in pair.parameters.items())
        base = made = f"wb.{type(pair).__name__}({arguments})"
        if isinstance(self.pair(), ComposedPair):
            made = f"wb.ComposedPair({made}, {self.releases})"
        level = f"confidence={self.confidence!r}"
        asked = f"delta={self.delta!r}, {level}"
        return "\n".join(
            [
                "import workbench as wb",
                "",
                f"pair = {made}",
                f"scores = pair.sample({self.n}, seed={self.seed})",
                f"epsilon = wb.epsilon_lower_bound(scores, {asked})",
                f"true_epsilon = pair.epsilon({self.delta!r})",
                "h = wb.histogram(scores)",
                "true_total_variation = pair.total_variation",
                f"tight_mu = pair.gdp_mu(floor={plain(10.0**self.log_floor)})",
                f"view = wb.explore_pair({base}, spec={spec!r})",
                "",
            ]
        )
