"""`PlanPage`: sample size, power and expected bound of an audit of a known pair."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from workbench._format import percent, plain, round_safely
from workbench.bounds.power.plan_results import SampleSize
from workbench.claims.pair import PairClaim
from workbench.figures import plan as charts
from workbench.figures.kit.layout import empty
from workbench.pages.core.page import (
    Answer,
    Control,
    Fact,
    Page,
    Section,
    answer,
    figure,
    number,
    sentence,
)
from workbench.pages.inputs.claims.risk import risk_without_scores
from workbench.pages.inputs.code import Name, call, comment, duration, lines, pair_code, script
from workbench.pages.inputs.pair import PairChoice, pair_controls
from workbench.pages.inputs.plan_writing import PlanWriting
from workbench.pages.inputs.settings import ConfidenceSetting, DeltaSetting
from workbench.pages.sample_sizes import AIM, LIVE, PAIR, REPS, SPAN, SampleSizes


class PlanPage(Page):
    """State and drawings of the page."""

    title = "Sample size and power"
    about = (
        "Assume that the scores follow a known pair. How many scores does an audit need to show "
        "its leak, and how large is the bound?"
    )
    main: ClassVar[tuple[str, ...]] = ("log_n", "target")

    delta = DeltaSetting()
    level = ConfidenceSetting()
    chosen = PairChoice("pair")
    writing = PlanWriting()
    sizes = SampleSizes()

    controls: ClassVar[tuple[Section, ...]] = (
        Section("Assumed pair", tuple(pair_controls("pair"))),
        Section("Audit", (Control("method"), Control("log_delta"), Control("confidence"))),
        Section("Plan", (Control("target"), Control("power"), Control("log_n"))),
        Section(
            "Simulation",
            (Control("seed"), Control("simulate", when=lambda page: page.method != "pointwise")),
        ),
        PlanWriting.section,
    )

    def about_risk(self) -> dict[str, Any]:
        """The assumed pair as a claim."""
        return risk_without_scores(PairClaim(self.pair()))

    # -- the answer and the strip of numbers ---------------------------------------------------

    @answer(needs=("known", "own", "truth", "target", "power", "method", "reachable", "log_delta"))
    def answer(self) -> Answer:
        """The number of scores that the plan needs."""
        at = f"at δ = {plain(self.delta.value)}"
        if not self.reachable():
            return Answer(
                "No number of scores is enough",
                f"{self.pair().name} has ε = {round_safely(self.truth(), 'down')} {at}, which is "
                f"not above the target {plain(self.target)}",
                "void",
            )
        known, own = self.known(), self.own()
        aim = f"to show ε > {plain(self.target)} {at} in {percent(self.power)} of audits"
        found = known if self.method == "pointwise" else own and own.needed
        if isinstance(found, str):
            return Answer("No number of scores is known", found, "void")
        if found is not None:
            how = "a threshold fixed in advance" if self.method == "pointwise" else self.method
            bound = how if self.method == "pointwise" else f"the {how} bound"
            words = f"{found.n:,} scores per group"
            return Answer(words, f"{aim}, with {bound} · {found.power.how}", "good")
        press = f"press “{self.jobs()['simulate'].title}” for the {self.method} bound"
        if isinstance(known, str):
            return Answer("Not known yet", press)
        return Answer(
            f"{known.n:,} scores per group at one fixed threshold",
            f"{aim}, exact; {press}",
        )

    @number("True ε", needs=("truth", "log_delta"))
    def true_epsilon(self) -> Fact:
        """ε of the assumed pair; lower bounds approach it from below."""
        return Fact(
            round_safely(self.truth(), "nearest"), f"at δ = {plain(self.delta.value)}, exact"
        )

    @number(
        "Scores needed per group",
        needs=("own", "known", "method", "reachable"),
        formula="The smallest n at which the bound exceeds the target with the chosen power.",
        caution="For the best attack on this pair. A weaker attack needs more scores.",
        main=True,
    )
    def needed(self) -> Fact:
        """Number of members, and of non-members, for the chosen bound."""
        if not self.reachable():
            return Fact("none", "the target is not below the true ε")
        if self.method == "pointwise":
            return self._size(self.known())
        own = self.own()
        if own is None or own.needed is None:
            return Fact("–", f"press “{self.jobs()['simulate'].title}”")
        return self._size(own.needed)

    @number(
        "With a threshold fixed in advance",
        needs=("known", "reachable"),
        caution="If the best threshold is not known in advance, a simultaneous bound is needed.",
    )
    def needed_known(self) -> Fact:
        """Scores needed per group with the best threshold for the pair; exact, not simulated."""
        if not self.reachable():
            return Fact("none", "the target is not below the true ε")
        return self._size(self.known())

    @number("Power at n", needs=("live_power", "own", "method", "log_n", "reachable", "target"))
    def power_at_n(self) -> Fact:
        """Probability that the chosen bound exceeds the target with n scores per group."""
        live, own = self.live_power(), self.own()
        what = "" if self.reachable() else "a false alarm · "
        if live is not None:
            value, how = live.value, live.how
        elif own is not None and own.curve:
            curve = sorted(own.curve, key=lambda power: power.n_p)
            logs = np.log10([power.n_p for power in curve])
            value = float(np.interp(self.log_n, logs, [power.value for power in curve]))
            how = f"interpolated, {curve[0].how} per point"
        else:
            return Fact("–", f"press “{self.jobs()['simulate'].title}”")
        seeded = "" if how == "exact" else f", seed {self.seed}"
        note = f"{self.method} bound · {what}{self.sizes.n:,} per group · {how}{seeded}"
        return Fact(percent(round(value, 3)), note)

    @number(
        "Median bound at n",
        needs=("live_bounds", "own", "method", "log_n"),
        caution="Half of all audits give a smaller bound.",
    )
    def median_at_n(self) -> Fact:
        """Median and 10–90% range of the chosen bound with n scores per group."""
        live, own = self.live_bounds(), self.own()
        if live is not None:
            low, median, high = live.quantile([0.1, 0.5, 0.9])
            how = f"{live.values.size} simulated audits"
        elif own is not None and own.bounds:
            grid = sorted(own.bounds, key=lambda one: one.n_p)
            logs = np.log10([one.n_p for one in grid])
            if not logs[0] <= self.log_n <= logs[-1]:
                return Fact("–", f"simulated up to {grid[-1].n_p:,} per group")
            quantiles = np.array([one.quantile([0.1, 0.5, 0.9]) for one in grid])
            low, median, high = (np.interp(self.log_n, logs, q) for q in quantiles.T)
            how = f"interpolated, {grid[0].values.size} simulated audits per point"
        else:
            return Fact("–", f"press “{self.jobs()['simulate'].title}”")
        ends = f"{round_safely(float(low), 'down')} to {round_safely(float(high), 'up')}"
        return Fact(
            f"ε ≥ {round_safely(float(median), 'down')}",
            f"{self.method} bound · 10–90%: {ends} · {how}, seed {self.seed}",
        )

    def _size(self, found: SampleSize | str) -> Fact:
        if isinstance(found, str):
            return Fact("–", found)
        how = found.power.how
        simulated = "" if how == "exact" else f", seed {self.seed}"
        return Fact(f"{found.n:,}", f"for {percent(found.wanted)} power · {how}{simulated}")

    # -- in plain words ------------------------------------------------------------------------

    @sentence(needs=("known", "own", "truth", "target", "power", "method", "reachable"))
    def in_words(self) -> str:
        """The plan as a sentence."""
        target, truth = plain(self.target), round_safely(self.truth(), "down")
        at = f"at δ = {plain(self.delta.value)}"
        if not self.reachable():
            return (
                f"{self.pair().name} has ε = {truth} {at}, so no number of scores shows a target "
                f"of {target}; a bound that exceeds it is a false alarm. Choose a smaller "
                "target, a smaller δ, or a pair that leaks more."
            )
        known = self.known()
        if isinstance(known, str):
            return f"{known[0].upper()}{known[1:]}."
        text = (
            f"To show ε > {target} {at} in {percent(self.power)} of audits of {self.pair().name}, "
            f"you need {known.n:,} scores per group if the threshold is fixed in advance"
        )
        own = self.own()
        if own is None or not isinstance(own.needed, SampleSize):
            return f"{text}."
        return f"{text}, and {own.needed.n:,} with the {self.method} bound."

    @sentence(needs=("pair",), place="foot")
    def note(self) -> str:
        """The assumptions of a plan."""
        return (
            f"The plan assumes {self.pair().name} and the best attack on it. The simultaneous "
            "bound may need fewer scores than Clopper–Pearson limits at one fixed threshold, "
            "because it tests both counts jointly and uses the best of many thresholds."
        )

    # -- the charts ----------------------------------------------------------------------------

    @figure(
        "Power",
        needs=("known", "known_curve", "own", "reachable", "method", "log_n", *AIM, "truth"),
        span=6,
        caution="Threshold fixed in advance: exact. Other bounds: simulated with the chosen seed.",
        drag={"log_n": "log_n"},
    )
    def power_curve(self) -> dict[str, Any]:
        """Probability that the bound exceeds the target. The dots are the scores needed."""
        if not self.reachable():
            return empty("The target is not below the true ε.")
        known, own = self.known(), self.own()
        curves: dict[str, Any] = {"pointwise": self.known_curve()} if self.known_curve() else {}
        needed = {} if isinstance(known, str) else {"pointwise": known}
        if own is not None and own.curve:
            curves[self.method] = own.curve
        if own is not None and isinstance(own.needed, SampleSize):
            needed[self.method] = own.needed
        if not curves:
            return empty("No sample size is large enough.")
        ends = [math.log10(size.n) for size in needed.values()]
        span = (math.floor(min(SPAN[0], *ends)), math.ceil(max(SPAN[1], *ends)))
        return charts.power_curves(
            curves, needed, self.power, self.sizes.n, self.log_n, span, self.target
        )

    @figure(
        "Bound against sample size",
        needs=("known_bounds", "own", "truth", "target", "method", "log_n"),
        span=6,
        caution="Simulated audits with the chosen seed. A bound far below the true ε is not a "
        "defect of the method: few scores do not show rare outcomes.",
        drag={"log_n": "log_n"},
    )
    def growth(self) -> dict[str, Any]:
        """Median of the bound and its 10–90% range, compared with the true ε."""
        found: dict[str, Any] = {"pointwise": self.known_bounds()}
        own = self.own()
        if own is not None and own.bounds:
            found[self.method] = own.bounds
        return charts.bounds(found, self.truth(), self.target, self.sizes.n, self.log_n, SPAN)

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        others = {name: value for name, value in spec.items() if name not in PAIR}
        return script(
            f"pair = {pair_code(self.pair())}",
            f"true_epsilon = pair.epsilon({self.delta.value!r})",
            *self._needed_code(),
            self._power_code(),
            self._median_code(),
            f"view = {call('wb.explore_plan', 'pair', spec=others)}",
            imports=[] if self.sizes.quick else ["import numpy as np"],
        )

    def _needed_code(self) -> list[str]:
        """Steps that compute the scores needed, or why there are none."""
        if not self.reachable():
            return ["# the target is not below the true ε"]
        known, own = self.known(), self.own()
        found = known if self.method == "pointwise" else own and own.needed
        asked = {"claim_epsilon": self.target, "power": self.power}
        steps = []
        for name, guarantee, result in (
            ("needed_known", "pointwise", known),
            ("needed", self.method, found),
        ):
            needed = call("wb.samples_needed", "pair", **asked, **self._level(guarantee))
            done = isinstance(result, str)
            steps.append(comment(f"{name}: {result}") if done else f"{name} = {needed}")
        return steps

    def _power_code(self) -> str:
        target, level = {"claim_epsilon": self.target}, self._level(self.method)
        own = self.own()
        if self.sizes.quick or own is None or not own.curve:
            return f"power_at_n = {call('wb.power', 'pair', **target, n=self.sizes.n, **level)}"
        sizes = tuple(sorted(power.n_p for power in own.curve))
        power = call("wb.power", "pair", **target, n=Name("n"), **level)
        return lines(
            duration(self, "simulate"),
            f"sizes = {sizes!r}",
            f"powers = [float({power}) for n in sizes]",
            f"power_at_n = np.interp({self.log_n!r}, np.log10(sizes), powers)",
        )

    def _median_code(self) -> str:
        level, own = self._level(self.method), self.own()
        if self.sizes.quick or own is None or not own.bounds:
            reps = REPS if self.method == "pointwise" else LIVE
            bounds = call("wb.plan_distribution", "pair", n=self.sizes.n, reps=reps, **level)
            return f"bounds_at_n = {bounds}\nmedian_at_n = bounds_at_n.quantile(0.5)"
        grid = sorted(own.bounds, key=lambda one: one.n_p)
        reps = grid[0].values.size
        bounds = call("wb.plan_distribution", "pair", n=Name("n"), reps=reps, **level)
        return lines(
            duration(self, "simulate"),
            f"sizes = {tuple(one.n_p for one in grid)!r}",
            f"medians = [{bounds}.quantile(0.5) for n in sizes]",
            f"median_at_n = np.interp({self.log_n!r}, np.log10(sizes), medians)",
        )

    def _level(self, guarantee: str) -> dict[str, Any]:
        """Arguments of the functions of plans besides the pair."""
        return {n: value for n, value in self.sizes.arguments(guarantee).items() if n != "pair"}
