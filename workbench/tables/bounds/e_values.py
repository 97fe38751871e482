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

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.curves.validation import Floats, quiet
from workbench.progress import Report, silent
from workbench.tables.bounds.bets import Bets
from workbench.tables.bounds.counting import rank_counts
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
_AT_A_TIME = 2**16


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
    if table.kept.bets is not None:
        log_wealth = table.kept.bets.log_wealth(epsilon, delta, report)
    else:
        log_wealth = _log_wealth_of_all(table, epsilon, delta, report)
    return np.where(table.auditable, log_wealth - _OF_TWO_KINDS, 0.0)


def bets_of(table: Tabulated, records: NDArray[np.intp]) -> Bets:
    """The bets on some records of a table of fair coins."""
    if table.kept.bets is not None:
        return table.kept.bets.of_records(records)
    return Bets.of(evidence_of(table, records))


def _log_wealth_of_all(table: Tabulated, epsilon: float, delta: float, report: Report) -> Floats:
    """Logs of the wealth of all records; the table keeps the bets, if they are few enough."""
    found, parts = np.zeros(table.n_records), []
    step = max(_AT_A_TIME // table.n_models, 1)
    left = table.matrix.nbytes
    for start in range(0, table.n_records, step):
        report(start / table.n_records, "betting on each record")
        columns = np.arange(start, min(start + step, table.n_records))
        bets = Bets.of(evidence_of(table, columns))
        found[columns] = bets.log_wealth(epsilon, delta)
        left -= bets.nbytes
        if left >= 0:
            parts.append(bets)
        else:
            parts.clear()
    if left >= 0:
        table.kept.bets = Bets.joined(parts)
    return found


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
    A row follows from the models before it; the first rows are 0. The models of a record stand
    side by side in memory, as sums go over them.
    """
    order = np.argsort(table.keys)
    member = _of_order(table.member, order, columns)
    scores = _of_order(table.matrix, order, columns)
    warm_up = max(round(_WARM_UP * order.size), 4)
    if table.present is None:
        here, n = np.ones_like(member), np.arange(float(order.size))[:, None]
    else:
        here = _of_order(table.present, order, columns)
        n = _before(here)
    x, _ = clipped(scores, here, warm_up)
    n_in = _before(member)
    n_out = n - n_in
    some_in, some_out = np.maximum(n_in, 1), np.maximum(n_out, 1)
    mean_in = _before(np.where(member, x, 0)) / some_in
    mean_out = _before(np.where(member, 0, x)) / some_out
    squares = _before(x * x) - n_in * mean_in**2 - n_out * mean_out**2
    variance = np.maximum(squares, 0) / np.maximum(n - 2, 1)
    gap, noise = mean_in - mean_out, 1 / some_in + 1 / some_out
    # What chance adds to the square of the gap is left out; a small gap is no reason to bet.
    sure = gap - variance * noise / gap
    known = here & (n_in >= 2) & (n_out >= 2) & (gap > 0) & (sure > 0)
    known[:warm_up] = False
    # From here on few cells remain.
    limit = np.log(np.broadcast_to(n, known.shape)[known] + 1)
    gap, variance, noise = gap[known], variance[known], noise[known]
    slope = sure[known] / np.maximum(variance, gap**2 / 144)
    odds = slope * (x[known] - (mean_in[known] + mean_out[known]) / 2) / (1 + noise)
    odds = np.clip(odds, -limit, limit)
    evidence = np.zeros_like(x)
    evidence[known] = np.where(member[known], odds, -odds)
    return evidence


def _of_order(
    values: NDArray[Any], order: NDArray[np.intp], columns: NDArray[np.intp]
) -> NDArray[Any]:
    """Some columns, the rows in an order; each column contiguous."""
    return np.asfortranarray(values[order[:, None], columns])


def _before(x: NDArray[np.generic]) -> Floats:
    """Sums over the rows before each row."""
    sums = np.zeros_like(x, dtype=np.float64)
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
