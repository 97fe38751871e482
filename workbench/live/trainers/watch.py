"""`TrainingWatch`: between a training loop and a live audit; its callbacks are made of it.

What a loop may rely on:

- A step without a look costs about a microsecond; scores are computed at looks only.
- The training is not changed: see `workbench.live.trainers.undisturbed`.
- A step that was seen is not seen again, when a training resumes from a checkpoint before it.
- Scores are computed once before the training, and forgotten: what is wrong with them comes out
  while nothing is lost.
- Afterwards, a look that fails is lost, with its share of the error budget, and the training goes
  on: the failure is logged with its traceback, and a note of the audit says so. The score of a run
  of `wb.live.Audit` cannot be left out, so its failure is raised.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, get_args

from workbench import _checks
from workbench.live.audit import LiveAudit
from workbench.live.canaries.records import RecordCanaries
from workbench.live.canary_audit import CanaryAudit
from workbench.live.run_audit import RunAudit
from workbench.live.trainers.undisturbed import undisturbed

log = logging.getLogger(__name__)

#: From a model to the scores of all canaries, or to the score of one run.
ModelScore: TypeAlias = Callable[[Any], Any]

#: What a step of the audit is.
Every = Literal["step", "epoch", "training"]


class TrainingWatch:
    """What a training loop calls after each step, and what has an audit see the model then.

    Made by `watch_training`, `hugging_face_callback` and `lightning_callback`.

    Parameters
    ----------
    audit : CanaryAudit or Audit
    score : callable
    member : bool, optional
    run : int, optional
    tracker : object, optional
    """

    def __init__(
        self,
        audit: LiveAudit,
        score: ModelScore,
        member: bool | None = None,
        run: int | None = None,
        tracker: Any = None,
    ):
        need = "a wb.live.CanaryAudit or wb.live.Audit"
        self.audit = _checks.instance(audit, LiveAudit, "audit", need)
        self.score = _checks.function(score, "score", "a function of a model")
        self._canaries = audit if isinstance(audit, CanaryAudit) else None
        self._runs = audit if isinstance(audit, RunAudit) else None
        if self._canaries is not None:
            self._records = _records_of(self._canaries)
            if member is not None or run is not None:
                raise ValueError(
                    f"member and run belong to wb.live.Audit, got member={member!r}, run={run!r}; "
                    "the canaries of a wb.live.CanaryAudit know which are in"
                )
        elif member is None:
            raise ValueError(
                "a wb.live.Audit needs to know whether the record is in this training; give "
                "member=True or member=False"
            )
        self.member = None if member is None else _checks.flag(member, "member")
        self.run = None if run is None else _checks.count(run, "run")
        self.tracker = tracker
        self._rehearsed = self._ended = False
        #: The next step with a look; 0 until that is known.
        self._look = 0.0

    # -- what a loop calls -------------------------------------------------------------------------

    def begin(self, model: Any, steps: int | None = None) -> None:
        """Compute the scores once, so that what is wrong with them comes out now.

        Called by `step` and `end` where the loop did not.

        Parameters
        ----------
        model : object
            As the score takes it.
        steps : int, optional
            How many steps the training will have, where that is known.

        Raises
        ------
        ValueError
            Scores of another number, or NaN; what the score raises is raised as it is.
        """
        if self.tracker is not None:
            from workbench.trackers.recognizing import run_of

            run_of(self.tracker)
        with undisturbed(model):
            found = self.score(model)
        if self._canaries is not None:
            self._records.require(found)
            planned = self._canaries.looks.steps
            if steps is not None and planned is not None and planned != steps:
                log.warning(
                    "the audit plans its looks for %d steps, and the training makes %d; the look "
                    "at the planned end has half of the error budget: give steps=%d",
                    *(planned, steps, steps),
                )
        else:
            _checks.number_or_infinite(_one(found), "the score of the run")
        self._rehearsed = True

    def step(self, model: Any, number: int | None = None) -> None:
        """Have the audit see the model after a step.

        Parameters
        ----------
        model : object
            As the score takes it.
        number : int, optional
            How many steps were made in all, counted from 1; one more than before by default. Give
            it where a training resumes: a step that was seen is not seen again.

        Raises
        ------
        ValueError
            Before the first step only; see `begin`. A `wb.live.Audit`, whose runs have one score
            each, at their end.
        """
        audit = self._canaries
        if audit is None:
            raise ValueError(
                "a wb.live.Audit takes one score of each training, at its end; call end(model) "
                "there, or watch a wb.live.CanaryAudit"
            )
        made = audit.step + 1 if number is None else number
        if type(made) is int and audit.step < made < self._look:
            audit.passed(made)  # nearly every step of a training
        elif not audit.closed and _checks.count(made, "number", least=1) > audit.step:
            self._see(audit, model, made)
            self._look = audit.looks.next_after(audit.step)

    def end(self, model: Any) -> None:
        """The training has ended: a `wb.live.Audit` takes the score of this run.

        What waits for a tracker is sent.

        Parameters
        ----------
        model : object
            As the score takes it.

        Raises
        ------
        ValueError, OSError
            The score cannot be taken. Runs that are left out would void the bounds, so training no
            further ones is right.
        """
        audit = self._runs
        if audit is not None and not (self._ended or audit.closed):
            self._end_of_run(audit, model)
        if self.tracker is not None:
            self._flush()

    # -- inside ------------------------------------------------------------------------------------

    def _see(self, audit: CanaryAudit, model: Any, made: int) -> None:
        if not self._rehearsed:
            self.begin(model)
        if made > audit.step + 1:
            audit.skip(made - 1)
        before = audit.last_look
        try:
            audit.observe(lambda: self._scores(model))
        except Exception as error:
            self._lost(audit, made, error)
        if self.tracker is not None and audit.last_look != before:
            self._track(made)

    def _scores(self, model: Any) -> Any:
        with undisturbed(model):
            return self.score(model)

    def _end_of_run(self, audit: RunAudit, model: Any) -> None:
        if self.run is not None and self.run < audit.runs:
            return  # a training that resumed after its end
        value = _one(self._scores(model))
        audit.add(value, bool(self.member), self.run)
        self._ended = True
        if self.tracker is not None:
            self._track(audit.runs)

    def _lost(self, audit: CanaryAudit, made: int, error: Exception) -> None:
        """A look failed: say so, and let the training go on."""
        words = f"{type(error).__name__}: {error}".splitlines()[0]
        if audit.step < made:
            audit.skip(made, words)
            log.exception("a look of a live audit is lost, and the training goes on")
        else:  # the look was made, and could not be written
            log.exception("a look of a live audit could not be written, and the training goes on")

    def _track(self, step: int) -> None:
        from workbench.trackers.log import log as log_to

        try:
            log_to(self.audit, self.tracker, step=step)
        except Exception:  # the bound is in the audit, and in its file
            log.exception("a look of a live audit could not be given to the tracker")

    def _flush(self) -> None:
        from workbench.trackers.log import flush

        try:
            flush(self.tracker)
        except Exception:
            log.exception("what waits for the tracker of a live audit could not be sent")


def watch_training(
    audit: LiveAudit,
    score: ModelScore,
    *,
    member: bool | None = None,
    run: int | None = None,
    tracker: Any = None,
) -> TrainingWatch:
    """A watch for a training loop of your own, which calls it after each step.

    ::

        watch = wb.live.watch_training(audit, score)
        for batch in loader:
            train(model, batch)
            watch.step(model)

    Parameters
    ----------
    audit : CanaryAudit or Audit
        A `CanaryAudit` of `RecordCanaries` looks at the model at planned steps, whatever a step of
        the loop is: of the optimizer, or an epoch. An `Audit` takes one score at ``end(model)``.
    score : callable
        From the model to the scores of all canaries, or to the score of the run; called at looks
        only, in evaluation mode and without gradients. `record_losses` and `text_scores` make one.
    member : bool, optional
        Of an `Audit`: whether the record is in this training.
    run : int, optional
        Of an `Audit`: the number of the run, from 0, where a training may resume after its end.
    tracker : object, optional
        A run of MLflow or Weights & Biases, which each look is logged to: see `wb.trackers.log`.

    Returns
    -------
    TrainingWatch

    Raises
    ------
    TypeError, ValueError
        An audit of canary gradients, which `watch_torch` and `watch_opacus` watch; ``member`` with
        the wrong kind of audit.

    Examples
    --------
    >>> canaries = wb.live.RecordCanaries(100, seed=0)
    >>> audit = wb.live.CanaryAudit(canaries, steps=4)
    >>> watch = wb.live.watch_training(audit, lambda model: model * canaries.included)
    >>> for step in range(4):
    ...     watch.step(float(step))
    >>> audit.step, audit.bound.value > 0
    (4, True)
    """
    return TrainingWatch(audit, score, member, run, tracker)


def every_of(audit: LiveAudit, every: str | None) -> str:
    """What a step of the audit is in a trainer; the end of the training for an audit of runs.

    Parameters
    ----------
    audit : LiveAudit
    every : {"step", "epoch", "training"}, optional
    """
    of_runs = isinstance(audit, RunAudit)
    if every is None:
        return "training" if of_runs else "step"
    _checks.one_of(every, "every", get_args(Every))
    if of_runs and every != "training":
        raise ValueError(
            f"a wb.live.Audit takes one score at the end of each training, got every={every!r}; "
            "leave it out, or give a wb.live.CanaryAudit"
        )
    return every


def _records_of(audit: CanaryAudit) -> RecordCanaries:
    if not isinstance(audit.canaries, RecordCanaries):
        raise ValueError(
            "canary gradients are scored by what each step releases, and not by the model; use "
            "wb.live.watch_opacus or wb.live.watch_torch, or wb.live.RecordCanaries"
        )
    return audit.canaries


def _one(found: Any) -> float:
    """The score of a run: a number, or an array or tensor of one."""
    item = getattr(found, "item", None)
    return _checks.real(item() if callable(item) else found, "the score of the run")
