"""`TrainPage`: models that are audited while they are trained; also about a given run."""

from __future__ import annotations

from typing import Any, ClassVar

from workbench.pages.core.page import Page, Section
from workbench.pages.inputs.settings import DeltaSetting, Validity
from workbench.pages.training.charts import TrainingCharts
from workbench.pages.training.code import training_code
from workbench.pages.training.findings import TrainingFindings
from workbench.pages.training.sentences import TrainingWords
from workbench.pages.training.setup import TrainingSetup
from workbench.pages.training.watching import TrainingWatched


class TrainPage(Page):
    """State and drawings of the page.

    Parameters
    ----------
    given : TrainingRun or GalleryRun, optional
        The run that it begins with.
    **more
        As of `Page`.
    """

    title = "Train and audit"
    about = (
        "Small models are trained with DP-SGD, with a bug or without, and audited meanwhile. "
        "Do they keep what the accountant claims?"
    )
    main: ClassVar[tuple[str, ...]] = ("bug", "noise")

    delta = DeltaSetting()
    validity = Validity({"log_delta": "δ", "confidence": "the confidence"}, resets=())
    setup = TrainingSetup()
    watching = TrainingWatched()
    findings = TrainingFindings()
    charts = TrainingCharts()
    worded = TrainingWords()

    controls: ClassVar[tuple[Section, ...]] = (
        TrainingWatched.run,
        TrainingSetup.training,
        TrainingSetup.audited,
    )

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore``."""
        return training_code(self, spec)
