"""What somebody sees who watches scores arrive: bounds and evidence at every look.

- The anytime bound by any row: it holds at all looks at once.
- The limit of a single threshold, as if each look were the only one. Its level is for one sample
  size; the largest of many looks exceeds the truth far more often. It is here to be seen failing.
- The evidence against one claim (`workbench.bounds.anytime.e_values`) at every look.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.bounds.anytime.anytime import AnytimePath, out_of_order
from workbench.bounds.anytime.betting import EpsilonClaims, log_factors, log_wealth
from workbench.bounds.anytime.e_values import EValue
from workbench.bounds.anytime.predictable_counts import WARM_UP, Tally
from workbench.bounds.bound import Bound
from workbench.bounds.counts.binomial import clopper_pearson_upper
from workbench.curves.elementwise import Floats
from workbench.curves.error_rates import epsilon_of_point
from workbench.scores.sample import Scores

#: Why a limit that is read again and again is none.
WATCHED = "a limit for one sample size, read at many"

#: Rows a side that only place the threshold, at most a quarter of all.
PILOT = 100

#: Looks at a watched limit, at most, by equal factors of the sample size.
LOOKS = 200


def bound_by(path: AnytimePath, n: int) -> Bound:
    """The anytime bound when ``n`` rows a side had been seen: that of the last point of the path.

    Guarantee: anytime, for all ``n`` at once.
    """
    if n >= path.n_p[-1]:
        return path.bound
    last = int(np.searchsorted(path.n_p, n, side="right")) - 1
    if last < 0 or not path.n_p[last]:
        note = f"The first {WARM_UP} scores a side only place the thresholds."
        return replace(path.bound, value=0.0, n_p=0, n_q=0, note=note)
    n_p, n_q = int(path.n_p[last]), int(path.n_q[last])
    return replace(path.bound, value=float(path.values[last]), n_p=n_p, n_q=n_q, note=None)


@dataclass(frozen=True, eq=False)
class WatchedLimit:
    """The Clopper–Pearson limit at one threshold, look by look.

    Attributes
    ----------
    scores : Scores
    delta, confidence : float
    threshold : float
        In score units.
    pilot : int
        Rows a side that placed the threshold, and are not counted.
    n : ndarray of int, shape (looks,)
        Rows a side seen by each look, the pilot included.
    values : ndarray, shape (looks,)
        The limit, as if the look were the only one.
    """

    scores: Scores
    delta: float
    confidence: float
    threshold: float
    pilot: int
    n: NDArray[np.int64]
    values: Floats

    def at(self, n: int) -> Bound:
        """The limit at the last look by row ``n``; void, since it is one look of many."""
        look = self._looks_by(n)
        return self._bound(look - 1 if look else None)

    def largest(self, n: int) -> Bound:
        """The largest limit by row ``n``, where somebody stops who waits for a good look; void."""
        looks = self._looks_by(n)
        return self._bound(int(np.argmax(self.values[:looks])) if looks else None)

    def _looks_by(self, n: int) -> int:
        return int(np.searchsorted(self.n, n, side="right"))

    def _bound(self, look: int | None) -> Bound:
        counted = 0 if look is None else int(self.n[look]) - self.pilot
        return Bound(
            quantity="epsilon",
            value=0.0 if look is None else float(self.values[look]),
            guarantee="pointwise",
            method="Clopper–Pearson at a threshold",
            assumption=self.scores.assumption,
            n_p=counted,
            n_q=counted,
            confidence=self.confidence,
            delta=self.delta,
            threshold=self.threshold,
            discarded=self.scores.discarded,
            void=WATCHED,
            note=None
            if counted
            else f"The first {self.pilot} scores a side only place the threshold.",
        )


def watched_limit(scores: Scores, delta: float, confidence: float = 0.95) -> WatchedLimit:
    """What a fixed-n limit shows to somebody who reads it while the rows arrive.

    Parameters
    ----------
    scores : Scores
        Rows in order of arrival, one of P with one of Q; what finds no partner is left out.
    delta, confidence : float

    Returns
    -------
    WatchedLimit
        The threshold is the one with the largest limit among the first rows, which are not
        counted afterwards: each look by itself would keep its level.
    """
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    p, q = _oriented(scores)
    pilot = max(1, min(PILOT, p.size // 4))
    t = _placed(p[:pilot], q[:pilot], delta, confidence)
    tp, fp = (np.cumsum(_above(side[pilot:], t), dtype=np.int64) for side in (p, q))
    n = np.unique(np.geomspace(1, p.size - pilot, LOOKS).round().astype(np.int64))
    return WatchedLimit(
        scores=scores,
        delta=delta,
        confidence=confidence,
        threshold=t if scores.larger_is_member else -t,
        pilot=pilot,
        n=n + pilot,
        values=_limits(tp[n - 1], fp[n - 1], n, delta, confidence),
    )


@dataclass(frozen=True, eq=False)
class Looks:
    """All that bets against any claim need to know of the rows.

    Attributes
    ----------
    scores : Scores
    n : ndarray of int, shape (looks,)
        Rows a side seen by each look.
    counts : ndarray, shape (levels, looks, 8)
        As in `workbench.bounds.anytime.betting.log_wealth`.
    void : str or None
        Why the rows cannot be in order of arrival.
    """

    scores: Scores
    n: NDArray[np.int64]
    counts: Floats
    void: str | None


def looks_at(scores: Scores) -> Looks:
    """All looks at rows in order of arrival, one of P with one of Q."""
    tally = Tally((1, 1))
    runs = tally.add(*_oriented(scores))
    return Looks(
        scores=scores,
        n=np.concatenate([np.zeros(0, dtype=np.int64), *(n for n, _ in runs)]),
        counts=np.concatenate([tally.total[:, None][:, :0], *(c for _, c in runs)], axis=1),
        void=out_of_order(scores),
    )


@dataclass(frozen=True, eq=False)
class Evidence:
    """The e-value against one claim, look by look.

    Attributes
    ----------
    looks : Looks
    epsilon, delta : float
        The claim, to be written down before the rows are seen.
    log : ndarray, shape (looks,)
        Natural logarithms.
    """

    looks: Looks
    epsilon: float
    delta: float
    log: Floats

    def at(self, n: int) -> EValue:
        """The e-value at the last look by row ``n``; 1 before the first."""
        last = int(np.searchsorted(self.looks.n, n, side="right")) - 1
        return self._value(float(self.log[last]) if last >= 0 else 0.0, last)

    def refuted_at(self, confidence: float, n: int) -> int | None:
        """The row by which the claim was refuted for good, None if it was not by row ``n``."""
        goal = -math.log1p(-_checks.confidence(confidence))
        reached = self.looks.n[(self.log >= goal) & (self.looks.n <= n)]
        return int(reached[0]) if reached.size else None

    def _value(self, log: float, look: int) -> EValue:
        seen = int(self.looks.n[look]) if look >= 0 else 0
        return EValue(
            log=log,
            epsilon=self.epsilon,
            delta=self.delta,
            n_p=seen,
            n_q=seen,
            assumption=self.looks.scores.assumption,
            void=self.looks.void,
        )


def evidence(looks: Looks, epsilon: float, delta: float) -> Evidence:
    """Evidence against the claim (ε, δ)-DP at every look.

    Parameters
    ----------
    looks : Looks
        Of `looks_at`; the same for all claims.
    epsilon, delta : float

    Returns
    -------
    Evidence
        At each look what `workbench.anytime_e_value` says of the rows so far.
    """
    epsilon = _checks.number(epsilon, "epsilon")
    if epsilon < 0:
        raise ValueError(f"epsilon must be at least 0, got {epsilon!r}")
    claims = EpsilonClaims(_checks.delta(delta))
    factors = log_factors(claims, epsilon, epsilon, (1, 1))
    log = log_wealth(looks.counts, factors) if looks.n.size else np.zeros(0)
    return Evidence(looks, epsilon, claims.delta, log)


def _oriented(scores: Scores) -> tuple[Floats, Floats]:
    """Both sides in pairs, larger being more member-like."""
    sign, n = 1.0 if scores.larger_is_member else -1.0, min(scores.n_p, scores.n_q)
    return sign * scores.p[:n], sign * scores.q[:n]


def _placed(p: Floats, q: Floats, delta: float, confidence: float) -> float:
    """The threshold with the largest limit, and among equals the one that tells most apart."""
    pooled = np.concatenate([p, q])
    tried = np.unique(pooled[np.isfinite(pooled)])
    if not tried.size:
        return 0.0
    tp, fp = (np.sum(_above(side[:, None], tried), axis=0, dtype=np.int64) for side in (p, q))
    limits = _limits(tp, fp, p.size, delta, confidence)
    return float(tried[np.lexsort((np.abs(tp - fp), limits))[-1]])


def _above(x: Floats, t: float | Floats) -> NDArray[np.bool_]:
    return ~(x <= t)  # NaN lies above everything


def _limits(tp: Any, fp: Any, n: Any, delta: float, confidence: float) -> Floats:
    error = (1 - confidence) / 2
    fpr, fnr = clopper_pearson_upper(fp, n, error), clopper_pearson_upper(n - tp, n, error)
    return np.asarray(epsilon_of_point(fpr, fnr, delta))
