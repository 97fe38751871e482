"""The MMD tester: a kernel's witness function, learned on one part and measured on another.

The maximum mean discrepancy of P and Q is E_P w − E_Q w for the witness function w ∝ E k(X, ·) −
E k(Y, ·), in w's own norm (Gretton et al. 2012). By the values that w takes rather than by its norm
it says more. For any g with values in [0, 1], such as w scaled and cut off there::

    E_P g − e^ε E_Q g ≤ H_{e^ε}(P‖Q),   with ε = 0:   E_P g − E_Q g ≤ TV

So one half of the fitting part learns E k(X, ·) − e^ε E k(Y, ·), over the span of a few centers;
the other half chooses the bandwidth, where the function is cut off, and the direction; and fresh
outputs are averaged. Whatever g is, the limit holds. MMD² ≤ 2·TV² for a kernel with values in
[0, 1] is as sound, but loses even with unlimited outputs: N(0,1) against N(1,1) has MMD/√2 = 0.298
at bandwidth 1, and TV = 0.383.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.claims.base import Claim
from workbench.curves.validation import Floats
from workbench.testers.learning.encoding import Encoder
from workbench.testers.learning.fit_split import EXPECTED, EXPECTED_CONFIDENCE, ONE_ERROR, halves
from workbench.testers.learning.outputs import check_alike
from workbench.testers.property_testers.base import Finding, FittedWitness, Tester
from workbench.testers.property_testers.detectable import least, wins
from workbench.testers.property_testers.mean_bets import (
    Expected,
    HockeyStickLine,
    in_shares,
    lower_limit,
)

METHOD = "kernel witness function"

#: Centers whose kernels span the witness functions, and rows of each sample that are used.
CENTERS, MOST_ROWS = 24, 20_000

#: Bandwidths, in units of the median distance of two centers.
BANDWIDTHS = 0.2, 0.5, 1.0, 2.0

#: Where a witness function is cut off: at these quantiles of its size. 0 leaves its sign.
CUTS = 0.0, 0.2, 0.5, 0.9

#: Keeps the span's equations solvable, in units of the kernel's largest value.
_RIDGE = 1e-4

#: Rows at a time, so that kernels fit in a processor's own memory.
_ROWS = 4_096


@dataclass(frozen=True, eq=False)
class Kernel:
    """Witness functions of the RBF kernel, over the span of the centers.

    Attributes
    ----------
    encoder : Encoder
    centers : ndarray of float32, shape (m, k)
        Encoded outputs.
    bandwidth : float
    weights : ndarray of float32, shape (m, 2)
        Of the two directions.
    """

    encoder: Encoder
    centers: NDArray[np.float32]
    bandwidth: float
    weights: NDArray[np.float32]

    @classmethod
    def fit(
        cls, p: NDArray[Any], q: NDArray[Any], epsilon: float, rng: np.random.Generator
    ) -> list[Kernel]:
        """One for each bandwidth."""
        encoder = Encoder.fit(p, q)
        sides = [encoder.transform(x).astype(np.float32) for x in (p, q)]
        pooled = np.concatenate(sides)
        centers = pooled[rng.choice(len(pooled), min(CENTERS, len(pooled)), replace=False)]
        squares = _squares(centers, centers)
        apart = squares[squares > 0]
        scale = math.sqrt(float(np.median(apart))) if apart.size else 1.0
        found = []
        for bandwidth in scale * np.array(BANDWIDTHS):
            means = np.array([_mean_kernel(x, centers, bandwidth) for x in sides])
            gram = np.exp(-squares.astype(float) / (2 * bandwidth**2))
            gram += _RIDGE * np.eye(len(centers))
            a = math.exp(epsilon)
            excess = np.array([means[0] - a * means[1], means[1] - a * means[0]])
            weights = np.linalg.solve(gram, excess.T).astype(np.float32)
            found.append(cls(encoder, centers, float(bandwidth), weights))
        return found

    def __call__(self, x: NDArray[Any], forward: bool) -> Floats:
        """One direction's witness function, shape (n,)."""
        z = self.encoder.transform(x).astype(np.float32)
        weights = self.weights[:, 0 if forward else 1, None]
        values = np.empty(len(z))
        for i in range(0, len(z), _ROWS):
            kernel = _kernel(self.centers, z[i : i + _ROWS], self.bandwidth)
            # Unlike a matrix product, this gives equal rows equal values wherever they stand.
            kernel *= weights
            values[i : i + _ROWS] = kernel.sum(axis=0)
        return values


@dataclass(frozen=True, eq=False)
class OutcomeKernel:
    """Witness functions of the kernel that is 1 for equal outcomes and 0 for others.

    Attributes
    ----------
    encoder : Encoder
        Of few outcomes that repeat.
    excess : ndarray, shape (2, outcomes + 1)
        Of the two directions, for each outcome and for any other.
    """

    encoder: Encoder
    excess: Floats

    @classmethod
    def fit(
        cls, p: NDArray[Any], q: NDArray[Any], encoder: Encoder, epsilon: float
    ) -> OutcomeKernel:
        """Witness functions from counts of outcomes."""
        in_p, in_q = (
            np.bincount(encoder.outcomes(x), minlength=encoder.n_outcomes + 1) / len(x)
            for x in (p, q)
        )
        a = math.exp(epsilon)
        return cls(encoder, np.array([in_p - a * in_q, in_q - a * in_p]))

    def __call__(self, x: NDArray[Any], forward: bool) -> Floats:
        """One direction's witness function, shape (n,)."""
        return self.excess[0 if forward else 1, self.encoder.outcomes(x)]


@dataclass(frozen=True, eq=False)
class MMDChoice:
    """A candidate function with its expected means.

    Attributes
    ----------
    witness : Kernel or OutcomeKernel
    forward : bool
        Whether the divergence of P from Q is measured, else that of Q from P.
    cut : float
        Where the witness function is cut off, on either side; 0 leaves its sign.
    expected : Expected
    line : HockeyStickLine
        Where it is measured.
    """

    witness: Kernel | OutcomeKernel
    forward: bool
    cut: float
    expected: Expected
    line: HockeyStickLine

    def g(self, x: NDArray[Any]) -> Floats:
        """Values in [0, 1]."""
        return _cut_off(self.witness(x, self.forward), self.cut)

    def expect(self, n_p: int, n_q: int, confidence: float) -> float:
        """The expected limit."""
        sizes = (n_p, n_q) if self.forward else (n_q, n_p)
        return self.expected.predict(self.line, *sizes, confidence)


@dataclass(frozen=True, eq=False)
class MMDWitness(FittedWitness):
    """Witness functions, one of which is measured.

    Attributes
    ----------
    claim : Claim
    choices : tuple of MMDChoice
        The candidates at the ε of the claim; the choice depends on the number of outputs and the
        confidence.
    apart : tuple of MMDChoice
        Candidates for the total variation, which does not depend on what is claimed: measured
        where the claim is not likely to be refuted.
    predicted : float
    sizes : (int, int)
        Outputs that are expected to be measured.
    """

    claim: Claim
    choices: tuple[MMDChoice, ...]
    apart: tuple[MMDChoice, ...]
    predicted: float
    sizes: tuple[int, int]

    def choose(self, n_p: int, n_q: int, confidence: float) -> MMDChoice:
        """The function with the largest expected limit.

        Parameters
        ----------
        n_p, n_q : int
            Numbers of fresh outputs.
        confidence : float
        """
        allowed = self.claim.max_delta(self.choices[0].line.epsilon)
        best, limit = _best(self.choices, n_p, n_q, confidence)
        if limit > allowed:
            return best
        best, limit = _best(self.choices, n_p, n_q, ONE_ERROR)
        if limit > allowed or not self.apart:
            return best
        best, limit = _best(self.apart, n_p, n_q, confidence)
        return best if limit > 0 else _best(self.apart, n_p, n_q, ONE_ERROR)[0]

    def measure(self, p: NDArray[Any], q: NDArray[Any], confidence: float) -> Finding:
        """The finding from the function's means; see `FittedWitness.measure`.

        Notes
        -----
        Guarantee: held-out, distribution-free, for independent runs. One direction is measured,
        the one that predicted more on the fitting part; so it takes no share of the error budget.
        """
        confidence = _checks.confidence(confidence)
        choice = self.choose(len(p), len(q), confidence)
        line = choice.line
        u, v = (choice.g(x) for x in ((p, q) if choice.forward else (q, p)))
        bet = choice.expected.bet(line, u.size, v.size, confidence)
        # Neither divergence exceeds 1.
        value = min(lower_limit(u, v, bet), 1.0)
        names_epsilon = self.claim.named_epsilon is not None
        epsilon = line.epsilon
        bound = Bound(
            quantity="delta" if names_epsilon else "total variation",
            value=value,
            guarantee="held-out",
            method=METHOD,
            assumption="independent runs",
            n_p=len(p),
            n_q=len(q),
            confidence=confidence,
            direction=("P‖Q" if choice.forward else "Q‖P") if names_epsilon else None,
            at=QuantityArguments(epsilon=epsilon if names_epsilon else None),
        )
        parameter = self.claim.parameter_refuted_by_delta(value, epsilon)
        allowed = self.claim.max_delta(epsilon)
        return Finding(bound, self.claim, allowed, parameter).of_parameter()

    def scores(self, outputs: NDArray[Any]) -> Floats:
        """The witness function of the fitting part's own choice, from P's point of view."""
        choice = self._usual
        w = choice.witness(outputs, choice.forward)
        return w if choice.forward else -w

    @cached_property
    def _usual(self) -> MMDChoice:
        return self.choose(*self.sizes, EXPECTED_CONFIDENCE)


class MMDTester(Tester):
    """Tester with a kernel's witness function: any claim, any outputs."""

    name = "mmd"

    def unsupported_reason(self, claim: Claim, example: NDArray[Any]) -> str | None:
        """None: it supports everything."""
        return None

    def fit(
        self, p: NDArray[Any], q: NDArray[Any], claim: Claim, rng: np.random.Generator
    ) -> MMDWitness:
        """Witness functions learned on one half and chosen on the other; see `Tester.fit`.

        Raises
        ------
        OutputsError
            Fewer than 4 outputs in a sample, or samples that differ in columns or type.
        """
        check_alike(p, q)
        sizes = EXPECTED * len(p), EXPECTED * len(q)
        (p_learn, p_choose), (q_learn, q_choose) = (
            [half[:MOST_ROWS] for half in halves(x, rng, side)] for x, side in ((p, "P"), (q, "Q"))
        )
        line = HockeyStickLine(claim.named_epsilon or 0.0)
        encoder = Encoder.fit(p_learn, q_learn)

        def choices_at(epsilon: float) -> tuple[MMDChoice, ...]:
            witnesses: Sequence[Kernel | OutcomeKernel]
            if encoder.discrete:
                witnesses = [OutcomeKernel.fit(p_learn, q_learn, encoder, epsilon)]
            else:
                witnesses = Kernel.fit(p_learn, q_learn, epsilon, rng)
            at = HockeyStickLine(epsilon)
            return tuple(c for w in witnesses for c in _choices(w, p_choose, q_choose, at))

        choices = choices_at(line.epsilon)
        apart = choices_at(0.0) if line.epsilon and claim.parameter is not None else ()
        _, limit = _best(choices, len(p_choose), len(q_choose), ONE_ERROR)
        allowed = claim.max_delta(line.epsilon)
        parameter = claim.parameter_refuted_by_delta(min(limit, 1.0), line.epsilon)
        predicted = limit - allowed if parameter is None else parameter
        return MMDWitness(claim, choices, apart, predicted, sizes)

    def detectable(self, claim: Claim, n_p: int, n_q: int, confidence: float) -> float | None:
        """See `Tester.detectable`: the best function is taken as known."""
        own, epsilon = claim.parameter, claim.named_epsilon or 0.0
        if own is None:
            return None
        line, allowed = HockeyStickLine(epsilon), claim.max_delta(epsilon)

        def refuted(x: float) -> bool:
            error = claim.easiest_to_refute(x).bit_error
            u = np.array([0.0, 1.0]), np.array([error, 1 - error])
            v = np.array([0.0, 1.0]), np.array([1 - error, error])
            bet = Expected.of(u, v, n_p, n_q).bet(line, n_p, n_q, confidence)
            return wins(bet, allowed, u, v, n_p, n_q)

        return least(own, refuted)


def _choices(
    witness: Kernel | OutcomeKernel, p: NDArray[Any], q: NDArray[Any], line: HockeyStickLine
) -> Iterator[MMDChoice]:
    for forward in (True, False):
        first, second = (witness(x, forward) for x in ((p, q) if forward else (q, p)))
        for cut in np.unique(np.quantile(np.abs(np.concatenate([first, second])), CUTS)):
            u, v = (in_shares(_cut_off(w, float(cut))) for w in (first, second))
            expected = Expected.of(u, v, first.size, second.size)
            yield MMDChoice(witness, forward, float(cut), expected, line)


def _cut_off(w: Floats, cut: float) -> Floats:
    """The witness function between −cut and cut, as values from 0 to 1."""
    if cut == 0:
        return (w > 0).astype(float)
    return np.clip(w / (2 * cut) + 0.5, 0.0, 1.0)


def _best(
    choices: Sequence[MMDChoice], n_p: int, n_q: int, confidence: float
) -> tuple[MMDChoice, float]:
    limits = [choice.expect(n_p, n_q, confidence) for choice in choices]
    at = int(np.argmax(limits))
    return choices[at], limits[at]


def _squares(x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float32]:
    """Squared distances, shape (len(x), len(y))."""
    total: Any = 0
    for a, b in zip(x.T, y.T, strict=True):
        gap = np.subtract.outer(a, b)
        gap *= gap
        total += gap
    return np.asarray(total)


def _kernel(
    x: NDArray[np.float32], y: NDArray[np.float32], bandwidth: float
) -> NDArray[np.float32]:
    unit = np.float32(math.sqrt(0.5) / bandwidth)
    squares = _squares(x * unit, y * unit)
    np.negative(squares, out=squares)
    return np.exp(squares, out=squares)


def _mean_kernel(x: NDArray[np.float32], y: NDArray[np.float32], bandwidth: float) -> Floats:
    parts = [
        _kernel(y, x[i : i + _ROWS], bandwidth).sum(axis=1, dtype=float)
        for i in range(0, len(x), _ROWS)
    ]
    return np.asarray(sum(parts)) / len(x)
