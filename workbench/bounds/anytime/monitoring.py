"""Limits and evidence recomputed as scores arrive, for comparison with the anytime bound.

- `fixed_size_limits`: the Clopper–Pearson limit at one threshold, as if each look were the only
  one. Its level holds for one sample size; the largest of many looks exceeds the truth far more
  often. It demonstrates that failure.
- `betting_counts`: what the bets of `workbench.bounds.anytime.betting` need, from which evidence
  against any claim follows at every look.

The anytime bound at every look is `workbench.anytime_path`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._format import plain
from workbench._frames import to_frame
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.bounds.anytime.anytime import out_of_order
from workbench.bounds.anytime.betting import EpsilonClaims, log_factors, log_wealth
from workbench.bounds.anytime.e_values import EValue
from workbench.bounds.anytime.predictable_counts import Tally
from workbench.bounds.bound import Bound
from workbench.bounds.counts.binomial import clopper_pearson_upper
from workbench.bounds.quantities import QuantityArguments
from workbench.curves.error_rates import epsilon_of_point
from workbench.curves.validation import Floats
from workbench.scores.sample import Scores, require_scores

#: Why such a limit guarantees nothing.
WATCHED = "the limit is valid at one sample size, and was read at many"

#: Rows of P, and of Q, that only place the threshold; at most a quarter of all.
PILOT = 100

#: Largest number of looks at a limit, at sample sizes in a geometric progression.
LOOKS = 200


@dataclass(frozen=True, eq=False)
class FixedSizeLimits:
    """Clopper–Pearson limits at one threshold, each computed as if its look were the only one.

    Attributes
    ----------
    scores : Scores
        Rows in order of arrival.
    delta, confidence : float
        The δ of ε, and the level of each limit alone.
    threshold : float
        In score units.
    pilot : int
        First rows of P, and of Q, that placed the threshold; they are not counted.
    n : ndarray of int, shape (looks,)
        Rows of P, and of Q, seen by each look, the pilot included.
    values : ndarray, shape (looks,)
        The lower limits on ε.
    """

    scores: Scores
    delta: float
    confidence: float
    threshold: float
    pilot: int
    n: NDArray[np.int64]
    values: Floats

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)

    def at(self, n: int) -> Bound:
        """The limit at the last look by row ``n``; void, because it is one look of many."""
        look = self._looks_by(n)
        return self._bound(look - 1 if look else None)

    def largest(self, n: int) -> Bound:
        """The largest limit by row ``n``, as reported by someone who stops at a good look; void."""
        looks = self._looks_by(n)
        return self._bound(int(np.argmax(self.values[:looks])) if looks else None)

    def _looks_by(self, n: int) -> int:
        return int(np.searchsorted(self.n, _checks.number(n, "n"), side="right"))

    def _bound(self, look: int | None) -> Bound:
        counted = 0 if look is None else int(self.n[look]) - self.pilot
        return Bound.of_scores(
            self.scores,
            0.0 if look is None else float(self.values[look]),
            quantity="epsilon",
            guarantee="pointwise",
            method="Clopper–Pearson at a threshold",
            n_p=counted,
            n_q=counted,
            confidence=self.confidence,
            at=QuantityArguments(delta=self.delta),
            threshold=self.threshold,
            void=WATCHED,
            note=None
            if counted
            else f"The first {self.pilot} scores of P and of Q only place the threshold.",
        )


def fixed_size_limits(scores: Scores, delta: float, confidence: float = 0.95) -> FixedSizeLimits:
    """Limits on ε for a fixed sample size, recomputed while the rows arrive: invalid if watched.

    Parameters
    ----------
    scores : Scores
        Rows in order of arrival, one of P with one of Q; rows without a partner are left out.
    delta : float
        In [0, 1).
    confidence : float
        In (0.5, 1), of each limit alone.

    Returns
    -------
    FixedSizeLimits
        The threshold is the one with the largest limit among the first rows, which are not
        counted afterwards: each look by itself would keep its level.

    Raises
    ------
    ValueError
        A δ or a confidence out of range.

    See Also
    --------
    anytime_path : bounds that hold at all looks at once.

    Examples
    --------
    >>> scores = wb.GaussianPair(1).sample(500, seed=0)
    >>> limits = wb.fixed_size_limits(scores, delta=1e-5)
    >>> limits.largest(500).void
    'the limit is valid at one sample size, and was read at many'
    """
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    p, q = _paired(scores)
    pilot = max(1, min(PILOT, p.size // 4))
    t = _placed(p[:pilot], q[:pilot], delta, confidence)
    tp, fp = (np.cumsum(_above(side[pilot:], t), dtype=np.int64) for side in (p, q))
    n = np.unique(np.geomspace(1, p.size - pilot, LOOKS).round().astype(np.int64))
    return FixedSizeLimits(
        scores=scores,
        delta=delta,
        confidence=confidence,
        threshold=scores.samples.in_score_units(t),
        pilot=pilot,
        n=n + pilot,
        values=_limits(tp[n - 1], fp[n - 1], n, delta, confidence),
    )


@dataclass(frozen=True, eq=False)
class EvidencePath:
    """E-values against one claim, at every look.

    Attributes
    ----------
    scores : Scores
        Rows in order of arrival.
    epsilon, delta : float
        The claim, to be fixed before the rows are seen.
    n : ndarray of int, shape (looks,)
        Rows of P, and of Q, seen by each look.
    log : ndarray, shape (looks,)
        Natural logarithms of the e-values.
    void : str or None
        Why the rows cannot be in order of arrival.
    """

    scores: Scores
    epsilon: float
    delta: float
    n: NDArray[np.int64]
    log: Floats
    void: str | None

    plot = plot
    figure = figure
    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)

    def _repr_html_(self) -> str:
        return beside(evidence_words(self.claimed, self.n, self.log, self.void), self)

    def at(self, n: int) -> EValue:
        """The e-value at the last look by row ``n``; 1 before the first."""
        n = _checks.count(n, "n")
        last = int(np.searchsorted(self.n, n, side="right")) - 1
        seen = int(self.n[last]) if last >= 0 else 0
        return EValue(
            log=float(self.log[last]) if last >= 0 else 0.0,
            epsilon=self.epsilon,
            delta=self.delta,
            n_p=seen,
            n_q=seen,
            assumption=self.scores.assumption,
            void=self.void,
        )

    def log_at(self, n: int) -> float:
        """Natural logarithm of the e-value at the last look by row ``n``; 0 before the first."""
        return self.at(n).log

    @property
    def claimed(self) -> str:
        """The claim in words."""
        return f"ε at most {plain(self.epsilon)}"

    def refuted_at(self, confidence: float, n: int) -> int | None:
        """The row by which the claim was refuted for good, None if it was not by row ``n``.

        Parameters
        ----------
        confidence : float
            In (0.5, 1), chosen before the rows are seen.
        n : int
        """
        goal = -math.log1p(-_checks.confidence(confidence))
        reached = self.n[(self.log >= goal) & (self.n <= _checks.count(n, "n"))]
        return int(reached[0]) if reached.size else None


def evidence_words(claimed: str, n: NDArray[np.int64], log: Floats, void: str | None) -> str:
    """E-values against a claim in a few words, as HTML.

    Parameters
    ----------
    claimed, n, log, void
        See `EvidencePath`.
    """
    last = f"10^{log[-1] / math.log(10):.1f}" if log.size else "1"
    rows: list[tuple[object, ...]] = [
        ("claim", claimed),
        ("rows of each group", f"{int(n[-1]) if n.size else 0:,}"),
        ("e-value at the last look", last),
    ]
    return table("Evidence against a claim", rows, "anytime" if void is None else f"void: {void}")


@dataclass(frozen=True, eq=False)
class BettingCounts:
    """Counts of scores in predictable sets at every look: what bets against any claim need.

    Attributes
    ----------
    scores : Scores
        Rows in order of arrival.
    n : ndarray of int, shape (looks,)
        Rows of P, and of Q, seen by each look.
    counts : ndarray, shape (rows, looks, 8)
        As in `workbench.bounds.anytime.betting.log_wealth`.
    void : str or None
        Why the rows cannot be in order of arrival.
    """

    scores: Scores
    n: NDArray[np.int64]
    counts: Floats
    void: str | None

    def __post_init__(self) -> None:
        _checks.fields(self)

    def evidence(self, epsilon: float, delta: float) -> EvidencePath:
        """Evidence against the claim (ε, δ)-DP at every look.

        Parameters
        ----------
        epsilon : float
            At least 0.
        delta : float
            In [0, 1).

        Returns
        -------
        EvidencePath
            At each look the same as `workbench.anytime_e_value` of the rows so far.

        Raises
        ------
        ValueError
            An argument out of range.
        """
        epsilon = _checks.non_negative(epsilon, "epsilon")
        claims = EpsilonClaims(_checks.delta(delta))
        factors = log_factors(claims, epsilon, epsilon, (1, 1))
        log = log_wealth(self.counts, factors) if self.n.size else np.zeros(0)
        return EvidencePath(self.scores, epsilon, claims.delta, self.n, log, self.void)


def betting_counts(scores: Scores) -> BettingCounts:
    """The counts behind the bets against every claim, at every look, for rows in order of arrival.

    Rows of P and of Q are taken in pairs; rows without a partner are left out.

    Examples
    --------
    >>> counts = wb.betting_counts(wb.GaussianPair(1).sample(500, seed=0))
    >>> counts.evidence(epsilon=0.5, delta=1e-5).refuted_at(0.95, n=500) is not None
    True
    """
    tally = Tally((1, 1))
    runs = tally.add(*_paired(scores))
    return BettingCounts(
        scores=scores,
        n=np.concatenate([np.zeros(0, dtype=np.int64), *(n for n, _ in runs)]),
        counts=np.concatenate([tally.total[:, None][:, :0], *(c for _, c in runs)], axis=1),
        void=out_of_order(scores),
    )


def _paired(scores: Scores) -> tuple[Floats, Floats]:
    """As many rows of P as of Q, larger scores being more member-like."""
    p, q = require_scores(scores).samples.in_order()
    n = min(p.size, q.size)
    return p[:n], q[:n]


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
