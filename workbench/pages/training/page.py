"""`TrainPage`: models that are trained and audited while they come; also about a given run."""

from __future__ import annotations

from typing import Any, ClassVar

from workbench.pages.core.page import Section
from workbench.pages.training.code import training_code
from workbench.pages.training.findings import TrainingFindings
from workbench.training.runs.gallery import GalleryRun
from workbench.training.runs.run import TrainingRun
from workbench.workspaces.home import given_workspace


class TrainPage(TrainingFindings):
    """State and drawings of the page."""

    title = "Train and audit"
    about = (
        "Small models are trained with DP-SGD, with a bug or without, and audited while they come. "
        "Do they keep what the accountant claims?"
    )
    main: ClassVar[tuple[str, ...]] = ("bug", "noise")

    controls: ClassVar[tuple[Section, ...]] = (
        TrainingFindings.run,
        TrainingFindings.training,
        TrainingFindings.audited,
    )

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore``."""
        return training_code(self, spec)


class GivenTrainPage(TrainPage):
    """`TrainPage` that begins with the run given.

    Parameters
    ----------
    given : TrainingRun or GalleryRun
    """

    def __init__(self, given: TrainingRun | GalleryRun, **params: Any):
        self._given = given
        super().__init__(**{"workspace": given_workspace(), **params})
        self.take(given)

    @property
    def subjects(self) -> tuple[Any, ...]:
        """The run given."""
        return (self._given,)
