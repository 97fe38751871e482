"""`lightning_callback`: a live audit as a callback of Lightning's Trainer."""

from __future__ import annotations

import importlib
import math
import sys
from typing import Any

from workbench.live.audit import LiveAudit
from workbench.live.trainers.hugging_face import at_end
from workbench.live.trainers.watch import ModelScore, TrainingWatch, every_of
from workbench.software.extras import MissingPackage

#: The packages that have Lightning; a program uses one of them.
NAMES = ("lightning.pytorch", "pytorch_lightning")


def lightning_callback(
    audit: LiveAudit,
    score: ModelScore,
    *,
    every: str | None = None,
    member: bool | None = None,
    run: int | None = None,
    tracker: Any = None,
) -> Any:
    """A callback of Lightning's Trainer that has an audit see the module.

    ::

        canaries = wb.live.RecordCanaries(1000, larger_is_member=False, seed=7)
        audit = wb.live.CanaryAudit(canaries, steps=10, path="canaries.csv", resume=True)
        trainer = lightning.Trainer(
            max_epochs=10,
            callbacks=[wb.live.lightning_callback(audit, losses_of_canaries, every="epoch")])
        trainer.fit(module, loader)

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
    lightning.pytorch.Callback
        Of the package that the program has imported, "lightning" or "pytorch_lightning". Its
        ``watch`` is the `TrainingWatch`. It changes nothing in the training; in one of several
        processes, the first alone has an audit.

    Raises
    ------
    MissingPackage
        Neither package is installed.
    ValueError
        As `watch_training`; when the training begins, parameters that are split among processes, or
        steps of several optimizers.
    """
    watch = TrainingWatch(audit, score, member, run, tracker)
    return _kind(_bases())(watch, every_of(audit, every))


def _bases() -> tuple[type, ...]:
    """The base classes: of the package that is imported, of both, or of the one that is there."""
    loaded = [sys.modules[name] for name in NAMES if name in sys.modules]
    if not loaded:
        for name in NAMES:
            try:
                loaded = [importlib.import_module(name)]
                break
            except ModuleNotFoundError as error:
                if error.name not in {name, name.partition(".")[0]}:
                    raise
    if not loaded:
        raise MissingPackage(
            "wb.live.lightning_callback needs lightning, which is not installed; "
            "run: pip install lightning",
            name="lightning",
        )
    return tuple(module.Callback for module in loaded)


def _kind(bases: tuple[type, ...]) -> Any:
    """The callback as a subclass of the one that the trainer knows."""

    class WorkbenchCallback(*bases):  # type: ignore[misc]
        """A live audit, for ``Trainer(callbacks=[…])``."""

        def __init__(self, watch: TrainingWatch, every: str):
            self.watch, self.every = watch, every

        def on_train_start(self, trainer: Any, pl_module: Any) -> None:
            """Compute the scores once."""
            if trainer.is_global_zero:
                _require_whole(trainer, self.every)
                self.watch.begin(pl_module, _steps(trainer, self.every))

        def on_train_batch_end(
            self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
        ) -> None:
            """A batch, after which the optimizer may have made a step."""
            if self.every == "step" and trainer.is_global_zero and trainer.global_step:
                self.watch.step(pl_module, trainer.global_step)

        def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            """An epoch."""
            if self.every == "epoch" and trainer.is_global_zero:
                self.watch.step(pl_module, trainer.current_epoch + 1)

        def on_train_end(self, trainer: Any, pl_module: Any) -> None:
            """The whole training."""
            if trainer.is_global_zero:
                at_end(self.watch, self.every, pl_module)

    return WorkbenchCallback


def _steps(trainer: Any, every: str) -> int | None:
    """How many steps the audit will see; None if the trainer does not know."""
    if every == "training":
        return None
    known = trainer.max_epochs if every == "epoch" else trainer.estimated_stepping_batches
    return int(known) if known and 0 < known < math.inf else None


def _require_whole(trainer: Any, every: str) -> None:
    """Refuse trainings that the first process, or the count of steps, does not describe."""
    strategy = type(trainer.strategy).__name__
    if any(split in strategy for split in ("FSDP", "DeepSpeed", "ModelParallel")):
        raise ValueError(
            f"with {strategy} no process has the whole model, so the first one cannot score it "
            "alone; leave the callback out, gather the model, and call watch.step(model) of "
            "wb.live.watch_training"
        )
    if every == "step" and len(trainer.optimizers) > 1:
        raise ValueError(
            f"Lightning counts the steps of all {len(trainer.optimizers)} optimizers together, so "
            'looks would fall between; give every="epoch", or call watch.step(model) yourself'
        )
