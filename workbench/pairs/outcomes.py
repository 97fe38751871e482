"""Pairs given by their outcomes: finitely many, each with its mass under P and under Q.

The optimal test takes outcomes in the order of their privacy loss log p/q, so everything is a sum
from one end of that order. With P_j, Q_j the masses of the outcomes of loss above ε::

    H_{e^ε}(P‖Q) = P_j − e^ε Q_j

and the trade-off function has its vertices at (Q_j, 1 − P_j). Sums are kept in logs, so that
losses of several thousand neither overflow nor vanish.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from workbench import _checks
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats, quiet
from workbench.pairs.base import Pair
from workbench.pairs.functions import PrivacyFunctions


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes:
    """Outcomes in the order of their privacy loss, with sums from both ends.

    Parameters
    ----------
    loss : array_like, shape (n,)
        log p/q of each outcome, in any order; +∞ where only P has mass, −∞ where only Q has.
    log_p, log_q : array_like, shape (n,)
        Logs of the masses; −∞ is none. ``log_p − log_q`` is ``loss`` up to round-off.
    symmetric : bool
        Whether exchanging P and Q gives the same outcomes; the caller's to know.
    """

    loss: Floats
    log_p: Floats
    log_q: Floats
    symmetric: bool = False

    def __post_init__(self) -> None:
        order = np.argsort(-np.asarray(self.loss, dtype=float), kind="stable")
        for name in ("loss", "log_p", "log_q"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float)[order])

    @classmethod
    def from_masses(cls, p: ArrayLike, q: ArrayLike, symmetric: bool = False) -> Outcomes:
        """Outcomes from their probabilities.

        Parameters
        ----------
        p, q : array_like, shape (n,)
            Probabilities under P and under Q; outcomes with none are left out.
        symmetric : bool
            Whether exchanging P and Q gives the same outcomes.
        """
        p, q = _checks.array(p, "p"), _checks.array(q, "q")
        seen = (p > 0) | (q > 0)
        with quiet():
            log_p, log_q = np.log(p[seen]), np.log(q[seen])
        return cls(log_p - log_q, log_p, log_q, symmetric)

    @property
    def size(self) -> int:
        """Number of outcomes."""
        return self.loss.size

    # -- sums -------------------------------------------------------------------------------------

    @cached_property
    def above_p(self) -> Floats:
        """Log of P's mass in the first j outcomes, shape (n + 1,)."""
        return _running(self.log_p)

    @cached_property
    def above_q(self) -> Floats:
        """Log of Q's mass in the first j outcomes, shape (n + 1,)."""
        return _running(self.log_q)

    @cached_property
    def below_p(self) -> Floats:
        """Log of P's mass from outcome j on, shape (n + 1,)."""
        return _running(self.log_p[::-1])[::-1]

    @cached_property
    def below_q(self) -> Floats:
        """Log of Q's mass from outcome j on, shape (n + 1,)."""
        return _running(self.log_q[::-1])[::-1]

    @cached_property
    def _rising(self) -> Floats:
        """The losses with the other sign, in rising order."""
        return -self.loss

    def count_above(self, loss: Floats) -> np.ndarray:
        """How many outcomes have a loss above, those of infinite loss always among them."""
        least = int(np.searchsorted(self._rising, -np.inf, side="right"))
        return np.maximum(np.searchsorted(self._rising, -loss, side="left"), least)

    def count_from(self, loss: Floats) -> np.ndarray:
        """How many have a loss of at least this; those of loss −∞ never among them."""
        most = int(np.searchsorted(self._rising, np.inf, side="left"))
        return np.minimum(np.searchsorted(self._rising, -loss, side="right"), most)

    # -- what follows -----------------------------------------------------------------------------

    @quiet()
    def log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        """Log of the hockey-stick divergence of one direction."""
        if direction == "P‖Q" or self.symmetric:
            j = self.count_above(epsilon)
            gain, cost = self.above_p[j], self.above_q[j]
        else:
            j = self.count_from(-epsilon)
            gain, cost = self.below_q[j], self.below_p[j]
        with quiet():
            return np.minimum(
                log_difference(gain, np.where(cost > -np.inf, epsilon + cost, cost)), 0
            )

    def epsilon(self, delta: Floats, direction: str) -> Floats:
        """The smallest real ε with H_{e^ε} ≤ δ; ∞ where the mass of infinite loss exceeds δ."""
        if direction == "P‖Q" or self.symmetric:
            return _invert(self._steps_forward, self.above_p, self.above_q, delta)
        return _invert(self._steps_backward, self.below_q[::-1], self.below_p[::-1], delta)

    @cached_property
    def _steps_forward(self) -> tuple[Floats, Floats]:
        """Losses from the largest on, and the log of H_{e^ε}(P‖Q) at ε = each of them."""
        return self.loss, _at_losses(self.loss, self.above_p, self.above_q)

    @cached_property
    def _steps_backward(self) -> tuple[Floats, Floats]:
        """The same with P and Q exchanged."""
        loss = -self.loss[::-1]
        return loss, _at_losses(loss, self.below_q[::-1], self.below_p[::-1])

    @quiet()
    def log_rates(self, alpha: Floats) -> tuple[Floats, Floats]:
        """Logs of the false negative and the true positive rate of T(Q→P)."""
        log_alpha = np.log(alpha)
        # The last outcome, in the order of the test, of which some share is still rejected.
        j = np.searchsorted(self.above_q, log_alpha, side="right") - 1
        j = np.clip(j, 0, self.size - 1)
        share = log_difference(log_alpha, self.above_q[j])
        late = log_difference(np.log1p(-alpha), self.below_q[j + 1])
        early = log_difference(self.above_q[j + 1], log_alpha)
        rest = np.where(alpha > 0.5, late, early)
        # A share of no mass of Q has none of P, whatever the loss.
        gained = np.where(share > -np.inf, share + self.loss[j], -np.inf)
        missed = np.where(rest > -np.inf, rest + self.loss[j], -np.inf)
        log_tpr = np.logaddexp(self.above_p[j], gained)
        log_fnr = np.logaddexp(self.below_p[j + 1], missed)
        return np.minimum(log_fnr, 0.0), np.minimum(log_tpr, 0.0)

    def renyi_divergence(self, order: float) -> float:
        """The Rényi divergence of the leakiest pair that is as private in both directions."""
        log_p, log_q = self.log_p, self.log_q
        if not self.symmetric:
            curve = self.curve.symmetrized()  # an outcome for each segment
            with quiet():
                log_p = np.log(np.r_[1 - curve.beta[0], np.maximum(-np.diff(curve.beta), 0)])
                log_q = np.log(np.r_[0.0, np.diff(curve.alpha)])
        if ((log_p > -np.inf) & (log_q == -np.inf)).any():
            return math.inf
        both = log_p > -np.inf
        moment = float(logsumexp(order * log_p[both] + (1 - order) * log_q[both]))
        return max(moment / (order - 1), 0.0)

    @cached_property
    def curve(self) -> TradeoffCurve:
        """The trade-off function T(Q→P), exact to about 1e-15."""
        fpr, fnr = np.exp(self.above_q), np.exp(self.below_p)
        return TradeoffCurve.hull(np.clip(fpr, 0, 1), np.clip(fnr, 0, 1))


class OutcomesPair(PrivacyFunctions, Pair):
    """A pair whose trade-off function and profile are those of its :attr:`outcomes`."""

    @property
    @abstractmethod
    def outcomes(self) -> Outcomes:
        """All outcomes with their privacy losses and masses; made once."""

    @property
    def symmetric(self) -> bool:
        return self.outcomes.symmetric

    @property
    def total_variation(self) -> float:
        return float(np.exp(self._log_profile(np.zeros(()))))

    def _log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        return self.outcomes.log_hockey_stick(epsilon, direction)

    def _log_profile(self, epsilon: Floats) -> Floats:
        forward = self.outcomes.log_hockey_stick(epsilon, "P‖Q")
        if self.outcomes.symmetric:
            return forward
        return np.maximum(forward, self.outcomes.log_hockey_stick(epsilon, "Q‖P"))

    def _epsilon(self, delta: Floats) -> Floats:
        forward = self.outcomes.epsilon(delta, "P‖Q")
        if not self.outcomes.symmetric:
            forward = np.maximum(forward, self.outcomes.epsilon(delta, "Q‖P"))
        return np.maximum(forward, 0.0)

    def _log_rates(self, alpha: Floats) -> tuple[Floats, Floats]:
        return self.outcomes.log_rates(alpha)

    def _symmetric_tradeoff(self, alpha: Floats) -> Floats:
        if self.outcomes.symmetric:
            return np.exp(self.outcomes.log_rates(alpha)[0])
        return np.asarray(self.outcomes.curve.tradeoff(alpha))

    def _symmetric_local_mu(self, alpha: Floats) -> Floats:
        if self.outcomes.symmetric:
            return np.asarray(self.local_mu(alpha))
        return np.asarray(self.outcomes.curve.symmetrized().local_mu(alpha))

    def _revealing_alphas(self, floor: float) -> Floats:
        # {β ≥ G_μ(α)} is convex, so on a segment the largest local μ is at an end. The curve is
        # its own mirror image: the end where β meets the floor is the one where α does.
        if self.outcomes.symmetric:
            alpha = np.exp(self.outcomes.above_q)
        else:
            alpha = self.outcomes.curve.symmetrized().alpha
        return np.r_[floor, alpha[(alpha > floor) & (alpha < 1)]]

    def _renyi_divergence(self, order: float) -> float:
        return self.outcomes.renyi_divergence(order)

    def error_rates(self) -> tuple[Floats, Floats]:
        fpr, fnr = np.exp(self.outcomes.above_q[1:-1]), np.exp(self.outcomes.below_p[1:-1])
        return np.minimum(fpr, 1.0), np.minimum(fnr, 1.0)

    def loss_distribution(self) -> tuple[Floats, Floats, Floats]:
        o = self.outcomes
        finite = np.isfinite(o.loss)
        p, q = np.exp(o.log_p[finite]), np.exp(o.log_q[finite])
        return o.loss[finite][::-1], p[::-1], q[::-1]

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        raise self._no_scores()

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        raise self._no_scores()

    def _privacy_loss(self, score: Floats) -> Floats:
        raise self._no_scores()

    def _no_scores(self) -> ValueError:
        return ValueError(
            f"{self.name} is a statement about privacy loss and has no scores of its own; sample a "
            "mechanism that meets it, such as RandomizedResponsePair(epsilon, delta)"
        )


def log_difference(larger: Floats, smaller: Floats) -> Floats:
    """log(e^a − e^b) for a ≥ b; −∞ where round-off has it the other way round."""
    with quiet():
        gap = np.where(smaller > -np.inf, smaller - larger, -np.inf)
        return np.where(gap < 0, larger + np.log(-np.expm1(np.minimum(gap, 0.0))), -np.inf)


def _running(log_mass: Floats) -> Floats:
    """Logs of the running sums, from none to all."""
    n = log_mass.size
    # Sums of sums: the round-off of √n additions instead of n.
    rows = math.isqrt(max(n - 1, 0)) + 1
    padded = np.full(rows * rows, -np.inf)
    padded[:n] = log_mass
    within = np.logaddexp.accumulate(padded.reshape(rows, rows), axis=1)
    before = np.concatenate([[-np.inf], np.logaddexp.accumulate(within[:, -1])[:-1]])
    return np.concatenate([[-np.inf], np.logaddexp(within, before[:, None]).ravel()[:n]])


@quiet()
def _at_losses(loss: Floats, gain: Floats, cost: Floats) -> Floats:
    """Logs of e^gain_j − e^(loss_j + cost_j), j counting the losses above: never falling."""
    # Where nothing is paid, as for outcomes of infinite loss, no ε pays it off.
    paid = np.where(cost[:-1] > -np.inf, loss + cost[:-1], -np.inf)
    return np.maximum.accumulate(log_difference(gain[:-1], paid))


@quiet()
def _invert(steps: tuple[Floats, Floats], gain: Floats, cost: Floats, delta: Floats) -> Floats:
    """The smallest ε with e^gain_j − e^(ε + cost_j) ≤ δ, j counting the losses above ε."""
    loss, log_h = steps
    log_delta = np.log(delta)
    last = np.searchsorted(log_h, log_delta, side="right") - 1
    active = np.clip(last + 1, 0, loss.size)
    epsilon = log_difference(gain[active], log_delta) - cost[active]
    below = np.append(loss[1:], -np.inf)[np.clip(last, 0, None)]
    return np.clip(epsilon, below, loss[np.clip(last, 0, None)])
