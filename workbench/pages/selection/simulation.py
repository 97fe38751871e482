"""What an audit shows of a selection: simulated releases, and the lower bounds from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import percent, plain
from workbench.bounds.bound import Bound
from workbench.figures.selection import audits as charts
from workbench.pages.core.jobs import job
from workbench.pages.core.page import Control, Fact, Section, figure, number, sentence
from workbench.pages.core.sliders import SEED, IntegerField
from workbench.pages.selection.bounds import SelectionBounds
from workbench.pairs.gaussian import GaussianPair
from workbench.parallel import Report
from workbench.selection.audit import SelectionAudit, audit, decisive_event
from workbench.selection.curve import tradeoff_curve
from workbench.selection.orders import Monotone
from workbench.selection.runs import RunCount

PENDING = Fact("–", "not simulated yet")


@dataclass(frozen=True)
class Simulated:
    """Audits of simulated selections, beside what is known of them without a sample.

    Attributes
    ----------
    runs : RunCount
    mu, delta : float
    n : int
        Selections a side, in the end.
    known : dict of str to Bound
        By "direct", "renyi", "generic" and "worst".
    found : dict of str to SelectionAudit
        By the name of the score, "monotone" and "worst order", as far as they are known.
    """

    runs: RunCount
    mu: float
    delta: float
    n: int
    known: dict[str, Bound]
    found: dict[str, SelectionAudit]


class AuditedSelection(SelectionBounds):
    """An audit of simulated selections, beside the bounds that it is after."""

    log_n = param.Number(
        6.0, bounds=(4, 6), step=0.5, label="log₁₀ of the selections", doc="On each side."
    )
    confidence = param.Selector(
        default=0.95, objects={percent(c): c for c in (0.9, 0.95, 0.99)}, label="Confidence"
    )
    seed = IntegerField(0, SEED, label="Seed")
    simulated = param.Parameter(precedence=-1, doc="A `Simulated`, partial or final.")

    audit_controls: ClassVar[tuple[Section, ...]] = (
        Section(
            "Simulated audit",
            (Control("log_n"), Control("confidence"), Control("seed"), Control("simulate")),
        ),
    )

    @job(
        "Run the audit", needs=("worst", "direct", "log_n", "confidence", "seed"), into="simulated"
    )
    def simulate(self, report: Report) -> Simulated:
        """Simulate selections under a monotone score and under the worst order, and audit them."""
        n, known = round(10**self.log_n), {"direct": self.direct(), "renyi": self.renyi()}
        worst, generic = self.worst(), self.generic()
        known |= {"worst": worst.bound} | ({"generic": generic} if generic is not None else {})
        done = Simulated(self.runs(), self.one_mu(), self.delta, n, known, {})
        for i, (name, score) in enumerate(
            {"monotone": Monotone(), "worst order": worst.order}.items()
        ):
            for part in audit(
                done.runs,
                done.mu,
                score,
                n,
                delta=self.delta,
                confidence=self.confidence,
                seed=np.random.default_rng((self.seed, i)),
                report=report,
            ):
                done = replace(done, found={**done.found, name: part})
                drawn = part.simultaneous.n_p
                words = f"{name}: {drawn:,} of {n:,} selections a side"
                report((i + drawn / n) / 2, words, partial=done)
        return done

    @number("Shown by the audit", needs=("simulated",))
    def shown(self) -> Bound | Fact:
        """The lower bound from simulated selections under the worst order found."""
        found = self.simulated.found if self.simulated is not None else {}
        return found["worst order"].simultaneous if "worst order" in found else PENDING

    @sentence(needs=("simulated",), place="foot")
    def gap(self) -> str:
        """Why an audit shows less than is true."""
        if self.simulated is None:
            return ""
        done, found = self.simulated, self.simulated.found["monotone"].simultaneous
        event = decisive_event(tradeoff_curve(done.runs, done.mu), done.delta)
        often, seldom = (plain(found.n_p * share) for share in (event.likely, event.rare))
        return (
            f"Why the audit shows {found.rounded} of {done.known['direct'].rounded} for the "
            f"monotone score: that ε is attained by an event of probability {plain(event.likely)} "
            f"on one side and {plain(event.rare)} on the other, which {found.n_p:,} selections "
            f"show about {often} and {seldom} times. Limits that hold whatever "
            "the distributions are, at all thresholds at once, give away what such small counts "
            "leave open. More selections narrow the gap."
        )

    @figure(
        "What an audit shows",
        needs=("simulated",),
        caution="The selections are simulated in the reduced game, and the attacker sees the "
        "privacy loss of the release: no attack on a real training does better.",
    )
    def audited(self) -> dict[str, Any]:
        """Known limits, and lower bounds from simulated selections (SELECT Fig. 6)."""
        done = self.simulated
        if done is None:
            return charts.waiting()
        one = float(GaussianPair(done.mu).epsilon(done.delta))
        return charts.audits(one, done.known, done.found)

    @figure("More selections", needs=("simulated",))
    def grown(self) -> dict[str, Any]:
        """Simultaneous lower bounds as selections come in; each holds by itself."""
        done = self.simulated
        if done is None:
            return charts.waiting()
        limits = {"monotone": done.known["direct"], "worst order": done.known["worst"]}
        return charts.growth(done.found, limits, done.n)
