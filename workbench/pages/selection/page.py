"""`SelectionPage`: the privacy cost of releasing the best of many runs."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from workbench.pages.core.page import Section
from workbench.pages.inputs.code import Name, call, script
from workbench.pages.selection.outcomes import ThreeOutcomes
from workbench.pages.selection.simulation import AuditedSelection
from workbench.selection.runs import NegativeBinomial, PointMass, Poisson, RunCount, TwoPoint

KIND_OF = {
    NegativeBinomial: "negative-binomial",
    Poisson: "poisson",
    PointMass: "point",
    TwoPoint: "two-point",
}


class SelectionPage(ThreeOutcomes, AuditedSelection):
    """State and drawings of the page; items of the last base come first."""

    title = "Privacy cost of hyperparameter selection"
    about = (
        "Hyperparameters are tuned by training many times and releasing the best run. How much "
        "larger is the privacy loss of that release than the loss of a single run?"
    )
    main: ClassVar[tuple[str, ...]] = ("log_mean", "mu")

    controls: ClassVar[tuple[Section, ...]] = (
        *AuditedSelection.choice_controls,
        *AuditedSelection.audit_controls,
        *ThreeOutcomes.outcomes_controls,
    )

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_selection``."""
        mu = repr(self.one_mu())
        asked = ("wb.selection.epsilon", "runs", mu)
        lines = [
            f"runs = wb.selection.{self.runs()!r}",
            f"direct = {call(*asked, delta=self.delta)}",
            f"renyi = {call(*asked, delta=self.delta, bound='renyi')}",
            f"worst = {call('wb.selection.worst_order', 'runs', mu, delta=self.delta)}",
        ]
        if self.generic() is not None:
            lines.append(f"generic = {call(*asked, delta=self.delta, bound='generic')}")
        simulated = ("wb.selection.simulate", "runs", mu, str(round(10**self.log_n)))
        return script(
            *lines,
            f"scores = {call(*simulated, score=Name('worst.order'), seed=self.seed)}",
            f"view = {call('wb.explore_selection', spec=spec)}",
        )


def run_values(runs: RunCount) -> dict[str, Any]:
    """The page's parameters for a distribution of the number of runs.

    Parameters
    ----------
    runs : RunCount

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
