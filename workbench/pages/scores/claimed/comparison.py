"""`ReferenceComparison`: the curves that scores are compared with."""

from __future__ import annotations

from workbench.figures.compared import Compared
from workbench.pages.core.page import derived
from workbench.pages.core.part import Part
from workbench.pages.inputs.reference import ALL_REFERENCES
from workbench.pages.scores.claimed.own_claim import AS_REFERENCE, OWN_CLAIM


class ReferenceComparison(Part):
    """The curves that scores are compared with."""

    @derived(needs=(*OWN_CLAIM, *ALL_REFERENCES))
    def compared(self) -> tuple[Compared, ...]:
        """The claim and the references, as charts draw them."""
        claim = self.page.own_claim()
        found = [] if claim is None else [Compared.of_claim(claim)]
        for place, choice in enumerate(self.page.reference_choices):
            pair = choice.pair()
            if pair is not None and not (place == 0 and self.page.claim_kind == AS_REFERENCE):
                known = [one.style.name for one in found]
                name = f"{choice.label} ({place + 1})" if choice.label in known else choice.label
                found.append(Compared.of_reference(pair, name, place))
        return tuple(found)
