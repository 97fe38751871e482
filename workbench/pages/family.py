"""`FamilyPage`: bounds that assume a parametric family, and a test of that assumption."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.estimates import total_variation_estimate
from workbench.bounds.parametric.checks import REFUTED, FamilyCheck, family_check
from workbench.bounds.parametric.departures import CheckPower
from workbench.bounds.parametric.estimators import estimator_named
from workbench.bounds.parametric.parametric import FamilyFit, family_fit, parametric_bound
from workbench.bounds.parametric.total_variation import epsilon_from_total_variation
from workbench.bounds.quantities import QuantityArguments
from workbench.bounds.simultaneous.band import TradeoffBand, tradeoff_band
from workbench.curves.validation import Floats
from workbench.estimators.histogram import Histogram, histogram
from workbench.estimators.roc import Roc, roc
from workbench.figures import family as charts
from workbench.figures.kit.axes import round_up
from workbench.figures.kit.layout import empty
from workbench.pages.answers import in_brief, nothing_concluded
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
    sentence,
)
from workbench.pages.core.part import Part
from workbench.pages.inputs.code import call, comment, data_code, kept, script
from workbench.pages.inputs.data import Sample
from workbench.pages.inputs.score_source import Arrival, ScoreSource
from workbench.pages.inputs.settings import DeltaSetting, Validity
from workbench.pairs.base import Pair
from workbench.pairs.families.base import Family
from workbench.pairs.families.registry import FamilyName, family_named
from workbench.scores.sample import Scores

FAMILIES: dict[str, FamilyName] = {
    "Gaussian": "gaussian",
    "Laplace": "laplace",
    "Subsampled Gaussian": "subsampled-gaussian",
    "Randomized response": "randomized-response",
}

NO_SUCH_TV = Fact("–", "no distribution of the family has so large a total variation")

NO_MEMBER = Fact("–", "no distribution of the family can produce these scores")

SYMBOLS = {"mu": "μ", "1/sigma": "1/σ", "epsilon": "ε"}

#: Parameters that choose the family.
FAMILY = ("family", "q")


#: Total variations at which curves over them are drawn.
TOTALS = 31


class FamilyResults(Part):
    """The family, and what its test, its fit and the limits for any pair give."""

    family = param.Selector(
        default="gaussian",
        objects=FAMILIES,
        label="Family",
        doc="Gaussian: the scores are normal with equal variances. Laplace and subsampled "
        "Gaussian: the score is any increasing function of the likelihood ratio. Randomized "
        "response: the score is the outcome. You may try several families; each bound is "
        "conditional on its own.",
    )

    q = param.Number(
        0.25,
        bounds=(0, 1),
        inclusive_bounds=(False, True),
        softbounds=(0.001, 1),
        step=0.001,
        label="Sampling rate q",
        doc="Known probability that the record is sampled.",
    )

    @property
    def known_q(self) -> float | None:
        """The sampling rate, where the family has one."""
        return self.q if self.family == "subsampled-gaussian" else None

    @derived(needs=("scores", *FAMILY, "confidence"), shared=True)
    def check(self) -> FamilyCheck | str:
        """The test of the family, or why no member of it can give these scores."""
        try:
            return family_check(self.page.scores, self.family, self.page.confidence, self.known_q)
        except ValueError as error:
            return str(error)

    @derived(needs=("scores", *FAMILY, "confidence"), shared=True)
    def own_check(self) -> FamilyCheck | None:
        """The test of normal scores with two variances; None where no such pair gives these."""
        if self.family != "gaussian":
            return None
        try:
            return family_check(
                self.page.scores, self.family, self.page.confidence, equal_variances=False
            )
        except ValueError:
            return None

    @derived(needs=("scores", "q", "confidence"), shared=True)
    def ruled_out(self) -> tuple[str, ...]:
        """The families that these scores rule out, each by a test of its own."""
        found = []
        for label, family in FAMILIES.items():
            q = self.q if family == "subsampled-gaussian" else None
            try:
                check = family_check(self.page.scores, family, self.page.confidence, q)
            except ValueError:  # no member of the family can give such scores
                found.append(label)
            else:
                found += [label] if check.refuted else []
        return tuple(found)

    @derived(needs=("check", "own_check", "log_delta"), shared=True)
    def power(self) -> CheckPower | None:
        """What the test can miss; of two variances where equal ones are refuted, None if both."""
        for check in (self.check(), self.own_check()):
            if isinstance(check, FamilyCheck) and not check.refuted:
                return check.power(self.page.delta.value)
        return None

    @derived(needs=("check",), shared=True)
    def fit(self) -> FamilyFit:
        """The estimate and the confidence interval of the family's parameter."""
        return family_fit(self.page.scores, self.family, self.page.confidence, self.known_q)

    @derived(needs=("check",), shared=True)
    def member(self) -> Pair | None:
        """The member of the family at the lower limit of its parameter."""
        if isinstance(self.check(), str):
            return None
        family = estimator_named(self.family, self.known_q)
        lower = family.limits(self.page.scores, 1 - self.page.confidence).lower
        return family.pair(lower) if math.isfinite(lower) else None

    @derived(needs=("scores", "confidence"), shared=True)
    def band(self) -> TradeoffBand:
        """Limits that hold for any pair."""
        return tradeoff_band(self.page.scores, self.page.confidence)

    @derived(needs=("scores",), shared=True)
    def roc(self) -> Roc:
        """All threshold attacks on these samples."""
        return roc(self.page.scores)

    @derived(needs=("scores",), shared=True)
    def histogram(self) -> Histogram:
        """Histograms of both groups with bins of one width, to compare densities."""
        return histogram(self.page.scores, rule="scott")


class FromTotalVariation(Part):
    """What one number, the total variation, says of the family's parameter and of ε."""

    tv_from = param.Selector(
        default="bound",
        objects={"lower bound for any pair": "bound", "estimate by histogram": "estimate",
                 "typed": "typed"},
        label="Total variation",
        doc="Where the total variation comes from that is turned into the family's parameter and "
        "ε. A lower bound gives lower bounds, an estimate gives estimates.",
    )  # fmt: skip

    typed_tv = param.Number(
        0.2256,
        bounds=(0, 1),
        inclusive_bounds=(True, False),
        softbounds=(0, 0.999),
        step=0.001,
        label="Total variation typed",
        doc="Any total variation, such as one that a paper reports.",
    )

    @derived(needs=("scores", "confidence", "tv_from", "typed_tv"))
    def known_tv(self) -> Bound | float:
        """The total variation as chosen."""
        if self.tv_from == "typed":
            return float(self.typed_tv)
        if self.tv_from == "estimate":
            return total_variation_estimate(self.page.histogram())
        return self.page.band().total_variation()

    @derived(needs=("known_tv", *FAMILY))
    def parameter_at_tv(self) -> float:
        """The family's parameter at the total variation; infinite where there is none."""
        known = self.known_tv()
        tv = known.value if isinstance(known, Bound) else known
        return self._family().parameter_of_total_variation(tv)

    @derived(needs=("parameter_at_tv", "log_delta"))
    def epsilon_at_tv(self) -> float:
        """ε of the member with that parameter."""
        return self._family().epsilon(self.parameter_at_tv(), self.page.delta.value)

    @sentence(needs=("parameter_at_tv", "epsilon_of_tv", "check", "looked"))
    def tv_in_words(self) -> str:
        """The family's parameter at the total variation, the noise σ that belongs to it, and ε."""
        parameter, known, page = self.parameter_at_tv(), self.known_tv(), self.page
        typed = not isinstance(known, Bound)
        if not typed and isinstance(page.check(), str):
            return ""
        certified = isinstance(known, Bound) and known.guarantee != "estimate"
        relation, side = ("≥", "down") if certified else ("=" if typed else "≈", "nearest")
        tv = round_safely(known if not isinstance(known, Bound) else known.value, side, 4)
        start = f"Total variation {relation} {tv}"
        if math.isinf(parameter):
            return f"{start}: {NO_SUCH_TV.note}."
        symbol = SYMBOLS[estimator_named(page.family, page.results.known_q).parameter]
        noise = ""
        if page.family in ("gaussian", "subsampled-gaussian") and parameter > 0:
            sigma = round_safely(1 / parameter, "up" if certified else "nearest", 4)
            noise = f", σ {'≤' if certified else relation} {sigma}"
        kind = "lower bounds" if certified else "of the member with it" if typed else "estimates"
        void = f"; not valid: {page._void}" if certified and page._void else ""
        found = f"{symbol} {relation} {round_safely(parameter, side, 4)}{noise}"
        epsilon = f"ε {relation} {round_safely(self.epsilon_at_tv(), side)}"
        return (
            f"{start} means {found} and {epsilon} at δ = {plain(page.delta.value)}: {kind}, "
            f"assuming the family{void}."
        )

    @derived(needs=("epsilon_at_tv", "check", "looked"))
    def epsilon_of_tv(self) -> Bound | Fact:
        """ε that the total variation alone implies in the family, with what it guarantees."""
        known, page = self.known_tv(), self.page
        if math.isinf(self.parameter_at_tv()):
            return NO_SUCH_TV
        if not isinstance(known, Bound):
            value = round_safely(self.epsilon_at_tv(), "nearest")
            return Fact(f"ε = {value}", "of the member with this TV")
        if isinstance(page.check(), str):
            return NO_MEMBER
        asked = {"delta": page.delta.value, "q": page.results.known_q}
        if known.guarantee != "estimate":
            bound = epsilon_from_total_variation(
                page.scores, page.family, confidence=page.confidence, **asked
            )
            return page.validity.certified(bound)
        return Bound.of_scores(
            page.scores,
            self.epsilon_at_tv(),
            quantity="epsilon",
            guarantee="estimate",
            method=known.method,
            family=estimator_named(page.family, page.results.known_q).given,
            at=QuantityArguments(delta=page.delta.value),
        )

    @figure(
        "From total variation to ε",
        needs=("all_tv", "tv_curves", "check"),
        span=12,
        formula="ε(δ) of the member of a family against its total variation (Koskela and "
        "Mohammadi, Fig. 14).",
        caution="The curve is exact, and the dots are as good as the total variation they come "
        "from: a lower bound gives a lower bound if the family is right, an estimate an estimate.",
        folded=True,
    )
    def through_tv(self) -> dict[str, Any]:
        """ε that each total variation implies in the family, and for Gaussian noise."""
        page = self.page
        return charts.epsilon_of_tv(
            self.tv_curves(),
            {name: (tv, self._epsilon_at(tv)) for name, tv in self.all_tv().items()},
            page.delta.value,
            self.tv_reach(),
            page._refuted or isinstance(page.check(), str),
        )

    @derived(needs=("band", "histogram"))
    def measured_tv(self) -> dict[str, float]:
        """The certified and the estimated total variation."""
        return {
            "bound": self.page.band().total_variation().value,
            "estimate": self.page.histogram().total_variation,
        }

    @derived(needs=("measured_tv", "known_tv"))
    def all_tv(self) -> dict[str, float]:
        """The total variations that the chart marks, by where they come from."""
        known = self.known_tv()
        typed = {} if isinstance(known, Bound) else {"typed": known}
        return {**self.measured_tv(), **typed}

    @derived(needs=("all_tv",))
    def tv_reach(self) -> float:
        """End of the chart's axis of total variations."""
        return min(1.0, round_up(1.3 * max(0.2, *self.all_tv().values())))

    @derived(needs=("tv_reach", "log_delta", *FAMILY))
    def tv_curves(self) -> list[tuple[str, Floats, Floats]]:
        """ε against the total variation in the family, and in the Gaussian one."""
        page = self.page
        families = {page.family: self._family()}
        families.setdefault("gaussian", family_named("gaussian"))
        tv = np.linspace(0, self.tv_reach(), TOTALS, endpoint=self.tv_reach() < 1)
        return [
            (
                of.title,
                tv,
                of.epsilons(
                    np.array([of.parameter_of_total_variation(one) for one in tv.tolist()]),
                    page.delta.value,
                ),
            )
            for of in families.values()
        ]

    def _family(self) -> Family:
        return estimator_named(self.page.family, self.page.results.known_q).family

    def _epsilon_at(self, total_variation: float) -> float:
        family = self._family()
        parameter = family.parameter_of_total_variation(total_variation)
        return family.epsilon(parameter, self.page.delta.value)


class FamilyPage(Page):
    """State and drawings of the page."""

    title = "Do the scores follow a parametric family?"
    about = (
        "Assuming a parametric family, such as Gaussian noise, gives a bound on ε at any δ, but "
        "only if the assumption is correct. This page tests the assumption."
    )
    main: ClassVar[tuple[str, ...]] = ("log_delta",)

    delta = DeltaSetting()
    validity = Validity(resets=(*FAMILY, "log_delta", "confidence"))
    sample = Sample("sample")
    source = ScoreSource()
    results = FamilyResults()

    controls: ClassVar[tuple[Section, ...]] = (
        ScoreSource.section,
        Section(
            "Audit",
            (
                Control("family"),
                Control("q", when=lambda page: page.family == "subsampled-gaussian"),
                Control("log_delta"),
                Control("confidence"),
            ),
        ),
        Section(
            "From total variation",
            (
                Control("tv_from"),
                Control("typed_tv", when=lambda page: page.tv_from == "typed"),
            ),
        ),
        Section("", (Control("reset", menu=True),)),
    )

    def __init__(self, *given: Any, **params: Any):
        super().__init__(*given, **params)
        if "q" in params:  # the scores may have set theirs
            self.q = params["q"]

    def adopt(self, scores: Scores, said: str, arrival: Arrival = Arrival.ANOTHER) -> None:
        """Take scores into view, and their sampling rate where it is known.

        Parameters
        ----------
        scores : Scores
        said : str
            What they are and how they were read.
        arrival : Arrival
            How they come.
        """
        known = self.source.known
        if self.source.kind == "pair" and self.sample.kind == "subsampled-gaussian":
            known = {"q": self.sample.q}
        self.source.show(scores, said)
        if "q" in known:
            self.q = known["q"]

    # -- the answer and the strip of numbers ---------------------------------------------------

    @answer(needs=("check", "ruled_out", "band", "log_delta", "looked"))
    def answer(self) -> Answer:
        """Whether the chosen family is ruled out, and what holds for ε then."""
        if self.validity.words:
            return nothing_concluded(self.validity.words)
        name = next(label for label, one in FAMILIES.items() if one == self.family)
        others = [label for label in self.results.ruled_out() if label != name]
        also = f"; so {'is' if len(others) == 1 else 'are'} {_listed(others)}" if others else ""
        free = in_brief(self.free_epsilon())
        if self._refuted or isinstance(self.check(), str):
            return Answer(
                f"{name} is ruled out", f"only the bound for any pair holds, {free}{also}", "bad"
            )
        bound = self.epsilon()
        given = f"assuming it, ε ≥ {bound.rounded}; " if isinstance(bound, Bound) else ""
        also = f"; ruled out: {_listed(others)}" if others else ""
        return Answer(f"{name} is not ruled out", f"{given}for any pair, {free}{also}")

    @number(
        "ε assuming the family",
        needs=("check", "log_delta", "looked"),
        formula="ε(δ) of the member of the family at the lower limit of its parameter.",
        caution="Valid only for pairs of this family. A test that does not refute the family does "
        "not show that it is correct.",
    )
    def epsilon(self) -> Bound | Fact:
        """If the family is correct, the mechanism is not (ε′, δ)-DP for any ε′ below this value."""
        if isinstance(self.check(), str):
            return NO_MEMBER
        bound = parametric_bound(
            self.scores,
            self.family,
            delta=self.delta.value,
            confidence=self.confidence,
            q=self.results.known_q,
        )
        return self.validity.certified(bound)

    @number(
        "ε with two variances",
        needs=("scores", "family", "confidence", "log_delta", "looked"),
        formula="The least ε(δ) of N(m_P, v_P) and N(m_Q, v_Q) over a confidence region.",
        caution="Assumes that the scores of each group are normal. Marked as not valid where the "
        "test of this page, without the requirement of equal variances, refutes that.",
    )
    def own_variances(self) -> Bound | Fact:
        """Lower bound on ε if both groups are normal, with variances that may differ."""
        if self.family != "gaussian":
            return Fact("–", "only for the Gaussian family")
        try:
            bound = parametric_bound(
                self.scores,
                "gaussian",
                delta=self.delta.value,
                confidence=self.confidence,
                equal_variances=False,
            )
        except ValueError:
            return NO_MEMBER
        return self.validity.certified(bound)

    @number(
        "ε for any pair",
        needs=("band", "log_delta", "looked"),
        caution="Weak at a δ far below 1/n, because samples do not show events that rare.",
        main=True,
    )
    def free_epsilon(self) -> Bound:
        """Lower bound without a family, from simultaneous limits at all thresholds."""
        return self.validity.certified(self.band().epsilon(self.delta.value))

    @number(
        "Parameter of the family",
        needs=("check", "looked"),
        formula="Gaussian and Laplace: the shift μ in units of the noise. Subsampled Gaussian: "
        "1/σ. Randomized response: ε. A larger parameter means a larger leak.",
    )
    def parameter(self) -> Fact:
        """Two-sided confidence interval for the parameter, assuming the family."""
        if isinstance(self.check(), str):
            return NO_MEMBER
        fit = self.fit()
        symbol = SYMBOLS[fit.parameter]
        if not fit.fits:
            return NO_MEMBER
        estimate = f"{symbol} ≈ {round_safely(fit.estimate, 'nearest')}"
        void = self._void
        limits = f"{round_safely(fit.lower, 'down')} to {round_safely(fit.upper, 'up')}"
        level = f"{percent(self.confidence)} two-sided, assuming the family"
        return Fact(
            f"{symbol}: {limits}",
            " · ".join(filter(None, (void and f"not valid: {void}", estimate, level))),
        )

    @number(
        "Does the family fit?",
        needs=("check", "looked"),
        caution="“Not refuted” is not a proof: see what the test can miss. With more scores it "
        "detects smaller differences.",
    )
    def verdict(self) -> Fact:
        """Test of the family: do limits that hold for any pair exclude all its members?"""
        check = self.check()
        s = self.scores
        n = f"{s.n_p:,} + {s.n_q:,} scores, {s.assumption}"
        if isinstance(check, str):
            return Fact("–", n)
        where = f"at threshold {check.threshold:.4g}" if check.threshold is not None else ""
        said = (f"{percent(self.confidence)} confidence", where, n, self.validity.words)
        return Fact("refuted" if check.refuted else "not refuted", " · ".join(filter(None, said)))

    @number(
        "ε that the test can miss",
        needs=("power",),
        formula="Pairs like the fitted one whose privacy loss is cut off at c (ε ≤ c at every δ). "
        "Of those that the test refutes with less than about 80% power, at these sample sizes, the "
        "one whose bound exceeds its ε most. Randomized response: error rates that differ.",
        caution="A planning figure, not a bound for these scores. Other departures, such as heavy "
        "tails, can mislead as much.",
    )
    def missed(self) -> Fact:
        """ε of a pair outside the family that the test often misses, and its typical bound."""
        power = self.power()
        if power is None:
            return NO_MEMBER if isinstance(self.check(), str) else Fact("–", REFUTED)
        if power.missed is None:
            return Fact("none", "what the test misses does not raise the bound above the truth")
        truth, claimed = (round_safely(x, "nearest") for x in (power.truth, power.claimed))
        of = " with two variances" if self._refuted else ""
        return Fact(truth, f"claimed to be ≥ {claimed}{of}, typically")

    @property
    def _refuted(self) -> bool:
        check = self.check()
        return isinstance(check, FamilyCheck) and check.refuted

    @property
    def _void(self) -> str:
        return REFUTED if self._refuted else self.validity.words

    # -- in plain words ------------------------------------------------------------------------

    @sentence(needs=("check",))
    def in_words(self) -> str:
        """The result of the test, and where the family does not fit."""
        check = self.check()
        if isinstance(check, str):
            return f"{check[0].upper()}{check[1:]}."
        return check.verdict

    @sentence(needs=("power",))
    def can_miss(self) -> str:
        """What the test would have detected, and what it can miss."""
        power = self.power()
        if power is None:
            return ""
        of = "With two variances: " if self._refuted else ""
        return f"{of}{power}"

    @sentence(needs=("check", "power", "band", "log_delta", "looked"))
    def consequence(self) -> str:
        """What follows for ε with and without the family."""
        free, bound = self.free_epsilon(), self.epsilon()
        rest = f"for any pair, {free.symbol} is at least {free.rounded}"
        if isinstance(bound, Fact):
            return f"{rest[0].upper()}{rest[1:]}.{self.validity.sentence}"
        if self._refuted:
            assuming = "Results that assume this family are not valid"
        else:
            assuming = f"Assuming the family, {bound.symbol} is at least {bound.rounded}"
            power = self.power()
            if power is not None and power.missed is not None:
                truth = round_safely(power.truth, "nearest")
                assuming += f" (the test can miss pairs whose ε is only {truth})"
        return f"{assuming}; {rest}.{self.validity.sentence}"

    # -- the charts ----------------------------------------------------------------------------

    @figure(
        "Scores and fitted family",
        needs=("check", "histogram"),
        span=6,
        formula="Gaussian: normal densities with the mean of each group and the pooled variance. "
        "Other families: the pooled histogram of both groups, divided between them by the "
        "likelihood ratio of the fitted member.",
        caution="The test also uses the tails, where differences are hard to see in the chart.",
    )
    def distributions(self) -> dict[str, Any]:
        """Histograms of both groups, and the densities expected from the fitted member."""
        check = self.check()
        return charts.densities(self.histogram(), check if isinstance(check, FamilyCheck) else None)

    @figure(
        "Trade-off curve on normal quantile axes",
        needs=("check", "roc"),
        span=6,
        formula="Φ⁻¹ of both error rates. A Gaussian pair is a straight line of slope −1, shifted "
        "by μ from the line of no leak.",
        caution="The band holds for any pair. For the Gaussian family the test is stricter: it "
        "also requires normal scores, so it may refute the family although the curve stays within "
        "the band. Skewed scores do not bend this curve: an increasing function of the score "
        "changes its skewness, and no trade-off curve.",
    )
    def normal_paper(self) -> dict[str, Any]:
        """All threshold attacks, the band that holds for any pair, and the fitted curve."""
        check = self.check()
        if isinstance(check, str):
            return empty("No member of this family can give these scores.")
        return charts.probit_tradeoff(check, self.roc())

    @figure(
        "What the family adds",
        needs=("check", "band", "member", "log_delta"),
        span=12,
        formula="δ(ε) of the fitted member, of the member at the lower limit of the parameter, and "
        "the simultaneous lower bound for any pair.",
        caution="The family's curve extends to values of δ that no sample can show. There it rests "
        "on the assumption alone.",
    )
    def profile(self) -> dict[str, Any]:
        """Privacy profile δ(ε). The dots are the ε lower bounds at the chosen δ."""
        return charts.profile(self.band(), self.delta.value, self.member(), self._refuted)

    # After the others: what one number, the total variation, would say.
    by_tv = FromTotalVariation()

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_family``."""
        family = ("scores", repr(self.family))
        asked = {"confidence": self.confidence, "q": self.results.known_q}
        free = {"delta": self.delta.value, "confidence": self.confidence}
        view = (
            f"view = {call('wb.explore_family', *family, q=self.results.known_q, spec=kept(spec))}"
        )
        band = f"free_epsilon = {call('wb.epsilon_lower_bound', 'scores', **free)}"
        if isinstance(self.check(), str):
            return script(data_code(self), comment(str(self.check())), band, view)
        bound = call("wb.parametric_bound", *family, delta=self.delta.value, **asked)
        own = call(
            "wb.parametric_bound", *family, delta=self.delta.value, **asked, equal_variances=False
        )
        fit = f"fit = {call('wb.family_fit', *family, **asked)}"
        check = f"check = {call('wb.family_check', *family, **asked)}"
        return script(
            data_code(self),
            f"epsilon = {bound}",
            *([f"own_variances = {own}"] if self.family == "gaussian" else []),
            band,
            f"{fit}\nparameter = fit.lower, fit.upper",
            f'{check}\nverdict = "refuted" if check.refuted else "not refuted"',
            *self._tv_code(family),
            *self._power_code(family),
            view,
        )

    def _tv_code(self, family: tuple[str, ...]) -> list[str]:
        """What the total variation implies in the family."""
        of = {"q": self.results.known_q}
        if isinstance(self.check(), str) or math.isinf(self.parameter_at_tv()):
            return []
        known = {
            "bound": "wb.tradeoff_band(scores, {level}).total_variation().value",
            "estimate": 'wb.histogram(scores, rule="scott").total_variation',
            "typed": repr(self.typed_tv),
        }[self.tv_from].format(level=repr(self.confidence))
        # The pages' randomized response is the pure one.
        pure = {"delta": 0.0} if self.family == "randomized-response" else {}
        member = call("wb.pair_from_total_variation", "tv", repr(self.family), **of, **pure)
        return [
            f"tv = {known}\nmember = {member}\nepsilon_of_tv = member.epsilon({self.delta.value!r})"
        ]

    def _power_code(self, family: tuple[str, ...]) -> list[str]:
        """What the test can miss, of the check of which the page shows it."""
        power = self.power()
        if power is None:
            return []
        checked = "check"
        if self._refuted:
            how = {"confidence": self.confidence, "equal_variances": False}
            checked = call("wb.family_check", *family, **how)
        missed = '"none"' if power.missed is None else "power.truth"
        return [f"power = {checked}.power({self.delta.value!r})\nmissed = {missed}"]


def _listed(names: list[str]) -> str:
    """Names in a row: "A, B and C"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
