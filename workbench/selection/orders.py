"""Scores by which the best run is selected, for the reduced game N(0,1) against N(μ,1).

The base's output is a number x, and the score puts the outputs of all runs in an order. That order
decides what the selection leaks: a tie hides, a strict order reveals, and the monotone order is not
the worst of them (see `workbench.selection.worst_order`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr, ndtri, ndtri_exp

from workbench import _checks
from workbench.curves.validation import Floats, finite, quiet, reals
from workbench.selection.runs import log_rates


class Score(ABC):
    """An order of the base's outputs, the same for both datasets."""

    @property
    @abstractmethod
    def name(self) -> str:
        """For titles and legends."""

    def best(
        self, log_rank: ArrayLike, mu: float, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Output and score of the best run, given the rank of its score.

        Parameters
        ----------
        log_rank : array_like, shape (n,)
            Log of the probability that one run's score is below the best.
        mu : float
            The base is N(μ,1).
        rng : numpy.random.Generator

        Returns
        -------
        output, score : ndarray, shape (n,)
        """
        need = "a generator: np.random.default_rng(seed)"
        _checks.instance(rng, np.random.Generator, "rng", need)
        return self._best(log_rates(log_rank, "log_rank"), _checks.number(mu, "mu"), rng)

    def log_below(self, score: ArrayLike, mu: float) -> Floats | None:
        """Log of the probability that one run of the base N(μ,1) has a lower score.

        Parameters
        ----------
        score : array_like, shape (n,)
        mu : float

        Returns
        -------
        ndarray, shape (n,), or None
            None where all scores tie.
        """
        return self._log_below(reals(score, "score"), _checks.number(mu, "mu"))

    @abstractmethod
    def _best(self, log_rank: Floats, mu: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """`best` of checked arguments."""

    @abstractmethod
    def _log_below(self, score: Floats, mu: float) -> Floats | None:
        """`log_below` of checked arguments."""


@dataclass(frozen=True)
class Constant(Score):
    """All outputs tie: the release is one run, and the selection costs nothing."""

    @property
    def name(self) -> str:
        return "constant"

    def _best(self, log_rank: Floats, mu: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
        x = rng.normal(mu, 1.0, log_rank.size)
        return x, np.zeros_like(x)

    def _log_below(self, score: Floats, mu: float) -> None:
        return None


@dataclass(frozen=True)
class Monotone(Score):
    """The score is the output, or any increasing function of it; minus that, if not increasing."""

    increasing: bool = True

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def name(self) -> str:
        return "increasing" if self.increasing else "decreasing"

    def _best(self, log_rank: Floats, mu: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
        sign = 1.0 if self.increasing else -1.0
        x = mu + sign * normal_quantile(log_rank)
        return x, sign * x

    def _log_below(self, score: Floats, mu: float) -> Floats:
        return log_ndtr(score - mu if self.increasing else score + mu)


@dataclass(frozen=True)
class Noisy(Score):
    """Score = output + noise·N(0,1), such as a loss on few validation records; released with it.

    Parameters
    ----------
    noise : float
        Standard deviation, above 0, in units of the base's.
    """

    noise: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise", _checks.positive(self.noise, "noise"))

    @property
    def name(self) -> str:
        return f"increasing with noise {self.noise:g}"

    @property
    def _spread(self) -> float:
        return math.hypot(1.0, self.noise)

    def _best(self, log_rank: Floats, mu: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
        z = normal_quantile(log_rank)
        # Output and score are jointly normal.
        x = mu + z / self._spread + self.noise / self._spread * rng.normal(size=z.size)
        return x, mu + self._spread * z

    def _log_below(self, score: Floats, mu: float) -> Floats:
        return log_ndtr((score - mu) / self._spread)


@dataclass(frozen=True)
class BlockOrder(Score):
    """The line cut into blocks, which are put in any order; within a block the score is monotone.

    Parameters
    ----------
    edges : sequence of float, length b − 1
        Where the blocks meet, increasing.
    ranks : sequence of int, length b
        The place of each block, from left to right: 0 scores lowest. A permutation.
    increasing : bool
        Whether the score increases or decreases with the output within the blocks.

    Raises
    ------
    ValueError
        Edges that do not increase, ranks that are no permutation.
    """

    edges: tuple[float, ...]
    ranks: tuple[int, ...]
    increasing: bool = True

    def __init__(
        self, edges: Sequence[float], ranks: Sequence[int], increasing: bool = True
    ) -> None:
        cuts = finite(np.atleast_1d(_checks.array(edges, "edges")), "edges")
        if (np.diff(cuts) <= 0).any():
            raise ValueError(f"edges must increase, got {_checks.shown(edges)}; sort them")
        blocks = _checks.array(ranks, "ranks")
        if blocks.ndim != 1 or sorted(blocks) != list(range(cuts.size + 1)):
            raise ValueError(
                f"ranks must be a permutation of 0 … {cuts.size}, one a block, got "
                f"{_checks.shown(ranks)}"
            )
        object.__setattr__(self, "edges", tuple(cuts.tolist()))
        object.__setattr__(self, "ranks", tuple(blocks.astype(int).tolist()))
        object.__setattr__(self, "increasing", bool(increasing))

    @property
    def name(self) -> str:
        parts = (f"({low:.3g}, {high:.3g})".replace("inf", "∞") for low, high in self.blocks)
        within = "increasing" if self.increasing else "decreasing"
        return f"{' < '.join(parts)}, {within} within"

    @property
    def blocks(self) -> tuple[tuple[float, float], ...]:
        """Intervals of the line from the lowest score to the highest."""
        ends = (-math.inf, *self.edges, math.inf)
        return tuple((ends[i], ends[i + 1]) for i in self._order)

    @property
    def _order(self) -> list[int]:
        """Blocks from the lowest score to the highest."""
        return sorted(range(len(self.ranks)), key=self.ranks.__getitem__)

    def _block_masses(self, mu: float) -> tuple[Floats, Floats]:
        """Mass of each block, and of all blocks of lower rank, in the order of the line."""
        cuts = np.r_[-np.inf, self.edges, np.inf] - mu
        mass = np.where(cuts[1:] < 0, np.diff(ndtr(cuts)), -np.diff(ndtr(-cuts)))
        lower = np.empty_like(mass)
        lower[self._order] = np.r_[0.0, np.cumsum(mass[self._order])[:-1]]
        return mass, lower

    def _best(self, log_rank: Floats, mu: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
        mass, lower = self._block_masses(mu)
        order, rank = np.array(self._order), np.exp(log_rank)
        block = order[np.searchsorted(lower[order], rank, side="right") - 1]
        part = np.clip(rank - lower[block], 0.0, mass[block])
        cuts = np.r_[-np.inf, self.edges, np.inf] - mu
        # From the end where the score is lowest, in whichever tail keeps more digits.
        from_left = part if self.increasing else mass[block] - part
        left, right = cuts[block], cuts[block + 1]
        below = ndtr(left) + from_left
        above = ndtr(-right) + (mass[block] - from_left)
        x = np.where(below < above, ndtri(below), -ndtri(above))
        x = mu + np.clip(x, left, right)
        return x, x

    @quiet()
    def _log_below(self, score: Floats, mu: float) -> Floats:
        _, lower = self._block_masses(mu)
        cuts = np.r_[-np.inf, self.edges, np.inf]
        block = np.searchsorted(cuts[1:-1], score, side="right")
        start, stop = (cuts[block], score) if self.increasing else (score, cuts[block + 1])
        start, stop = start - mu, stop - mu
        part = np.where(start < 0, ndtr(stop) - ndtr(start), ndtr(-start) - ndtr(-stop))
        return np.log(np.clip(lower[block] + part, 0.0, 1.0))


@quiet()
def normal_quantile(log_rank: Floats) -> Floats:
    """Φ⁻¹ of a probability given by its log, from its smaller side."""
    above = np.log(-np.expm1(log_rank))
    return np.where(log_rank < above, ndtri_exp(log_rank), -ndtri_exp(above))


def require_score(value: Any) -> Score:
    """``value`` when it is a `Score` (TypeError that says how to make one otherwise)."""
    need = "a score such as wb.selection.Monotone() or wb.selection.Noisy(1)"
    return _checks.instance(value, Score, "score", need)
