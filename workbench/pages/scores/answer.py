"""`ScoresAnswer`: the headline of the scores page, with the evidence for it."""

from __future__ import annotations

import math

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.power.verdict import CAUGHT, NOT_REFUTED, Verdict
from workbench.estimators.direction import is_reversed
from workbench.pages.core.page import Answer, answer
from workbench.pages.core.part import Part
from workbench.scores.sample import NOBODY_DREW


class ScoresAnswer(Part):
    """Whether the claim is refuted, or how much leaks at least; or why nothing may be concluded."""

    @answer(
        needs=("verdict", "roc", "band", "asked_bound", "log_delta", "looked", "void_words"),
        slow=True,
    )
    def answer(self) -> Answer:
        """The answer of these scores, with its evidence."""
        page = self.page
        if page.validity.words:
            return Answer("Nothing may be concluded", page.validity.words, "void")
        if constant := page.scores.samples.constant:
            return Answer("Nothing to conclude", str(constant).rstrip("."), "void")
        if page.scores.sampling == "given":
            estimate = page.statistic.sharpest(page.statistic.epsilon_at_least())
            said = f"{NOBODY_DREW}; {_stated(estimate)} is an estimate only"
            return Answer("Nothing may be concluded", said, "void")
        verdict: Verdict | None = page.verdict()
        if verdict is not None and verdict.refuted:
            return Answer("Refuted", refuting_evidence(verdict), "bad")
        if page.source.kind != "pair" and is_reversed(page.scores, page.roc().auc):
            return Answer("Check the direction", self._reversed(), "void")
        if verdict is not None:
            words = "Not refuted" if verdict.verdict == NOT_REFUTED else "Too few scores to tell"
            return Answer(words, not_refuting_evidence(verdict), "open")
        epsilon = page.statistic.sharpest(page.statistic.epsilon_at_least())
        if epsilon.value > 0:
            at = f"at δ = {plain(page.delta.value)}, {percent(page.confidence)} confidence"
            text = f"{at}; state what was promised to have it tested"
            return Answer(f"Leaks at least ε = {epsilon.rounded}", text, "bad")
        return Answer("No leak shown", f"{_stated(epsilon)}; a leak may exist nevertheless")

    def _reversed(self) -> str:
        larger = self.page.scores.larger_is_member
        now, other = ("larger", "smaller") if larger else ("smaller", "larger")
        return (
            f"members do not score {now} than non-members (AUC {self.page.roc().auc:.3f}); have "
            f"the data read with “{other} = member”"
        )


def refuting_evidence(verdict: Verdict) -> str:
    """What refutes a claim: the counts at the refuting threshold, and the bound.

    Parameters
    ----------
    verdict : Verdict
        A refuted claim.
    """
    first, w, s = verdict.bounds[0], verdict.witness, verdict.scores
    bound = _stated(first)
    if w is None:
        return bound
    if first.quantity == "tpr":
        bound += f"; the claim allows {round_safely(1 - w.claimed_fnr, 'up')}"
    fall = "score above" if s.larger_is_member else "fall below"
    return (
        f"{w.true_positives:,} of {s.n_p:,} members but {w.false_positives:,} of {s.n_q:,} "
        f"non-members {fall} {plain(w.threshold)}; {bound}"
    )


def not_refuting_evidence(verdict: Verdict) -> str:
    """What would have been detected of a claim that is not refuted, or would need more scores."""
    first, level = verdict.power[0], f"{percent(verdict.confidence)} confidence"
    if verdict.verdict != NOT_REFUTED or math.isinf(first.caught):
        return f"{verdict.summary}; {level}"
    return f"{first.least} would have been detected ({percent(CAUGHT)} power, {level})"


def _stated(bound: Bound) -> str:
    """A bound in half a line: "ε ≥ 2.13 at δ = 1e-5, 95%"."""
    symbol, at, where = bound.symbol.partition(" at ")
    level = f", {percent(bound.confidence)}" if bound.confidence is not None else ""
    return f"{symbol} {bound.relation} {bound.rounded}{at}{where}{level}"
