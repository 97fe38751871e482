"""The scores page for scores that are at hand in Python: no choice of data, only its direction."""

from __future__ import annotations

from typing import Any, ClassVar

import param

from workbench.pages.base import Control, Section
from workbench.pages.score_source import ScoreSource
from workbench.pages.scores import ScoresPage
from workbench.scores.sample import Scores


class GivenScoresPage(ScoresPage):
    """`ScoresPage` about the scores given.

    Parameters
    ----------
    given : Scores
    """

    source = param.Selector(default="given", objects=["given"], precedence=-1)

    controls: ClassVar[tuple[Section, ...]] = (
        Section("Data", (Control("larger_is_member"),)),
        *ScoresPage.controls[len(ScoreSource.source_controls) :],
    )

    def __init__(self, given: Scores, **params: Any):
        self._given = given
        super().__init__(**params)

    def _load(self, *events: Any) -> None:
        given = self._given
        self._set_quietly(larger_is_member=given.larger_is_member)
        self.adopt(given, given.name or f"{given.n_p:,} + {given.n_q:,} scores given in Python.")

    def _read_again(self) -> tuple[Scores, str]:
        return self._given.with_direction(self.larger_is_member), self.loaded
