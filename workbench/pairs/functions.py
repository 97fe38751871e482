"""`PrivacyFunctions`: what the values of a pair are computed with."""

from __future__ import annotations

from abc import ABC, abstractmethod

from workbench.curves.validation import Floats


class PrivacyFunctions(ABC):
    """Privacy profile, trade-off function and Rényi divergences on checked float arrays.

    What a `workbench.pairs.base.Pair` is computed with. A pair with closed forms has its own; a
    composition holds those of another pair. As in `scipy.stats.rv_continuous`, the methods with an
    underscore see checked arrays, and people call those of the pair without it. A pair of your own
    needs none of them: see `workbench.Pair.from_functions`.
    """

    @property
    @abstractmethod
    def total_variation(self) -> float:
        """sup_E |P(E) − Q(E)|, the membership advantage."""

    @property
    def symmetric(self) -> bool:
        """Whether exchanging P and Q changes nothing: T(P→Q) = T(Q→P)."""
        return False

    @abstractmethod
    def _log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        """Log of the hockey-stick divergence of one direction."""

    @abstractmethod
    def _log_profile(self, epsilon: Floats) -> Floats:
        """Log of the larger of the two."""

    @abstractmethod
    def _epsilon(self, delta: Floats) -> Floats:
        """Inverse of the profile, at least 0."""

    @abstractmethod
    def _log_rates(self, alpha: Floats) -> tuple[Floats, Floats]:
        """Logs of the false negative and the true positive rate of T(Q→P), each in its own tail."""

    @abstractmethod
    def _symmetric_tradeoff(self, alpha: Floats) -> Floats:
        """The lower convex hull of T(Q→P) and T(P→Q)."""

    @abstractmethod
    def _symmetric_local_mu(self, alpha: Floats) -> Floats:
        """Local μ of the symmetrized curve, at the α that ``_revealing_alphas`` gives and above."""

    @abstractmethod
    def _revealing_alphas(self, floor: float) -> Floats:
        """Where the symmetrized curve's local μ may be largest with both rates ≥ ``floor``."""

    def _renyi_divergence(self, order: float) -> float | None:
        """The larger of both directions' Rényi divergences, in closed form; None where none is."""
        return None
