"""`PairLabPage`: samples from a pair of known privacy loss, and how often bounds exceed it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import param
from numpy.typing import NDArray

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.counts import binomial
from workbench.bounds.counts.threshold import epsilon_at_threshold, error_rates
from workbench.bounds.estimates import checked_against, total_variation_estimate
from workbench.bounds.parametric.gdp_fit import gdp_fit
from workbench.bounds.simultaneous.band import TradeoffBand, tradeoff_band
from workbench.claims.pair import PairClaim
from workbench.curves.error_rates import epsilon_of_point
from workbench.estimators.histogram import RANGE_TAIL, Histogram, histogram
from workbench.estimators.roc import Roc, roc
from workbench.figures import pair as pair_charts
from workbench.figures.compared import Compared
from workbench.figures.past_bounds import past_bounds
from workbench.figures.scores import curves as charts
from workbench.pages.core.page import (
    Answer,
    Control,
    Fact,
    Page,
    Section,
    answer,
    derived,
    figure,
    number,
)
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber, number_of
from workbench.pages.inputs.claims.risk import risk_without_scores
from workbench.pages.inputs.code import call, pair_code, script
from workbench.pages.inputs.known import KnownPairChoice, known_controls, known_parameters
from workbench.pages.inputs.settings import ConfidenceSetting, DeltaSetting
from workbench.pairs.accounting.accounted import AccountedPair
from workbench.pairs.accounting.composed import ComposedPair
from workbench.pairs.base import Pair
from workbench.pairs.gdp_regret import ENOUGH, GDPRegret, gdp_regret
from workbench.pairs.gdp_tangent import Meeting, meeting_point, symmetric_local_mu
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair
from workbench.scores.sample import Scores

#: Number of thresholds among which the best one is chosen.
THRESHOLDS = 201

#: Draws at one press, and their largest total number of samples per group.
MANY, MOST_DRAWN = 100, 4_000_000

DRAWS = (
    "Draws new samples and adds their two bounds to the chart of past bounds. Fewer are drawn if "
    "samples are large."
)

#: Largest number of releases simulated per group, because charts wait for them.
MOST_RELEASES = 1_000_000

#: Number of false positive rates at which local μ is drawn.
ALPHAS = 161

#: Number of draws from which on they say how often a bound exceeds the truth, and the probability
#: with which a bound that keeps its level would have exceeded it as often.
ENOUGH_DRAWS, SIGNIFICANT = 20, 0.01

PICKED = "the threshold was chosen because of its bound"
HIDDEN = Fact("?", "hidden")

PAIR = (*known_parameters("pair"), "releases")
SAMPLE = (*PAIR, "log_n", "seed")
ASKED = ("log_delta", "confidence")


class PairSample(Part):
    """The pair, the sample in view, and both bounds of every draw so far."""

    releases = param.Integer(
        1, bounds=(1, 20), label="Releases k", doc="Independent releases; the attacker sees all."
    )

    log_n = LogNumber(4.0, bounds=(2, 6), step=0.25, whole=True, label="Samples per group")

    draw_again = param.Event(label="Draw again", doc="A new sample from the same pair.")

    draw_many = param.Event(label=f"Draw {MANY} samples", doc=DRAWS)

    seed = param.Integer(0, precedence=-1, doc="Seed of the sample in view.")

    past = param.Parameter((), precedence=-1, doc="Both bounds of every draw so far.")

    def start(self, given: frozenset[str]) -> None:
        """Draw the first sample."""
        page = self.page
        page.param.watch(self._again, "draw_again")
        page.param.watch(self._many, "draw_many")
        page.param.watch(self._restart, [*PAIR, "log_n", *ASKED])
        self._restart()

    def _restart(self, *events: Any) -> None:
        """Discard past bounds, which were drawn with other settings."""
        self.past = (self.both(),)

    def _again(self, *events: Any) -> None:
        self.seed += 1
        self.past = (*self.past, self.both())

    def _many(self, *events: Any) -> None:
        drawn: list[tuple[float, float]] = []
        many = min(MANY, max(MOST_DRAWN // (self.n * self.times), 1))
        if many < MANY:
            self.page.message = f"Drew {many} instead of {MANY} samples, because they are large."
        try:
            for _ in range(many):
                self.seed += 1
                drawn.append(self.both())
        except KeyboardInterrupt:
            self.page.message = f"Interrupted after {len(drawn)} of {many} draws."
        self.past = (*self.past, *drawn)

    def about_risk(self) -> dict[str, Any]:
        """The pair as a claim, unless its truth is hidden."""
        known = not self.page.hide_truth
        return risk_without_scores(PairClaim(self.pair()) if known else None)

    @property
    def n(self) -> int:
        """Samples per group; fewer than chosen if many releases would take too long to draw."""
        return min(round(10**self.log_n), MOST_RELEASES // self.times)

    @property
    def times(self) -> int:
        """Releases of the pair."""
        return 1 if self.page.chosen.released_once else self.releases

    @derived(needs=PAIR)
    def pair(self) -> Pair:
        """The pair as chosen."""
        pair = self.page.chosen.pair()
        # All releases of a pair that leaks nothing are equivalent to one.
        if self.times == 1 or pair.total_variation == 0:
            return pair
        return ComposedPair(pair, self.times)

    @derived(needs=SAMPLE)
    def scores(self) -> Scores:
        """The sample in view."""
        return self.pair().sample(self.n, seed=self.seed)

    @derived(needs=("scores",))
    def histogram(self) -> Histogram:
        """Histograms of both groups, with bins of equal probability."""
        return histogram(self.scores())

    @derived(needs=("scores",))
    def roc(self) -> Roc:
        """All threshold attacks on this sample."""
        return roc(self.scores())

    @derived(needs=("scores", "confidence"))
    def band(self) -> TradeoffBand:
        """Limits at all thresholds at once."""
        return tradeoff_band(self.scores(), self.page.confidence)

    @derived(needs=("scores",))
    def reach(self) -> tuple[float, float]:
        """Range of the thresholds that are tried."""
        low, high = self.scores().quantile([RANGE_TAIL, 1 - RANGE_TAIL])
        return float(low), float(high)

    @derived(needs=("scores", "reach", *ASKED))
    def best_threshold(self) -> float:
        """The threshold with the largest pointwise bound."""
        s = self.scores()
        thresholds = np.linspace(*self.reach(), THRESHOLDS)
        rates = error_rates(s, thresholds, self.page.confidence)
        bounds = epsilon_of_point(rates.fpr_upper, rates.fnr_upper, self.page.delta.value)
        return float(thresholds[np.argmax(bounds)])

    @derived(needs=("band", "best_threshold", *ASKED))
    def both(self) -> tuple[float, float]:
        """The simultaneous bound on ε, and the pointwise one at the best threshold."""
        return self.page.epsilon().value, self.page.epsilon_best().value


class KnownTruth(Part):
    """What is known of the pair without a sample."""

    log_floor = LogNumber(
        -4.5,
        bounds=(pair_charts.LEAST_LOG_ALPHA, -0.5),
        step=0.1,
        label="Smallest error rate for μ",
        doc="The tight μ ignores points with a smaller false positive or false negative rate.",
    )

    @derived(needs=PAIR)
    def true_local_mu(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """log₁₀ α up to where both error rates are equal, and the symmetrized local μ there."""
        last = max((1 - self.page.pair().total_variation) / 2, 10.0**pair_charts.LEAST_LOG_ALPHA)
        log_alpha = np.linspace(pair_charts.LEAST_LOG_ALPHA, np.log10(last), ALPHAS)
        return log_alpha, symmetric_local_mu(self.page.pair(), 10.0**log_alpha)

    @derived(needs=(*PAIR, "log_floor"))
    def tight(self) -> tuple[float, Meeting | None]:
        """The tight μ, and where its Gaussian curve meets that of the pair."""
        floor = number_of(self.log_floor)
        return self.page.pair().gdp_mu(floor), meeting_point(self.page.pair(), floor)

    @derived(needs=(*PAIR, "log_floor"))
    def regret(self) -> GDPRegret:
        """The tight μ, and how far its Gaussian curve lies below that of the pair."""
        return gdp_regret(self.page.pair(), number_of(self.log_floor))

    @derived(needs=(*PAIR, "log_delta"))
    def epsilon_truth(self) -> float:
        """ε of the pair at the chosen δ, or an accountant's upper limit."""
        return float(self.page.pair().epsilon(self.page.delta.value))


class PairLabPage(Page):
    """State and drawings of the page."""

    title = "Pairs with known truth"
    about = (
        "Scores are sampled from a pair whose privacy loss is known. Compare the bounds of an "
        "audit with the true values."
    )
    main: ClassVar[tuple[str, ...]] = ("log_n", "log_floor")

    delta = DeltaSetting()
    level = ConfidenceSetting()
    # Any threshold in a tail of this pair reveals all of ε: the best of them is mostly luck.
    chosen = KnownPairChoice("pair", default="laplace", mu=3.0)
    draws = PairSample()
    truth = KnownTruth()

    hide_truth = param.Boolean(
        False, label="Hide true values (quiz)", doc="Guess them before you look."
    )

    controls: ClassVar[tuple[Section, ...]] = (
        Section(
            "Pair",
            (
                *known_controls("pair"),
                Control("releases", when=lambda page: not page.chosen.released_once),
            ),
        ),
        Section("Sample", (Control("log_n"), Control("draw_again"), Control("draw_many"))),
        Section("Audit", (Control("log_delta"), Control("confidence"))),
        Section("Truth", (Control("log_floor"), Control("hide_truth"))),
    )

    # -- results, each computed once a state ---------------------------------------------------

    @derived(needs=("histogram",))
    def fit(self) -> Bound:
        """The Gaussian curve with the histogram's total variation."""
        return gdp_fit(self.histogram(), "tv")

    # -- the answer and the strip of numbers ---------------------------------------------------

    @answer(needs=("past", "epsilon_truth", *ASKED, "hide_truth"))
    def answer(self) -> Answer:
        """How often the bound at the best of many thresholds exceeds the truth."""
        if self.hide_truth:
            return Answer("Guess the truth", "true values are hidden; then show them")
        draws, true = len(self.past), self.epsilon_truth()
        band, tuned = (sum(bounds[k] > true for bounds in self.past) for k in (0, 1))
        allowed = f"{percent(1 - self.confidence)} allowed"
        counted = (
            f"the bound at the best of {THRESHOLDS} thresholds exceeds the true ε in {tuned} of "
            f"{draws} draws, the simultaneous bound in {band}; {allowed}"
        )
        if draws < ENOUGH_DRAWS:
            press = self.param.draw_many.label
            return Answer(
                "One draw says little",
                f"press “{press}” and count how often the bound at the best of {THRESHOLDS} "
                f"thresholds exceeds the true ε; {allowed}",
            )
        if self._too_often(band, draws):
            return Answer("The simultaneous bound fails here: please report", counted, "bad")
        if self._too_often(tuned, draws):
            return Answer("A tuned threshold is not valid", counted, "bad")
        return Answer("Tuning does no visible harm here", f"{counted}, but nothing guarantees it")

    def _too_often(self, exceeded: int, draws: int) -> bool:
        """Whether a bound that keeps its level would hardly exceed the truth so often."""
        level = 1 - self.confidence
        return exceeded > 0 and level < binomial.clopper_pearson_lower(exceeded, draws, SIGNIFICANT)

    @number("ε lower bound", needs=("band", "log_delta"), main=True)
    def epsilon(self) -> Bound:
        """Lower bound from simultaneous limits at all thresholds."""
        return self.band().epsilon(self.delta.value)

    @number(
        "ε at the best threshold",
        needs=("best_threshold", *ASKED),
        caution="A pointwise limit is valid for one threshold fixed in advance only.",
    )
    def epsilon_best(self) -> Bound:
        """The largest pointwise bound over all thresholds, chosen after looking at the scores."""
        t = self.best_threshold()
        return epsilon_at_threshold(self.scores(), t, self.delta.value, self.confidence).voided(
            PICKED
        )

    @number("True ε", needs=("epsilon_truth", "hide_truth"), main=True)
    def true_epsilon(self) -> Fact:
        """ε of the pair at the chosen δ. For several releases, an upper limit by accounting."""
        return self._truth(self.epsilon_truth())

    @number(
        "TV by histogram",
        needs=("histogram", "band"),
        caution="Many bins make it too large: it is above 0 even if members and non-members have "
        "the same distribution. Coarse bins make it too small.",
    )
    def histogram_tv(self) -> Bound:
        """Estimate of the total variation distance from the two histograms."""
        certified = self.band().total_variation()
        return checked_against(total_variation_estimate(self.histogram()), certified)

    @number("True TV", needs=(*PAIR, "hide_truth"))
    def true_total_variation(self) -> Fact:
        """Total variation distance of the pair."""
        return self._truth(self.pair().total_variation)

    @number(
        "Tight μ",
        needs=("tight", "hide_truth"),
        formula="max Φ⁻¹(1−α) − Φ⁻¹(f(α)) over α, f(α) ≥ smallest error rate",
        caution="It depends on the smallest error rate considered: for many pairs it grows as that "
        "rate decreases.",
    )
    def tight_mu(self) -> Fact:
        """Smallest μ for which the pair is μ-GDP, ignoring smaller error rates."""
        if self.hide_truth:
            return HIDDEN
        mu, meeting = self.tight()
        floor = plain(number_of(self.log_floor))
        note = f"both error rates ≥ {floor}"
        if meeting is None:
            note = f"all error rates are below {floor} and count as equal to it"
        return Fact(round_safely(mu, "nearest", 4), note)

    @number(
        "Regret of the tight μ",
        needs=("regret", "hide_truth"),
        formula="inf{κ ≥ 0 : f(α + κ) − κ ≤ G_μ(α) for all α}",
        caution="It says how much μ overstates the leak; below the smallest error rate the pair "
        "may leak more than μ says.",
    )
    def mu_regret(self) -> Fact:
        """Distance of the curve of μ-GDP from the curve of the pair. Up to 0.01, report μ alone."""
        if self.hide_truth:
            return HIDDEN
        found = self.regret()
        note = "one μ describes the curve" if found.enough else f"above {ENOUGH}: report the curve"
        return Fact(round_safely(found.regret, "up", 2), note)

    @number(
        "Simultaneous bound exceeded the truth",
        needs=("past", "epsilon_truth", *ASKED, "hide_truth"),
        caution="The guarantee limits the probability in each draw. The share among few draws may "
        "be larger.",
    )
    def simultaneous_above(self) -> Fact:
        """Number of draws in which the simultaneous bound exceeds the true ε."""
        return self._above(0, f"guaranteed: at most {percent(1 - self.confidence)} of draws")

    @number(
        "Best-threshold bound exceeded the truth",
        needs=("past", "epsilon_truth", *ASKED, "hide_truth"),
    )
    def best_above(self) -> Fact:
        """Number of draws in which the pointwise bound at the best threshold exceeds the true ε."""
        level = percent(1 - self.confidence)
        only = f"at most {level} is guaranteed only for a threshold fixed in advance"
        return self._above(1, only)

    @number("Samples", needs=("log_n", "seed", *PAIR))
    def sizes(self) -> Fact:
        """Number of members (P), and of non-members (Q)."""
        fewer = self.draws.n < round(10**self.log_n)
        most = f"; the limit for {self.releases} releases" if fewer else ""
        return Fact(f"{self.draws.n:,} per group", f"seed {self.seed}{most}")

    def _truth(self, value: float) -> Fact:
        if self.hide_truth:
            return HIDDEN
        pair = self.pair()
        if isinstance(pair, AccountedPair) and not pair.exact:
            if np.isinf(value):
                return Fact("∞", "δ is too small for the accountant")
            return Fact(round_safely(value, "up"), "upper limit, by accounting")
        return Fact(round_safely(value, "nearest"), "exact, from the pair's formula")

    def _above(self, which: int, note: str) -> Fact:
        if self.hide_truth:
            return HIDDEN
        true = self.epsilon_truth()
        count = sum(bounds[which] > true for bounds in self.past)
        return Fact(f"{count} of {len(self.past)} draws", note)

    # -- the charts ----------------------------------------------------------------------------

    @figure("Score distributions", needs=("histogram", "best_threshold", "reach"), span=6)
    def distributions(self) -> dict[str, Any]:
        """Histograms of both groups. The line is the threshold with the largest bound."""
        return charts.histograms(self.histogram(), self.best_threshold(), self.reach())

    @figure(
        "Trade-off curve",
        needs=("roc", "histogram", "band", "best_threshold", "fit", *PAIR, "hide_truth"),
        span=6,
        caution="In most samples the guaranteed curve lies above the true one, the observed below.",
    )
    def tradeoff(self) -> dict[str, Any]:
        """Error rates of all threshold attacks on this sample, and of the pair."""
        return charts.tradeoff(
            self.roc(),
            self.histogram(),
            self.band(),
            error_rates(self.scores(), self.best_threshold(), self.confidence),
            self.fit(),
            () if self.hide_truth else (Compared.of_reference(self.pair(), "true pair"),),
        )

    @figure(
        "μ at every error rate",
        needs=("true_local_mu", "band", "tight", "hide_truth"),
        span=6,
        formula="μ(α) = Φ⁻¹(1−α) − Φ⁻¹(f(α)), f symmetrized",
        caution="The tight μ depends on the smallest error rate considered where μ(α) rises as "
        "α → 0. Example q = 0.25, σ = 0.3: the value 1/0.404 = 2.475 of Koskela & Mohammadi "
        "corresponds to a smallest error rate near 3.17e-5, and the limit is 1/σ = 3.33.",
        drag={"floor": "log_floor"},
    )
    def mu_at_rates(self) -> dict[str, Any]:
        """One μ fits a Gaussian pair everywhere; other pairs need a larger μ at small error rates.

        Drag the line to change the smallest error rate. Both orders of the error rates count.
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
        caution="Where μ(α) still rises at the smallest error rate, no Gaussian profile touches "
        "the pair's profile: the two cross, and beyond the crossing the pair leaks more than this "
        "μ.",
    )
    def profile(self) -> dict[str, Any]:
        """δ(ε) of the pair, and of a Gaussian pair with the tight μ."""
        pair = None if self.hide_truth else self.pair()
        return pair_charts.profile_of_truth(pair, self.band(), self.delta.value, *self.tight())

    @figure("Past bounds", needs=("past", "epsilon_truth", "hide_truth"), span=12)
    def bounds_so_far(self) -> dict[str, Any]:
        """Both bounds of every draw. A dot above the line exceeds the true ε."""
        return past_bounds(self.past, None if self.hide_truth else self.epsilon_truth())

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_pair``."""
        base, made = pair_code(self.chosen.pair()), pair_code(self.pair())
        level = {"delta": self.delta.value, "confidence": self.confidence}
        tails, limited = [RANGE_TAIL, 1 - RANGE_TAIL], {"confidence": self.confidence}
        pointwise = {"guarantee": "pointwise", "interval": "clopper-pearson"}
        bound = call("wb.epsilon_lower_bound", "scores", **level)
        best = (
            "def best_bound(scores):",
            f"    thresholds = np.linspace(*scores.quantile({tails!r}), {THRESHOLDS})",
            f"    rates = {call('wb.error_rates', 'scores', 'thresholds', **limited)}",
            f"    best = float(thresholds[rates.epsilon_lower({self.delta.value!r}).argmax()])",
            f"    asked = {level | pointwise!r}",
            "    return wb.epsilon_lower_bound(scores, threshold=best, **asked)",
            "epsilon_best = best_bound(scores)",
        )
        shown = () if self.hide_truth else self._truth_code(bound)
        return script(
            f"pair = {made}\nscores = {call('pair.sample', str(self.draws.n), seed=self.seed)}",
            f"epsilon = {bound}",
            "\n".join(best),
            "h = wb.histogram(scores)\nhistogram_tv = h.total_variation",
            *shown,
            "sizes = scores.n_p",
            f"view = {call('wb.explore_pair', base, spec=spec)}",
            imports=["import numpy as np"],
        )

    def _truth_code(self, bound: str) -> tuple[str, ...]:
        """Steps that compute true values, and how many draws had bounds above them."""
        seeds = f"range({self.seed + 1 - len(self.past)}, {self.seed + 1})"
        above = "sum(bound > true_epsilon for bound in"
        return (
            f"true_epsilon = pair.epsilon({self.delta.value!r})",
            "true_total_variation = pair.total_variation",
            f"tight_mu = pair.gdp_mu(floor={number_of(self.log_floor)!r})",
            f"mu_regret = wb.gdp_regret(pair, floor={number_of(self.log_floor)!r}).regret",
            f"draws = [pair.sample({self.draws.n}, seed=seed) for seed in {seeds}]",
            f"bounds = [{bound}.value for scores in draws]\n"
            f"simultaneous_above = {above} bounds), len(bounds)",
            "tuned = [best_bound(scores).value for scores in draws]\n"
            f"best_above = {above} tuned), len(tuned)",
        )
