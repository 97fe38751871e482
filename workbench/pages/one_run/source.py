"""Where a page's one run comes from: three counts, a simulator, or a person's file of canaries."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import param

from workbench.onerun.guesses import Ends, Guesses, Threshold
from workbench.onerun.read import one_run_of_table
from workbench.onerun.run import OneRun
from workbench.onerun.simulate import DPSGD, CanaryMechanism, Memoryless, SharedGaussian
from workbench.pages.core.page import Control, Page, Section, derived
from workbench.pages.core.sliders import IntegerField, decimals
from workbench.pages.core.upload import Upload
from workbench.pairs.laplace import LaplacePair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.scores.parsing.source import read_table

MECHANISMS = {
    "Gaussian": "gaussian",
    "Laplace": "laplace",
    "Randomized response": "randomized-response",
    "DP-SGD, white-box": "dp-sgd",
    "DP-SGD that averages before it clips": "flawed",
}

#: ε that is claimed at δ = 1e-5 -> the noise multiplier for it, with `RATE`, `STEPS` and `BATCH`.
NOISE = {1: 2.93, 2: 1.75, 4: 1.145, 8: 0.803}
RATE, STEPS, BATCH = 0.1, 50, 16

COUNTS = ("canaries", "guessed", "right", "included")
SIMULATOR = ("mechanism", "leak", "claim", "log_coordinates")
RULE = ("rule", "threshold", "share_in", "share_out")

#: What of a file may be read otherwise after a bound was seen.
REINTERPRETS = {"larger_is_member": "the direction of the score", "design": "the design"}

#: Counts that may be typed.
MOST_CANARIES = 10**6

#: Ends and step of the threshold where scores are privacy losses.
LOSSES, LOSS_STEP = (-5.0, 5.0), 0.05

NO_FILE = "Choose a file of canaries: one row each, with a score and 1 (in) or 0 (out)."


def _from(*sources: str) -> Any:
    return lambda page: page.source in sources


def _simulated(*mechanisms: str) -> Any:
    return lambda page: page.mechanism in mechanisms


def _guessed_by(rule: str) -> Any:
    return lambda page: page.source != "counts" and page.rule == rule


class OneRunSource(Page):
    """State that ends in ``guesses()``, and in ``run()`` where there are scores."""

    source = param.Selector(
        default="simulate",
        objects={"Counts": "counts", "Simulated run": "simulate", "My file": "file"},
        label="Guesses from",
    )
    canaries = IntegerField(1000, (1, MOST_CANARIES), label="Canaries m")
    guessed = IntegerField(
        1000,
        (1, MOST_CANARIES),
        label="Guesses r",
        doc="Fixed beforehand; the others are left open.",
    )
    right = IntegerField(691, (0, MOST_CANARIES), label="Right guesses c")
    included = IntegerField(
        0,
        (0, MOST_CANARIES),
        label="Canaries in",
        doc="0: not known. It shows whether coins were fair.",
    )
    upload = Upload(
        default=(),
        label="File of canaries",
        doc="csv, tsv, parquet, feather, npz or json: a row a canary, with its score and whether "
        "it was in (1) or out (0). It stays in this server's memory, for this session only.",
    )
    larger_is_member = param.Selector(
        default=True,
        objects={"larger = in": True, "smaller = in": False},
        label="Direction",
        doc="A loss is smaller for canaries that were in, a match with a canary larger.",
    )
    design = param.Selector(
        default="fair-coins",
        objects={"a fair coin for each": "fair-coins", "exactly half, drawn": "fixed-half"},
        label="Who was in was decided by",
        doc="Nobody can see it from the data: you state it, and every bound rests on it.",
    )

    mechanism = param.Selector(default="gaussian", objects=MECHANISMS, label="Mechanism")
    leak = param.Number(
        1.0,
        bounds=(0.1, 5),
        step=0.1,
        label="Leak",
        doc="μ of the Gaussian and the Laplace mechanism, ε of randomized response.",
    )
    claim = param.Selector(
        default=2,
        objects={f"{claim}": claim for claim in NOISE},
        label="Claimed ε",
        doc=f"At δ = 1e-5: {STEPS} steps at sampling rate {RATE:g}, batches of {BATCH}.",
    )
    log_canaries = param.Number(
        3.0, bounds=(1, 4), step=0.25, label="log₁₀ of the canaries n", doc="3 is 1,000."
    )
    log_coordinates = param.Number(
        4.0,
        bounds=(0, 4),
        step=0.25,
        label="log₁₀ of the coordinates d",
        doc="With d < n several canaries share the noise of one coordinate, and interfere.",
    )
    seed = param.Integer(0, bounds=(0, 99), label="Seed")

    rule = param.Selector(
        default="threshold",
        objects={"Threshold: a guess for each": "threshold", "Top and bottom: abstain": "ends"},
        label="Rule of guessing",
        doc="It is part of the guarantee: choose it before you see who was in.",
    )
    threshold = param.Number(0.0, bounds=LOSSES, step=LOSS_STEP, label="Threshold")
    share_in = param.Number(
        12.5, bounds=(0.1, 50), step=0.1, label="Top k₊, % of the canaries", doc="Guessed “in”."
    )
    share_out = param.Number(
        12.5, bounds=(0, 50), step=0.1, label="Bottom k₋, % of the canaries", doc="Guessed “out”."
    )

    read = param.Parameter(precedence=-1, doc="The OneRun of the file.")
    rule_moved = param.Boolean(
        False, precedence=-1, doc="The rule was changed with scores in view."
    )
    looked = param.String("", precedence=-1, doc="What was chosen after a bound was seen.")

    simulator: ClassVar[Section] = Section(
        "Simulator",
        (
            Control("mechanism"),
            Control("leak", when=_simulated("gaussian", "laplace", "randomized-response")),
            Control("claim", when=_simulated("dp-sgd", "flawed")),
            Control("log_coordinates", when=_simulated("gaussian")),
            Control("log_canaries", when=_from("simulate")),
            Control("seed"),
        ),
    )
    rules: ClassVar[Section] = Section(
        "Guesses",
        (
            Control("rule", when=lambda page: page.source != "counts"),
            Control("threshold", when=_guessed_by("threshold")),
            Control("share_in", when=_guessed_by("ends")),
            Control("share_out", when=_guessed_by("ends")),
        ),
    )
    data: ClassVar[Section] = Section(
        "Data",
        (
            Control("source"),
            *(Control(name, when=_from("counts")) for name in COUNTS),
            Control("upload", when=_from("file")),
            Control("larger_is_member", when=_from("file")),
            Control("design", when=_from("counts", "file")),
        ),
    )

    def __init__(self, **params: Any):
        self._quiet = False
        super().__init__(**params)
        self.param.watch(self._fresh, ["source", "log_canaries", "seed", *SIMULATOR])
        self.param.watch(self._load, ["source", "upload", *REINTERPRETS])
        self.param.watch(self._moved, list(RULE))
        self.param.watch(self._doubt, "confidence")
        self._load()

    # -- what follows from a person's hand ---------------------------------------------------------

    @property
    def has_scores(self) -> bool:
        """Whether there are scores in view, because of which a choice may be made."""
        return self.source == "simulate" or (self.source != "counts" and self.read is not None)

    def _fresh(self, *events: Any) -> None:
        """A rule that stands when a run is made was fixed before it."""
        switched = any(event.name == "source" for event in events)
        if switched and self.source != "file":
            self._place_threshold(0.0, LOSSES, LOSS_STEP)
        if switched or self.source == "simulate":
            self.param.update(rule_moved=False, looked="")

    def _load(self, *events: Any) -> None:
        if self.source != "file" or not self.upload:
            return
        changed, before = {event.name for event in events}, self.read
        try:
            if len(self.upload) > 1:
                raise ValueError(f"{len(self.upload)} files were given; one run is one file")
            ((name, content),) = self.upload
            run = one_run_of_table(
                read_table(content, filename=name),
                larger_is_member=self.larger_is_member,
                design=self.design,
            )
        except ValueError as error:
            self.message = str(error)
            return
        looked = "the file" if "upload" in changed and before is not None else ""
        looked = next((REINTERPRETS[n] for n in REINTERPRETS if n in changed and before), looked)
        self._adopt(run)
        self.param.update(looked=looked, message="")

    def _adopt(self, run: OneRun) -> None:
        """Take a run that was read; its threshold starts where nobody needs to know who was in."""
        finite = run.scores[np.isfinite(run.scores)]
        low, middle, high = np.quantile(finite, [0, 0.5, 1]) if finite.size else (0.0, 0.0, 0.0)
        step = 10.0 ** math.floor(math.log10(max(high - low, 1e-6) / 100))
        places = decimals(step)
        ends = (round(float(low) - step, places), round(float(high) + step, places))
        self._place_threshold(round(float(middle), places), ends, step)
        self.param.update(read=run, rule_moved=False)

    def _place_threshold(self, value: float, ends: tuple[float, float], step: float) -> None:
        slider = self.param.threshold
        slider.bounds, slider.step = None, step
        self._set_quietly(threshold=value)
        slider.bounds = ends

    def _moved(self, *events: Any) -> None:
        if not self._quiet and self.has_scores:
            self.rule_moved = True

    def _doubt(self, *events: Any) -> None:
        if not self._quiet and self.has_scores:
            self.looked = "the confidence"

    def _set_quietly(self, **values: Any) -> None:
        before, self._quiet = self._quiet, True
        try:
            self.param.update(values)
        finally:
            self._quiet = before

    # -- what there is to audit --------------------------------------------------------------------

    @derived(needs=SIMULATOR)
    def simulated(self) -> CanaryMechanism:
        """The simulator's mechanism."""
        if self.mechanism in ("dp-sgd", "flawed"):
            flawed = self.mechanism == "flawed"
            return DPSGD(NOISE[self.claim], RATE, STEPS, average_first=flawed, batch_size=BATCH)
        if self.mechanism == "laplace":
            return Memoryless(LaplacePair(self.leak))
        if self.mechanism == "randomized-response":
            return Memoryless(RandomizedResponsePair(self.leak, 0.0))
        return SharedGaussian(self.leak, round(10**self.log_coordinates))

    @property
    def size(self) -> int:
        """Canaries that are simulated."""
        return round(10**self.log_canaries)

    @derived(needs=("source", "simulated", "log_canaries", "seed", "read"))
    def run(self) -> OneRun | str:
        """The canaries with their scores, or why there are none."""
        if self.source == "counts":
            return "Counts hold no scores, so there is no rule to choose."
        if self.source == "simulate":
            try:
                return self.simulated().run(self.size, self.seed)
            except ValueError as error:
                return str(error)
        return NO_FILE if self.read is None else self.read

    @derived(needs=("run", "design", *COUNTS, *RULE))
    def guesses(self) -> Guesses | str:
        """The counts, or why there are none."""
        try:
            if self.source == "counts":
                return Guesses(
                    self.canaries,
                    self.guessed,
                    self.right,
                    included=self.included or None,
                    design=self.design,
                )
            run = self.run()
            return run if isinstance(run, str) else run.guess(**self.chosen_rule(run).arguments)
        except ValueError as error:
            return str(error)

    def chosen_rule(self, run: OneRun) -> Threshold | Ends:
        """The rule as the controls have it."""
        if self.rule == "threshold":
            return Threshold(self.threshold)
        k_in = max(round(self.share_in / 100 * run.canaries), 1)
        k_out = min(round(self.share_out / 100 * run.canaries), run.canaries - k_in)
        return Ends(k_in, k_out)
