"""`Doubts`: what to check before any number is believed."""

from __future__ import annotations

from workbench.pages.core.page import sentence
from workbench.pages.core.part import Part
from workbench.pages.inputs.direction import direction_question
from workbench.pages.inputs.seen_words import seen_words


class Doubts(Part):
    """What to check before any number is believed: the direction, and whether scores differ."""

    @sentence(needs=("roc", "scores"), place="strip")
    def question(self) -> str:
        """A question about the direction if members score significantly the other way."""
        return "" if self.page.source.kind == "pair" else direction_question(self.page.roc())

    @sentence(needs=("scores",), place="strip")
    def constant(self) -> str:
        """That all scores are equal, where they are."""
        return str(self.page.scores.samples.constant)

    @sentence(needs=("scores",), place="strip")
    def known_before(self) -> str:
        """That results of these data, or of most of their rows, were seen under another name."""
        source = self.page.source
        return "" if source.kind == "pair" else seen_words(source.sights()[0], self.page.workspace)
