"""How many scores an audit needs: what each bound would show of a pair that is known.

Planning assumes the best attack, which orders outcomes by their likelihood ratio and breaks ties at
random; all that matters of it is the pair's trade-off function f.

- "pointwise": Clopper–Pearson limits at the threshold that suits the pair best. All pairs of counts
  are summed with their binomial probabilities: exact, nothing is simulated.
- "simultaneous": at each rank of the band, a claim is refuted from some count of true positives on.
  These critical counts are found once; then false positive rates at the ranks (order statistics of
  uniform variables) and the counts (binomial, given these) are drawn, and never a score.
- "held-out", "anytime", and "simultaneous" for a pair whose scores have ties, which the band does
  not break: whole audits of scores drawn from the pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrik, ndtr, ndtri

from workbench import _checks
from workbench._format import percent, plain
from workbench.bounds.anytime.anytime import anytime_epsilon, factors_above
from workbench.bounds.anytime.betting import EpsilonClaims, log_wealth
from workbench.bounds.anytime.predictable_counts import Tally
from workbench.bounds.counts.binomial import clopper_pearson_upper
from workbench.bounds.held_out.held_out import held_out_bound
from workbench.bounds.quantities import Epsilon
from workbench.bounds.simultaneous.band import TradeoffBand, rank_grid, tradeoff_band
from workbench.bounds.simultaneous.rank_tests import rank_tests
from workbench.curves.elementwise import Floats, rates
from workbench.curves.error_rates import epsilon_of_point
from workbench.pairs.base import Pair
from workbench.scores.sample import Scores, ScoresError

if TYPE_CHECKING:
    from workbench.pairs.base import Pair

METHODS = ("simultaneous", "pointwise", "held-out", "anytime")

#: Simulations behind a probability, by the way of computing it.
_DRAWN = {"counts": 4000, "audits": 60, "stops": 100}

#: The search for a sample size ends when it is known up to this factor.
_PRECISION = {"exact": 1.02, "counts": 1.02, "audits": 1.12}

#: Scores a side beyond which no plan is made.
_MOST = {"exact": 10**9, "counts": 10**9, "audits": 10**6, "stops": 10**6}

#: Where the search starts, as a multiple of the scores that one known threshold needs.
_START = {"simultaneous": 0.6, "pointwise": 1.0, "held-out": 0.85}

#: Blocks of false positive counts in an exact sum.
_BLOCKS = 2000

#: False positive rates at which a threshold is looked for, per decade, and refined.
_PER_DECADE = 12


#: A band of counts needs none.
_NO_SCORES = Scores(np.arange(2.0), np.arange(2.0))


@dataclass(frozen=True, eq=False, repr=False)
class BoundDistribution:
    """What a method would return, over and over, for scores of a known pair.

    Attributes
    ----------
    pair : Pair
    method : str
    n_p, n_q : int
    delta, confidence : float
    values : ndarray, shape (reps,)
        Bounds on ε of simulated audits, ascending.
    truth : float
        The pair's ε at δ.
    """

    pair: Pair
    method: str
    n_p: int
    n_q: int
    delta: float
    confidence: float
    values: Floats
    truth: float

    def quantile(self, level: ArrayLike) -> Any:
        """Quantiles of the bound; the shape of ``level``."""
        return np.quantile(self.values, rates(level, "level"))

    def __repr__(self) -> str:
        low, median, high = self.quantile([0.1, 0.5, 0.9])
        return (
            f"BoundDistribution({self.method} on {self.pair.name}, n_p={self.n_p}, "
            f"n_q={self.n_q}: ε ≥ {low:.3g}, {median:.3g}, {high:.3g} (10%, median, 90%), "
            f"truth {self.truth:.3g})"
        )


@dataclass(frozen=True, repr=False)
class Power:
    """The probability that a bound exceeds a claimed ε.

    Attributes
    ----------
    value : float
    standard_error : float
        Of the simulation; 0 where nothing was simulated.
    pair : Pair
        What is true.
    method : str
    claim_epsilon, delta, confidence : float
    n_p, n_q : int
    how : str
        "exact", or how many simulations.
    """

    value: float
    standard_error: float
    pair: Pair
    method: str
    claim_epsilon: float
    delta: float
    confidence: float
    n_p: int
    n_q: int
    how: str

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return (
            f"Power({percent(round(self.value, 3))} to show more than ε = "
            f"{plain(self.claim_epsilon)} at δ = {plain(self.delta)}; {self.method}, "
            f"{percent(self.confidence)}, n_p={self.n_p}, n_q={self.n_q}, {self.pair.name}, "
            f"{self.how})"
        )


@dataclass(frozen=True, repr=False)
class SampleSize:
    """How many scores a side let a bound reach a target with a given probability.

    Attributes
    ----------
    n : int
        Scores a side.
    power : Power
        What n reaches.
    wanted : float
        The probability that was asked for.
    """

    n: int
    power: Power
    wanted: float

    def __int__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"SampleSize({self.n:,} scores a side for {percent(self.wanted)}; {self.power!r})"


def power(
    pair: Pair,
    claim_epsilon: float,
    delta: float,
    n: int | tuple[int, int],
    confidence: float = 0.95,
    method: str = "simultaneous",
    seed: int | np.random.Generator = 0,
) -> Power:
    """The probability that the bound exceeds a claimed ε when the pair is the truth.

    Parameters
    ----------
    pair : Pair
    claim_epsilon : float
        At least 0. The claim (claim_epsilon, δ)-DP is refuted when the bound exceeds it.
    delta, confidence : float
    n : int or pair of int
        Scores a side, or (n_p, n_q).
    method : {"simultaneous", "pointwise", "held-out", "anytime"}
        "pointwise" takes the threshold that suits the pair best.
    seed : int or numpy.random.Generator

    Returns
    -------
    Power
        If the claim is true of the pair, the probability of a false alarm.

    Raises
    ------
    ValueError
        An argument out of range; a pair without scores for "held-out" and "anytime".

    Notes ----- How it is computed: `workbench.bounds.power.sample_size`. "pointwise" is exact
    (below the truth by at most 0.001); "simultaneous" draws 4000 sets of counts, or 60 whole audits
    where scores have ties; "held-out" draws 60 whole audits, "anytime" 100.
    """
    plan = _Plan(pair, delta, confidence, method, seed)
    return plan.power(_claim(claim_epsilon), *_sizes(n))


def samples_needed(
    pair: Pair,
    target: float,
    delta: float,
    confidence: float = 0.95,
    power: float = 0.8,
    method: str = "simultaneous",
    seed: int | np.random.Generator = 0,
) -> SampleSize:
    """How many scores a side the bound needs to exceed a target with a given probability.

    Parameters
    ----------
    pair : Pair
        What is true.
    target : float
        The ε to reach, or a claimed ε to refute; below the pair's own.
    delta, confidence : float
    power : float
        The probability of reaching it, in (0, 1).
    method : {"simultaneous", "pointwise", "held-out", "anytime"}
        As in `power`; with "anytime", the audit stops when the target is reached, and n is enough
        in a share ``power`` of all audits.
    seed : int or numpy.random.Generator

    Returns
    -------
    SampleSize
        Known to 2 % for "simultaneous" and "pointwise", to some 10 % for the others.

    Raises
    ------
    ValueError
        A target that the truth does not allow, or that would need more than 10⁹ scores (10⁶
        where whole audits are simulated).

    Notes
    -----
    A bisection over n with one seed for all n. Takes a second or so, "held-out" ten times that.
    """
    plan = _Plan(pair, delta, confidence, method, seed)
    target, wanted = _claim(target, "target"), _checks.open_unit(power, "power")
    if target >= plan.truth:
        raise ValueError(
            f"target must lie below the truth, got {target!r}: {pair.name} has ε = "
            f"{plan.truth:.6g} at δ = {plain(plan.delta)}, and no number of scores shows more"
        )
    if method == "anytime":
        return plan.stopping(target, wanted)
    at_threshold = _smallest(
        lambda n: plan.at_luck(float(ndtri(wanted)), n, n)[1] > target, 100, 1.02, _MOST["exact"]
    )
    n = _smallest(
        lambda n: plan.power(target, n, n).value >= wanted,
        math.ceil(_START[method] * at_threshold),
        _PRECISION[plan.way],
        _MOST[plan.way],
    )
    return SampleSize(n, plan.power(target, n, n), wanted)


def plan_distribution(
    pair: Pair,
    n: int | tuple[int, int],
    delta: float,
    confidence: float = 0.95,
    method: str = "simultaneous",
    reps: int = 200,
    seed: int | np.random.Generator = 0,
) -> BoundDistribution:
    """What a method would return, over and over, for scores of a known pair.

    Parameters
    ----------
    pair : Pair
    n : int or pair of int
        Scores a side, or (n_p, n_q).
    delta, confidence : float
    method : {"simultaneous", "pointwise", "held-out", "anytime"}
        As in `power`.
    reps : int
        Simulated audits.
    seed : int or numpy.random.Generator

    Returns
    -------
    BoundDistribution

    Raises
    ------
    ValueError
        An argument out of range; a pair without scores for "held-out" and "anytime".

    Notes
    -----
    "simultaneous" and "pointwise" draw counts, at the same cost for any n; the others draw scores.
    """
    plan = _Plan(pair, delta, confidence, method, seed)
    n_p, n_q = _sizes(n)
    values = plan.values(n_p, n_q, _checks.count(reps, "reps", least=1))
    return BoundDistribution(
        pair, method, n_p, n_q, plan.delta, plan.confidence, np.sort(values), plan.truth
    )


@dataclass(frozen=True)
class _Plan:
    """The arguments that all questions share."""

    pair: Pair
    delta: float
    confidence: float
    method: str
    seed: int | np.random.Generator

    def __post_init__(self) -> None:
        _checks.instance(self.pair, Pair, "pair", "a pair such as wb.GaussianPair(1)")
        object.__setattr__(self, "delta", _checks.delta(self.delta))
        object.__setattr__(self, "confidence", _checks.confidence(self.confidence))
        _checks.one_of(self.method, "method", METHODS)
        if isinstance(self.seed, np.random.Generator):
            # One number, so that all n are simulated alike.
            object.__setattr__(self, "seed", int(self.seed.integers(2**63)))

    @property
    def truth(self) -> float:
        return float(self.pair.epsilon(self.delta))

    @cached_property
    def way(self) -> str:
        """How probabilities are computed."""
        if self.method == "pointwise":
            return "exact"
        if self.method == "anytime":
            return "stops"
        return "counts" if self.method == "simultaneous" and not self._ties() else "audits"

    def _ties(self) -> bool:
        """Whether scores of the pair have ties; a pair without scores has none."""
        try:
            scores = self.pair.sample(100, seed=0)
        except ValueError:
            return False
        return np.unique(np.concatenate([scores.p, scores.q])).size < 200

    def power(self, claim: float, n_p: int, n_q: int) -> Power:
        if self.way == "exact":
            return self._said(self._pointwise(claim, n_p, n_q), 0.0, "exact", claim, n_p, n_q)
        if self.way == "counts":
            exceeds = self._simultaneous(claim, n_p, n_q)
        elif self.way == "stops":
            exceeds = np.isfinite(self._ends(claim, min(n_p, n_q)))
        else:
            exceeds = self._audits(n_p, n_q, _DRAWN["audits"]) > claim
        return self._simulated(exceeds, claim, n_p, n_q)

    def values(self, n_p: int, n_q: int, reps: int) -> Floats:
        """Simulated bounds."""
        if self.way == "exact":
            return self._values_at_threshold(n_p, n_q, reps)
        if self.way == "counts":
            return self._values_of_band(n_p, n_q, reps)
        return self._audits(n_p, n_q, reps)

    def _simulated(self, exceeds: NDArray[np.bool_], claim: float, n_p: int, n_q: int) -> Power:
        share, drawn = float(exceeds.mean()), exceeds.size
        what = "sets of counts" if self.way == "counts" else "audits"
        how = f"{drawn:,} simulated {what}"
        return self._said(share, math.sqrt(share * (1 - share) / drawn), how, claim, n_p, n_q)

    def _said(
        self, value: float, error: float, how: str, claim: float, n_p: int, n_q: int
    ) -> Power:
        pair, method, delta = self.pair, self.method, self.delta
        return Power(value, error, pair, method, claim, delta, self.confidence, n_p, n_q, how)

    # -- one threshold ----------------------------------------------------------------------------

    def threshold(self, claim: float, n_p: int, n_q: int) -> float:
        """The one that exceeds the claim with the least luck, as its false positive rate."""
        low, high = -4.0, 4.0
        best, _ = self.at_luck(low, n_p, n_q)
        while high - low > 0.1:
            middle = (low + high) / 2
            alpha, bound = self.at_luck(middle, n_p, n_q)
            low, high, best = (middle, high, alpha) if bound > claim else (low, middle, best)
        return best

    def at_luck(self, z: float, n_p: int, n_q: int) -> tuple[float, float]:
        """The threshold with the largest bound, and the bound, after bad luck of z deviations.

        The bound at that threshold then falls lower with a probability of about 1 − Φ(z).
        """
        decades = math.log10(max(n_p, n_q)) + 1
        tail = np.logspace(-decades, math.log10(0.5), math.ceil(_PER_DECADE * decades))
        alpha = np.concatenate([tail, 1 - tail[-2::-1]])
        best = int(np.argmax(self._bounds(z, alpha, n_p, n_q)))
        near = alpha[max(best - 1, 0) : best + 2]
        alpha = np.append(np.linspace(near[0], near[-1], 2 * _PER_DECADE), alpha[best])
        bounds = self._bounds(z, alpha, n_p, n_q)
        best = int(np.argmax(bounds))
        return float(alpha[best]), float(bounds[best])

    def _bounds(self, z: float, alpha: Floats, n_p: int, n_q: int) -> Floats:
        # Both counts share the bad luck.
        chance = float(ndtr(z / math.sqrt(2)))
        fp = np.ceil(bdtrik(chance, n_q, alpha))
        fn = np.ceil(bdtrik(chance, n_p, self._fnr(alpha)))
        return self._at_counts(fp, fn, n_p, n_q)

    def _fnr(self, alpha: Floats) -> Floats:
        return np.asarray(self.pair.tradeoff(alpha, symmetric=False))

    def _at_counts(self, fp: Floats, fn: Floats, n_p: int, n_q: int) -> Floats:
        error = (1 - self.confidence) / 2
        fpr = clopper_pearson_upper(fp, n_q, error)
        fnr = clopper_pearson_upper(fn, n_p, error)
        return np.asarray(epsilon_of_point(fpr, fnr, self.delta))

    def _pointwise(self, claim: float, n_p: int, n_q: int) -> float:
        """Σ over FP of Pr[FP]·Pr[FN small enough], FPs in blocks that count as their largest."""
        alpha = self.threshold(claim, n_p, n_q)
        first, last = bdtrik(1e-9, n_q, alpha), bdtrik(1 - 1e-9, n_q, alpha)
        fp = np.unique(np.ceil(np.linspace(max(first, 0.0), last, _BLOCKS)))
        chance = np.diff(bdtr(fp, n_q, alpha), prepend=0.0)
        fpr = clopper_pearson_upper(fp, n_q, (1 - self.confidence) / 2)
        # The bound exceeds the claim if the limit of the false negative rate lies below its curve.
        allowed = Epsilon(self.delta).curve(claim, fpr)
        fn = _most(allowed, n_p, (1 - self.confidence) / 2)
        beta = self._fnr(np.array(alpha))
        reached = np.where(fn >= 0, bdtr(np.maximum(fn, 0), n_p, beta), 0.0)
        return float(np.sum(chance * reached))

    def _values_at_threshold(self, n_p: int, n_q: int, reps: int) -> Floats:
        rng = np.random.default_rng(self.seed)
        alpha, bound = self.at_luck(0.0, n_p, n_q)
        if bound <= 0:
            alpha = self.threshold(0.0, n_p, n_q)
        fp = rng.binomial(n_q, alpha, reps).astype(float)
        fn = rng.binomial(n_p, float(self._fnr(np.array(alpha))), reps).astype(float)
        return self._at_counts(fp, fn, n_p, n_q)

    # -- the band ---------------------------------------------------------------------------------

    def _counts(self, n_p: int, n_q: int, reps: int) -> tuple[Floats, Floats]:
        """False positive rates at the band's ranks, and counts above; each of shape (reps, J)."""
        rng, ranks = np.random.default_rng(self.seed), rank_grid(n_q)
        sums = rng.standard_gamma(np.diff(ranks, prepend=0), (reps, ranks.size)).cumsum(axis=1)
        fpr = sums / (sums[:, -1:] + rng.standard_gamma(n_q + 1 - ranks[-1], (reps, 1)))
        tpr = 1 - self._fnr(fpr)
        counts, so_far, reached = np.zeros(fpr.shape), np.zeros(reps), np.zeros(reps)
        for j in range(ranks.size):
            left = 1 - reached
            share = np.divide(tpr[:, j] - reached, left, out=np.zeros(reps), where=left > 0)
            so_far = so_far + rng.binomial(n_p - so_far.astype(int), np.clip(share, 0, 1))
            counts[:, j], reached = so_far, tpr[:, j]
        return fpr, counts

    def _band(self, thresholds: NDArray[Any], counts: Floats, n_p: int, n_q: int) -> TradeoffBand:
        tests = rank_tests(rank_grid(n_q), counts.astype(np.int64), n_p, n_q)
        return TradeoffBand(_NO_SCORES, self.confidence, thresholds, tests)

    def _simultaneous(self, claim: float, n_p: int, n_q: int) -> NDArray[np.bool_]:
        _, counts = self._counts(n_p, n_q, _DRAWN["counts"])
        return np.any(counts >= self._critical(claim, n_p, n_q), axis=1)

    def _critical(self, claim: float, n_p: int, n_q: int) -> Floats:
        """The smallest count at each rank that refutes the claim; n_p + 1 where none does."""
        ranks = rank_grid(n_q)
        question, claims = Epsilon(self.delta), np.full(ranks.size, claim)
        low, high = np.zeros(ranks.size), np.full(ranks.size, n_p + 1.0)
        while np.any(high - low > 1):
            middle = np.floor((low + high) / 2)
            band = self._band(ranks, middle, n_p, n_q)
            refuted = band.tests.of_values(question, claims) <= band.level
            low, high = np.where(refuted, low, middle), np.where(refuted, middle, high)
        return high

    def _values_of_band(self, n_p: int, n_q: int, reps: int) -> Floats:
        rates, counts = self._counts(n_p, n_q, reps)
        bands = (self._band(-u, k, n_p, n_q) for u, k in zip(rates, counts, strict=True))
        return np.array([band.epsilon(self.delta).value for band in bands])

    # -- whole audits -----------------------------------------------------------------------------

    def _audits(self, n_p: int, n_q: int, reps: int) -> Floats:
        rng = np.random.default_rng(self.seed)
        return np.array(
            [self._bound(self.pair.sample((n_p, n_q), seed=each)) for each in rng.spawn(reps)]
        )

    def _bound(self, scores: Scores) -> float:
        if self.method == "anytime":
            return anytime_epsilon(scores, self.delta, self.confidence).value
        if self.method == "simultaneous":
            return tradeoff_band(scores, self.confidence).epsilon(self.delta).value
        try:
            return held_out_bound(scores, Epsilon(self.delta), self.confidence).value
        except ScoresError:  # too few to hold any out
            return 0.0

    def _ends(self, target: float, most: int, patience: float = 1.0) -> Floats:
        """The look at which audits that stop at the target end; ``inf`` where not by ``most``.

        If a larger share than ``patience`` does not end, this raises ValueError at once.
        """
        ends = []
        for rng in np.random.default_rng(self.seed).spawn(_DRAWN["stops"]):
            ends.append(self._end(target, most, rng))
            if np.isinf(ends).sum() > patience * _DRAWN["stops"]:
                raise _too_many(most)
        return np.array(ends)

    def _end(self, target: float, most: int, rng: np.random.Generator) -> float:
        factors = factors_above(EpsilonClaims(self.delta), target)
        goal, tally, n = -math.log1p(-self.confidence), Tally((1, 1)), 0
        while n < most:
            scores = self.pair.sample(min(max(n // 4, 256), most - n + 1), seed=rng)
            n += scores.n_p
            for looks, counts in tally.add(scores.p, scores.q):
                reached = looks[log_wealth(counts, factors) >= goal]
                if reached.size:
                    return float(reached[0]) if reached[0] <= most else math.inf
        return math.inf

    def stopping(self, target: float, wanted: float) -> SampleSize:
        """How many scores are enough for most audits that stop at the target."""
        ends = np.sort(self._ends(target, _MOST["stops"], patience=1 - wanted))
        n = ends[math.ceil(wanted * ends.size) - 1]
        return SampleSize(int(n), self._simulated(ends <= n, target, int(n), int(n)), wanted)


def _smallest(reached: Callable[[int], bool], start: int, precision: float, most: int) -> int:
    """The smallest n, up to the factor ``precision``, from which on something is reached."""
    low = high = min(max(start, 2), most)
    if reached(high):
        while low == high and low > 2:
            low = max(math.floor(low / 1.25), 2)
            if reached(low):
                high = low
        if low == high:
            return high
    else:
        while low == high:
            if high == most:
                raise _too_many(most)
            high = min(math.ceil(1.25 * high), most)
            if not reached(high):
                low = high
    while high > precision * low and high - low > 1:
        middle = round(math.sqrt(low * high))
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _too_many(most: int) -> ValueError:
    return ValueError(
        f"more than {most:,} scores a side would be needed; lower the target, or ask for less power"
    )


def _most(rate: Floats, n: int, error: float) -> Floats:
    """The largest count whose Clopper–Pearson upper limit is at most ``rate``; −1 for none."""
    count = np.floor(bdtrik(error, n, rate))
    count = np.where(bdtr(np.maximum(count, 0), n, rate) > error, count - 1, count)
    more = bdtr(np.clip(count + 1, 0, n), n, rate) <= error
    return np.where(more, np.minimum(count + 1, n), count)


def _sizes(n: int | tuple[int, int]) -> tuple[int, int]:
    n_p, n_q = n if isinstance(n, tuple | list) else (n, n)
    return _checks.count(n_p, "n_p", least=2), _checks.count(n_q, "n_q", least=2)


def _claim(epsilon: float, name: str = "claim_epsilon") -> float:
    epsilon = _checks.number(epsilon, name)
    if epsilon < 0:
        raise ValueError(f"{name} must be at least 0, got {epsilon!r}; every bound exceeds less")
    return epsilon
