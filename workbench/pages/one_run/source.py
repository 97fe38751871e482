"""`OneRunSource`: guesses from entered counts, a simulated run, or an uploaded file of canaries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import param

from workbench.claims.pair import PairClaim
from workbench.onerun.guesses import LAW_OF_VALUES, RANDOM_PARTS, Ends, Guesses, Threshold
from workbench.onerun.half.matching import MatchedPairs, matched_pairs
from workbench.onerun.ranks.ranks import Ranks
from workbench.onerun.ranks.read import ranks_of_table
from workbench.onerun.read import one_run_of_table
from workbench.onerun.run import OneRun
from workbench.onerun.simulate import (
    DPSGD,
    CanaryMechanism,
    Memoryless,
    RandomDirections,
    SharedGaussian,
)
from workbench.pages.core.page import Control, Section, derived
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import SCORE, IntegerField, LogNumber, decimals
from workbench.pages.core.upload import Upload
from workbench.pages.inputs.claims.risk import risk_without_scores
from workbench.pages.one_run.values import NO_SCORES
from workbench.pairs.laplace import LaplacePair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.scores.chance import Fingerprint
from workbench.scores.layouts.ranked import ranks_in
from workbench.scores.statement import ScoreStatement
from workbench.workspaces.seen.identity import of_ranks, of_sides
from workbench.workspaces.seen.memory import Sight

MECHANISMS = {
    "Gaussian": "gaussian",
    "Gaussian, random directions": "random-directions",
    "Laplace": "laplace",
    "Randomized response": "randomized-response",
    "DP-SGD, white-box": "dp-sgd",
    "DP-SGD with a bug: averages before clipping": "flawed",
}

ALL = tuple(MECHANISMS.values())

#: Claim ε at δ = 1e-5 -> its noise multiplier with `RATE`, `STEPS` and `BATCH`.
NOISE = {1: 2.93, 2: 1.75, 4: 1.145, 8: 0.803}
RATE, STEPS, BATCH = 0.1, 50, 16

#: In one dimension no direction is random but for its sign.
LEAST_DIMENSION = 2

COUNTS = ("canaries", "values", "guessed", "right", "included")
STATED = ("condition", "counts_void")
SIMULATOR = ("mechanism", "leak", "claim", "log_coordinates", "cosine")
RULE = ("rule", "threshold", "share_in", "share_out")

#: The source of canaries that were given in Python.
GIVEN = "given"

#: Parameters that say how a file is read, and how messages call them.
REINTERPRETS = {"larger_is_member": "the direction of the score", "design": "the inclusion design"}

#: Upper bound of each count.
MOST_CANARIES = 10**6

#: Ends and step of the threshold where scores are privacy losses.
LOSSES, LOSS_STEP = (-5.0, 5.0), 0.05

NO_FILE = (
    "Upload a file with one row per canary: its score, and 1 (included) or 0 (not included); or "
    "the rank of its true value, and the number of candidates."
)


def _from(*sources: str) -> Any:
    return lambda page: page.source in sources


def _simulated(*mechanisms: str) -> Any:
    """While studies of these mechanisms are shown: those of canaries that were in or out."""
    return lambda page: page.mechanism in mechanisms and page.of_values.by_coins


def _has_rule(page: Any) -> bool:
    return page.source != "counts" and page.ranks() is None


def _guessed_by(rule: str) -> Any:
    return lambda page: _has_rule(page) and page.rule == rule


class OneRunSource(Part):
    """The canaries, and the rule that guesses which were included."""

    source = param.Selector(
        default="simulate",
        objects={"Counts": "counts", "Simulated run": "simulate", "My file": "file"},
        label="Source of the guesses",
    )
    canaries = IntegerField(1000, (1, MOST_CANARIES), label="Canaries m")
    guessed = IntegerField(
        1000,
        (0, MOST_CANARIES),
        label="Guesses r",
        doc="Fixed in advance; the remaining canaries are not guessed.",
    )
    right = IntegerField(691, (0, MOST_CANARIES), label="Correct guesses c")
    included = IntegerField(
        0,
        (0, MOST_CANARIES),
        label="Canaries included",
        doc="Used to test whether the inclusion was random; 0 means not known.",
    )
    upload = Upload(
        default=(),
        label="Upload canaries",
        doc="csv, tsv, parquet, feather, npz or json with one row per canary: its score, and "
        "whether it was included (1) or not (0); or, of secrets with many candidates, the rank of "
        "the true one and the number of candidates. The file stays in this server's memory, for "
        "this session only.",
    )
    larger_is_member = param.Selector(
        default=True,
        objects={"larger = included": True, "smaller = included": False},
        label="Direction of the score",
        doc="A loss is smaller for included canaries, a similarity to the canary is larger. The "
        "direction is never changed automatically.",
    )
    design = param.Selector(
        default="fair-coins",
        objects={
            "a fair coin per canary": "fair-coins",
            "a random half was in": "fixed-half",
            "a random part of another size was in": "fixed-size",
            "a fair coin per pair of records": "matched-pairs",
            "nobody drew who was in": "given",
        },
        label="Inclusion design",
        doc="How it was decided which canaries to include. It cannot be checked from the data, and "
        "every bound depends on it. If a random part was in, its records are matched at random "
        "with those that were held out; bounds from pairs are about substituting a record. If "
        "nobody drew who was in, members and the others may differ by themselves: all numbers are "
        "estimates then.",
    )

    mechanism = param.Selector(default="gaussian", objects=MECHANISMS, label="Mechanism")
    leak = param.Number(
        1.0,
        bounds=(0.1, 5),
        step=0.1,
        label="Privacy parameter",
        doc="μ of the Gaussian and the Laplace mechanism, ε of randomized response. The noise of "
        "the Gaussian ones has σ = 1/μ for canaries of norm 1.",
    )
    claim = param.Selector(
        default=2,
        objects={f"{claim}": claim for claim in NOISE},
        label="Claimed ε",
        doc=f"At δ = 1e-5: {STEPS} steps at sampling rate {RATE:g}, batches of {BATCH}.",
    )
    log_canaries = LogNumber(3.0, bounds=(1, 4), step=0.25, whole=True, label="Canaries n")
    log_coordinates = LogNumber(
        4.0,
        bounds=(0, 4),
        step=0.25,
        whole=True,
        label="Coordinates d",
        doc="If d < n, several canaries share the noise of one coordinate and interfere. Random "
        "directions: the dimension, at least 2; they interfere unless d is far above nμ².",
    )
    cosine = param.Number(
        0.0,
        bounds=(0, 0.5),
        step=0.01,
        label="Interference",
        doc="Cosine between the gradients of two canaries. Above 0, the score of a canary depends "
        "on which others were included, and bounds fall; the true ε stays.",
    )
    seed = param.Integer(0, bounds=(0, 99), label="Seed")

    rule = param.Selector(
        default="threshold",
        objects={
            "threshold: guess every canary": "threshold",
            "highest and lowest scores, abstain on the others": "ends",
        },
        label="Guessing rule",
        doc="Bounds hold for a rule that was fixed before looking at which canaries were included.",
    )
    threshold = param.Number(
        0.0, bounds=SCORE, softbounds=LOSSES, step=LOSS_STEP, label="Threshold"
    )
    share_in = param.Number(
        12.5,
        bounds=(0.1, 50),
        step=0.1,
        label="Guessed as included (%)",
        doc="Share of the canaries, those with the highest scores.",
    )
    share_out = param.Number(
        12.5,
        bounds=(0, 50),
        step=0.1,
        label="Guessed as not included (%)",
        doc="Share of the canaries, those with the lowest scores.",
    )

    condition = param.String(
        "",
        precedence=-1,
        doc="What the coins of counts rest on, of pairs of labels; see `Guesses`.",
    )
    counts_void = param.String("", precedence=-1, doc="Why bounds from the counts are not valid.")
    read = param.Parameter(precedence=-1, doc="The OneRun of the file, or its Ranks.")
    rule_moved = param.Boolean(
        False, precedence=-1, doc="Whether the rule was changed after the scores were seen."
    )

    simulator: ClassVar[Section] = Section(
        "Simulator",
        (
            Control("mechanism", when=_simulated(*ALL)),
            Control("leak", when=_simulated(*(set(ALL) - {"dp-sgd", "flawed"}))),
            Control("claim", when=_simulated("dp-sgd", "flawed")),
            Control("log_coordinates", when=_simulated("gaussian", "random-directions")),
            Control("cosine", when=_simulated("gaussian")),
            Control("log_canaries", when=_from("simulate")),
            Control("seed", when=_simulated(*ALL)),
        ),
    )
    rules: ClassVar[Section] = Section(
        "Guesses",
        (
            Control("top", when=lambda page: page.of_values.asks_top),
            Control("rule", when=_has_rule),
            Control("threshold", when=_guessed_by("threshold")),
            Control("share_in", when=_guessed_by("ends")),
            Control("share_out", when=_guessed_by("ends")),
        ),
    )
    data: ClassVar[Section] = Section(
        "Data",
        (
            Control("source", given=False),
            *(Control(name, when=_from("counts"), given=False) for name in COUNTS[:-1]),
            Control(
                "included",
                when=lambda page: page.source == "counts" and page.values == 2,
                given=False,
            ),
            Control("upload", when=_from("file"), given=False),
            Control(
                "larger_is_member",
                when=lambda page: page.source == "file" and page.ranks() is None,
                given=False,
            ),
            Control("design", when=lambda page: page.of_values.by_coins, given=False),
        ),
    )

    _mark_of: tuple[OneRun | Ranks, Fingerprint] | None = None

    def start(self, given: frozenset[str]) -> None:
        """Take the first canaries into view."""
        page = self.page
        if page.given is not None:
            choice: Any = page.param.source
            choice.objects = [GIVEN]
            page.set_quietly(source=GIVEN)
        page.param.watch(self._fresh, ["source", "log_canaries", "seed", *SIMULATOR])
        page.param.watch(self._load, ["source", "upload", *REINTERPRETS])
        page.param.watch(self._moved, list(RULE))
        if page.given is not None:
            self._adopt(page.given)
        else:
            self._load()

    # -- new data and moved controls ---------------------------------------------------------------

    def shows_results(self) -> bool:
        """Whether there are scores in view, because of which a choice may be made."""
        return self.source == "simulate" or (self.source != "counts" and self.read is not None)

    def sights(self) -> tuple[Sight, ...]:
        """The run of a file, or the one that was given, as the workspace knows it."""
        if self.source in ("counts", "simulate") or self.read is None:
            return ()
        if self._mark_of is None or self._mark_of[0] is not self.read:
            run = self.read
            known = (
                of_ranks(run.ranks, run.values)
                if isinstance(run, Ranks)
                else of_sides(run.scores, run.included)
            )
            self._mark_of = run, known
        return (Sight(self._mark_of[1], self.read.name),)

    def about_risk(self) -> dict[str, Any]:
        """What a simulated mechanism promises; of other runs, nothing is known here."""
        if self.source != "simulate":
            return risk_without_scores()
        simulated = self.simulated()
        pair = simulated.claimed if isinstance(simulated, DPSGD) else simulated.pair
        return risk_without_scores(PairClaim(pair))

    def choices(self) -> dict[str, Any]:
        """How the file is read."""
        return {name: getattr(self.page, name) for name in REINTERPRETS}

    def choice_words(self) -> Mapping[str, str]:
        """What messages call how the file is read."""
        return REINTERPRETS

    def _fresh(self, *events: Any) -> None:
        """A rule that was set before a new run was fixed in advance."""
        switched = any(event.name == "source" for event in events)
        if switched and self.source != "file":
            self._place_threshold(0.0, LOSSES, LOSS_STEP)
        if switched or self.source == "simulate":
            self.page.param.update(rule_moved=False, looked="")

    def _load(self, *events: Any) -> None:
        if self.page.quiet or self.source != "file" or not self.upload:
            return
        changed, before = {event.name for event in events}, self.read
        self.page.validity.note_shown(
            **{event.name: event.old for event in events if event.name in REINTERPRETS}
        )
        try:
            if len(self.upload) > 1:
                raise ValueError(f"{len(self.upload)} files were given; one run is one file")
            (file,) = self.upload
            table = file.table()
            if "upload" in changed and not changed & set(REINTERPRETS):
                self._follow(ScoreStatement.of([table]))
            run = (
                ranks_of_table(table)
                if ranks_in(table)
                else one_run_of_table(
                    table,
                    larger_is_member=self.larger_is_member,
                    design=self.design,
                )
            )
        except ValueError as error:
            self.page.message = str(error)
            return
        looked = "the file" if "upload" in changed and before is not None else ""
        looked = next((REINTERPRETS[n] for n in REINTERPRETS if n in changed and before), looked)
        self._adopt(run)
        self.page.param.update(looked=looked, message="")
        self.page.validity.recall(last=next((name for name in REINTERPRETS if name in changed), ""))

    def _follow(self, statement: ScoreStatement) -> None:
        """Choose what the file states of itself."""
        stated = {"larger_is_member": statement.larger_is_member, "design": statement.design}
        self.page.set_quietly(**{k: v for k, v in stated.items() if v not in (None, "")})

    def _adopt(self, run: OneRun | Ranks) -> None:
        """Take an uploaded run; its threshold starts at the median, which uses no inclusions."""
        if isinstance(run, Ranks):
            self.page.param.update(read=run, rule_moved=False)
            return
        finite = run.scores[np.isfinite(run.scores)]
        low, middle, high = np.quantile(finite, [0, 0.5, 1]) if finite.size else (0.0, 0.0, 0.0)
        step = 10.0 ** math.floor(math.log10(max(high - low, 1e-6) / 100))
        places = decimals(step)
        ends = (round(float(low) - step, places), round(float(high) + step, places))
        self._place_threshold(round(float(middle), places), ends, step)
        self.page.param.update(read=run, rule_moved=False)

    def _place_threshold(self, value: float, ends: tuple[float, float], step: float) -> None:
        slider = self.page.param.threshold
        slider.bounds = (min(SCORE[0], ends[0]), max(SCORE[1], ends[1]))
        slider.softbounds, slider.step = ends, step
        self.page.set_quietly(threshold=value)

    def _moved(self, *events: Any) -> None:
        if not self.page.quiet and self.shows_results():
            self.rule_moved = True

    # -- the guesses -------------------------------------------------------------------------------

    @derived(needs=SIMULATOR)
    def simulated(self) -> CanaryMechanism:
        """The simulated mechanism."""
        if self.mechanism in ("dp-sgd", "flawed"):
            flawed = self.mechanism == "flawed"
            return DPSGD(NOISE[self.claim], RATE, STEPS, average_first=flawed, batch_size=BATCH)
        if self.mechanism == "laplace":
            return Memoryless(LaplacePair(self.leak))
        if self.mechanism == "randomized-response":
            return Memoryless(RandomizedResponsePair(self.leak, 0.0))
        coordinates = round(10**self.log_coordinates)
        if self.mechanism == "random-directions":
            return RandomDirections(self.leak, max(coordinates, LEAST_DIMENSION))
        return SharedGaussian(self.leak, coordinates, self.cosine)

    @property
    def size(self) -> int:
        """Number of simulated canaries."""
        return round(10**self.log_canaries)

    @property
    def simulated_design(self) -> str:
        """How a simulated run decides who is in; it has halves only."""
        return "fixed-half" if self.design in RANDOM_PARTS else "fair-coins"

    @derived(needs=("source", "simulated", "log_canaries", "seed", "read", "ranks", "design"))
    def run(self) -> OneRun | str:
        """The canaries with their scores, or why there are none."""
        if self.source == "counts":
            return "Counts have no scores, so there is no guessing rule to choose."
        if self.page.ranks() is not None:
            return NO_SCORES
        if self.source == "simulate":
            try:
                found = self.simulated().run(self.size, self.seed, design=self.simulated_design)
                return as_given(found) if self.design == "given" else found
            except ValueError as error:
                return str(error)
        return NO_FILE if self.read is None else self.read

    @derived(needs=("run", "ranks", "candidates", "top", "design", *STATED, *COUNTS, *RULE))
    def guesses(self) -> Guesses | str:
        """The guesses and how many are correct, or why there are none."""
        try:
            ranks = self.page.ranks()
            if why := self.page.of_values.too_many_named:
                return why
            if ranks is not None:
                return ranks.guesses(self.page.top)
            if self.source == "counts":
                return self._counted()
            run = self.run()
            return run if isinstance(run, str) else run.guess(**self.chosen_rule(run).arguments)
        except ValueError as error:
            return str(error)

    def _counted(self) -> Guesses:
        """The guesses of the counts; with more than two values none is out, and no coin is said."""
        counts = (self.canaries, self.guessed, self.right)
        return Guesses(*counts, **self.stated_of_counts)

    @property
    def stated_of_counts(self) -> dict[str, Any]:
        """What is stated of the counts: arguments of `Guesses`."""
        void = self.counts_void or None
        if self.page.values > 2:
            found = self.condition == LAW_OF_VALUES
            return {
                "values": self.page.values,
                "top": self.page.top,
                "condition": LAW_OF_VALUES if found else None,
                "void": void,
            }
        pairs = self.design == "matched-pairs"
        return {
            "included": self.included or None,
            "design": self.design,
            "condition": (self.condition if pairs else "") or None,
            "void": void,
        }

    @derived(needs=("run",), shared=True)
    def pairs(self) -> MatchedPairs | str:
        """The records of a random part, matched at random; or why there are no pairs."""
        run = self.page.run()
        if isinstance(run, str) or run.design not in RANDOM_PARTS:
            return "There is no random part with scores whose records could be matched."
        try:
            return matched_pairs(run)
        except ValueError as error:
            return str(error)

    @derived(needs=("guesses", "pairs", *RULE))
    def coin_guesses(self) -> Guesses | str:
        """The guesses that have fair coins: those on pairs, where a random part was in."""
        pairs = self.page.pairs()
        if isinstance(pairs, str):
            return self.page.guesses()
        return pairs.guess(**self.rule_of_pairs(pairs).arguments)

    def rule_of_pairs(self, pairs: MatchedPairs) -> Threshold | Ends:
        """The rule for differences: their sign, or the largest and smallest."""
        return Threshold(0.0) if self.rule == "threshold" else self.chosen_rule(pairs)

    def chosen_rule(self, run: OneRun) -> Threshold | Ends:
        """The guessing rule of the controls."""
        if self.rule == "threshold":
            return Threshold(self.threshold)
        k_in = max(round(self.share_in / 100 * run.canaries), 1)
        k_out = min(round(self.share_out / 100 * run.canaries), run.canaries - k_in)
        return Ends(k_in, k_out)


def as_given(run: OneRun) -> OneRun:
    """A run of which it is stated that nobody drew who was in."""
    return OneRun(
        run.scores,
        run.included,
        larger_is_member=run.larger_is_member,
        design="given",
        seed=run.chance,
    )
