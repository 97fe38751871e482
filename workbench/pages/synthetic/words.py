"""`SyntheticWords`: the answer of the page, what it rests on, and what to do next."""

from __future__ import annotations

from workbench._format import percent
from workbench.pages.answers import in_brief, nothing_concluded, unfinished
from workbench.pages.core.page import Answer, answer, sentence
from workbench.pages.core.part import Part
from workbench.pages.inputs.claims.stated import CLAIM
from workbench.pages.synthetic.audit import CHOSEN
from workbench.pages.synthetic.splitting import NO_TABLE
from workbench.pages.synthetic.tables import (
    BUYS,
    EXAMPLE,
    FILE_OF,
    FILES,
    NO_FILES,
    NO_SPLIT,
    ONE_TABLE,
)

#: What the example is.
EXAMPLE_WORDS = (
    "Example: a fair coin for each of 442 patients decided who was in the training table; every "
    "fifth synthetic record is a copy of a member with a little noise."
)

PRESS = "Press “Audit the tables”."

_STATE = ("source", "tables_read", *FILE_OF.values(), "split", "whole_table")


class SyntheticWords(Part):
    """The answer of the page, what it rests on, and what to do next."""

    def next_step(self) -> str:
        """What a person has to do before there is a result."""
        page = self.page
        if page.source == ONE_TABLE:
            return NO_TABLE if page.whole_table is None else "Save the two files, and train."
        if page.source == FILES:
            missing = 3 - len(page.upload or ())
            if 0 < missing < 3:
                return f"{missing} more file{'s' * (missing > 1)}: {NO_FILES}"
            tables = page.tables()
            if isinstance(tables, str):
                return tables
            if page.split is None:
                return NO_SPLIT
        return PRESS

    @answer(needs=("result", "bounds", "verdict", "looked", *_STATE, "kinds", "unit",
                   "without_copies"))  # fmt: skip
    def answer(self) -> Answer:
        """Whether the synthetic table is shown to give away who was in the training table."""
        page, found = self.page, self.page.result()
        if page.source == ONE_TABLE:
            if page.whole_table is None:
                return unfinished(NO_TABLE)
            return Answer("Ready to be split", "save the two files, and train on the first alone")
        if found is None:
            return unfinished(self.next_step())
        bound = page.bounds()[CHOSEN]
        if found.why_estimate:
            brief = f"ε ≈ {bound.rounded} is an estimate only"
            return nothing_concluded(f"{found.why_estimate}; {brief}")
        bound = page.validity.certified(bound)
        if bound.void:
            return nothing_concluded(bound.void)
        by = f"by {found.attack(CHOSEN).label}, which was chosen on other records"
        brief = f"{in_brief(bound)}, {by}"
        verdict = page.verdict()
        if verdict is not None:
            if verdict.refuted:
                return Answer("Claim refuted", f"{verdict.claimed} cannot hold: {brief}", "bad")
            return Answer(f"Claim {verdict.verdict}"
                          if verdict.verdict == "not refuted" else "Too few records to judge",
                          f"{verdict.claimed}: {brief}")  # fmt: skip
        if bound.value == 0:
            return Answer("No leak is shown", f"{brief}. Another attack may show one")
        return Answer("The synthetic table leaks", brief, "bad")

    @sentence(needs=(*_STATE, "roles_from"), place="head")
    def provenance(self) -> str:
        """Which tables are in view, and what said so."""
        page = self.page
        if page.source == EXAMPLE:
            return EXAMPLE_WORDS
        if page.source != FILES:
            return ""
        files = page.three.files
        if not files:
            return ", ".join(file.name for file in page.upload or ())
        listed = " · ".join(
            f"{role[0].upper()}{role[1:]}: {file.name} ({file.table.rows or 0:,} rows)"
            for role, file in files.items()
        )
        return f"{listed} · {page.roles_from or 'as chosen'}"

    @sentence(needs=("result", *_STATE), place="strip")
    def split_buys(self) -> str:
        """What the split buys, or what contradicts it."""
        page, found = self.page, self.page.result()
        if found is not None and not found.split_test.passed and found.split != "given":
            return found.split_test.explain()
        if page.source != FILES or page.split is None or not page.three.files:
            return ""
        return BUYS[page.split]

    @sentence(needs=("result", "bounds", "looked"))
    def said(self) -> str:
        """The finding in plain words."""
        found = self.page.result()
        if found is None:
            return ""
        made = found.attack(CHOSEN).guess()
        what = found.tables.counted if found.split == "coin" else "pairs"
        chance = f"{made.guesses / 2:,.0f}"
        named = (
            f"From the synthetic table alone, the attack names {made.guesses:,} of "
            f"{made.canaries:,} {what} that it knew nothing of, and is right on {made.correct:,} "
            f"of them; guessing is right on about {chance}."
        )
        if found.why_estimate:
            return f"{named} The split was not random, so the tables may differ by themselves."
        bound = self.page.validity.certified(self.page.bounds()[CHOSEN])
        return f"{named} {bound.explain()}"

    @sentence(needs=("result",), place="foot")
    def how(self) -> str:
        """What was learned and measured, and how the split was tested."""
        found = self.page.result()
        if found is None:
            return ""
        t = found.tables
        one = found.attack(CHOSEN)
        learned = 1 - one.run.canaries / t.canaries if found.split == "coin" else None
        share = "" if learned is None else f" ({percent(round(learned, 2))} of the {t.counted})"
        tested = "" if not found.split_test.passed else f" {found.split_test.explain()}"
        return (
            f"{t.canaries:,} {t.counted}, {t.members:,} records in the training table, "
            f"{t.synthetic_records:,} synthetic records, {t.columns_used} columns. Attacks learned "
            f"and were chosen on a share{share} that is not measured. Seed {t.seed}.{tested}"
        )

    @sentence(needs=("verdict", *CLAIM))
    def verdict_words(self) -> str:
        """The verdict on the claim in words."""
        found = self.page.verdict()
        return "" if found is None else found.explain()
