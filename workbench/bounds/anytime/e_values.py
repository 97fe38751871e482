"""E-values: evidence against a claim that may be averaged, multiplied and stopped at any time.

An e-value is a number whose mean is at most 1 while the claim holds: it is 1/α or more with
probability at most α (Markov). The mean of several is one too, under any dependence; so is their
product, if they come from independent runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from workbench import _checks
from workbench._format import format_result, plain
from workbench._frames import to_frame
from workbench.bounds.anytime.anytime import out_of_order
from workbench.bounds.anytime.betting import EpsilonClaims, log_factors, log_wealth
from workbench.bounds.anytime.predictable_counts import Tally
from workbench.scores.sample import NOBODY_DREW, Scores, require_scores


@dataclass(frozen=True, repr=False)
class EValue:
    """Evidence against "the pair is (ε, δ)-DP".

    Attributes
    ----------
    log : float
        Natural logarithm of the e-value, which itself may not fit into a float.
    epsilon, delta : float
        The claim.
    n_p, n_q : int
        Number of scores of P and of Q used.
    assumption : str
        As of a `Bound`.
    void : str, optional
        Why it is no evidence after all.
    """

    log: float
    epsilon: float
    delta: float
    n_p: int
    n_q: int
    assumption: str
    void: str | None = None

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.number_or_infinite(self.log, "log")

    def __float__(self) -> float:
        return math.exp(self.log) if self.log < 709 else math.inf

    def __format__(self, spec: str) -> str:
        """The e-value by a format of numbers, rounded down; the text for other formats."""
        return format_result(self, float(self), spec, "down")

    def refutes(self, confidence: float = 0.95) -> bool:
        """Whether the claim is refuted with this confidence, chosen before the scores were seen.

        Parameters
        ----------
        confidence : float
            In (0.5, 1).
        """
        return self.void is None and self.log >= -math.log1p(-_checks.confidence(confidence))

    def __repr__(self) -> str:
        value = f"{float(self):.3g}" if self.log < 709 else f"exp({self.log:.4g})"
        claim = f"(ε = {plain(self.epsilon)}, δ = {plain(self.delta)})-DP"
        void = f", void: {self.void}" if self.void else ""
        return f"EValue({value} against {claim}, {self.assumption}{void})"


def anytime_e_value(
    scores: Scores, epsilon: float, delta: float, ratio: tuple[int, int] = (1, 1)
) -> EValue:
    """E-value against the claim that a pair is (ε, δ)-DP, valid at every sample size at once.

    Parameters
    ----------
    scores : Scores
        Rows in order of arrival.
    epsilon : float
        At least 0.
    delta : float
        In [0, 1).
    ratio : pair of int
        As in `anytime_epsilon`.

    Returns
    -------
    EValue
        Valid also if the audit was stopped because of what was seen.

    Raises
    ------
    ValueError
        An argument out of range.

    Notes
    -----
    The wealth of the bets in `workbench.bounds.anytime.betting` at the last look.

    Examples
    --------
    >>> scores = wb.GaussianPair(2).sample(1000, seed=0)
    >>> wb.anytime_e_value(scores, epsilon=0.5, delta=1e-5).refutes(0.95)
    True
    """
    require_scores(scores)
    epsilon = _checks.non_negative(epsilon, "epsilon")
    claims = EpsilonClaims(_checks.delta(delta))
    tally = Tally(ratio)
    tally.add(*scores.samples.in_order())
    factors = log_factors(claims, epsilon, epsilon, tally.ratio)
    return EValue(
        log=float(log_wealth(tally.total[:, None], factors)[0]),
        epsilon=epsilon,
        delta=claims.delta,
        n_p=tally.ratio[0] * tally.used,
        n_q=tally.ratio[1] * tally.used,
        assumption=scores.assumption,
        void=NOBODY_DREW if scores.sampling == "given" else out_of_order(scores),
    )


def average_e_values(values: Sequence[EValue]) -> EValue:
    """Mean of e-values against one claim: an e-value whatever the dependence between them.

    For many canaries it is evidence that the claim is false for *some* of them.

    Parameters
    ----------
    values : sequence of EValue

    Returns
    -------
    EValue

    Raises
    ------
    ValueError
        No values, or of different claims.
    """
    values = _of_one_claim(values)
    logs = [value.log for value in values]
    return replace(_total(values), log=float(logsumexp(logs) - math.log(len(logs))))


def multiply_e_values(values: Sequence[EValue]) -> EValue:
    """Product of e-values against one claim: an e-value if they come from independent runs.

    Parameters
    ----------
    values : sequence of EValue

    Returns
    -------
    EValue

    Raises
    ------
    ValueError
        No values, or of different claims.
    """
    values = _of_one_claim(values)
    return replace(_total(values), log=math.fsum(value.log for value in values))


def e_benjamini_hochberg(
    values: Sequence[EValue | float], confidence: float = 0.95
) -> NDArray[np.bool_]:
    """Claims to reject at a false discovery rate, for example which canaries leak.

    Parameters
    ----------
    values : sequence of EValue or float, length m
        One for each claim; numbers are e-values, not their logarithms.
    confidence : float
        One minus the false discovery rate: the expected share of true claims among those rejected
        is at most 1 − ``confidence``.

    Returns
    -------
    ndarray of bool, shape (m,)
        True where the claim is rejected.

    Raises
    ------
    ValueError
        A negative value or NaN, a void e-value, a confidence out of range.

    Notes
    -----
    The claims of the k largest values are rejected, where k is the largest number with k-th value
    ≥ m/(k(1 − confidence)). Valid under any dependence.

    References
    ----------
    Wang & Ramdas, "False Discovery Rate Control with E-values", Journal of the Royal Statistical
    Society Series B 84 (2022).
    """
    goal = -math.log1p(-_checks.confidence(confidence))
    _checks.convertible(values, "values")
    logs = np.array([_log(value) for value in values], dtype=float)
    order = np.argsort(-logs, kind="stable")
    rank = 1 + np.arange(logs.size)
    enough = logs[order] >= math.log(max(logs.size, 1)) - np.log(rank) + goal
    called = np.zeros(logs.size, dtype=bool)
    called[order[: rank[enough].max(initial=0)]] = True
    return called


def _log(value: EValue | float) -> float:
    if isinstance(value, EValue):
        if value.void:
            raise ValueError(f"{value!r} is no evidence; leave it out")
        return value.log
    if not _checks.real(value, "an e-value") >= 0:
        raise ValueError(f"an e-value must be at least 0, got {_checks.shown(value)}")
    number = _checks.number_or_infinite(value, "an e-value")
    return math.log(number) if number > 0 else -math.inf


def _of_one_claim(values: Sequence[EValue]) -> list[EValue]:
    values = _checks.each_of(values, EValue, "values", "an EValue, as of wb.anytime_e_value")
    if not values:
        raise ValueError("no e-values were given")
    first = values[0]
    for value in values:
        if (value.epsilon, value.delta) != (first.epsilon, first.delta):
            raise ValueError(f"e-values of different claims: {first!r} and {value!r}")
    return values


def _total(values: Sequence[EValue]) -> EValue:
    """One value with the sizes of all."""
    return replace(
        values[0],
        n_p=sum(value.n_p for value in values),
        n_q=sum(value.n_q for value in values),
        void=next((value.void for value in values if value.void), None),
    )
