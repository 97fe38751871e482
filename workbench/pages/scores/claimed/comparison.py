"""`ReferenceComparison`: the curves that scores are compared with."""

from __future__ import annotations

from workbench.figures.compared import Compared
from workbench.pages.core.page import derived
from workbench.pages.core.part import Part
from workbench.pages.inputs.reference import ALL_REFERENCES, references_shown
from workbench.pages.scores.claimed.own_claim import AS_REFERENCE, OWN_CLAIM


class ReferenceComparison(Part):
    """The curves that scores are compared with."""

    @derived(needs=(*OWN_CLAIM, *ALL_REFERENCES))
    def compared(self) -> tuple[Compared, ...]:
        """The claim and the references, as charts draw them."""
        claim, choices = self.page.own_claim(), self.page.reference_choices
        found = [] if claim is None else [Compared.of_claim(claim)]
        if claim is not None and self.page.claim_kind == AS_REFERENCE:
            choices = choices[1:]
        return (*found, *(Compared.of_reference(*one) for one in references_shown(choices)))
