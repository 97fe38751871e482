"""`OneRunValues`: canaries that each have one of K values, and ranks of the true value."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.bounds.bound import Bound
from workbench.figures.kit.layout import empty
from workbench.figures.one_run import ranks as charts
from workbench.onerun.bound import METHODS, OF_VALUES
from workbench.onerun.ranks.ranks import Ranks
from workbench.pages.core.page import derived, figure
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import IntegerField

#: The largest number of values that the page takes.
MOST_VALUES = 10**6

#: What messages call the number of candidates that a guess names.
TOP_WORDS = "the number of candidates that a guess names"

#: What a page of ranks does without.
NO_SCORES = "Ranks have no threshold: a guess names the first candidates of each canary."
MANY_VALUES = "This chart is about canaries with more than two values."
NO_RANKS = "This chart needs the ranks of the true values."
IN_OR_OUT = "This chart is about canaries that were in or out."
NO_BOUND = "This chart is about canaries of which somebody drew which were in."


class OneRunValues(Part):
    """Canaries that each have one of K values, and ranks of the true value."""

    values = IntegerField(
        2,
        (2, MOST_VALUES),
        label="Values of a canary K",
        doc="2: a canary was in or out. More: all were in, each with one of K values that was "
        "drawn uniformly, and a guess names a value.",
    )
    top = IntegerField(
        1,
        (1, MOST_VALUES - 1),
        label="Values named by a guess j",
        doc="A guess is correct if the true value is among them: for ranks, if the rank is at most "
        "j. Set it before you look at ranks: changing it afterwards marks the bounds as not valid.",
    )

    @derived(needs=("source", "read"))
    def ranks(self) -> Ranks | None:
        """The ranks in view; None where there are none."""
        shown = self.page.source not in ("counts", "simulate")
        return self.page.read if shown and isinstance(self.page.read, Ranks) else None

    @derived(needs=("source", "ranks", "values"))
    def candidates(self) -> int:
        """The number of values of each canary in view: 2 where it was in or out."""
        ranks = self.ranks()
        if ranks is not None:
            return int(ranks.values)
        return int(self.values) if self.page.source == "counts" else 2

    @property
    def offered(self) -> tuple[str, ...]:
        """The methods that hold for so many values, those that assume no family first."""
        return OF_VALUES if self.candidates() > 2 else tuple(METHODS)

    @property
    def by_coins(self) -> bool:
        """Whether canaries were in or out, and no ranks are in view."""
        return self.candidates() == 2 and self.ranks() is None

    @property
    def may_bound(self) -> bool:
        """Whether canaries were in or out, and somebody drew which."""
        guesses = self.page.guesses()
        given = not isinstance(guesses, str) and guesses.design == "given"
        return self.by_coins and not given

    @property
    def too_many_named(self) -> str:
        """That a guess names all values, which is always right; "" where it names fewer."""
        k = self.candidates()
        if self.by_coins or self.top < k:
            return ""
        return f"“{self.page.param.top.label}” must be below the {k:,} values; got {self.top:,}."

    @property
    def asks_top(self) -> bool:
        """Whether it matters how many values a guess names, or may once a file has come."""
        awaits = self.page.source == "file" and self.page.read is None
        return awaits or self.ranks() is not None or self.candidates() > 2

    def start(self, given: frozenset[str]) -> None:
        """Watch the number of candidates that a guess names."""
        self.page.param.watch(self._change_top, "top")

    def choices(self) -> dict[str, Any]:
        """How many candidates of ranks a guess names."""
        return {"top": None if self.ranks() is None else self.top}

    def choice_words(self) -> dict[str, str]:
        """What messages call that."""
        return {"top": TOP_WORDS}

    def _change_top(self, event: Any) -> None:
        page = self.page
        if page.quiet or page.restores or self.ranks() is None:
            return
        page.validity.note_shown(top=event.old)
        page.validity.recall(last="top")

    # -- charts ------------------------------------------------------------------------------------

    @figure(
        "Ranks against chance",
        needs=("ranks", "top", "by_method", "rule_moved", "looked"),
        span=6,
        formula="By chance: j/K. Allowed by ε at δ = 0, on average: j e^ε/(j e^ε + K − j).",
        caution="Each j is a question of its own: the bound is about the one that was fixed before "
        "the ranks were seen.",
    )
    def ranked(self) -> dict[str, Any]:
        """Share of the canaries whose true value is among the first j candidates, for each j."""
        ranks = self.ranks()
        if ranks is None:
            return empty(NO_RANKS, optional=True)
        top = min(self.top, ranks.values)
        return charts.against_chance(ranks.ranks, ranks.values, top, self._shown_bound())

    @figure(
        "Correct guesses against chance",
        needs=("guesses", "candidates", "by_method", "rule_moved", "looked"),
        span=6,
        formula="Binomial laws with r guesses, each right by chance with j/K; and with "
        "j e^ε/(j e^ε + K − j), the most that ε allows at δ = 0.",
        caution="At the lower bound on ε, as many correct guesses or more still have the "
        "probability that the confidence leaves.",
    )
    def correct_guesses(self) -> dict[str, Any]:
        """How likely each number of correct guesses is, and how many are."""
        guesses = self.page.guesses()
        if self.candidates() == 2 or isinstance(guesses, str):
            return empty(MANY_VALUES, optional=True)
        if not guesses.guesses:
            return empty("No guess was made.")
        return charts.correct(guesses, self._shown_bound())

    @figure(
        "Exposure of the secrets",
        needs=("ranks",),
        span=6,
        formula="log₂ K − log₂ rank. By chance, each bit more is half as frequent.",
        caution="Exposures describe this one model and have no guarantee.",
    )
    def exposed(self) -> dict[str, Any]:
        """Numbers of canaries by their exposure, beside those that chance gives on average."""
        ranks = self.ranks()
        if ranks is None:
            return empty(NO_RANKS, optional=True)
        return charts.exposures(np.asarray(ranks.ranks), ranks.values)

    def _shown_bound(self) -> Bound | None:
        """The bound for any mechanism, if there is one and it is valid."""
        bound = self.page.auditing.certified(OF_VALUES[0])
        return bound if isinstance(bound, Bound) and not bound.void else None

    def words_of_guesses(self) -> str:
        """What a guess says, for the line under the title."""
        k = self.candidates()
        if k == 2 and self.ranks() is None:
            return ""
        named = "the first candidate" if self.top == 1 else f"the first {self.top:,} candidates"
        if self.ranks() is None:
            named = "one of them" if self.top == 1 else f"{self.top:,} of them"
        return f"each with one of {k:,} values, a guess names {named}"
