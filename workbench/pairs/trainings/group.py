"""What a pair for one record says of a group of records."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.laplace import LaplacePair

#: Records of a group at most.
MOST_RECORDS = 10_000


def group_pair(pair: Pair, group: int) -> Pair:
    """The pair for a group of records that one for a single record implies.

    Whatever leaks at most this pair's trade-off function f of one record leaks at most
    1 − (1 − f)∘…∘(1 − f), k times, of k records that are in or out together, since a neighbor of a
    neighbor is reached in k steps: what is tested on a group of poisoned records refutes the claim
    about one. Gaussian pairs have μ k, Laplace pairs too; others are computed.

    Parameters
    ----------
    pair : Pair
        Of adding, removing or substituting one record; its symmetrized curve counts.
    group : int
        k, the number of records, from 1 to 10,000.

    Returns
    -------
    Pair
        Values in closed form, or made of the trade-off function, see `Pair.from_functions`.

    Raises
    ------
    ValueError
        No pair, or a size of the group outside its range.

    See Also
    --------
    of_one_record : From a bound on a group to one on a record.

    References
    ----------
    Dong, Roth and Su, Gaussian differential privacy (2022), Theorem 2.14.

    Examples
    --------
    >>> wb.group_pair(wb.GaussianPair(0.5), 4)
    GaussianPair(mu=2.0)
    >>> pair = wb.group_pair(wb.RandomizedResponsePair(0.5, 1e-6), 2)
    >>> round(pair.epsilon(1e-5), 2)
    1.0
    """
    _checks.instance(pair, Pair, "pair", "a pair such as wb.GaussianPair(1)")
    k = _checks.count(group, "group", 1, MOST_RECORDS)
    if k == 1:
        return pair
    known = pair.closed_form
    if isinstance(known, GaussianPair):
        return GaussianPair(k * known.mu)
    if isinstance(known, LaplacePair):
        return LaplacePair(k * known.mu)
    return Pair.from_functions(
        name=f"{pair.name}, group of {k}",
        tradeoff=_group_tradeoff(pair, k),
        parameters={"pair": pair, "group": k},
    )


def _group_tradeoff(pair: Pair, k: int) -> Callable[[Floats], Floats]:
    """α -> the smallest false negative rate that a group allows."""

    def tradeoff(alpha: Floats) -> Floats:
        rate = np.asarray(alpha, dtype=float)
        for _ in range(k - 1):
            rate = 1 - np.asarray(pair.tradeoff(rate))
        return np.asarray(pair.tradeoff(rate))

    return tradeoff
