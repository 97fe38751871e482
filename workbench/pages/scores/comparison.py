"""`ReferenceComparison`: the reference, and its test as a claim."""

from __future__ import annotations

from workbench.bounds.power.judge import verdict_on
from workbench.bounds.power.verdict import Verdict
from workbench.pages.core.page import derived
from workbench.pages.core.part import Part
from workbench.pages.inputs.reference import REFERENCE
from workbench.pairs.base import Pair


class ReferenceComparison(Part):
    """The reference that the scores are compared with, and its test as a claim."""

    @derived(needs=REFERENCE)
    def reference(self) -> Pair | None:
        """The reference that the scores are compared with."""
        return self.page.compared.pair()

    @derived(needs=("measured", "confidence", *REFERENCE), shared=True)
    def verdict(self) -> Verdict | None:
        """The test of the reference as a claim."""
        reference = self.reference()
        return (
            None
            if reference is None
            else verdict_on(self.page.statistic.measured(), reference, self.page.confidence)
        )
