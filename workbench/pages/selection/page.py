"""What choosing the best of many runs costs: bounds, the worst order, an audit, an example."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from workbench.pages.core.page import Section
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
    """Bounds, the audit and the example: their items in the order of the bases, the last first."""

    title = "What choosing the best of many runs costs"
    about = (
        "Settings are tuned by training many times and releasing the best run. Its privacy loss is "
        "not that of one run. How much larger is it?"
    )

    controls: ClassVar[tuple[Section, ...]] = (
        *AuditedSelection.choice_controls,
        *AuditedSelection.audit_controls,
        *ThreeOutcomes.outcomes_controls,
    )

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_selection``."""
        asked = f"runs, {self.one_mu()!r}, delta={self.delta!r}"
        lines = [
            "import workbench as wb",
            "",
            f"runs = wb.selection.{self.runs()!r}",
            f"direct = wb.selection.epsilon({asked})",
            f'renyi = wb.selection.epsilon({asked}, bound="renyi")',
            f"worst = wb.selection.worst_order({asked})",
        ]
        if self.generic() is not None:
            lines.append(f'generic = wb.selection.epsilon({asked}, bound="generic")')
        lines += [
            f"scores = wb.selection.simulate(runs, {self.one_mu()!r}, {round(10**self.log_n)}, "
            f"score=worst.order, seed={self.seed})",
            f"view = wb.explore_selection(spec={spec!r})",
            "",
        ]
        return "\n".join(lines)


def run_values(runs: RunCount) -> dict[str, Any]:
    """The page's parameters for given run counts (ValueError where it has none)."""
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
