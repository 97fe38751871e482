"""`TrainedSelection`: an audit of the best of many trainings, chosen by a score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import param

from workbench.bounds.bound import Bound
from workbench.figures.selection import audits as charts
from workbench.pages.core.jobs import job
from workbench.pages.core.page import Control, Fact, Section, figure, number, sentence
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber
from workbench.progress import Report
from workbench.training.best_of import BestOfTrainings, audit_best_of
from workbench.training.dp_sgd.data import labeled_data
from workbench.training.dp_sgd.dp_sgd import DPSGDSettings
from workbench.training.dp_sgd.network import Network

#: Records of scikit-learn's digits that every training has, those that choose, and steps.
RECORDS, VALIDATION, STEPS = 100, range(1000, 1200), 10

#: Trainings that one audit on the page takes at most, a minute or two.
MOST_TRAININGS = 50_000

#: The noise of a training, over that of one run with the page's μ.
NOISES = {"of one run with μ": 1.0, "a tenth of it": 0.1, "none": 0.0}

CHOICES = {"loss on held-out records": "validation", "trace of the canary": "canary"}

PENDING = Fact("–", "not trained yet")


@dataclass(frozen=True)
class TrainedAudit:
    """An audit of selections among trainings, with the numbers for which it was made.

    Attributes
    ----------
    found : BestOfTrainings
    mu, delta, confidence : float
    noise : float
        Over that of one run with this μ.
    known : dict of str to Bound
        What holds without samples if the noise is that of μ: "direct" and "generic", for any score.
    """

    found: BestOfTrainings
    mu: float
    delta: float
    confidence: float
    noise: float
    known: dict[str, Bound]

    def shown(self, statistic: str) -> Bound:
        """A lower bound from the trainings."""
        return self.found.lower_bound(self.delta, self.confidence, statistic)


class TrainedSelection(Part):
    """An audit of the best of many trainings, with and without a canary."""

    trained_noise = param.Selector(default=1.0, objects=NOISES, label="Noise of the trainings")
    trained_choice = param.Selector(
        default="validation",
        objects=CHOICES,
        label="The best training is chosen by",
        doc="A validation loss as in practice, or a score in the hands of the attacker.",
    )
    log_selections = LogNumber(
        2.0,
        bounds=(1, 3),
        step=0.25,
        whole=True,
        label="Selections among trainings",
        doc="With the canary, and as many without it. Each trains its own number of models.",
    )
    trained = param.Parameter(precedence=-1, doc="A `TrainedAudit`, partial or final.")

    sections: ClassVar[tuple[Section, ...]] = (
        Section(
            "Real trainings",
            (
                Control("trained_noise"),
                Control("trained_choice"),
                Control("log_selections"),
                Control("train"),
            ),
        ),
    )

    @job(
        "Train and choose",
        needs=("direct", "any_score", "trained_noise", "trained_choice", "log_selections",
               "confidence", "seed"),
        into="trained",
    )  # fmt: skip
    def train(self, report: Report) -> TrainedAudit:
        """Trains models on digits, with and without a canary, and releases the best of each set.

        Full-batch DP-SGD of a softmax regression, ten steps; the canary is a gradient.
        """
        runs, mu, n = self.page.runs(), self.page.one_mu(), round(10**self.log_selections)
        if 2 * n * runs.mean > MOST_TRAININGS:
            raise ValueError(
                f"{2 * n} selections of {runs.mean:,.0f} trainings on average are more than "
                f"{MOST_TRAININGS:,} trainings: choose fewer runs or selections"
            )
        if mu == 0:
            raise ValueError("with μ = 0 the noise would be infinite: choose a larger μ")
        settings, digits = self.training_settings(), labeled_data("digits")
        known = {"direct": self.page.direct(), "generic": self.page.any_score()}

        def audited(found: BestOfTrainings) -> TrainedAudit:
            known_here = known if self.trained_noise == 1 else {}
            delta, confidence = self.page.delta.value, self.page.confidence
            return TrainedAudit(found, mu, delta, confidence, self.trained_noise, known_here)

        def report_audited(
            fraction: float | None = None, message: str | None = None, partial: Any = None
        ) -> None:
            report(fraction, message, partial=None if partial is None else audited(partial))

        return audited(
            audit_best_of(
                settings,
                digits.take(range(RECORDS)),
                runs,
                n,
                validation=digits.take(VALIDATION),
                choice=self.trained_choice,
                seed=self.page.simulation.seed,
                report=report_audited,
            )
        )

    def training_settings(self) -> DPSGDSettings:
        """Of one training, with the chosen noise."""
        return DPSGDSettings(
            Network((64, 10)),
            steps=STEPS,
            sample_rate=1.0,
            noise_multiplier=self.trained_noise * math.sqrt(STEPS) / self.page.one_mu(),
            expected_batch=RECORDS,
            learning_rate=0.5,
            optimizer="sgd",
        )

    @number(
        "Best of trainings, lower bound",
        needs=("trained",),
        caution="For the score that chose the trainings and for this canary. Another score may "
        "leak more.",
    )
    def trained_number(self) -> Bound | Fact:
        """Lower bound from real trainings, of which the best was chosen by a score."""
        return PENDING if self.trained is None else self.trained.shown("released")

    @sentence(needs=("trained",), place="foot")
    def trained_words(self) -> str:
        """What the trainings show, and what that guarantees."""
        if self.trained is None:
            return ""
        done, best = self.trained, self.trained.shown("released")
        single, n = done.shown("single"), done.found.scores.n_p
        noise = {1.0: "the noise of one run", 0.0: "no noise"}.get(
            done.noise, "a tenth of the noise"
        )
        said = (
            f"{done.found.trained:,} trainings with {noise}: the best of each set shows ε ≥ "
            f"{best.rounded}, one training without a choice ε ≥ {single.rounded}, from {n:,} "
            "selections with the canary and as many without. Both are lower bounds for this "
            "canary and this score"
        )
        if not done.known:
            return f"{said}; nothing is proven from above, as the noise is not that of μ."
        return f"{said}. Whatever the score, ε ≤ {done.known['generic'].rounded}."

    @figure(
        "Best of real trainings",
        needs=("trained",),
        caution="The attacker sees all steps of the released training, and no other.",
    )
    def trainings(self) -> dict[str, Any]:
        """Lower bounds from trainings, and what is known without samples if their noise is of μ."""
        if self.trained is None:
            return charts.waiting("Train models to see it.")
        done = self.trained
        shown = {name: done.shown(name) for name in ("single", "released", "with score")}
        return charts.trainings(shown, done.known)
