"""Watching an audit: what one may say at every row, and what one may not."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import percent, plain, round_safely
from workbench.bounds.anytime.anytime import AnytimePath, anytime_epsilon, anytime_path
from workbench.bounds.anytime.monitoring import (
    Evidence,
    Looks,
    WatchedLimit,
    bound_by,
    evidence,
    looks_at,
    watched_limit,
)
from workbench.bounds.bound import Bound
from workbench.figures import watch as charts
from workbench.pages.core.jobs import job
from workbench.pages.core.page import Control, Fact, Section, derived, figure, number, sentence
from workbench.pages.inputs.pair import KINDS, chosen_pair, pair_parameters
from workbench.pages.inputs.score_source import ScoreSource
from workbench.pages.scores.code import data_code
from workbench.pairs.base import Pair
from workbench.parallel import Report, map_in_processes
from workbench.scores.sample import Scores

#: Audits that "Watch many" runs, and how many of them are one task.
MANY, TOGETHER = 200, 5

#: The first row on the slider and the charts, in log₁₀.
FIRST_ROW = 1.0

STEP = 0.01

SAMPLE = ("source", *pair_parameters("sample"), "sample_n")
ASKED = ("log_delta", "confidence")

#: What a change of these chooses anew.
CHOSEN = {"log_delta": "δ", "confidence": "the confidence"}

#: What a view keeps besides its scores.
KEPT = ("show", "looked", "log_rows", "claim", *ASKED)


@dataclass(frozen=True)
class Above:
    """How many of many audits of one pair ever claimed more than is true.

    Attributes
    ----------
    asked : tuple
        The settings.
    runs : int
    watched, once, anytime : int
        Runs in which the watched limit at any look, the same limit at the last row alone, and the
        anytime bound at any look exceeded the truth.
    """

    asked: tuple[Any, ...]
    runs: int = 0
    watched: int = 0
    once: int = 0
    anytime: int = 0


class WatchPage(ScoreSource):
    """State and drawings of the page."""

    title = "Watch an audit run"
    menu = "Watch"
    about = (
        "Scores come in one by one, and somebody looks. Which numbers may be believed at whatever "
        "moment one stops?"
    )

    source = param.Selector(
        default="pair",
        objects={"Sampled from a pair": "pair", "Bundled example": "example", "My file": "file"},
        label="Scores from",
        doc="Rows are taken in the order of the file, as if they arrived so.",
    )
    sample_kind = param.Selector(
        default="randomized-response",  # the bound of one threshold comes near to its truth
        objects={kind.label: name for name, kind in KINDS.items()},
        label="Pair",
    )
    log_rows = param.Number(
        4.0,
        bounds=(FIRST_ROW, 4.0),
        step=STEP,
        label="log₁₀ of the rows seen",
        doc="What had been seen by then, a side. Drag the line in the charts, too.",
    )
    claim = param.Number(
        0.5,
        bounds=(0, 10),
        step=0.05,
        label="Claim: ε is at most",
        doc="Written down before the rows are seen.",
    )
    log_delta = param.Number(
        -5.0,
        bounds=(-12, -1),
        step=0.5,
        label="log₁₀ δ",
        doc="The δ of (ε, δ). Choose it before you look: a change after a bound was seen marks the "
        "bound, until new scores come.",
    )
    confidence = param.Selector(
        default=0.95,
        objects={percent(c): c for c in (0.9, 0.95, 0.99, 0.999)},
        label="Confidence",
        doc="Choose it before you look, too.",
    )
    reset = param.Event(label="Reset", doc="Controls as they were when the scores were loaded.")
    above = param.Parameter(None, precedence=-1, doc="The `Above` of many audits.")

    controls: ClassVar[tuple[Section, ...]] = (
        *ScoreSource.source_controls,
        Section("Watch", (Control("log_rows"), Control("claim"))),
        Section("Audit", (Control("log_delta"), Control("confidence"))),
        Section(
            "", (Control("watch_many", when=lambda page: page.source == "pair"), Control("reset"))
        ),
    )

    def __init__(self, **params: Any):
        super().__init__(**params)
        self.param.watch(self._doubt, list(CHOSEN))
        self.param.watch(self._reset, "reset")

    def adopt(self, scores: Scores, said: str) -> None:
        """Take new scores into view, all of them seen; the line stays where it was set."""
        low, high = self._span(scores)
        # The default until scores were adopted is as much an end as any.
        all_seen = self.scores is None or self.log_rows >= self.param.log_rows.bounds[1]
        self.param.log_rows.bounds = (low, high)
        rows = high if all_seen else min(max(self.log_rows, low), high)
        self.param.update(scores=scores, loaded=said, message="", log_rows=rows)

    def _doubt(self, *events: Any) -> None:
        if not self._quiet:
            self.looked = CHOSEN[events[-1].name]

    def _reset(self, *events: Any) -> None:
        self._set_quietly(**{name: self.param[name].default for name in (*ASKED, "claim")})
        self.read_as_loaded()
        self.log_rows = self.param.log_rows.bounds[1]

    @staticmethod
    def _span(scores: Scores) -> tuple[float, float]:
        """Ends of the slider and the charts."""
        high = math.ceil(math.log10(min(scores.n_p, scores.n_q)) / STEP) * STEP
        return min(FIRST_ROW, math.floor(high / 2)), round(high, 2)

    # -- results, each computed once a state ---------------------------------------------------

    @property
    def delta(self) -> float:
        """The δ that the slider shows."""
        return float(10**self.log_delta)

    @property
    def rows(self) -> int:
        """Rows a side seen by now."""
        return min(round(10**self.log_rows), self.scores.n_p, self.scores.n_q)

    @derived(needs=("scores", *ASKED), shared=True)
    def path(self) -> AnytimePath:
        """The anytime bound as the rows came in."""
        return anytime_path(self.scores, self.delta, self.confidence)

    @derived(needs=("scores", *ASKED), shared=True)
    def limit(self) -> WatchedLimit:
        """The watched limit of one sample size."""
        return watched_limit(self.scores, self.delta, self.confidence)

    @derived(needs=("scores",), shared=True)
    def looks(self) -> Looks:
        """What bets need to know of the rows."""
        return looks_at(self.scores)

    @derived(needs=("looks", "claim", "log_delta"))
    def evidence(self) -> Evidence:
        """Evidence against the claim."""
        return evidence(self.looks(), self.claim, self.delta)

    @derived(needs=(*SAMPLE, "log_delta"))
    def truth(self) -> float | None:
        """The pair's ε, where the scores were drawn from one."""
        if self.source != "pair":
            return None
        return float(self._pair().epsilon(self.delta))

    def _pair(self) -> Pair:
        pair = chosen_pair(self, "sample")
        if pair is None:
            raise ValueError("choose a pair to sample from")
        return pair

    # -- the strip of numbers ------------------------------------------------------------------

    @number(
        "ε by then, anytime",
        needs=("path", "log_rows", "looked"),
        formula="The largest ε against which a bet has ever multiplied its wealth by "
        "1/(1 − confidence).",
        caution="It rests on the order of the rows: they must be independent, and stand as they "
        "came. A larger ε may be true: the scores may come from a weak attack.",
    )
    def epsilon(self) -> Bound:
        """Holds at every row at once, so that it survives watching, and stopping when convinced."""
        bound = bound_by(self.path(), self.rows)
        if self.looked and not bound.void:
            return bound.voided(self._looked_words)
        return bound

    @number(
        "Fixed-n limit, by then",
        needs=("limit", "log_rows"),
        formula="Clopper–Pearson limits of both error rates at one threshold, which the first rows "
        "placed and the rest measures.",
        caution="It would keep its level if this were the only look.",
    )
    def limit_now(self) -> Bound:
        """What a limit for one sample size shows at this look."""
        return self.limit().at(self.rows)

    @number(
        "Its largest so far",
        needs=("limit", "log_rows"),
        caution="Stopping at a good look and reporting it is this number.",
    )
    def limit_largest(self) -> Bound:
        """The best-looking of all looks so far: what waiting for a convincing one gives."""
        return self.limit().largest(self.rows)

    @number("True ε", needs=("truth",))
    def true_epsilon(self) -> Fact:
        """The pair's own ε at this δ, where it is known."""
        truth = self.truth()
        if truth is None:
            return Fact("?", "known only for scores sampled from a pair")
        return Fact(round_safely(truth, "nearest"), "exact, from the pair's formula")

    @number(
        "Evidence against the claim",
        needs=("evidence", "confidence", "log_rows", "looked"),
        formula="The wealth of a bet that starts at 1 and, while the claim is true, gains nothing "
        "on average; so it ever reaches 1/α with probability at most α (Ville).",
        caution="For a claim written down before the rows are seen, not for one that was moved "
        "until it was refuted.",
    )
    def e_value(self) -> Fact:
        """The e-value against the claim: how many times its stake a bet against it has made."""
        found = self.evidence()
        refuted = found.refuted_at(self.confidence, self.rows)
        verdict = "not refuted" if refuted is None else f"refuted at row {refuted:,}"
        notes = [f"ε ≤ {plain(self.claim)}: {verdict}", percent(self.confidence)]
        now = found.at(self.rows)
        void = now.void or self._looked_words
        notes += [f"void: {void}"] if void else []
        return Fact(charts.short_e_value(now.log), " · ".join(notes))

    @number("Rows seen", needs=("scores", "log_rows"))
    def seen(self) -> Fact:
        """Members (P), and as many non-members (Q), in their order."""
        s: Scores = self.scores
        whole = f"{s.n_p:,}" if s.n_p == s.n_q else f"{s.n_p:,} + {s.n_q:,}"
        return Fact(f"{self.rows:,} a side", f"of {whole} · {s.assumption}")

    @number(
        "Ever above the truth",
        needs=("above", *SAMPLE, *ASKED),
        caution="A share below the allowed one is no proof; the proof is with the method.",
    )
    def ever_above(self) -> Fact:
        """How often each claimed more than is true, at any look, in many audits of this pair."""
        found: Above | None = self.above
        if self.source != "pair":
            return Fact("–", "needs scores sampled from a pair")
        if found is None or found.asked != self._asked() or not found.runs:
            return Fact("–", f"press “{self.jobs()['watch_many'].title}”")
        return Fact(
            f"{found.watched / found.runs:.1%} watched".replace("%", " %"),
            f"{found.once / found.runs:.1%} at the last row alone · anytime: "
            f"{found.anytime / found.runs:.1%} · {found.runs} simulated audits, seeds from "
            f"{self.seed}".replace("%", " %"),
        )

    def _asked(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in (*SAMPLE, *ASKED, "seed"))

    @property
    def _looked_words(self) -> str:
        return f"chosen after looking: {self.looked} changed" if self.looked else ""

    # -- many audits ---------------------------------------------------------------------------

    @job(f"Watch {MANY} such audits", needs=(*SAMPLE, *ASKED, "seed"), into="above")
    def watch_many(self, report: Report) -> Above:
        """New samples of the pair: how often does which number ever exceed the truth?"""
        found = Above(self._asked())
        seeds = np.random.SeedSequence(self.seed).spawn(MANY)
        tasks = [tuple(seeds[i : i + TOGETHER]) for i in range(0, MANY, TOGETHER)]
        watch = partial(_watch, self._pair(), self.sample_n, self.delta, self.confidence)
        for _, (watched, once, anytime) in map_in_processes(watch, tasks, report):
            found = replace(
                found,
                runs=found.runs + TOGETHER,
                watched=found.watched + watched,
                once=found.once + once,
                anytime=found.anytime + anytime,
            )
            report(found.runs / MANY, f"{found.runs} of {MANY} audits", partial=found)
        return found

    # -- in plain words ------------------------------------------------------------------------

    @sentence(needs=("loaded",), place="head")
    def provenance(self) -> str:
        """What is shown, and how it was read."""
        return str(self.loaded)

    @sentence(needs=("epsilon_words",))
    def in_words(self) -> str:
        """The bound as a sentence."""
        return self.epsilon_words()

    @derived(needs=("path", "log_rows", "looked"))
    def epsilon_words(self) -> str:
        """What may be said at this row."""
        return f"By row {self.rows:,}: {self.epsilon().explain()}"

    @sentence(needs=("evidence", "confidence", "log_rows"))
    def claim_words(self) -> str:
        """What the evidence means."""
        times = f"{round(1 / (1 - self.confidence)):,}"
        refuted = self.evidence().refuted_at(self.confidence, self.rows)
        claim = f"ε ≤ {plain(self.claim)} at δ = {plain(self.delta)}"
        if self.looks().void:
            return f"No evidence: {self.looks().void}."
        often = f"at most {percent(1 - self.confidence)} of all audits, however long they run"
        if refuted is None:
            return (
                f"Evidence against {claim} refutes it at {times}: if the claim is true, it ever "
                f"gets there in {often}."
            )
        return (
            f"{claim} was refuted at row {refuted:,}, for good: if it were true, evidence would "
            f"ever reach {times} in {often}."
        )

    @sentence(needs=("confidence", "limit"), place="foot")
    def why(self) -> str:
        """Why looking is free here and not there."""
        error = percent(1 - self.confidence)
        return (
            f"Looking is free for the anytime bound, for its error probability of {error} covers "
            f"all rows at once; the fixed-n limit spends {error} at each of its "
            f"{self.limit().n.size} looks, so that the largest of them is wrong more often than "
            "one alone. Watch many such audits here, or measure 100 looks on the page Coverage "
            "(“Fixed-n limit, watched live”)."
        )

    # -- the charts ----------------------------------------------------------------------------

    @figure(
        "The bound as the rows come in",
        needs=("path", "limit", "log_rows", "truth"),
        span=7,
        caution="The anytime bound starts lower, never falls, and pays for no look. Faint: what "
        "comes after the rows seen.",
        drag={"log_rows": "log_rows"},
    )
    def bounds(self) -> dict[str, Any]:
        """Bounds on ε by every row; drag the line to go back in time."""
        span = self.param.log_rows.bounds
        return charts.bounds(
            self.path(), self.limit(), self.rows, self.log_rows, span, self.truth()
        )

    @figure(
        "Evidence against the claim",
        needs=("evidence", "confidence", "log_rows"),
        span=5,
        formula="A mean of bets; see the number.",
        caution="It may fall again: refuted is what it ever refuted. Evidence below 1 speaks for "
        "nothing.",
        drag={"log_rows": "log_rows"},
    )
    def wealth(self) -> dict[str, Any]:
        """The e-value against the claim by every row, on a scale of powers of ten."""
        span = self.param.log_rows.bounds
        return charts.evidence(self.evidence(), self.rows, self.log_rows, span, self.confidence)

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; `spec` is for ``wb.explore_watch``."""
        asked = f"delta={self.delta!r}, confidence={self.confidence!r}"
        kept = {name: spec[name] for name in KEPT if name in spec}
        return "\n".join(
            [
                "import workbench as wb",
                "from workbench.bounds import watched",
                "",
                *data_code(self),
                f"path = wb.anytime_path(scores, {asked})",
                f"epsilon = watched.bound_by(path, {self.rows})",
                f"limit = watched.watched_limit(scores, {asked})",
                f"limit_now, limit_largest = limit.at({self.rows}), limit.largest({self.rows})",
                f"evidence = watched.evidence(watched.looks_at(scores), {self.claim!r}, "
                f"{self.delta!r})",
                f"e_value = evidence.at({self.rows})",
                f"view = wb.explore_watch(scores, spec={kept!r})",
                "",
            ]
        )


def _watch(
    pair: Pair,
    n: int,
    delta: float,
    confidence: float,
    seeds: tuple[np.random.SeedSequence, ...],
) -> tuple[int, int, int]:
    """In how many audits the watched limit, its last look, and the anytime bound lie above."""
    truth, found = float(pair.epsilon(delta)), np.zeros(3, dtype=int)
    for seed in seeds:
        scores = pair.sample(n, seed=np.random.default_rng(seed))
        limit = watched_limit(scores, delta, confidence)
        values = (
            limit.largest(n).value,
            limit.at(n).value,
            anytime_epsilon(scores, delta, confidence).value,
        )
        found += np.array(values) > truth
    return int(found[0]), int(found[1]), int(found[2])
