"""Tests of independence from the order of the canaries of one run.

If scores are independent given inclusion, with one law of members and one of non-members, every
order of the members' scores among the members is as likely as any other, and of the others' among
the others. A statistic of the order is compared with its values under such permutations, so its
p-value is exact at every number of canaries (Phipson and Smyth 2010: the data are one of them).

Scores enter as normal quantiles of their ranks among the members or among the others. Lags are
circular: the canary after the last is the first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.fft import irfft, rfft
from numpy.typing import NDArray

from workbench.curves.validation import Floats
from workbench.onerun.scored.check import IndependenceCheck, normal_scores, permutation_p_values

#: Scores held at once.
_BATCH = 1_000_000

#: Statistics by their place; of the mean scores of blocks, small values are extreme too.
_LAGS, _NEIGHBORS, _BLOCKS, _INCLUSION = range(4)

#: A lag, and the correlation there.
_AtLag = tuple[int, float]


def sorted_rows(x: Floats, included: NDArray[np.bool_]) -> bool:
    """Whether the members or the others are in the order of their scores.

    Parameters
    ----------
    x : ndarray, shape (m,)
    included : ndarray of bool, shape (m,)
    """
    for side in (x[included], x[~included]):
        if np.unique(side).size >= 5:
            steps = np.sign(np.nan_to_num(side[1:]) - np.nan_to_num(side[:-1]))
            if np.all(steps >= 0) or np.all(steps <= 0):
                return True
    return False


def order_checks(
    x: Floats, included: NDArray[np.bool_], permutations: int, rng: np.random.Generator
) -> tuple[IndependenceCheck, ...]:
    """Tests on the scores of canaries in their order.

    Parameters
    ----------
    x : ndarray, shape (m,)
    included : ndarray of bool, shape (m,)
    permutations : int
    rng : numpy.random.Generator

    References
    ----------
    Phipson and Smyth (2010), for p-values of permutations.
    """
    z = np.empty(x.size)
    for side in (included, ~included):
        z[side] = normal_scores(x[side])
    observed = _statistics(z[None], included)
    p = permutation_p_values(
        observed[0],
        (_statistics(each, included) for each in _permuted(z, included, permutations, rng)),
        two_sided=lambda k: k == _BLOCKS,
    )
    near, far, other = _lags(z, included)
    block = _block(x.size)
    alike = {True: "similar", False: "opposite"}
    along = {True: "higher", False: "lower"}
    spread = float(observed[0, _BLOCKS])
    return (
        IndependenceCheck(
            "canaries at any distance",
            far[1],
            float(p[_LAGS]),
            f"{_apart(far[0])} have {alike[far[1] > 0]} scores",
        ),
        IndependenceCheck(
            "neighboring canaries",
            near,
            float(p[_NEIGHBORS]),
            f"neighboring canaries have {alike[near > 0]} scores",
        ),
        IndependenceCheck(
            f"means of {block} canaries in a row",
            spread,
            float(p[_BLOCKS]),
            f"mean scores of {block} canaries in a row vary {spread:.2g} times as much as by "
            "chance",
        ),
        IndependenceCheck(
            "inclusion of another canary",
            other[1],
            float(p[_INCLUSION]),
            f"scores are {along[other[1] > 0]} if the canary {_away(other[0])} was included",
        ),
    )


def _permuted(
    z: Floats, included: NDArray[np.bool_], permutations: int, rng: np.random.Generator
) -> Iterator[Floats]:
    """Batches of permutations of the scores within the members and within the others."""
    left, at_once = permutations, max(_BATCH // z.size, 1)
    while left:
        batch = min(left, at_once)
        permuted = np.empty((batch, z.size))
        for side in (included, ~included):
            permuted[:, side] = rng.permuted(np.tile(z[side], (batch, 1)), axis=1)
        yield permuted
        left -= batch


def _statistics(z: Floats, included: NDArray[np.bool_]) -> Floats:
    """The four statistics of each row, shape (b, 4)."""
    own, other = _correlations(z, included)
    return np.column_stack(
        [
            np.abs(own[:, : z.shape[1] // 2]).max(axis=1),
            np.abs(own[:, 0]),
            _spread(z),
            np.abs(other).max(axis=1),
        ]
    )


def _correlations(z: Floats, included: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """At lags 1, …, m − 1: of scores with later scores, and with later inclusions."""
    m = z.shape[1]
    coin = included - included.mean()
    transformed = rfft(z, axis=1)
    own = irfft(np.abs(transformed) ** 2, n=m, axis=1)
    other = irfft(np.conj(transformed) * rfft(coin), n=m, axis=1)
    return own[:, 1:] / m, other[:, 1:] / (m * coin.std())


def _lags(z: Floats, included: NDArray[np.bool_]) -> tuple[float, _AtLag, _AtLag]:
    """Correlation of neighbors; lag and correlation where scores, and inclusions, show most."""
    own, other = (each[0] for each in _correlations(z[None], included))
    half = own[: z.size // 2]
    k, j = int(np.argmax(np.abs(half))), int(np.argmax(np.abs(other)))
    lag = j + 1 if j + 1 <= z.size // 2 else j + 1 - z.size
    return float(own[0]), (k + 1, float(half[k])), (lag, float(other[j]))


def _apart(lag: int) -> str:
    return "neighboring canaries" if lag == 1 else f"canaries that are {lag:,} rows apart"


def _away(lag: int) -> str:
    rows = f"{abs(lag):,} row{'s' if abs(lag) > 1 else ''}"
    return f"{rows} {'later' if lag > 0 else 'earlier'}"


def _block(m: int) -> int:
    return max(round(m**0.5), 2)


def _spread(z: Floats) -> Floats:
    """Variance of the sums of blocks, over what independent scores give."""
    b = _block(z.shape[1])
    blocks = z.shape[1] // b
    sums = z[:, : blocks * b].reshape(-1, blocks, b).sum(axis=2)
    return np.asarray((sums**2).mean(axis=1) / b)
