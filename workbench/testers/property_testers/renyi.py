"""The Rényi tester: learn a function h, and measure the Rényi divergence that it implies.

For every bounded h (the variational formula of Kong et al. 2023, with a bracket that is missing
there)::

    R_a(P‖Q) ≥ a/(a−1) · log E_P e^{(a−1)h} − log E_Q e^{ah}

with equality at h = log p/q. Adding a constant to h changes nothing, so h is kept at most 0, and
both functions lie in [0, 1]. One half of the fitting part learns log p/q; the other chooses where h
stops growing, which direction and order to measure, and the terms of the bet on both means
(`workbench.testers.property_testers.mean_bets`). The correction of Kong et al. holds only
with another constant, and costs several times as much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.claims.base import Claim
from workbench.curves.validation import Floats
from workbench.testers.learning.chebyshev import Chebyshev
from workbench.testers.learning.fit_split import EXPECTED, EXPECTED_CONFIDENCE, ONE_ERROR, halves
from workbench.testers.learning.log_ratio import Ratio, Tail, learn_ratios
from workbench.testers.learning.outputs import check_alike, is_text
from workbench.testers.property_testers.base import Finding, FittedWitness, Tester
from workbench.testers.property_testers.detectable import least, wins
from workbench.testers.property_testers.mean_bets import (
    Expected,
    RenyiLine,
    Shares,
    in_shares,
    lower_limit,
)

METHOD = "variational Rényi divergence"

#: Orders to choose from for a claim that names none. The small one suits Gaussian noise; the large
#: one, which comes close to the largest privacy loss, suits rare outputs that tell all.
ORDERS = 1.5, 16.0

#: Degrees of the polynomials to choose from.
DEGREES = 2, 5, 10

#: h stops growing where this share of the likelier side's outputs lies above.
CUT_SHARES = np.array([0.0, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3])


@dataclass(frozen=True, eq=False)
class RenyiChoice:
    """A candidate function with its expected means.

    Attributes
    ----------
    ratio : callable
        From outputs to an estimate of log p/q.
    forward : bool
        Whether R(P‖Q) is measured; else R(Q‖P), with −h in place of h.
    cut : float
        Where h stops growing.
    line : RenyiLine
        Of the order.
    expected : Expected
    """

    ratio: Ratio
    forward: bool
    cut: float
    line: RenyiLine
    expected: Expected

    def h(self, x: NDArray[Any]) -> Floats:
        """The function, at most 0, shape (n,)."""
        h = self.ratio(x)
        return np.minimum((h if self.forward else -h) - self.cut, 0.0)

    def expect(self, n_p: int, n_q: int, confidence: float) -> float:
        """The expected limit."""
        sizes = (n_p, n_q) if self.forward else (n_q, n_p)
        return self.expected.predict(self.line, *sizes, confidence)


@dataclass(frozen=True, eq=False)
class RenyiWitness(FittedWitness):
    """Functions h, one of which is measured.

    Attributes
    ----------
    claim : Claim
    choices : tuple of RenyiChoice
        The candidates; the choice depends on the number of outputs and the confidence.
    predicted : float
    sizes : (int, int)
        Outputs that are expected to be measured.
    """

    claim: Claim
    choices: tuple[RenyiChoice, ...]
    predicted: float
    sizes: tuple[int, int]

    def choose(self, n_p: int, n_q: int, confidence: float) -> RenyiChoice:
        """The function with the largest expected limit for given numbers of fresh outputs.

        Where none is expected to refute the claim at this confidence, the one that would at less;
        where none would, either, the one that shows most.
        """
        best, shown = _best(self.claim, self.choices, n_p, n_q, confidence)
        if shown <= _to_beat(self.claim):
            bold, at_less = _best(self.claim, self.choices, n_p, n_q, ONE_ERROR)
            if shown <= 0 or at_less > _to_beat(self.claim):
                best = bold
        return best

    def measure(self, p: NDArray[Any], q: NDArray[Any], confidence: float) -> Finding:
        """The finding from both means; see `FittedWitness.measure`.

        Notes
        -----
        Guarantee: held-out, distribution-free, for independent runs. One direction is measured,
        the one that promised more on the fitting part; so it takes no share of the error budget.
        """
        confidence = _checks.confidence(confidence)
        choice = self.choose(len(p), len(q), confidence)
        order = choice.line.order
        first, second = (p, q) if choice.forward else (q, p)
        u, v = np.exp((order - 1) * choice.h(first)), np.exp(order * choice.h(second))
        value = lower_limit(u, v, choice.expected.bet(choice.line, u.size, v.size, confidence))
        bound = Bound(
            quantity="renyi",
            value=value,
            guarantee="held-out",
            method=METHOD,
            assumption="independent runs",
            n_p=len(p),
            n_q=len(q),
            confidence=confidence,
            direction="P‖Q" if choice.forward else "Q‖P",
            at=QuantityArguments(order=order),
        )
        parameter = self.claim.parameter_refuted_by_renyi(value, order)
        allowed = self.claim.max_renyi(order)
        return Finding(bound, self.claim, allowed, parameter).of_parameter()

    def scores(self, outputs: NDArray[Any]) -> Floats:
        """The function h of the fitting part's own choice, from P's point of view."""
        choice = self._usual
        h = choice.h(outputs) + choice.cut
        return h if choice.forward else -h

    @cached_property
    def _usual(self) -> RenyiChoice:
        return self.choose(*self.sizes, EXPECTED_CONFIDENCE)


@dataclass(frozen=True)
class RenyiTester(Tester):
    """Pure DP, Rényi DP, μ-GDP and pairs; any outputs: numbers, categories, several columns.

    Parameters
    ----------
    order : float, optional
        Above 1. By default a Rényi claim's own; for other claims that of ``ORDERS`` which
        predicts most on the fitting part.

    Raises
    ------
    ValueError
        An order of at most 1.
    """

    order: float | None = None

    name = "renyi"

    def __post_init__(self) -> None:
        if self.order is not None and _checks.number(self.order, "order") <= 1:
            raise ValueError(f"order must be above 1, got {self.order!r}; 1.5 is a good choice")

    def unsupported_reason(self, claim: Claim, example: NDArray[Any]) -> str | None:
        """Why a claim that allows any Rényi divergence is not supported; otherwise None."""
        if self._orders(claim):
            return None
        return claim.why_any_renyi(self.order or ORDERS[0])

    def fit(
        self, p: NDArray[Any], q: NDArray[Any], claim: Claim, rng: np.random.Generator
    ) -> RenyiWitness:
        """Functions learned on one half and chosen on the other; see `Tester.fit`.

        Raises
        ------
        OutputsError
            Fewer than 4 outputs in a sample, or samples that differ in columns or type.
        """
        check_alike(p, q)
        sizes = EXPECTED * len(p), EXPECTED * len(q)
        (p_learn, p_choose), (q_learn, q_choose) = halves(p, rng, "P"), halves(q, rng, "Q")
        # A tail says in which order outputs speak for P, not how much.
        learnt = learn_ratios(p_learn, q_learn, rng)
        ratios = [ratio for ratio in learnt if not isinstance(ratio, Tail)]
        if not is_text(p) and p.size == len(p):
            ratios += Chebyshev.fit(p_learn, q_learn, DEGREES)
        choices = tuple(
            choice
            for ratio in ratios
            for choice in _choices(ratio, p_choose, q_choose, self._orders(claim))
        )
        _, predicted = _best(claim, choices, len(p_choose), len(q_choose), ONE_ERROR)
        return RenyiWitness(claim, choices, predicted, sizes)

    def detectable(self, claim: Claim, n_p: int, n_q: int, confidence: float) -> float | None:
        """See `Tester.detectable`: log p/q is taken as known."""
        own = claim.parameter
        if own is None or not self._orders(claim):
            return None

        def refuted(x: float) -> bool:
            h, p, q = claim.easiest_to_refute(x).loss_distribution()
            return any(
                _wins(h, p, q, order, (n_p, n_q), confidence, claim.max_renyi(order))
                for order in self._orders(claim)
            )

        return least(own, refuted)

    def _orders(self, claim: Claim) -> tuple[float, ...]:
        """The orders at which the claim allows a finite divergence."""
        orders: tuple[float, ...] = ORDERS
        if self.order is not None:
            orders = (self.order,)
        elif claim.named_order is not None:
            orders = (claim.named_order,)
        return tuple(a for a in orders if claim.limits_renyi(a))


def _choices(
    ratio: Ratio, p: NDArray[Any], q: NDArray[Any], orders: tuple[float, ...]
) -> Iterator[RenyiChoice]:
    """What may be measured of one estimate: directions, orders, cuts."""
    at_p, at_q = ratio(p), ratio(q)
    for forward, first, second in ((True, at_p, at_q), (False, -at_q, -at_p)):
        cuts = np.unique(np.quantile(first, 1 - CUT_SHARES, method="higher"))
        sides = in_shares(first), in_shares(second)
        for cut, order in product(cuts, orders):
            line, expected = _expect(*sides, float(cut), order, first.size, second.size)
            yield RenyiChoice(ratio, forward, float(cut), line, expected)


def _expect(
    first: Shares, second: Shares, cut: float, order: float, size_u: float, size_v: float
) -> tuple[RenyiLine, Expected]:
    """What is expected of u and v where h is cut off, from its values and their shares."""
    u = np.exp((order - 1) * np.minimum(first[0] - cut, 0.0)), first[1]
    v = np.exp(order * np.minimum(second[0] - cut, 0.0)), second[1]
    expected = Expected.of(u, v, size_u, size_v)
    return RenyiLine(order, expected.means[1]), expected


def _best(
    claim: Claim, choices: Sequence[RenyiChoice], n_p: int, n_q: int, confidence: float
) -> tuple[RenyiChoice, float]:
    """The choice that is expected to show most, and the claim's parameter that it shows.

    Of a pair, by how much the divergence exceeds what it allows.
    """
    limits = np.array([choice.expect(n_p, n_q, confidence) for choice in choices])
    orders = np.array([choice.line.order for choice in choices])
    found = []
    for order in np.unique(orders):
        at = int(np.argmax(np.where(orders == order, limits, -np.inf)))
        found.append((_shown(claim, float(limits[at]), float(order)), at))
    shown, at = max(found)
    return choices[at], shown


def _shown(claim: Claim, value: float, order: float) -> float:
    """The claim's parameter that a divergence shows; for a pair, the excess."""
    parameter = claim.parameter_refuted_by_renyi(value, order)
    if parameter is None:
        return value - claim.max_renyi(order)
    # Below 0 limits still compare.
    return parameter or min(value, 0.0)


def _to_beat(claim: Claim) -> float:
    own = claim.parameter
    return 0.0 if own is None else own


# -- power -----------------------------------------------------------------------------------------


def _wins(
    h: Floats,
    p: Floats,
    q: Floats,
    order: float,
    sizes: tuple[int, int],
    confidence: float,
    allowed: float,
) -> bool:
    """Whether the bet on the best cut of a known h refutes what is allowed, 8 times in 10."""
    cuts = np.unique(h[np.searchsorted(np.cumsum(p), (1 - CUT_SHARES) * (1 - 1e-12))])
    known = [_expect((h, p), (h, q), cut, order, *sizes) for cut in cuts]
    line, expected = max(known, key=lambda it: it[1].predict(it[0], *sizes, confidence))
    v = expected.v[0][:-1], q
    return wins(expected.bet(line, *sizes, confidence), allowed, expected.u, v, *sizes)
