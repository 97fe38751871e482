"""Selections over finitely many outcomes: the distribution of the release, for any scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from workbench.curves.validation import Floats, finite, quiet, rates
from workbench.pairs.outcomes import Outcomes, OutcomesPair
from workbench.selection.finite_runs import PointMass
from workbench.selection.release_distribution import released
from workbench.selection.runs import RunCount, require_runs


@dataclass(frozen=True, eq=False)
class FiniteSelection(OutcomesPair):
    """Pair of the best of many runs, whose outcomes have given probabilities and scores.

    It has the methods of every pair; ``epsilon(0)`` is pure differential privacy, and
    :meth:`sample` draws privacy losses of the release.

    Parameters
    ----------
    runs : RunCount
    p, q : array_like, shape (m,)
        Probabilities of the outcomes of one run with the record in, and with it out.
    scores : array_like, shape (m,), optional
        Larger is better; by default the outcomes are listed from the worst to the best. Among runs
        that tie the first is released.

    Attributes
    ----------
    released_p, released_q : ndarray, shape (m,) or (m + 1,)
        Probabilities of the release; where the run count can be 0, "nothing" comes last.

    Raises
    ------
    ValueError
        Probabilities outside [0, 1] or not summing to 1 within 1e-9, different lengths, scores
        that are not finite.
    """

    runs: RunCount
    p: Floats
    q: Floats
    scores: Floats

    def __init__(
        self, runs: RunCount, p: ArrayLike, q: ArrayLike, scores: ArrayLike | None = None
    ) -> None:
        object.__setattr__(self, "runs", require_runs(runs))
        object.__setattr__(self, "p", _probabilities(p, "p"))
        object.__setattr__(self, "q", _probabilities(q, "q"))
        order = np.arange(self.p.size) if scores is None else scores
        object.__setattr__(self, "scores", finite(order, "scores"))
        if not self.p.shape == self.q.shape == self.scores.shape:
            raise ValueError(
                f"p, q and scores must have one length, got {self.p.size}, {self.q.size} and "
                f"{self.scores.size}; give each outcome all three"
            )

    @property
    def name(self) -> str:
        return f"best of runs ({self.runs.name}) with {self.p.size} outcomes"

    @property
    def parameters(self) -> dict[str, object]:
        """The arguments that make the same pair again."""
        return {"runs": self.runs, "p": self.p, "q": self.q, "scores": self.scores}

    @property
    def base(self) -> FiniteSelection:
        """One run, without a choice."""
        return FiniteSelection(PointMass(1), self.p, self.q, self.scores)

    @cached_property
    def released_p(self) -> Floats:
        """Probabilities of the release with the record in."""
        return self._released(self.p)

    @cached_property
    def released_q(self) -> Floats:
        """Probabilities of the release with the record out."""
        return self._released(self.q)

    def _released(self, mass: Floats) -> Floats:
        _, level = np.unique(self.scores, return_inverse=True)
        tied = np.bincount(level, weights=mass).astype(float)
        share = np.divide(mass, tied[level], out=np.zeros_like(mass), where=mass > 0)
        law = share * released(self.runs, tied)[level]
        return np.append(law, self.runs.nothing) if self.runs.nothing else law

    @cached_property
    def outcomes(self) -> Outcomes:
        return Outcomes.from_masses(self.released_p, self.released_q)

    # Scores are privacy losses of the release.

    def _privacy_loss(self, score: Floats) -> Floats:
        return score

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        return self._draw(self.released_p, n, rng)

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        return self._draw(self.released_q, n, rng)

    def _draw(self, law: Floats, n: int, rng: np.random.Generator) -> Floats:
        with quiet():
            loss = np.log(self.released_p) - np.log(self.released_q)
        return rng.choice(loss, size=n, p=law / law.sum())


def _probabilities(values: ArrayLike, name: str) -> Floats:
    """Probabilities of a list of outcomes (ValueError otherwise)."""
    x = rates(values, name)
    if x.ndim != 1 or not abs(x.sum() - 1) <= 1e-9:
        raise ValueError(
            f"{name} must be a list of probabilities that sum to 1, got shape {x.shape} and sum "
            f"{x.sum():.10g}; give every outcome, the rest as one more"
        )
    return x / x.sum()
