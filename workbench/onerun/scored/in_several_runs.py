"""Tests of independence from several runs with the same canaries, such as the models of a table.

If the scores of different canaries are independent given who was in, the models in which a canary
was in can be permuted for each canary by itself, and so can the others. Statistics of the whole
table are compared with their values under such permutations, so that p-values are exact. They see
what the order of canaries in one run cannot show: an influence between any two of them, or one that
all have in common.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from workbench.curves.validation import Floats
from workbench.onerun.scored.check import IndependenceCheck, normal_scores, permutation_p_values

_SUM, _PAIRS, _COUNT, _OTHERS = range(4)


def table_checks(
    x: Floats,
    member: NDArray[np.bool_],
    present: NDArray[np.bool_] | None,
    permutations: int,
    rng: np.random.Generator,
) -> tuple[IndependenceCheck, ...]:
    """Tests on the scores of the same canaries in several runs.

    Parameters
    ----------
    x : ndarray, shape (runs, canaries)
    member : ndarray of bool, shape (runs, canaries)
    present : ndarray of bool, shape (runs, canaries), optional
    permutations : int
    rng : numpy.random.Generator
    """
    here = np.ones(member.shape, dtype=bool) if present is None else present
    # 0: out, 1: in, 2: no score, which stays where it is.
    group = np.where(here, member.astype(int), 2)
    z = np.zeros(x.shape)
    for r in range(x.shape[1]):
        for side in (0, 1):
            cells = group[:, r] == side
            z[cells, r] = normal_scores(x[cells, r])
    coins = np.where(here, member, np.nan)
    coins = np.nan_to_num(coins - np.nanmean(coins, axis=0))
    observed = _statistics(z, coins)
    p = permutation_p_values(
        observed,
        (_statistics(each, coins)[None] for each in _permuted(z, group, permutations, rng)),
        two_sided=lambda k: k in (_SUM, _COUNT),
    )
    spread, pairs, count, others = (float(value) for value in observed)
    return (
        IndependenceCheck(
            "mean score of a run",
            spread,
            float(p[_SUM]),
            f"the mean score of all canaries varies {spread:.2g} times as much over the runs as by "
            "chance",
        ),
        IndependenceCheck(
            "pairs of canaries",
            pairs,
            float(p[_PAIRS]),
            f"squared correlations of two canaries are {pairs:.2g} times as large as by chance",
        ),
        IndependenceCheck(
            "number of included canaries",
            count,
            float(p[_COUNT]),
            f"scores are {'higher' if count > 0 else 'lower'} in runs that included more canaries",
        ),
        IndependenceCheck(
            "inclusion of other canaries",
            others,
            float(p[_OTHERS]),
            "scores go with the inclusion of other canaries: squared correlations are "
            f"{others:.2g} times as large as by chance",
        ),
    )


def _permuted(
    z: Floats, group: NDArray[np.int64], permutations: int, rng: np.random.Generator
) -> Iterator[Floats]:
    """Scores of each canary permuted among the runs in which it was in, and among the others."""
    canonical = np.argsort(group, axis=0, kind="stable")
    for _ in range(permutations):
        shuffled = np.argsort(group + rng.random(group.shape), axis=0)
        permuted = np.empty_like(z)
        np.put_along_axis(permuted, canonical, np.take_along_axis(z, shuffled, axis=0), axis=0)
        yield permuted


def _statistics(z: Floats, coins: Floats) -> Floats:
    """The four statistics, shape (4,)."""
    sums, counts = z.sum(axis=1), coins.sum(axis=1)
    own = np.einsum("mr,mr->r", z, z)
    coin = np.einsum("mr,mr->r", coins, coins)
    cross = np.einsum("mr,mr->r", z, coins)
    # Σ over pairs of (Σ over runs of z z')², from the products of runs.
    gram, coin_gram = z @ z.T, coins @ coins.T
    pairs = (gram**2).sum() - (own**2).sum()
    others = (gram * coin_gram).sum() - (cross**2).sum()
    expected = (own.sum() ** 2 - (own**2).sum()) / z.shape[0]
    expected_others = (own.sum() * coin.sum() - (own * coin).sum()) / z.shape[0]
    size = np.sqrt((sums**2).sum() * (counts**2).sum())
    return np.array(
        [
            _ratio((sums**2).sum(), own.sum()),
            _ratio(pairs, expected),
            _ratio(sums @ counts, size),
            _ratio(others, expected_others),
        ]
    )


def _ratio(value: float, of: float) -> float:
    return float(value / of) if of > 0 else 0.0
