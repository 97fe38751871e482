"""Pages about scores that are at hand in Python: no choice of data, only its direction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import param

from workbench.pages.core.page import Control, Section
from workbench.pages.family import FamilyPage
from workbench.pages.inputs.score_source import DIRECTION, Arrival, ScoreSource, data_choice
from workbench.pages.scores.page import ScoresPage
from workbench.pages.watch import WatchPage
from workbench.scores.sample import Scores
from workbench.workspaces.home import given_workspace
from workbench.workspaces.sources import source_of

DATA = Section("Data", (Control("larger_is_member"),))
CHOICE_OF_DATA = len(ScoreSource.source_controls)


class GivenScoreSource(ScoreSource):
    """Mixed into a page of scores before it: the page is about the scores given.

    Parameters
    ----------
    given : Scores
    """

    data = data_choice("")
    larger_is_member = param.Selector(
        default=True,
        objects={"larger = member": True, "smaller = member": False},
        label="Direction of the score",
        doc="A loss is smaller for members, a similarity to the record is larger.",
    )

    def __init__(self, given: Scores, **params: Any):
        self._given = given
        super().__init__(**{"workspace": given_workspace(), **params})
        self.param.watch(self._turn, "larger_is_member")

    @property
    def subjects(self) -> tuple[Any, ...]:
        """The scores given."""
        return (self._given,)

    @property
    def given_scores(self) -> Mapping[str, Scores]:
        """The scores in view, whatever their direction now."""
        return {"data": self.scores}

    @property
    def source(self) -> str:
        """Always "given": the scores are those of a variable."""
        return "given"

    def follow(self, key: str | None) -> None:
        """Do nothing: the page is about the scores given.

        Parameters
        ----------
        key : str or None
            Not used.
        """

    def restart(self) -> None:
        """Take the scores as they were given."""
        self._set_quietly(larger_is_member=self._given.larger_is_member)
        self.adopt(self._given, self.loaded, Arrival.REREAD)

    def _open(self, given: set[str]) -> None:
        scores = self._given
        self._set_quietly(larger_is_member=scores.larger_is_member)
        said = scores.name or f"{scores.n_p:,} + {scores.n_q:,} scores given in Python."
        how = [source_of(scores).describe(), *scores.notes] if scores.samples.is_counted else []
        self.adopt(scores, " · ".join([said, *how]))
        self.recall(arriving=True)

    def _load(self, *events: Any) -> None:
        """Do nothing: no other data can be chosen."""

    def _turn(self, *events: Any) -> None:
        if not self._quiet:
            if not self._restores:
                self.note_shown()
            scores = self._given.with_direction(self.larger_is_member)
            self.adopt(scores, self.loaded, Arrival.REREAD)
            self.recall(last=DIRECTION)


class GivenScoresPage(GivenScoreSource, ScoresPage):
    """`ScoresPage` about the scores given."""

    controls: ClassVar[tuple[Section, ...]] = (DATA, *ScoresPage.controls[CHOICE_OF_DATA:])


class GivenFamilyPage(GivenScoreSource, FamilyPage):
    """`FamilyPage` about the scores given."""

    controls: ClassVar[tuple[Section, ...]] = (DATA, *FamilyPage.controls[CHOICE_OF_DATA:])


class GivenWatchPage(GivenScoreSource, WatchPage):
    """`WatchPage` about the scores given, in their order."""

    controls: ClassVar[tuple[Section, ...]] = (DATA, *WatchPage.controls[CHOICE_OF_DATA:])
