"""E-values of records: evidence that a record exceeds ε, to be averaged over attacks.

For each record the models come one after the other, in a random order. From the models
so far follows a belief about the next one: the log-likelihood ratio of two normal distributions at
its score, and with it the probability q that a guess by the sign of the ratio is right. Under
(ε, δ)-DP and a fair coin it is right with probability at most p = e^ε/(1 + e^ε), but for δ. Where
q > p the guess is bet on: the wealth is multiplied by q/p if it is right, else by (1 − q)/(1 − p).

The wealth is an e-value. Let P and Q be the laws of the score with and without the record, mixtures
over the coins of the other records, hence (ε, δ)-indistinguishable; and let A be the scores at
which "in" is bet on. On A take P' = min(P, e^ε Q), so that P − P' has at most the mass δ. Given a
score, P'/(P' + Q) ≤ p, and since q > p the factor's mean is at most 1 where P' is in place of P;
the rest gains at most (1/p − 1)·δ/2. With the scores at which "out" is bet on, the mean of a factor
is at most 1 + δ(1/p − 1) = 1 + δ e^{−ε}, by which each factor is divided. Models are independent,
and so the mean of the product is at most 1. ∎

Without fair coins the e-value is that of the record's p-value
(`workbench.tables.bounds.rank_counts`) by the mixture of all calibrators κ p^{κ − 1}, 0 < κ < 1
(Vovk & Wang 2021). A test of the memberships decides between the two and errs with a probability of
at most `REMARKABLE`, which adds as much to the mean at most; both are divided by 1 + `REMARKABLE`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

from workbench.curves.validation import Floats, quiet
from workbench.progress import Report, silent
from workbench.tables.bounds.rank_counts import rank_counts
from workbench.tables.bounds.robust import clipped
from workbench.tables.bounds.tabulated import Tabulated
from workbench.tables.design import REMARKABLE

#: Assumption of e-values that bet on coins.
FAIR_COIN = "if each model drew the record by a fair coin"

#: Assumption of bounds by fair coins where it is not known how the scores were computed.
ROWS_AND_COINS = "independent rows and fair coins"

#: Share of the models that only say which scores are outliers.
_WARM_UP = 0.1

_OF_TWO_KINDS = np.log1p(REMARKABLE)

#: Cells of the table that are looked at at a time.
_AT_A_TIME = 2**21


def assumption_of(table: Tabulated) -> str:
    """The assumption that bounds from e-values state."""
    if not table.design.has_fair_coins:
        return table.assumption
    return FAIR_COIN if table.sampling == "independent runs" else ROWS_AND_COINS


def log_e_values(table: Tabulated, epsilon: float, delta: float, report: Report = silent) -> Floats:
    """Logs of e-values against "the record is (ε, δ)-DP", shape (R,)."""
    if not table.design.has_fair_coins:
        counts = rank_counts(table, report)
        return log_calibrated(counts.p_values(epsilon, delta)) - _OF_TWO_KINDS
    found = np.zeros(table.n_records)
    for columns, evidence in _parts(table, report):
        found[columns] = log_wealth(evidence, epsilon, delta) - _OF_TWO_KINDS
    return found


def log_wealth(evidence: Floats, epsilon: float, delta: float) -> Floats:
    """Logs of the e-values of some records, shape (K,).

    Parameters
    ----------
    evidence : ndarray, shape (M, K)
        As `evidence_of` gives it.
    epsilon, delta : float
    """
    certainty = np.abs(evidence)
    right = log_expit(certainty) - log_expit(epsilon)
    wrong = log_expit(-certainty) - log_expit(-epsilon)
    factor = np.where(certainty > epsilon, np.where(evidence > 0, right, wrong), 0.0)
    bets = (certainty > epsilon).sum(axis=0)
    return np.asarray(factor.sum(axis=0) - bets * np.log1p(delta * np.exp(-epsilon)))


def _parts(table: Tabulated, report: Report) -> Iterator[tuple[NDArray[np.intp], Floats]]:
    step = max(_AT_A_TIME // table.n_models, 1)
    usable = np.flatnonzero(table.auditable)
    for start in range(0, usable.size, step):
        report(start / usable.size, "betting on each record")
        columns = usable[start : start + step]
        yield columns, evidence_of(table, columns)


@quiet()
def evidence_of(table: Tabulated, columns: NDArray[np.intp]) -> Floats:
    """The log-odds of each guess, positive where it is right, shape (M, K).

    Parameters
    ----------
    table : ScoreTable
        Of fair coins.
    columns : ndarray of int, shape (K,)

    Notes
    -----
    A row follows from the models before it; the first rows are 0.
    """
    order = np.argsort(table.keys)
    member = table.member[:, columns][order]
    here = np.ones_like(member) if table.present is None else table.present[:, columns][order]
    warm_up = max(round(_WARM_UP * order.size), 4)
    scores = table.matrix[:, columns][order]
    x, _ = clipped(scores, here, warm_up)
    outside = here & ~member
    n_in, n_out = _before(member), _before(outside)
    mean_in = _before(np.where(member, x, 0)) / np.maximum(n_in, 1)
    mean_out = _before(np.where(outside, x, 0)) / np.maximum(n_out, 1)
    squares = _before(np.where(here, x * x, 0)) - n_in * mean_in**2 - n_out * mean_out**2
    variance = np.maximum(squares, 0) / np.maximum(n_in + n_out - 2, 1)
    gap, noise = mean_in - mean_out, 1 / np.maximum(n_in, 1) + 1 / np.maximum(n_out, 1)
    # What chance adds to the square of the gap is left out; a small gap is no reason to bet.
    slope = np.maximum(gap - variance * noise / gap, 0) / np.maximum(variance, gap**2 / 144)
    odds = slope * (x - (mean_in + mean_out) / 2) / (1 + noise)
    known = here & (n_in >= 2) & (n_out >= 2) & (gap > 0)
    known[:warm_up] = False
    limit = np.log(n_in + n_out + 1)
    odds = np.where(known, np.clip(odds, -limit, limit), 0.0)
    return np.asarray(np.where(member, odds, -odds))


def _before(x: NDArray[np.generic]) -> Floats:
    """Sums over the rows before each row."""
    sums = np.zeros(x.shape)
    np.cumsum(x[:-1], axis=0, out=sums[1:], dtype=np.float64)
    return sums


@quiet()
def log_calibrated(p_values: Floats) -> Floats:
    """Logs of e-values from p-values: log((1 − p + p log p)/(p log² p)).

    References
    ----------
    Vovk & Wang (2021).
    """
    p = np.maximum(p_values, 1e-300)  # a larger p has a smaller e-value
    log = np.log(p)
    calibrated = np.log(1 - p + p * log) - log - 2 * np.log(-log)
    return np.where(p < 0.99, calibrated, -np.log(2))  # 1/2 at p = 1, and more below
