"""Scores that are often wanted of a model in training: losses of records, texts' log-probabilities.

Each function returns a function of the model, for `watch_training` and the callbacks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.live.canaries.records import RecordCanaries
from workbench.live.trainers.watch import ModelScore

if TYPE_CHECKING:
    from workbench.onerun.run import OneRun

#: From a model, inputs and targets to a loss of each record.
RecordLoss = Callable[[Any, Any, Any], Any]


def record_losses(
    inputs: Any, targets: Any, loss: RecordLoss | None = None, batch: int = 256
) -> ModelScore:
    """A function from a model of PyTorch to its losses on given records, one for each.

    A loss is smaller for members: give the audit or its canaries ``larger_is_member=False``.

    Parameters
    ----------
    inputs : torch.Tensor, shape (n, …)
        All canaries, also those that are out, in the order of the coins.
    targets : torch.Tensor, shape (n, …)
    loss : callable, optional
        ``loss(model, inputs, targets)`` returns a tensor of shape (batch,). By default the
        cross-entropy of the logits ``model(inputs)``, or of their ``logits`` where the model gives
        an output of transformers.
    batch : int
        Records at once.

    Returns
    -------
    callable
        From the model to an array of shape (n,). Records go to the device of the model.

    Raises
    ------
    TypeError
        Something else than tensors.
    ValueError
        Inputs and targets of different numbers.
    """
    import torch

    given = _checks.each_of((inputs, targets), torch.Tensor, "records", "a tensor of PyTorch")
    if not len(inputs) or len(inputs) != len(targets):
        raise ValueError(
            f"{len(inputs)} inputs and {len(targets)} targets; give one of each for every record"
        )
    size = _checks.count(batch, "batch", least=1)
    of_batch = _cross_entropy if loss is None else _checks.function(loss, "loss", "a function")

    def losses(model: Any) -> Floats:
        device = next((p.device for p in model.parameters()), torch.device("cpu"))
        found = []
        for start in range(0, len(inputs), size):
            x, y = (one[start : start + size].to(device) for one in given)
            values = of_batch(model, x, y)
            if tuple(values.shape) != (len(x),):
                raise ValueError(
                    f"the loss of {len(x)} records has shape {tuple(values.shape)}; it must return "
                    'one number for each, such as cross_entropy(…, reduction="none")'
                )
            found.append(values.detach().double().cpu().numpy())
        return np.concatenate(found)

    return losses


def text_canaries(canaries: Any) -> RecordCanaries:
    """The canaries of `wb.text`, with the coins that were tossed for them, for a `CanaryAudit`.

    Parameters
    ----------
    canaries : wb.text.Canaries
        With ``design="coin"``.

    Returns
    -------
    RecordCanaries
        Its score is larger for members, as that of `text_scores`.

    Raises
    ------
    TypeError
        No canaries of `wb.text`.
    ValueError
        Canaries whose values were drawn, all of which are in: no live audit has bounds for these.
    """
    included = _included(canaries)
    found = RecordCanaries(len(included))
    found.included = included.copy()
    return found


def text_scores(canaries: Any, tokenizer: Any, **options: Any) -> ModelScore:
    """A function from a causal language model to the scores of canary texts.

    Parameters
    ----------
    canaries : wb.text.Canaries
        With ``design="coin"``.
    tokenizer : object
        As `wb.text.causal_model` takes it.
    **options
        As of `wb.text.score`: which score of the log-probabilities.

    Returns
    -------
    callable
        From the model to an array of shape (canaries,), larger for members.

    Raises
    ------
    TypeError, ValueError
        As `text_canaries`.
    """
    _included(canaries)

    def scores(model: Any) -> Floats:
        from workbench.text import causal_model, score

        found = cast("OneRun", score(causal_model(model, tokenizer), canaries, **options))
        return np.asarray(found.scores, dtype=float)

    return scores


def _included(canaries: Any) -> Any:
    if not hasattr(canaries, "texts") or not hasattr(canaries, "included"):
        raise TypeError(
            "canaries must be of wb.text, such as wb.text.new_tokens(…), got "
            f"{_checks.shown(canaries)}"
        )
    if canaries.included is None:
        raise ValueError(
            "these canaries are all in, with values that were drawn, so that no look at membership "
            'is possible; make them with design="coin", or score them after the training with '
            "wb.text.score"
        )
    return np.asarray(canaries.included, dtype=bool)


def _cross_entropy(model: Any, x: Any, y: Any) -> Any:
    from torch.nn.functional import cross_entropy

    found = model(x)
    return cross_entropy(getattr(found, "logits", found), y, reduction="none")
