"""`LossScore`: the score of a record, a loss of the final model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.training.dp_sgd.data import LabeledData
from workbench.training.dp_sgd.dp_sgd import Model
from workbench.training.dp_sgd.network import LOSSES, Network


@dataclass(frozen=True)
class LossScore:
    """The score of a record, a loss of the final model; smaller is member-like.

    Parameters
    ----------
    loss : {"cross-entropy", "squared-error"}, optional
        By default the loss that the network is trained with.
    minus_initial : bool
        Whether the loss of the initial model is subtracted, which takes out how difficult a record
        is for a model that has not seen it.

    Raises
    ------
    ValueError
        Another loss.
    """

    loss: str | None = None
    minus_initial: bool = False

    def __post_init__(self) -> None:
        if self.loss is not None:
            _checks.one_of(self.loss, "loss", LOSSES)
        flag = _checks.flag(self.minus_initial, "minus_initial")
        object.__setattr__(self, "minus_initial", flag)

    @_checks.arguments
    def of(self, network: Network, model: Model, records: LabeledData) -> NDArray[np.float64]:
        """Scores of records, shape (records,)."""
        score = network.losses(model.final, records, self.loss).astype(np.float64)
        if self.minus_initial:
            score -= network.losses(model.initial, records, self.loss)
        return score


#: The loss of the final model, and what training changed it by.
FINAL_LOSS, LOSS_CHANGE = LossScore(), LossScore(minus_initial=True)
