"""Lower bounds that hold at every sample size at once, for audits that are watched and stopped.

A limit for one sample size, computed again and again, is wrong far more often than its level. Here
every claim has a bet against it (`workbench.bounds.anytime.betting`), and a claim whose bet ever
multiplies its wealth by 1/(1 − confidence) is refuted for good.

Claims are refuted in increasing order of θ, from θ = 0. Within a cell of claims the wealth falls as
θ grows, so refuting θ refutes everything below it; the next cell is entered when the top of this
one is refuted. The bound exceeds the truth only if the wealth of the true claim, one fixed process,
ever reached the goal.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from workbench import _checks
from workbench._frames import to_frame
from workbench._plot import beside, figure, plot
from workbench.bounds.anytime.betting import (
    Claims,
    EpsilonClaims,
    MuClaims,
    VariationClaims,
    log_factors,
    log_wealth,
)
from workbench.bounds.anytime.predictable_counts import WARM_UP, Tally
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.curves.validation import Floats
from workbench.estimators.direction import direction_doubt
from workbench.scores.ordered import oriented
from workbench.scores.sample import SAMPLINGS, Scores, assumption_of, require_scores

METHOD = "betting"

QUANTITIES = ("epsilon", "mu", "total variation")

#: Steps in a cell, to which bounds are rounded down: 0.004 for ε.
_STEPS = 64

#: Points of a path while the data double.
POINTS = 16

#: Rows whose order has a smaller probability than this are taken to have been sorted.
_BY_CHANCE = 1e-9


@dataclass(frozen=True, eq=False)
class AnytimePath:
    """The anytime bound at several moments while the scores came in.

    Attributes
    ----------
    bound : Bound
        At the end.
    n_p, n_q : ndarray of int, shape (points,)
        Scores of P and of Q used by then, the warm-up included.
    values : ndarray, shape (points,)
        The bound by then; never falls.
    """

    bound: Bound
    n_p: NDArray[np.int64]
    n_q: NDArray[np.int64]
    values: Floats

    plot = plot
    figure = figure
    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)

    def _repr_html_(self) -> str:
        return beside(self.bound._repr_html_(), self)

    def at(self, n: int) -> Bound:
        """The bound when ``n`` scores of P had been seen: that of the last point by then.

        Guarantee: anytime, for all ``n`` at once.
        """
        seen = _checks.number_or_infinite(n, "n")
        if seen >= self.n_p[-1]:
            return self.bound
        last = int(np.searchsorted(self.n_p, seen, side="right")) - 1
        if last < 0 or not self.n_p[last]:
            note = f"The first {WARM_UP} scores of P and of Q only place the thresholds."
            return replace(self.bound, value=0.0, n_p=0, n_q=0, note=note)
        n_p, n_q = int(self.n_p[last]), int(self.n_q[last])
        return replace(self.bound, value=float(self.values[last]), n_p=n_p, n_q=n_q, note=None)


class AnytimeAudit:
    """Anytime lower bound of scores that are still coming in.

    Parameters
    ----------
    delta : float, optional
        In [0, 1); for ε, which needs it.
    confidence : float
        In (0.5, 1): the probability, at least, that no bound ever shown exceeds the truth.
    quantity : {"epsilon", "mu", "total variation"}
        One for each audit: two audits of the same scores are wrong twice as often.
    ratio : pair of int
        Number of scores of P and of Q in a block, fixed before they arrive.
    larger_is_member : bool
        Whether a larger score speaks for membership.
    sampling : {"unknown", "independent runs", "clustered", "one run", "given"}
        How the scores arise; "clustered" if each stands for a cluster.

    Raises
    ------
    ValueError
        A level out of range, a missing or superfluous δ, a ratio of other than whole numbers.

    Notes
    -----
    Guarantee: anytime, distribution-free, for independent scores in order of arrival; ties, NaN and
    ±∞ included. Bets are on scores beyond a threshold, and, for pairs that differ in spread, within
    or beyond a distance from a center. The first 16 blocks only place thresholds and center. There
    is a look after every block up to 128, and then 64 looks while the number of blocks doubles,
    however the scores are divided into updates.

    References
    ----------
    Ville (1939); Waudby-Smith & Ramdas (2024); Turner, Ly & Grünwald (2024).

    Examples
    --------
    >>> audit = wb.AnytimeAudit(delta=1e-5)
    >>> for seed in range(10):
    ...     bound = audit.update(*wb.GaussianPair(1).sample(100, seed=seed))
    >>> bound.guarantee
    'anytime'
    """

    def __init__(
        self,
        delta: float | None = None,
        confidence: float = 0.95,
        quantity: str = "epsilon",
        ratio: tuple[int, int] = (1, 1),
        larger_is_member: bool = True,
        sampling: str = "unknown",
    ) -> None:
        _checks.one_of(quantity, "quantity", QUANTITIES)
        _checks.one_of(sampling, "sampling", SAMPLINGS)
        self.quantity = quantity
        self.delta, self._claims = _claims(quantity, delta)
        self.confidence = _checks.confidence(confidence)
        self.larger_is_member = _checks.flag(larger_is_member, "larger_is_member")
        self._assumption = assumption_of(sampling)
        self._tally = Tally(ratio)
        self.ratio = self._tally.ratio
        self._goal = -math.log1p(-self.confidence)
        self._cell = self._step = 0
        self._factors: dict[int, Floats] = {}
        self._shown: list[tuple[int, float]] = []

    def update(self, p: ArrayLike = (), q: ArrayLike = ()) -> Bound:
        """The bound after the scores that arrived since the last call.

        Parameters
        ----------
        p, q : array_like, shape (k,), (m,)
            In order of arrival; either may be empty. Scores wait until their block is complete.

        Returns
        -------
        Bound
            The same however the scores are divided into calls.

        Raises
        ------
        ValueError
            Not a one-dimensional array of numbers.
        """
        new = (oriented(_row(x, side), self.larger_is_member) for x, side in ((p, "p"), (q, "q")))
        for _, counts in self._tally.add(*new):
            self._advance(counts)
        self._shown.append((self._tally.used, self._value))
        return self.bound

    @property
    def bound(self) -> Bound:
        """The bound from the scores so far."""
        (a, b), used = self.ratio, self._tally.used
        return Bound(
            quantity=self.quantity,
            value=self._value,
            guarantee="anytime",
            method=METHOD,
            assumption=self._assumption,
            n_p=a * used,
            n_q=b * used,
            confidence=self.confidence,
            at=QuantityArguments(delta=self.delta),
            note=self._note(),
        ).unless_given()

    @property
    def path(self) -> AnytimePath:
        """The bounds that the updates returned so far."""
        a, b = self.ratio
        blocks = np.array([used for used, _ in self._shown], dtype=np.int64)
        values = np.array([value for _, value in self._shown], dtype=float)
        return AnytimePath(self.bound, a * blocks, b * blocks, values)

    @property
    def _value(self) -> float:
        return self._claims.cell * (self._cell + self._step / _STEPS)

    def _note(self) -> str | None:
        sizes, ratio = (c.size for c in self._tally.columns), self.ratio
        if not self._tally.used:
            return (
                f"The first {WARM_UP * ratio[0]} scores of P and {WARM_UP * ratio[1]} of Q only "
                "place the thresholds; more are needed."
            )
        left = [n - k * self._tally.used for n, k in zip(sizes, ratio, strict=True)]
        if not any(left):
            return None
        return (
            f"Not used: the last {left[0]:,} scores of P and {left[1]:,} of Q, which "
            "arrived after the last look or wait for scores of the other sample."
        )

    def _advance(self, counts: Floats) -> None:
        """Refute what these looks refute."""
        start, looks = 0, counts.shape[1]
        while start < looks:
            beyond = self._refuted(_STEPS, counts[:, start:])
            stop = start + int(np.argmax(beyond)) if beyond.any() else looks
            self._climb(counts[:, start:stop])
            start = stop
            if stop < looks:
                self._cell, self._step = self._cell + 1, 0
                self._factors.clear()

    def _climb(self, counts: Floats) -> None:
        """Within a cell whose top is not refuted, take the largest step that is."""
        if not self._refuted(self._step + 1, counts).any():
            return
        steps = range(self._step + 1, _STEPS)
        stands = bisect_left(steps, True, lo=1, key=lambda s: not self._refuted(s, counts).any())
        self._step = steps[stands - 1]

    def _refuted(self, step: int, counts: Floats) -> NDArray[np.bool_]:
        """At which looks this step of the cell is refuted."""
        if step not in self._factors:
            cell = self._claims.cell
            theta, top = cell * (self._cell + step / _STEPS), cell * (self._cell + 1)
            self._factors[step] = log_factors(self._claims, theta, top, self.ratio)
        return np.asarray(log_wealth(counts, self._factors[step]) >= self._goal)


def factors_above(claims: Claims, value: float) -> Floats:
    """Factors, for blocks of one score of P and one of Q, of the first claim above ``value``."""
    step = math.floor(value / claims.cell * _STEPS) + 1
    top = claims.cell * math.ceil(step / _STEPS)
    return log_factors(claims, claims.cell * step / _STEPS, top, (1, 1))


def anytime_epsilon(
    scores: Scores, delta: float, confidence: float = 0.95, ratio: tuple[int, int] = (1, 1)
) -> Bound:
    """Lower bound on ε at δ that holds at every sample size at once.

    Parameters
    ----------
    scores : Scores
        Rows in order of arrival.
    delta : float
        In [0, 1).
    confidence : float
        In (0.5, 1): the probability, at least, that neither this bound nor any that fewer rows
        would have shown exceeds the truth.
    ratio : pair of int
        Number of scores of P and of Q in a block, fixed before they arrive. Scores that fill no
        block are left out, and the bound's note says so.

    Returns
    -------
    Bound
        Guarantee "anytime"; void where the rows are sorted by score.

    Raises
    ------
    ValueError
        A level out of range, a ratio of other than whole numbers.

    See Also
    --------
    AnytimeAudit : for data that are still coming in.

    Notes
    -----
    Distribution-free, for independent scores; ties, NaN and ±∞ included. A betting e-process with
    Ville's inequality; the proof is in `workbench.bounds.anytime.betting`.

    Examples
    --------
    >>> scores = wb.GaussianPair(2).sample(1000, seed=0)
    >>> 1 < wb.anytime_epsilon(scores, delta=1e-5).value < wb.GaussianPair(2).epsilon(1e-5)
    True
    """
    return _of_all(scores, delta, confidence, "epsilon", ratio)


def anytime_mu(scores: Scores, confidence: float = 0.95, ratio: tuple[int, int] = (1, 1)) -> Bound:
    """Lower bound on μ that holds at every sample size at once.

    It does not assume that the pair is Gaussian.

    Parameters
    ----------
    scores, confidence, ratio
        As in `anytime_epsilon`, as are the guarantee and the errors raised.

    Returns
    -------
    Bound
        Of quantity "mu".
    """
    return _of_all(scores, None, confidence, "mu", ratio)


def anytime_total_variation(
    scores: Scores, confidence: float = 0.95, ratio: tuple[int, int] = (1, 1)
) -> Bound:
    """Lower bound on the total variation distance that holds at every sample size at once.

    Parameters
    ----------
    scores, confidence, ratio
        As in `anytime_epsilon`, as are the guarantee and the errors raised.

    Returns
    -------
    Bound
        Of quantity "total variation".
    """
    return _of_all(scores, None, confidence, "total variation", ratio)


def anytime_path(
    scores: Scores,
    delta: float | None = None,
    confidence: float = 0.95,
    quantity: str = "epsilon",
    ratio: tuple[int, int] = (1, 1),
) -> AnytimePath:
    """The anytime bound as the rows came in, for a chart.

    Parameters
    ----------
    scores : Scores
        Rows in order of arrival.
    delta, confidence, quantity, ratio
        As in `AnytimeAudit`, as are the errors raised.

    Returns
    -------
    AnytimePath
        With 16 points while the number of rows doubles.

    Examples
    --------
    >>> path = wb.anytime_path(wb.GaussianPair(1).sample(1000, seed=0), delta=1e-5)
    >>> path.at(1000) == path.bound
    True
    """
    audit = _audit(scores, delta, confidence, quantity, ratio)
    rows = scores.samples.in_order()
    blocks = min(x.size // k for x, k in zip(rows, audit.ratio, strict=True))
    octaves = math.log2(max(blocks, WARM_UP) / WARM_UP)
    stops = np.unique((WARM_UP * 2 ** np.arange(0, octaves, 1 / POINTS)).astype(int))
    pieces = [np.split(x, k * stops) for x, k in zip(rows, audit.ratio, strict=True)]
    for p, q in zip(*pieces, strict=True):
        audit.update(p, q)
    path = audit.path
    return replace(path, bound=_of_rows(path.bound, scores))


def _of_all(
    scores: Scores, delta: float | None, confidence: float, quantity: str, ratio: tuple[int, int]
) -> Bound:
    audit = _audit(scores, delta, confidence, quantity, ratio)
    bound = _of_rows(audit.update(*scores.samples.in_order()), scores)
    return replace(bound, recompute=lambda level: _of_all(scores, delta, level, quantity, ratio))


def _audit(
    scores: Scores, delta: float | None, confidence: float, quantity: str, ratio: tuple[int, int]
) -> AnytimeAudit:
    """An audit of rows that `Samples.in_order` has oriented."""
    return AnytimeAudit(
        delta, confidence, quantity, ratio, sampling=require_scores(scores).sampling
    )


def _of_rows(bound: Bound, scores: Scores) -> Bound:
    # `AnytimeAudit` knows no scores that were dropped before it, nor those that it was not given.
    said = (scores.samples.first_rows, bound.note, direction_doubt(scores))
    note = " ".join(filter(None, said)) or None
    bound = replace(bound, discarded=scores.discarded, note=note)
    reason = out_of_order(scores)
    return bound.voided(reason) if reason else bound


def out_of_order(scores: Scores) -> str | None:
    """Why the rows cannot be in order of arrival, None when they can."""
    for side, x in zip("PQ", scores.samples.in_order(), strict=True):
        step = np.diff(x)
        if (np.all(step >= 0) or np.all(step <= 0)) and _log_chance(x) < math.log(_BY_CHANCE):
            return (
                f"the rows of {side} are sorted by score, so their order of arrival is lost; "
                "shuffle them, with a seed chosen before any result is seen"
            )
    return None


def _log_chance(x: Floats) -> float:
    """Log probability that rows in a random order come sorted, upwards or downwards."""
    _, ties = np.unique(x, return_counts=True)
    return float(math.log(2) + gammaln(ties + 1.0).sum() - gammaln(x.size + 1.0))


def _claims(quantity: str, delta: float | None) -> tuple[float | None, Claims]:
    if quantity != "epsilon":
        if delta is not None:
            raise ValueError(f"{quantity} has no δ; leave out delta={delta!r}")
        return None, MuClaims() if quantity == "mu" else VariationClaims()
    if delta is None:
        raise ValueError("epsilon needs delta=; 1e-5 is a common choice")
    delta = _checks.delta(delta)
    return delta, EpsilonClaims(delta)


def _row(values: Any, name: str) -> Floats:
    try:
        x = _checks.array(values, name)
    except ValueError:
        said = _checks.shown(values)
        raise ValueError(f"{name} must be a 1-d array of numbers, got {said}") from None
    if x.ndim != 1:
        raise ValueError(f"{name} has shape {x.shape}; give the new scores as a 1-d array")
    return x
