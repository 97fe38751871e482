"""Canaries in an optimizer of Opacus, and what it releases.

An optimizer of Opacus clips the per-example gradients in ``p.grad_sample``, sums them, adds noise,
divides by the expected batch size, and calls its step hook with the noisy gradient in ``p.grad``.
Canaries are appended to ``p.grad_sample`` when clipping begins. So they are clipped, summed and
noised by the code that is audited, whatever mistakes it has, and do not pass the model. Of a batch
that Opacus splits to save memory, they go into the first part.

Opacus is imported where these functions are called, by a program that has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from workbench import _checks
from workbench.live.canaries.gradients import GradientCanaries
from workbench.live.canaries.tensors import flat_gradient, gradient_canaries, with_rows
from workbench.live.canary_audit import CanaryAudit


def opacus_canaries(
    optimizer: Any,
    count: int,
    sample_rate: float,
    kind: str = "dirac",
    seed: int | np.random.Generator = 0,
) -> GradientCanaries:
    """Canary gradients for an optimizer of Opacus, with its clipping norm, noise and batch size.

    Parameters
    ----------
    optimizer : opacus.optimizers.DPOptimizer
        As ``PrivacyEngine.make_private`` returns it.
    count : int
        Number of canaries.
    sample_rate : float
        Probability that a record is in a batch: the inverse of the number of batches in an epoch.
    kind : {"dirac", "random"}
        As the class methods of `GradientCanaries`.
    seed : int or numpy.random.Generator
        Of the canaries alone.

    Raises
    ------
    TypeError, ValueError
        As `watch_opacus`; an argument out of range.
    """
    _require_known(optimizer)
    _checks.one_of(kind, "kind", ("dirac", "random"))
    made = GradientCanaries.dirac if kind == "dirac" else GradientCanaries.random
    return made(
        count,
        sum(p.numel() for p in optimizer.params),
        sample_rate=sample_rate,
        noise_multiplier=optimizer.noise_multiplier,
        clip=optimizer.max_grad_norm,
        divisor=_divisor(optimizer, 1),
        seed=seed,
    )


def watch_opacus(optimizer: Any, audit: CanaryAudit) -> OpacusWatch:
    """Insert canaries into each step of an optimizer of Opacus, and have an audit see its releases.

    The loop stays as it is::

        model, optimizer, loader = engine.make_private(...)
        canaries = wb.live.opacus_canaries(optimizer, 1000, sample_rate=1 / len(loader), seed=7)
        audit = wb.live.CanaryAudit(canaries, steps=epochs * len(loader), delta=1e-5)
        wb.live.watch_opacus(optimizer, audit)
        audit.show()

    The step hook of the accountant stays in place. Once the audit is closed, the optimizer works as
    if it had never been watched.

    Parameters
    ----------
    optimizer : opacus.optimizers.DPOptimizer
        As ``PrivacyEngine.make_private`` returns it; with flat, per-layer or adaptive clipping.
    audit : CanaryAudit
        Of `opacus_canaries`.

    Returns
    -------
    OpacusWatch
        Its ``remove()`` ends the watching.

    Raises
    ------
    TypeError
        An optimizer of another kind, or no audit of canary gradients.
    ValueError
        Ghost clipping, which has no per-example gradients; a distributed optimizer; canaries of
        another size.
    """
    _require_known(optimizer)
    canaries = gradient_canaries(audit)
    size = sum(p.numel() for p in optimizer.params)
    if size != canaries.size:
        raise ValueError(
            f"the optimizer has {size} trainable parameters, and the canaries {canaries.size}; "
            "make them with wb.live.opacus_canaries(optimizer, …)"
        )
    return OpacusWatch(optimizer, audit, canaries)


class OpacusWatch:
    """What stands between an optimizer of Opacus and an audit; made by `watch_opacus`.

    Parameters
    ----------
    optimizer : opacus.optimizers.DPOptimizer
    audit : CanaryAudit
    canaries : GradientCanaries
        Of the audit.
    """

    def __init__(self, optimizer: Any, audit: CanaryAudit, canaries: GradientCanaries):
        self._optimizer, self._audit, self._canaries = optimizer, audit, canaries
        self._clip: Callable[[], None] = optimizer.clip_and_accumulate
        self._hook: Callable[[Any], None] | None = optimizer.step_hook
        # Opacus has a hook behind the noise and none before clipping.
        optimizer.clip_and_accumulate = self._insert_and_clip
        optimizer.attach_step_hook(self._released)

    def remove(self) -> None:
        """End the watching."""
        self._optimizer.clip_and_accumulate = self._clip
        self._optimizer.attach_step_hook(self._hook)

    def _insert_and_clip(self) -> None:
        if not (self._audit.closed or self._canaries.inserted):
            self._insert()
        self._clip()

    def _insert(self) -> None:
        parameters = self._optimizer.params
        last = [_last(p) for p in parameters]
        for p, before, joined in zip(
            parameters, last, with_rows(self._canaries, last), strict=True
        ):
            # Opacus marks gradients that were used, as attributes of the tensor.
            vars(joined).update(vars(before))
            if isinstance(p.grad_sample, list):
                p.grad_sample[-1] = joined
            else:
                p.grad_sample = joined

    def _released(self, optimizer: Any) -> None:
        if self._hook is not None:
            self._hook(optimizer)
        if not self._audit.closed and self._canaries.inserted:
            divisor = _divisor(optimizer, optimizer.accumulated_iterations)
            self._audit.observe(flat_gradient(optimizer.params), divisor=divisor)


def _last(parameter: Any) -> Any:
    """Its per-example gradients, of the last batch where several are gathered."""
    found = getattr(parameter, "grad_sample", None)
    if isinstance(found, list) and found:
        found = found[-1]
    if found is None:
        raise ValueError(
            "a parameter has no per-example gradients; call loss.backward() of the model that "
            "make_private returned, and freeze parameters that are not trained"
        )
    return found


def _divisor(optimizer: Any, batches: int) -> float:
    """What the noisy sum is divided by."""
    if optimizer.loss_reduction == "sum":
        return 1.0
    return float(optimizer.expected_batch_size * batches)


def _require_known(optimizer: Any) -> None:
    from opacus.optimizers import (
        DistributedDPOptimizer,
        DPOptimizer,
        DPOptimizerFastGradientClipping,
    )

    need = "an opacus.optimizers.DPOptimizer, as PrivacyEngine.make_private returns it"
    _checks.instance(optimizer, DPOptimizer, "optimizer", need)
    if isinstance(optimizer, DPOptimizerFastGradientClipping):
        raise ValueError(
            "ghost clipping has no per-example gradients to which canaries could be appended; "
            "call make_private with grad_sample_mode='hooks' for the audit, or insert canary "
            "records with wb.live.RecordCanaries"
        )
    if isinstance(optimizer, DistributedDPOptimizer):
        raise ValueError(
            "a distributed optimizer has a part of each batch in every process; audit one process"
        )
