"""A Bayesian optimizer of the field in the place of ours: Gaussian processes of optuna.

The paper searches by Vizier. Its release 0.1.24 pins an equinox that JAX of 2026 does not load;
with JAX 0.4.35 it took 7 s of CPU for a proposal, where optuna and ours take 0.1 s. So optuna's
`GPSampler` stands for the field: it describes a pair of datasets by the same few numbers as ours,
draws its first ten by itself, and sees the same predictions.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.testers.finders.bandit import BanditFinder
from workbench.testers.finders.base import FinishedTrial
from workbench.testers.finders.neighbors import Neighbors

MISSING = "not run: optuna is not installed (pip install optuna torch)"
#: What a trial counts for that was lost or showed nothing.
NOTHING = -1.0


def installed() -> bool:
    """Whether optuna and PyTorch, which its Gaussian processes need, are there."""
    return all(importlib.util.find_spec(name) is not None for name in ("optuna", "torch"))


class OptunaFinder(BanditFinder):
    """Proposes what optuna's Gaussian process suggests, one pair after another.

    Parameters
    ----------
    neighboring_relation : {"add-remove", "substitute"}
    domain : Domain
    seed : int
    """

    name = "optuna"

    def __init__(self, neighboring_relation: str, domain: Any, seed: int = 0) -> None:
        super().__init__(neighboring_relation, domain, seed)
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the sampler is experimental
            sampler = optuna.samplers.GPSampler(seed=seed)
        self._study = optuna.create_study(direction="maximize", sampler=sampler)
        self._trial: Any = None

    def propose(self, history: Sequence[FinishedTrial]) -> Neighbors:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self._trial is not None:
                found = history[-1].predicted if history else None
                known = found is not None and np.isfinite(found)
                self._study.tell(self._trial, float(np.arcsinh(found)) if known else NOTHING)
            self._trial = self._study.ask()
            names = [f"x{i:02}" for i in range(self._dimensions)]
            return self._built(np.array([self._trial.suggest_float(x, 0, 1) for x in names]))
