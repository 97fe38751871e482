"""Ways to get a lower bound from two score samples: one class for each guarantee."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from workbench import _checks
from workbench.bounds.anytime.anytime import anytime_epsilon, anytime_mu
from workbench.bounds.bound import Bound
from workbench.bounds.counts.threshold import epsilon_at_threshold, mu_at_threshold
from workbench.bounds.held_out.held_out import METHODS, MOST_SPLITS, held_out_bound
from workbench.bounds.one_question.one_question import one_question_bound
from workbench.bounds.quantities import Epsilon, Mu
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.scores.sample import Scores


class Strategy(ABC):
    """A guarantee with its settings: how lower bounds are computed from scores."""

    @abstractmethod
    def epsilon(self, scores: Scores, delta: float, confidence: float) -> Bound:
        """Lower bound on ε at δ.

        Parameters
        ----------
        scores : Scores
        delta : float
            In [0, 1).
        confidence : float
            In (0.5, 1).
        """

    @abstractmethod
    def mu(self, scores: Scores, confidence: float) -> Bound:
        """Lower bound on μ.

        Parameters
        ----------
        scores : Scores
        confidence : float
            In (0.5, 1).
        """


@dataclass(frozen=True)
class Simultaneous(Strategy):
    """Bounds that hold for all thresholds, all δ and both directions at once.

    The threshold may therefore be chosen after the scores were seen.

    Examples
    --------
    >>> scores = wb.GaussianPair(1).sample(1000, seed=0)
    >>> wb.epsilon_lower_bound(scores, delta=1e-5, guarantee=wb.Simultaneous()).guarantee
    'simultaneous'
    """

    def epsilon(self, scores: Scores, delta: float, confidence: float) -> Bound:
        """Lower bound on ε at δ, from `tradeoff_band`."""
        return tradeoff_band(scores, confidence).epsilon(delta)

    def mu(self, scores: Scores, confidence: float) -> Bound:
        """Lower bound on μ, from `tradeoff_band`."""
        return tradeoff_band(scores, confidence).mu()


@dataclass(frozen=True)
class OneQuestion(Strategy):
    """Bounds on one quantity, fixed before the scores were seen, over all thresholds.

    Sharper than `Simultaneous`, whose error probability covers every quantity, δ and claim; this
    bound covers one. A second quantity, δ or confidence spends the error probability again.

    Examples
    --------
    >>> scores = wb.GaussianPair(1).sample(1000, seed=0)
    >>> print(wb.epsilon_lower_bound(scores, delta=1e-5, guarantee=wb.OneQuestion()))
    ε at δ = 1e-5 ≥ 1.42 (one question, 95%, independent runs)
    """

    def epsilon(self, scores: Scores, delta: float, confidence: float) -> Bound:
        """Lower bound on ε at δ."""
        return one_question_bound(scores, Epsilon(delta), confidence)

    def mu(self, scores: Scores, confidence: float) -> Bound:
        """Lower bound on μ."""
        return one_question_bound(scores, Mu(), confidence)


@dataclass(frozen=True)
class Pointwise(Strategy):
    """Bounds at one threshold that was chosen before the scores were seen.

    Parameters
    ----------
    threshold : float
        In score units.
    interval : str
        As of `workbench.epsilon_from_counts`: "clopper-pearson" and "joint" keep their level, the
        others make the guarantee approximate. "katz-log" serves ε only.

    Raises
    ------
    ValueError
        An infinite threshold, or NaN.

    Examples
    --------
    >>> scores = wb.GaussianPair(1).sample(1000, seed=0)
    >>> at_threshold = wb.Pointwise(threshold=2, interval="joint")
    >>> wb.epsilon_lower_bound(scores, delta=1e-5, guarantee=at_threshold).threshold
    2.0
    """

    threshold: float
    interval: str = "clopper-pearson"

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", _checks.number(self.threshold, "threshold"))

    def epsilon(self, scores: Scores, delta: float, confidence: float) -> Bound:
        """Lower bound on ε at δ, from the error rates at the threshold."""
        return epsilon_at_threshold(scores, self.threshold, delta, confidence, self.interval)

    def mu(self, scores: Scores, confidence: float) -> Bound:
        """Lower bound on μ, from the error rates at the threshold."""
        return mu_at_threshold(scores, self.threshold, confidence, self.interval)


@dataclass(frozen=True)
class HeldOut(Strategy):
    """Bounds tuned on one fifth of the scores and measured on the rest.

    `Scores.chance` decides which part is which.

    Parameters
    ----------
    ordering : {"threshold", "likelihood-ratio"}
        Thresholds of the scores themselves, or of a likelihood ratio learned on the first part,
        for members that score both high and low.
    splits : int
        How many splits are combined, as exchangeable p-values. Nine splits depend less on chance
        than one, and show 4% more of small leaks and 2% less of large ones.

    Raises
    ------
    ValueError
        An unknown ordering, or fewer than one split.

    Examples
    --------
    >>> scores = wb.GaussianPair(1).sample(1000, seed=0)
    >>> wb.mu_lower_bound(scores, guarantee=wb.HeldOut(splits=3)).guarantee
    'held-out'
    """

    ordering: Literal["threshold", "likelihood-ratio"] = "threshold"
    splits: int = 1

    def __post_init__(self) -> None:
        _checks.one_of(self.ordering, "ordering", METHODS)
        object.__setattr__(self, "splits", _checks.count(self.splits, "splits", 1, MOST_SPLITS))

    def epsilon(self, scores: Scores, delta: float, confidence: float) -> Bound:
        """Lower bound on ε at δ."""
        return held_out_bound(scores, Epsilon(delta), confidence, self.ordering, self.splits)

    def mu(self, scores: Scores, confidence: float) -> Bound:
        """Lower bound on μ."""
        return held_out_bound(scores, Mu(), confidence, self.ordering, self.splits)


@dataclass(frozen=True)
class Anytime(Strategy):
    """Bounds that hold at every sample size at once, for scores in their order of arrival.

    The audit may therefore be watched and stopped.

    Parameters
    ----------
    ratio : pair of int
        How many scores of P and of Q form a block, fixed before they arrive.

    Examples
    --------
    >>> scores = wb.GaussianPair(1).sample(1000, seed=0)
    >>> wb.epsilon_lower_bound(scores, delta=1e-5, guarantee=wb.Anytime(ratio=(1, 2))).n_p
    500
    """

    ratio: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        _checks.fields(self)

    def epsilon(self, scores: Scores, delta: float, confidence: float) -> Bound:
        """Lower bound on ε at δ, from `anytime_epsilon`."""
        return anytime_epsilon(scores, delta, confidence, self.ratio)

    def mu(self, scores: Scores, confidence: float) -> Bound:
        """Lower bound on μ, from `anytime_mu`."""
        return anytime_mu(scores, confidence, self.ratio)
