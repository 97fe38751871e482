"""Dominating pairs of Rényi curves and of tables of (ε, δ).

Many mechanisms meet an upper bound on privacy loss. The pairs here leak at least as much as any of
them; the pair of a claimed (ε, δ) is `RandomizedResponsePair`, a claimed μ is
`GaussianPair`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from workbench import _checks
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats, Values, inner_rates, quiet, shaped
from workbench.pairs.outcomes import Outcomes, OutcomesPair

if TYPE_CHECKING:
    import pandas as pd

#: How far a printed δ may lie above the chord of its neighbors: rounding to two digits.
_ROUNDING = 0.01

_LARGEST_EPSILON = 700.0


@dataclass(frozen=True)
class RenyiPair(OutcomesPair):
    """A pair that leaks at least as much as any with R_a(P‖Q), R_a(Q‖P) ≤ ε_a for orders a.

    δ(ε) is the smallest over the orders of e^{(a−1)(ε_a − ε)} (1 − 1/a)^{a−1} / a (Canonne, Kamath,
    Steinke, 2020, arXiv 2004.00010, Proposition 12) and of √(1 − e^{−ε_a}), which bounds the total
    variation (Bretagnolle–Huber). Both are upper bounds, so every value here is on the side of more
    leakage; no single mechanism need reach them.

    Parameters
    ----------
    orders : sequence of float
        Above 1 and finite.
    epsilons : sequence of float
        One for each order, at least 0.

    Raises
    ------
    ValueError
        No order, two lengths, a number outside its range.
    """

    orders: tuple[float, ...]
    epsilons: tuple[float, ...]

    def __post_init__(self) -> None:
        orders = tuple(_checks.number(a, "order") for a in _sequence(self.orders))
        epsilons = tuple(_checks.number(e, "epsilon") for e in _sequence(self.epsilons))
        if len(orders) != len(epsilons) or not orders:
            raise ValueError(
                f"orders and epsilons must have one length of at least 1, got {len(orders)} and "
                f"{len(epsilons)}; give one ε an order"
            )
        for a, e in zip(orders, epsilons, strict=True):
            if a <= 1:
                raise ValueError(f"order must be above 1, got {a!r}; order 2 is a common choice")
            if e < 0:
                raise ValueError(f"epsilon must be at least 0, got {e!r}; 0 is perfect privacy")
        object.__setattr__(self, "orders", orders)
        object.__setattr__(self, "epsilons", epsilons)

    @property
    def name(self) -> str:
        if len(self.orders) == 1:
            return f"Rényi, order {self.orders[0]:g}, ε = {self.epsilons[0]:g}"
        return f"Rényi, {len(self.orders)} orders"

    @property
    def parameters(self) -> dict[str, Any]:
        return {"orders": self.orders, "epsilons": self.epsilons}

    def _renyi_divergence(self, order: float) -> float:
        known = zip(self.orders, self.epsilons, strict=True)
        return min((e for a, e in known if a >= order), default=math.inf)

    def _composed(self, k: int) -> RenyiPair:
        # Rényi divergences add up.
        return RenyiPair(self.orders, tuple(k * e for e in self.epsilons))

    @quiet()
    def _log_profile(self, epsilon: Floats) -> Floats:
        log_delta = self._log_delta(np.abs(epsilon))
        # H(−ε) = 1 − e^−ε + e^−ε H(ε)
        size = np.abs(epsilon)
        below = np.logaddexp(np.log(-np.expm1(-size)), log_delta - size)
        return np.where(epsilon >= 0, log_delta, np.minimum(below, 0.0))

    def _log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        return self._log_profile(epsilon)

    @quiet()
    def _log_delta(self, epsilon: Floats) -> Floats:
        log_delta = np.full_like(epsilon, self._log_total_variation)
        for a, e in zip(self.orders, self.epsilons, strict=True):
            here = (a - 1) * (e - epsilon + math.log1p(-1 / a)) - math.log(a)
            log_delta = np.minimum(log_delta, here)
        return log_delta

    @property
    @quiet()
    def _log_total_variation(self) -> float:
        # Every order bounds the Kullback–Leibler divergence.
        return float(np.log(-np.expm1(-min(self.epsilons))) / 2)

    @quiet()
    def _epsilon(self, delta: Floats) -> Floats:
        log_delta = np.log(delta)
        epsilon = np.full_like(delta, np.inf)
        for a, e in zip(self.orders, self.epsilons, strict=True):
            here = e + math.log1p(-1 / a) - (log_delta + math.log(a)) / (a - 1)
            epsilon = np.minimum(epsilon, here)
        epsilon = np.where(log_delta >= self._log_total_variation, 0.0, epsilon)
        return np.maximum(epsilon, 0.0)

    def best_orders(self, delta: ArrayLike) -> Values:
        """The order that gives the least ε at each δ.

        Parameters
        ----------
        delta : array_like
            In (0, 1).

        Returns
        -------
        float or ndarray, the shape of ``delta``

        Raises
        ------
        ValueError
            A δ outside (0, 1).
        """
        a, e = np.array(self.orders), np.array(self.epsilons)
        rest = (np.log(inner_rates(delta, "delta"))[..., None] + np.log(a)) / (a - 1)
        return shaped(a[np.argmin(e + np.log1p(-1 / a) - rest, axis=-1)])

    @cached_property
    def outcomes(self) -> Outcomes:
        # Each ε gives lines below the trade-off function (HIST Lemma 7); fewer of them, a lower f.
        delta = np.geomspace(1e-16, 1, 801)[:-1]
        epsilon = np.unique(np.r_[0.0, self._epsilon(delta)])
        epsilon = epsilon[epsilon <= _LARGEST_EPSILON]
        return _outcomes_of(TradeoffCurve.from_profile(epsilon, np.exp(self._log_delta(epsilon))))


@dataclass(frozen=True)
class ProfileTablePair(OutcomesPair):
    """The pair that leaks most among those that meet a table of (ε, δ).

    Each row claims (ε, δ)-DP, so f ≥ max over the rows of f_{ε,δ} (Koskela and
    Mohammadi 2024, Lemma 7). Between two rows
    the profile is the chord in e^ε, above the last row it stays at the last δ, both on the side of
    more leakage: a true profile is convex and lies below. Nothing is said between rows that the
    rows do not imply.

    Parameters
    ----------
    epsilons : sequence of float
        In [0, 700], no two equal, in any order.
    deltas : sequence of float
        In [0, 1]; must fall, or stay, as ε rises, and be convex in e^ε up to a rounding of 1%.

    Raises
    ------
    ValueError
        A table that is no profile; the message quotes the row, counted from 1.
    """

    epsilons: tuple[float, ...]
    deltas: tuple[float, ...]

    def __post_init__(self) -> None:
        e, d = _sequence(self.epsilons), _sequence(self.deltas)
        if len(e) != len(d) or not len(e):
            raise ValueError(
                f"epsilons and deltas must have one length of at least 1, got {len(e)} and "
                f"{len(d)}; give one δ an ε"
            )
        rows = [(_cell(e[i], "ε", i), _cell(d[i], "δ", i), i + 1) for i in range(len(e))]
        rows.sort()
        _refuse_non_profile(rows)
        object.__setattr__(self, "epsilons", tuple(row[0] for row in rows))
        object.__setattr__(self, "deltas", tuple(row[1] for row in rows))

    @classmethod
    def read(
        cls, source: str | Path | pd.DataFrame, epsilon: str = "epsilon", delta: str = "delta"
    ) -> ProfileTablePair:
        """From a csv file with a header line, or from a DataFrame.

        Parameters
        ----------
        source : path or DataFrame
        epsilon, delta : str
            Names of the two columns.

        Raises
        ------
        ValueError
            A column that is not there, a file that cannot be read, a table that is no profile.
        """
        import pandas as pd

        if isinstance(source, pd.DataFrame):
            frame = source
        else:
            try:
                frame = pd.read_csv(source)
            except (OSError, ValueError) as e:  # pandas' own errors are ValueErrors
                raise ValueError(f"cannot read a table from {str(source)!r}: {e}") from None
        for column in (epsilon, delta):
            if column not in frame.columns:
                raise ValueError(
                    f"the table has no column {column!r}, only {', '.join(map(str, frame.columns))}"
                    "; name the columns with epsilon= and delta="
                )
        return cls(tuple(frame[epsilon]), tuple(frame[delta]))

    @property
    def name(self) -> str:
        return f"Table of {len(self.epsilons)} (ε, δ)"

    @property
    def parameters(self) -> dict[str, Any]:
        return {"epsilons": self.epsilons, "deltas": self.deltas}

    @cached_property
    def outcomes(self) -> Outcomes:
        return _outcomes_of(TradeoffCurve.from_profile(self.epsilons, self.deltas))


def _outcomes_of(curve: TradeoffCurve) -> Outcomes:
    """The pair of a symmetric trade-off function: an outcome a segment."""
    p = np.r_[1 - curve.beta[0], -np.diff(curve.beta)]
    q = np.r_[0.0, np.diff(curve.alpha)]
    return Outcomes.from_masses(np.maximum(p, 0), q, symmetric=True)


def _sequence(values: Any) -> Sequence[Any]:
    _checks.convertible(values, "values")
    return (values,) if np.isscalar(values) else tuple(values)


def _cell(value: Any, what: str, i: int) -> float:
    x = _checks.real(value, f"row {i + 1}: {what}")
    top = _LARGEST_EPSILON if what == "ε" else 1.0
    if not 0 <= x <= top:
        raise ValueError(
            f"row {i + 1}: {what} must lie in [0, {top:g}], got {_checks.shown(value)}"
        )
    return x


def _refuse_non_profile(rows: list[tuple[float, float, int]]) -> None:
    for (e0, d0, r0), (e1, d1, r1) in pairwise(rows):
        if e0 == e1:
            raise ValueError(f"rows {r0} and {r1} both give ε = {e0:g}; keep one of them")
        if d1 > d0:
            raise ValueError(
                f"row {r1}: δ rises from {d0:g} at ε = {e0:g} to {d1:g} at ε = {e1:g}; "
                "the δ of a mechanism falls as ε rises, check that row"
            )
    for (e0, d0, _), (e1, d1, r1), (e2, d2, _) in zip(rows, rows[1:], rows[2:], strict=False):
        share = math.expm1(e1 - e0) / math.expm1(e2 - e0)
        chord = (1 - share) * d0 + share * d2
        if d1 > chord * (1 + _ROUNDING) + 1e-300:
            raise ValueError(
                f"row {r1}: δ = {d1:g} at ε = {e1:g} lies above {chord:.4g}, the chord of its "
                "neighbors in e^ε; a privacy profile is convex in e^ε, check that row"
            )
