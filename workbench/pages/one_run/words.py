"""`OneRunWords`: what the bounds of one run say, and what they rest on."""

from __future__ import annotations

from workbench.bounds.bound import Bound
from workbench.onerun.bound import METHODS, OF_VALUES, PAIRS, VALUES
from workbench.onerun.guesses import (
    LABEL_CONDITIONS,
    RANDOM_PARTS,
    REMARKABLE,
    coins_p_value,
)
from workbench.onerun.half.matching import MatchedPairs
from workbench.onerun.simulate import DPSGD, RandomDirections, SharedGaussian
from workbench.pages.answers import in_brief, nothing_concluded, unfinished
from workbench.pages.core.page import Answer, answer, sentence
from workbench.pages.core.part import Part
from workbench.pages.family import FAMILIES
from workbench.pages.one_run.audit import FROM_SCORES, NAMES
from workbench.scores.sample import NOBODY_DREW

#: Share of the noise's variance below which the interference of random canaries is not mentioned.
NEGLIGIBLE = 0.01


class OneRunWords(Part):
    """What the bounds of one run say, and what they rest on."""

    @sentence(needs=("source", "simulated", "run", "guesses", "candidates", "ranks"), place="head")
    def provenance(self) -> str:
        """The run that is audited."""
        guesses, run = self.page.guesses(), self.page.run()
        if isinstance(guesses, str):
            return ""
        of = "Counts" if isinstance(run, str) else run.name or "Canaries given in Python"
        if (ranks := self.page.ranks()) is not None:
            of = ranks.name or "Ranks given in Python"
        said = {"simulate": f"Simulated: {self.page.simulated().name}", "file": f"File “{of}”"}
        values = self.page.of_values.words_of_guesses()
        rule = f" · {guesses.rule}" if guesses.rule else ""
        rule = f", {values}" if values else rule
        return f"{said.get(self.page.source, of)} · {guesses.canaries:,} canaries{rule}"

    @answer(
        needs=(
            *("guesses", "coin_guesses", "candidates", "ranks", "by_method", "of_scores"),
            *("rule_moved", "looked"),
        )
    )
    def answer(self) -> Answer:
        """Which of the bounds holds without further assumptions, and what it says."""
        guesses = self.page.guesses()
        if isinstance(guesses, str):
            return unfinished(guesses)
        if guesses.included is not None and guesses.design == "fair-coins":
            p = coins_p_value(guesses.included, guesses.canaries)
            if p < REMARKABLE:
                return nothing_concluded(
                    f"{guesses.included:,} of {guesses.canaries:,} canaries were included, which "
                    f"is unlikely with fair coins (p = {p:.2g}); every bound assumes fair coins"
                )
        name, bound = self._recommended()
        if bound is None:
            return nothing_concluded("no method applies to these guesses")
        if bound.guarantee == "estimate":
            return nothing_concluded(f"{NOBODY_DREW}; {in_brief(bound)} is an estimate only")
        if bound.void:
            return nothing_concluded(bound.void)
        why = "it needs no family and no independent canaries"
        if bound.family is not None:
            why = f"it assumes the {_name_of(self.page.family)} family and independent canaries"
        elif name == FROM_SCORES:
            why = "it needs independent canaries, but no family"
        if bound.assumption == VALUES and bound.family is None:
            why = "it assumes no family, only that the values were drawn uniformly"
        if bound.assumption in LABEL_CONDITIONS:
            why = f"it is about replacing a label, and needs {bound.assumption}"
        if bound.assumption == PAIRS:
            why = (
                "it is about substituting a record, and needs that the members were drawn at random"
            )
        brief = in_brief(bound)
        if bound.value == 0:
            return Answer("No leak is shown", f"{brief}, by “{name}”: {why}")
        main = "steinke" if self.page.candidates() == 2 else OF_VALUES[0]
        which = "this" if name == NAMES[main] else f"“{name}”"
        return Answer("A leak is shown", f"{brief}. Report {which}: {why}", "bad")

    def _recommended(self) -> tuple[str, Bound | None]:
        """The method of fewest assumptions that applies, whatever it shows, and its bound."""
        offered = self.page.of_values.offered
        free = [name for name in offered if METHODS[name].leak is None]
        rest = [name for name in offered if name not in free]
        found = {
            **{NAMES[name]: self.page.auditing.certified(name) for name in free},
            FROM_SCORES: self.page.from_scores(),
            **{NAMES[name]: self.page.auditing.certified(name) for name in rest},
        }
        applies = (one for one in found.items() if isinstance(one[1], Bound))
        return next(applies, ("", None))

    @sentence(needs=("guesses", "candidates", "by_method", "of_scores", "rule_moved", "looked"))
    def said(self) -> str:
        """The bound with the weakest assumptions, as a sentence."""
        guesses = self.page.guesses()
        if isinstance(guesses, str):
            return f"{guesses[0].upper()}{guesses[1:]}{'' if guesses.endswith('.') else '.'}"
        _, bound = self._recommended()
        if bound is None:
            return "No method applies to these guesses; use a threshold on each canary's own score."
        return bound.explain()

    @sentence(needs=("guesses", "pairs"))
    def coins(self) -> str:
        """Test of whether the canaries were included by fair coins; or how pairs were made."""
        guesses, pairs = self.page.guesses(), self.page.pairs()
        if not isinstance(pairs, str):
            return _matched(pairs)
        if isinstance(guesses, str) or guesses.included is None:
            return ""
        if guesses.design == "given":
            return (
                "Nobody drew who was in, so no coins can be tested: the numbers hold if nothing "
                "but the training tells members from the others. wb.shift_check asks whether they "
                "can be told apart without the model."
            )
        k, m = guesses.included, guesses.canaries
        if guesses.design in RANDOM_PARTS:
            return (
                "A random half of the canaries was included, so inclusions are dependent. From "
                "counts, only the methods for independent canaries with a threshold rule apply; "
                "with the scores of all canaries, members are matched with the others."
            )
        p = coins_p_value(k, m)
        if p < REMARKABLE:
            return (
                f"Warning: {k:,} of {m:,} canaries were included, which is unlikely with fair "
                f"coins (p = {p:.2g}). Check how canaries were included: every bound depends on it."
            )
        return f"{k:,} of {m:,} canaries were included: consistent with fair coins (p = {p:.2g})."

    @sentence(needs=("dependence",))
    def independence(self) -> str:
        """Tests of whether the canaries influence each other's scores."""
        tested = self.page.dependence()
        if isinstance(tested, str):
            return ""
        return f"{'Warning: ' if tested.dependent else ''}{tested.explain()}"

    @sentence(needs=("source", "simulated", "log_canaries"), place="strip")
    def interference(self) -> str:
        """A warning if simulated canaries share noise or a direction."""
        m = self.page.simulated()
        if self.page.source == "simulate" and isinstance(m, RandomDirections):
            return self._random_directions(m)
        if self.page.source != "simulate" or not isinstance(m, SharedGaussian):
            return ""
        how = []
        if m.coordinates < self.page.run_source.size:
            how.append(f"share {m.coordinates:,} coordinates")
        if m.interference:
            how.append(f"have gradients of cosine ±{m.interference:g}")
        if not how:
            return ""
        return (
            f"{self.page.run_source.size:,} canaries {' and '.join(how)} and interfere, so bounds "
            "for independent canaries are not guaranteed; here they are lower. In simulations with "
            "ten canaries per coordinate, and with cosines up to 1, they did not exceed the truth "
            "more often than allowed. That is an observation, not a theorem: they fail for a "
            "mechanism that sometimes reveals all canaries together."
        )

    def _random_directions(self, mechanism: RandomDirections) -> str:
        n, d = self.page.run_source.size, mechanism.dimension
        added = n / 2 / d * mechanism.mu**2
        if added < NEGLIGIBLE:
            return ""
        return (
            f"The cosine of two of {n:,} random canaries in {d:,} dimensions varies by "
            f"1/√d = {d**-0.5:.2g}. About n/2 of them are in and add {added:.2g} times the noise's "
            "own variance to each score, so bounds are lower; the true ε of one canary stays. "
            "Bounds for independent canaries are not guaranteed then; in simulations they exceeded "
            "the truth no more often than allowed."
        )

    @sentence(needs=("source", "simulated", "family"), place="strip")
    def mismatch(self) -> str:
        """A warning if the simulated mechanism does not belong to the assumed family."""
        if self.page.source != "simulate" or self.page.family == "randomized-response":
            return ""
        mechanism, name = self.page.simulated(), _name_of(self.page.family)
        if isinstance(mechanism, DPSGD):
            return f"DP-SGD is not in the {name} family. Bounds that assume it may be too large."
        gaussian = isinstance(mechanism, SharedGaussian | RandomDirections)
        kind = "gaussian" if gaussian else self.page.mechanism
        if kind == self.page.family:
            return ""
        return (
            f"The simulated mechanism is not in the {name} family. Bounds that assume it "
            "may exceed the truth, and the guesses cannot show this."
        )


def _matched(pairs: MatchedPairs) -> str:
    """How the records were matched, and what that allows."""
    part = "half" if pairs.of.design == "fixed-half" else "part"
    left = f"; {pairs.left_over:,} are left over" if pairs.left_over else ""
    return (
        f"A random {part} of the records was included. {pairs.canaries:,} members are matched "
        f"with as many records that were held out, at random (seed {pairs.chance}){left}. Which of "
        "the two was included is a fair coin, so bounds from pairs allow all records to influence "
        "each other. They are about substituting a record. That the members were drawn at random "
        "cannot be seen from the data."
    )


def _name_of(family: str) -> str:
    return next(label for label, name in FAMILIES.items() if name == family)
