"""What a check of a family misses: pairs outside the family, and the bound that they would get.

A check has power against what many scores show, and a bound at a small δ rests on what hardly any
score shows. So the departures here are those that a bound suffers from: the fitted member with its
privacy loss cut off at some value c. Its trade-off function is max(f, f_{c,0}), the closest one to
f that a mechanism with ε ≤ c can have, and ε at every δ is at most c, whatever the family says.
Shifted logistic, Laplace or Student t scores, with heavier tails than normal ones, have bounded
losses, too, and behave alike: logistic ones with a shift of 1.7 and 200 scores a side have ε = 1.69
at δ = 1e-5 and a Gaussian bound of 3.27 (mean of those that the check passes, 39 of 40 draws); the
departure that the check misses there has ε = 1.22 and a bound of 2.79.

Randomized response with another cut-off is a member itself; its departures are error rates of the
two sides that differ.

Power is not simulated. A departure counts as found where the scores that are expected of it
contradict the family. Of 16 settings, with 200 to 10,000 scores and μ from 0.5 to 4, ten have a cap
that is found so, and the simulated power at the last of these is 70 to 90%: about 80%.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench import _checks
from workbench._format import plain, round_safely
from workbench._frames import to_frame
from workbench.bounds.parametric.estimators import ResponseScores
from workbench.bounds.parametric.family_estimator import FamilyEstimator
from workbench.bounds.parametric.laws import ExpectedSamples, ExpectedScores, Law
from workbench.bounds.quantities import QuantityArguments
from workbench.curves.validation import Floats
from workbench.scores.counting.counted import CountedScores

#: Departures that are tried, the δ whose ε is the mildest cap, and its ratio to the strongest.
_TRIED, _MILDEST_DELTA, _RANGE = 16, 1e-9, 50.0

#: Halvings between the last departure that is missed and the first that is found.
_HALVINGS = 6

CUT_OFF, UNEQUAL = "cut-off of the privacy loss", "difference of both error rates"

#: Departure -> what is unlike the fitted pair: for some size, and for one of a size and beyond it.
_UNLIKE = {
    CUT_OFF: ("whose privacy loss is cut off", "whose privacy loss never exceeds {} (or less)"),
    UNEQUAL: ("whose error rates differ", "whose error rates differ by {} (or more)"),
}


class Departure(ABC):
    """A pair outside a family, and the scores that are expected of it."""

    size: float

    @property
    @abstractmethod
    def expected(self) -> Any:
        """Scores as they are expected."""

    @abstractmethod
    def epsilon(self, delta: float) -> float:
        """ε of the pair at δ."""


@dataclass(frozen=True, eq=False)
class CutOff(Departure):
    """The fitted member with its privacy loss cut off at ``size``."""

    fitted: Law
    size: float
    n_p: int
    n_q: int

    @property
    def expected(self) -> ExpectedScores:
        law = self.fitted.capped(self.size)
        return ExpectedScores(ExpectedSamples(law, self.n_p, self.n_q))

    def epsilon(self, delta: float) -> float:
        return self.fitted.capped(self.size).epsilon(delta, self.size)


@dataclass(frozen=True, eq=False)
class UnequalErrors(Departure):
    """Two outcomes whose error rates differ by ``size``, with the pooled rate of the fitted member.

    The side with fewer scores has the larger error rate: the pooled rate then hides it.
    """

    pooled: float
    size: float
    n_p: int
    n_q: int

    @property
    def _rates(self) -> tuple[float, float]:
        """False negative rate and false positive rate."""
        n, more_of_p = self.n_p + self.n_q, self.n_p <= self.n_q
        side = self.size if more_of_p else -self.size
        return self.pooled + side * self.n_q / n, self.pooled - side * self.n_p / n

    @property
    def expected(self) -> CountedScores:
        fnr, fpr = self._rates
        false_p, false_q = round(fnr * self.n_p), round(fpr * self.n_q)
        return CountedScores([0, 1], [false_p, self.n_p - false_p], [self.n_q - false_q, false_q])

    def epsilon(self, delta: float) -> float:
        fnr, fpr = self._rates

        def of(more: float, less: float) -> float:
            if more <= delta:
                return 0.0
            return math.log((more - delta) / less) if less > 0 else math.inf

        return max(of(1 - fnr, fpr), of(1 - fpr, fnr), of(fpr, 1 - fnr), of(fnr, 1 - fpr), 0.0)


@dataclass(frozen=True)
class CheckPower:
    """What a check of a family at these sizes finds, and what a departure that it misses does.

    Attributes
    ----------
    delta : float
    departure : str
        The departures that were considered: "cut-off of the privacy loss", "difference of both
        error rates" (randomized response).
    found : float, optional
        The mildest of them that the check refutes with about 80% probability, such as the largest
        cut-off; None where it refutes none.
    missed : float, optional
        Of those that it misses more often, the one that adds most to the bound; None where none
        adds anything.
    claimed : float
        The lower bound on ε at δ, assuming the family, that is typical for ``missed``.
    truth : float
        ε at δ of ``missed``.
    """

    delta: float
    departure: str
    found: float | None
    missed: float | None
    claimed: float
    truth: float

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.one_of(self.departure, "departure", _UNLIKE)

    @property
    def adds(self) -> float:
        """How far the bound lies above the truth for the departure that is missed."""
        return self.claimed - self.truth if self.missed is not None else 0.0

    def __str__(self) -> str:
        somehow, so_far = _UNLIKE[self.departure]
        if self.found is None:
            found = f"This check refutes with 80% power no pair like the fitted one {somehow}"
        else:
            far = so_far.format(round_safely(self.found, "nearest"))
            found = f"This check refutes with about 80% power a pair like the fitted one {far}"
        at = f"ε at δ = {plain(self.delta)}"
        if self.missed is None:
            return f"{found}. What it misses would not raise the bound on {at} above the truth."
        size, claimed, truth = (
            round_safely(x, "nearest") for x in (self.missed, self.claimed, self.truth)
        )
        return (
            f"{found}. It can miss one of {size}: {at} is then {truth}, and the bound that assumes "
            f"the family is typically {claimed}."
        )


@dataclass(frozen=True, eq=False)
class Departures:
    """Departures from the fitted member, each found or missed by a check.

    Attributes
    ----------
    kind : str
        What they are, with the meaning of their sizes.
    found : float or None
        As in `CheckPower`.
    missed : tuple of Departure
    """

    kind: str
    found: float | None
    missed: tuple[Departure, ...]

    def power(self, member: FamilyEstimator, delta: float, confidence: float) -> CheckPower:
        """What the departures that are missed do to the bound on ε at a δ."""
        at, worst = QuantityArguments(delta=delta), None
        claimed = truth = 0.0
        for one in self.missed:
            bound = member.leak_limit(one.expected, "epsilon", at, 1 - confidence, "lower")
            epsilon = one.epsilon(delta)
            if bound > epsilon and (worst is None or bound - epsilon > claimed - truth):
                worst, claimed, truth = one.size, bound, epsilon
        return CheckPower(delta, self.kind, self.found, worst, claimed, truth)


def departures(
    member: FamilyEstimator, estimate: float, n_p: int, n_q: int, error: float
) -> Departures:
    """The departures from a member, by whether a check with these sizes finds them.

    Parameters
    ----------
    member : FamilyEstimator
    estimate : float
        The member's parameter; may be infinite.
    n_p, n_q : int
    error : float
        That of the limits of the check.
    """
    if isinstance(member, ResponseScores):
        kind, sizes, make = _of_responses(estimate, n_p, n_q)
    else:
        kind, sizes, make = _cut_offs(member, estimate, n_p, n_q)

    def found(one: Departure) -> bool:
        return member.misfit(member.roc_limits(one.expected, error), estimate) is not None

    tried = [make(float(size)) for size in sizes]
    is_found = [found(one) for one in tried]
    missed = [one for one, refuted in zip(tried, is_found, strict=True) if not refuted]
    if not any(is_found):
        return Departures(kind, None, tuple(missed))
    first = is_found.index(True)
    strong = tried[first].size
    mild = tried[first - 1].size if first else strong
    for _ in range(_HALVINGS if first else 0):
        middle = make((mild + strong) / 2)
        if found(middle):
            strong = middle.size
        else:
            mild = middle.size
    if first:
        missed.append(make(mild))
    return Departures(kind, strong, tuple(missed))


def _cut_offs(
    member: FamilyEstimator, estimate: float, n_p: int, n_q: int
) -> tuple[str, Floats, Callable[[float], Departure]]:
    """Kind, sizes from the mildest, and what makes one of a size; no sizes where nothing leaks."""
    law = member.law(estimate if math.isfinite(estimate) else 0.0)
    mildest = law.epsilon(_MILDEST_DELTA)
    sizes = np.geomspace(mildest, mildest / _RANGE, _TRIED) if mildest > 0 else np.empty(0)
    return CUT_OFF, sizes, lambda size: CutOff(law, size, n_p, n_q)


def _of_responses(
    estimate: float, n_p: int, n_q: int
) -> tuple[str, Floats, Callable[[float], Departure]]:
    """The same for randomized response."""
    pooled = 1 / (1 + math.exp(min(estimate, 700.0)))
    most = pooled * (n_p + n_q) / max(n_p, n_q)
    sizes = np.linspace(0, most, _TRIED + 1)[1:]
    return UNEQUAL, sizes, lambda size: UnequalErrors(pooled, size, n_p, n_q)
