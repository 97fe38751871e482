"""Bounds against the interference between canaries, on simulated runs whose true ε is known.

Canaries whose gradients are not orthogonal add to each other's scores. The truth about one canary,
given all others, stays what it is, but its score shows less of its coin, and every bound from one
run falls (Keinan, Shenfeld and Ligett 2025, arXiv 2503.07199).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.onerun.simulate import SharedGaussian
from workbench.onerun.studies import Auditor, study

if TYPE_CHECKING:
    import pandas as pd

#: Cosines between canaries, dense where 1000 canaries begin to interfere.
STRENGTHS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5)


@dataclass(frozen=True, eq=False)
class InterferenceStudy:
    """Bounds of several auditors against the interference between canaries, over seeds.

    Attributes
    ----------
    mechanism : SharedGaussian
        Without interference.
    canaries : int
    interference : ndarray, shape (k,)
        Cosines between canaries.
    epsilon : dict of str to ndarray, shape (k, seeds)
        Bounds of each auditor.
    bit_error : ndarray, shape (k, seeds)
        Error rate when all canaries are guessed.
    truth : float
        The true ε(δ), whatever the interference.
    delta, confidence : float
    """

    mechanism: SharedGaussian
    canaries: int
    interference: Floats
    epsilon: dict[str, Floats]
    bit_error: Floats
    truth: float
    delta: float
    confidence: float

    def __post_init__(self) -> None:
        _checks.fields(self)

    def to_frame(self) -> pd.DataFrame:
        """One row for each bound: auditor, interference, seed, epsilon, bit_error, truth."""
        import pandas as pd

        rows, seeds = self.bit_error.shape
        parts = [
            pd.DataFrame(
                {
                    "auditor": name,
                    "interference": np.repeat(self.interference, seeds),
                    "seed": np.tile(np.arange(seeds), rows),
                    "epsilon": values.ravel(),
                    "bit_error": self.bit_error.ravel(),
                    "truth": self.truth,
                }
            )
            for name, values in self.epsilon.items()
        ]
        return pd.concat(parts, ignore_index=True)

    def mean(self, name: str) -> Floats:
        """Mean bound over the seeds, shape (k,)."""
        return np.asarray(
            self.epsilon[_checks.one_of(name, "name", tuple(self.epsilon))].mean(axis=1)
        )


@_checks.arguments
def interference_study(
    mechanism: SharedGaussian,
    auditors: dict[str, Auditor],
    *,
    delta: float,
    canaries: int = 1000,
    interference: Sequence[float] = STRENGTHS,
    confidence: float = 0.95,
    seeds: int = 10,
    seed: int = 0,
) -> InterferenceStudy:
    """Bounds against the interference, with the same coins and noise at every strength.

    Parameters
    ----------
    mechanism : SharedGaussian
        Its own interference is replaced.
    auditors : dict of str to Auditor
        All audit the same runs.
    delta : float
    canaries : int
    interference : sequence of float
        Cosines between canaries, in [0, 1].
    confidence : float
    seeds : int
        Runs at each strength.
    seed : int

    Returns
    -------
    InterferenceStudy

    References
    ----------
    Keinan, Shenfeld and Ligett (2025), arXiv 2503.07199, on why interference limits an audit by
    one run.

    Examples
    --------
    >>> from workbench.onerun import Auditor, SharedGaussian, interference_study
    >>> found = interference_study(
    ...     SharedGaussian(2.0, 1000), {"bits": Auditor("bits", "gaussian")}, delta=1e-5,
    ...     interference=(0, 0.1), seeds=5,
    ... )
    >>> found.mean("bits").round(1)
    array([9.3, 2.7])
    """
    seed = _checks.count(seed, "seed")
    strengths = np.atleast_1d(_checks.array(interference, "interference"))
    parts = [
        study(
            replace(mechanism, interference=float(strength)),
            auditors,
            delta=delta,
            canaries=(canaries,),
            confidence=confidence,
            seeds=seeds,
            seed=seed,
        )
        for strength in strengths
    ]
    return InterferenceStudy(
        mechanism=replace(mechanism, interference=0.0),
        canaries=canaries,
        interference=strengths,
        epsilon={name: np.vstack([part.epsilon[name] for part in parts]) for name in auditors},
        bit_error=np.vstack([part.bit_error for part in parts]),
        truth=mechanism.epsilon(delta),
        delta=delta,
        confidence=confidence,
    )
