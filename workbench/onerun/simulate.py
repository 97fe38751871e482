"""Simulated audits by one run: mechanisms whose truth is known, and bounds against the truth.

A mechanism takes the coins of n canaries and gives each a score. `Memoryless` ones answer for each
canary with noise of its own, BITS' favorable case; `SharedGaussian` has fewer noise sources than
canaries, so that they interfere; `DPSGD` sees Dirac gradients step by step, rightly or after the
average was clipped; `NameAndShame` is private and breaks every bound that assumes independent bits.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.curves.elementwise import Floats
from workbench.onerun.bound import one_run_bound
from workbench.onerun.canaries import OneRun
from workbench.pairs.accounting.dpsgd import DPSGDPair
from workbench.pairs.base import Pair
from workbench.pairs.families.base import Family
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.randomized_response import RandomizedResponsePair

if TYPE_CHECKING:
    import pandas as pd

Coins = NDArray[np.bool_]

#: Scores held at once by a simulation of many runs.
_BATCH = 2_000_000


class Mechanism(ABC):
    """What turns the coins of canaries into scores; larger speaks for "in"."""

    @property
    @abstractmethod
    def name(self) -> str:
        """For titles."""

    @property
    @abstractmethod
    def pair(self) -> Pair:
        """The truth about one canary's coin, all others known: what no bound may exceed."""

    @property
    def threshold(self) -> float:
        """The score above which "in" is the better guess, known without any data."""
        return 0.0

    @abstractmethod
    def draw(self, included: Coins, rng: np.random.Generator) -> Floats:
        """Scores of canaries, shape (runs, n), each row a run of its own."""

    def run(self, canaries: int, seed: int | np.random.Generator = 0) -> OneRun:
        """One run with fair coins.

        Parameters
        ----------
        canaries : int
            At least 2.
        seed : int or numpy.random.Generator
        """
        rng = np.random.default_rng(seed)
        coins = rng.random(_checks.count(canaries, "canaries", least=2)) < 0.5
        return OneRun(self.draw(coins[None], rng)[0], coins, name=self.name)

    def epsilon(self, delta: float) -> float:
        """The true ε(δ)."""
        return float(self.pair.epsilon(delta))


@dataclass(frozen=True)
class Memoryless(Mechanism):
    """Each canary is answered by a draw of its own: d ≥ n coordinates, one canary a coordinate.

    Parameters
    ----------
    of : Pair
        `GaussianPair`, `LaplacePair` and `RandomizedResponsePair` are BITS' three experiments.

    Notes
    -----
    Scores are privacy losses, so that 0 is the threshold of the best guess.
    """

    of: Pair

    @property
    def name(self) -> str:
        return self.of.name

    @property
    def pair(self) -> Pair:
        return self.of

    def draw(self, included: Coins, rng: np.random.Generator) -> Floats:
        members = int(included.sum())
        p, q = self.of.sample((max(members, 2), max(included.size - members, 2)), seed=rng)
        scores = np.empty(included.shape)
        scores[included] = p[:members]
        scores[~included] = q[: included.size - members]
        return np.asarray(self.of.privacy_loss(scores))


@dataclass(frozen=True)
class SharedGaussian(Mechanism):
    """A noisy sum of d coordinates to which n canaries add 1 each, dealt out in turn.

    With d ≥ n it is memoryless. With d < n canaries share noise and disturb each other: whoever
    looks at one coordinate does not know how many of the others there were in.

    Parameters
    ----------
    mu : float
        Sensitivity over noise, above 0.
    coordinates : int
        d.
    """

    mu: float
    coordinates: int

    def __post_init__(self) -> None:
        _checks.positive(self.mu, "mu")
        _checks.count(self.coordinates, "coordinates", least=1)

    @property
    def name(self) -> str:
        return f"Gaussian, μ = {self.mu:g}, {self.coordinates:,} coordinates"

    @property
    def pair(self) -> Pair:
        return GaussianPair(self.mu)

    def draw(self, included: Coins, rng: np.random.Generator) -> Floats:
        runs, n = included.shape
        d = min(self.coordinates, n)
        total, sharing = np.zeros((runs, d)), np.zeros(d)
        for first in range(0, n, d):
            dealt = included[:, first : first + d]
            total[:, : dealt.shape[1]] += dealt
            sharing[: dealt.shape[1]] += 1
        # The others are expected to be half in; what is left over 1/2 speaks for this canary.
        signal = self.mu * (total - sharing / 2) + rng.standard_normal((runs, d))
        return signal[:, np.arange(n) % d]


@dataclass(frozen=True)
class DPSGD(Mechanism):
    """White-box DP-SGD with Dirac canaries, reduced to one noisy coordinate a canary and step.

    Each step takes each canary with probability q; its gradient fills the clipping norm in its own
    coordinate, and all noisy gradients are released. The score is the total privacy loss that the
    claimed noise implies. With ``average_first`` gradients are divided by the batch size before
    they are clipped, so that a large canary gradient weighs a batch, while the noise is still that
    of an average (the flaw of BITS §5.3).

    Parameters
    ----------
    noise_multiplier, sample_rate, steps
        As in `DPSGDPair`; what is claimed.
    average_first : bool
    batch_size : int
        By how much ``average_first`` understates the noise multiplier.
    """

    noise_multiplier: float
    sample_rate: float
    steps: int
    average_first: bool = False
    batch_size: int = 64

    def __post_init__(self) -> None:
        _checks.count(self.batch_size, "batch_size", least=1)
        _ = self.claimed  # checks the others

    @property
    def name(self) -> str:
        flaw = ", averaged before clipping" if self.average_first else ""
        return (
            f"DP-SGD, σ = {self.noise_multiplier:g}, q = {self.sample_rate:g}, "
            f"{self.steps} steps{flaw}"
        )

    @property
    def claimed(self) -> DPSGDPair:
        """The pair that the accountant believes in."""
        return DPSGDPair(self.noise_multiplier, self.sample_rate, self.steps)

    @property
    def pair(self) -> Pair:
        noise = self.noise_multiplier / self._weight
        return DPSGDPair(noise, self.sample_rate, self.steps)

    @property
    def _weight(self) -> int:
        return self.batch_size if self.average_first else 1

    def draw(self, included: Coins, rng: np.random.Generator) -> Floats:
        q, variance = self.sample_rate, self.noise_multiplier**2
        used, unused = (math.log(q), math.log1p(-q)) if q < 1 else (0.0, -math.inf)
        loss = np.zeros(included.shape)
        for _ in range(self.steps):
            taken = included & (rng.random(included.shape) < q)
            noise = self.noise_multiplier * rng.standard_normal(included.shape)
            seen = self._weight * taken + noise
            loss += np.logaddexp(used + (2 * seen - 1) / (2 * variance), unused)
        return loss


@dataclass(frozen=True)
class NameAndShame(Mechanism):
    """With a small probability all canaries are revealed, otherwise nothing is.

    It is (0, ``chance``)-DP, but all bits come through together or not at all: bounds that assume
    independent bits are wrong whenever they come through.

    Parameters
    ----------
    chance : float
        Strictly between 0 and 1.
    """

    chance: float

    def __post_init__(self) -> None:
        _checks.open_unit(self.chance, "chance")

    @property
    def name(self) -> str:
        return f"Everything revealed with probability {self.chance:g}"

    @property
    def pair(self) -> Pair:
        return RandomizedResponsePair(0.0, self.chance)

    def draw(self, included: Coins, rng: np.random.Generator) -> Floats:
        revealed = rng.random((included.shape[0], 1)) < self.chance
        return np.where(revealed, 2.0 * included - 1, rng.standard_normal(included.shape))


# -- auditors -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Auditor:
    """A method with everything that is to be fixed beforehand.

    Parameters
    ----------
    method : str
    family : str or Family, optional
    q : float, optional
        As in `one_run_bound`.
    share : float
        Share of the canaries guessed, half of them in; with 1, all are guessed by the mechanism's
        own threshold.
    """

    method: str
    family: str | Family | None = None
    q: float | None = None
    share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < _checks.number(self.share, "share") <= 1:
            raise ValueError(f"share must lie in (0, 1], got {self.share!r}")

    def guesses(self, canaries: int) -> int:
        """How many of ``canaries`` are guessed."""
        return max(round(self.share * canaries), 1)

    def correct(self, mechanism: Mechanism, included: Coins, scores: Floats) -> NDArray[np.int64]:
        """Right guesses in each run, shape (runs,); equal scores stay in order."""
        if self.share == 1:
            return np.asarray(((scores > mechanism.threshold) == included).sum(axis=1))
        guesses = self.guesses(scores.shape[1])
        k_in = guesses // 2
        order = np.argsort(scores, axis=1, kind="stable")
        ranked = np.take_along_axis(included, order, axis=1)
        right_out = (~ranked[:, : guesses - k_in]).sum(axis=1)
        return np.asarray(right_out + ranked[:, ranked.shape[1] - k_in :].sum(axis=1))

    def bounds(
        self, canaries: int, correct: Iterable[int], delta: float, confidence: float
    ) -> Floats:
        """ε of each count, computing each but once."""
        known: dict[int, float] = {}
        for c in correct:
            if c not in known:
                known[c] = one_run_bound(
                    canaries=canaries,
                    guesses=self.guesses(canaries),
                    correct=int(c),
                    delta=delta,
                    confidence=confidence,
                    method=self.method,
                    family=self.family,
                    q=self.q,
                ).value
        return np.array([known[c] for c in correct])


@dataclass(frozen=True, eq=False)
class Study:
    """Bounds of several auditors against the number of canaries, over seeds (BITS Figs. 6–8, 10).

    Attributes
    ----------
    mechanism : Mechanism
    auditors : dict of str to Auditor
        By the names of their lines.
    canaries : ndarray of int, shape (k,)
    epsilon : dict of str to ndarray, shape (k, seeds)
        Bounds of each auditor.
    bit_error : ndarray, shape (k, seeds)
        Share of errors when all canaries are guessed.
    truth : float
        The true ε(δ).
    delta, confidence : float
    """

    mechanism: Mechanism
    auditors: dict[str, Auditor]
    canaries: NDArray[np.int64]
    epsilon: dict[str, Floats]
    bit_error: Floats
    truth: float
    delta: float
    confidence: float

    def mean(self, name: str) -> Floats:
        """Mean bound over the seeds, shape (k,)."""
        return np.asarray(self.epsilon[name].mean(axis=1))

    def range(self, name: str) -> tuple[Floats, Floats]:
        """Smallest and largest bound over the seeds, each shape (k,)."""
        return self.epsilon[name].min(axis=1), self.epsilon[name].max(axis=1)

    @cached_property
    def best_error(self) -> float:
        """(1 − TV)/2: the mean bit error without interference and with the best guesses."""
        return (1 - self.mechanism.pair.total_variation) / 2

    @property
    def bias(self) -> Floats:
        """Mean bit error above the best, shape (k,): what interference and poor guesses cost."""
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
        """One row a bound: auditor, canaries, seed, epsilon, bit_error, truth."""
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


def study(
    mechanism: Mechanism,
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
    mechanism : Mechanism
    auditors : dict of str to Auditor
        All audit the same runs.
    delta : float
    canaries : sequence of int
    confidence : float
    seeds : int
        Runs for each number of canaries.
    seed : int or numpy.random.Generator
    """
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    seeds = _checks.count(seeds, "seeds", least=2)
    rng = np.random.default_rng(seed)
    sizes = np.array([_checks.count(n, "canaries", least=2) for n in canaries])
    everything = Auditor("bits")
    epsilon: dict[str, list[Floats]] = {name: [] for name in auditors}
    errors = []
    for n in sizes:
        asked = {**auditors, "": everything}
        counts = _counts(mechanism, asked, int(n), seeds, rng)
        errors.append(1 - counts.pop("") / n)
        for name, correct in counts.items():
            epsilon[name].append(auditors[name].bounds(int(n), correct, delta, confidence))
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


def best_share(
    mechanism: Mechanism,
    auditor: Auditor,
    *,
    canaries: int,
    delta: float,
    confidence: float = 0.95,
    shares: Sequence[float] = (1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.12, 0.08, 0.05, 0.03, 0.02, 0.01),
    runs: int = 20,
    seed: int | np.random.Generator = 1,
) -> Auditor:
    """The auditor with the share of guesses that is best on pilot runs of a known mechanism.

    The pilot runs are other runs than those to be audited, so the share is fixed beforehand; in
    practice nobody knows it that well.

    Returns
    -------
    Auditor
    """
    asked = {
        str(share): Auditor(auditor.method, auditor.family, auditor.q, share)
        for share in shares
        if share * canaries >= 2
    }
    counts = _counts(mechanism, asked, canaries, runs, np.random.default_rng(seed))
    means = {
        name: asked[name].bounds(canaries, correct, delta, confidence).mean()
        for name, correct in counts.items()
    }
    return asked[max(means, key=lambda name: means[name])]


@dataclass(frozen=True)
class FalseClaims:
    """How often a bound exceeded the truth in simulated runs.

    Attributes
    ----------
    mechanism : Mechanism
    auditor : Auditor
    canaries, runs, false : int
        Canaries a run, runs, and runs whose bound exceeded the truth.
    truth, delta, confidence : float
    """

    mechanism: Mechanism
    auditor: Auditor
    canaries: int
    runs: int
    false: int
    truth: float
    delta: float
    confidence: float

    @property
    def rate(self) -> float:
        """Share of false bounds; a valid method keeps it at 1 − confidence, up to chance."""
        return self.false / self.runs

    @property
    def p_value(self) -> float:
        """Probability of at least as many if the level is kept exactly; small refutes it."""
        from scipy.special import bdtrc

        return float(bdtrc(self.false - 1, self.runs, 1 - self.confidence)) if self.false else 1.0


def false_claims(
    mechanism: Mechanism,
    auditor: Auditor,
    *,
    canaries: int,
    delta: float,
    confidence: float = 0.95,
    runs: int = 1000,
    seed: int | np.random.Generator = 0,
) -> FalseClaims:
    """Count the simulated runs whose bound exceeds the truth.

    Parameters
    ----------
    mechanism : Mechanism
    auditor : Auditor
    canaries : int
    delta, confidence : float
    runs : int
    seed : int or numpy.random.Generator
    """
    truth = mechanism.epsilon(_checks.delta(delta))
    counts = _counts(mechanism, {"": auditor}, canaries, runs, np.random.default_rng(seed))[""]
    bounds = auditor.bounds(canaries, counts, delta, confidence)
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
    mechanism: Mechanism,
    auditors: dict[str, Auditor],
    canaries: int,
    runs: int,
    rng: np.random.Generator,
) -> dict[str, NDArray[np.int64]]:
    """Right guesses of each auditor in each run, a batch of runs at a time."""
    found: dict[str, list[NDArray[np.int64]]] = {name: [] for name in auditors}
    left = _checks.count(runs, "runs", least=1)
    while left:
        batch = min(left, max(_BATCH // canaries, 1))
        included = rng.random((batch, canaries)) < 0.5
        scores = mechanism.draw(included, rng)
        for name, auditor in auditors.items():
            found[name].append(auditor.correct(mechanism, included, scores))
        left -= batch
    return {name: np.concatenate(parts) for name, parts in found.items()}
