"""Bounds against the interference between canaries, on simulated runs whose true ε is known.

Canaries whose gradients are not orthogonal add to each other's scores. The truth about one canary,
given all others, stays what it is, but its score shows less of its coin, and every bound from one
run falls (Keinan, Shenfeld and Ligett 2025, arXiv 2503.07199). Random directions are nearly
orthogonal in high dimensions, where the loss vanishes (Koskela and Mohammadi 2024, §8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.onerun.simulate import (
    ROWS,
    CanaryMechanism,
    RandomDirections,
    SharedGaussian,
    unit_vectors,
)
from workbench.onerun.studies import Auditor, study

if TYPE_CHECKING:
    import pandas as pd

#: Cosines between canaries, dense where 1000 canaries begin to interfere.
STRENGTHS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5)

#: Dimensions, and the most canaries whose cosines are compared, each with each.
DIMENSIONS = (10, 32, 100, 316, 1000, 3162, 10_000, 31_623, 100_000, 1_000_000)
MOST_COMPARED = 1000


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
        return _frame(self, "interference", self.interference)

    def mean(self, name: str) -> Floats:
        """Mean bound over the seeds, shape (k,)."""
        return _mean(self.epsilon, name)


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
    asked = {"delta": delta, "confidence": confidence, "seeds": seeds, "seed": seed}
    epsilon, bit_error = _over(
        [replace(mechanism, interference=float(strength)) for strength in strengths],
        auditors,
        canaries,
        asked,
    )
    return InterferenceStudy(
        mechanism=replace(mechanism, interference=0.0),
        canaries=canaries,
        interference=strengths,
        epsilon=epsilon,
        bit_error=bit_error,
        truth=mechanism.epsilon(delta),
        delta=delta,
        confidence=confidence,
    )


@dataclass(frozen=True, eq=False)
class DimensionStudy:
    """Bounds of several auditors on random canaries against their dimension, over seeds.

    Attributes
    ----------
    mechanism : RandomDirections
        In one of the dimensions.
    canaries : int
    dimension : ndarray of int, shape (k,)
    epsilon : dict of str to ndarray, shape (k, seeds)
        Bounds of each auditor.
    bit_error : ndarray, shape (k, seeds)
        Error rate when all canaries are guessed.
    largest_cosine : ndarray, shape (k,)
        Largest absolute cosine of two of ``compared`` canaries.
    compared : int
        As many as there are, up to 1000.
    truth : float
        The true ε(δ), whatever the dimension.
    delta, confidence : float
    """

    mechanism: RandomDirections
    canaries: int
    dimension: NDArray[np.int64]
    epsilon: dict[str, Floats]
    bit_error: Floats
    largest_cosine: Floats
    compared: int
    truth: float
    delta: float
    confidence: float

    def __post_init__(self) -> None:
        _checks.fields(self)

    def to_frame(self) -> pd.DataFrame:
        """One row for each bound: auditor, dimension, seed, epsilon, bit_error, truth."""
        return _frame(self, "dimension", self.dimension)

    def mean(self, name: str) -> Floats:
        """Mean bound over the seeds, shape (k,)."""
        return _mean(self.epsilon, name)

    @property
    def expected_cosine(self) -> Floats:
        """2√(log n/d), about the largest cosine of the n compared canaries; at most 1."""
        return np.minimum(2 * np.sqrt(np.log(self.compared) / self.dimension), 1.0)


@_checks.arguments
def dimension_study(
    mechanism: RandomDirections,
    auditors: dict[str, Auditor],
    *,
    delta: float,
    canaries: int = 1000,
    dimensions: Sequence[int] = DIMENSIONS,
    confidence: float = 0.95,
    seeds: int = 10,
    seed: int = 0,
) -> DimensionStudy:
    """Bounds on random canaries against their dimension, with fresh runs in each.

    Parameters
    ----------
    mechanism : RandomDirections
        Its own dimension is replaced.
    auditors : dict of str to Auditor
        All audit the same runs.
    delta : float
    canaries : int
    dimensions : sequence of int
        Each at least 2.
    confidence : float
    seeds : int
        Runs in each dimension.
    seed : int

    Returns
    -------
    DimensionStudy

    Raises
    ------
    ValueError
        A dimension below 2, or more canaries than `RandomDirections` draws.

    References
    ----------
    Koskela and Mohammadi (2024), §8, Theorem 1 and Lemma G.2, whose constant 4 is 2.

    Examples
    --------
    >>> from workbench.onerun import Auditor, RandomDirections, dimension_study
    >>> found = dimension_study(
    ...     RandomDirections(2.0, 1000), {"bits": Auditor("bits", "gaussian")}, delta=1e-5,
    ...     canaries=400, dimensions=(20, 20_000), seeds=5,
    ... )
    >>> found.mean("bits").round(1)
    array([0.6, 8.6])
    """
    seed = _checks.count(seed, "seed")
    sizes = _checks.counts(dimensions, "dimensions", least=2)
    asked = {"delta": delta, "confidence": confidence, "seeds": seeds, "seed": seed}
    each = [replace(mechanism, dimension=d) for d in sizes]
    epsilon, bit_error = _over(each, auditors, canaries, asked)
    compared = min(canaries, MOST_COMPARED)
    rng = np.random.default_rng((seed, 1))
    return DimensionStudy(
        mechanism=mechanism,
        canaries=canaries,
        dimension=np.array(sizes),
        epsilon=epsilon,
        bit_error=bit_error,
        largest_cosine=np.array([_largest_cosine(compared, d, rng) for d in sizes]),
        compared=compared,
        truth=mechanism.epsilon(delta),
        delta=delta,
        confidence=confidence,
    )


def _over(
    mechanisms: Sequence[CanaryMechanism],
    auditors: dict[str, Auditor],
    canaries: int,
    asked: dict[str, Any],
) -> tuple[dict[str, Floats], Floats]:
    """Bounds of each auditor, and bit errors, a row for each mechanism."""
    parts = [study(one, auditors, canaries=(canaries,), **asked) for one in mechanisms]
    epsilon = {name: np.vstack([part.epsilon[name] for part in parts]) for name in auditors}
    return epsilon, np.vstack([part.bit_error for part in parts])


def _largest_cosine(n: int, d: int, rng: np.random.Generator) -> float:
    blocks = unit_vectors(n, d, rng, ROWS)
    x = np.zeros((n, min(n, d)))
    first = 0
    for block in blocks:
        x[first : first + len(block), : block.shape[1]] = block
        first += len(block)
    cosines = np.abs(x @ x.T)
    np.fill_diagonal(cosines, 0.0)
    return float(cosines.max())


def _mean(epsilon: dict[str, Floats], name: str) -> Floats:
    return np.asarray(epsilon[_checks.one_of(name, "name", tuple(epsilon))].mean(axis=1))


def _frame(of: InterferenceStudy | DimensionStudy, name: str, values: np.ndarray) -> pd.DataFrame:
    """One row for each bound, with what it was computed for under ``name``."""
    import pandas as pd

    rows, seeds = of.bit_error.shape
    parts = [
        pd.DataFrame(
            {
                "auditor": auditor,
                name: np.repeat(values, seeds),
                "seed": np.tile(np.arange(seeds), rows),
                "epsilon": epsilon.ravel(),
                "bit_error": of.bit_error.ravel(),
                "truth": of.truth,
            }
        )
        for auditor, epsilon in of.epsilon.items()
    ]
    return pd.concat(parts, ignore_index=True)
