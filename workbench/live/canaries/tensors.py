"""Canaries in the tensors of a plain PyTorch loop, and what it releases.

PyTorch is imported where these functions are called, by a program that has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.live.canaries.gradients import GradientCanaries
from workbench.live.canary_audit import CanaryAudit

#: Per-example gradients: a list of tensors, or a mapping from names to them.
Gradients = TypeVar("Gradients", list[Any], dict[str, Any])


def insert_tensors(canaries: GradientCanaries, gradients: Gradients) -> Gradients:
    """Per-example gradients of a batch, followed by those of the canaries in it.

    Parameters
    ----------
    canaries : GradientCanaries
    gradients : list or dict of torch.Tensor, each of shape (batch, …)
        Before clipping, in the order of the parameters, as ``vmap(grad(loss))`` of ``torch.func``
        returns them. An empty batch is allowed.

    Returns
    -------
    list or dict of torch.Tensor
        Of the same form, with the same number of further rows in each.

    Raises
    ------
    TypeError
        Something else than tensors.
    ValueError
        Tensors of another total size; twice in one step.
    """
    named = isinstance(gradients, Mapping)
    joined = with_rows(
        canaries, gradients.values() if isinstance(gradients, Mapping) else gradients
    )
    return dict(zip(gradients, joined, strict=True)) if named else joined  # type: ignore[return-value]


def with_rows(canaries: GradientCanaries, tensors: Iterable[Any]) -> list[Any]:
    """Tensors of per-example gradients, with the rows of the canaries of this step."""
    import torch

    need = "wb.live.GradientCanaries"
    _checks.instance(canaries, GradientCanaries, "canaries", need)
    tensors = _checks.each_of(tensors, torch.Tensor, "gradients", "a tensor of PyTorch")
    shapes = [tuple(tensor.shape[1:]) for tensor in tensors]
    sizes = [int(np.prod(shape)) for shape in shapes]
    if sum(sizes) != canaries.size:
        raise ValueError(
            f"the gradients have {sum(sizes)} numbers for each example, and the canaries "
            f"{canaries.size}; give the gradients of all trainable parameters, in their order"
        )
    rows = canaries.draw()
    parts = np.split(rows, np.cumsum(sizes)[:-1], axis=1)
    joined = []
    for tensor, part, shape in zip(tensors, parts, shapes, strict=True):
        own = torch.from_numpy(np.ascontiguousarray(part)).to(tensor).reshape(-1, *shape)
        joined.append(torch.cat([tensor, own]))
    return joined


def flat_gradient(parameters: Iterable[Any]) -> NDArray[Any]:
    """The gradients of parameters in one vector, on the CPU.

    Raises
    ------
    ValueError
        A parameter without gradient.
    """
    parts = []
    for place, parameter in enumerate(parameters):
        if parameter.grad is None:
            raise ValueError(
                f"parameter {place} has no gradient; set .grad to the noisy gradient of every "
                "trainable parameter before optimizer.step()"
            )
        parts.append(parameter.grad.detach().flatten().double().cpu().numpy())
    return np.concatenate(parts)


def watch_torch(optimizer: Any, audit: CanaryAudit) -> Any:
    """Have an audit see what each step of an optimizer releases, in a plain PyTorch loop.

    Just before the optimizer moves the parameters, their ``.grad`` is taken as the noisy gradient
    of the step. The loop inserts the canaries with `insert_tensors`, clips, adds noise, and sets
    ``.grad``. Once the audit is closed, nothing more is taken.

    Parameters
    ----------
    optimizer : torch.optim.Optimizer
    audit : CanaryAudit
        Of `GradientCanaries` for the optimizer's trainable parameters, in their order.

    Returns
    -------
    handle
        Its ``remove()`` ends the watching.

    Raises
    ------
    TypeError
        No optimizer, or no audit of canary gradients.
    """
    import torch

    _checks.instance(optimizer, torch.optim.Optimizer, "optimizer", "an optimizer of PyTorch")
    gradient_canaries(audit)

    def before_step(stepping: Any, *_: Any) -> None:
        if not audit.closed:
            groups = stepping.param_groups
            trained = (p for group in groups for p in group["params"] if p.requires_grad)
            audit.observe(flat_gradient(trained))

    return optimizer.register_step_pre_hook(before_step)


def gradient_canaries(audit: CanaryAudit) -> GradientCanaries:
    """The canary gradients of an audit (TypeError where it has none)."""
    _checks.instance(audit, CanaryAudit, "audit", "a wb.live.CanaryAudit")
    need = "those of wb.live.GradientCanaries"
    return _checks.instance(audit.canaries, GradientCanaries, "the audit's canaries", need)
