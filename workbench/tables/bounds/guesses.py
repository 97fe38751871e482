"""Worst-record bounds from guesses on many records at once, as in an audit by one run.

Part of the models, drawn at random, selects a few records and a rule to guess from a score whether
the model was trained on the record. On the other models the guesses on all selected records count
together, which tells much more than those on any one of them.

Why the guesses add up. Suppose that training is (ε, δ)-DP for each selected record, and let every
model draw every record by a fair coin of its own. Fix the first part of the models, so that the
selected records and the rule are fixed, and the coins of all other records. What remains are the
coins K[m, r] of the other models m and the selected records r: independent and fair. All scores of
these models together are the output of one mechanism whose input are these coins. A change of one
coin K[m, r] changes the training data of model m alone, by record r alone, and no other model; so
the mechanism is (ε, δ)-DP in each coin, however the records of a model influence each other's
scores. This is the setting of Steinke, Nasr and Jagielski (2023) with the coins as canaries, and
with a number of guesses that was fixed in advance their Theorem 5.2, or its sharp form in
`workbench.onerun.steinke`, bounds the probability of so many correct ones. If that probability is
small, training is not (ε, δ)-DP for one selected record at least. ∎

The guess is "in" where the score lies above the middle of the record's two means. The r guesses of
the n coins are those with the largest log-likelihood ratio of two normal distributions; the first
part chooses r and the number of records so that the bound is expected to be largest. A bad choice
makes the bound small, never false.

The memberships decide whether coins are taken to be fair (`workbench.tables.design`). A test which
errs with a probability of at most `REMARKABLE` decides, so this share of the error probability is
set apart: with fair coins other bounds, valid for any memberships, are used that often at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, logit, ndtr, ndtri, stdtr

from workbench.curves.validation import Floats, quiet
from workbench.onerun.steinke import epsilon_refuted, sharp_p_value
from workbench.progress import Report, silent
from workbench.progress import part as share
from workbench.tables.bounds.robust import clipped
from workbench.tables.bounds.tabulated import Tabulated
from workbench.tables.design import REMARKABLE

#: Share of the models that chooses.
SHARE = 0.3

#: Records that are guessed at most: more hardly raise the bound.
_MOST_RECORDS = 1024

#: Distances of the means, in standard deviations, are taken to be at most this.
_LARGEST_DISTANCE = 12.0

#: Log-likelihood ratios from which a guess may be made.
_CERTAINTIES = np.linspace(0.0, 12.0, 49)

#: Fewest guesses worth a bound at 95%.
_FEWEST = 5

#: Cells of the table that are looked at at a time.
_AT_A_TIME = 2**19


@dataclass(frozen=True, eq=False)
class Promising:
    """Records in the order in which a part of the models promises a leak, with their fits.

    Attributes
    ----------
    records : ndarray of int, shape (K,)
        Columns, from the most to the least promising; those that promise nothing are left out, but
        for the first.
    middle, spread : ndarray, shape (K,)
        Middle of the two means, and standard deviation of the scores around them.
    distance : ndarray, shape (K,)
        Distance of the means in standard deviations, less what chance would give a record of that
        place.
    noise : ndarray, shape (K,)
        Standard error of the distance.
    """

    records: NDArray[np.intp]
    middle: Floats
    spread: Floats
    distance: Floats
    noise: Floats


def first_models(table: Tabulated) -> NDArray[np.bool_]:
    """The models that choose, drawn at random, shape (M,)."""
    chosen = np.zeros(table.n_models, bool)
    order = np.argsort(table.keys)
    chosen[order[: max(round(SHARE * table.n_models), 1)]] = True
    return chosen


def promising(table: Tabulated, models: NDArray[np.bool_], report: Report = silent) -> Promising:
    """The records that leak most, as far as some of the models show.

    Parameters
    ----------
    table : ScoreTable
    models : ndarray of bool, shape (M,)
    report : Report
        Told the share that is done.
    """
    fits = np.zeros((5, table.n_records))
    step = max(_AT_A_TIME // table.n_models, 1)
    for start in range(0, table.n_records, step):
        report(start / table.n_records, "fitting the scores of each record")
        part = slice(start, start + step)
        there = None if table.present is None else table.present[models, part]
        fits[:, part] = _fits(table.matrix[models, part], table.member[models, part], there)
    distance, middle, spread, noise, z = fits
    distance[~table.auditable], z[~table.auditable] = 0.0, -np.inf
    order = np.argsort(-z, kind="stable")
    # The square of the j-th largest of R normal variables is about this.
    by_chance = 2 * np.log(order.size / np.arange(1, order.size + 1))
    order, by_chance = (x[z[order] > np.sqrt(by_chance)] for x in (order, by_chance))
    left = distance[order] - by_chance * noise[order] ** 2 / distance[order]
    order, left = order[left > 0], left[left > 0]
    if not order.size:
        order = np.array([int(np.argmax(distance))])
        left = np.maximum(distance[order], noise[order]) / 2
    best = np.argsort(-left, kind="stable")
    order, left = order[best], left[best]
    return Promising(order, middle[order], spread[order], left, noise[order])


@quiet()
def _fits(
    scores: NDArray[Any], member: NDArray[np.bool_], there: NDArray[np.bool_] | None
) -> Floats:
    """Distance of the means, their middle, the standard deviation, the distance's error, and z.

    z is Student's test of the distance, as a normal variable.
    """
    here = np.ones_like(member) if there is None else there
    x, median = clipped(scores, here, len(scores))
    inside, outside = member, here & ~member
    n_in, n_out = inside.sum(axis=0), outside.sum(axis=0)
    mean_in = np.where(inside, x, 0).sum(axis=0) / np.maximum(n_in, 1)
    mean_out = np.where(outside, x, 0).sum(axis=0) / np.maximum(n_out, 1)
    squares = np.where(inside, x - mean_in, 0) ** 2 + np.where(outside, x - mean_out, 0) ** 2
    gap = np.where((n_in >= 2) & (n_out >= 2), mean_in - mean_out, 0.0)
    spread = np.sqrt(squares.sum(axis=0) / np.maximum(n_in + n_out - 2, 1))
    spread = np.maximum(spread, np.abs(gap) / _LARGEST_DISTANCE)
    distance = np.where(spread > 0, gap / np.where(spread > 0, spread, 1), 0.0)
    noise = np.sqrt(1 / np.maximum(n_in, 1) + 1 / np.maximum(n_out, 1))
    z = -ndtri(np.maximum(stdtr(np.maximum(n_in + n_out - 2, 1), -distance / noise), 1e-300))
    return np.stack(
        [distance, median + (mean_in + mean_out) / 2, np.where(spread > 0, spread, 1), noise, z]
    )


@dataclass(frozen=True, eq=False)
class TableGuesses:
    """Guesses on the coins of some records and models.

    Attributes
    ----------
    records : ndarray of int, shape (K,)
        Columns of the table.
    coins : int
        Number of coins that could have been guessed.
    included : int
        How many of them showed "in".
    guesses, correct : int
    """

    records: NDArray[np.intp]
    coins: int
    included: int
    guesses: int
    correct: int

    def epsilon(self, delta: float, error: float) -> float:
        """The largest ε that the guesses refute at level ``error``, rounded down."""
        return epsilon_refuted(
            sharp_p_value,
            canaries=self.coins,
            guesses=self.guesses,
            correct=self.correct,
            delta=delta,
            error=error * (1 - REMARKABLE),
        )


def table_guesses(
    table: Tabulated, delta: float, error: float, report: Report = silent
) -> TableGuesses:
    """Guesses on the records that the first models choose, about the other models.

    Parameters
    ----------
    table : ScoreTable
        Of independent fair coins.
    delta, error : float
        What the choice is made for.
    report : Report
        Told the share that is done.
    """
    first = first_models(table)
    fits = promising(table, first, share(report, 0.0, 0.9))
    report(0.9, "guessing")
    rest = np.flatnonzero(~first)
    records, number = _chosen(fits, rest.size, delta, error)
    fit = slice(records.size)
    scores = table.matrix[np.ix_(rest, records)].astype(np.float64)
    certainty = np.where(np.isnan(scores), np.inf, scores) - fits.middle[fit]
    certainty *= fits.distance[fit] / fits.spread[fit]
    coins = table.member[np.ix_(rest, records)]
    if table.present is not None:
        here = table.present[np.ix_(rest, records)]
        certainty, coins = certainty[here], coins[here]
    certainty, coins = certainty.ravel(), coins.ravel()
    number = min(number, coins.size)
    guessed = np.argsort(-np.abs(certainty), kind="stable")[:number]
    correct = int(((certainty[guessed] > 0) == coins[guessed]).sum())
    return TableGuesses(records, coins.size, int(coins.sum()), number, correct)


@quiet()
def _chosen(
    fits: Promising, models: int, delta: float, error: float
) -> tuple[NDArray[np.intp], int]:
    """The records, and the number of guesses, that are expected to give the largest bound."""
    distance = fits.distance[:_MOST_RECORDS, None]
    # A guess errs more often than the fit says, since the middle was estimated.
    wide = np.sqrt(1 + (fits.noise[:_MOST_RECORDS, None] / 2) ** 2)
    right = models * np.cumsum(ndtr((distance / 2 - _CERTAINTIES / distance) / wide), axis=0)
    wrong = models * np.cumsum(ndtr((-distance / 2 - _CERTAINTIES / distance) / wide), axis=0)
    guesses = right + wrong
    coins = models * np.arange(1, distance.size + 1)[:, None]
    left = error - 2 * coins * delta / guesses
    possible = (guesses >= min(_FEWEST, models)) & (left > 0)
    accuracy = betaincinv(right, wrong + 1, np.where(possible, left, 0.5))
    expected = np.where(possible, logit(accuracy), -np.inf)
    k, i = np.unravel_index(int(np.argmax(expected)), expected.shape)
    return fits.records[: k + 1], max(round(float(guesses[k, i])), 1)
