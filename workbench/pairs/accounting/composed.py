"""The pair of k independent releases."""

from __future__ import annotations

from dataclasses import dataclass

from workbench import _checks
from workbench.pairs.accounting.accounted import Accounted, AccountedPair
from workbench.pairs.base import Pair


@dataclass(frozen=True)
class ComposedPair(AccountedPair):
    """k independent releases of a pair, all of them seen by the attacker.

    In closed form for Gaussian pairs, μ√k (Dong, Roth and Su 2022, Corollary 3.3), and for
    randomized response, a binomial sum (Kairouz, Oh and Viswanath 2015, Theorem 3.3). Otherwise by
    privacy loss distributions, with an error bar: see `workbench.pairs.accounting.pld`. Scores are
    the sums of the k log-likelihood ratios.

    Parameters
    ----------
    pair : Pair
    k : int
        At least 1.

    Raises
    ------
    ValueError
        A k that is not a whole number of at least 1, or something that is no pair.

    Notes
    -----
    Asking for a value raises `AccountantError` where the losses spread so far that no grid of
    bounded size describes them.
    """

    pair: Pair
    k: int

    def __post_init__(self) -> None:
        if not isinstance(self.pair, Pair):
            raise ValueError(f"pair must be a Pair, got {self.pair!r}; GaussianPair(mu) is one")
        object.__setattr__(self, "k", _checks.count(self.k, "k", least=1))

    @property
    def name(self) -> str:
        return f"{self.pair.name}, {self.k} times"

    @property
    def heuristic(self) -> bool:
        return self.pair.heuristic

    @property
    def parameters(self) -> dict[str, object]:
        return {"pair": self.pair, "k": self.k}

    def _closed_form(self) -> Pair | None:
        return self.pair._composed(self.k)

    def _composed(self, k: int) -> ComposedPair:
        return ComposedPair(self.pair, k * self.k)

    @property
    def _accounted(self) -> Accounted:
        return Accounted(self.pair, self.k, self.pair.symmetric)

    @property
    def _largest_loss(self) -> float:
        return self.k * float(self.pair.epsilon(0.0))

    @property
    def _steps(self) -> tuple[Pair, int]:
        return self.pair, self.k
