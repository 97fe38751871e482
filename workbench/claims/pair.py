"""f-differential privacy as a claim: a pair whose trade-off function is claimed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from workbench import _checks
from workbench.claims.base import Claim, checked_epsilon
from workbench.claims.gdp import GDP
from workbench.pairs.base import Pair

if TYPE_CHECKING:
    from workbench.bounds.power.power import Mechanisms
    from workbench.curves.validation import Floats

#: Vertices on half of a symmetric trade-off function, evenly in the log of the rate.
_VERTICES = 3000

#: A pair of a smaller total variation distance leaks nothing, up to round-off.
_NOTHING = 1e-12

#: The least false positive rate that is looked at.
_LEAST_RATE = 1e-10


@dataclass(frozen=True, repr=False)
class PairClaim(Claim):
    """The claim to leak at most as much as a pair, in either direction (f-DP).

    f is the symmetrized trade-off function of the pair. Evidence refutes the claim as a whole, as
    it has no parameter.

    Parameters
    ----------
    pair : Pair

    Raises
    ------
    TypeError
        Something else than a pair.
    ValueError
        A heuristic pair, such as `workbench.LastIteratePair`, which no mechanism promises.
    """

    title = "f-DP, trade-off function of a pair"

    pair: Pair

    def __post_init__(self) -> None:
        _checks.instance(self.pair, Pair, "pair", "a pair such as wb.GaussianPair(1)")
        if self.pair.heuristic:
            raise ValueError(
                f"no mechanism promises to leak at most {self.pair.name}, which is a heuristic; "
                "take the pair of an accountant as the claim, such as wb.DPSGDPair"
            )

    def __str__(self) -> str:
        said = f"no leakier than {self.pair.name}"
        return f"{said} ({self.fields})" if self.fields.given else said

    @property
    def own_relation(self) -> str:
        return str(self.pair.parameters.get("neighboring_relation", ""))

    @property
    def short(self) -> str:
        return self.pair.short

    @property
    def parameters(self) -> dict[str, Any]:
        return {"pair": self.pair}

    @property
    def parameter(self) -> None:
        return None

    @property
    def symbol(self) -> str:
        return ""

    @property
    def dominating_pair(self) -> Pair:
        return self.pair

    def with_parameter(self, x: float) -> NoReturn:
        """A ValueError: there is no parameter."""
        raise ValueError(f"a pair as claim has no parameter to set to {x!r}; take another claim")

    def parameter_refuted_by_rates(self, fpr_upper: Any, fnr_upper: Any) -> None:
        return None

    def parameter_refuted_by_delta(self, delta: float, epsilon: float) -> None:
        checked_epsilon(epsilon)

    def parameter_refuted_by_renyi(self, value: float, order: float) -> None:
        _checks.order(order)

    def alternatives(self) -> tuple[Mechanisms, ...]:
        # With x-fold privacy losses L, the symmetrized pair keeps the mass of its infinite losses,
        # and the masses of the others become ∝ √(PQ)·e^{±xL/2}: a Gaussian pair of μ goes to xμ,
        # randomized response of (ε, δ) to (xε, δ).
        from workbench.bounds.power.power import Mechanisms

        if self.pair.total_variation < _NOTHING:
            return GDP(0.0).alternatives()  # nothing to multiply
        name = "all privacy losses multiplied"
        return (Mechanisms(name, "factor", 1.0, _multiplied(self.pair)),)

    def why_any_renyi(self, order: float) -> str:
        return f"which Rényi divergence {self.pair.name} allows is not known, or infinite"


def _multiplied(pair: Pair) -> Callable[[float, Floats], Floats]:
    """(x, α) -> f(α) of the symmetrized pair with every privacy loss x times as large."""
    # A symmetric trade-off function is its own inverse and meets the diagonal where its slope
    # passes −1; half of its segments say it all.
    middle = (1 - pair.total_variation) / 2
    if middle <= 0:
        return lambda x, alpha: np.zeros_like(alpha)
    rate = np.geomspace(min(_LEAST_RATE, middle / 2), middle, _VERTICES)
    fnr = np.asarray(pair.tradeoff(np.r_[0.0, rate]))
    q, p = np.diff(np.r_[0.0, rate]), np.maximum(-np.diff(fnr), 0.0)
    revealed = 1 - fnr[0]
    with np.errstate(divide="ignore"):
        log_base, loss = (np.log(p) + np.log(q)) / 2, np.maximum(np.log(p) - np.log(q), 0.0)

    def curve(x: float, alpha: Floats) -> Floats:
        likely, unlikely = log_base + x * loss / 2, log_base - x * loss / 2
        top = likely.max()
        masses = np.exp(np.r_[likely, unlikely[::-1]] - top)
        above_p = np.cumsum(np.r_[0.0, masses])
        above_q = np.cumsum(np.r_[0.0, masses[::-1]])
        share = (1 - revealed) / above_p[-1]
        reached = revealed + share * np.interp(alpha / share, above_q, above_p)
        return np.maximum(1 - reached, 0.0)

    return curve
