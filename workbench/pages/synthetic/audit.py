"""`SyntheticMeasuring`: the audit of the tables in view, as a job, and its bounds."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import round_safely
from workbench.bounds.bound import Bound
from workbench.claims.base import Claim
from workbench.figures.kit.layout import empty
from workbench.figures.one_run.reference import ReferenceValue
from workbench.figures.synthetic import attacks as attack_charts
from workbench.figures.synthetic import scores as score_charts
from workbench.onerun.bound import one_run_bound
from workbench.onerun.guesses import Ends
from workbench.onerun.judged import GuessVerdict
from workbench.pages.core.jobs import Shown, job
from workbench.pages.core.page import Control, Fact, Section, derived, figure, number
from workbench.pages.core.part import Part
from workbench.pages.core.stored import first_result
from workbench.pages.inputs.claims.risk import risk_without_scores
from workbench.pages.inputs.claims.stated import CLAIM, stated_controls
from workbench.pages.synthetic.measured import MeasuredAudit, StatedTables, records_of
from workbench.pages.synthetic.tables import (
    EXAMPLE,
    FILE_OF,
    GIVEN,
    NO_SPLIT,
    ONE_TABLE,
    OfTables,
)
from workbench.progress import Report
from workbench.scores.chance import remember
from workbench.synthetic.audit import SyntheticAudit
from workbench.synthetic.columns import SyntheticTablesError
from workbench.workspaces.seen.identity import named
from workbench.workspaces.seen.memory import Sight

#: What the audit rests on, besides the tables; changing it after results were seen marks bounds.
REINTERPRETS = {
    "split": "what is said of the split",
    "kinds": "the kind of a column",
    "unit": "the unit of a coin",
    "without_copies": "what becomes of repeated rows",
    "seed": "the seed",
}

#: Parameters that the audit depends on.
ASKED = ("source", "tables_read", *FILE_OF.values(), *REINTERPRETS)

#: The attack in view that is the chosen one.
CHOSEN = "chosen"

#: Bins of the chart of scores, and the share of scores beyond its ends.
BINS, TAIL = 50, 0.002

MOVED = "the number of guesses was changed after the scores were seen"
OTHER = "the attack was chosen after its result was seen"


class AttackChoice(OfTables):
    """Parameter type of the attack in view."""

    def _offered(self) -> dict[str, Any]:
        found = self.owner.result()
        rest = {} if found is None else {one.label: one.name for one in found.attacks}
        return {"the one chosen on the learning share": CHOSEN, **rest}


def _done(page: Any) -> bool:
    return page.result() is not None


class SyntheticMeasuring(Part):
    """The audit of the tables in view, its bounds, and the attacks side by side."""

    attack = AttackChoice(
        default=CHOSEN,
        objects=[CHOSEN],
        label="Attack in view",
        doc="The chart of scores shows it. The bound is that of the attack which did best on the "
        "learning share; another one, chosen after looking, gives an estimate.",
    )
    guess_share = param.Number(
        10.0,
        bounds=(0.1, 100),
        step=0.1,
        label="Guesses (% of the measured records)",
        doc="How many records the attack in view names, those with the most extreme scores. The "
        "learning share fixed it; moving it gives an estimate.",
    )
    guesses_moved = param.Boolean(False, precedence=-1)
    audited = param.Parameter(precedence=-1, doc="A MeasuredAudit.")

    follows: ClassVar[tuple[str, ...]] = ("guesses_moved",)

    section: ClassVar[Section] = Section(
        "Audit",
        (
            Control("measure", when=lambda page: page.source != ONE_TABLE),
            Control("log_delta", when=lambda page: page.source != ONE_TABLE),
            Control("confidence", when=lambda page: page.source != ONE_TABLE),
            Control("attack", when=_done),
            Control("guess_share", when=_done),
            Control("seed", when=lambda page: page.source == EXAMPLE, given=False),
        ),
    )
    claimed: ClassVar[Section] = Section(
        "Claim", tuple(stated_controls(when=lambda page: page.source != ONE_TABLE))
    )

    def start(self, given: frozenset[str]) -> None:
        """Show the result that comes with the package, or that of a given audit."""
        page = self.page
        page.param.watch(self._begin, "audited")
        page.param.watch(self._place_guesses, ["audited", "attack"])
        page.param.watch(self._moved, "guess_share")
        page.param.watch(self._come_back, ["source", "tables_read", *FILE_OF.values()])
        self._come_back()

    def _come_back(self, *events: Any) -> None:
        """Show what is known of the tables in view without a job."""
        page = self.page
        if self.result() is not None:
            return
        if page.source == EXAMPLE:
            stored = first_result(page, "measure", "synthetic")
            if stored is not None:
                found = MeasuredAudit.from_dict(stored)
                remember(found.tables.fingerprint, found.tables.seed)
                page.work.show_stored("measure", found)
        elif page.source == GIVEN:
            _ = page.given.attacks  # those that it was made with
            page.work.show("measure", Shown(MeasuredAudit.made(page.given, self.stated)))
        elif page.audited is not None:
            page.work.show("measure", Shown(None))  # of other tables

    @property
    def stated(self) -> StatedTables:
        """What is stated of the tables in view now."""
        return StatedTables(
            self.page.three.subject, {name: getattr(self.page, name) for name in REINTERPRETS}
        )

    @job("Audit the tables", needs=ASKED, into="audited")
    def measure(self, report: Report) -> MeasuredAudit:
        """Attacks learn on a share of the records, and are measured on the others.

        Takes seconds for thousands of records, and up to a minute for a hundred thousand.
        """
        page = self.page
        if page.source == GIVEN:
            audit: SyntheticAudit = page.given
        else:
            if page.split is None:
                raise SyntheticTablesError(NO_SPLIT)
            report(0.0, "The tables are read …")
            audit = SyntheticAudit(
                *page.three.given_tables,
                split=page.split,
                seed=page.seed,
                **page.typed.stated,
            )
        return MeasuredAudit.made(audit, self.stated, report)

    # -- what was measured -------------------------------------------------------------------------

    @derived(needs=("audited", "source", "tables_read", *FILE_OF.values()))
    def result(self) -> MeasuredAudit | None:
        """The audit of the tables in view; None before there is one."""
        found: MeasuredAudit | None = self.audited
        return found if found is not None and found.stated.of == self.page.three.subject else None

    def shows_results(self) -> bool:
        """Whether there are results in view, because of which a choice may be made."""
        return self.result() is not None

    def sights(self) -> tuple[Sight, ...]:
        """The tables in view, known by their files."""
        found = self.result()
        if found is None:
            return ()
        if self.page.source == EXAMPLE:
            return (Sight(named("the example of a synthetic table"), kept="passing"),)
        if self.page.source == GIVEN:
            return (Sight(found.tables.fingerprint, found.name),)
        return (Sight(named(f"three tables {found.stated.of}"), "three tables"),)

    def choices(self) -> dict[str, Any]:
        """What the result in view rests on."""
        found = self.result()
        known = {} if found is None else found.stated.choices
        return {name: known.get(name) for name in REINTERPRETS}

    def choice_words(self) -> dict[str, str]:
        """What messages call that."""
        return REINTERPRETS

    def _begin(self, *events: Any) -> None:
        """Take note of a new result: another audit of tables that were seen may be marked."""
        if self.result() is not None:
            self.page.validity.recall()

    def _place_guesses(self, *events: Any) -> None:
        """Have the slider show the number of guesses that the learning share fixed."""
        found = self.result()
        if found is None or self.page.quiet:
            return
        if any(event.name == "audited" for event in events) and self.attack != CHOSEN:
            self.page.set_quietly(attack=CHOSEN)
        one = self.in_view(found)
        share = 100 * (one.rule.k_in + one.rule.k_out) / one.run.canaries
        self.page.set_quietly(guess_share=min(max(round(share, 1), 0.1), 100.0))
        self.guesses_moved = False

    def _moved(self, *events: Any) -> None:
        if not self.page.quiet and self.result() is not None:
            self.guesses_moved = True

    def in_view(self, found: MeasuredAudit) -> Any:
        """The attack in view, of an audit that has it."""
        known = {one.name: one for one in found.attacks}
        return known.get(self.attack) or found.attack(CHOSEN)

    @derived(needs=("result", "attack", "guess_share", "guesses_moved"))
    def rule_in_view(self) -> Ends | None:
        """How many records the attack in view names."""
        found = self.result()
        if found is None:
            return None
        one = self.in_view(found)
        if not self.guesses_moved:
            rule: Ends = one.rule
            return rule
        total = min(max(round(self.guess_share / 100 * one.run.canaries), 1), one.run.canaries)
        k_out = round(total * one.rule.k_out / (one.rule.k_in + one.rule.k_out))
        return Ends(total - k_out, k_out)

    @derived(needs=("result", "log_delta", "confidence"))
    def bounds(self) -> dict[str, Bound]:
        """Bound on ε of each attack by its name, of the chosen one, and of all together."""
        found = self.result()
        if found is None:
            return {}
        asked = {"delta": self.page.delta.value, "confidence": self.page.confidence}
        names = (CHOSEN, "all", *(one.name for one in found.attacks))
        return {name: found.epsilon(attack=name, **asked) for name in names}

    @derived(needs=("result", "confidence", *CLAIM))
    def verdict(self) -> GuessVerdict | None:
        """The verdict on the claim, by the chosen attack; None without a claim."""
        found, claim = self.result(), self.page.promised.stated()
        if found is None or claim is None:
            return None
        return found.judge(claim, confidence=self.page.confidence)

    def about_risk(self) -> dict[str, Any]:
        """What was promised of the generator."""
        return risk_without_scores(self.page.promised.stated())

    @derived(needs=("log_delta", *CLAIM))
    def reference(self) -> ReferenceValue | None:
        """ε of the claim at the δ in view."""
        claim: Claim | None = self.page.promised.stated()
        if claim is None:
            return None
        try:
            return ReferenceValue("claimed", float(claim.epsilon(self.page.delta.value)))
        except (ValueError, AttributeError):
            return None

    @property
    def pending(self) -> Fact:
        """A number before there is a result; none where no result can come."""
        return Fact("" if self.page.source == ONE_TABLE else "–", "not audited yet")

    # -- numbers -----------------------------------------------------------------------------------

    @number(
        "ε, at least",
        needs=("bounds", "looked", "source"),
        formula="P[right ≥ c] ≤ P[W ≥ c] + δ-term, W binomial with r guesses of success "
        "e^ε/(1 + e^ε), sharpened.",
        caution="Assumes the split alone, whatever the table and the generator. The attack and its "
        "number of guesses were fixed on other records. A better attack may show more.",
        main=True,
    )
    def epsilon(self) -> Bound | Fact:
        """Lower bound on ε of the generator, by the attack that did best on the learning share."""
        return self._shown(CHOSEN)

    @number(
        "All attacks together",
        needs=("bounds", "looked", "source"),
        formula="Each attack at its part of the error probability; the largest bound.",
        caution="Valid like the bound of the chosen attack, and often a little lower.",
    )
    def together(self) -> Bound | Fact:
        """Lower bound on ε from all attacks, corrected for taking the best of them."""
        return self._shown("all")

    @number(
        "At the guesses in view",
        needs=("result", "rule_in_view", "attack", "guesses_moved", "log_delta", "confidence"),
        caution="The attack or the number of guesses was chosen after looking: an estimate.",
    )
    def epsilon_here(self) -> Bound | Fact:
        """What the attack in view shows with this number of guesses; not valid as a bound."""
        found, rule = self.result(), self.rule_in_view()
        if found is None or rule is None:
            return Fact("")
        one = self.in_view(found)
        moved = self.guesses_moved
        if not moved and one.name == found.chosen:
            return Fact("")
        bound = one_run_bound(
            one.run.guess(**rule.arguments),
            delta=self.page.delta.value,
            confidence=self.page.confidence,
            method="sharp",
        )
        return bound.voided(MOVED if moved else OTHER)

    @number("Right guesses", needs=("result", "source"))
    def counted(self) -> Fact:
        """How many of the guesses of the chosen attack are right."""
        found = self.result()
        if found is None:
            return self.pending
        made = found.attack(CHOSEN).guess()
        what = found.tables.counted if found.split == "coin" else "pairs"
        share = f"{made.accuracy:.1%} right, of {made.canaries:,} measured {what}"
        return Fact(f"{made.correct:,} of {made.guesses:,}", share)

    @number(
        "Was the split random?",
        needs=("result", "source"),
        formula="A classifier that never sees the synthetic table names members; hypergeometric.",
        caution="It can show that a split was not random, never that it was.",
    )
    def split_tested(self) -> Fact:
        """Test of whether training and held-out records can be told apart by themselves."""
        found = self.result()
        if found is None:
            return self.pending
        test = found.split_test
        said = "nothing against it" if test.passed else "it was not random"
        return Fact(f"p = {round_safely(test.p_value, 'nearest')}", said)

    def _shown(self, name: str) -> Bound | Fact:
        bounds = self.bounds()
        if not bounds:
            return self.pending
        bound = bounds[name]
        return bound if bound.guarantee == "estimate" else self.page.validity.certified(bound)

    # -- charts ------------------------------------------------------------------------------------

    @figure(
        "Scores of the attack",
        needs=("result", "attack", "rule_in_view"),
        span=6,
        caution="Of the measured share: the attack never saw who of these was a member.",
    )
    def distributions(self) -> dict[str, Any]:
        """Scores of records in the training table, and of held-out ones. Dotted: its guesses."""
        found, rule = self.result(), self.rule_in_view()
        if found is None or rule is None:
            return empty(self.page.words.next_step(), optional=True)
        one = self.in_view(found)
        run = records_of(one)
        finite = run.scores[np.isfinite(run.scores)]
        if not finite.size:
            return empty("The attack gives no finite score.")
        low, high = np.quantile(finite, [TAIL, 1 - TAIL])
        if not high > low:
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, BINS + 1)
        shares = [
            np.histogram(np.clip(run.scores[side], low, high), edges)[0] / max(side.sum(), 1)
            for side in (run.included, ~run.included)
        ]
        ends = (np.nan, np.nan)
        if found.split == "coin":
            order = np.sort(run.scores)
            ends = (
                float(order[rule.k_out - 1]) if rule.k_out else np.nan,
                float(order[-rule.k_in]) if rule.k_in else np.nan,
            )
        return score_charts.scores(edges, shares[0], shares[1], ends, one.label)

    @figure(
        "Attacks side by side",
        needs=("result", "bounds", "reference", "looked"),
        span=6,
        caution="Only the bound of the attack that was chosen on the learning share is valid by "
        "itself. The largest of the others, picked because it is the largest, is an estimate.",
    )
    def attacks_chart(self) -> dict[str, Any]:
        """Lower bound on ε of each attack. Green: chosen before measuring. Grey: estimates."""
        found, bounds = self.result(), self.bounds()
        if found is None:
            return empty(self.page.words.next_step(), optional=True)
        rows = [
            attack_charts.AttackRow(
                one.label, self.page.validity.certified(bounds[one.name]), one.name == found.chosen
            )
            for one in found.attacks
        ]
        return attack_charts.attacks(rows, self.reference())
