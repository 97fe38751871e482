"""`AuditedSelection`: lower bounds from simulated selections, beside the known bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import plain
from workbench.bounds.bound import Bound
from workbench.figures.selection import audits as charts
from workbench.pages.core.jobs import job
from workbench.pages.core.page import Control, Fact, Section, figure, number, sentence
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import SEED, SEED_DOC, IntegerField, LogNumber
from workbench.pairs.gaussian import GaussianPair
from workbench.progress import Report
from workbench.selection.audit import SelectionAudit, audit, decisive_event
from workbench.selection.curve import tradeoff_curve
from workbench.selection.orders import Monotone
from workbench.selection.runs import RunCount

PENDING = Fact("–", "not simulated yet")


@dataclass(frozen=True)
class Simulated:
    """Audits of simulated selections, and the bounds that are known without samples.

    Attributes
    ----------
    runs : RunCount
    mu, delta : float
    n : int
        Selections per group when complete.
    known : dict of str to Bound
        By "direct", "renyi", "worst" and "generic", the smaller one of those for any score.
    found : dict of str to SelectionAudit
        By the name of the score, "monotone" and "worst order", as far as they are simulated.
    """

    runs: RunCount
    mu: float
    delta: float
    n: int
    known: dict[str, Bound]
    found: dict[str, SelectionAudit]


class AuditedSelection(Part):
    """A simulated audit of the selection."""

    log_n = LogNumber(
        6.0,
        bounds=(4, 6),
        step=0.5,
        whole=True,
        label="Simulated selections",
        doc="With the record, and as many without it.",
    )
    seed = IntegerField(0, SEED, label="Seed", doc=SEED_DOC)
    simulated = param.Parameter(precedence=-1, doc="A `Simulated`, partial or final.")

    sections: ClassVar[tuple[Section, ...]] = (
        Section(
            "Simulated audit",
            (Control("log_n"), Control("confidence"), Control("seed"), Control("simulate")),
        ),
    )

    @job(
        "Run the audit", needs=("worst", "direct", "log_n", "confidence", "seed"), into="simulated"
    )
    def simulate(self, report: Report) -> Simulated:
        """Simulates and audits selections by a monotone score and by the worst order found."""
        n, known = round(10**self.log_n), {"direct": self.page.direct(), "renyi": self.page.renyi()}
        worst = self.page.worst()
        known |= {"worst": worst.bound, "generic": self.page.any_score()}
        done = Simulated(self.page.runs(), self.page.one_mu(), self.page.delta.value, n, known, {})
        for i, (name, score) in enumerate(
            {"monotone": Monotone(), "worst order": worst.order}.items()
        ):
            for part in audit(
                done.runs,
                done.mu,
                score,
                n,
                delta=self.page.delta.value,
                confidence=self.page.confidence,
                seed=np.random.default_rng((self.seed, i)),
                report=report,
            ):
                done = replace(done, found={**done.found, name: part})
                drawn = part.simultaneous.n_p
                words = f"{name}: {drawn:,} of {n:,} selections per group"
                report((i + drawn / n) / 2, words, partial=done)
        return done

    @number("Audit lower bound", needs=("simulated",))
    def shown(self) -> Bound | Fact:
        """Lower bound from simulated selections by the worst order found."""
        found = self.simulated.found if self.simulated is not None else {}
        return found["worst order"].simultaneous if "worst order" in found else PENDING

    @sentence(needs=("simulated",), place="foot")
    def gap(self) -> str:
        """Why the audit's bound is below the true ε."""
        if self.simulated is None:
            return ""
        done, found = self.simulated, self.simulated.found["monotone"].simultaneous
        event = decisive_event(tradeoff_curve(done.runs, done.mu), done.delta)
        often, seldom = (plain(found.n_p * share) for share in (event.likely, event.rare))
        return (
            f"For the monotone score, the audit shows ε ≥ {found.rounded}, while the true ε is "
            f"{done.known['direct'].rounded}. That ε comes from an event with probability "
            f"{plain(event.likely)} with the record and {plain(event.rare)} without it (or the "
            f"reverse), so it occurs about {often} and {seldom} times in {found.n_p:,} selections. "
            "Simultaneous limits without assumptions on the distributions are wide for such small "
            "counts. More selections reduce the gap."
        )

    @figure(
        "Audit of simulated selections",
        needs=("simulated",),
        caution="The attacker is given the privacy loss of the released run, so an attack on real "
        "training is not stronger.",
    )
    def audited(self) -> dict[str, Any]:
        """Known bounds, and lower bounds from simulated selections."""
        done = self.simulated
        if done is None:
            return charts.waiting()
        one = float(GaussianPair(done.mu).epsilon(done.delta))
        return charts.audits(one, done.known, done.found)

    @figure("Bound against number of selections", needs=("simulated",))
    def grown(self) -> dict[str, Any]:
        """Simultaneous lower bounds at increasing numbers of selections, each valid by itself."""
        done = self.simulated
        if done is None:
            return charts.waiting()
        limits = {"monotone": done.known["direct"], "worst order": done.known["worst"]}
        return charts.growth(done.found, limits, done.n)
