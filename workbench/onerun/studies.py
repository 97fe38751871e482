"""Studies of one-run bounds on simulated runs: bounds compared with the known truth.

An `Auditor` is a method with all its choices. `study` computes its bounds against the number of
canaries, and `false_claims` counts bounds that exceed the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.onerun.bound import one_run_bound
from workbench.onerun.simulate import CanaryMechanism, Coins
from workbench.pairs.families.base import Family

if TYPE_CHECKING:
    import pandas as pd

#: Scores held at once by a simulation of many runs.
_BATCH = 2_000_000


@dataclass(frozen=True)
class Auditor:
    """A method with all choices that must be fixed in advance.

    Parameters
    ----------
    method : str
    family : str or Family, optional
    q : float, optional
        As in `one_run_bound`.
    share : float
        Fraction of the canaries that are guessed, half of them "in"; with 1, all are guessed by the
        mechanism's own threshold.
    """

    method: str
    family: str | Family | None = None
    q: float | None = None
    share: float = 1.0

    def __post_init__(self) -> None:
        _checks.fields(self)
        if not 0 < _checks.number(self.share, "share") <= 1:
            raise ValueError(f"share must lie in (0, 1], got {self.share!r}")

    def guesses(self, canaries: int) -> int:
        """Number of canaries that are guessed."""
        return max(round(self.share * _checks.count(canaries, "canaries", least=1)), 1)

    @_checks.arguments
    def correct(
        self, mechanism: CanaryMechanism, included: Coins, scores: Floats
    ) -> NDArray[np.int64]:
        """Number of correct guesses in each run, shape (runs,); ties keep their order.

        Parameters
        ----------
        mechanism : CanaryMechanism
        included, scores : ndarray, shape (runs, n)
        """
        if self.share == 1:
            return np.asarray(((scores > mechanism.threshold) == included).sum(axis=1))
        guesses = self.guesses(scores.shape[1])
        k_in = guesses // 2
        order = np.argsort(scores, axis=1, kind="stable")
        ranked = np.take_along_axis(included, order, axis=1)
        right_out = (~ranked[:, : guesses - k_in]).sum(axis=1)
        return np.asarray(right_out + ranked[:, ranked.shape[1] - k_in :].sum(axis=1))

    def bounds(
        self, canaries: int, correct: ArrayLike, *, delta: float, confidence: float
    ) -> Floats:
        """Bound on ε for each count of correct guesses.

        Parameters
        ----------
        canaries : int
        correct : array_like of int, shape (runs,)
        delta, confidence : float
        """
        known: dict[int, float] = {}
        counts = _checks.indices(correct, self.guesses(canaries) + 1, "correct").tolist()
        for c in counts:
            if c not in known:
                known[c] = one_run_bound(
                    canaries=canaries,
                    guesses=self.guesses(canaries),
                    correct=c,
                    delta=delta,
                    confidence=confidence,
                    method=self.method,
                    family=self.family,
                    q=self.q,
                ).value
        return np.array([known[c] for c in counts])


@dataclass(frozen=True, eq=False)
class Study:
    """Bounds of several auditors against the number of canaries, over seeds.

    As in Xiang, Wang and Wang (2025), Figs. 6–8.

    Attributes
    ----------
    mechanism : CanaryMechanism
    auditors : dict of str to Auditor
        By name.
    canaries : ndarray of int, shape (k,)
    epsilon : dict of str to ndarray, shape (k, seeds)
        Bounds of each auditor.
    bit_error : ndarray, shape (k, seeds)
        Error rate when all canaries are guessed.
    truth : float
        The true ε(δ).
    delta, confidence : float
    """

    mechanism: CanaryMechanism
    auditors: dict[str, Auditor]
    canaries: NDArray[np.int64]
    epsilon: dict[str, Floats]
    bit_error: Floats
    truth: float
    delta: float
    confidence: float

    def __post_init__(self) -> None:
        _checks.fields(self)

    def mean(self, name: str) -> Floats:
        """Mean bound over the seeds, shape (k,)."""
        return np.asarray(self._of(name).mean(axis=1))

    def range(self, name: str) -> tuple[Floats, Floats]:
        """Smallest and largest bound over the seeds, each shape (k,)."""
        return self._of(name).min(axis=1), self._of(name).max(axis=1)

    def _of(self, name: str) -> Floats:
        return self.epsilon[_checks.one_of(name, "name", tuple(self.epsilon))]

    @cached_property
    def best_error(self) -> float:
        """(1 − TV)/2: the mean bit error without interference and with the best guesses."""
        return (1 - self.mechanism.pair.total_variation) / 2

    @property
    def bias(self) -> Floats:
        """Mean excess bit error, shape (k,): the cost of interference and poor guesses."""
        return np.asarray(self.bit_error.mean(axis=1) - self.best_error)

    @property
    def variance_ratio(self) -> Floats:
        """Variance of the bit error over that of independent bits with its mean, shape (k,)."""
        mean = self.bit_error.mean(axis=1)
        independent = mean * (1 - mean) / self.canaries
        observed = self.bit_error.var(axis=1, ddof=1)
        with np.errstate(invalid="ignore"):
            return np.where(independent > 0, observed / independent, 1.0)

    def to_frame(self) -> pd.DataFrame:
        """One row for each bound: auditor, canaries, seed, epsilon, bit_error, truth."""
        import pandas as pd

        rows, seeds = self.bit_error.shape
        parts = [
            pd.DataFrame(
                {
                    "auditor": name,
                    "canaries": np.repeat(self.canaries, seeds),
                    "seed": np.tile(np.arange(seeds), rows),
                    "epsilon": values.ravel(),
                    "bit_error": self.bit_error.ravel(),
                    "truth": self.truth,
                }
            )
            for name, values in self.epsilon.items()
        ]
        return pd.concat(parts, ignore_index=True)


@_checks.arguments
def study(
    mechanism: CanaryMechanism,
    auditors: dict[str, Auditor],
    *,
    delta: float,
    canaries: Sequence[int] = (100, 316, 1000, 3162, 10_000),
    confidence: float = 0.95,
    seeds: int = 20,
    seed: int | np.random.Generator = 0,
) -> Study:
    """Bounds against the number of canaries, with fresh runs for each number.

    Parameters
    ----------
    mechanism : CanaryMechanism
    auditors : dict of str to Auditor
        All audit the same runs.
    delta : float
    canaries : sequence of int
    confidence : float
    seeds : int
        Runs for each number of canaries.
    seed : int or numpy.random.Generator

    Returns
    -------
    Study
    """
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    seeds = _checks.count(seeds, "seeds", 2, _checks.REPEATED)
    rng = _checks.random(seed)
    sizes = np.array(_checks.counts(canaries, "canaries", least=2))
    everything = Auditor("bits")
    epsilon: dict[str, list[Floats]] = {name: [] for name in auditors}
    errors = []
    for n in sizes:
        asked = {**auditors, "": everything}
        counts = _counts(mechanism, asked, int(n), seeds, rng)
        errors.append(1 - counts.pop("") / n)
        for name, correct in counts.items():
            epsilon[name].append(
                auditors[name].bounds(int(n), correct, delta=delta, confidence=confidence)
            )
    return Study(
        mechanism=mechanism,
        auditors=dict(auditors),
        canaries=sizes,
        epsilon={name: np.array(values) for name, values in epsilon.items()},
        bit_error=np.array(errors),
        truth=mechanism.epsilon(delta),
        delta=delta,
        confidence=confidence,
    )


@_checks.arguments
def best_share(
    mechanism: CanaryMechanism,
    auditor: Auditor,
    *,
    canaries: int,
    delta: float,
    confidence: float = 0.95,
    shares: Sequence[float] = (1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.12, 0.08, 0.05, 0.03, 0.02, 0.01),
    runs: int = 20,
    seed: int | np.random.Generator = 1,
) -> Auditor:
    """The auditor with the fraction of guesses that is best on pilot runs of a known mechanism.

    The pilot runs are not the audited ones, so the fraction is fixed in advance; in practice it is
    not known that well.

    Parameters
    ----------
    mechanism : CanaryMechanism
    auditor : Auditor
    canaries : int
    delta, confidence : float
    shares : sequence of float
        Fractions that are compared.
    runs : int
        Pilot runs.
    seed : int or numpy.random.Generator

    Returns
    -------
    Auditor
    """
    asked = {
        str(share): Auditor(auditor.method, auditor.family, auditor.q, share)
        for share in shares
        if share * canaries >= 2
    }
    counts = _counts(mechanism, asked, canaries, runs, _checks.random(seed))
    means = {
        name: asked[name].bounds(canaries, correct, delta=delta, confidence=confidence).mean()
        for name, correct in counts.items()
    }
    return asked[max(means, key=lambda name: means[name])]


@dataclass(frozen=True)
class FalseClaims:
    """Number of simulated runs in which a bound exceeds the truth.

    Attributes
    ----------
    mechanism : CanaryMechanism
    auditor : Auditor
    canaries, runs, false : int
        Canaries in each run, runs, and runs whose bound exceeds the truth.
    truth, delta, confidence : float
    """

    mechanism: CanaryMechanism
    auditor: Auditor
    canaries: int
    runs: int
    false: int
    truth: float
    delta: float
    confidence: float

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def rate(self) -> float:
        """Fraction of false bounds; a valid method keeps it at 1 − confidence, up to chance."""
        return self.false / self.runs

    @property
    def p_value(self) -> float:
        """Probability of at least as many false bounds at exactly the nominal level."""
        from scipy.special import bdtrc

        return float(bdtrc(self.false - 1, self.runs, 1 - self.confidence)) if self.false else 1.0


@_checks.arguments
def false_claims(
    mechanism: CanaryMechanism,
    auditor: Auditor,
    *,
    canaries: int,
    delta: float,
    confidence: float = 0.95,
    runs: int = 1000,
    seed: int | np.random.Generator = 0,
) -> FalseClaims:
    """Number of simulated runs whose bound exceeds the truth.

    Returns
    -------
    FalseClaims
    """
    truth = mechanism.epsilon(_checks.delta(delta))
    counts = _counts(mechanism, {"": auditor}, canaries, runs, _checks.random(seed))[""]
    bounds = auditor.bounds(canaries, counts, delta=delta, confidence=confidence)
    return FalseClaims(
        mechanism=mechanism,
        auditor=auditor,
        canaries=canaries,
        runs=runs,
        false=int((bounds > truth).sum()),
        truth=truth,
        delta=delta,
        confidence=confidence,
    )


def _counts(
    mechanism: CanaryMechanism,
    auditors: dict[str, Auditor],
    canaries: int,
    runs: int,
    rng: np.random.Generator,
) -> dict[str, NDArray[np.int64]]:
    """Correct guesses of each auditor in each run, in batches of runs."""
    found: dict[str, list[NDArray[np.int64]]] = {name: [] for name in auditors}
    left = _checks.count(runs, "runs", 1, _checks.REPEATED)
    canaries = _checks.count(canaries, "canaries", 2, _checks.DRAWN // 10)
    while left:
        batch = min(left, max(_BATCH // canaries, 1))
        included = rng.random((batch, canaries)) < 0.5
        scores = mechanism.draw(included, rng)
        for name, auditor in auditors.items():
            found[name].append(auditor.correct(mechanism, included, scores))
        left -= batch
    return {name: np.concatenate(parts) for name, parts in found.items()}
