"""`undisturbed`: a model is scored, and the training goes on as if it had not been."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np


@contextmanager
def undisturbed(model: Any) -> Iterator[None]:
    """A context in which a model is evaluated, without gradients; afterwards all is as before.

    Put back are the global random numbers of Python, NumPy and PyTorch on all devices, for each
    module whether it trains, for each parameter its gradient and whether it needs one. PyTorch is
    asked only where the program has imported it. What a score changes by itself, such as the
    values of parameters, is not undone.

    Parameters
    ----------
    model : object
        A ``torch.nn.Module``, or any other object, of which nothing is touched.
    """
    torch = sys.modules.get("torch")
    with ExitStack() as after:
        after.callback(random.setstate, random.getstate())
        after.callback(np.random.set_state, np.random.get_state())  # noqa: NPY002  (theirs)
        if torch is not None:
            _keep_random_numbers(torch, after)
            if isinstance(model, torch.nn.Module):
                _keep_module(model, after)
                model.eval()
            after.enter_context(torch.no_grad())
        yield


def _keep_random_numbers(torch: Any, after: ExitStack) -> None:
    after.callback(torch.set_rng_state, torch.get_rng_state())
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        after.callback(torch.cuda.set_rng_state_all, torch.cuda.get_rng_state_all())
    if torch.backends.mps.is_available():
        after.callback(torch.mps.set_rng_state, torch.mps.get_rng_state())


def _keep_module(model: Any, after: ExitStack) -> None:
    # Not by model.train(), which would also switch parts that are frozen in evaluation.
    modes = [(module, module.training) for module in model.modules()]
    parameters = [(p, p.grad, p.requires_grad) for p in model.parameters()]
    after.callback(_put_back, modes, parameters)
    for parameter, *_ in parameters:
        parameter.grad = None  # a score that calls backward() adds to no gradient of the training


def _put_back(modes: list[tuple[Any, bool]], parameters: list[tuple[Any, Any, bool]]) -> None:
    for module, training in modes:
        module.training = training
    for parameter, gradient, needed in parameters:
        parameter.requires_grad_(needed)
        parameter.grad = gradient
