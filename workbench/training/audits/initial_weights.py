"""`InitialWeights`: what the models of an audit start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench import _checks
from workbench.training.dp_sgd.data import LabeledData
from workbench.training.dp_sgd.dp_sgd import DPSGDSettings
from workbench.training.dp_sgd.network import Vector

INITIAL = ("random", "fixed", "pretrained")


@dataclass(frozen=True)
class InitialWeights:
    """What the models of an audit start from.

    Parameters
    ----------
    kind : {"random", "fixed", "pretrained"}
        New random weights for each model; the same random weights for all; or weights that were
        trained without noise on the data without the audited record, until the gradients of those
        records are small. An adversary may choose the weights, and the last is the worst case known
        for an auditor of the final model (Annamalai and De Cristofaro, 2024).
    seed : int
        Of the weights that all models share.
    steps : int
        Of the pretraining, by Adam on all records at once with a learning rate of 0.01.

    Raises
    ------
    ValueError
        Another kind, or numbers outside their range.
    """

    kind: str = "random"
    seed: int = 0
    steps: int = 300

    def __post_init__(self) -> None:
        _checks.one_of(self.kind, "kind", INITIAL)
        object.__setattr__(self, "seed", _checks.count(self.seed, "seed"))
        object.__setattr__(self, "steps", _checks.count(self.steps, "steps", least=1))

    @_checks.arguments
    def theta(self, settings: DPSGDSettings, others: LabeledData) -> Vector | None:
        """The parameters that all models start from; None where each has its own.

        Parameters
        ----------
        settings : DPSGDSettings
        others : LabeledData
            Without the audited record, so that the parameters do not depend on whether it is in.
        """
        if self.kind == "random":
            return None
        rng = np.random.default_rng(self.seed)
        if self.kind == "fixed" or not others.size:
            return settings.network.initial(rng)
        pretraining = DPSGDSettings(
            settings.network,
            steps=self.steps,
            sample_rate=1,
            noise_multiplier=0,
            expected_batch=others.size,
            clip=np.inf,
            learning_rate=0.01,
        )
        return pretraining.train(others, rng).final
