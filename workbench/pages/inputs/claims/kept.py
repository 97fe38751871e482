"""`KeptClaim`: a stated claim that is kept with the data set in view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from workbench.claims.base import Claim
from workbench.pages.inputs.claims.risk import claim_for_risk
from workbench.pages.inputs.claims.stated import CLAIM, StatedClaim, judged_values
from workbench.scores.sample import Scores
from workbench.workspaces.dataset import DataSet


class KeptClaim(StatedClaim):
    """What was promised of the mechanism whose scores are in view.

    It comes into view with the data set, and `keep_with_data` keeps what a person states. The page
    has a `ScoreSource` as its ``source``.
    """

    _of_data = ""

    def values_of(self, claim: Claim | str | None) -> dict[str, Any]:
        """The page's parameters for a claim; see `judged_values`."""
        return judged_values(claim)

    def values_with(self, dataset: DataSet | None) -> dict[str, Any]:
        """The page's parameters for what was promised of a data set that comes into view."""
        self._of_data = "" if dataset is None else dataset.claim
        try:
            return self.values_of(self._of_data)
        except ValueError as error:  # such as a claim that was stated in Python
            return {"claim_kind": None, "message": str(error)}

    def data_came(self, before: Scores | None) -> None:
        """Take a claim that was changed elsewhere, as in the import step."""
        dataset = self.page.source.dataset
        claim = "" if dataset is None else dataset.claim
        if claim != self._of_data:
            values = self.values_with(dataset)
            if claim != self.text:
                self.page.set_quietly(**values)

    def keep_with_data(self) -> None:
        """Keep the claim with the data set in view, where that can be changed."""
        dataset = self.page.source.dataset
        if dataset is None or dataset.claim == self.text:
            return  # without a look at the disk, as after most moves
        if self._is_kept(dataset):
            self._of_data = self.page.workspace.kept.promise(dataset.key, self.text).claim

    def still_stated(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings that were kept of the page, without a claim that the data set has by now."""
        settings = self.renamed(dict(settings))
        dataset = self.page.source.dataset
        unnamed = settings.get("claim_kind") in self._further.values()
        if not self._is_kept(dataset) or (unnamed and not dataset.claim):
            return settings
        own = (*CLAIM, *map(self.flat, self.parameters))
        return {k: v for k, v in settings.items() if k not in own}

    def about_risk(self) -> Mapping[str, Any]:
        """The claim as stated."""
        return claim_for_risk(self.stated())

    def _is_kept(self, dataset: DataSet | None) -> TypeGuard[DataSet]:
        return dataset is not None and self.page.workspace.catalog.is_own(dataset.key)
