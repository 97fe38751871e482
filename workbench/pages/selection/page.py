"""`SelectionPage`: the privacy cost of releasing the best of many runs."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from workbench.pages.core.page import Page, Section
from workbench.pages.inputs.code import (
    Name,
    call,
    duration,
    lines,
    pair_code,
    repeatable,
    script,
)
from workbench.pages.inputs.settings import ConfidenceSetting, DeltaSetting
from workbench.pages.selection.bounds import SelectionBounds
from workbench.pages.selection.choice import SelectionChoice
from workbench.pages.selection.outcomes import ThreeOutcomes
from workbench.pages.selection.simulation import AuditedSelection
from workbench.pages.selection.trained import RECORDS, VALIDATION, TrainedSelection
from workbench.pairs.accounting.dpsgd import DPSGDPair
from workbench.selection.finite_runs import PointMass, TwoPoint
from workbench.selection.runs import NegativeBinomial, Poisson, RunCount

#: What the code of a simulated audit imports.
IMPORTS = ("import numpy as np", "from workbench.selection.audit import audit")

KIND_OF = {
    NegativeBinomial: "negative-binomial",
    Poisson: "poisson",
    PointMass: "point",
    TwoPoint: "two-point",
}


class SelectionPage(Page):
    """State and drawings of the page."""

    title = "Privacy cost of hyperparameter selection"
    about = (
        "Hyperparameters are tuned by training many times and releasing the best run. How much "
        "larger is the privacy loss of that release than the loss of a single run?"
    )
    main: ClassVar[tuple[str, ...]] = ("log_mean", "mu")

    delta = DeltaSetting()
    level = ConfidenceSetting()
    choice = SelectionChoice()
    bounding = SelectionBounds()
    simulation = AuditedSelection()
    trainings_part = TrainedSelection()
    three_outcomes = ThreeOutcomes()

    controls: ClassVar[tuple[Section, ...]] = (
        *SelectionChoice.sections,
        *AuditedSelection.sections,
        *TrainedSelection.sections,
        *ThreeOutcomes.sections,
    )

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_selection``."""
        mu = repr(self.one_mu())
        asked = ("wb.selection.epsilon", "runs", mu)
        at: dict[str, Any] = {"delta": self.delta.value}
        again = repeatable(self, "simulate")
        simulated = ("runs", mu, str(round(10**self.log_n)), "score=worst.order")
        return script(
            f"runs = wb.selection.{self.runs()!r}",
            f"base = wb.GaussianPair({mu}).epsilon({self.delta.value!r})",
            f"direct_number = {call(*asked, **at)}",
            f"renyi_number = {call(*asked, **at, bound='renyi')}",
            f"worst = {call('wb.selection.worst_order', 'runs', mu, **at)}\n"
            "worst_number = worst.bound",
            f"generic_number = {call(*asked, **at, bound='any')}",
            f"composition_number = {call(*asked, **at, bound='composition')}",
            "mean_runs = runs.mean",
            self._exact_code(),
            f"scores = {call('wb.selection.simulate', *simulated, seed=self.seed)}",
            self._audit_code(mu) if again else "",
            self._trained_code() if repeatable(self, "train") else "",
            f"view = {call('wb.explore_selection', spec=spec)}",
            imports=IMPORTS if again else (),
        )

    def _exact_code(self) -> str:
        if self.base_kind != "dp-sgd":
            return ""
        training = pair_code(DPSGDPair(self.choice.noise, self.choice.rate, self.steps))
        exact = call("wb.selection.epsilon", "runs", base=Name("training"), delta=self.delta.value)
        return f"training = {training}\nexact_number = {exact}"

    def _trained_code(self) -> str:
        """The steps that train and choose again."""
        how = self.trainings_part.training_settings()
        settings = call(
            "wb.training.DPSGDSettings",
            f"wb.training.Network({how.network.sizes!r})",
            steps=how.steps,
            sample_rate=how.sample_rate,
            noise_multiplier=how.noise_multiplier,
            expected_batch=how.expected_batch,
            learning_rate=how.learning_rate,
            optimizer=how.optimizer,
        )
        trained = call(
            "wb.training.audit_best_of",
            "settings",
            f"digits.take(range({RECORDS}))",
            "runs",
            repr(round(10**self.log_selections)),
            validation=Name(f"digits.take({VALIDATION!r})"),
            choice=self.trained_choice,
            seed=self.seed,
        )
        return lines(
            duration(self, "train"),
            'digits = wb.training.labeled_data("digits")',
            f"settings = {settings}",
            f"trained = {trained}",
            f"trained_number = trained.lower_bound({self.delta.value!r}, {self.confidence!r})",
        )

    def _audit_code(self, mu: str) -> str:
        """The step that audits selections by the worst order again."""
        rng = Name(f"np.random.default_rng(({self.seed}, 1))")
        asked = {"delta": self.delta.value, "confidence": self.confidence, "seed": rng}
        simulated = call("audit", "runs", mu, "worst.order", repr(round(10**self.log_n)), **asked)
        return lines(
            duration(self, "simulate"), f"*_, audited = {simulated}", "shown = audited.simultaneous"
        )


def run_values(runs: RunCount) -> dict[str, Any]:
    """The page's parameters for a distribution of the number of runs.

    Raises
    ------
    ValueError
        A distribution that the page's controls cannot show.
    """
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
