"""`hugging_face_callback`: a live audit as a callback of the Trainer of transformers."""

from __future__ import annotations

import importlib
import math
from types import ModuleType
from typing import Any

from workbench.live.audit import LiveAudit
from workbench.live.canary_audit import CanaryAudit
from workbench.live.trainers.watch import ModelScore, TrainingWatch, every_of
from workbench.software.extras import MissingPackage


def hugging_face_callback(
    audit: LiveAudit,
    score: ModelScore,
    *,
    every: str | None = None,
    member: bool | None = None,
    run: int | None = None,
    tracker: Any = None,
) -> Any:
    """A callback of Hugging Face's Trainer that has an audit see the model.

    ::

        canaries = wb.live.RecordCanaries(1000, larger_is_member=False, seed=7)
        audit = wb.live.CanaryAudit(canaries, steps=3000, path="canaries.csv", resume=True)
        trainer = transformers.Trainer(
            ..., callbacks=[wb.live.hugging_face_callback(audit, losses_of_canaries)])
        trainer.train()

    Parameters
    ----------
    audit : CanaryAudit or Audit
        A `CanaryAudit` of `RecordCanaries`, whose ``steps`` count what ``every`` says, or an
        `Audit` of runs.
    score, member, run, tracker
        As of `watch_training`.
    every : {"step", "epoch", "training"}, optional
        What a step of the audit is: of the optimizer, the default; an epoch; or the whole training,
        with ``steps=1``. An `Audit` takes one score at the end of the training.

    Returns
    -------
    transformers.TrainerCallback
        Its ``watch`` is the `TrainingWatch`. It changes nothing in the training; in one of several
        processes, the first alone has an audit.

    Raises
    ------
    MissingPackage
        The package transformers is not installed.
    ValueError
        As `watch_training`; when the training begins, parameters that are split among processes.
    """
    watch = TrainingWatch(audit, score, member, run, tracker)
    kind = _kind(_transformers().TrainerCallback)
    return kind(watch, every_of(audit, every))


def _transformers() -> ModuleType:
    try:
        return importlib.import_module("transformers")
    except ModuleNotFoundError as error:
        if error.name != "transformers":
            raise
        raise MissingPackage(
            "wb.live.hugging_face_callback needs transformers, which is not installed; "
            "run: pip install 'transformers[torch]'",
            name="transformers",
        ) from None


def _kind(base: type) -> Any:
    """The callback as a subclass of the one that the trainer knows."""

    class WorkbenchCallback(base):
        """A live audit, for ``Trainer(callbacks=[…])``."""

        def __init__(self, watch: TrainingWatch, every: str):
            self.watch, self.every = watch, every

        def on_train_begin(self, args: Any, state: Any, control: Any, **of: Any) -> None:
            """Compute the scores once."""
            if state.is_world_process_zero:
                _require_whole(args)
                self.watch.begin(of["model"], _steps(state, self.every))

        def on_step_end(self, args: Any, state: Any, control: Any, **of: Any) -> None:
            """A step of the optimizer."""
            if self.every == "step" and state.is_world_process_zero:
                self.watch.step(of["model"], state.global_step)

        def on_epoch_end(self, args: Any, state: Any, control: Any, **of: Any) -> None:
            """An epoch, or what was made of it."""
            if self.every == "epoch" and state.is_world_process_zero:
                self.watch.step(of["model"], max(math.ceil(round(state.epoch, 6)), 1))

        def on_train_end(self, args: Any, state: Any, control: Any, **of: Any) -> None:
            """The whole training."""
            if state.is_world_process_zero:
                at_end(self.watch, self.every, of["model"])

    return WorkbenchCallback


def at_end(watch: TrainingWatch, every: str, model: Any) -> None:
    """The end of a training, for either kind of audit.

    Parameters
    ----------
    watch : TrainingWatch
    every : {"step", "epoch", "training"}
    model : object
    """
    if every == "training" and isinstance(watch.audit, CanaryAudit):
        watch.step(model)
    watch.end(model)


def _steps(state: Any, every: str) -> int | None:
    """How many steps the audit will see."""
    known = {"step": state.max_steps, "epoch": state.num_train_epochs, "training": None}[every]
    return int(known) if known and known > 0 else None


def _require_whole(args: Any) -> None:
    """Refuse trainings in which no process has the whole model."""
    deepspeed = getattr(args, "deepspeed", None)
    if deepspeed or getattr(args, "fsdp", None):
        raise ValueError(
            "with FSDP or DeepSpeed no process has the whole model, so the first one cannot score "
            "it alone; leave the callback out, gather the model, and call watch.step(model) of "
            "wb.live.watch_training"
        )
