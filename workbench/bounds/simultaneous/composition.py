"""Leakage of k steps, from the scores of one step.

Two ways, for independent steps with the pair of the step that was measured:

- `compose_histogram` composes the histograms themselves (HIST §9.2). A heuristic: their noise is
  composed too, upward, coarse bins hide losses, and bins that hold scores of only one sample count
  as certain disclosure.
- `compose_band` composes an upper bound on the trade-off function. Composition keeps the order of
  trade-off functions (Dong, Roth & Su 2022, §3), so that a bound for one step becomes one for k
  steps. There is no such way from a histogram: limits for its single bins do not order its
  compositions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench import _checks
from workbench._format import round_safely
from workbench._markup import table
from workbench._roots import falling_root
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.curves.validation import DIRECTIONS, Floats, deltas, reals, shaped
from workbench.estimators.histogram import Histogram
from workbench.pairs.accounting import pld
from workbench.pairs.outcomes import Outcomes, OutcomesPair
from workbench.scores.sample import Scores


@dataclass(frozen=True, eq=False, repr=False)
class ComposedHistogram:
    """Estimates of the leakage of k steps by convolved histograms. See `compose_histogram`.

    Attributes
    ----------
    histogram : Histogram
    k : int
    """

    histogram: Histogram
    k: int

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def infinite_p(self) -> float:
        """Mass of P in bins without mass of Q: the chance of certain disclosure in one step."""
        h = self.histogram
        return float(h.p[h.q == 0].sum())

    @property
    def infinite_q(self) -> float:
        """Mass of Q in bins without mass of P."""
        h = self.histogram
        return float(h.q[h.p == 0].sum())

    @property
    def infinite_mass(self) -> float:
        """Probability of an infinite loss in k steps, the larger of both directions.

        δ(ε) does not fall below it. It measures how much rests on empty bins, which more scores or
        wider bins would fill.
        """
        largest = max(self.infinite_p, self.infinite_q)
        return -math.expm1(self.k * math.log1p(-largest)) if largest < 1 else 1.0

    def profile(self, epsilon: ArrayLike) -> Any:
        """Estimated δ(ε) of the k steps, in the shape of ``epsilon``."""
        return self._pair.profile(epsilon)

    def tradeoff(self, alpha: ArrayLike, symmetric: bool = True) -> Any:
        """Estimated trade-off function of the k steps.

        Parameters
        ----------
        alpha : array_like
            False positive rates.
        symmetric : bool
            Whether both directions are used.

        Returns
        -------
        float or ndarray
            In the shape of ``alpha``.
        """
        return self._pair.tradeoff(alpha, symmetric=symmetric)

    def epsilon(self, delta: float) -> Bound:
        """Estimated ε at δ; infinite where the infinite mass exceeds δ."""
        delta = _checks.delta(delta)
        return self._estimate("epsilon", float(self.epsilons(delta)), delta=delta)

    def epsilons(self, delta: ArrayLike) -> Any:
        """Estimated ε(δ) of the k steps, in the shape of ``delta``."""
        d = deltas(delta)
        return shaped(np.minimum(self._pair.epsilon(d), self._largest))

    def delta(self, epsilon: float) -> Bound:
        """Estimated δ at ε."""
        epsilon = _checks.number(epsilon, "epsilon")
        return self._estimate("delta", float(self.profile(epsilon)), epsilon=epsilon)

    def __repr__(self) -> str:
        mass = f"{self.infinite_mass:.3g}"
        return f"ComposedHistogram({self.k} times {self.histogram!r}, infinite mass {mass})"

    def _repr_html_(self) -> str:
        rows = [
            ("steps", self.k),
            ("bins", self.histogram.bins),
            ("infinite loss", f"{self.infinite_mass:.3g} of the mass"),
        ]
        try:
            rows += [(f"δ({e:g})", f"≈ {self.profile(e):.3g}") for e in (0, 1, 2)]
        except pld.AccountantError as error:
            rows.append(("δ", f"not known: {error}"))
        return table("Composed histograms", rows, "estimate · heuristic, promises nothing")

    def _estimate(self, quantity: str, value: float, **asked: float) -> Bound:
        mass = round_safely(self.infinite_mass, "nearest")
        return _bound(
            self.histogram.scores,
            quantity,
            value,
            guarantee="estimate",
            method="composed histograms",
            note=f"Bins that are empty on one side carry a mass of {mass} over {self.k} steps, "
            "counted as infinite loss."
            if self.infinite_mass
            else None,
            at=QuantityArguments(**asked),
        )

    @property
    def _pair(self) -> OutcomesPair:
        h, name = self.histogram, "a histogram"
        if self.infinite_mass >= 1 - pld.TAIL:  # what is left is no mass that a grid could hold
            return _Masses(name, Outcomes.from_masses([1.0, 0.0], [0.0, 1.0]))
        step = _Masses(name, Outcomes.from_masses(h.p, h.q))
        return _Masses(name, pld.compose_for(self, step, self.k).outcomes)

    @property
    def _largest(self) -> float:
        """The largest loss of the k steps, which truncated tails must not exceed."""
        p, q = self.histogram.p, self.histogram.q
        if self.infinite_mass > 0:
            return math.inf
        seen = p > 0
        return self.k * float(np.abs(np.log(p[seen] / q[seen])).max(initial=0.0))


@dataclass(frozen=True, eq=False, repr=False)
class ComposedBand:
    """Lower bounds for k independent steps from a band for one step. See `compose_band`.

    Attributes
    ----------
    band : TradeoffBand
    k : int
    """

    band: TradeoffBand
    k: int

    def __post_init__(self) -> None:
        _checks.fields(self)

    def profile(self, epsilon: ArrayLike) -> Any:
        """Lower bound on δ(ε) of the k steps, for all ε together, in the shape of ``epsilon``."""
        e = reals(epsilon, "epsilon")
        return shaped(self._lower(e))

    def epsilon(self, delta: float) -> Bound:
        """Lower bound on ε at δ of the k steps."""
        delta = float(deltas(delta))
        return self._limit("epsilon", float(self.epsilons(delta)), delta=delta)

    def epsilons(self, delta: ArrayLike) -> Any:
        """Lower bounds on ε(δ) of the k steps, for all δ together, in the shape of ``delta``."""
        below, _ = falling_root(lambda e, d: self._lower(e) - d, 0.0, self._most, deltas(delta))
        return shaped(below)

    def delta(self, epsilon: float) -> Bound:
        """Lower bound on δ at ε of the k steps."""
        epsilon = _checks.number(epsilon, "epsilon")
        return self._limit("delta", float(self.profile(epsilon)), epsilon=epsilon)

    def __repr__(self) -> str:
        return f"ComposedBand({self.k} times {self.band!r})"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, Any]] = [("steps", self.k)]
        try:
            rows += [(b.symbol, f"{b.relation} {b.rounded}") for b in self._told]
        except pld.AccountantError as error:
            return table("Composed band", [*rows, ("δ", f"not known: {error}")], "")
        return table("Composed band", rows, " · ".join(self._told[0].terms))

    @property
    def _told(self) -> tuple[Bound, ...]:
        return tuple(self.delta(e) for e in (0.0, 1.0, 2.0))

    def _limit(self, quantity: str, value: float, **asked: float) -> Bound:
        scores = self.band.scores
        words = f"For {self.k} independent steps, each as leaky as the one that was measured."
        return _bound(
            scores,
            quantity,
            value,
            guarantee="held-out" if scores.held_out else "simultaneous",
            method="composed band",
            confidence=self.band.confidence,
            note=" ".join(filter(None, (scores.held_out, words))),
            at=QuantityArguments(**asked),
        )

    def _lower(self, epsilon: Floats) -> Floats:
        known = self._composition
        forward, backward = (known.lower_hockey_stick(epsilon, d) for d in DIRECTIONS)
        return np.maximum(forward, backward)

    @property
    def _composition(self) -> pld.Composition:
        curve = self.band.curve
        p = np.r_[1 - curve.beta[0], -np.diff(curve.beta)]
        q = np.r_[0.0, np.diff(curve.alpha)]
        outcomes = Outcomes.from_masses(np.maximum(p, 0.0), q)
        return pld.compose_for(self, _Masses("a band", outcomes), self.k)

    @property
    def _most(self) -> float:
        """An ε beyond all losses of the k steps."""
        loss = self._composition.outcomes.loss
        return float(np.abs(loss[np.isfinite(loss)]).max(initial=0.0)) + 1.0


def compose_histogram(histogram: Histogram, k: int) -> ComposedHistogram:
    """Estimated privacy profile of k steps from the histograms of one step.

    Parameters
    ----------
    histogram : Histogram
        Of the scores of one step.
    k : int
        At least 1.

    Returns
    -------
    ComposedHistogram

    Raises
    ------
    ValueError
        A k that is not a whole number of at least 1; `AccountantError` where the losses spread too
        far.

    Notes
    -----
    Guarantee: none. The noise of every bin leaks k times, which makes the estimate too large, the
    more the finer the bins. Coarse bins hide large losses, which makes it too small at small δ.

    References
    ----------
    HIST §9.2.
    """
    if not isinstance(histogram, Histogram):
        raise ValueError(
            f"histogram must be a Histogram, got {histogram!r}; wb.histogram makes one"
        )
    composed = ComposedHistogram(histogram, _checks.count(k, "k", least=1))
    _ = composed._pair
    return composed


def compose_band(band: TradeoffBand, k: int) -> ComposedBand:
    """Lower bounds on the privacy profile of k steps from a band for one step.

    Parameters
    ----------
    band : TradeoffBand
        From the scores of one step.
    k : int
        At least 1.

    Returns
    -------
    ComposedBand

    Raises
    ------
    ValueError
        A k that is not a whole number of at least 1, or something that is no band;
        `AccountantError` where the losses spread too far.

    Notes
    -----
    Guarantee: that of the band, for every ε and δ at once, if the steps are independent and each
    has the pair that was measured. The grid's error bar is taken off.

    References
    ----------
    Dong, Roth & Su (2022), Gaussian differential privacy, §3.

    Examples
    --------
    >>> band = wb.tradeoff_band(wb.GaussianPair(1).sample(10_000, seed=0))
    >>> wb.compose_band(band, 4).epsilon(1e-5).value > band.epsilon(1e-5).value
    True
    """
    if not isinstance(band, TradeoffBand):
        raise ValueError(f"band must be a TradeoffBand, got {band!r}; wb.tradeoff_band makes one")
    composed = ComposedBand(band, _checks.count(k, "k", least=1))
    _ = composed._composition
    return composed


class _Masses(OutcomesPair):
    """A pair of given outcomes."""

    def __init__(self, name: str, outcomes: Outcomes) -> None:
        self._name, self._given = name, outcomes

    @property
    def name(self) -> str:
        return self._name

    @property
    def parameters(self) -> dict[str, Any]:
        return {}

    @property
    def outcomes(self) -> Outcomes:
        return self._given


def _bound(scores: Scores, quantity: str, value: float, **rest: Any) -> Bound:
    return Bound.of_scores(scores, value, quantity=quantity, **rest)
