"""What the scores show if their pair is of a family, and whether it is."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import param

from workbench._format import percent, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.parametric.parametric import (
    FamilyCheck,
    FamilyFit,
    family_check,
    family_fit,
    parametric_bound,
)
from workbench.bounds.simultaneous.band import TradeoffBand, tradeoff_band
from workbench.estimators.histogram import Histogram, histogram
from workbench.estimators.roc import Roc, roc
from workbench.figures import family as charts
from workbench.figures.kit.layout import empty
from workbench.pages.core.page import Control, Fact, Section, derived, figure, number, sentence
from workbench.pages.inputs.score_source import ScoreSource
from workbench.pages.scores.code import data_code
from workbench.pairs.base import Pair
from workbench.scores.sample import Scores

FAMILIES = {
    "Gaussian": "gaussian",
    "Laplace": "laplace",
    "Subsampled Gaussian": "subsampled-gaussian",
    "Randomized response": "randomized-response",
}

NO_MEMBER = Fact("–", "no member of the family gives such scores")

REFUTED = "the family is refuted"

SYMBOLS = {"mu": "μ", "1/sigma": "1/σ", "epsilon": "ε"}

#: What a view keeps besides its scores and its family.
KEPT = ("show", "looked", "log_delta", "confidence")

#: What chooses the family.
FAMILY = ("family", "q")


class FamilyPage(ScoreSource):
    """State and drawings of the page."""

    title = "Is the pair of a known family?"
    menu = "Families"
    about = (
        "A family turns a few counts into ε at any δ, which no sample shows by itself. That holds "
        "if the pair is of the family. Is it?"
    )

    family = param.Selector(
        default="gaussian",
        objects=FAMILIES,
        label="Family",
        doc="Gaussian: the scores themselves, with equal variances. Laplace, subsampled Gaussian: "
        "any score that keeps the order of the pair's likelihood ratio. Randomized response: the "
        "score is the outcome. Trying several is no fault: each bound speaks of its own family.",
    )
    q = param.Number(
        0.25,
        bounds=(0, 1),
        inclusive_bounds=(False, True),
        softbounds=(0.001, 1),
        step=0.001,
        label="Sampling rate q",
        doc="The known chance that the record takes part.",
    )
    log_delta = param.Number(
        -5.0, bounds=(-12, -1), step=0.5, label="log₁₀ δ", doc="The δ of (ε, δ)."
    )
    confidence = param.Selector(
        default=0.95,
        objects={percent(c): c for c in (0.9, 0.95, 0.99, 0.999)},
        label="Confidence",
        doc="Choose it before you look: a change after a bound was seen marks the bound.",
    )
    reset = param.Event(label="Reset", doc="Controls as they were when the scores were loaded.")

    controls: ClassVar[tuple[Section, ...]] = (
        *ScoreSource.source_controls,
        Section(
            "Audit",
            (
                Control("family"),
                Control("q", when=lambda page: page.family == "subsampled-gaussian"),
                Control("log_delta"),
                Control("confidence"),
            ),
        ),
        Section("", (Control("reset"),)),
    )

    def __init__(self, **params: Any):
        super().__init__(**params)
        self.q = params.get("q", self.q)
        self.param.watch(self._doubt, "confidence")
        self.param.watch(self._reset, "reset")

    def adopt(self, scores: Scores, said: str) -> None:
        """Take new scores into view, with the sampling rate that is known of them."""
        known = {}
        if self.source == "example":
            known = self.reference_hint
        elif self.source == "pair" and self.sample_kind == "subsampled-gaussian":
            known = {"q": self.sample_q}
        super().adopt(scores, said)
        if "q" in known:
            self.q = known["q"]

    def _doubt(self, *events: Any) -> None:
        if not self._quiet:
            self.looked = "the confidence"

    def _reset(self, *events: Any) -> None:
        own = (*FAMILY, "log_delta", "confidence")
        self._set_quietly(**{name: self.param[name].default for name in own})
        self.read_as_loaded()

    # -- results, each computed once a state ---------------------------------------------------

    @property
    def delta(self) -> float:
        """The δ that the slider shows."""
        return float(10**self.log_delta)

    @property
    def known_q(self) -> float | None:
        """The sampling rate, where the family has one."""
        return self.q if self.family == "subsampled-gaussian" else None

    @derived(needs=("scores", *FAMILY, "confidence"), shared=True)
    def check(self) -> FamilyCheck | str:
        """The check, or why no member of the family gives such scores."""
        try:
            return family_check(self.scores, self.family, self.confidence, self.known_q)
        except ValueError as error:
            return str(error)

    @derived(needs=("check",), shared=True)
    def fit(self) -> FamilyFit:
        """The family's parameter with limits on both sides."""
        return family_fit(self.scores, self.family, self.confidence, self.known_q)

    @derived(needs=("check",), shared=True)
    def member(self) -> Pair | None:
        """The member of the family at the lower limit of its parameter."""
        if isinstance(self.check(), str):
            return None
        # Limits of this level have the one-sided bound's error at their lower end.
        fit = family_fit(self.scores, self.family, 2 * self.confidence - 1, self.known_q)
        return fit.family.pair(fit.lower) if math.isfinite(fit.lower) else None

    @derived(needs=("scores", "confidence"), shared=True)
    def band(self) -> TradeoffBand:
        """Limits that hold for any pair."""
        return tradeoff_band(self.scores, self.confidence)

    @derived(needs=("scores",), shared=True)
    def roc(self) -> Roc:
        """All threshold attacks on these samples."""
        return roc(self.scores)

    @derived(needs=("scores",), shared=True)
    def histogram(self) -> Histogram:
        """Both sides in bins by Scott's rule."""
        return histogram(self.scores)

    # -- the strip of numbers ------------------------------------------------------------------

    @number(
        "ε if it is of the family",
        needs=("check", "log_delta", "looked"),
        formula="A lower limit of the family's parameter; ε(δ) of that member.",
        caution="It says nothing about pairs of another kind. A check that finds no contradiction "
        "does not show that the family is right.",
    )
    def epsilon(self) -> Bound | Fact:
        """If the family is right, no smaller ε makes the mechanism (ε, δ)-DP."""
        if isinstance(self.check(), str):
            return NO_MEMBER
        bound = parametric_bound(
            self.scores,
            self.family,
            delta=self.delta,
            confidence=self.confidence,
            q=self.known_q,
        )
        return self._certified(bound.voided(REFUTED) if self._refuted else bound)

    @number(
        "ε for any pair",
        needs=("band", "log_delta", "looked"),
        caution="At a δ far below 1/n it says little, as no sample shows such rare outcomes.",
    )
    def free_epsilon(self) -> Bound:
        """The lower bound that needs no family, from limits at all thresholds at once."""
        return self._certified(self.band().epsilon(self.delta))

    @number(
        "Parameter of the family",
        needs=("check", "looked"),
        formula="Gaussian and Laplace: the shift μ in units of the noise. Subsampled Gaussian: "
        "1/σ. Randomized response: ε.",
    )
    def parameter(self) -> Fact:
        """Limits on both sides that hold if the family is right; a larger one leaks more."""
        if isinstance(self.check(), str):
            return NO_MEMBER
        fit = self.fit()
        symbol = SYMBOLS[fit.parameter]
        if not fit.fits:
            return NO_MEMBER
        estimate = f"{symbol} ≈ {round_safely(fit.estimate, 'nearest')}"
        void = self._void
        limits = f"{round_safely(fit.lower, 'down')} to {round_safely(fit.upper, 'up')}"
        level = f"{percent(self.confidence)} two-sided, if it is of the family"
        return Fact(
            f"{symbol}: {limits}",
            " · ".join(filter(None, (estimate, level, void and f"void: {void}"))),
        )

    @number(
        "Is it of the family?",
        needs=("check", "looked"),
        caution="“Not refuted” is no proof: with more scores the check sees smaller differences.",
    )
    def verdict(self) -> Fact:
        """Whether limits that hold for any pair exclude every member of the family."""
        check = self.check()
        s = self.scores
        n = f"{s.n_p:,} + {s.n_q:,} scores, {s.assumption}"
        if isinstance(check, str):
            return Fact("–", n)
        where = f"at threshold {check.threshold:.4g}" if check.threshold is not None else ""
        said = (f"{percent(self.confidence)} confidence", where, n, self._looked_words)
        return Fact("refuted" if check.refuted else "not refuted", " · ".join(filter(None, said)))

    @property
    def _refuted(self) -> bool:
        check = self.check()
        return isinstance(check, FamilyCheck) and check.refuted

    @property
    def _looked_words(self) -> str:
        return f"chosen after looking: {self.looked} changed" if self.looked else ""

    @property
    def _doubted(self) -> str:
        return f" The guarantees are void: {self._looked_words}." if self.looked else ""

    @property
    def _void(self) -> str:
        return REFUTED if self._refuted else self._looked_words

    def _certified(self, bound: Bound) -> Bound:
        return bound.voided(self._looked_words) if self.looked and not bound.void else bound

    # -- in plain words ------------------------------------------------------------------------

    @sentence(needs=("check",))
    def in_words(self) -> str:
        """The verdict, and the place where the family does not fit."""
        check = self.check()
        if isinstance(check, str):
            return f"{check[0].upper()}{check[1:]}."
        return check.verdict

    @sentence(needs=("check", "band", "log_delta", "looked"))
    def consequence(self) -> str:
        """What may be said about ε."""
        free, bound = self.free_epsilon(), self.epsilon()
        rest = f"for any pair, {free.symbol} is at least {free.rounded}"
        if isinstance(bound, Fact):
            return f"{rest[0].upper()}{rest[1:]}.{self._doubted}"
        if self._refuted:
            return f"What rests on the family is void; {rest}.{self._doubted}"
        return f"If it is so, {bound.symbol} is at least {bound.rounded}; {rest}.{self._doubted}"

    @sentence(needs=("loaded",), place="head")
    def provenance(self) -> str:
        """What is shown, and how it was read."""
        return str(self.loaded)

    # -- the charts ----------------------------------------------------------------------------

    @figure(
        "Scores and fitted family",
        needs=("check", "histogram"),
        span=6,
        formula="Gaussian: normal densities with the sides' means and their common variance. "
        "Otherwise: both sides as the fitted curve splits what is seen of them together.",
        caution="The eye sees the middle; the check looks at the tails, too.",
    )
    def distributions(self) -> dict[str, Any]:
        """Histograms of both sides, and what the fitted member of the family expects."""
        check = self.check()
        return charts.densities(self.histogram(), check if isinstance(check, FamilyCheck) else None)

    @figure(
        "Error rates on normal paper",
        needs=("check", "roc"),
        span=6,
        formula="Φ⁻¹ of both rates. A Gaussian pair is a straight line of slope −1, at distance "
        "μ from the line of no leak.",
        caution="The band holds for any pair. For the Gaussian family the check is stricter: it "
        "asks for normal scores, so that it may refute while the curve stays within the band.",
    )
    def normal_paper(self) -> dict[str, Any]:
        """Every threshold attack, the band that holds for any pair, and the fitted curve."""
        check = self.check()
        if isinstance(check, str):
            return empty("These scores and this family do not go together.")
        return charts.probit_tradeoff(check, self.roc())

    @figure(
        "What the family adds",
        needs=("check", "band", "member", "log_delta"),
        span=12,
        formula="δ(ε) of the fitted member, of the member at the lower limit of the parameter, and "
        "the simultaneous lower bound for any pair.",
        caution="The family's curve goes on to a δ that no sample can show: there it is assumed, "
        "not measured.",
    )
    def profile(self) -> dict[str, Any]:
        """Privacy profile δ(ε); the dots are the ε lower bounds at your δ."""
        return charts.profile(self.band(), self.delta, self.member(), self._refuted)

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; `spec` is for ``wb.explore_family``."""
        known = f", q={self.q!r}" if self.known_q is not None else ""
        level = f"confidence={self.confidence!r}{known}"
        kept = {name: spec[name] for name in KEPT if name in spec}
        return "\n".join(
            [
                "import workbench as wb",
                "",
                *data_code(self),
                f"epsilon = wb.parametric_bound(scores, {self.family!r}, "
                f"delta={self.delta!r}, {level})",
                f"fit = wb.family_fit(scores, {self.family!r}, {level})",
                f"check = wb.family_check(scores, {self.family!r}, {level})",
                f"free_epsilon = wb.epsilon_lower_bound(scores, delta={self.delta!r}, "
                f"confidence={self.confidence!r})",
                f"view = wb.explore_family(scores, {self.family!r}{known}, spec={kept!r})",
                "",
            ]
        )
