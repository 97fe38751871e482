"""Simulated mechanisms for one-run audits, whose true ε is known.

A mechanism maps the coins of n canaries to scores. `Memoryless` adds independent noise for each
canary, the favorable case; `SharedGaussian` has fewer noise sources than canaries, or a direction
that all have in common, so that they interfere; the canaries of `RandomDirections` are random unit
vectors, nearly orthogonal in high dimensions; `DPSGD` releases Dirac gradients step by step, with
a correct or a wrong clipping order; `NameAndShame` is private, and every bound that assumes
independent canaries fails on it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.onerun.run import OneRun
from workbench.pairs.accounting.dpsgd import DPSGDPair
from workbench.pairs.base import Pair, SymmetricPair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.scores.chance import spawned_seed

#: Numbers in the largest matrix of canaries that is made, 240 MB.
MOST_NUMBERS = 30_000_000

#: Rows of a matrix of canaries that are made at once.
ROWS = 256

Coins = NDArray[np.bool_]

#: Seed of the signs with which canaries add to a direction in common. Nobody's seed for coins: the
#: same stream would make the signs the coins.
_SIGNS = (2503, 7199)


class CanaryMechanism(ABC):
    """Maps the coins of canaries to scores; larger scores suggest "in"."""

    @property
    @abstractmethod
    def name(self) -> str:
        """For titles."""

    @property
    @abstractmethod
    def pair(self) -> Pair:
        """True pair of one canary's coin, given all others; no valid bound exceeds its ε."""

    @property
    def threshold(self) -> float:
        """The score above which "in" is the better guess, known in advance."""
        return 0.0

    @abstractmethod
    def draw(self, included: Coins, rng: np.random.Generator) -> Floats:
        """Scores of canaries, shape (runs, n), one row for each run.

        Parameters
        ----------
        included : ndarray of bool, shape (runs, n)
        rng : numpy.random.Generator
        """

    @property
    def substituted(self) -> Pair | None:
        """A pair at least as far apart as runs in which one canary takes another's place.

        None where it is not known. No valid bound for substitution exceeds its ε.
        """
        return None

    def run(
        self,
        canaries: int,
        seed: int | np.random.Generator = 0,
        *,
        design: str = "fair-coins",
    ) -> OneRun:
        """One run with fair coins, or in which a random half of the canaries is in.

        Parameters
        ----------
        canaries : int
            At least 2; of a half, an odd number is rounded down.
        seed : int or numpy.random.Generator
        design : str
            "fair-coins" or "fixed-half".
        """
        rng = _checks.random(seed)
        n = _checks.count(canaries, "canaries", 2, _checks.DRAWN)
        if design == "fixed-half":
            coins = rng.permutation(np.repeat([True, False], n // 2))
        elif design == "fair-coins":
            coins = rng.random(n) < 0.5
        else:
            raise ValueError(f"design must be 'fair-coins' or 'fixed-half', got {design!r}")
        scores = self.draw(coins[None], rng)[0]
        return OneRun(scores, coins, design=design, name=self.name, seed=spawned_seed(rng))

    def epsilon(self, delta: float) -> float:
        """The true ε(δ)."""
        return float(self.pair.epsilon(delta))


@dataclass(frozen=True)
class Memoryless(CanaryMechanism):
    """Independent noise for each canary: d ≥ n coordinates, one for each canary.

    Parameters
    ----------
    of : Pair
        `GaussianPair`, `LaplacePair` and `RandomizedResponsePair` are the experiments of Xiang,
        Wang and Wang (2025).

    Notes
    -----
    Scores are privacy losses, so that 0 is the threshold of the best guess.
    """

    of: Pair

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def name(self) -> str:
        return self.of.name

    @property
    def pair(self) -> Pair:
        return self.of

    @property
    def substituted(self) -> Pair | None:
        # One canary's noise goes from P to Q and another's from Q to P.
        return self.of.compose(2) if isinstance(self.of, SymmetricPair) else None

    @_checks.arguments
    def draw(self, included: Coins, rng: np.random.Generator) -> Floats:
        members = int(included.sum())
        p, q = self.of.sample((max(members, 2), max(included.size - members, 2)), seed=rng)
        scores = np.empty(included.shape)
        scores[included] = p[:members]
        scores[~included] = q[: included.size - members]
        return np.asarray(self.of.privacy_loss(scores))


@dataclass(frozen=True)
class SharedGaussian(CanaryMechanism):
    """A noisy sum to which canaries add vectors of norm 1, in d coordinates dealt out in turn.

    With d ≥ n and no interference it is memoryless. Canaries interfere in two ways: with d < n some
    have their coordinate in common, which does not show how many of its other canaries were in;
    with ``interference`` ρ all have a direction in common, into which each adds ±√ρ, and √(1 − ρ)
    into its own coordinate. Two canaries then have the cosine ±ρ, and the score of one, the inner
    product with what it adds, varies by about ρ μ √n / 2 with who else is in.

    Parameters
    ----------
    mu : float
        Sensitivity over noise, above 0.
    coordinates : int
        d.
    interference : float
        ρ in [0, 1].

    Notes
    -----
    Each canary adds a vector of norm 1 whatever d and ρ are, so the truth stays that of μ: all that
    interference does to a valid bound is to lower it. That one run shows less the more its canaries
    interfere is in Keinan, Shenfeld and Ligett (2025), arXiv 2503.07199.
    """

    mu: float
    coordinates: int
    interference: float = 0.0

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.positive(self.mu, "mu")
        _checks.count(self.coordinates, "coordinates", least=1)
        if not 0 <= _checks.number(self.interference, "interference") <= 1:
            raise ValueError(f"interference must lie in [0, 1], got {self.interference!r}")

    @property
    def name(self) -> str:
        cosine = f", cosine ±{self.interference:g}" if self.interference else ""
        return f"Gaussian, μ = {self.mu:g}, {self.coordinates:,} coordinates{cosine}"

    @property
    def pair(self) -> Pair:
        return GaussianPair(self.mu)

    @property
    def substituted(self) -> Pair:
        # Two coordinates move by √(1 − ρ) each, the common direction by 2√ρ if the signs differ.
        return GaussianPair(self.mu * math.sqrt(2 + 2 * self.interference))

    @_checks.arguments
    def draw(self, included: Coins, rng: np.random.Generator) -> Floats:
        runs, n = included.shape
        d = min(self.coordinates, n)
        total, sharing = np.zeros((runs, d)), np.zeros(d)
        for first in range(0, n, d):
            dealt = included[:, first : first + d]
            total[:, : dealt.shape[1]] += dealt
            sharing[: dealt.shape[1]] += 1
        # The others are expected to be half in; what is left over 1/2 speaks for this canary.
        own, common = math.sqrt(1 - self.interference), math.sqrt(self.interference)
        signal = self.mu * own * (total - sharing / 2) + rng.standard_normal((runs, d))
        scores = own * signal[:, np.arange(n) % d]
        if not common:
            return scores
        signs = np.where(np.random.default_rng(_SIGNS).random(n) < 0.5, -1.0, 1.0)
        together = self.mu * common * ((included - 0.5) @ signs) + rng.standard_normal(runs)
        return np.asarray(scores + common * signs * together[:, None])


@dataclass(frozen=True)
class RandomDirections(CanaryMechanism):
    """A noisy sum to which canaries add independent random unit vectors in d dimensions.

    The score of a canary x is ⟨x, θ⟩/σ − 1/(2σ) with θ the sum of the canaries that are in, and
    noise N(0, σ² I): the more dimensions, the closer to N(±μ/2, 1) with μ = 1/σ.

    Parameters
    ----------
    mu : float
        1/σ, above 0.
    dimension : int
        d, at least 2.

    Notes
    -----
    The cosine of two canaries has mean 0 and variance 1/d, so the other k canaries that are in add
    k/d to the variance σ² of ⟨x, θ⟩: about as much as the noise itself at d = kμ². The largest
    cosine of n canaries is about 2√(log n/d), since there are n²/2 pairs, and √(2 log m) is the
    largest of m standard normals. (Lemmas G.2 and G.5 of Koskela and Mohammadi print 4.)

    References
    ----------
    Koskela and Mohammadi (2024), §8, Theorem 1; Andrew et al. (2024), Theorem 3.3.
    """

    mu: float
    dimension: int

    def __post_init__(self) -> None:
        _checks.fields(self)
        if _checks.positive(self.mu, "mu") < 1e-150:
            raise ValueError(f"mu must be at least 1e-150, got {self.mu:g}; σ = 1/μ")
        _checks.count(self.dimension, "dimension", least=2)

    @property
    def name(self) -> str:
        return f"Gaussian, μ = {self.mu:g}, random canaries in {self.dimension:,} dimensions"

    @property
    def pair(self) -> Pair:
        return GaussianPair(self.mu)

    @_checks.arguments
    def draw(self, included: Coins, rng: np.random.Generator) -> Floats:
        scores = np.empty(included.shape)
        for coins, row in zip(included, scores, strict=True):
            members = int(coins.sum())
            p, q, _ = random_release(
                members, coins.size - members, self.dimension, 1 / self.mu, rng, ROWS
            )
            row[coins], row[~coins] = p, q
        return self.mu * (scores - 0.5)


def random_release(
    members: int, others: int, d: int, sigma: float, rng: np.random.Generator, rows: int
) -> tuple[Floats, Floats, float]:
    """Scores ⟨x, θ⟩ of one noisy sum θ of random unit vectors, and ‖θ‖.

    Parameters
    ----------
    members, others : int
        Canaries that are in the sum, and fresh ones that are not.
    d : int
        Dimension, at least 2.
    sigma : float
        Standard deviation of the noise in each coordinate.
    rng : numpy.random.Generator
    rows : int
        Canaries that are made at once; another number gives other draws where d > members.

    Returns
    -------
    p, q : ndarray
        Scores of members and of others.
    norm : float

    Raises
    ------
    ValueError
        More numbers than the largest matrix has.

    Notes
    -----
    The d-dimensional vectors are never made when there are fewer of them. Gaussian vectors, written
    in the coordinates of their own QR decomposition, have independent normals below the diagonal
    and √χ²_{d−i} on it (Bartlett), and what does not lie in their span only adds to ‖θ‖. A fresh
    canary is uniform given θ, so that ⟨z, θ⟩/‖θ‖ is the first coordinate of a point on the sphere.
    """
    if members * min(members, d) > MOST_NUMBERS:
        raise ValueError(
            f"n · min(n, d) must be at most {MOST_NUMBERS}, got {members} canaries in {d} "
            "dimensions; take fewer canaries"
        )
    blocks = unit_vectors(members, d, rng, rows)
    theta = np.zeros(min(members, d))
    for x in blocks:
        theta[: x.shape[1]] += x.sum(axis=0)
    theta += sigma * rng.standard_normal(theta.size)
    outside = sigma**2 * rng.chisquare(d - theta.size) if d > theta.size else 0.0
    norm = float(np.sqrt(theta @ theta + outside))
    # The first coordinate of a point on the sphere.
    first = rng.standard_normal(others)
    cosines = first / np.sqrt(first**2 + rng.chisquare(d - 1, others))
    p = [x @ theta[: x.shape[1]] for x in blocks]
    return np.concatenate([*p, np.empty(0)]), norm * cosines, norm


def unit_vectors(n: int, d: int, rng: np.random.Generator, rows: int) -> list[Floats]:
    """Uniform points on the sphere in d dimensions, in blocks of rows.

    Parameters
    ----------
    n, d, rng, rows
        As in `random_release`.

    Returns
    -------
    list of ndarray
        Coordinates in a basis of their span, without those that are 0 for the whole block.
    """
    blocks = []
    for first in range(0, n, rows):
        last = min(first + rows, n)
        x = rng.standard_normal((last - first, d if d <= n else last))
        if d > n:
            for i in range(first, last):
                x[i - first, i:] = 0.0
            diagonal = np.arange(last - first), np.arange(first, last)
            x[diagonal] = np.sqrt(rng.chisquare(d - np.arange(first, last)))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        blocks.append(x)
    return blocks


@dataclass(frozen=True)
class DPSGD(CanaryMechanism):
    """White-box DP-SGD with Dirac canaries: one noisy coordinate for each canary and step.

    Each step takes each canary with probability q; its gradient fills the clipping norm in its own
    coordinate, and all noisy gradients are released. The score is the total privacy loss that the
    claimed noise implies. With ``average_first`` gradients are divided by the batch size before
    they are clipped, so that a large canary gradient weighs a batch, while the noise is still that
    of an average (the flaw in Xiang et al. 2025, §5.3).

    Parameters
    ----------
    noise_multiplier, sample_rate, steps
        As in `DPSGDPair`; the claimed values.
    average_first : bool
    batch_size : int
        Factor by which ``average_first`` understates the noise multiplier.
    """

    noise_multiplier: float
    sample_rate: float
    steps: int
    average_first: bool = False
    batch_size: int = 64

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.count(self.batch_size, "batch_size", least=1)
        _checks.count(self.steps, "steps", 1, _checks.REPEATED)
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
        """The pair that the accountant assumes."""
        return DPSGDPair(self.noise_multiplier, self.sample_rate, self.steps)

    @property
    def pair(self) -> Pair:
        noise = self.noise_multiplier / self._weight
        return DPSGDPair(noise, self.sample_rate, self.steps)

    @property
    def _weight(self) -> int:
        return self.batch_size if self.average_first else 1

    @_checks.arguments
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
class NameAndShame(CanaryMechanism):
    """Reveals all canaries with a small probability, and nothing otherwise.

    It is (0, ``chance``)-DP, but all canaries are revealed together: bounds that assume independent
    canaries are wrong whenever that happens.

    Parameters
    ----------
    chance : float
        Strictly between 0 and 1.
    """

    chance: float

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.open_unit(self.chance, "chance")

    @property
    def name(self) -> str:
        return f"Everything revealed with probability {self.chance:g}"

    @property
    def pair(self) -> Pair:
        return RandomizedResponsePair(0.0, self.chance)

    @property
    def substituted(self) -> Pair:
        return self.pair

    @_checks.arguments
    def draw(self, included: Coins, rng: np.random.Generator) -> Floats:
        revealed = rng.random((included.shape[0], 1)) < self.chance
        return np.where(revealed, 2.0 * included - 1, rng.standard_normal(included.shape))
