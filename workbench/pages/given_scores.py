"""Pages about scores that are at hand in Python: no choice of data, only its direction."""

from __future__ import annotations

from typing import Any, ClassVar

import param

from workbench.pages.core.page import Control, Section
from workbench.pages.family import FamilyPage
from workbench.pages.inputs.score_source import ScoreSource
from workbench.pages.scores.page import ScoresPage
from workbench.pages.watch import WatchPage
from workbench.scores.sample import Scores

DATA = Section("Data", (Control("larger_is_member"),))
CHOICE_OF_DATA = len(ScoreSource.source_controls)


class GivenScoreSource(ScoreSource):
    """Mixed into a page of scores before it: the page is about the scores given.

    Parameters
    ----------
    given : Scores
    """

    source = param.Selector(default="given", objects=["given"], precedence=-1)

    def __init__(self, given: Scores, **params: Any):
        self._given = given
        super().__init__(**params)

    def _load(self, *events: Any) -> None:
        given = self._given
        self._set_quietly(larger_is_member=given.larger_is_member)
        self.adopt(given, given.name or f"{given.n_p:,} + {given.n_q:,} scores given in Python.")

    def _read_again(self) -> tuple[Scores, str]:
        return self._given.with_direction(self.larger_is_member), self.loaded


class GivenScoresPage(GivenScoreSource, ScoresPage):
    """`ScoresPage` about the scores given."""

    controls: ClassVar[tuple[Section, ...]] = (DATA, *ScoresPage.controls[CHOICE_OF_DATA:])


class GivenFamilyPage(GivenScoreSource, FamilyPage):
    """`FamilyPage` about the scores given."""

    controls: ClassVar[tuple[Section, ...]] = (DATA, *FamilyPage.controls[CHOICE_OF_DATA:])


class GivenWatchPage(GivenScoreSource, WatchPage):
    """`WatchPage` about the scores given, in their order."""

    controls: ClassVar[tuple[Section, ...]] = (DATA, *WatchPage.controls[CHOICE_OF_DATA:])
