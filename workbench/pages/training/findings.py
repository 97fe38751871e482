"""`TrainingFindings`: what the scores so far show, and what they show after the last model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench._format import percent, plain, round_safely
from workbench.bounds.anytime.anytime import AnytimePath
from workbench.bounds.bound import Bound
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.claims.pair import PairClaim
from workbench.figures.watch import short_e_value
from workbench.following.evidence import ClaimEvidence
from workbench.onerun.half.matching import matched_pairs
from workbench.onerun.half.stability import HalfStability
from workbench.onerun.tuning import tune_one_run
from workbench.pages.core.page import Fact, derived, number
from workbench.pages.core.part import Part
from workbench.pages.inputs.claims.risk import risk_without_scores
from workbench.pairs.base import Pair
from workbench.training.audits.one_shot import OneShot
from workbench.training.audits.rows import Rows
from workbench.training.runs.gallery import GalleryRun

WAITING = Fact("–", "nothing trained yet")

NO_CLAIM = "trained without noise, so nothing is claimed"

PRESS, MORE = "Press “Train”.", "More models are needed."

#: The page does without what trainings with a random half show, where they have none.
NO_HALVES = Fact("", "needs a random half held out in each model")

ASKED = ("log_delta", "confidence")


@dataclass(frozen=True)
class Judged:
    """What scores say of the claim.

    Attributes
    ----------
    refuted : bool
    how : str
        What it rests on.
    models : int, optional
        By which the claim was refuted.
    void : str
        Why it is not valid; "" where it is.
    """

    refuted: bool
    how: str
    models: int | None
    void: str


class TrainingFindings(Part):
    """What the scores so far show of the claim, in numbers."""

    def about_risk(self) -> dict[str, Any]:
        """What the accountant says of the training in view."""
        pair = self.claim_pair()
        return risk_without_scores(None if pair is None else PairClaim(pair))

    # -- results, each computed once a state -------------------------------------------------------

    @derived(needs=("trained",))
    def claim_pair(self) -> Pair | None:
        """What the accountant says of the training in view."""
        return None if self.page.trained is None else self.page.trained.audit.reference

    @derived(needs=("trained",))
    def heuristic_pair(self) -> Pair | None:
        """What the final model alone leaks if losses are linear; a heuristic."""
        return None if self.page.trained is None else self.page.trained.audit.heuristic_reference

    @derived(needs=("claim_pair", "log_delta"))
    def claim(self) -> float | None:
        """ε of the accountant."""
        return _epsilon(self.claim_pair(), self.page.delta.value)

    @derived(needs=("heuristic_pair", "log_delta"))
    def heuristic(self) -> float | None:
        """ε of the last-iterate pair."""
        return _epsilon(self.heuristic_pair(), self.page.delta.value)

    @derived(needs=("result", *ASKED))
    def path(self) -> AnytimePath | None:
        """The anytime bound after each model; None where there is none."""
        result = self.page.result()
        if result is None or not result.anytime:
            return None
        return result.path(self.page.delta.value, self.page.confidence)

    @derived(needs=("trained", "result", "confidence"))
    def band(self) -> TradeoffBand | None:
        """The certified trade-off curve, after the last model."""
        result = self.page.result()
        return result.band(self.page.confidence) if result and self.page.trained.complete else None

    @derived(needs=("trained", "result", *ASKED))
    def last(self) -> Bound | None:
        """The bound for all models, after the last one."""
        result = self.page.result()
        if result is None or not self.page.trained.complete:
            return None
        return result.last(self.page.delta.value, self.page.confidence)

    @derived(needs=("result", "claim_pair"))
    def evidence(self) -> ClaimEvidence | None:
        """E-values against the whole curve of the claim; None where there are none."""
        result, pair = self.page.result(), self.claim_pair()
        if result is None or pair is None or not result.anytime:
            return None
        return result.evidence(pair)

    @derived(needs=("trained", *ASKED))
    def of_pairs(self) -> Bound | None:
        """ε from the pairs of trainings with a random half, after the last; None where none are."""
        audit, rows = self._halves()
        if audit is None or not self.page.trained.complete:
            return None
        if rows is None and audit.models > 1:
            return None
        result = self.page.trained.result
        pairs = matched_pairs(result) if rows is None else audit.matched_pairs(rows)
        asked = {"delta": self.page.delta.value, "confidence": self.page.confidence}
        return tune_one_run(pairs, **asked).simultaneous

    @derived(needs=("trained",))
    def halves(self) -> HalfStability | None:
        """How trainings with random halves differ; None where there are not two of them."""
        audit, rows = self._halves()
        if audit is None or rows is None or np.unique(rows.model).size < 2:
            return None
        return audit.stability(rows)

    def _halves(self) -> tuple[OneShot | None, Rows | None]:
        """The audit, where it is by random halves, and its rows, where they are known."""
        run = self.page.trained
        if run is None or not isinstance(run.audit, OneShot):
            return None, None
        return run.audit, None if isinstance(run, GalleryRun) else run.rows

    @property
    def why_void(self) -> str:
        """Why what is shown is not valid; "" while it is."""
        if self.page.run_number() > 1:
            error = percent(1 - self.page.confidence)
            return (
                f"run no. {self.page.run_number()} of this audit: the error probability of {error} "
                "covers one run, not repeating it with other seeds"
            )
        return self.page.validity.words

    def _valid(self, bound: Bound) -> Bound:
        """The bound, marked as not valid after a choice that was made because of results."""
        return bound.voided(self.why_void) if self.why_void and not bound.void else bound

    @derived(needs=("evidence", "last", "trained", "claim", "confidence", "looked", "run_number"))
    def judged(self) -> Judged | None:
        """What the scores so far say of the claim; None while they say nothing."""
        evidence, last, claim = self.evidence(), self.last(), self.claim()
        if evidence is not None:
            n = self.page.trained.models // 2
            row = evidence.refuted_at(self.page.confidence, n)
            how = f"e-value {short_e_value(evidence.log_at(n))}, anytime"
            models, void = None if row is None else 2 * row, evidence.void or self.why_void
            return Judged(row is not None, how, models, void)
        if last is None or claim is None:
            return None
        return Judged(last.value > claim, last.guarantee, None, last.void or self.why_void)

    # -- the strip of numbers ----------------------------------------------------------------------

    @number(
        "Verdict on the claim",
        needs=("judged", "trained", "confidence"),
        formula="A bet against the trade-off curve of the accountant’s pair. If the claim is true, "
        "its wealth ever reaches 1/α with probability at most α (Ville’s inequality).",
        caution="It rests on the whole curve of the claim, which is often refuted before the bound "
        "on ε passes its value at one δ. “Not refuted” does not mean that the training keeps its "
        "claim: another attack or more models may show more.",
    )
    def verdict(self) -> Fact:
        """Whether the scores so far refute the accountant's claim."""
        found = self.judged()
        if found is None:
            return WAITING if self.page.trained is None else Fact("–", self.not_yet())
        if found.void:
            return Fact("not valid", found.void)
        by = [] if found.models is None else [f"by model {found.models:,}"]
        note = " · ".join([*by, percent(self.page.confidence), found.how])
        return Fact("refuted" if found.refuted else "not refuted", note)

    @number(
        "Anytime lower bound",
        needs=("path", "trained", "looked", "run_number"),
        formula="The largest ε that was refuted after some model: the wealth of a bet against it, "
        "an e-value, reached 1/(1 − confidence).",
        caution="Models are independent, so this bound may be watched, and the training stopped at "
        "any moment. A weak attack gives a low bound.",
    )
    def epsilon(self) -> Bound | Fact:
        """Lower bound on ε that holds after all models simultaneously, whenever training stops."""
        path = self.path()
        if path is not None:
            return self._valid(path.bound)
        if self.page.trained is None:
            return WAITING
        return Fact("–", "needs many models" if self.page.result() else "needs more models")

    @number("Claimed ε", needs=("claim", "trained", "log_delta"), main=True)
    def claimed(self) -> Fact:
        """ε of the accountant for all noisy gradients, without a bug."""
        claim = self.claim()
        if claim is None:
            return WAITING if self.page.trained is None else Fact("–", NO_CLAIM)
        return Fact(
            f"≤ {round_safely(claim, 'up')}", f"accountant, δ = {plain(self.page.delta.value)}"
        )

    @number(
        "Final model alone",
        needs=("heuristic", "claim_pair", "trained", "log_delta"),
        formula="P = Bin(T, q) + N(0, σ²T) against Q = N(0, σ²T).",
        caution="A heuristic, not a proven limit: it assumes linear losses. A lower bound may "
        "exceed it without refuting the claim.",
    )
    def last_iterate(self) -> Fact:
        """ε of an adversary who sees only the final model (last-iterate pair, arXiv 2410.06186)."""
        value = self.heuristic()
        if value is None:
            if self.page.trained is None:
                return WAITING
            more = "the audit sees more than the final model"
            return Fact("–", more if self.claim_pair() is not None else NO_CLAIM)
        return Fact(f"≈ {round_safely(value, 'nearest')}", "last iterate, heuristic")

    @number(
        "Bound after the last model",
        needs=("last", "trained", "looked", "run_number"),
        caution="Holds for the number of models that was set before the training began. It is not "
        "shown before the last of them, nor after an early stop.",
        main=True,
    )
    def fixed(self) -> Bound | Fact:
        """Lower bound on ε from all models, for a number of models that was fixed in advance."""
        found = self.last()
        if found is not None:
            return self._valid(found)
        return WAITING if self.page.trained is None else Fact("–", self._no_bound_yet())

    @number(
        "Pairs of a random half",
        needs=("of_pairs", "trained", "looked", "run_number"),
        formula="Members matched at random with held-out records of the same model; STEINKE23 with "
        "pairs as canaries, for all, half, a quarter, … of them, paid for.",
        caution="Holds however the scores of a model depend on each other. It is about "
        "substituting a record.",
    )
    def pairs(self) -> Bound | Fact:
        """Lower bound on ε if the audited half was drawn at random, without further assumptions."""
        found = self.of_pairs()
        return self._valid(found) if found is not None else NO_HALVES

    @number(
        "Random halves, one and all",
        needs=("halves", "trained"),
        formula="Cross-fitted TV of one training and of all together; the distance of members, and "
        "of held-out records, between trainings (TV, Theorems 3.2 and 3.4).",
        caution="Estimates without a guarantee. What (ε, δ)-DP limits is the value of all "
        "trainings together.",
    )
    def stability(self) -> Fact:
        """How much one training with a random half may show beyond what privacy limits."""
        found = self.halves()
        if found is None:
            return NO_HALVES
        return Fact(
            f"TV ≈ {found.single.mean():.3f} and {found.pooled:.3f}",
            f"estimates; between trainings {found.excess():.3f}",
        )

    @number("Models", needs=("trained", "job_states"))
    def progress(self) -> Fact:
        """Models trained so far, how many a second, and the time left."""
        if self.page.trained is None:
            return WAITING
        state, run = self.page.work.state("train"), self.page.trained
        done = f"{run.models:,} of {run.audit.models:,}"
        if state.status == "stored" or not state.seconds or state.shown != "this run":
            return Fact(done)
        rate = run.models / state.seconds
        left = (run.audit.models - run.models) / rate if rate else math.inf
        more = f" · {_duration(left)} left" if state.running and math.isfinite(left) else ""
        return Fact(done, f"{round_safely(rate, 'nearest')} a second{more}")

    def not_yet(self) -> str:
        """Why there is no verdict so far."""
        if self.claim_pair() is None:
            return NO_CLAIM
        return self._no_bound_yet()

    def _no_bound_yet(self) -> str:
        if self.page.trained.complete:
            return "needs more models"
        return f"only after the last of {self.page.trained.audit.models:,} models"


def _epsilon(pair: Pair | None, delta: float) -> float | None:
    return None if pair is None else float(pair.epsilon(delta))


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
