"""`IndependenceCheck`: one permutation test; and what all of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from workbench import _checks
from workbench._frames import to_frame
from workbench.curves.validation import Floats

#: Values of a permutation this close to the observed one count as ties, which sums in another order
#: would otherwise break.
_ROUND_OFF = 1e-9


@dataclass(frozen=True)
class IndependenceCheck:
    """One test of whether canaries influence each other.

    Attributes
    ----------
    name : str
        What was compared.
    statistic : float
        A correlation, or a ratio of what was observed to what independent canaries give on average.
    p_value : float
        Exact, by permutation: at most p with probability p if canaries are independent.
    found : str
        What a small p-value means, in words.
    """

    name: str
    statistic: float
    p_value: float
    found: str

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)


def normal_scores(x: Floats) -> Floats:
    """Normal quantiles of the ranks of the last axis, mean 0 and variance 1; zeros if all tie.

    Parameters
    ----------
    x : ndarray
        NaN is the largest.
    """
    from scipy.stats import rankdata

    if x.shape[-1] == 0:
        return np.zeros(x.shape)
    ranks = rankdata(np.nan_to_num(x, nan=np.inf, posinf=np.inf, neginf=-np.inf), axis=-1)
    z = ndtri(ranks / (x.shape[-1] + 1))
    z = z - z.mean(axis=-1, keepdims=True)
    spread = np.sqrt((z**2).mean(axis=-1, keepdims=True))
    return np.asarray(np.divide(z, spread, out=np.zeros_like(z), where=spread > 1e-12))


def permutation_p_values(
    observed: Floats, draws: Iterable[Floats], two_sided: Callable[[int], bool]
) -> Floats:
    """P-value of each statistic: the share of permutations, and of the data, at least as extreme.

    Parameters
    ----------
    observed : ndarray, shape (k,)
        Statistics of the data.
    draws : iterable of ndarray, each shape (b, k)
        Statistics of permutations.
    two_sided : callable
        Whether small values of a statistic are extreme too.
    """
    above, below, count = np.ones(observed.size), np.ones(observed.size), 1
    slack = _ROUND_OFF * np.maximum(np.abs(observed), 1)
    for values in draws:
        above += (values >= observed - slack).sum(axis=0)
        below += (values <= observed + slack).sum(axis=0)
        count += values.shape[0]
    both = np.array([two_sided(k) for k in range(observed.size)])
    return np.where(both, np.minimum(2 * np.minimum(above, below), count), above) / count
