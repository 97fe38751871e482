"""`WatchPage`: bounds that are updated as scores arrive, valid whenever the audit stops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import param

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.figures import watch as charts
from workbench.pages.answers import in_brief, nothing_concluded
from workbench.pages.core.notice import Notice
from workbench.pages.core.page import (
    Answer,
    Control,
    Fact,
    Page,
    Section,
    answer,
    derived,
    figure,
    number,
    sentence,
)
from workbench.pages.core.part import Part
from workbench.pages.inputs.code import (
    call,
    data_code,
    duration,
    kept,
    lines,
    pair_code,
    repeatable,
    script,
)
from workbench.pages.inputs.data import Sample, draw_key
from workbench.pages.inputs.score_source import Arrival, ScoreSource
from workbench.pages.inputs.settings import DeltaSetting, Validity
from workbench.pages.monitoring import ASKED, MANY, Above, Monitoring, RowsSeen
from workbench.scores.sample import Scores
from workbench.workspaces.followed.data import SNAPSHOT, take_snapshot
from workbench.workspaces.trained.source import STOPPED


class MonitoringWords(Part):
    """What is seen, in sentences."""

    @sentence(needs=("loaded",), place="strip")
    def of_file(self) -> str:
        """What was left out of a followed file, and why it is not followed any more."""
        if self.page.monitored.following is None:
            return ""
        state = self.page.monitored.following.state
        said = list(state.notes)
        if state.stopped:
            said.append(
                f"not followed any more: {state.stopped}. When the server is started again, it "
                "reads the file from its start"
            )
        return " ".join(f"{one[0].upper()}{one[1:]}." for one in said)

    @sentence(needs=("epsilon_words",))
    def in_words(self) -> str:
        """The bound as a sentence."""
        return self.epsilon_words()

    @derived(needs=("path", "log_rows", "looked"))
    def epsilon_words(self) -> str:
        """The anytime bound at this row as a sentence."""
        return f"By row {self.page.progress.rows:,}: {self.page.epsilon().explain()}"

    @sentence(needs=("evidence", "confidence", "log_rows"))
    def claim_words(self) -> str:
        """The result of testing the claim, as a sentence."""
        times = f"{round(1 / (1 - self.page.confidence)):,}"
        refuted = self.page.evidence().refuted_at(self.page.confidence, self.page.progress.rows)
        claim = f"ε ≤ {plain(self.page.claim)} at δ = {plain(self.page.delta.value)}"
        claim = (
            claim if self.page.monitored.announced is None else str(self.page.monitored.announced)
        )
        if self.page.evidence().void:
            return f"No evidence: {self.page.evidence().void}."
        often = f"at most {percent(1 - self.page.confidence)} of audits, however long they run"
        if refuted is None:
            return (
                f"The claim {claim} is refuted when the evidence reaches {times}. The evidence "
                f"against a true claim reaches {times} in {often}."
            )
        return (
            f"The claim {claim} was refuted at row {refuted:,}, and this is final: the evidence "
            f"against a true claim reaches {times} in {often}."
        )

    @sentence(needs=("scores", "confidence", "log_rows"))
    def also(self) -> str:
        """The bounds on μ and the total variation of a followed file."""
        if self.page.monitored.following is None:
            return ""
        mu, variation = (
            self.page.monitored.following.path(None, self.page.confidence, quantity).at(
                self.page.progress.rows
            )
            for quantity in ("mu", "total variation")
        )
        return (
            f"By row {self.page.progress.rows:,} also: μ ≥ {mu.rounded}, total variation ≥ "
            f"{variation.rounded} (each anytime, {percent(self.page.confidence)} by itself). "
            "Stopping, or announcing a refutation, at any moment is valid."
        )

    @sentence(needs=("confidence", "limit"), place="foot")
    def why(self) -> str:
        """Why the anytime bound may be watched and the fixed-size bound may not."""
        error = percent(1 - self.page.confidence)
        return (
            f"The error probability of {error} of the anytime bound covers all rows "
            f"simultaneously. The fixed-size bound has an error probability of {error} at each of "
            f"its {self.page.limit().n.size} looks, so the largest of them exceeds the truth more "
            "often. To see how often, simulate audits here or measure 100 looks on the page "
            "Method coverage (“Fixed-n limit, watched live”)."
        )


class WatchPage(Page):
    """State and drawings of the page."""

    shows_live: ClassVar[bool] = True

    title = "Sequential monitoring"
    about = (
        "Scores arrive one by one while someone watches the bound. Which numbers remain valid "
        "whenever the audit is stopped?"
    )
    main: ClassVar[tuple[str, ...]] = ("log_rows", "claim")

    delta = DeltaSetting()
    validity = Validity(
        {"log_delta": "δ", "confidence": "the confidence"}, resets=(*ASKED, "claim")
    )
    # With this pair, a single threshold attains the true ε.
    sample = Sample("sample", default="randomized-response")
    source = ScoreSource(
        draw_key("randomized-response", epsilon=1.0, delta=0.0),
        "Rows are used in the order of the file, as the order of arrival.",
        harmless=(SNAPSHOT, STOPPED),  # when rows or models ended does not matter to these bounds
    )
    progress = RowsSeen()
    monitored = Monitoring()
    words = MonitoringWords()

    take_snapshot = param.Event(
        label="Take a snapshot",
        doc="Adds a data set with the rows so far, for the other pages.",
    )
    notify = Notice(
        label="Notify me",
        doc="This browser shows a notification when the claim is refuted, while the page is open.",
    )

    controls: ClassVar[tuple[Section, ...]] = (
        ScoreSource.section,
        Section(
            "Monitoring",
            (
                Control("log_rows"),
                Control("claim", when=lambda page: page.monitored.announced is None),
                Control("notify", when=lambda page: page.monitored.announced is not None),
                Control("take_snapshot", when=lambda page: page.monitored.following is not None),
            ),
        ),
        Section("Audit", (Control("log_delta"), Control("confidence"))),
        Section(
            "",
            (
                Control("watch_many", when=lambda page: page.source.kind == "pair"),
                Control("reset", menu=True),
            ),
        ),
    )

    def __init__(self, *given: Any, **params: Any):
        super().__init__(*given, **params)
        self.param.watch(self._take_snapshot, "take_snapshot")

    def still_true(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The settings without the rows seen, of a file that has more of them by now."""
        if self.monitored.following is None:
            return dict(settings)
        return {name: value for name, value in settings.items() if name != "log_rows"}

    def _take_snapshot(self, event: Any) -> None:
        if self.monitored.following is None:
            return
        try:
            taken = take_snapshot(self.workspace, self.monitored.following)
        except ValueError as error:
            self.message = str(error)
            return
        self.message = (
            f"“{taken.name}” is in the Data menu. You chose the moment while you saw results: on "
            "other pages, where bounds are for a number of rows that is fixed in advance, they are "
            "marked as not valid."
        )

    def adopt(self, scores: Scores, said: str, arrival: Arrival = Arrival.ANOTHER) -> None:
        """Take scores into view, all of them seen unless the slider was moved back.

        Parameters
        ----------
        scores : Scores
        said : str
            What they are and how they were read.
        arrival : Arrival
            How they come.
        """
        scores.samples.in_order(1)  # a ScoresError where the order of arrival is not known
        self.source.show(scores, said, log_rows=self.progress.shown_of(scores))

    @property
    def rows(self) -> int:
        """Scores per group seen so far."""
        return self.progress.rows

    # -- the answer and the strip of numbers ---------------------------------------------------

    @answer(needs=("path", "evidence", "confidence", "log_rows", "looked"))
    def answer(self) -> Answer:
        """Whether the claim is refuted so far, and the bound, valid whenever the audit stops."""
        found = self.evidence()
        why = found.void or self.validity.words
        if why:
            return nothing_concluded(why)
        e_value = charts.short_e_value(found.log_at(self.rows))
        least = f"{round(1 / (1 - self.confidence)):,} refutes"
        bound = f"{in_brief(self.epsilon())}, whenever the audit stops"
        refuted = found.refuted_at(self.confidence, self.rows)
        if refuted is None:
            words = "Not refuted so far"
            return Answer(words, f"{self._claim_words}: e-value {e_value}, {least}; {bound}")
        said = f"{self._claim_words} at row {refuted:,}, which is final; {bound}"
        return Answer("Claim refuted", said, "bad")

    @property
    def _claim_words(self) -> str:
        announced = self.monitored.announced
        return f"ε ≤ {plain(self.claim)}" if announced is None else str(announced)

    @number(
        "Anytime bound",
        needs=("path", "log_rows", "looked"),
        formula="The largest ε that was refuted at some row: the wealth of a bet against it, an "
        "e-value, reached 1/(1 − confidence). Bets are on scores beyond a threshold, and on scores "
        "within or beyond a distance from a center. Both are chosen from earlier scores.",
        caution="Rows must be independent and in the order of arrival. The true ε may be larger: a "
        "weak attack gives a low bound.",
        main=True,
    )
    def epsilon(self) -> Bound:
        """Lower bound on ε that holds at all rows simultaneously, whenever the audit is stopped."""
        return self.validity.certified(self.path().at(self.rows))

    @number(
        "Fixed-size bound at this point",
        needs=("limit", "log_rows"),
        formula="Clopper–Pearson limits for both error rates at one threshold, which was chosen on "
        "the first rows and is tested on the others.",
        caution="Valid only if this is the single look at the data.",
    )
    def limit_now(self) -> Bound:
        """The bound for a fixed sample size, computed at this look."""
        return self.limit().at(self.rows)

    @number(
        "Largest fixed-size bound so far",
        needs=("limit", "log_rows"),
        caution="Stopping at a favorable look reports this number, which is not valid.",
    )
    def limit_largest(self) -> Bound:
        """Running maximum of the fixed-size bound over all looks so far."""
        return self.limit().largest(self.rows)

    @number("True ε", needs=("truth",))
    def true_epsilon(self) -> Fact:
        """The pair's ε at the chosen δ, where it is known."""
        truth = self.truth()
        if truth is None:
            return Fact("?", "known only for scores sampled from a pair")
        return Fact(round_safely(truth, "nearest"), "exact, from the pair's formula")

    @number(
        "E-value against the claim",
        needs=("evidence", "confidence", "log_rows", "looked"),
        formula="The wealth of a bet against the claim that starts at 1. If the claim is true, its "
        "expected value is at most 1 at every row, so it ever reaches 1/α with probability at most "
        "α (Ville's inequality).",
        caution="Valid for a claim that was set in advance, not for one that was adjusted until it "
        "was refuted.",
    )
    def e_value(self) -> Fact:
        """The e-value against the claim: the wealth of a bet against it with stake 1."""
        found = self.evidence()
        refuted = found.refuted_at(self.confidence, self.rows)
        verdict = "not refuted" if refuted is None else f"refuted at row {refuted:,}"
        notes = [f"{self._claim_words}: {verdict}", percent(self.confidence)]
        void = found.void or self.validity.words
        notes += [f"not valid: {void}"] if void else []
        return Fact(charts.short_e_value(found.log_at(self.rows)), " · ".join(notes))

    @number("Scores seen", needs=("scores", "log_rows"))
    def seen(self) -> Fact:
        """Members (P), and as many non-members (Q), in order of arrival."""
        s: Scores = self.scores
        whole = f"{s.n_p:,}" if s.n_p == s.n_q else f"{s.n_p:,} + {s.n_q:,}"
        said = f"of {whole} · {s.assumption}" + (
            f" · {s.samples.first_rows}" if s.samples.first_rows else ""
        )
        arrived = (
            None if self.monitored.following is None else self.monitored.following.state.arrived
        )
        said += f" · last arrival {arrived:%H:%M:%S} UTC" if arrived is not None else ""
        return Fact(f"{self.rows:,} per group", said)

    # -- simulated audits ----------------------------------------------------------------------

    @number(
        "Ever exceeded the truth",
        needs=("above", "data", *ASKED),
        caution="A share clearly above 1 − confidence shows that a method is invalid. A smaller "
        "share does not show that it is valid: its proof does.",
    )
    def ever_above(self) -> Fact:
        """Share of simulated audits of this pair in which a bound ever exceeded the true ε."""
        found: Above | None = self.above
        if self.source.kind != "pair":
            return Fact("–", "needs scores sampled from a pair")
        if found is None or found.asked != self.monitored.asked() or not found.runs:
            return Fact("–", f"press “{self.jobs()['watch_many'].title}”")
        return Fact(
            f"{found.watched / found.runs:.1%} fixed-size",
            f"{found.once / found.runs:.1%} at the last row only · anytime: "
            f"{found.anytime / found.runs:.1%} · {found.runs} simulated audits, seeds from "
            f"{self.seed}",
        )

    # -- the charts ----------------------------------------------------------------------------

    @figure(
        "Bounds as scores arrive",
        needs=("path", "limit", "log_rows", "truth"),
        span=7,
        caution="The anytime bound starts lower, never decreases, and needs no correction for "
        "looks. Faint: scores not seen yet.",
        drag={"log_rows": "log_rows"},
    )
    def bounds(self) -> dict[str, Any]:
        """Lower bounds on ε after each row. Drag the line to go back in time."""
        span = self.param.log_rows.bounds
        return charts.bounds(
            self.path(), self.limit(), self.rows, self.log_rows, span, self.truth()
        )

    @figure(
        "Evidence against the claim",
        needs=("evidence", "confidence", "log_rows"),
        span=5,
        formula="The average wealth of one-sided bets, on scores beyond a threshold, and of "
        "two-sided ones, on scores within or beyond a distance from a center; see the number "
        "above.",
        caution="The evidence may decrease again, but a claim once refuted stays refuted. Evidence "
        "below 1 does not support the claim.",
        drag={"log_rows": "log_rows"},
    )
    def wealth(self) -> dict[str, Any]:
        """The e-value against the claim after each row, on a logarithmic scale."""
        span = self.param.log_rows.bounds
        return charts.evidence(self.evidence(), self.rows, self.log_rows, span, self.confidence)

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_watch``."""
        asked = {"delta": self.delta.value, "confidence": self.confidence}
        claim = (repr(self.claim), repr(self.delta.value))
        return script(
            data_code(self),
            f"path = {call('wb.anytime_path', 'scores', **asked)}",
            f"epsilon = path.at({self.rows})",
            f"limits = {call('wb.fixed_size_limits', 'scores', **asked)}",
            f"limit_now = limits.at({self.rows})",
            f"limit_largest = limits.largest({self.rows})",
            self._truth_code(),
            f"evidence = {call('wb.betting_counts(scores).evidence', *claim)}\n"
            f"e_value = evidence.at({self.rows})",
            f"seen = {self._seen_code()}",
            self._above_code() if repeatable(self, "watch_many") else "",
            f"view = {call('wb.explore_watch', 'scores', spec=kept(spec, 'log_rows', 'claim'))}",
            imports=["import numpy as np"] if repeatable(self, "watch_many") else (),
        )

    def _seen_code(self) -> str:
        if self.scores.samples.is_counted:
            return f"min({self.rows}, *scores.samples.arrived)"
        return f"min({self.rows}, scores.n_p, scores.n_q)"

    def _truth_code(self) -> str:
        if self.source.kind != "pair":
            return ""
        pair = pair_code(self.sample.pair())
        return f"pair = {pair}\ntrue_epsilon = pair.epsilon({self.delta.value!r})"

    def _above_code(self) -> str:
        """The step that repeats the simulated audits."""
        asked = {"delta": self.delta.value, "confidence": self.confidence}
        return lines(
            duration(self, "watch_many"),
            "above = 0",
            f"for seed in np.random.SeedSequence({self.seed}).spawn({MANY}):",
            f"    drawn = pair.sample({self.sample.n}, seed=np.random.default_rng(seed))",
            f"    simulated = {call('wb.fixed_size_limits', 'drawn', **asked)}",
            f"    above += simulated.largest({self.sample.n}).value > true_epsilon",
            f"ever_above = above / {MANY}",
        )
