"""`TrainingWatched`: the training, which may be watched and stopped, and where its result goes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import param

from workbench.onerun.run import OneRun
from workbench.pages.core.jobs import Shown, job
from workbench.pages.core.page import Control, Page, Section, derived
from workbench.pages.core.part import Part
from workbench.pages.core.stored import first_result
from workbench.pages.training.setup import AUDITED, BUG, TRAINING
from workbench.pages.training.shown import ShownResult, shown
from workbench.pages.training.words import described
from workbench.progress import Report
from workbench.scores.ordered import oriented
from workbench.scores.sample import Scores, ScoresError
from workbench.tables.table import ScoreTable
from workbench.training.audits.rows import Rows
from workbench.training.runs.gallery import GalleryRun, gallery
from workbench.training.runs.plan import TrainingPlan
from workbench.training.runs.run import TrainingRun, run_training_audit
from workbench.training.runs.trained_models import TrainedModels
from workbench.workspaces.content import table_of_scores
from workbench.workspaces.seen.identity import named
from workbench.workspaces.seen.memory import Sight
from workbench.workspaces.sources import reading_of
from workbench.workspaces.trained.source import STOPPED, TrainedSource

#: Settings of a training; the others are of bounds, which a training does not need.
ASKED = (*BUG, *TRAINING, *AUDITED)

#: Digits of stored scores.
DIGITS = 9


class TrainingWatched(Part):
    """The training, the run in view, and where its result goes."""

    trained = param.Parameter(precedence=-1, doc="A `TrainingRun`, or a `GalleryRun`.")
    seen = param.Parameter((), precedence=-1, doc="Audit and seed of the runs that were seen.")
    finished = param.Selector(
        default="",
        objects={"none": "", **{run.title: run.name for run in gallery()}},
        label="Finished run",
        doc="Runs that come with the package, each with its plan and seed. Training replaces the "
        "one in view.",
    )
    open_result = param.Event(
        label="Open the result",
        doc="Adds the scores as a data set, with what was trained and the seed, and opens the page "
        "that shows them in full. Scores of a training that was stopped are marked there: bounds "
        "for a number of models that is fixed in advance are not valid for them.",
    )

    run: ClassVar[Section] = Section(
        "Run",
        (
            Control("bug"),
            Control("shown_by", when=lambda page: page.bug != "none"),
            Control("corrected", when=lambda page: not page.setup.own),
            Control("noise_scale", when=lambda page: page.setup.own and page.bug == "scaled-noise"),
            Control("train"),
            Control("finished"),
            Control("open_result", when=lambda page: page.result() is not None),
        ),
    )

    def start(self, given: frozenset[str]) -> None:
        """Show the run given, or the stored one of the first settings."""
        page = self.page
        self._before = Shown(None)
        page.param.watch(self._saw, "trained")
        page.param.watch(self._open_result, "open_result")
        page.param.watch(self._open_finished, "finished")
        if (stored := first_result(page, "train", "training")) is not None:
            page.work.show_stored("train", run_of(page, stored))
        if page.given is not None:
            self.take(page.given)

    @job("Train", needs=ASKED, into="trained")
    def train(self, report: Report) -> TrainingRun:
        """Trains the models. Press again to stop: the anytime bound stays valid."""
        report(0.0, "Starting the processes …")
        return run_training_audit(self.page.setup.audit(), self.page.seed, report=report)

    # -- what was trained --------------------------------------------------------------------------

    def shows_results(self) -> bool:
        """Whether there are scores in view, because of which a choice may be made."""
        return self.trained is not None

    def sights(self) -> tuple[Sight, ...]:
        """The run in view, which is known by its settings and its seed."""
        if self.trained is None:
            return ()
        run = _audited(self.trained), self.trained.seed
        return (Sight(named(f"run {run}"), kept="passing"),)

    @derived(needs=("trained",))
    def result(self) -> ShownResult | None:
        """What the scores so far are; None while there are too few."""
        if self.trained is None:
            return None
        try:
            return shown(self.trained.result)
        except ScoresError:
            return None

    @derived(needs=("trained", "seen"))
    def run_number(self) -> int:
        """Which run of its audit, with other seeds before, the run in view is; 0 without a run."""
        if self.trained is None:
            return 0
        mine = _audited(self.trained)
        seeds = [seed for audit, seed in self.seen if audit == mine]
        return seeds.index(self.trained.seed) + 1

    def _saw(self, *events: Any) -> None:
        """Note the run, of which more models may come, and take its marks."""
        if self.trained is None:
            return
        if not isinstance(self.trained, GalleryRun):
            self.page.set_quietly(finished="")
        run = _audited(self.trained), self.trained.seed
        if run not in self.seen:
            self.seen = (*self.seen, run)
        self.page.validity.recall(arriving=True)

    def take(self, run: TrainingRun | GalleryRun) -> None:
        """Take a run into view that was not trained here."""
        _ = run.result  # a ValueError here leaves the page as it was
        self.page.work.show("train", Shown(run))

    def _open_finished(self, event: Any) -> None:
        """Take the chosen run of the gallery into view; without one, what was there before."""
        if self.page.quiet:
            return
        if not event.old:
            self._before = self.page.work.shown("train")
        if not self.finished:
            self.page.work.show("train", self._before)
            return
        try:
            self.take(GalleryRun(self.finished))
        except ValueError as error:
            self.page.set_quietly(finished="")
            self.page.message = str(error)

    # -- where it goes -----------------------------------------------------------------------------

    def _open_result(self, *events: Any) -> None:
        """Add the result as a data set, and go to the page that shows it."""
        result, run = self.result(), self.trained
        if result is None:
            return
        name = f"{run.audit.name}, {run.models:,} model{'s' * (run.models != 1)}"
        try:
            if isinstance(result.result, Scores):
                self._add_scores(run, result.result, name)
            elif isinstance(result.result, ScoreTable):
                added = self.page.workspace.add_table(result.result, name)
                self.page.workspace.active.choose(added.key)
            else:
                self._bring_canaries(result.result, name)
        except ValueError as error:
            self.page.message = str(error)
        else:
            self.page.goes_to = result.page

    def _add_scores(self, run: TrainingRun | GalleryRun, scores: Scores, name: str) -> None:
        """Add scores; those of a training that was stopped say so."""
        source = TrainedSource(
            described(run.audit),
            {**run.audit.parameters, "models": run.models},
            run.seed,
            run.audit.models,
        )
        reread = "" if run.complete else STOPPED
        table = table_of_scores(scores)
        added = self.page.workspace.kept.bring((table,), source, reading_of(scores), name, reread)
        self.page.workspace.active.choose(added.key)

    def _bring_canaries(self, run: OneRun, name: str) -> None:
        """Bring the canaries to the page One run as a file; larger scores indicate inclusion."""
        frame = run.to_frame().assign(score=oriented(run.scores, run.larger_is_member))
        content, file = frame.to_csv(index=False).encode(), f"{name}.csv"
        digest = self.page.workspace.files.keep(file, content)
        self.page.goes_with = {"source": "My file", "upload": [[file, len(content), digest]]}


def stored_of(run: TrainingRun) -> dict[str, Any]:
    """The rows of a run as JSON values."""
    rows = run.rows
    return {
        "model": rows.model.tolist(),
        "subject": rows.subject.tolist(),
        "included": rows.included.astype(int).tolist(),
        "score": [float(f"{score:.{DIGITS}g}") for score in rows.score],
    }


def run_of(page: Page, stored: dict[str, Any]) -> TrainingRun:
    """The run of `stored_of`, of the audit and the seed of a page."""
    rows = Rows(
        np.array(stored["model"], dtype=np.int64),
        np.array(stored["subject"], dtype=np.int64),
        np.array(stored["included"], dtype=bool),
        np.array(stored["score"], dtype=float),
    )
    plan = TrainingPlan(page.setup.audit(), page.seed)
    return TrainingRun(plan, TrainedModels(np.unique(rows.model), rows))


def _audited(run: TrainingRun | GalleryRun) -> str:
    """Names the audit of a run, whatever its number of models and its seed."""
    return str({**run.audit.parameters, "models": 0})
