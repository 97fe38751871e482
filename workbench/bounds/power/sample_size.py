"""Power and sample size of an audit of a known pair: `power`, `samples_needed` and more.

Plans assume the best attack, which orders outcomes by their likelihood ratio and breaks ties at
random, so that they depend on the pair's trade-off function only. How power is computed depends on
the guarantee of the bound:

- "pointwise": exactly, at the threshold that suits the pair best
  (`workbench.bounds.power.plan_threshold`);
- "simultaneous", "one question": by drawn counts at the band's ranks
  (`workbench.bounds.power.plan_band`), or by whole audits for a pair whose scores have ties, which
  drawn counts would break;
- "held-out", "anytime": by whole audits of drawn scores (`workbench.bounds.power.plan_audits`).
"""

from __future__ import annotations

import numpy as np

from workbench import _checks
from workbench._format import plain
from workbench.bounds.power.plan import AuditPlan
from workbench.bounds.power.plan_audits import SimulatedPlan, StoppingPlan
from workbench.bounds.power.plan_band import BandPlan, OneQuestionPlan
from workbench.bounds.power.plan_results import BoundDistribution, Power, SampleSize
from workbench.bounds.power.plan_threshold import ThresholdPlan
from workbench.pairs.base import Pair

#: Guarantee of the bound -> how its power is computed.
PLANS: dict[str, type[AuditPlan]] = {
    "simultaneous": BandPlan,
    "one question": OneQuestionPlan,
    "pointwise": ThresholdPlan,
    "held-out": SimulatedPlan,
    "anytime": StoppingPlan,
}


def power(
    pair: Pair,
    *,
    claim_epsilon: float,
    delta: float,
    n: int | tuple[int, int],
    confidence: float = 0.95,
    guarantee: str = "simultaneous",
    seed: int | np.random.Generator = 0,
) -> Power:
    """Probability that a lower bound on ε exceeds a claimed ε when a pair is the truth.

    Parameters
    ----------
    pair : Pair
        The truth.
    claim_epsilon : float
        At least 0. The claim (claim_epsilon, δ)-DP is refuted when the bound exceeds it.
    delta : float
        In [0, 1).
    n : int or pair of int
        Scores per group, or (n_p, n_q).
    confidence : float
        In (0.5, 1).
    guarantee : {"simultaneous", "one question", "pointwise", "held-out", "anytime"}
        Of the bound. "pointwise" takes the threshold that suits the pair best.
    seed : int or numpy.random.Generator

    Returns
    -------
    Power
        If the claim is true of the pair, the probability of a false alarm.

    Raises
    ------
    ValueError
        An argument out of range; a pair without scores for "held-out" and "anytime".

    See Also
    --------
    samples_needed : the sample size for a given power.
    plan_distribution : quantiles of the bound instead of one probability.

    Notes
    -----
    "pointwise" is exact (below the truth by at most 0.001). "simultaneous" and "one question" draw
    4000 sets of counts, or 60 whole audits where scores have ties; "held-out" draws 60 whole
    audits, "anytime" 100. `Power.standard_error` is that of the simulation.

    Examples
    --------
    >>> pair = wb.GaussianPair(1)
    >>> wb.power(pair, claim_epsilon=1, delta=1e-5, n=500, guarantee="pointwise").how
    'exact'
    """
    plan = _plan(pair, delta, confidence, guarantee, seed)
    return plan.power(_claim(claim_epsilon), *_sizes(n))


def samples_needed(
    pair: Pair,
    *,
    claim_epsilon: float,
    delta: float,
    confidence: float = 0.95,
    power: float = 0.8,
    guarantee: str = "simultaneous",
    seed: int | np.random.Generator = 0,
) -> SampleSize:
    """Scores per group with which a lower bound on ε exceeds a claimed ε with a given power.

    Parameters
    ----------
    pair : Pair
        The truth.
    claim_epsilon : float
        The claimed ε to refute, or the ε to reach; below the pair's own.
    delta : float
        In [0, 1).
    confidence : float
        In (0.5, 1).
    power : float
        The probability of exceeding the claim, in (0, 1).
    guarantee : {"simultaneous", "one question", "pointwise", "held-out", "anytime"}
        Of the bound, as in `power`. With "anytime", the audit stops when the bound exceeds the
        claim, and n is enough for a share ``power`` of all audits.
    seed : int or numpy.random.Generator

    Returns
    -------
    SampleSize
        Known to 2% for "simultaneous", "one question" and "pointwise", to some 10% for the others.

    Raises
    ------
    ValueError
        A claim that is true of the pair, or that would need more than 10⁹ scores (10⁶ where whole
        audits are simulated) to refute.

    Notes
    -----
    A bisection over n with one seed for all n. Takes a second or so, "held-out" ten times that.

    Examples
    --------
    >>> pair = wb.GaussianPair(1)
    >>> wb.samples_needed(pair, claim_epsilon=1, delta=1e-5, guarantee="pointwise").n
    526
    """
    plan = _plan(pair, delta, confidence, guarantee, seed)
    claim, wanted = _claim(claim_epsilon), _checks.open_unit(power, "power")
    if claim >= plan.truth:
        raise ValueError(
            f"claim_epsilon must lie below the truth, got {claim!r}: {pair.name} has ε = "
            f"{plan.truth:.6g} at δ = {plain(plan.delta)}, and no number of scores shows more"
        )
    return plan.samples_needed(claim, wanted)


def plan_distribution(
    pair: Pair,
    *,
    delta: float,
    n: int | tuple[int, int],
    confidence: float = 0.95,
    guarantee: str = "simultaneous",
    reps: int = 200,
    seed: int | np.random.Generator = 0,
) -> BoundDistribution:
    """Distribution of a lower bound on ε over simulated audits of a known pair.

    Parameters
    ----------
    pair : Pair
        The truth.
    delta : float
        In [0, 1).
    n : int or pair of int
        Scores per group, or (n_p, n_q).
    confidence : float
        In (0.5, 1).
    guarantee : {"simultaneous", "one question", "pointwise", "held-out", "anytime"}
        Of the bound, as in `power`.
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
    All but "held-out" and "anytime" draw counts, at the same cost for any n; those draw scores.

    Examples
    --------
    >>> plan = wb.plan_distribution(wb.GaussianPair(1), delta=1e-5, n=1000, reps=20)
    >>> plan.quantile([0.1, 0.9]).shape
    (2,)
    """
    plan = _plan(pair, delta, confidence, guarantee, seed)
    n_p, n_q = _sizes(n)
    values = plan.values(n_p, n_q, _checks.count(reps, "reps", 1, _checks.REPEATED))
    return BoundDistribution(
        pair, guarantee, n_p, n_q, plan.delta, plan.confidence, np.sort(values), plan.truth
    )


def _plan(
    pair: Pair,
    delta: float,
    confidence: float,
    guarantee: str,
    seed: int | np.random.Generator,
) -> AuditPlan:
    """The plan for a guarantee."""
    _checks.instance(pair, Pair, "pair", "a pair such as wb.GaussianPair(1)")
    kind = PLANS[_checks.one_of(guarantee, "guarantee", PLANS)]
    if issubclass(kind, BandPlan) and _has_ties(pair):
        kind = SimulatedPlan
    _checks.random(seed)
    if isinstance(seed, np.random.Generator):
        # One number, so that all n are simulated alike.
        seed = int(seed.integers(2**63))
    return kind(pair, delta, confidence, seed, guarantee)


def _has_ties(pair: Pair) -> bool:
    """Whether scores of the pair have ties; a pair without scores has none."""
    try:
        scores = pair.sample(100, seed=0)
    except ValueError:
        return False
    return np.unique(np.concatenate([scores.p, scores.q])).size < 200


def _sizes(n: int | tuple[int, int]) -> tuple[int, int]:
    n_p, n_q = n if isinstance(n, tuple | list) else (n, n)
    return _checks.count(n_p, "n_p", least=2), _checks.count(n_q, "n_q", least=2)


def _claim(epsilon: float) -> float:
    epsilon = _checks.number(epsilon, "claim_epsilon")
    if epsilon < 0:
        raise ValueError(
            f"claim_epsilon must be at least 0, got {epsilon!r}; every bound exceeds less"
        )
    return epsilon
